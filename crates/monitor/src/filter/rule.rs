//! The rule of a filter that is kept in its index, completed by what a call gives.

use super::options::{CompleteRule, MatchRule, Way};
use lookalike_run::LookalikeError;
use lookalike_run::index::{FilterRule, IndexWriter, Wanted};

/// The rule of a call that gives some of it. The threshold of another question does not count.
pub(super) fn completed(rule: &FilterRule, given: &MatchRule) -> CompleteRule {
    let stored: Option<Wanted> = rule.ask.as_ref().map(|ask| {
        let Ok(ask) = ask.parse();
        ask
    });
    let is_same = given.ask.is_none() || given.ask == stored;
    let threshold = rule.threshold.clone().filter(|_| is_same);
    CompleteRule {
        ask: given.ask.clone().or(stored).unwrap_or(Wanted::Resembles),
        threshold: given.threshold.clone().or(threshold),
        min_words: given.min_words.or(rule.min_words).unwrap_or(MatchRule::MIN_WORDS),
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

/// Changes the rule of a filter that is kept in an index, durably: what `change` leaves open stays as it is.
///
/// # Errors
/// A rule that the index cannot have, files that cannot be written.
pub fn set_filter_rule(
    index: &mut IndexWriter,
    change: &FilterRule,
) -> Result<FilterRule, LookalikeError> {
    let rule = FilterRule::read(&index.writer.records()?)?.with(change);
    check_reports(rule.reports)?;
    Way::new(&completed(&rule, &MatchRule::default()), &index.analysis)?;
    rule.write(index)?;
    Ok(rule)
}
