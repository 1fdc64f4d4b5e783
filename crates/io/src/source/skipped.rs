//! Counts of skipped records: records of an input that are no documents.

use std::collections::BTreeMap;

/// Skipped records, counted by kind (`request`, `response 404`, `response image/png`).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SkippedRecords(BTreeMap<String, u64>);

impl SkippedRecords {
    /// Most kinds that are told apart: they come from the inputs.
    pub const KINDS: usize = 1000;
    /// The kind of those after them.
    const OTHERS: &str = "others";

    /// Counts some records of one kind.
    pub fn add(&mut self, kind: &str, records: u64) {
        let full = self.0.len() >= Self::KINDS && !self.0.contains_key(kind);
        let kind = if full { Self::OTHERS } else { kind };
        match self.0.get_mut(kind) {
            Some(count) => *count += records,
            None => {
                self.0.insert(kind.to_owned(), records);
            }
        }
    }

    /// Counts the records of another part. The same in any division into parts that are added in
    /// order, as long as there are few kinds.
    pub fn append(&mut self, other: &Self) {
        other.iter().for_each(|(kind, records)| self.add(kind, records));
    }

    /// The kinds in alphabetical order, with their numbers of records.
    pub fn iter(&self) -> impl Iterator<Item = (&str, u64)> {
        self.0.iter().map(|(kind, records)| (kind.as_str(), *records))
    }

    /// Whether no record was skipped.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_counted_up_to_a_bound() {
        let mut skipped = SkippedRecords::default();
        for number in 0..SkippedRecords::KINDS + 5 {
            skipped.add(&format!("k{number:05}"), 2);
        }
        let mut twice = skipped.clone();
        twice.append(&skipped);
        assert_eq!(skipped.iter().last(), Some(("others", 10)));
        assert_eq!(twice.iter().map(|(_, count)| count).sum::<u64>(), 4 * 1005);
        assert_eq!(twice.iter().next(), Some(("k00000", 4)));
    }
}
