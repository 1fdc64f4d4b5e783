//! Columns of text, whatever their physical type.

use std::str::Utf8Error;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, ArrayRef, Int64Array, LargeBinaryArray, StringArray};
use arrow_schema::{DataType, Field};

/// Whether values of this type are texts, or bytes that may be texts.
pub(crate) fn is_text(kind: &DataType) -> bool {
    match kind {
        DataType::Dictionary(_, values) => is_text(values),
        DataType::FixedSizeBinary(_) => true,
        kind => kind.is_string() || kind.is_binary(),
    }
}

/// Whether values of this type are numbers.
pub(crate) fn is_number(kind: &DataType) -> bool {
    match kind {
        DataType::Dictionary(_, values) => is_number(values),
        kind => kind.is_numeric(),
    }
}

/// A column of text. Values of a dictionary are not repeated: a row of a small file can name a large
/// one many times.
pub(crate) struct Texts {
    values: ArrayRef,
    /// For each row the place of its value; `None`: the rows are the values.
    keys: Option<Int64Array>,
}

impl Texts {
    /// The column, with numbers and times formatted as text; `None` for other types.
    pub(crate) fn of(array: &ArrayRef) -> Option<Self> {
        if let Some(dictionary) = array.as_any_dictionary_opt() {
            let Self { values, keys: None } = Self::of(dictionary.values())? else { return None };
            let keys = arrow_cast::cast(dictionary.keys(), &DataType::Int64).ok()?;
            return Some(Self { values, keys: Some(keys.as_primitive::<Int64Type>().clone()) });
        }
        let kind = array.data_type();
        let values = match kind {
            kind if is_text(kind) => Arc::clone(array),
            kind if is_number(kind) || kind.is_temporal() => {
                arrow_cast::cast(array, &DataType::Utf8).ok()?
            }
            _ => return None,
        };
        Some(Self { values, keys: None })
    }

    /// The text in a row, or bytes that may be none.
    pub(crate) fn bytes(&self, row: usize) -> Option<&[u8]> {
        let row = match &self.keys {
            None => row,
            Some(keys) if keys.is_null(row) => return None,
            // Keys of a damaged file may be anything; the caller expects a panic.
            Some(keys) => usize::try_from(keys.value(row)).unwrap_or(usize::MAX),
        };
        let array = &self.values;
        if array.is_null(row) {
            return None;
        }
        Some(match array.data_type() {
            DataType::Utf8 => array.as_string::<i32>().value(row).as_bytes(),
            DataType::LargeUtf8 => array.as_string::<i64>().value(row).as_bytes(),
            DataType::Utf8View => array.as_string_view().value(row).as_bytes(),
            DataType::Binary => array.as_binary::<i32>().value(row),
            DataType::LargeBinary => array.as_binary::<i64>().value(row),
            DataType::BinaryView => array.as_binary_view().value(row),
            DataType::FixedSizeBinary(_) => array.as_fixed_size_binary().value(row),
            _ => return None,
        })
    }

    pub(crate) fn get(&self, row: usize) -> Result<Option<&str>, Utf8Error> {
        self.bytes(row).map(std::str::from_utf8).transpose()
    }
}

impl From<StringArray> for Texts {
    fn from(texts: StringArray) -> Self {
        Self { values: Arc::new(texts), keys: None }
    }
}

impl From<LargeBinaryArray> for Texts {
    fn from(texts: LargeBinaryArray) -> Self {
        Self { values: Arc::new(texts), keys: None }
    }
}

/// Whether the values of a field are UUIDs: the logical type `UUID` of Parquet, `arrow.uuid` of Arrow.
pub(crate) fn is_uuid(field: &Field) -> bool {
    *field.data_type() == DataType::FixedSizeBinary(16)
        && field.extension_type_name() == Some("arrow.uuid")
}

/// UUIDs in their usual form, `123e4567-e89b-12d3-a456-426614174000`.
pub(crate) fn uuids(array: &ArrayRef) -> Option<StringArray> {
    let uuids = array.as_fixed_size_binary_opt()?;
    let text = |bytes: &[u8]| {
        let mut text = hex(bytes);
        for at in [20, 16, 12, 8] {
            text.insert(at, '-');
        }
        text
    };
    Some(uuids.iter().map(|uuid| uuid.map(text)).collect())
}

/// Bytes as hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digits =
        |byte: &u8| [byte >> 4, byte & 15].map(|digit| char::from(DIGITS[usize::from(digit)]));
    bytes.iter().flat_map(digits).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::{DictionaryArray, FixedSizeBinaryArray, Int8Array};

    #[test]
    fn a_dictionary_has_the_texts_of_its_values_and_repeats_none() {
        let values: ArrayRef = Arc::new(StringArray::from(vec![Some("x".repeat(1 << 20)), None]));
        let keys =
            Int8Array::from_iter((0..2000).map(|row| (row % 3 < 2).then_some((row % 3) as i8)));
        let array: ArrayRef = Arc::new(DictionaryArray::new(keys, values));
        let texts = Texts::of(&array.slice(3, 1500)).unwrap();
        let lengths: Vec<_> = (0..3).map(|row| texts.bytes(row).map(<[u8]>::len)).collect();
        assert_eq!(lengths, [Some(1 << 20), None, None]);
        assert!(texts.values.get_array_memory_size() < 2 << 20);
        let numbers: ArrayRef = Arc::new(DictionaryArray::new(
            Int8Array::from(vec![1, 0, 1]),
            Arc::new(arrow_array::Int64Array::from(vec![7, 20_050_901_123_456])),
        ));
        let texts = Texts::of(&numbers).unwrap();
        assert_eq!(texts.get(0), Ok(Some("20050901123456")));
        assert_eq!(texts.get(1), Ok(Some("7")));
    }

    #[test]
    fn uuids_are_written_in_groups() {
        let bytes: Vec<u8> = (0..16).map(|byte| byte * 17).collect();
        let array: ArrayRef = Arc::new(
            FixedSizeBinaryArray::try_from_sparse_iter_with_size(
                [Some(bytes.clone()), None].into_iter(),
                16,
            )
            .unwrap(),
        );
        let texts = uuids(&array).unwrap();
        assert_eq!(texts.value(0), "00112233-4455-6677-8899-aabbccddeeff");
        assert!(texts.is_null(1));
        assert_eq!(hex(&bytes[14..]), "eeff");
    }
}
