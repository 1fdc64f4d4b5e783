//! Exact verifier: intersects whole feature sets.

use super::counts::CountsAt;
use super::{Candidate, ComparedSets, Edge, Judge, Tally};
use crate::{Collection, EngineError, MatchSettings, Units};
use lookalike_core::{BitmapSignature, Overlap};
use std::sync::atomic::Ordering;

/// Intersects whole sets. Before that, four filters turn candidates away, none of them a match: the length
/// filter, the positional filter of the first common key, the bitmap filter ([`BitmapSignature`]), and for large
/// sets the bucket counts ([`lookalike_core::bucket_counts`]).
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

/// Data of a set for the filters, stored contiguously where sets are visited in sequence.
#[derive(Debug, Clone, Copy)]
pub struct SetSummary {
    parity: BitmapSignature,
    size: u32,
    counts: CountsAt,
}

/// Sizes of two units, and the most that they can share by the positional filter and by parity.
///
/// What they share lies at and after their first common key. That bound contains the length filter,
/// as no overlap passes the smaller size.
#[inline]
fn most(candidate: Candidate, a: &SetSummary, b: &SetSummary) -> Overlap {
    let by_position = (a.size - candidate.own).min(b.size - candidate.other);
    let by_parity = a.parity.most_shared(b.parity, a.size, b.size);
    Overlap { shared: by_position.min(by_parity), a: a.size, b: b.size }
}

impl Judge for ExactJudge<'_> {
    type Glance = SetSummary;

    fn glance(&self, unit: u32) -> SetSummary {
        let (parity, counts) = self.sets.summary(unit);
        SetSummary { parity, size: self.units.size(unit), counts }
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
        let most = most(candidate, &a, &b);
        if !self.reaches(most) {
            return None;
        }
        let MatchSettings { measure, threshold, .. } = *self.settings;
        let needed = match best {
            None => measure.needed_overlap(threshold, most.a, most.b),
            Some(best) => {
                let counts =
                    Overlap { shared: best.shared, a: most.a, b: self.units.size(best.with) };
                measure.needed_to_match(counts, most.b, true)
            }
        };
        if most.shared < needed {
            return None;
        }
        self.tally.verified.fetch_add(1, Ordering::Relaxed);
        let sizes = u64::from(most.a) + u64::from(most.b);
        // No more than both sizes: neither set shares more than it has.
        let may_differ = sizes.saturating_sub(2 * u64::from(needed));
        if !self.sets.may_differ_by(a.counts, b.counts, may_differ) {
            return None;
        }
        self.tally.intersected.fetch_add(1, Ordering::Relaxed);
        let shared =
            self.sets.shared(self.collection, self.units, (unit, candidate.unit), needed)?;
        Some(Edge { unit, with: candidate.unit, shared })
    }

    fn shared(&self, unit: u32, with: u32) -> u32 {
        self.sets.shared(self.collection, self.units, (unit, with), 0).unwrap_or(0)
    }
}
