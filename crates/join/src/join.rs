//! The join: index, candidates, verification, survivors.

use crate::candidates::CandidatePairs;
use crate::filter::CandidateFilter;
use crate::progress::stop_if_cancelled;
use crate::source::{SetSource, SourceError};
use crate::survivors::components::components;
use crate::survivors::leaders::{LeaderOptions, leaders};
use crate::survivors::pairs::{PairLimits, all_pairs};
use crate::verify::{AcceptedVerifier, ExactVerifier, MayMatchVerifier, Verifier, is_contained};
use crate::{
    Criterion, Edge, InvertedIndex, JoinError, JoinOptions, JoinResult, Linkage, PairList,
    Progress, SetId, Statistics,
};
use lookalike_cluster::Components;
use rayon::prelude::*;
use std::time::Instant;

/// Exact set-similarity join: which sets match, and which are kept.
///
/// Borrows its source: several joins of one source may run, also at the same time. Runs on the
/// rayon pool that it is called in. The result is a function of the sets, their precedence, which of them
/// [may match](SetSource::may_match), the criterion, and the linkage, witness rule and protected sets of the options: neither threads nor
/// memory change it.
///
/// # Errors
/// A source or a spill file that cannot be read, more index entries than 32 bits can number, or a
/// cancellation.
///
/// ```
/// use lookalike_core::Measure;
/// use lookalike_join::{Criterion, InMemorySets, JoinOptions, Linkage, SetId, Silent, join};
///
/// // Three sets, as an Arrow list array stores them.
/// let (offsets, elements) = ([0u64, 4, 9, 10], [1, 2, 3, 4, 1, 2, 3, 4, 5, 9]);
/// let sets = InMemorySets::new(&offsets, &elements)?;
/// let criterion = Criterion { measure: Measure::Resemblance, threshold: "0.8".parse()? };
/// let result = join(&sets, criterion, &JoinOptions::in_memory(Linkage::Leaders), &Silent)?;
/// // Set 1 shares 4 of 5 elements with set 0.
/// assert_eq!(result.leader, [0, 0, 2].map(SetId));
/// assert_eq!((result.pairs.edges[0].later, result.pairs.edges[0].shared), (SetId(1), 4));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn join<S: SetSource>(
    sets: &S,
    criterion: Criterion,
    options: &JoinOptions,
    progress: &dyn Progress,
) -> Result<JoinResult, JoinError> {
    let started = Instant::now();
    progress.phase("indexing", None);
    let JoinOptions { least_size, search, budget, .. } = options;
    let index = InvertedIndex::new(sets, criterion, *least_size, *search, budget, progress)?;
    let indexing = started.elapsed().as_secs_f64();
    let pairs = CandidatePairs { sets, index: &index, filter: criterion };
    let mut result = join_candidates(&pairs, options, progress)?;
    result.phases.insert(0, ("indexing", indexing));
    Ok(result)
}

/// The second half of [`join`]: verifies candidates by their whole sets. The filter is the
/// criterion.
///
/// # Errors
/// As [`join`].
pub fn join_candidates<S: SetSource>(
    pairs: &CandidatePairs<'_, S, Criterion>,
    options: &JoinOptions,
    progress: &dyn Progress,
) -> Result<JoinResult, JoinError> {
    join_candidates_if(pairs, &|_| Ok(true), options, progress)
}

/// The second half of [`join`] with a further condition: sets match if they reach the criterion and
/// `accepts` accepts the edge. It must be a function of the edge.
///
/// # Errors
/// As [`join`], and the first error of the condition.
pub fn join_candidates_if<S: SetSource>(
    pairs: &CandidatePairs<'_, S, Criterion>,
    accepts: &(impl Fn(Edge) -> Result<bool, SourceError> + Sync),
    options: &JoinOptions,
    progress: &dyn Progress,
) -> Result<JoinResult, JoinError> {
    let comparing = Comparing::start(pairs, progress)?;
    let statistics = Statistics::default();
    let &CandidatePairs { sets, index, filter: criterion } = pairs;
    let exact = ExactVerifier::new(sets, criterion, index, options.sets, &statistics, progress)?;
    let verifier = AcceptedVerifier::new(&exact, accepts);
    let has_failed = || exact.has_failed() || verifier.has_failed();
    let stop = StopOnReadError { progress, has_failed: &has_failed };
    let result = search(pairs, &verifier, options, &statistics, &stop);
    verifier.finish()?;
    exact.finish()?;
    let result = result?;
    comparing.finish(result, pairs, &statistics, progress)
}

/// The second half of [`join`] with another verifier, which counts what it compares in
/// `statistics`.
///
/// # Errors
/// A cancellation.
pub fn join_candidates_by<S: SetSource>(
    pairs: &CandidatePairs<'_, S, impl CandidateFilter>,
    verifier: &impl Verifier,
    options: &JoinOptions,
    statistics: &Statistics,
    progress: &dyn Progress,
) -> Result<JoinResult, JoinError> {
    let comparing = Comparing::start(pairs, progress)?;
    let result = search(pairs, verifier, options, statistics, progress)?;
    comparing.finish(result, pairs, statistics, progress)
}

/// Measures the second half.
struct Comparing {
    started: Instant,
}

impl Comparing {
    fn start<S: SetSource, F>(
        pairs: &CandidatePairs<'_, S, F>,
        progress: &dyn Progress,
    ) -> Result<Self, JoinError> {
        stop_if_cancelled(progress)?;
        progress.phase("comparing", Some(u64::from(pairs.sets.len())));
        Ok(Self { started: Instant::now() })
    }

    /// Adds the counters.
    fn finish<S: SetSource, F>(
        self,
        result: JoinResult,
        pairs: &CandidatePairs<'_, S, F>,
        statistics: &Statistics,
        progress: &dyn Progress,
    ) -> Result<JoinResult, JoinError> {
        stop_if_cancelled(progress)?;
        let index = pairs.index;
        let with_keys = (0..pairs.sets.len()).filter(|&set| index.has_keys(SetId(set)));
        Ok(JoinResult {
            keys: index.shared(),
            keys_written: index.written(),
            keys_ignored: index.ignored(),
            sets_with_keys: with_keys.count() as u32,
            candidates: statistics.candidates(),
            verified: statistics.verified(),
            intersected: Some(statistics.intersected()),
            phases: vec![("comparing", self.started.elapsed().as_secs_f64())],
            ..result
        })
    }
}

/// Cancels the search as soon as a set cannot be read.
struct StopOnReadError<'a> {
    progress: &'a dyn Progress,
    has_failed: &'a (dyn Fn() -> bool + Sync),
}

impl Progress for StopOnReadError<'_> {
    fn phase(&self, name: &'static str, total: Option<u64>) {
        self.progress.phase(name, total);
    }

    fn advance(&self, amount: u64, documents: u64) {
        self.progress.advance(amount, documents);
    }

    fn cancelled(&self) -> bool {
        (self.has_failed)() || self.progress.cancelled()
    }
}

/// Looks for matches, and decides which sets are kept.
fn search<S: SetSource>(
    pairs: &CandidatePairs<'_, S, impl CandidateFilter>,
    verifier: &impl Verifier,
    options: &JoinOptions,
    statistics: &Statistics,
    progress: &dyn Progress,
) -> Result<JoinResult, SourceError> {
    let sets = pairs.sets;
    let verifier = &MayMatchVerifier { sets, verifier };
    let list = |limits| all_pairs(pairs, verifier, limits, statistics, progress);
    let itself = |set: SetId| (set, sets.size(set));
    let mut result = JoinResult::default();
    (result.leader, result.shared) = match options.linkage {
        Linkage::Leaders => {
            let listed = options.list_pairs.and_then(|pairs| list(PairLimits { pairs, edges: 0 }));
            let &JoinOptions { witness, protected, only_protected, contained, .. } = options;
            let removal = options.removal.as_deref();
            let options = LeaderOptions { witness, protected, only_protected };
            let edges = match (contained, removal) {
                (None, None) => leaders(pairs, verifier, options, statistics, progress),
                _ => {
                    // The later set of an edge is the one that would be removed.
                    let accepts = |edge: Edge| {
                        let size = sets.size(edge.later);
                        let contains = |least| is_contained(least, edge.shared, size);
                        match removal {
                            _ if !contained.is_none_or(contains) => Ok(false),
                            Some(removal) => removal.allows(edge),
                            None => Ok(true),
                        }
                    };
                    let verifier = AcceptedVerifier::new(verifier, &accepts);
                    let has_failed = || verifier.has_failed();
                    let stop = StopOnReadError { progress, has_failed: &has_failed };
                    let edges = leaders(pairs, &verifier, options, statistics, &stop);
                    verifier.finish()?;
                    edges
                }
            };
            let (mut leader, mut shared): (Vec<SetId>, Vec<u32>) =
                (0..sets.len()).map(SetId).map(itself).unzip();
            for edge in &edges {
                leader[edge.later.index()] = edge.earlier;
                shared[edge.later.index()] = edge.shared;
            }
            result.pairs = listed.unwrap_or(PairList { edges, complete: false });
            (leader, shared)
        }
        Linkage::Components => {
            // Listing pairs runs on all threads, growing components on one: pairs are listed as
            // long as there are no more than one for two sets, wanted or not.
            let records = options.list_pairs.unwrap_or_default();
            let edges = u64::from(sets.len() / 2);
            let (components, listed) = match list(PairLimits { pairs: records, edges }) {
                Some(mut listed) => {
                    let mut components = Components::new(sets.len());
                    let mut joins = |edge: &Edge| components.join(edge.later.0, edge.earlier.0);
                    match listed.complete && options.list_pairs.is_some() {
                        true => listed.edges.iter().for_each(|edge| _ = joins(edge)),
                        false => {
                            listed.edges.retain(joins);
                            listed.complete = false;
                        }
                    }
                    (components, listed)
                }
                None => {
                    let (components, edges) = components(pairs, verifier, progress);
                    (components, PairList { edges, complete: false })
                }
            };
            result.pairs = listed;
            // The label is the first set of the component. Both are in a match, so both were
            // sorted.
            let leads = |set: SetId, leader: SetId| match set == leader {
                true => itself(set),
                false => (leader, verifier.shared(set, leader)),
            };
            let labels = components.labels();
            (0..sets.len())
                .into_par_iter()
                .zip(labels)
                .map(|(set, label)| leads(SetId(set), SetId(label)))
                .unzip()
        }
    };
    Ok(result)
}
