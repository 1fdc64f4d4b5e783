//! The table `near_misses`, and the histogram of the pairs on both sides of the threshold.

use crate::LookalikeError;
use crate::analysis::Analysis;
use crate::near_misses::NearMisses;
use crate::result_tables::{Named, add_compared, measures};
use crate::run_tables::filled;
use crate::table_store::TableStore;
use lookalike_core::Overlap;
use lookalike_decide::{NEAR_MISSES, Table, TableDigest};
use lookalike_engine::try_sort::par_sort_cancellable;
use lookalike_engine::{DocumentId, Edge, EngineError, Progress, SetId, Units};
use lookalike_methods::Evidence;
use lookalike_report::{Action, NearMissSummary};
use std::cmp::Ordering;

/// Bins of the histogram on each side of the threshold.
const BINS: usize = 10;

impl NearMisses {
    /// Writes the table `near_misses`: pairs of documents below the threshold and those that are kept
    /// apart, with the columns of `pairs`. A run that removes documents lists those of which both are
    /// kept, and not both protected.
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
        let mut summary = self.summary(analysis)?;
        let stays = |document: DocumentId| {
            action == Action::List
                || !analysis.verdicts.is_removed(document)
                || collection.is_protected(document)
        };
        let wanted = |a: DocumentId, b: DocumentId| {
            let both = collection.is_protected(a) && collection.is_protected(b);
            stays(a) && stays(b) && (action == Action::List || !both)
        };
        let row = |a: DocumentId, b: DocumentId, counts: Overlap| -> Result<_, EngineError> {
            let evidence = Evidence::Exact(counts);
            let (a, b, evidence) = match collection.compare_names(a, b)? == Ordering::Greater {
                true => (b, a, evidence.swapped()),
                false => (a, b, evidence),
            };
            Ok((Named::pair(analysis, a, b), evidence))
        };
        let mut rows: Vec<(Named, Evidence)> = Vec::new();
        for edge in &self.edges {
            let counts = counts_of(units, *edge);
            if criterion.reaches(counts) || is_match(analysis, *edge)? {
                continue;
            }
            for &later in units.members(edge.later) {
                for &earlier in units.members(edge.earlier).iter().filter(|&&b| wanted(later, b)) {
                    rows.push(row(later, earlier, counts)?);
                }
            }
        }
        if let Some(apart) = &analysis.kept_apart {
            let below = rows.len();
            for &(a, b, counts) in apart.pairs.iter().filter(|&&(a, b, _)| wanted(a, b)) {
                rows.push(row(a, b, counts)?);
            }
            summary.kept_apart = Some((rows.len() - below) as u64);
            summary.complete &= apart.complete;
        }
        par_sort_cancellable(&mut rows, progress, |x, y| x.0.compare(y.0, collection))?;
        summary.listed = rows.len() as u64;
        let digest = &mut TableDigest::new(NEAR_MISSES.name);
        let fill = |table: &mut Table<'_, _>| {
            rows.into_iter().try_for_each(|(Named { a, b, .. }, evidence)| {
                add_compared(analysis, table, [a, b], None, evidence, None)
            })
        };
        let table = filled(store, NEAR_MISSES.of(measures(analysis)), digest, progress, fill)?;
        Ok((table, summary))
    }

    /// The histogram: pairs of documents with different sets, removed ones included. Pairs below the
    /// threshold that match with their boilerplate are on no side.
    fn summary(&self, analysis: &Analysis) -> Result<NearMissSummary, EngineError> {
        let (units, criterion) = (&analysis.units, analysis.settings.criterion());
        let (from, threshold) = (self.from.as_f64(), criterion.threshold.as_f64());
        let mut found = NearMissSummary {
            from,
            threshold,
            listed: 0,
            complete: self.complete,
            kept_apart: None,
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
                if !is_match(analysis, edge)? {
                    found.below[bin(from).min(BINS - 1)] += pairs;
                }
            } else if let Some(count) = found.above.get_mut(bin(threshold)) {
                *count += pairs;
            }
        }
        Ok(found)
    }
}

/// Whether a pair of sets below the threshold matches with its boilerplate.
fn is_match(analysis: &Analysis, edge: Edge) -> Result<bool, EngineError> {
    let (settings, units) = (&analysis.settings, &analysis.units);
    match &analysis.templates {
        Some(templates) if settings.join_criterion().reaches(counts_of(units, edge)) => {
            templates.is_match(settings.criterion(), units, edge)
        }
        _ => Ok(false),
    }
}

/// The counts of a pair of sets.
fn counts_of(units: &Units, edge: Edge) -> Overlap {
    Overlap { shared: edge.shared, a: units.size(edge.later), b: units.size(edge.earlier) }
}
