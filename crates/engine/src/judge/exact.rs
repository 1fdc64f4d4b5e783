//! Whole feature sets in, edges out.

use super::{Candidate, Edge, Judge, JudgeScratch, Tally};
use crate::{Collection, MatchSettings, Units};
use lookalike_core::{Overlap, Parity, overlap, overlap_at_least};
use rayon::prelude::*;
use std::sync::atomic::Ordering;

/// Intersects whole sets. Before that, three bounds turn candidates away unseen, none of them a match:
/// their sizes, the places of their first common key, and their parities.
#[derive(Debug)]
pub struct ExactJudge<'a> {
    collection: &'a Collection,
    units: &'a Units,
    settings: &'a MatchSettings,
    parities: Vec<Parity>,
    tally: &'a Tally,
}

impl<'a> ExactJudge<'a> {
    /// A judge of units whose sets are sorted where they take part.
    #[must_use]
    pub fn new(
        collection: &'a Collection,
        units: &'a Units,
        settings: &'a MatchSettings,
        takes_part: impl Fn(u32) -> bool + Sync,
        tally: &'a Tally,
    ) -> Self {
        let parity = |unit| match takes_part(unit) {
            true => Parity::of(units.set(collection, unit)),
            false => Parity::default(),
        };
        let parities = (0..units.len()).into_par_iter().map(parity).collect();
        Self { collection, units, settings, parities, tally }
    }

    fn counts(&self, unit: u32, with: u32, shared: u32) -> Overlap {
        Overlap { shared, a: self.units.size(unit), b: self.units.size(with) }
    }

    /// Sizes of the two, and the most that they can share.
    ///
    /// What they share lies at and after their first common key. That bound contains the length
    /// filter, as no overlap passes the smaller size.
    fn most(&self, unit: u32, candidate: Candidate) -> Overlap {
        let Candidate { unit: with, own, other } = candidate;
        let sizes = self.counts(unit, with, 0);
        let parity = |unit: u32| self.parities[unit as usize];
        let by_place = (sizes.a - own).min(sizes.b - other);
        let by_parity = parity(unit).most_shared(parity(with), sizes.a, sizes.b);
        Overlap { shared: by_place.min(by_parity), ..sizes }
    }

    fn reaches(&self, counts: Overlap) -> bool {
        self.settings.measure.reaches(self.settings.threshold, counts)
    }

    fn intersect(&self, unit: u32, with: u32, needed: u32) -> Option<Edge> {
        let set = |unit| self.units.set(self.collection, unit);
        let shared = overlap_at_least(set(unit), set(with), needed)?;
        Some(Edge { unit, with, shared })
    }

    fn needed(&self, sizes: Overlap) -> u32 {
        self.settings.measure.needed_overlap(self.settings.threshold, sizes.a, sizes.b)
    }
}

impl Judge for ExactJudge<'_> {
    /// Parity and size.
    type Glance = (Parity, u32);

    fn glance(&self, unit: u32) -> (Parity, u32) {
        (self.parities[unit as usize], self.units.size(unit))
    }

    #[inline]
    fn may_match(&self, a: (Parity, u32), b: (Parity, u32)) -> bool {
        self.reaches(Overlap { shared: a.0.most_shared(b.0, a.1, b.1).min(b.1), a: a.1, b: b.1 })
    }

    fn in_reach(&self, unit: u32, own: u32, least: u32) -> bool {
        // At most `rest` elements can be shared; of all larger sets one of that size matches best.
        let size = self.units.size(unit);
        let rest = size - own;
        self.reaches(Overlap { shared: rest, a: size, b: least.max(rest) })
    }

    fn edge(&self, unit: u32, candidate: Candidate) -> Option<Edge> {
        let most = self.most(unit, candidate);
        if !self.reaches(most) {
            return None;
        }
        self.tally.verified.fetch_add(1, Ordering::Relaxed);
        self.intersect(unit, candidate.unit, self.needed(most))
    }

    fn best(
        &self,
        unit: u32,
        candidates: &[Candidate],
        scratch: &mut JudgeScratch,
    ) -> Option<Edge> {
        let measure = self.settings.measure;
        let left = &mut scratch.within_reach;
        left.clear();
        left.extend(candidates.iter().filter_map(|&candidate| {
            let most = self.most(unit, candidate);
            self.reaches(most).then_some((candidate.unit, most))
        }));
        // The most promising first: what it reaches turns most of the others away.
        let promising = (0..left.len()).reduce(|best, next| {
            if measure.compare(left[next].1, left[best].1).is_gt() { next } else { best }
        })?;
        left.swap(0, promising);
        let mut verified = 0;
        let mut best: Option<Edge> = None;
        for &(with, most) in left.iter() {
            let needed = match best {
                None => self.needed(most),
                Some(best) => {
                    let counts = self.counts(unit, best.with, best.shared);
                    measure.needed_to_match(counts, most.b, with > best.with)
                }
            };
            if most.shared >= needed {
                verified += 1;
                best = self.intersect(unit, with, needed).or(best);
            }
        }
        self.tally.verified.fetch_add(verified, Ordering::Relaxed);
        best
    }

    fn better(&self, left: Edge, right: Edge) -> Edge {
        let counts = |e: Edge| self.counts(e.unit, e.with, e.shared);
        let order = self.settings.measure.compare(counts(left), counts(right));
        if order.then(right.with.cmp(&left.with)).is_ge() { left } else { right }
    }

    fn shared(&self, unit: u32, with: u32) -> u32 {
        let set = |unit| self.units.set(self.collection, unit);
        overlap(set(unit), set(with))
    }
}
