//! The rule of a filter, kept in its index, so that verdicts and reports need not repeat it.

use super::super::edit::IndexWriter;
use super::super::open::{Analysis, Index};
use super::super::query::Wanted;
use super::options::{CompleteRule, MatchRule, Way};
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
    /// What is asked about a message, as [`Wanted`] is written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ask: Option<String>,
    /// What the measure has to reach.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threshold: Option<String>,
    /// See [`MatchRule::min_words`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_words: Option<u32>,
    /// See [`FilterOptions::reports`](super::FilterOptions::reports).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reports: Option<u32>,
}

impl FilterRule {
    /// Reads the rule of an index.
    pub(super) fn read(records: &Records) -> Result<Self, LookalikeError> {
        let Some(value) = records.get(RULES, KEY)? else { return Ok(Self::default()) };
        serde_json::from_slice(&value).map_err(|error| {
            let what = format!("the rule of the filter: {error}");
            IndexError::Damaged { path: "store.redb".into(), what }.into()
        })
    }

    /// Whether nothing was set.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The rule of a call that gives some of it. The threshold of another question does not count.
    pub(super) fn completed(&self, given: &MatchRule) -> CompleteRule {
        let stored: Option<Wanted> = self.ask.as_ref().map(|ask| {
            let Ok(ask) = ask.parse();
            ask
        });
        let is_same = given.ask.is_none() || given.ask == stored;
        let threshold = self.threshold.clone().filter(|_| is_same);
        CompleteRule {
            ask: given.ask.clone().or(stored).unwrap_or(Wanted::Resembles),
            threshold: given.threshold.clone().or(threshold),
            min_words: given.min_words.or(self.min_words).unwrap_or(MatchRule::MIN_WORDS),
        }
    }

    /// The rule with what another one sets. Another question has its usual threshold unless that is given.
    #[must_use]
    fn with(self, change: &Self) -> Self {
        let is_same = change.ask.is_none() || change.ask == self.ask;
        let threshold = self.threshold.filter(|_| is_same);
        Self {
            ask: change.ask.clone().or(self.ask),
            threshold: change.threshold.clone().or(threshold),
            min_words: change.min_words.or(self.min_words),
            reports: change.reports.or(self.reports),
        }
    }

    /// # Errors
    /// What an index cannot have.
    fn check(&self, analysis: &Analysis) -> Result<(), LookalikeError> {
        check_reports(self.reports)?;
        Way::new(&self.completed(&MatchRule::default()), analysis).map(drop)
    }
}

/// # Errors
/// No report would be needed.
pub(super) fn check_reports(reports: Option<u32>) -> Result<(), LookalikeError> {
    match reports {
        Some(0) => Err(LookalikeError::Settings("the setting reports is at least 1".into())),
        _ => Ok(()),
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

impl IndexWriter {
    /// Changes the rule of a filter that is kept in the index, durably: what `change` leaves open stays as it is.
    ///
    /// # Errors
    /// A rule that the index cannot have, files that cannot be written.
    pub fn set_filter_rule(&mut self, change: &FilterRule) -> Result<FilterRule, LookalikeError> {
        let rule = FilterRule::read(&self.writer.records()?)?.with(change);
        rule.check(&self.analysis)?;
        self.writer.put(RULES, KEY, Some(&serde_json::to_vec(&rule)?));
        self.commit()?;
        Ok(rule)
    }
}
