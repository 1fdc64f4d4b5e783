//! Columns of lists: strings that are joined to a text, ready-made features, and values of any kind.

use std::ops::Range;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, StringArray};
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use arrow_schema::DataType;

use super::texts::Texts;
use crate::FeatureList;

/// The type of a list's elements.
pub(crate) fn element(kind: &DataType) -> Option<&DataType> {
    match kind {
        DataType::List(inner) | DataType::LargeList(inner) | DataType::FixedSizeList(inner, _) => {
            Some(inner.data_type())
        }
        _ => None,
    }
}

/// Whether values of this type are features: strings and integers.
pub(crate) fn is_feature(kind: &DataType) -> bool {
    match kind {
        DataType::Dictionary(_, values) => is_feature(values),
        kind => kind.is_string() || kind.is_integer() || *kind == DataType::Null,
    }
}

/// A column of lists of strings, or of integers as their decimal digits.
pub(crate) struct Lists {
    lists: ArrayRef,
    elements: Texts,
}

impl Lists {
    /// The lists of a column; `None` if it has none of strings or integers.
    pub(crate) fn of(array: &ArrayRef) -> Option<Self> {
        if !element(array.data_type()).is_some_and(is_feature) {
            return None;
        }
        let elements = elements_of(array)?;
        let elements = match elements.data_type() {
            DataType::Null => displayed(elements)?.into(),
            _ => Texts::of(elements)?,
        };
        Some(Self { lists: ArrayRef::clone(array), elements })
    }

    /// The lists of a column with elements of any type as texts; `None` if it has no lists.
    pub(crate) fn displayed(array: &ArrayRef) -> Option<Self> {
        if let Some(lists) = Self::of(array) {
            return Some(lists);
        }
        let elements = displayed(elements_of(array)?)?.into();
        Some(Self { lists: ArrayRef::clone(array), elements })
    }

    /// The elements of a list, `None` for null ones; none at all if the list is null.
    pub(crate) fn elements(&self, row: usize) -> Option<impl Iterator<Item = Option<&str>>> {
        // Elements are strings, or what is displayed of other values.
        let value = |at| self.elements.get(at).ok().flatten();
        range(&self.lists, row).map(|range| range.map(value))
    }

    /// Bytes of the elements of a list.
    pub(crate) fn bytes(&self, row: usize) -> usize {
        let places = range(&self.lists, row).into_iter().flatten();
        places.filter_map(|at| self.elements.bytes(at)).map(<[u8]>::len).sum()
    }

    /// Reads a list of features; `None` if it is null.
    pub(crate) fn features(&self, row: usize, out: &mut FeatureList) -> Option<Result<(), &str>> {
        out.clear();
        for feature in self.elements(row)? {
            match feature {
                Some(feature) => out.push(feature),
                None => return Some(Err("holds a null")),
            }
        }
        Some(Ok(()))
    }

    /// The texts that the lists of strings are joined to; null elements are left out. A text longer than
    /// `limit` is cut off somewhere behind it.
    pub(crate) fn joined(&self, separator: &str, limit: usize) -> StringArray {
        let join = |row| {
            let mut text = String::new();
            for (at, element) in self.elements(row)?.flatten().enumerate() {
                text.push_str(if at == 0 { "" } else { separator });
                text.push_str(element);
                if text.len() > limit {
                    break;
                }
            }
            Some(text)
        };
        (0..self.lists.len()).map(join).collect()
    }
}

/// Where the elements of a list are; `None` if it is null.
pub(crate) fn range(lists: &ArrayRef, row: usize) -> Option<Range<usize>> {
    if lists.is_null(row) {
        return None;
    }
    Some(match lists.data_type() {
        DataType::List(_) => {
            let ends = lists.as_list::<i32>().value_offsets();
            ends[row] as usize..ends[row + 1] as usize
        }
        DataType::LargeList(_) => {
            let ends = lists.as_list::<i64>().value_offsets();
            ends[row] as usize..ends[row + 1] as usize
        }
        _ => {
            let lists = lists.as_fixed_size_list();
            let (start, length) = (lists.value_offset(row), lists.value_length());
            start as usize..(start + length) as usize
        }
    })
}

/// The elements of all lists of a column; `None` if it has no lists.
pub(crate) fn elements_of(array: &ArrayRef) -> Option<&ArrayRef> {
    Some(match array.data_type() {
        DataType::List(_) => array.as_list::<i32>().values(),
        DataType::LargeList(_) => array.as_list::<i64>().values(),
        DataType::FixedSizeList(..) => array.as_fixed_size_list().values(),
        _ => return None,
    })
}

/// Values of any type as texts, null ones as null; `None` for a type that Arrow cannot display.
pub(crate) fn displayed(array: &ArrayRef) -> Option<StringArray> {
    let options = FormatOptions::default();
    let formatter = ArrayFormatter::try_new(array.as_ref(), &options).ok()?;
    let text = |row| array.is_valid(row).then(|| formatter.value(row).try_to_string());
    (0..array.len()).map(|row| text(row).transpose()).collect::<Result<_, _>>().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::builder::{
        BooleanBuilder, FixedSizeListBuilder, Float64Builder, Int32Builder, LargeListBuilder,
        ListBuilder, StringBuilder,
    };
    use std::sync::Arc;

    fn read(array: ArrayRef) -> Vec<Option<Vec<String>>> {
        let lists = Lists::of(&array).unwrap();
        let mut list = FeatureList::default();
        let one = |row| {
            lists.features(row, &mut list).map(|read| match read {
                Ok(()) => list.iter().map(str::to_owned).collect(),
                Err(words) => vec![words.to_owned()],
            })
        };
        (0..array.len()).map(one).collect()
    }

    #[test]
    fn lists_of_each_kind_are_read_also_in_slices() {
        let strings =
            |list: &[&str]| Some(list.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>());
        let mut builder = ListBuilder::new(StringBuilder::new());
        builder.append_value([Some("a"), Some("b")]);
        builder.append_null();
        builder.append_value([Some(""), None]);
        builder.append_value(Vec::<Option<&str>>::new());
        let array: ArrayRef = Arc::new(builder.finish());
        let expected = [strings(&["a", "b"]), None, strings(&["holds a null"]), strings(&[])];
        assert_eq!(read(Arc::clone(&array)), expected);
        assert_eq!(read(array.slice(1, 3)), expected[1..]);
        let joined = Lists::of(&array).unwrap().joined("--", 100);
        let joined: Vec<Option<&str>> = joined.iter().collect();
        assert_eq!(joined, [Some("a--b"), None, Some(""), Some("")]);

        let mut builder = LargeListBuilder::new(Int32Builder::new());
        builder.append_value([Some(-7), Some(12)]);
        builder.append_value([Some(3)]);
        let array: ArrayRef = Arc::new(builder.finish());
        assert_eq!(read(array.slice(1, 1)), [strings(&["3"])]);
        assert_eq!(read(array), [strings(&["-7", "12"]), strings(&["3"])]);

        let mut builder = FixedSizeListBuilder::new(Int32Builder::new(), 2);
        for value in 0..6 {
            builder.values().append_value(value);
        }
        (0..3).for_each(|_| builder.append(true));
        let array: ArrayRef = Arc::new(builder.finish());
        assert_eq!(read(array.slice(1, 2)), [strings(&["2", "3"]), strings(&["4", "5"])]);
    }

    #[test]
    fn elements_of_any_type_have_texts() {
        let mut builder = ListBuilder::new(Float64Builder::new());
        builder.append_value([Some(1.5), None, Some(-2.0)]);
        builder.append_null();
        builder.append_value([None::<f64>; 1]);
        let array: ArrayRef = Arc::new(builder.finish());
        assert!(Lists::of(&array).is_none());
        let texts = |array: &ArrayRef, row| {
            let lists = Lists::displayed(array).unwrap();
            let elements = lists.elements(row).into_iter().flatten().flatten();
            elements.map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!([0, 1, 2].map(|row| texts(&array, row)), [vec!["1.5", "-2.0"], vec![], vec![]]);
        assert_eq!(texts(&array.slice(2, 1), 0), [""; 0]);

        let mut builder = ListBuilder::new(ListBuilder::new(BooleanBuilder::new()));
        builder.values().append_value([Some(true), None]);
        builder.append(true);
        let array: ArrayRef = Arc::new(builder.finish());
        assert_eq!(texts(&array, 0), ["[true, ]"]);
        assert_eq!(displayed(&array).unwrap().value(0), "[[true, ]]");
    }
}
