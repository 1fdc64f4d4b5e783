//! Lists the pairs of a sample.
//!
//! If the sample has more pairs than can be listed, it is halved until they can be listed; which
//! documents remain depends on their numbers only.

use super::partners::{Partners, by_chunk, weight};
use super::thinning::Thinning;
use super::trial::{Bench, removals};
use crate::evaluate::similarity::{STEPS, step};
use lookalike_core::{Overlap, Threshold};
use lookalike_engine::{Approach, Collection, Edge, Linkage, MatchSettings, SetId, Units};
use lookalike_report::{PlanGrowth, PlanStep};
use lookalike_run::LookalikeError;
use std::collections::BTreeSet;

/// Maximum number of listed pairs of documents.
const MOST_PAIRS: u64 = 4_000_000;

/// The pairs of a sample.
pub(super) struct Listing {
    pub(super) thinning: Thinning,
    /// Documents of the sample that were compared.
    pub(super) documents: u64,
    /// Removed documents of these.
    pub(super) removed: u64,
    pub(super) units: Units,
    /// Documents match only across values.
    across: bool,
    /// Pairs of units that reach the threshold of the run, the smaller first.
    pub(super) matching: BTreeSet<(SetId, SetId)>,
    /// Numbers of partners, for estimates of the whole.
    pub(super) partners: Partners,
    /// For each pair of units from the lower threshold on: similarity, whether it reaches the
    /// threshold, pairs of documents, and the estimated pairs of the whole.
    pub(super) pairs: Vec<(Overlap, bool, u64, f64)>,
}

/// Lists the pairs of a sample from a similarity on.
pub(super) fn list(
    bench: &Bench<'_>,
    collection: &Collection,
    settings: &MatchSettings,
    from: Threshold,
    chunks: u32,
    share: f64,
) -> Result<Listing, LookalikeError> {
    let lower = MatchSettings { threshold: from, ..settings.clone() };
    let exact = Approach::default();
    let mut thinning = Thinning(0);
    loop {
        let units = bench.units(collection, thinning, settings)?;
        let options = bench.options(Linkage::Components, Some(MOST_PAIRS));
        let found = bench.find(collection, &units, &lower, &exact, &options)?;
        if !found.pairs.complete && thinning.0 < 20 {
            thinning.0 += 1;
            continue;
        }
        let options = bench.options(bench.linkage, None);
        let matches = bench.find(collection, &units, settings, &exact, &options)?;
        let removed = removals(collection, &units, &matches, &exact, &options)?.len() as u64;
        let documents = thinning.count(collection.len());
        let share = share * documents as f64 / f64::from(collection.len().max(1));
        let by_chunk = by_chunk(collection, &units, chunks);
        let across = collection.matches_across();
        let mut pairs = Vec::new();
        // Documents of a unit have one value.
        for unit in units.ids().filter(|_| !across) {
            let size = units.size(unit);
            let (all, stands_for) = weight(&by_chunk[unit.index()], None, share);
            if all > 0 {
                pairs.push((Overlap { shared: size, a: size, b: size }, true, all, stands_for));
            }
        }
        let mut edges: Vec<Edge> = Vec::new();
        for &edge in &found.pairs.edges {
            let Edge { later: unit, earlier: with, shared } = edge;
            let counts = Overlap { shared, a: units.size(unit), b: units.size(with) };
            let reaches = settings.measure.reaches(settings.threshold, counts);
            let (a, b) = (&by_chunk[unit.index()], &by_chunk[with.index()]);
            let (all, stands_for) = weight(a, Some(b), share);
            pairs.push((counts, reaches, all, stands_for));
            if reaches {
                edges.push(edge);
            }
        }
        let matching = edges
            .iter()
            .map(|edge| (edge.later.min(edge.earlier), edge.later.max(edge.earlier)))
            .collect();
        let partners = Partners::new(&by_chunk, &edges, chunks, across).with_documents(documents);
        return Ok(Listing {
            thinning,
            documents,
            removed,
            units,
            across,
            matching,
            partners,
            pairs,
        });
    }
}

impl Listing {
    /// Pairs by similarity, from the step of the lower threshold.
    pub(super) fn steps(&self, settings: &MatchSettings, from: Threshold) -> Vec<PlanStep> {
        let first = (10 * from.numerator() / from.denominator()) as usize;
        let of = |at: usize| PlanStep { from: at as f64 / 10.0, ..PlanStep::default() };
        let mut steps: Vec<PlanStep> = (0..STEPS).map(of).collect();
        for &(counts, _, all, stands_for) in &self.pairs {
            let step = &mut steps[usize::from(step(settings.measure, counts))];
            step.in_sample += all;
            step.expected += stands_for;
        }
        steps.split_off(first.min(STEPS - 1))
    }

    /// Pairs that reach the threshold: in the sample, and estimated for the whole.
    pub(super) fn matching_pairs(&self) -> (u64, f64) {
        let reach = self.pairs.iter().filter(|pair| pair.1);
        reach.fold((0, 0.0), |sum, pair| (sum.0 + pair.2, sum.1 + pair.3))
    }

    /// Ratio of removed documents to those that would be removed if partners formed cliques. 1 if
    /// there are too few.
    pub(super) fn glued(&self) -> f64 {
        let in_cliques = self.partners.in_cliques();
        if in_cliques < 20.0 { 1.0 } else { self.removed as f64 / in_cliques }
    }

    /// Expected recall of the pairs that reach the threshold, if each is found with a probability
    /// by its similarity.
    pub(super) fn recall(
        &self,
        settings: &MatchSettings,
        probability: impl Fn(f64) -> f64,
    ) -> Option<f64> {
        let (mut found, mut all) = (0.0, 0.0);
        for &(counts, _, _, stands_for) in self.pairs.iter().filter(|pair| pair.1) {
            all += stands_for;
            found += stands_for * probability(settings.measure.value(counts));
        }
        (all > 0.0).then(|| found / all)
    }

    /// Recall and precision of a method from its pairs between its own units, over the same sample.
    pub(super) fn found(&self, of_method: &Units, edges: &[Edge]) -> (Option<f64>, Option<f64>) {
        let members = |unit: SetId| of_method.members(unit);
        // Documents of one unit of a method have the same words, and so the same features.
        let same = |unit: SetId| self.units.of_document(members(unit)[0]);
        let pairs = |n: u64| n * n.saturating_sub(1) / 2;
        let of_unit = |unit: SetId| pairs(members(unit).len() as u64);
        let copies: u64 = match self.across {
            true => 0,
            false => of_method.ids().map(of_unit).sum(),
        };
        let (mut found, mut right) = (copies, copies);
        for edge in edges {
            let weight = (members(edge.later).len() * members(edge.earlier).len()) as u64;
            found += weight;
            let (Some(a), Some(b)) = (same(edge.later), same(edge.earlier)) else { continue };
            if a == b || self.matching.contains(&(a.min(b), a.max(b))) {
                right += weight;
            }
        }
        let share = |part: u64, whole: u64| (whole > 0).then(|| part as f64 / whole as f64);
        (share(right, self.matching_pairs().0), share(right, found))
    }
}

/// Removal at an eighth, a quarter and a half of a sample, and for all of it.
pub(super) fn growth(
    bench: &Bench<'_>,
    collection: &Collection,
    settings: &MatchSettings,
    removed: u64,
) -> Result<Vec<PlanGrowth>, LookalikeError> {
    let exact = Approach::default();
    let mut growth = Vec::new();
    for thinning in [3, 2, 1].map(Thinning) {
        let units = bench.units(collection, thinning, settings)?;
        let options = bench.options(bench.linkage, None);
        let matches = bench.find(collection, &units, settings, &exact, &options)?;
        let removed = removals(collection, &units, &matches, &exact, &options)?.len() as u64;
        growth.push(PlanGrowth { documents: thinning.count(collection.len()), removed });
    }
    growth.push(PlanGrowth { documents: u64::from(collection.len()), removed });
    Ok(growth)
}
