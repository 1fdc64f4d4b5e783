//! Near misses: pairs whose measure is just below the threshold.
//!
//! They show what another threshold would change. They come from an exact join at a lower
//! threshold, so that none is missing, and are listed with the same counts as matches.

use crate::analysis::Analysis;
use crate::document_columns::DocumentName;
use crate::result_tables::{Extra, Named, Table, TableDigest, pair_columns};
use crate::table_store::TableStore;
use crate::{Job, LookalikeError};
use lookalike_core::{Overlap, Threshold};
use lookalike_engine::try_sort::par_sort_cancellable;
use lookalike_engine::{
    Approach, Collection, DocumentId, Edge, EngineError, Linkage, MatchOptions, MatchSettings,
    Progress, SetId, Units,
};
use lookalike_methods::Evidence;
use lookalike_report::{Action, NearMissSummary};
use std::cmp::Ordering;

/// The name of their table.
pub(crate) const NEAR_MISSES: &str = "near_misses";

/// Bins of the histogram on each side of the threshold.
const BINS: usize = 10;

/// The pairs of distinct sets that reach the lower threshold, the matches among them.
#[derive(Debug)]
pub(crate) struct NearMisses {
    from: Threshold,
    edges: Vec<Edge>,
    /// Whether these are all.
    complete: bool,
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
        let options = MatchOptions {
            linkage: Linkage::Components,
            list_pairs: Some(max_pairs),
            contained: None,
            only_protected: false,
            ..options.clone()
        };
        let approach = Approach::default();
        let found =
            lookalike_engine::find(collection, units, &settings, &approach, &options, progress)?;
        let complete = found.pairs.complete;
        Ok(Self { from, edges: if complete { found.pairs.edges } else { Vec::new() }, complete })
    }

    /// Writes the table `near_misses`: pairs of documents below the threshold, with the columns of
    /// `pairs`. A run that removes documents lists those of which both are kept, and not both
    /// protected.
    ///
    /// # Errors
    /// A table that cannot be written, names that cannot be read, a cancellation.
    pub(crate) fn write<S: TableStore>(
        &self,
        analysis: &Analysis,
        action: Action,
        store: &S,
        progress: &dyn Progress,
    ) -> Result<(S::Done, NearMissSummary), LookalikeError> {
        let (collection, units) = (&analysis.collection, &analysis.units);
        let criterion = analysis.settings.criterion();
        let mut summary = self.summary(analysis);
        let stays = |document: DocumentId| {
            action == Action::List
                || !analysis.verdicts.is_removed(document)
                || collection.is_protected(document)
        };
        let wanted = |a: DocumentId, b: DocumentId| {
            let both = collection.is_protected(a) && collection.is_protected(b);
            stays(a) && stays(b) && (action == Action::List || !both)
        };
        let mut rows: Vec<(Named, Evidence)> = Vec::new();
        for edge in &self.edges {
            let counts = counts_of(units, *edge);
            if criterion.reaches(counts) {
                continue;
            }
            let evidence = Evidence::Exact(counts);
            for &later in units.members(edge.later) {
                for &earlier in units.members(edge.earlier).iter().filter(|&&b| wanted(later, b)) {
                    let swaps = collection.compare_names(later, earlier)? == Ordering::Greater;
                    let (a, b, evidence) = match swaps {
                        true => (earlier, later, evidence.swapped()),
                        false => (later, earlier, evidence),
                    };
                    rows.push((Named::pair(analysis, a, b), evidence));
                }
            }
        }
        par_sort_cancellable(&mut rows, progress, |x, y| x.0.compare(y.0, collection))?;
        summary.listed = rows.len() as u64;
        let extra = Extra::of(analysis);
        let columns = pair_columns(extra);
        let mut digest = TableDigest::new(NEAR_MISSES);
        let mut table = Table::new(store.begin(NEAR_MISSES, &columns)?, &mut digest, progress);
        let name = |document| DocumentName::of(collection, document);
        for (Named { a, b, .. }, evidence) in rows {
            table.compared([&name(a)?, &name(b)?], None, evidence, extra)?;
        }
        Ok((store.finish(&columns, table.into_writer())?, summary))
    }

    /// The histogram: pairs of documents with different sets, removed ones included.
    fn summary(&self, analysis: &Analysis) -> NearMissSummary {
        let (units, criterion) = (&analysis.units, analysis.settings.criterion());
        let (from, threshold) = (self.from.as_f64(), criterion.threshold.as_f64());
        let mut found = NearMissSummary {
            from,
            threshold,
            listed: 0,
            complete: self.complete,
            below: vec![0; BINS],
            above: vec![0; BINS],
        };
        let documents = |unit: SetId| units.members(unit).len() as u64;
        for &edge in &self.edges {
            let counts = counts_of(units, edge);
            let value = criterion.measure.value(counts);
            let pairs = documents(edge.later) * documents(edge.earlier);
            // The side is exact, the bin is a matter of display.
            let bin = |start: f64| ((value - start) / (threshold - from) * BINS as f64) as usize;
            if !criterion.reaches(counts) {
                found.below[bin(from).min(BINS - 1)] += pairs;
            } else if let Some(count) = found.above.get_mut(bin(threshold)) {
                *count += pairs;
            }
        }
        found
    }
}

/// The counts of a pair of sets.
fn counts_of(units: &Units, edge: Edge) -> Overlap {
    Overlap { shared: edge.shared, a: units.size(edge.later), b: units.size(edge.earlier) }
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
