//! Values of the fields that a caller names besides those of every record.

/// Values of named fields, as text: of each field none, one, or as many as its list has.
///
/// Every value but null has a text, so that documents with different values never seem to have none:
/// numbers, true and false are as written, objects and lists in lists as JSON without white space
/// (structures of tables as Arrow displays them), bytes that are no text as ASCII with escapes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FieldTexts {
    text: String,
    /// The field and the end in `text` of each value.
    values: Vec<(u32, usize)>,
}

/// No values.
pub static NO_FIELDS: FieldTexts = FieldTexts { text: String::new(), values: Vec::new() };

impl FieldTexts {
    /// Removes all values and keeps the memory.
    pub fn clear(&mut self) {
        self.text.clear();
        self.values.clear();
    }

    /// Appends a value of a field, by its number in [`FieldNames::given`](crate::FieldNames::given);
    /// white space at its ends does not belong to it, and an empty text is no value.
    pub fn push(&mut self, field: usize, value: &str) {
        let value = value.trim();
        if !value.is_empty() {
            self.text.push_str(value);
            self.values.push((field as u32, self.text.len()));
        }
    }

    /// The values of a field.
    pub fn of(&self, field: usize) -> impl Iterator<Item = &str> {
        let starts = std::iter::once(0).chain(self.values.iter().map(|&(_, end)| end));
        let values = starts.zip(&self.values).filter(move |(_, (of, _))| *of as usize == field);
        values.map(|(start, (_, end))| &self.text[start..*end])
    }

    /// Bytes of memory.
    pub(crate) fn capacity(&self) -> usize {
        let values = self.values.capacity() * size_of::<(u32, usize)>();
        self.text.capacity() + values
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_back_by_field() {
        let mut texts = FieldTexts::default();
        for _ in 0..2 {
            for (field, value) in [(1, "a"), (0, " größer "), (1, ""), (1, "b c"), (2, "\t")] {
                texts.push(field, value);
            }
            ["x", "y"].iter().for_each(|value| texts.push(3, value));
            let of = |field| texts.of(field).collect::<Vec<_>>();
            assert_eq!((of(0), of(1)), (vec!["größer"], vec!["a", "b c"]));
            assert_eq!((of(2), of(3)), (vec![], vec!["x", "y"]));
            texts.clear();
            assert_eq!(texts.of(1).count() + NO_FIELDS.of(0).count(), 0);
        }
    }
}
