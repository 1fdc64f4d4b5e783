//! Counting join: all pairs of a few units with any other unit that reach a threshold.
//!
//! An index of the elements of the few, and one pass over all sets that counts common elements.
//! Nothing is filtered and nothing estimated, so the pairs are exact, as those of the join, and
//! memory depends on the few only. O(elements of all sets + common elements with the few).

use super::listing::count_between;
use super::trial::too_many;
use lookalike_core::fingerprint::finalise;
use lookalike_core::{Overlap, Threshold};
use lookalike_engine::{
    DocumentId, Edge, EngineError, MatchSettings, Progress, SetId, UnitSets, Units,
};
use lookalike_run::LookalikeError;
use rayon::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering};

/// The documents of a sample: those with the `size` smallest hashes of their number. Every document
/// has the same probability, and so has every pair.
pub(super) fn draw(documents: u32, size: u32, seed: u64) -> Vec<bool> {
    let salt = finalise(seed.wrapping_add(1));
    // A bijection of the number, so no two hashes are equal.
    let hash = |document: u32| (finalise(u64::from(document) ^ salt), DocumentId(document));
    let mut order: Vec<(u64, DocumentId)> = (0..documents).map(hash).collect();
    order.sort_unstable();
    let mut sampled = vec![false; documents as usize];
    for &(_, document) in order.iter().take(size as usize) {
        sampled[document.index()] = true;
    }
    sampled
}

/// Inverted index of the few units.
struct ElementIndex {
    /// Elements and the few units that have them, sorted.
    entries: Vec<(u64, u32)>,
    /// Start of the elements with the same top bits.
    starts: Vec<u32>,
    shift: u32,
}

impl ElementIndex {
    fn new(mut entries: Vec<(u64, u32)>) -> Self {
        entries.par_sort_unstable();
        let bits = entries.len().next_power_of_two().trailing_zeros().clamp(1, 26);
        let shift = 64 - bits;
        let mut starts = vec![0u32; (1 << bits) + 1];
        for &(element, _) in &entries {
            starts[(element >> shift) as usize + 1] += 1;
        }
        for bucket in 0..1 << bits {
            starts[bucket + 1] += starts[bucket];
        }
        Self { entries, starts, shift }
    }

    /// The few that have the element.
    fn get(&self, element: u64) -> impl Iterator<Item = u32> + '_ {
        let bucket = (element >> self.shift) as usize;
        let bucket = &self.entries[self.starts[bucket] as usize..self.starts[bucket + 1] as usize];
        bucket.iter().filter(move |entry| entry.0 == element).map(|entry| entry.1)
    }
}

/// Every edge between a unit with a sampled document and another unit, in order.
///
/// # Errors
/// More than `max_pairs` pairs of documents, or cancellation.
pub(super) fn edges(
    sets: &UnitSets<'_>,
    units: &Units,
    settings: &MatchSettings,
    threshold: Threshold,
    sampled: &[bool],
    max_pairs: u64,
    progress: &dyn Progress,
) -> Result<Vec<Edge>, LookalikeError> {
    let size = |unit: SetId| {
        let members = units.members(unit);
        let sampled = members.iter().filter(|&&document| sampled[document.index()]).count();
        (members.len() as u64, sampled as u64)
    };
    let compared = |unit: SetId| !settings.excludes(units.size(unit));
    let few: Vec<SetId> = units.ids().filter(|&unit| size(unit).1 > 0 && compared(unit)).collect();
    let elements =
        (0u32..).zip(&few).flat_map(|(slot, &unit)| sets.get(unit).iter().map(move |e| (e, slot)));
    let index = ElementIndex::new(elements.collect());
    let listed = AtomicU64::new(0);
    let over = || listed.load(Ordering::Relaxed) > max_pairs;

    let of_unit = |(counts, met): &mut (Vec<u32>, Vec<u32>), unit: SetId| -> Vec<Edge> {
        if over() || progress.cancelled() || !compared(unit) {
            return Vec::new();
        }
        counts.resize(few.len(), 0);
        for element in sets.get(unit).iter() {
            for slot in index.get(element) {
                if counts[slot as usize] == 0 {
                    met.push(slot);
                }
                counts[slot as usize] += 1;
            }
        }
        let sampled_itself = size(unit).1 > 0;
        let mut edges = Vec::new();
        for slot in met.drain(..) {
            let shared = std::mem::take(&mut counts[slot as usize]);
            let with = few[slot as usize];
            // Two of the few are counted twice, and each is counted with itself.
            if with == unit || (sampled_itself && with > unit) {
                continue;
            }
            let edge = Edge { later: unit.max(with), earlier: unit.min(with), shared };
            let counts = Overlap { shared, a: units.size(edge.later), b: units.size(edge.earlier) };
            if settings.measure.reaches(threshold, counts) {
                listed.fetch_add(count_between(size(unit), size(with)), Ordering::Relaxed);
                edges.push(edge);
            }
        }
        edges
    };
    let scratch = || (Vec::new(), Vec::new());
    let parts: Vec<Vec<Edge>> = (0..units.len())
        .into_par_iter()
        .map(SetId)
        .with_min_len(256)
        .map_init(scratch, of_unit)
        .collect();
    if progress.cancelled() {
        return Err(EngineError::Cancelled.into());
    }
    if over() {
        return Err(too_many("the truth of the sample", max_pairs));
    }
    let mut edges = parts.concat();
    edges.par_sort_unstable();
    Ok(edges)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lookalike_core::Measure;
    use lookalike_engine::{
        Approach, Collection, Linkage, MatchOptions, MinFeatures, Silent, find,
    };
    use proptest::prelude::*;

    #[test]
    fn a_sample_has_its_size_and_depends_on_the_seed() {
        let count = |sampled: &[bool]| sampled.iter().filter(|&&is| is).count();
        assert_eq!(count(&draw(1000, 100, 0)), 100);
        assert_eq!(count(&draw(10, 100, 0)), 10);
        assert_eq!(draw(1000, 100, 7), draw(1000, 100, 7));
        assert_ne!(draw(1000, 100, 7), draw(1000, 100, 8));
    }

    proptest! {
        /// The edges are those of the engine's join that have a sampled document.
        #[test]
        fn counting_agrees_with_the_join(
            sets in prop::collection::vec(prop::collection::btree_set(0u64..40, 0..14), 2..30),
            size in 1u32..8,
            hundredths in 30u32..=100,
            which in 0usize..3,
            least in 0u32..8,
        ) {
            let sets: Vec<Vec<u64>> =
                sets.into_iter().map(|set| set.into_iter().map(finalise).collect()).collect();
            let sampled = draw(sets.len() as u32, size, 3);
            let collection = Collection::of_sets(sets);
            let threshold = format!("{}.{:02}", hundredths / 100, hundredths % 100).parse().unwrap();
            let mut settings = MatchSettings::resemblance(threshold);
            settings.measure = [Measure::Resemblance, Measure::Containment, Measure::Cosine][which];
            let MatchSettings { features, terms, .. } = settings;
            settings.min_features = (least > 1).then_some(MinFeatures { count: least, features, terms });
            let units = Units::new(&collection, &[], settings.measure, &Silent).unwrap();
            let counted =
                edges(&UnitSets::new(&collection, &units).unwrap(), &units, &settings, threshold, &sampled, u64::MAX, &Silent).unwrap();
            let options = MatchOptions { list_pairs: Some(u64::MAX), ..MatchOptions::in_memory(Linkage::Components) };
            let found =
                find(&collection, &units, &settings, &Approach::default(), &options, &Silent).unwrap();
            let has = |unit| units.members(unit).iter().any(|&d| sampled[d.index()]);
            let mut expected = found.pairs.edges;
            expected.retain(|edge| has(edge.later) || has(edge.earlier));
            prop_assert_eq!(&counted, &expected);
            let small = |unit| units.size(unit) < least;
            prop_assert!(!counted.iter().any(|edge| small(edge.later) || small(edge.earlier)));
        }
    }
}
