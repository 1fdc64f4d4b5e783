//! Texts in Arrow batches: in columns, and in structs.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{
    Array, ArrayRef, BinaryArray, BinaryViewArray, LargeBinaryArray, LargeStringArray, RecordBatch,
    StringArray, StringViewArray, StructArray,
};
use arrow_schema::DataType;

use crate::Replacement;
use crate::source::nested;

/// Other texts for some rows.
type Replacements<'r> = [(usize, Replacement<'r>)];

/// The batch with other texts in some of its rows, and the rows that are refused: those that do not have
/// the text, and all if the field is neither a column of texts nor one in a struct. Of a dictionary, rows
/// share values: its texts are not replaced.
pub(crate) fn replaced_batch(
    batch: &RecordBatch,
    field: &str,
    replacements: &Replacements<'_>,
) -> (RecordBatch, Vec<usize>) {
    let replaced = || {
        let path = nested::find(batch.schema_ref().fields(), field)?;
        let (&at, inside) = path.split_first()?;
        let (column, refused) = replaced_column(batch.column(at), inside, replacements)?;
        let mut columns = batch.columns().to_vec();
        columns[at] = column;
        Some((RecordBatch::try_new(batch.schema(), columns).ok()?, refused))
    };
    let all = || replacements.iter().map(|(row, _)| *row).collect();
    replaced().unwrap_or_else(|| (batch.clone(), all()))
}

/// The column with other texts at a position in its structs, and the rows that do not have the text.
fn replaced_column(
    column: &ArrayRef,
    path: &[usize],
    replacements: &Replacements<'_>,
) -> Option<(ArrayRef, Vec<usize>)> {
    let Some((&at, inside)) = path.split_first() else {
        return replaced_texts(column, replacements);
    };
    let outer = column.as_struct_opt()?;
    let (inner, refused) = replaced_column(outer.columns().get(at)?, inside, replacements)?;
    let mut columns = outer.columns().to_vec();
    columns[at] = inner;
    let structs = StructArray::try_new(outer.fields().clone(), columns, outer.nulls().cloned());
    Some((Arc::new(structs.ok()?), refused))
}

/// The values with other texts; `None` if they are of another type.
fn replaced_texts(
    values: &ArrayRef,
    replacements: &Replacements<'_>,
) -> Option<(ArrayRef, Vec<usize>)> {
    macro_rules! replaced {
        ($texts:expr, $of:expr, $array:ty) => {{
            let (texts, refused) = with($texts.iter(), replacements, $of);
            (Arc::new(texts.into_iter().collect::<$array>()) as ArrayRef, refused)
        }};
    }
    Some(match values.data_type() {
        DataType::Utf8 => replaced!(values.as_string::<i32>(), |text| text, StringArray),
        DataType::LargeUtf8 => replaced!(values.as_string::<i64>(), |text| text, LargeStringArray),
        DataType::Utf8View => replaced!(values.as_string_view(), |text| text, StringViewArray),
        DataType::Binary => replaced!(values.as_binary::<i32>(), str::as_bytes, BinaryArray),
        DataType::LargeBinary => {
            replaced!(values.as_binary::<i64>(), str::as_bytes, LargeBinaryArray)
        }
        DataType::BinaryView => {
            replaced!(values.as_binary_view(), str::as_bytes, BinaryViewArray)
        }
        _ => return None,
    })
}

/// The values of all rows, some of them replaced, and the rows that do not have the text.
fn with<'t, T: PartialEq + ?Sized>(
    values: impl Iterator<Item = Option<&'t T>>,
    replacements: &'t Replacements<'t>,
    of: impl Fn(&'t str) -> &'t T,
) -> (Vec<Option<&'t T>>, Vec<usize>) {
    let (mut values, mut refused): (Vec<_>, _) = (values.collect(), Vec::new());
    for (row, text) in replacements {
        match values.get_mut(*row) {
            Some(place) if *place == Some(of(text.old)) => *place = Some(of(text.new)),
            _ => refused.push(*row),
        }
    }
    (values, refused)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::texts::Texts;
    use arrow_array::types::Int32Type;
    use arrow_array::{DictionaryArray, Int64Array};
    use arrow_buffer::NullBuffer;
    use arrow_schema::{Field, Fields};

    const ROWS: [Option<&str>; 4] = [Some("a"), None, Some("é"), Some("b")];

    fn change<'t>(old: &'t str, new: &'t str) -> Replacement<'t> {
        Replacement { old, new }
    }

    fn texts(column: &ArrayRef) -> Vec<Option<String>> {
        let texts = Texts::of(column).unwrap();
        (0..column.len()).map(|row| texts.get(row).unwrap().map(str::to_owned)).collect()
    }

    #[test]
    fn texts_are_replaced_in_their_type() {
        let bytes = || ROWS.into_iter().map(|row| row.map(str::as_bytes));
        let columns: [ArrayRef; 6] = [
            Arc::new(ROWS.into_iter().collect::<StringArray>()),
            Arc::new(ROWS.into_iter().collect::<LargeStringArray>()),
            Arc::new(ROWS.into_iter().collect::<StringViewArray>()),
            Arc::new(bytes().collect::<BinaryArray>()),
            Arc::new(bytes().collect::<LargeBinaryArray>()),
            Arc::new(bytes().collect::<BinaryViewArray>()),
        ];
        for column in columns {
            let numbers: ArrayRef = Arc::new(Int64Array::from(vec![1, 2, 3, 4]));
            let batch = RecordBatch::try_from_iter([("n", numbers), ("text", column)]).unwrap();
            let changes = [(0, change("b", "x")), (1, change("", "x")), (2, change("é", "new"))];
            let (replaced, refused) = replaced_batch(&batch, "text", &changes);
            assert_eq!((replaced.schema(), refused), (batch.schema(), vec![0, 1]));
            let expected = [Some("a"), None, Some("new"), Some("b")];
            assert_eq!(texts(replaced.column(1)), expected.map(|text| text.map(str::to_owned)));
            assert_eq!(replaced_batch(&batch, "n", &changes).1, [0, 1, 2]);
            assert_eq!(replaced_batch(&batch, "body", &changes).1, [0, 1, 2]);
        }
    }

    #[test]
    fn texts_in_structs_are_replaced_and_null_structs_stay() {
        let strings: ArrayRef = Arc::new(ROWS.into_iter().collect::<StringArray>());
        let numbers: ArrayRef = Arc::new(Int64Array::from(vec![1, 2, 3, 4]));
        let fields = Fields::from(vec![
            Field::new("text", DataType::Utf8, true),
            Field::new("n", DataType::Int64, false),
        ]);
        let valid = NullBuffer::from(vec![true, true, true, false]);
        let inner = StructArray::new(fields, vec![strings, numbers], Some(valid.clone()));
        let column: ArrayRef = Arc::new(inner);
        let outer: ArrayRef = Arc::new(StructArray::from(vec![(
            Arc::new(Field::new("doc", column.data_type().clone(), true)),
            column,
        )]));
        let batch = RecordBatch::try_from_iter([("record", outer)]).unwrap();
        let changes = [(0, change("a", "x")), (2, change("e", "x"))];
        let (replaced, refused) = replaced_batch(&batch, "record.doc.text", &changes);
        assert_eq!((replaced.schema(), refused), (batch.schema(), vec![2]));
        let path = nested::find(batch.schema_ref().fields(), "record.doc.text").unwrap();
        let found = nested::column(&replaced, &path).unwrap();
        let expected = [Some("x"), None, Some("é"), None];
        assert_eq!(texts(&found), expected.map(|text| text.map(str::to_owned)));
        assert_eq!(replaced.column(0).as_struct().column(0).nulls(), Some(&valid));
        assert_eq!(replaced_batch(&batch, "record.doc.n", &changes).1, [0, 2]);
    }

    #[test]
    fn texts_of_a_dictionary_stay() {
        let column: ArrayRef = Arc::new(ROWS.into_iter().collect::<DictionaryArray<Int32Type>>());
        let batch = RecordBatch::try_from_iter([("text", column)]).unwrap();
        assert_eq!(replaced_batch(&batch, "text", &[(0, change("a", "x"))]).1, [0]);
    }
}
