//! The units that the counts of list entries cannot turn away.

use super::common_share::CommonShare;
use super::counters::{Count, Counters};
use super::criterion::{Criterion, least_hits};
use super::lists::Lists;
use super::options::SearchOptions;
use super::postings::{LOOKUP_BLOCK, PostingList, Postings};
use crate::{Cost, IndexError};
use std::ops::Range;

/// A unit that may match.
#[derive(Debug, Clone, Copy)]
pub(super) struct Candidate {
    pub(super) unit: u32,
    /// Number of elements of its set.
    pub(super) size: u32,
    /// The least overlap of a match of this size.
    pub(super) needed: u32,
    /// The most elements that it can share with the query.
    pub(super) most: u32,
    /// [`Accepted::documents`](super::Accepted::documents).
    pub(super) documents: u32,
    /// [`Accepted::order`](super::Accepted::order).
    pub(super) order: u64,
}

/// Up to so many candidates are verified without counting the other lists.
const FEW_CANDIDATES: usize = 4;

/// Cost of making a candidate without a count and of counting further lists for it, in entries.
const CANDIDATE: u64 = 24;

/// Cost of searching a list for a unit, in entries.
const SEARCH: u64 = 32;

/// Cost of a lookup, in entries.
const LOOKUP: u64 = 64;

/// Cost of a verification, in entries: 25-40 µs where the set is made from a text.
const VERIFICATION: u64 = 16_384;

/// What is wrong with a list that has ids outside of the range that it was cut to.
pub(super) const OUTSIDE: &str = "a posting list is not in ascending order";

/// What a search works on: one query in one segment.
pub(super) struct Task<'s, P> {
    pub(super) postings: &'s P,
    pub(super) criterion: Criterion,
    pub(super) query: &'s [u64],
    /// The units of sizes that can match; not empty.
    pub(super) units: Range<u32>,
    pub(super) options: &'s SearchOptions<'s>,
}

impl<'s, P: Postings> Task<'s, P> {
    /// Finds the candidates: every unit that matches and is accepted is among them.
    ///
    /// Lists of P are counted for all units, and [`least_hits`] says how many hits a match has
    /// among them. Units whose matches may have none (all lists outside P are long then) are found
    /// by their share of common elements or by [counting long lists too](Self::count_long_lists),
    /// whichever reads less. Then the other lists are counted for the candidates only.
    pub(super) fn candidates<C: Count>(
        &self,
        counters: &mut Counters<C>,
        common: &mut Vec<u32>,
        candidates: &mut Vec<Candidate>,
        cost: &mut Cost,
    ) -> Result<(), IndexError> {
        let stop = self.options.stop;
        let least = self.needed(self.units.start).1;
        let mut lists = Lists::choose(self.postings, self.query, &self.units, least, stop, cost)?;
        let unprobed = lists.unprobed(self.query);
        let unbounded = self.units.start..self.last_needing(unprobed, &self.units);
        let boundaries = self.units_without_hits(&lists, unbounded, common);
        let long_entries = boundaries.iter().map(|&(_, entries)| u64::from(entries)).sum::<u64>();
        let entries = lists.entries() + long_entries;
        cost.entries += entries;
        counters.begin(self.units.clone(), entries);
        for block in lists.counted.chunks(LOOKUP_BLOCK) {
            self.check()?;
            block.iter().for_each(|&list| counters.count(list));
        }
        self.count_long_lists(&mut lists, &boundaries, counters)?;

        let cap = Cap { long_lists_counted: !boundaries.is_empty() };
        let shares = if lists.only_long_uncounted { self.postings.common_shares() } else { None };
        let mut bounds = LastBound::new(self);
        counters.mark(least_hits(least, unprobed), |unit, count| {
            let (size, needed) = bounds.of(unit);
            let unprobed = unprobed.min(cap.of(needed)).min(common_elements(shares, unit, size));
            let passes = count >= least_hits(needed, unprobed);
            if passes {
                candidates.push(Candidate::new(unit, size, needed));
            }
            passes
        });
        for &unit in common.iter() {
            if !counters.is_marked(unit) {
                counters.mark_uncounted(unit);
                let (size, needed) = bounds.of(unit);
                candidates.push(Candidate::new(unit, size, needed));
            }
        }
        candidates.retain_mut(|candidate| {
            let accepted = (self.options.accept)(candidate.unit);
            if let Some(accepted) = accepted {
                candidate.order = accepted.order;
                candidate.documents = accepted.documents;
            } else {
                counters.unmark(candidate.unit);
            }
            accepted.is_some()
        });
        candidates.sort_unstable_by_key(|candidate| candidate.unit);
        self.count_other_lists(lists, cap, counters, candidates, cost)?;
        if counters.outside() {
            return Err(self.postings.damaged(OUTSIDE));
        }
        cost.candidates += candidates.len() as u64;
        Ok(())
    }

    /// Decides how units are found whose matches may have no hit in P: those that need at most
    /// as many shared elements as there are long lists (`unbounded`), and may have that many common
    /// elements.
    ///
    /// Either they are listed in `common`, or the answer has, for the first lists outside P, the
    /// unit up to which [`Self::count_long_lists`] counts the list and the number of entries.
    fn units_without_hits(
        &self,
        lists: &Lists<P::List<'s>>,
        unbounded: Range<u32>,
        common: &mut Vec<u32>,
    ) -> Vec<(u32, u32)> {
        common.clear();
        if unbounded.is_empty() {
            return Vec::new();
        }
        let shares = self.postings.common_shares();
        if let Some(shares) = shares {
            self.common_units(shares, unbounded.clone(), common);
            if common.is_empty() {
                return Vec::new();
            }
        }
        let listed = if shares.is_some() { common.len() } else { unbounded.len() };
        let mut boundaries = Vec::with_capacity(lists.uncounted.len());
        let (mut entries, mut before) = (0, unbounded.clone());
        for (at, list) in lists.uncounted.iter().enumerate() {
            // Counted for the units that need no more than this list and the longer ones hold.
            let longer = lists.uncounted.len() - at;
            before.end = self.last_needing(longer as u32, &before);
            if before.is_empty() {
                break;
            }
            let length = list.within(&before).len();
            entries += u64::from(length);
            if entries > CANDIDATE * listed as u64 {
                if shares.is_none() {
                    common.extend(unbounded);
                }
                return Vec::new();
            }
            boundaries.push((before.end, length));
        }
        common.clear();
        boundaries
    }

    /// Counts long lists for the units that could have all that they must share in them.
    ///
    /// Let there be L lists outside P, ascending by length, l₁ … l_L. A unit that needs x ≤ L
    /// shared elements is counted in the first L − x + 1 of them. The others are x − 1, so a match
    /// has at least one hit (theorem 1). As x does not descend with the unit, list i is counted for
    /// a head of the units: those with x ≤ L − i + 1. What remains of each list is kept.
    fn count_long_lists<C: Count>(
        &self,
        lists: &mut Lists<P::List<'s>>,
        boundaries: &[(u32, u32)],
        counters: &mut Counters<C>,
    ) -> Result<(), IndexError> {
        for (at, (list, &(until, _))) in lists.uncounted.iter_mut().zip(boundaries).enumerate() {
            if at % LOOKUP_BLOCK == 0 {
                self.check()?;
            }
            counters.count(list.within(&(self.units.start..until)));
            *list = list.within(&(until..self.units.end));
        }
        Ok(())
    }

    /// Lists the units that may have as many common elements as a match of their size needs.
    fn common_units(&self, shares: &[u8], units: Range<u32>, common: &mut Vec<u32>) {
        /// Units that are turned away together.
        const CHUNK: usize = 64;
        let (size, needed) = self.needed(units.end - 1);
        let least = CommonShare::least(needed, size);
        let start = units.start;
        let mut bounds = LastBound::new(self);
        let shares = &shares[start as usize..units.end as usize];
        for (chunk, shares) in shares.chunks(CHUNK).enumerate() {
            if shares.iter().fold(0, |most, &share| most.max(share)) < least.0 {
                continue;
            }
            for (at, &share) in shares.iter().enumerate() {
                let unit = start + (chunk * CHUNK + at) as u32;
                if CommonShare(share) >= least {
                    let (size, needed) = bounds.of(unit);
                    if CommonShare(share).most(size) >= needed {
                        common.push(unit);
                    }
                }
            }
        }
    }

    /// Counts the lists outside P for the candidates, shortest first, and drops candidates that can
    /// no longer match; sets how much each may share.
    fn count_other_lists<C: Count>(
        &self,
        mut lists: Lists<P::List<'s>>,
        cap: Cap,
        counters: &mut Counters<C>,
        candidates: &mut Vec<Candidate>,
        cost: &mut Cost,
    ) -> Result<(), IndexError> {
        let mut unread = lists.unprobed(self.query);
        if self.worth_counting(&lists, candidates.len()) {
            let stop = self.options.stop;
            lists.look_up_rest(self.postings, self.query, &self.units, stop, cost)?;
            unread = lists.uncounted.len() as u32;
            for block in lists.uncounted.chunks(LOOKUP_BLOCK) {
                if candidates.len() <= FEW_CANDIDATES {
                    break;
                }
                self.check()?;
                for &list in block {
                    cost.entries += self.count_for(list, candidates, counters);
                }
                unread -= block.len() as u32;
                candidates.retain(|candidate| {
                    let count = counters.marked(candidate.unit);
                    let unprobed = unread.min(cap.of(candidate.needed));
                    let passes = count >= least_hits(candidate.needed, unprobed);
                    if !passes {
                        counters.unmark(candidate.unit);
                    }
                    passes
                });
            }
        }
        for candidate in candidates {
            let most = counters
                .marked(candidate.unit)
                .saturating_add(unread.min(cap.of(candidate.needed)));
            candidate.most = most.min(candidate.size).min(self.criterion.n());
        }
        Ok(())
    }

    /// Counts a list for marked units: reads it, or searches it if it is long and they are few.
    /// Returns the number of entries looked at.
    fn count_for<C: Count>(
        &self,
        list: P::List<'s>,
        candidates: &[Candidate],
        counters: &mut Counters<C>,
    ) -> u64 {
        if u64::from(list.len()) <= candidates.len() as u64 * SEARCH {
            let list = list.within(&self.units);
            counters.count_marked(list);
            return list.len().into();
        }
        for candidate in candidates {
            if list.contains(candidate.unit) {
                counters.increase(candidate.unit);
            }
        }
        candidates.len() as u64
    }

    /// Whether counting the other lists costs less than verifying the candidates.
    fn worth_counting(&self, lists: &Lists<P::List<'s>>, candidates: usize) -> bool {
        if candidates <= FEW_CANDIDATES {
            return false;
        }
        let candidates = candidates as u64;
        let lookups = (self.query.len() - lists.looked_up) as u64 * LOOKUP;
        let reads = |list: &P::List<'_>| u64::from(list.len()).min(candidates * SEARCH);
        let counting = lookups + lists.uncounted.iter().map(reads).sum::<u64>();
        counting < candidates * VERIFICATION
    }

    /// The size of a unit, and the least overlap of a match of that size.
    pub(super) fn needed(&self, unit: u32) -> (u32, u32) {
        let size = self.postings.size(unit);
        (size, self.criterion.needed(size))
    }

    /// [`Task::needed`] for units that follow one another.
    pub(super) fn last_bound(&self) -> LastBound<'_, 's, P> {
        LastBound::new(self)
    }

    /// The end of those of these units that need at most `shared` elements.
    fn last_needing(&self, shared: u32, units: &Range<u32>) -> u32 {
        if units.is_empty() || self.needed(units.end - 1).1 <= shared {
            return units.end;
        }
        let (mut low, mut high) = (units.start, units.end);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.needed(middle).1 <= shared {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    /// An error if the caller wants to stop.
    pub(super) fn check(&self) -> Result<(), IndexError> {
        if (self.options.stop)() { Err(IndexError::Interrupted) } else { Ok(()) }
    }
}

/// The least overlaps of matches, computed once for units of equal size that follow one another.
pub(super) struct LastBound<'t, 's, P> {
    task: &'t Task<'s, P>,
    size: u32,
    needed: u32,
}

impl<'t, 's, P: Postings> LastBound<'t, 's, P> {
    fn new(task: &'t Task<'s, P>) -> Self {
        Self { task, size: 0, needed: 0 }
    }

    /// The size of a unit, and the least overlap of a match of that size.
    pub(super) fn of(&mut self, unit: u32) -> (u32, u32) {
        let size = self.task.postings.size(unit);
        if size != self.size {
            (self.size, self.needed) = (size, self.task.criterion.needed(size));
        }
        (self.size, self.needed)
    }
}

impl Candidate {
    fn new(unit: u32, size: u32, needed: u32) -> Self {
        Self { unit, size, needed, most: size, documents: 0, order: 0 }
    }
}

/// Bound on the elements that a match shares through lists that were not counted for it.
#[derive(Debug, Clone, Copy)]
struct Cap {
    /// Whether [`Task::count_long_lists`] left each unit at most one list fewer than it needs.
    long_lists_counted: bool,
}

impl Cap {
    fn of(self, needed: u32) -> u32 {
        if self.long_lists_counted { needed.saturating_sub(1) } else { u32::MAX }
    }
}

/// The most elements of a unit that have long lists.
fn common_elements(shares: Option<&[u8]>, unit: u32, size: u32) -> u32 {
    shares.map_or(size, |shares| CommonShare(shares[unit as usize]).most(size))
}
