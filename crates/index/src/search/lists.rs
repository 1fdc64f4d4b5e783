//! The posting lists of a query, and which of them are counted for every unit.

use super::common_share::LONG_LIST;
use super::criterion::elements_to_probe;
use super::postings::{InvertedIndex, LOOKUP_BLOCK, PostingList, Postings};
use crate::{Cost, IndexError};
use std::ops::Range;

/// Lists of up to this many entries are counted where they need not be: each raises the number of
/// hits that a match must have.
const TINY_LIST: u32 = 16;

/// Entries that may be read to avoid looking up the rest of the query.
const FEW_ENTRIES: u64 = 512;

/// Entries from which a list is cut to the units that can match only when it is read: to find where
/// to cut reads cache lines from all over the list, and many long lists are never read.
const CUT_LATER: u32 = 4 * LONG_LIST;

/// The posting lists of a query Q, cut to the units that can match; those of [`CUT_LATER`] entries
/// are whole.
#[derive(Debug)]
pub(super) struct Lists<L> {
    /// The lists of P that are not empty, all cut.
    pub(super) counted: Vec<L>,
    /// The lists of Q∖P that were looked up and are not empty, ascending by length.
    pub(super) uncounted: Vec<L>,
    /// The elements of Q from this one on were not looked up.
    pub(super) looked_up: usize,
    /// Elements that were looked up and have empty lists; they belong to P.
    empty: usize,
    /// Whether all of Q was looked up and the lists of Q∖P are all long ([`LONG_LIST`]).
    pub(super) only_long_uncounted: bool,
}

impl<L: PostingList> Lists<L> {
    /// Looks up as much of the query as is needed and chooses P.
    ///
    /// Every match shares at least `least` elements with the query, so that P must have
    /// [`elements_to_probe`] of them: k. The lowest k and some more are looked up, as the front of
    /// the file is the part that stays resident; then half as many again, until the k shortest of
    /// these lists are short. They and all tiny ones are P. If the whole query is looked up and the
    /// k shortest lists are not short, P is all that are not long; that may be fewer than k.
    pub(super) fn choose<'p, P>(
        postings: &'p P,
        query: &[u64],
        units: &Range<u32>,
        least: u32,
        stop: &dyn Fn() -> bool,
        cost: &mut Cost,
    ) -> Result<Self, IndexError>
    where
        P: Postings<List<'p> = L>,
    {
        let k = elements_to_probe(query.len() as u32, least) as usize;
        let mut lists = Self {
            counted: Vec::with_capacity(query.len()),
            uncounted: Vec::new(),
            looked_up: 0,
            empty: 0,
            only_long_uncounted: false,
        };
        let mut until = k + 16 + k / 8;
        while lists.looked_up < query.len() {
            until = until.min(query.len());
            lists.look_up(postings, &query[..until], units, TINY_LIST, stop, cost)?;
            if lists.complete(k) {
                return Ok(lists);
            }
            until += until / 2;
        }
        let counted = &mut lists.counted;
        lists.uncounted.retain(|list| {
            let long = list.len() >= LONG_LIST;
            if !long {
                counted.push(*list);
            }
            long
        });
        lists.uncounted.sort_unstable_by_key(|list| list.len());
        lists.only_long_uncounted = true;
        Ok(lists)
    }

    /// Looks up the rest of the query for lists that are not counted for every unit.
    pub(super) fn look_up_rest<'p, P>(
        &mut self,
        postings: &'p P,
        query: &[u64],
        units: &Range<u32>,
        stop: &dyn Fn() -> bool,
        cost: &mut Cost,
    ) -> Result<(), IndexError>
    where
        P: InvertedIndex<List<'p> = L>,
    {
        if self.looked_up < query.len() {
            self.look_up(postings, query, units, 0, stop, cost)?;
            self.uncounted.sort_unstable_by_key(|list| list.len());
        }
        Ok(())
    }

    /// Looks up the elements of the query that were not yet; lists of up to `counted` entries are
    /// put into P.
    fn look_up<'p, P>(
        &mut self,
        postings: &'p P,
        query: &[u64],
        units: &Range<u32>,
        counted: u32,
        stop: &dyn Fn() -> bool,
        cost: &mut Cost,
    ) -> Result<(), IndexError>
    where
        P: InvertedIndex<List<'p> = L>,
    {
        for block in query[self.looked_up..].chunks(LOOKUP_BLOCK) {
            if stop() {
                return Err(IndexError::Interrupted);
            }
            postings.prefetch(block);
            for &element in block {
                let list = postings.lookup(element);
                let cut = (1..CUT_LATER).contains(&list.len());
                let list = if cut { list.within(units) } else { list };
                match list.len() {
                    0 => self.empty += 1,
                    length if length <= counted => self.counted.push(list),
                    _ => self.uncounted.push(list),
                }
            }
            self.looked_up += block.len();
            cost.lookups += block.len() as u64;
        }
        Ok(())
    }

    /// Moves the shortest lists into P until it has k elements, if that reads few entries.
    fn complete(&mut self, k: usize) -> bool {
        let missing = k.saturating_sub(self.empty + self.counted.len());
        if missing > self.uncounted.len() {
            return false;
        }
        if missing > 0 {
            self.uncounted.select_nth_unstable_by_key(missing - 1, |list| list.len());
            // Few entries: all of these are cut.
            let shortest = &self.uncounted[..missing];
            if shortest.iter().map(|list| u64::from(list.len())).sum::<u64>() > FEW_ENTRIES {
                return false;
            }
            self.counted.extend(self.uncounted.drain(..missing));
        }
        self.uncounted.sort_unstable_by_key(|list| list.len());
        true
    }

    /// |Q∖P|, without elements that no unit has.
    pub(super) fn unprobed(&self, query: &[u64]) -> u32 {
        (self.uncounted.len() + query.len() - self.looked_up) as u32
    }

    /// Entries of the lists of P.
    pub(super) fn entries(&self) -> u64 {
        self.counted.iter().map(|list| u64::from(list.len())).sum()
    }
}
