//! The rule of a filter of messages, kept in its index, so that verdicts and reports need not repeat it.

use super::edit::IndexWriter;
use super::open::Index;
use crate::LookalikeError;
use lookalike_index::{IndexError, Records};
use serde::{Deserialize, Serialize};

/// `rule` → [`FilterRule`] as JSON.
const RULES: u8 = 4;
const KEY: &[u8] = b"rule";

/// The rule by which the prototypes of an index are used, as far as it was set; what a call gives takes precedence.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FilterRule {
    /// What is asked about a message, as [`Wanted`](super::Wanted) is written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ask: Option<String>,
    /// What the measure has to reach.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threshold: Option<String>,
    /// A message or prototype with fewer words matches only one with the same words and title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_words: Option<u32>,
    /// How many different reporters have to call a prototype spam.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reports: Option<u32>,
}

impl FilterRule {
    /// Reads the rule of an index.
    ///
    /// # Errors
    /// Files that cannot be read.
    pub fn read(records: &Records) -> Result<Self, LookalikeError> {
        let Some(value) = records.get(RULES, KEY)? else { return Ok(Self::default()) };
        serde_json::from_slice(&value).map_err(|error| {
            let what = format!("the rule of the filter: {error}");
            IndexError::Damaged { path: "store.redb".into(), what }.into()
        })
    }

    /// Keeps the rule in an index, durably.
    ///
    /// # Errors
    /// Files that cannot be written.
    pub fn write(&self, index: &mut IndexWriter) -> Result<(), LookalikeError> {
        index.writer.put(RULES, KEY, Some(&serde_json::to_vec(self)?));
        index.commit().map(drop)
    }

    /// The rule with what another one sets. Another question has its usual threshold unless that is given.
    #[must_use]
    pub fn with(self, change: &Self) -> Self {
        let is_same = change.ask.is_none() || change.ask == self.ask;
        let threshold = self.threshold.filter(|_| is_same);
        Self {
            ask: change.ask.clone().or(self.ask),
            threshold: change.threshold.clone().or(threshold),
            min_words: change.min_words.or(self.min_words),
            reports: change.reports.or(self.reports),
        }
    }

    /// Whether nothing was set.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl Index {
    /// The rule of a filter that is kept in the index.
    ///
    /// # Errors
    /// Files that cannot be read.
    pub fn filter_rule(&self) -> Result<FilterRule, LookalikeError> {
        FilterRule::read(&self.reader.records()?)
    }
}
