//! Fields in structs of Arrow tables: `doc.text` is the field `text` of the struct column `doc`, unless
//! there is a column `doc.text`.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, BooleanArray, RecordBatch};
use arrow_schema::{DataType, Field, Fields};
use arrow_select::nullif::nullif;

/// Position of a field: of its column, then in the structs.
pub(crate) type Path = Vec<usize>;

/// Finds a field by its name.
pub(crate) fn find(fields: &Fields, name: &str) -> Option<Path> {
    let of = |name: &str| fields.iter().position(|field| field.name() == name);
    if let Some(at) = of(name) {
        return Some(vec![at]);
    }
    let (head, rest) = name.split_once('.')?;
    let at = of(head)?;
    let DataType::Struct(inner) = fields[at].data_type() else { return None };
    let mut path = find(inner, rest)?;
    path.insert(0, at);
    Some(path)
}

/// The message for a table in which two columns have a name that is used.
pub(crate) fn two_columns(name: &str) -> String {
    format!("has two columns `{name}`; rename one of them")
}

/// The name that two fields or columns have on the way to a field of this name.
pub(crate) fn repeated<'n>(fields: &Fields, name: &'n str) -> Option<&'n str> {
    let count = |name: &str| fields.iter().filter(|field| field.name() == name).count();
    if count(name) > 0 {
        return (count(name) > 1).then_some(name);
    }
    let (head, rest) = name.split_once('.')?;
    if count(head) > 1 {
        return Some(head);
    }
    let DataType::Struct(inner) = fields.find(head)?.1.data_type() else { return None };
    repeated(inner, rest)
}

/// The field at a position.
pub(crate) fn field<'f>(fields: &'f Fields, path: &[usize]) -> Option<&'f Field> {
    let (&at, rest) = path.split_first()?;
    let field = fields.get(at)?;
    match (rest, field.data_type()) {
        ([], _) => Some(field),
        (rest, DataType::Struct(inner)) => self::field(inner, rest),
        _ => None,
    }
}

/// The values at a position; those of null structs are null.
pub(crate) fn column(batch: &RecordBatch, path: &[usize]) -> Option<ArrayRef> {
    let (&at, rest) = path.split_first()?;
    inside(batch.columns().get(at)?, rest)
}

/// The values at a position in structs; those of null structs are null.
pub(crate) fn inside(structs: &ArrayRef, path: &[usize]) -> Option<ArrayRef> {
    let mut column = Arc::clone(structs);
    for &at in path {
        let outer = column.as_struct_opt()?;
        let mut inner = Arc::clone(outer.columns().get(at)?);
        if let Some(valid) = outer.nulls().filter(|valid| valid.null_count() > 0) {
            inner = nullif(&inner, &BooleanArray::new(!valid.inner(), None)).ok()?;
        }
        column = inner;
    }
    Some(column)
}

/// The names of all fields that are no structs, with the names of the structs that they are in.
pub(crate) fn names(fields: &Fields) -> Vec<String> {
    let mut names = Vec::new();
    for field in fields {
        match field.data_type() {
            DataType::Struct(inner) if !inner.is_empty() => {
                names.extend(self::names(inner).iter().map(|n| format!("{}.{n}", field.name())));
            }
            _ => names.push(field.name().clone()),
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::{Int64Array, StringArray, StructArray};
    use arrow_buffer::NullBuffer;
    use arrow_schema::Schema;

    /// The columns `a` (a struct of `b`, a struct of `c`, and of `b.c`) and `x.y`.
    fn batch() -> RecordBatch {
        let text = |values: [Option<&str>; 3]| Arc::new(StringArray::from(values.to_vec()));
        let texts = || Field::new("c", DataType::Utf8, true);
        let inner = StructArray::new(
            Fields::from(vec![texts()]),
            vec![text([Some("0"), Some("1"), None])],
            Some(NullBuffer::from(vec![true, false, true])),
        );
        let inner_field = Field::new("b", inner.data_type().clone(), true);
        let number = Field::new("n", DataType::Int64, true);
        let outer = StructArray::new(
            Fields::from(vec![inner_field, number]),
            vec![Arc::new(inner), Arc::new(Int64Array::from(vec![7, 8, 9]))],
            Some(NullBuffer::from(vec![true, true, false])),
        );
        let fields = vec![
            Field::new("a", outer.data_type().clone(), true),
            Field::new("x.y", DataType::Utf8, true),
        ];
        let columns: Vec<ArrayRef> = vec![Arc::new(outer), text([Some("p"), Some("q"), Some("r")])];
        RecordBatch::try_new(Arc::new(Schema::new(fields)), columns).unwrap()
    }

    #[test]
    fn paths_lead_through_structs_and_whole_names_win() {
        let batch = batch();
        let schema = batch.schema();
        assert_eq!(names(schema.fields()), ["a.b.c", "a.n", "x.y"]);
        let find = |name: &str| find(schema.fields(), name);
        assert_eq!(find("a.b.c"), Some(vec![0, 0, 0]));
        assert_eq!(find("x.y"), Some(vec![1]));
        assert_eq!(find("a"), Some(vec![0]));
        for missing in ["x", "x.z", "a.b.c.d", "a.", ".a", "n", ""] {
            assert_eq!(find(missing), None, "{missing}");
        }
    }

    #[test]
    fn values_in_null_structs_are_null_also_in_slices() {
        let batch = batch();
        for start in 0..3 {
            let slice = batch.slice(start, 3 - start);
            let texts = column(&slice, &[0, 0, 0]).unwrap();
            let texts: Vec<Option<&str>> = texts.as_string::<i32>().iter().collect();
            assert_eq!(texts, [Some("0"), None, None][start..]);
            let numbers = column(&slice, &[0, 1]).unwrap();
            let numbers: Vec<Option<i64>> =
                numbers.as_primitive::<arrow_array::types::Int64Type>().iter().collect();
            assert_eq!(numbers, [Some(7), Some(8), None][start..]);
        }
    }
}
