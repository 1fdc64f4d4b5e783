//! Cuts record batches of a caller into chunks.

use super::columns::TextLengths;
use super::fields::Fields;
use crate::FieldNames;
use arrow_array::RecordBatch;

/// Cuts a batch into slices of at most `rows` rows (at least 1), each ending with the row at which
/// its texts reach `bytes` bytes. Nothing is copied.
///
/// The lengths are those of the texts: the size of an array's buffers says nothing about a slice of
/// it.
#[must_use]
pub fn cut_batch(
    batch: &RecordBatch,
    fields: &FieldNames,
    bytes: usize,
    rows: usize,
) -> Vec<RecordBatch> {
    let lengths = TextLengths::of(batch, &Fields::new(fields));
    let (mut slices, mut start, mut held) = (Vec::new(), 0, 0);
    for row in 0..batch.num_rows() {
        held += lengths.of_row(row);
        let taken = row + 1 - start;
        if held >= bytes || taken >= rows.max(1) || row + 1 == batch.num_rows() {
            slices.push(batch.slice(start, taken));
            (start, held) = (row + 1, 0);
        }
    }
    slices
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::{Array, ArrayRef, StringArray, StringViewArray};
    use arrow_schema::{Field, Schema};
    use std::sync::Arc;

    fn batch(texts: ArrayRef) -> RecordBatch {
        let field = Field::new("text", texts.data_type().clone(), true);
        RecordBatch::try_new(Arc::new(Schema::new(vec![field])), vec![texts]).unwrap()
    }

    fn rows(batch: &RecordBatch, bytes: usize, rows: usize) -> Vec<usize> {
        let slices = cut_batch(batch, &FieldNames::default(), bytes, rows);
        slices.iter().map(RecordBatch::num_rows).collect()
    }

    #[test]
    fn slices_end_where_texts_reach_the_size() {
        let texts = [Some("aaaa"), None, Some("bb"), Some("cccccccc"), Some(""), Some("d")];
        let plain: ArrayRef = Arc::new(StringArray::from(texts.to_vec()));
        let views: ArrayRef = Arc::new(StringViewArray::from(texts.to_vec()));
        for texts in [plain, views] {
            let batch = batch(texts);
            assert_eq!(rows(&batch, 6, 100), [3, 1, 2]);
            assert_eq!(rows(&batch, 6, 2), [2, 2, 2]);
            assert_eq!(rows(&batch, 1, 100), [1, 2, 1, 2]);
            assert_eq!(rows(&batch, 100, 0), [1; 6]);
            // A slice of a large array is as small as its own rows.
            assert_eq!(rows(&batch.slice(4, 2), 6, 100), [2]);
            assert_eq!(rows(&batch.slice(0, 0), 6, 100), [0; 0]);
        }
    }
}
