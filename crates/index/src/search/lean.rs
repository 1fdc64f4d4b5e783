//! The units of a lean segment that the counts of list entries and the bitmaps cannot turn away.

use super::candidates::{Candidate, OUTSIDE, Task};
use super::counters::{Count, Counters};
use super::criterion::{elements_to_probe, least_hits};
use super::postings::{LOOKUP_BLOCK, PostingList, Postings};
use crate::lean::LEAST_HITS;
use crate::{Cost, IndexError, Lean};
use lookalike_core::BitmapSignature;

impl<P: Postings> Task<'_, P> {
    /// Finds the candidates in a lean segment: every unit that matches and is accepted is among
    /// them.
    ///
    /// P is the first n − α + ℓ elements of the query in the order of the index, where α is the
    /// least that a match shares and ℓ is [`LEAST_HITS`], and all its lists are counted, long ones
    /// too: what is posted of a set is so little that each hit counts. By theorem 2
    /// ([`least_hits`]) a match has at least ℓ hits, or as many as it shares elements; most need
    /// many more.
    ///
    /// The question is one that [`Lean::answers`].
    pub(super) fn lean_candidates<C: Count>(
        &self,
        lean: &Lean,
        counters: &mut Counters<C>,
        probed: &mut Vec<u64>,
        candidates: &mut Vec<Candidate>,
        cost: &mut Cost,
    ) -> Result<(), IndexError> {
        let n = self.criterion.n();
        let least = self.needed(self.units.start).1;
        let probe = elements_to_probe(n, least) + LEAST_HITS - 1;
        lean.first(self.query, probe as usize, probed);
        let mut lists = Vec::with_capacity(probed.len());
        for block in probed.chunks(LOOKUP_BLOCK) {
            self.check()?;
            self.postings.prefetch(block);
            let lookup = |&element: &u64| self.postings.lookup(element).within(&self.units);
            lists.extend(block.iter().map(lookup).filter(|list| !list.is_empty()));
            cost.lookups += block.len() as u64;
        }
        let entries = lists.iter().map(|list| u64::from(list.len())).sum();
        cost.entries += entries;
        counters.begin(self.units.clone(), entries);
        for block in lists.chunks(LOOKUP_BLOCK) {
            self.check()?;
            block.iter().for_each(|&list| counters.count(list));
        }
        let not_probed = n.saturating_sub(probed.len() as u32);
        let query = BitmapSignature::of(self.query);
        let mut bounds = self.last_bound();
        counters.mark(1, |unit, hits| {
            let (size, needed) = bounds.of(unit);
            let unknown = not_probed.max(lean.not_posted(size));
            if hits < least_hits(needed, unknown) {
                return false;
            }
            let bitmap = self.postings.bitmap(unit);
            let by_bitmap = bitmap.map_or(size, |bitmap| query.most_shared(bitmap, n, size));
            let most = hits.saturating_add(unknown).min(by_bitmap).min(size).min(n);
            if most < needed {
                return false;
            }
            let Some(accepted) = (self.options.accept)(unit) else { return false };
            let (documents, order) = (accepted.documents, accepted.order);
            candidates.push(Candidate { unit, size, needed, most, documents, order });
            true
        });
        if counters.outside() {
            return Err(self.postings.damaged(OUTSIDE));
        }
        candidates.sort_unstable_by_key(|candidate| candidate.unit);
        cost.candidates += candidates.len() as u64;
        Ok(())
    }
}
