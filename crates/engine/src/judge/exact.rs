//! Whole feature sets in, edges out.

use super::{Candidate, Edge, Judge, Tally};
use crate::sparse::SparseIndex;
use crate::{Collection, MatchSettings, Units};
use lookalike_core::{Overlap, Parity, overlap, overlap_at_least};
use rayon::prelude::*;
use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};

/// Intersects whole sets. Before that, three bounds turn candidates away unseen, none of them a match:
/// their sizes, the places of their first common key, and their parities.
#[derive(Debug)]
pub struct ExactJudge<'a> {
    collection: &'a Collection,
    units: &'a Units,
    settings: &'a MatchSettings,
    /// The units that take part, and their parities.
    taking_part: SparseIndex,
    parities: Vec<Parity>,
    /// For the sets of two units that are not in memory; one for each thread, so that nobody waits.
    buffers: Vec<Mutex<[Vec<u64>; 2]>>,
    tally: &'a Tally,
}

impl<'a> ExactJudge<'a> {
    /// A judge of units whose sets are sorted where they take part.
    #[must_use]
    pub fn new(
        collection: &'a Collection,
        units: &'a Units,
        settings: &'a MatchSettings,
        takes_part: impl Fn(u32) -> bool,
        tally: &'a Tally,
    ) -> Self {
        let parity = |buffer: &mut Vec<u64>, unit| Parity::of(units.set(collection, unit, buffer));
        let taking_part = SparseIndex::new(units.len(), takes_part);
        let chosen: Vec<u32> = taking_part.iter().collect();
        let parities = chosen.into_par_iter().map_init(Vec::new, parity).collect();
        let threads = rayon::current_num_threads() + 1;
        let buffers = std::iter::repeat_with(Mutex::default).take(threads).collect();
        Self { collection, units, settings, taking_part, parities, buffers, tally }
    }

    /// Calls `with` for the sets of two units, sorted.
    fn sets<T>(&self, a: u32, b: u32, with: impl FnOnce(&[u64], &[u64]) -> T) -> T {
        // Whoever is not of the pool takes the last one.
        let thread = rayon::current_thread_index().unwrap_or(usize::MAX);
        let buffers = &self.buffers[thread.min(self.buffers.len() - 1)];
        let mut buffers = buffers.lock().unwrap_or_else(PoisonError::into_inner);
        let [x, y] = &mut *buffers;
        let place = |unit| self.units.place(unit);
        with(self.collection.sorted_set(place(a), x), self.collection.sorted_set(place(b), y))
    }

    fn reaches(&self, counts: Overlap) -> bool {
        self.settings.measure.reaches(self.settings.threshold, counts)
    }
}

/// Sizes of two units, and the most that they can share.
///
/// What they share lies at and after their first common key. That bound contains the length filter,
/// as no overlap passes the smaller size.
#[inline]
fn most(candidate: Candidate, a: (Parity, u32), b: (Parity, u32)) -> Overlap {
    let by_place = (a.1 - candidate.own).min(b.1 - candidate.other);
    let by_parity = a.0.most_shared(b.0, a.1, b.1);
    Overlap { shared: by_place.min(by_parity), a: a.1, b: b.1 }
}

impl Judge for ExactJudge<'_> {
    /// Parity and size.
    type Glance = (Parity, u32);

    fn glance(&self, unit: u32) -> (Parity, u32) {
        let place = self.taking_part.place(unit);
        let parity = place.map_or_else(Parity::default, |place| self.parities[place as usize]);
        (parity, self.units.size(unit))
    }

    fn in_reach(&self, unit: u32, own: u32, least: u32) -> bool {
        // At most `rest` elements can be shared; of all larger sets one of that size matches best.
        let size = self.units.size(unit);
        let rest = size - own;
        self.reaches(Overlap { shared: rest, a: size, b: least.max(rest) })
    }

    #[inline]
    fn improve(
        &self,
        unit: u32,
        candidate: Candidate,
        (a, b): (Self::Glance, Self::Glance),
        best: Option<Edge>,
    ) -> Option<Edge> {
        let most = most(candidate, a, b);
        if !self.reaches(most) {
            return None;
        }
        let MatchSettings { measure, threshold, .. } = *self.settings;
        let needed = match best {
            None => measure.needed_overlap(threshold, most.a, most.b),
            Some(best) => {
                let counts =
                    Overlap { shared: best.shared, a: most.a, b: self.units.size(best.with) };
                let strictly = candidate.unit > best.with;
                measure.needed_to_match(counts, most.b, strictly)
            }
        };
        if most.shared < needed {
            return None;
        }
        self.tally.verified.fetch_add(1, Ordering::Relaxed);
        let shared = self.sets(unit, candidate.unit, |a, b| overlap_at_least(a, b, needed))?;
        Some(Edge { unit, with: candidate.unit, shared })
    }

    fn shared(&self, unit: u32, with: u32) -> u32 {
        self.sets(unit, with, overlap)
    }
}
