//! Matches between documents of different values: splits, sources, inputs.

use crate::human::{count, counted, share};
use serde::{Deserialize, Serialize};

/// Matches by pair of values of a run that compares documents across values.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AcrossSummary {
    /// The field, or `inputs`.
    pub by: String,
    /// What is counted.
    pub counted: CountedBy,
    /// Values by descending number of documents. If [`AcrossSummary::others`] is not 0, the last entry is the sum
    /// of all values that are not listed.
    pub values: Vec<AcrossValue>,
    /// Number of values that the last of the list stands for; 0 if it is one itself.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub others: u64,
    /// The pairs of values with any match, in the order of the values.
    pub pairs: Vec<AcrossPair>,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// What the numbers of pairs of values count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CountedBy {
    /// All matching pairs of documents, and the documents in them.
    #[default]
    Matches,
    /// Removed documents, by the value of their witness.
    Removals,
    /// Nothing: the list of pairs is incomplete.
    Nothing,
}

/// A value.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AcrossValue {
    /// The value; of a list its elements; empty for documents without one.
    pub value: String,
    /// Its documents.
    pub documents: u64,
}

/// How many documents of one value match those of another.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AcrossPair {
    /// Index of the value.
    pub of: usize,
    /// Index of the other value; the same for the other values together.
    pub with: usize,
    /// Documents of the value that match one of the other, or were removed with a witness of it.
    pub documents: u64,
    /// Share of the documents of the value, in millionths.
    pub millionths: u64,
    /// Matching pairs of documents of the two values; in both directions the same. `None` where removals
    /// are counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pairs: Option<u64>,
}

/// Pairs of values in the table on the terminal.
const SHOWN: usize = 12;

/// Longest name of a value in bytes there.
const NAME: usize = 40;

impl AcrossSummary {
    /// The name of a value, as it is shown.
    #[must_use]
    pub fn name(&self, value: usize) -> String {
        let is_last = value + 1 == self.values.len();
        match self.values.get(value) {
            _ if self.others > 0 && is_last => counted(self.others, "other value"),
            None => String::new(),
            Some(found) if found.value.is_empty() => "no value".to_owned(),
            Some(found) => found.value.clone(),
        }
    }

    /// What the numbers are, in a few words.
    #[must_use]
    pub fn meaning(&self) -> &'static str {
        match self.counted {
            CountedBy::Matches => "documents with a match of another value",
            CountedBy::Removals => "removed documents by the value of the kept one",
            CountedBy::Nothing => {
                "not counted: the list of pairs is incomplete (the setting max_pairs)"
            }
        }
    }

    /// Rows of the summary table: those with the most documents.
    pub(crate) fn rows(&self) -> Vec<(String, String)> {
        let shown = |value| crate::clean::line(&self.name(value), NAME);
        let title = format!("across {}", crate::clean::line(&self.by, NAME));
        let mut rows = vec![(title, self.meaning().to_owned())];
        let mut pairs: Vec<&AcrossPair> = self.pairs.iter().collect();
        pairs.sort_by_key(|pair| (std::cmp::Reverse(pair.documents), pair.of, pair.with));
        for pair in pairs.iter().take(SHOWN) {
            let all = self.values.get(pair.of).map_or(0, |value| value.documents);
            let number = format!("{} of {}", count(pair.documents), count(all));
            let listed = pair.pairs.map(|pairs| format!(", {}", counted(pairs, "pair")));
            rows.push((
                format!("  {} in {}", shown(pair.of), shown(pair.with)),
                format!("{number} ({}){}", share(pair.documents, all), listed.unwrap_or_default()),
            ));
        }
        if let Some(more) = pairs.len().checked_sub(SHOWN).filter(|&more| more > 0) {
            rows.push((
                "  …".to_owned(),
                format!("{} in summary.json", counted(more as u64, "more pair")),
            ));
        }
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_name_values_and_shares() {
        let value = |value: &str, documents| AcrossValue { value: value.into(), documents };
        let pair =
            |of, with, documents| AcrossPair { of, with, documents, millionths: 0, pairs: Some(7) };
        let found = AcrossSummary {
            by: "split".into(),
            values: vec![value("train", 900), value("", 100), value("", 5)],
            others: 3,
            pairs: vec![pair(0, 1, 9), pair(1, 0, 50), pair(2, 2, 1)],
            ..AcrossSummary::default()
        };
        let rows: Vec<String> = found.rows().iter().map(|(a, b)| format!("{a}: {b}")).collect();
        assert_eq!(
            rows,
            [
                "across split: documents with a match of another value",
                "  no value in train: 50 of 100 (50.0 %), 7 pairs",
                "  train in no value: 9 of 900 (1.0 %), 7 pairs",
                "  3 other values in 3 other values: 1 of 5 (20.0 %), 7 pairs",
            ]
        );
    }
}
