//! Texts in Arrow batches.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, LargeStringArray, RecordBatch, StringArray, StringViewArray};
use arrow_schema::DataType;

use crate::Replacement;

/// The batch with other texts in some of its rows, and the rows that are refused: those that do not have
/// the text, and all if the field is no column of texts.
pub(crate) fn replaced_batch(
    batch: &RecordBatch,
    field: &str,
    replacements: &[(usize, Replacement<'_>)],
) -> (RecordBatch, Vec<usize>) {
    let all = || replacements.iter().map(|(row, _)| *row).collect();
    let Some((at, _)) = batch.schema().column_with_name(field).map(|(at, of)| (at, of.clone()))
    else {
        return (batch.clone(), all());
    };
    let column = batch.column(at);
    let Some(texts) = texts_of(column) else { return (batch.clone(), all()) };
    let (mut texts, mut refused) = (texts, Vec::new());
    for (row, text) in replacements {
        match texts.get_mut(*row) {
            Some(place) if *place == Some(text.old) => *place = Some(text.new),
            _ => refused.push(*row),
        }
    }
    let replaced: ArrayRef = match column.data_type() {
        DataType::LargeUtf8 => Arc::new(texts.into_iter().collect::<LargeStringArray>()),
        DataType::Utf8View => Arc::new(texts.into_iter().collect::<StringViewArray>()),
        _ => Arc::new(texts.into_iter().collect::<StringArray>()),
    };
    let mut columns = batch.columns().to_vec();
    columns[at] = replaced;
    match RecordBatch::try_new(batch.schema(), columns) {
        Ok(batch) => (batch, refused),
        Err(_) => (batch.clone(), all()),
    }
}

/// The texts of a column; `None` if it is of another type.
fn texts_of(column: &ArrayRef) -> Option<Vec<Option<&str>>> {
    match column.data_type() {
        DataType::Utf8 => Some(column.as_string::<i32>().iter().collect()),
        DataType::LargeUtf8 => Some(column.as_string::<i64>().iter().collect()),
        DataType::Utf8View => Some(column.as_string_view().iter().collect()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::Int64Array;

    #[test]
    fn texts_are_replaced_in_their_type() {
        let rows = [Some("a"), None, Some("é")];
        let columns: [ArrayRef; 3] = [
            Arc::new(rows.into_iter().collect::<StringArray>()),
            Arc::new(rows.into_iter().collect::<LargeStringArray>()),
            Arc::new(rows.into_iter().collect::<StringViewArray>()),
        ];
        for column in columns {
            let numbers: ArrayRef = Arc::new(Int64Array::from(vec![1, 2, 3]));
            let batch = RecordBatch::try_from_iter([("n", numbers), ("text", column)]).unwrap();
            let change = |old, new| Replacement { old, new };
            let changes = [(0, change("b", "x")), (1, change("", "x")), (2, change("é", "new"))];
            let (replaced, refused) = replaced_batch(&batch, "text", &changes);
            assert_eq!((replaced.schema(), refused), (batch.schema(), vec![0, 1]));
            let texts = texts_of(replaced.column(1)).unwrap();
            assert_eq!(texts, [Some("a"), None, Some("new")]);
            assert_eq!(replaced_batch(&batch, "n", &changes).1, [0, 1, 2]);
            assert_eq!(replaced_batch(&batch, "body", &changes).1, [0, 1, 2]);
        }
    }
}
