//! Texts and lists in Arrow batches: in columns, and in structs.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{
    Array, ArrayRef, BinaryArray, BinaryViewArray, GenericListArray, LargeBinaryArray,
    LargeStringArray, OffsetSizeTrait, RecordBatch, StringArray, StringViewArray, StructArray,
    UInt64Array,
};
use arrow_buffer::OffsetBuffer;
use arrow_schema::DataType;
use arrow_select::take::take;

use super::{Replaced, lists};
use crate::source::lists::{Lists, range};
use crate::source::nested;
use crate::{FeatureList, Replacement};

/// Other texts for some rows.
type Replacements<'r> = [(usize, Replacement<'r>)];

/// The batch with other texts in some of its rows, and the rows that are refused: those that do not have
/// the text, and all if the field is neither a column of texts nor one in a struct, or not of lists that
/// can be shorter. Of a dictionary, rows share values: its texts are not replaced.
pub(crate) fn replaced_batch(
    batch: &RecordBatch,
    field: Replaced<'_>,
    replacements: &Replacements<'_>,
) -> (RecordBatch, Vec<usize>) {
    let of = |values: &ArrayRef| match field {
        Replaced::Text(_) => replaced_texts(values, replacements),
        Replaced::List(_) => match values.data_type() {
            DataType::List(_) => replaced_lists::<i32>(values, replacements),
            DataType::LargeList(_) => replaced_lists::<i64>(values, replacements),
            _ => None,
        },
    };
    let replaced = || {
        let path = nested::find(batch.schema_ref().fields(), field.name())?;
        let (&at, inside) = path.split_first()?;
        let (column, refused) = replaced_column(batch.column(at), inside, &of)?;
        let mut columns = batch.columns().to_vec();
        columns[at] = column;
        Some((RecordBatch::try_new(batch.schema(), columns).ok()?, refused))
    };
    let all = || replacements.iter().map(|(row, _)| *row).collect();
    replaced().unwrap_or_else(|| (batch.clone(), all()))
}

/// Other values, and the rows that do not have what is replaced; `None` for values of another type.
type Changed = Option<(ArrayRef, Vec<usize>)>;

/// The column with other values at a position in its structs.
fn replaced_column(
    column: &ArrayRef,
    path: &[usize],
    of: &impl Fn(&ArrayRef) -> Changed,
) -> Changed {
    let Some((&at, inside)) = path.split_first() else { return of(column) };
    let outer = column.as_struct_opt()?;
    let (inner, refused) = replaced_column(outer.columns().get(at)?, inside, of)?;
    let mut columns = outer.columns().to_vec();
    columns[at] = inner;
    let structs = StructArray::try_new(outer.fields().clone(), columns, outer.nulls().cloned());
    Some((Arc::new(structs.ok()?), refused))
}

/// Lists without the elements that go, which are taken as they are.
fn replaced_lists<O: OffsetSizeTrait>(
    column: &ArrayRef,
    replacements: &Replacements<'_>,
) -> Changed {
    let (features, lists) = (Lists::of(column)?, column.as_list::<O>());
    let (mut refused, mut list) = (Vec::new(), FeatureList::default());
    let (mut taken, mut lengths) = (Vec::<u64>::new(), Vec::with_capacity(lists.len()));
    let mut changes = replacements.iter().peekable();
    for row in 0..lists.len() {
        let (all, before) = (range(column, row).unwrap_or(0..0), taken.len());
        let start: usize = all.start;
        let stay = changes.next_if(|(at, _)| *at == row).map(|(_, change)| {
            let is_read = features.features(row, &mut list).is_some_and(|read| read.is_ok());
            lists::staying(&list, *change).filter(|_| is_read)
        });
        match stay {
            Some(Some(stay)) => taken.extend(stay.into_iter().map(|at| (start + at) as u64)),
            other => {
                refused.extend(other.map(|_| row));
                taken.extend(all.map(|at| at as u64));
            }
        }
        lengths.push(taken.len() - before);
    }
    refused.extend(changes.map(|(row, _)| *row));
    let (DataType::List(field) | DataType::LargeList(field)) = column.data_type() else {
        return None;
    };
    let values = take(lists.values(), &UInt64Array::from(taken), None).ok()?;
    let ends = OffsetBuffer::from_lengths(lengths);
    let changed =
        GenericListArray::<O>::try_new(field.clone(), ends, values, lists.nulls().cloned());
    Some((Arc::new(changed.ok()?), refused))
}

/// Other texts.
fn replaced_texts(values: &ArrayRef, replacements: &Replacements<'_>) -> Changed {
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
    use arrow_array::types::{Int32Type, UInt16Type};
    use arrow_array::{DictionaryArray, Int64Array, LargeListArray, ListArray};
    use arrow_buffer::NullBuffer;
    use arrow_schema::{Field, Fields};
    use arrow_select::concat::concat;

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
            let (replaced, refused) = replaced_batch(&batch, Replaced::Text("text"), &changes);
            assert_eq!((replaced.schema(), refused), (batch.schema(), vec![0, 1]));
            let expected = [Some("a"), None, Some("new"), Some("b")];
            assert_eq!(texts(replaced.column(1)), expected.map(|text| text.map(str::to_owned)));
            assert_eq!(replaced_batch(&batch, Replaced::Text("n"), &changes).1, [0, 1, 2]);
            assert_eq!(replaced_batch(&batch, Replaced::Text("body"), &changes).1, [0, 1, 2]);
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
        let (replaced, refused) =
            replaced_batch(&batch, Replaced::Text("record.doc.text"), &changes);
        assert_eq!((replaced.schema(), refused), (batch.schema(), vec![2]));
        let path = nested::find(batch.schema_ref().fields(), "record.doc.text").unwrap();
        let found = nested::column(&replaced, &path).unwrap();
        let expected = [Some("x"), None, Some("é"), None];
        assert_eq!(texts(&found), expected.map(|text| text.map(str::to_owned)));
        assert_eq!(replaced.column(0).as_struct().column(0).nulls(), Some(&valid));
        assert_eq!(replaced_batch(&batch, Replaced::Text("record.doc.n"), &changes).1, [0, 2]);
    }

    #[test]
    fn texts_of_a_dictionary_stay() {
        let column: ArrayRef = Arc::new(ROWS.into_iter().collect::<DictionaryArray<Int32Type>>());
        let batch = RecordBatch::try_from_iter([("text", column)]).unwrap();
        assert_eq!(replaced_batch(&batch, Replaced::Text("text"), &[(0, change("a", "x"))]).1, [0]);
    }

    #[test]
    fn elements_of_lists_go_and_the_others_are_the_same() {
        let rows =
            || [Some(vec![Some(7), Some(-1), Some(7)]), None, Some(vec![]), Some(vec![None])];
        let small = ListArray::from_iter_primitive::<UInt16Type, _, _>(
            rows().map(|row| row.map(|row| row.into_iter().map(|of| of.map(|of: i32| of as u16)))),
        );
        let large = LargeListArray::from_iter_primitive::<Int32Type, _, _>(rows());
        for (column, minus) in [(Arc::new(small) as ArrayRef, "65535"), (Arc::new(large), "-1")] {
            // A slice of a larger column.
            let whole = concat(&[&column, &column]).unwrap().slice(2, 6);
            let batch = RecordBatch::try_from_iter([("ids", whole)]).unwrap();
            let old = format!("7\n{minus}\n7\n");
            let changes = [
                (0, change("", "")),
                (2, change(&old, "7\n")),
                (3, change("", "")),
                (5, change("", "")),
            ];
            let (replaced, refused) = replaced_batch(&batch, Replaced::List("ids"), &changes);
            assert_eq!((replaced.schema(), refused), (batch.schema(), vec![3, 5]));
            let lists = Lists::of(replaced.column(0)).unwrap();
            let of =
                |row| Some(lists.elements(row)?.flatten().map(str::to_owned).collect::<Vec<_>>());
            assert_eq!((of(0), of(1)), (Some(vec![]), Some(vec![])));
            assert_eq!((of(2), of(3)), (Some(vec!["7".to_owned()]), None));
            assert_eq!(
                replaced.column(0).slice(1, 1).to_data(),
                batch.column(0).slice(1, 1).to_data()
            );
            assert_eq!(replaced_batch(&batch, Replaced::Text("ids"), &changes).1, [0, 2, 3, 5]);
        }
    }
}
