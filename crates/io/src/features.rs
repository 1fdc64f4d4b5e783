//! Ready-made feature sets.

use std::fmt::{self, Write};

/// The features of a document as its list has them, in order, with repetitions. A string is a feature
/// as it is; an integer is the feature of its decimal digits, so that 7 and "7" are the same feature
/// in every format.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FeatureList {
    text: String,
    /// End of each feature in `text`.
    ends: Vec<u64>,
}

impl FeatureList {
    /// Removes all features and keeps the memory.
    pub fn clear(&mut self) {
        self.text.clear();
        self.ends.clear();
    }

    /// Appends a feature.
    pub fn push(&mut self, feature: &str) {
        self.text.push_str(feature);
        self.ends.push(self.text.len() as u64);
    }

    /// The features.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, end)| &self.text[start as usize..*end as usize])
    }

    /// All features, concatenated, and the end of each: equal parts mean equal lists.
    #[must_use]
    pub fn parts(&self) -> (&str, &[u64]) {
        (&self.text, &self.ends)
    }

    /// Number of features, with repetitions.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Bytes of all features.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.text.len()
    }

    /// The list that [`Display`](fmt::Display) writes so.
    #[must_use]
    pub fn of_lines(lines: &str) -> Self {
        let mut list = Self::default();
        for line in lines.split_terminator('\n') {
            let mut characters = line.chars();
            while let Some(character) = characters.next() {
                list.text.push(match character {
                    '\\' if characters.next() == Some('n') => '\n',
                    other => other,
                });
            }
            list.ends.push(list.text.len() as u64);
        }
        list
    }

    /// Bytes of memory.
    pub(crate) fn capacity(&self) -> usize {
        self.text.capacity() + self.ends.capacity() * size_of::<u64>()
    }
}

/// One feature per line, to be shown; a line end in a feature is `\n`, and a backslash `\\`.
impl fmt::Display for FeatureList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for feature in self.iter() {
            for character in feature.chars() {
                match character {
                    '\n' => f.write_str("\\n")?,
                    '\\' => f.write_str("\\\\")?,
                    other => f.write_char(other)?,
                }
            }
            f.write_char('\n')?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_come_back_in_their_order() {
        let mut list = FeatureList::default();
        for round in 0..2 {
            for feature in ["7", "", "größer\\", "7\n\\n"] {
                list.push(feature);
            }
            let expected = ["7", "", "größer\\", "7\n\\n"];
            assert_eq!(list.iter().collect::<Vec<_>>(), expected, "{round}");
            assert_eq!((list.len(), list.bytes()), (4, 14));
            assert_eq!(list.to_string(), "7\n\ngrößer\\\\\n7\\n\\\\n\n");
            assert_eq!(FeatureList::of_lines(&list.to_string()), list);
            list.clear();
            assert!(list.is_empty());
        }
    }
}
