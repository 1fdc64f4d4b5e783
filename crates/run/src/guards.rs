//! Guards: limits of what a run may remove, checked before it writes anything.
//!
//! A wrong setting (a field that holds the same notice in each record, shingles of characters where
//! words were meant, a template of a site) shows as an implausible loss or as one giant cluster. A
//! run that stops there costs a minute; a collection that was cut to 3 % and trained on costs more.

use crate::analysis::Analysis;
use crate::decisions::Clusters;
use crate::{Job, LookalikeError};
use lookalike_core::Threshold;
use std::fmt;
use std::str::FromStr;

/// The loss at which a run stops if the job names none: more than 98 % of more than
/// [`DEFAULT_DOCUMENTS`].
const DEFAULT_LOSS: &str = "98%";

/// The fewest documents for which [`DEFAULT_LOSS`] is a limit, less one.
const DEFAULT_DOCUMENTS: u64 = 1000;

/// The fewest documents of an input whose own loss is limited: of a file with two documents, one
/// duplicate is half.
const INPUT_DOCUMENTS: u64 = 100;

/// What an input has, and what of it goes: documents, or units of their texts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct InputLoss {
    pub(crate) documents: u64,
    pub(crate) gone: u64,
    pub(crate) all: u64,
}

/// A share of documents or words, as written: `30%` or `0.3`. Compared in integers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LossLimit {
    written: String,
    /// `None` for 0, which is no threshold.
    share: Option<Threshold>,
}

/// A number of documents, or a share of them: `5000` or `2%`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClusterLimit {
    /// Number of documents.
    Documents(u64),
    /// Share of all documents.
    Share(LossLimit),
}

impl FromStr for LossLimit {
    type Err = LookalikeError;

    fn from_str(written: &str) -> Result<Self, Self::Err> {
        let text = written.trim();
        let wrong = || {
            LookalikeError::Settings(format!(
                "`{written}` is not a share; use a percentage such as 30%, from 0% to 100%"
            ))
        };
        let digits = text.strip_suffix('%').unwrap_or(text).trim_end();
        let is_zero = digits.starts_with('0') && digits.bytes().all(|b| matches!(b, b'0' | b'.'));
        if is_zero && digits.matches('.').count() <= 1 {
            return Ok(Self { written: text.to_owned(), share: None });
        }
        let share = match text.strip_suffix('%') {
            None => text.parse(),
            // A threshold is a decimal above 0 and at most 1: the point moves by two places.
            Some(number) => {
                let number = number.trim_end();
                let (whole, rest) = number.split_once('.').unwrap_or((number, ""));
                if whole.is_empty()
                    || !whole.bytes().chain(rest.bytes()).all(|b| b.is_ascii_digit())
                {
                    return Err(wrong());
                }
                let whole = format!("{whole:0>3}");
                let (units, hundredths) = whole.split_at(whole.len() - 2);
                format!("{units}.{hundredths}{rest}").parse()
            }
        };
        let share = share.map_err(|_| wrong())?;
        Ok(Self { written: text.to_owned(), share: Some(share) })
    }
}

impl LossLimit {
    /// Whether `part` of `all` documents is more than the limit.
    #[must_use]
    pub fn is_exceeded(&self, part: u64, all: u64) -> bool {
        let wide = u128::from;
        self.share.as_ref().map_or(part > 0, |share| {
            wide(part) * wide(share.denominator()) > wide(share.numerator()) * wide(all)
        })
    }

    /// The first input of [`INPUT_DOCUMENTS`] or more of which more than the limit goes, and its number.
    pub(crate) fn exceeding(
        &self,
        inputs: impl IntoIterator<Item = InputLoss>,
    ) -> Option<(usize, InputLoss)> {
        let is_over =
            |of: &InputLoss| of.documents >= INPUT_DOCUMENTS && self.is_exceeded(of.gone, of.all);
        inputs.into_iter().enumerate().find(|(_, of)| is_over(of))
    }
}

impl fmt::Display for LossLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.written)
    }
}

impl FromStr for ClusterLimit {
    type Err = LookalikeError;

    fn from_str(written: &str) -> Result<Self, Self::Err> {
        let text = written.trim();
        let limit = match text.ends_with('%') {
            true => {
                let share: LossLimit = text.parse()?;
                share.share.is_some().then_some(Self::Share(share))
            }
            false => text.parse().ok().filter(|&documents| documents > 0).map(Self::Documents),
        };
        limit.ok_or_else(|| {
            LookalikeError::Settings(format!(
                "`{written}` is not a size of a cluster; use a number of documents such as 5000, or a \
                 share of all documents such as 2%"
            ))
        })
    }
}

impl ClusterLimit {
    /// Whether a cluster of `size` documents is larger than the limit, of `all` documents.
    #[must_use]
    pub fn is_exceeded(&self, size: u64, all: u64) -> bool {
        match self {
            Self::Documents(most) => size > *most,
            Self::Share(share) => share.is_exceeded(size, all),
        }
    }
}

impl fmt::Display for ClusterLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Documents(most) => most.fmt(f),
            Self::Share(share) => share.fmt(f),
        }
    }
}

/// The limit of a setting.
fn limit<L: FromStr<Err = LookalikeError>>(
    setting: &str,
    written: Option<&str>,
) -> Result<Option<L>, LookalikeError> {
    let wrong = |error| LookalikeError::Settings(format!("the setting {setting}: {error}"));
    written.map(|written| written.parse().map_err(wrong)).transpose()
}

/// The guards of a job.
#[derive(Debug)]
pub(crate) struct Guards {
    loss: Option<LossLimit>,
    cluster: Option<ClusterLimit>,
}

impl Guards {
    /// Those of a job that removes documents, or marks them.
    ///
    /// # Errors
    /// Limits that make no sense.
    pub(crate) fn of(job: &Job) -> Result<Self, LookalikeError> {
        let loss = limit("max_loss", job.max_loss.as_deref())?;
        let cluster = limit("max_cluster", job.max_cluster.as_deref())?;
        Ok(Self { loss, cluster })
    }

    /// Stops a run that would remove more than it may, or that has a larger cluster. `removes`:
    /// whether it removes documents; only limits that the job names apply to one that does not.
    ///
    /// # Errors
    /// The first guard that is exceeded; names on disk that cannot be read.
    pub(crate) fn check(
        &self,
        analysis: &Analysis,
        clusters: &Clusters,
        removes: bool,
    ) -> Result<(), LookalikeError> {
        let collection = &analysis.collection;
        let own_files = collection.first_protected_file as usize;
        let mut files = vec![(0u64, 0u64); own_files];
        for (documents, bounds) in files.iter_mut().zip(collection.file_starts.windows(2)) {
            documents.1 = u64::from(bounds[1] - bounds[0]);
        }
        let all: u64 = files.iter().map(|(_, documents)| documents).sum();
        if let Some(most) = &self.cluster {
            let largest = (0..)
                .zip(clusters.sizes())
                .max_by_key(|&(at, &size)| (size, std::cmp::Reverse::<usize>(at)));
            if let Some((at, &size)) = largest
                && most.is_exceeded(size.into(), all)
            {
                let leader = clusters.in_order()[at];
                let (file, record) = collection.place(leader)?;
                let id = collection.name(leader)?.into_owned();
                return Err(LookalikeError::Guard(format!(
                    "a cluster has {size} of {all} documents, more than the setting max_cluster={most}: its \
                     leader is `{id}` ({file}:{record}). {ADVICE} Or raise the setting max_cluster"
                )));
            }
        }
        let default = (removes && all > DEFAULT_DOCUMENTS)
            .then(|| DEFAULT_LOSS.parse::<LossLimit>())
            .transpose()?;
        let Some(most) = self.loss.as_ref().or(default.as_ref()) else { return Ok(()) };
        analysis.for_each_removed(|document, _| files[collection.file(document) as usize].0 += 1);
        let removed: u64 = files.iter().map(|(removed, _)| removed).sum();
        if most.is_exceeded(removed, all) {
            return Err(LookalikeError::Guard(format!(
                "{removed} of {all} documents ({}) would be removed, more than {}. {ADVICE} Or raise the \
                 setting max_loss (100% for no limit)",
                percentage(removed, all),
                named(self.loss.as_ref())
            )));
        }
        // The default is a limit of the whole collection: an input may well be a copy of another.
        let Some(most) = &self.loss else { return Ok(()) };
        let losses = files.iter().map(|&(gone, all)| InputLoss { documents: all, gone, all });
        match most.exceeding(losses) {
            None => Ok(()),
            Some((file, InputLoss { gone, all, .. })) => Err(LookalikeError::Guard(format!(
                "{gone} of {all} documents ({}) of {} would be removed, more than {}. \
                 {ADVICE} If its documents should be kept before those of other sources, say so with \
                 prefer() in the setting keep. Or raise the setting max_loss",
                percentage(gone, all),
                analysis.inputs.files[file].name,
                named(Some(most))
            ))),
        }
    }
}

/// How to look at what a guard found.
const ADVICE: &str = "Nothing was removed. Look at the clusters with the command cluster and the same settings \
    (then show and explain); if documents share a template, use the setting boilerplate or the setting ignore_common.";

fn named(limit: Option<&LossLimit>) -> String {
    match limit {
        Some(limit) => format!("the setting max_loss={limit}"),
        None => format!("{DEFAULT_LOSS}, the limit for more than {DEFAULT_DOCUMENTS} documents"),
    }
}

fn percentage(part: u64, all: u64) -> String {
    format!("{:.1} %", 100.0 * part as f64 / all.max(1) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_exact() {
        let limit = |text: &str| text.parse::<LossLimit>().unwrap();
        for text in ["30%", "0.3", "30.0 %", "030%"] {
            assert!(!limit(text).is_exceeded(3, 10) && limit(text).is_exceeded(31, 100), "{text}");
        }
        assert!(limit("0.5%").is_exceeded(6, 1000) && !limit("0.5%").is_exceeded(5, 1000));
        assert!(!limit("100%").is_exceeded(u64::MAX, u64::MAX));
        for text in ["0", "0%", "0.0", "00.00 %"] {
            assert!(
                limit(text).is_exceeded(1, u64::MAX) && !limit(text).is_exceeded(0, 9),
                "{text}"
            );
        }
        for text in ["", "%", ".", "0.0.0", "101%", "-3%", "30", "1e1%", "3 0%", "30%%", "a"] {
            assert!(text.parse::<LossLimit>().is_err(), "{text}");
        }
        assert_eq!(limit(" 30% ").to_string(), "30%");
    }

    #[test]
    fn clusters_are_limited_by_number_or_share() {
        let limit = |text: &str| text.parse::<ClusterLimit>().unwrap();
        assert!(limit("5").is_exceeded(6, 1) && !limit("5").is_exceeded(5, 1));
        assert!(limit("2%").is_exceeded(3, 100) && !limit("2%").is_exceeded(2, 100));
        for text in ["0", "-1", "0.5", "0%", "x"] {
            assert!(text.parse::<ClusterLimit>().is_err(), "{text}");
        }
    }
}
