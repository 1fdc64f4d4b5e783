//! Whole feature sets in, edges out.

use super::{Candidate, ComparedSets, Edge, Judge, Tally};
use crate::{Collection, EngineError, MatchSettings, Units};
use lookalike_core::{Overlap, Parity};
use std::sync::atomic::Ordering;

/// Intersects whole sets. Before that, three bounds turn candidates away unseen, none of them a match:
/// their sizes, the places of their first common key, and their parities.
#[derive(Debug)]
pub struct ExactJudge<'a> {
    collection: &'a Collection,
    units: &'a Units,
    settings: &'a MatchSettings,
    sets: ComparedSets,
    tally: &'a Tally,
}

impl<'a> ExactJudge<'a> {
    /// A judge of the units whose sets are at hand.
    #[must_use]
    pub fn new(
        collection: &'a Collection,
        units: &'a Units,
        settings: &'a MatchSettings,
        sets: ComparedSets,
        tally: &'a Tally,
    ) -> Self {
        Self { collection, units, settings, sets, tally }
    }

    /// Whether a set could not be read.
    pub(crate) fn has_failed(&self) -> bool {
        self.sets.has_failed()
    }

    /// Whether all sets that were compared could be read.
    ///
    /// # Errors
    /// The first that could not.
    pub(crate) fn check(&self) -> Result<(), EngineError> {
        self.sets.check(self.collection)
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
        (self.sets.parity(unit), self.units.size(unit))
    }

    fn in_reach(&self, unit: u32, own: u32, least: u32) -> bool {
        // At most `rest` elements can be shared; of all larger sets one of that size matches best.
        let size = self.units.size(unit);
        let rest = size - own;
        self.reaches(Overlap { shared: rest, a: size, b: least.max(rest) })
    }

    #[inline]
    fn could_match(&self, unit: u32, own: u32, other: (u32, u32)) -> bool {
        self.settings.could_match((self.units.size(unit), own), other)
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
        let shared =
            self.sets.shared(self.collection, self.units, (unit, candidate.unit), needed)?;
        Some(Edge { unit, with: candidate.unit, shared })
    }

    fn shared(&self, unit: u32, with: u32) -> u32 {
        self.sets.shared(self.collection, self.units, (unit, with), 0).unwrap_or(0)
    }
}
