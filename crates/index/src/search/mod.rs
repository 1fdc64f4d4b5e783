//! Exact search: which stored sets of a segment answer a question about a query set.
//!
//! The segment posts every element of every set, and numbers its units by ascending set size. A
//! search looks up elements of the query, counts the entries of their lists for each unit, turns
//! away what the counts show cannot match, and verifies the rest on whole sets:
//!
//! 1. `criterion`: the size range of matches, the overlap that they need, and the theorems that say
//!    how many hits a match has among the elements that were probed ([`search`] has no others).
//! 2. `lists`: looks up the query and chooses which lists are counted for all units.
//! 3. `candidates`: counts them; the longer lists are counted only for what is left then.
//!    `lean` takes the place of these two in segments that post a part of each set.
//! 4. `verify`: whole sets, from the best counts down.
//!
//! Lookups compare 40 bits, in lean segments 32. A false agreement adds to a count and never takes away, so candidates
//! are a superset of the matches; verification compares 64 bits.

mod candidates;
mod common_share;
mod counters;
mod criterion;
mod keys;
mod lean;
mod lists;
mod options;
mod postings;
mod scratch;
mod verify;

pub use common_share::{CommonShare, LONG_LIST};
pub use keys::{KeyOptions, search_keys};
pub use options::{Accepted, Found, KeyMatch, SearchOptions, Total};
pub use postings::{InvertedIndex, LOOKUP_BITS, LOOKUP_BLOCK, PostingList, Postings};
pub use scratch::SearchScratch;

use crate::{Cost, IndexError, Question};
use candidates::{Candidate, Task};
use counters::{Count, Counters, NARROW};
use criterion::Criterion;

/// Replaces the content of `found` by the accepted stored sets that answer a question about a
/// query, which is strictly ascending; an empty one finds nothing.
///
/// The matches are in descending order of the measure, those of equal value in the order of
/// [`Accepted::order`]. With a limit, `found` has the first `limit` of that order. The order does
/// not depend on units or segments if `order` does not: the first `limit` of a whole index are the
/// first `limit` of the answers of its segments, merged in this order. Costs are added to `cost`,
/// also if the search fails.
///
/// O(elements of the query + entries of their lists + verified sets); nothing is allocated for each
/// element or entry.
///
/// # Errors
/// [`IndexError::Lean`]; [`IndexError::Interrupted`] if [`SearchOptions::stop`] says so, and what [`Postings::make_set`]
/// returns. The content of `found` is of no use then.
pub fn search<P: Postings>(
    postings: &P,
    question: Question,
    query: &[u64],
    options: &SearchOptions<'_>,
    scratch: &mut SearchScratch,
    cost: &mut Cost,
    found: &mut Vec<Found>,
) -> Result<Total, IndexError> {
    debug_assert!(query.is_sorted_by(|left, right| left < right), "a query is strictly ascending");
    found.clear();
    if let Some(lean) = postings.lean() {
        lean.check(question)?;
    }
    let n = u32::try_from(query.len()).unwrap_or(u32::MAX);
    let criterion = Criterion::new(question, n);
    let (low, high) = criterion.sizes();
    let units = postings.units_of_size(low, high);
    if query.is_empty() || units.is_empty() {
        return Ok(Total::default());
    }
    let task = Task { postings, criterion, query, units, options };
    let SearchScratch { narrow, wide, common, probed, candidates, set } = scratch;
    let memory = Memory { common, probed, candidates, set };
    if query.len() <= NARROW {
        run(&task, narrow, memory, cost, found)
    } else {
        run(&task, wide, memory, cost, found)
    }
}

/// The parts of the scratch that do not depend on the width of the counts.
struct Memory<'a> {
    common: &'a mut Vec<u32>,
    probed: &'a mut Vec<u64>,
    candidates: &'a mut Vec<Candidate>,
    set: &'a mut Vec<u64>,
}

fn run<P: Postings, C: Count>(
    task: &Task<'_, P>,
    counters: &mut Counters<C>,
    memory: Memory<'_>,
    cost: &mut Cost,
    found: &mut Vec<Found>,
) -> Result<Total, IndexError> {
    let Memory { common, probed, candidates, set } = memory;
    candidates.clear();
    let counted = match task.postings.lean() {
        None => task.candidates(counters, common, candidates, cost),
        Some(lean) => task.lean_candidates(lean, counters, probed, candidates, cost),
    };
    // After an error too: the next search expects counts of 0.
    counters.clear();
    counted?;
    task.verify(candidates, set, cost, found)
}
