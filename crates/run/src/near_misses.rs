//! Near misses: pairs whose measure is just below the threshold.
//!
//! They show what another threshold would change. They come from an exact join at a lower
//! threshold, so that none is missing, and are listed with the same counts as matches
//! (`near_miss_table`).

use crate::{Job, LookalikeError};
use lookalike_core::Threshold;
use lookalike_engine::{
    Approach, Collection, Edge, EngineError, Linkage, MatchOptions, MatchSettings, Progress, Units,
};

/// The pairs of distinct sets that reach the lower threshold, the matches among them.
#[derive(Debug)]
pub(crate) struct NearMisses {
    pub(crate) from: Threshold,
    pub(crate) edges: Vec<Edge>,
    /// Whether these are all; otherwise there are none.
    pub(crate) complete: bool,
}

/// The lower threshold of a job that asks for near misses.
///
/// # Errors
/// A distance that is no decimal above 0 and below the threshold; a method.
pub(crate) fn lower_threshold(job: &Job) -> Result<Option<Threshold>, LookalikeError> {
    let Some(written) = &job.near_misses else { return Ok(None) };
    let wrong = |reason: String| {
        LookalikeError::Settings(format!("the setting near_misses={written}: {reason}"))
    };
    if job.settings.method.is_some() {
        return Err(wrong(
            "near misses come from the exact join; leave out the setting method, or near_misses"
                .into(),
        ));
    }
    let distance: Threshold = written.parse().map_err(|error| wrong(format!("{error}")))?;
    let threshold: Threshold = job.settings.threshold.parse()?;
    // Thresholds have at most nine decimals, so these are whole numbers.
    let billionths = |value: Threshold| value.numerator() * 1_000_000_000 / value.denominator();
    match billionths(threshold).checked_sub(billionths(distance)) {
        None | Some(0) => Err(wrong(format!(
            "it is the distance below the setting threshold={}, and has to be smaller than that",
            job.settings.threshold
        ))),
        Some(from) => Ok(Some(format!("0.{from:09}").parse()?)),
    }
}

impl NearMisses {
    /// Joins the sets of a collection at the threshold `from`.
    ///
    /// # Errors
    /// Those of a join.
    pub(crate) fn find(
        from: Threshold,
        collection: &Collection,
        units: &Units,
        settings: &MatchSettings,
        options: &MatchOptions,
        max_pairs: u64,
        progress: &dyn Progress,
    ) -> Result<Self, EngineError> {
        let settings = MatchSettings { threshold: from, ..settings.clone() };
        let found = all_pairs(collection, units, settings, options, max_pairs, progress)?;
        Ok(Self { from, complete: found.is_some(), edges: found.unwrap_or_default() })
    }
}

/// All pairs of sets that reach the threshold, also where boilerplate was removed from the sets and the
/// complete ones do not match, and whatever may be removed; `None` if they are of more than `max_pairs`
/// pairs of documents.
///
/// # Errors
/// As [`lookalike_engine::find`].
pub(crate) fn all_pairs(
    collection: &Collection,
    units: &Units,
    settings: MatchSettings,
    options: &MatchOptions,
    max_pairs: u64,
    progress: &dyn Progress,
) -> Result<Option<Vec<Edge>>, EngineError> {
    let settings = MatchSettings { boilerplate: None, ..settings };
    let options = MatchOptions {
        linkage: Linkage::Components,
        list_pairs: Some(max_pairs),
        contained: None,
        loss: None,
        templates: None,
        only_protected: false,
        ..options.clone()
    };
    let approach = Approach::default();
    let found =
        lookalike_engine::find(collection, units, &settings, &approach, &options, progress)?;
    Ok(found.pairs.complete.then_some(found.pairs.edges))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lower_threshold_is_exact() {
        let lower = |threshold: &str, distance: &str| {
            let mut job = Job::new(Vec::new(), "");
            job.settings.threshold = threshold.into();
            job.near_misses = Some(distance.into());
            lower_threshold(&job).map(Option::unwrap)
        };
        assert_eq!(lower("0.8", "0.05").unwrap(), "0.75".parse().unwrap());
        assert_eq!(lower("1", "0.000000001").unwrap(), "0.999999999".parse().unwrap());
        assert_eq!(lower("0.123456789", "0.1").unwrap(), "0.023456789".parse().unwrap());
        for (threshold, distance) in [("0.8", "0.8"), ("0.8", "0.9"), ("0.8", "0"), ("0.8", "x")] {
            assert!(lower(threshold, distance).is_err(), "{distance}");
        }
    }
}
