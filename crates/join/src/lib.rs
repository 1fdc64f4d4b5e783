//! Exact set-similarity join: the pairs, leaders or components of sets.
//!
//! [`join()`] runs in one process, in bounded memory, over any [`SetSource`]: sets in memory
//! ([`InMemorySets`]) or on disk. It knows no texts, input files or settings of an analysis. The
//! data runs through the folders in this order:
//!
//! 1. `source`: scans over the sets, and sorted sets.
//! 2. `order`, [`mod@prefix`] and `index`: df sketch, element order, prefixes, inverted index
//!    ([`InvertedIndex`]). In small vocabularies `bitmap_join` finds the pairs instead, where that
//!    costs less ([`CandidateSearch`]).
//! 3. `candidates` ([`CandidatePairs`]): the sets that share a key and pass the length and
//!    positional filters.
//! 4. `verify` ([`Verifier`]): bitmap filter, bucket counts, intersection.
//! 5. `survivors`: all matches, leader clustering or connected components.
//!
//! The same steps are pure functions for engines that shuffle data by themselves (Spark, Ray) and
//! for indexes:
//!
//! 1. [`DfSketch`] counts in how many sets elements are; [`DfSketch::freeze`] gives the
//!    [`ElementOrder`].
//! 2. [`prefix()`] and [`index_keys`] choose the elements under which a set is looked up and
//!    indexed ([`PrefixFilter`] where singletons are known).
//! 3. [`candidates()`] pairs the sets of one posting list, by length, positional and bitmap
//!    filters.
//! 4. [`verify()`] decides about a candidate exactly.
//! 5. [`LeaderPass`] chooses the sets that are kept, with a witness for each one removed.
//!
//! Sets are slices of distinct 64-bit elements that are hashes, hence uniform
//! ([`lookalike_core::fingerprint`]); other numbers give the same answer more slowly. Identifiers
//! are in order of precedence: [`SetId`] in one process, any other `Copy + Ord` type elsewhere. The
//! answer depends on the sets, their precedence and the [`Criterion`] alone: not on the sample, the
//! order of elements, batches, or the order of posting lists.
//!
//! ```
//! use lookalike_cluster::Components;
//! use lookalike_core::Measure;
//! use lookalike_join::{
//!     Criterion, Decision, DfSketch, LeaderPass, MatchEdge, Posting, SetId, WitnessRule, candidates, index_keys, verify,
//! };
//! use std::collections::{BTreeMap, BTreeSet};
//!
//! let sets: [&[u64]; 4] = [&[1, 2, 3, 4, 5], &[1, 2, 3, 4, 6], &[7, 8, 9], &[1, 2, 3, 4, 5, 6]];
//! let criterion = Criterion { measure: Measure::Resemblance, threshold: "0.6".parse()? };
//!
//! let mut sketch = DfSketch::for_elements(19, 0);
//! sets.iter().for_each(|set| sketch.add(set));
//! let order = sketch.freeze();
//!
//! let mut lists: BTreeMap<u64, Vec<Posting>> = BTreeMap::new();
//! let mut keys = Vec::new();
//! for (id, set) in (0..).map(SetId).zip(sets) {
//!     index_keys(criterion, &order, set, &mut keys);
//!     for key in &keys {
//!         let posting = Posting { set: id, size: set.len() as u32, position: key.position, bitmap: () };
//!         lists.entry(key.element).or_default().push(posting);
//!     }
//! }
//!
//! let mut pairs = BTreeSet::new();
//! for list in lists.values() {
//!     candidates(criterion, list, |later, earlier| {
//!         pairs.insert((later, earlier));
//!     });
//! }
//!
//! let mut edges = Vec::new();
//! let mut components = Components::new(sets.len() as u32);
//! for (later, earlier) in pairs {
//!     if let Some(overlap) = verify(criterion, sets[later.index()], sets[earlier.index()]) {
//!         components.join(later.0, earlier.0);
//!         edges.push((later, earlier, overlap));
//!     }
//! }
//! let mut edges: Vec<MatchEdge<SetId>> = edges
//!     .into_iter()
//!     .map(|(later, earlier, overlap)| {
//!         MatchEdge { component: SetId(components.root(later.0)), later, earlier, overlap }
//!     })
//!     .collect();
//! edges.sort_by_key(|edge| (edge.component, edge.later, edge.earlier));
//!
//! let mut removed = Vec::new();
//! let mut pass = LeaderPass::new(WitnessRule::First, criterion.measure);
//! let mut emit = |decision: Decision<SetId>| {
//!     if let Decision::Removed(edge) = decision {
//!         removed.push((edge.later.0, edge.earlier.0));
//!     }
//! };
//! for edge in edges {
//!     pass.push(edge, &mut emit)?;
//! }
//! pass.finish(&mut emit);
//! // Both share 4 or more of 6 elements with set 0.
//! assert_eq!(removed, [(1, 0), (3, 0)]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bitmap_join;
mod budget;
mod candidate_search;
mod candidates;
mod criterion;
mod error;
mod filter;
pub mod hot_steps;
mod id;
mod index;
mod join;
mod limits;
mod matches;
mod options;
mod order;
pub mod prefix;
mod progress;
pub mod shuffle;
mod source;
mod statistics;
mod survivors;
mod verify;

pub use budget::SpillBudget;
pub use candidate_search::CandidateSearch;
pub use candidates::{Bitmap, Candidate, CandidatePairs, Posting, candidates, candidates_of};
pub use criterion::Criterion;
pub use error::JoinError;
pub use filter::{CandidateFilter, Unfiltered};
pub use id::{ChunkId, ListId, SetId, TaskId};
pub use index::{COUNTED_BYTES, Entry, InvertedIndex, ListKey, UNKNOWN};
pub use join::{join, join_candidates, join_candidates_by, join_candidates_if};
pub use matches::{Edge, JoinResult, PairList};
pub use options::{JoinOptions, Linkage, RemovalCondition};
pub use order::{Counters, DecodeError, DfSketch, ElementOrder, SketchMismatch};
pub use prefix::{PrefixFilter, PrefixKey, PrefixScratch, index_keys, prefix};
pub use progress::{Progress, Silent};
pub use source::{
    HighElements, InMemorySets, InMemorySorted, InvalidSets, OffsetArrays, Part, SetArrays,
    SetScan, SetSource, SortedSets, SourceError, ValuedSets,
};
pub use statistics::Statistics;
pub use survivors::{Decision, EdgeOrderError, LeaderPass, MatchEdge, WitnessRule, WitnessSearch};
pub use verify::{COUNTS_SHARE, ExactVerifier, KeyVerifier, Verifier, is_contained, verify};
