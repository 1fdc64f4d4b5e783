//! Candidates in, edges out: what decides whether two units match.
//!
//! Everything that looks for candidates ([`crate::pairs`], `leaders`, `links`) asks a
//! [`Judge`] and never learns which one. [`ExactJudge`] intersects whole feature sets and estimates
//! nothing; [`SketchJudge`] asks a method what its sketches say; [`KeyJudge`] takes a key in common for
//! proof.

mod counts;
mod exact;
mod key;
mod sets;
mod sketch;

pub(crate) use counts::COUNTS_SHARE;
pub use exact::ExactJudge;
pub use key::KeyJudge;
pub use sets::ComparedSets;
pub use sketch::SketchJudge;

use crate::postings::ExtendedPrefix;
use std::sync::atomic::{AtomicU64, Ordering};

/// Two units that match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edge {
    /// The unit that comes later in precedence (for containment: the one contained in the other).
    pub unit: u32,
    /// The unit that takes precedence.
    pub with: u32,
    /// Elements in both sets; 0 where the sets were not compared.
    pub shared: u32,
}

/// A unit met under a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Candidate {
    /// The unit met.
    pub unit: u32,
    /// Place of the first common key in the order of the unit that looks; 0 where it is not known.
    pub own: u32,
    /// Place of that key in the order of the unit met; 0 where it is not known.
    pub other: u32,
}

/// Decides about candidates. A function of the two units, never of who else is there.
pub trait Judge: Sync {
    /// The little that is looked at first: copied to where the kept units lie side by side.
    type Glance: Copy + Send + Sync;

    /// What there is to glance at in a unit.
    fn glance(&self, unit: u32) -> Self::Glance;

    /// Whether a unit can match any with `least` or more elements under the key at place `own` of
    /// its order, if it shares nothing before. Always, where places say nothing.
    fn in_reach(&self, unit: u32, own: u32, least: u32) -> bool {
        let _ = (unit, own, least);
        true
    }

    /// Whether a unit can match one of so many elements that it meets under a key at these places of the two
    /// orders, if they share nothing before. Always, where places say nothing.
    #[inline]
    fn could_match(&self, unit: u32, own: u32, (size, other): (u32, u32)) -> bool {
        let _ = (unit, own, size, other);
        true
    }

    /// The size of the largest set that can match this unit as the later one of a pair under a key at this position of
    /// its order, if they share nothing before.
    fn largest_earlier(&self, unit: u32, own: u32) -> u32 {
        let _ = (unit, own);
        u32::MAX
    }

    /// The same for the earlier one.
    fn largest_later(&self, unit: u32, own: u32) -> u32 {
        let _ = (unit, own);
        u32::MAX
    }

    /// The least number of keys that two units share if they match, and keys are those of prefixes.
    fn least_shared(&self, unit: u32, other: u32, extended: ExtendedPrefix) -> u32 {
        let _ = (unit, other, extended);
        1
    }

    /// The position for the positional filter of a key.
    fn least_position(&self, unit: u32, own: u32, extended: ExtendedPrefix) -> u32 {
        let _ = (unit, extended);
        own
    }

    /// The edge between a unit and a candidate, if they match.
    #[inline]
    fn edge(&self, unit: u32, candidate: Candidate) -> Option<Edge> {
        let glances = (self.glance(unit), self.glance(candidate.unit));
        self.improve(unit, candidate, glances, None)
    }

    /// The edge between a unit and a candidate, if they match and better than `best`, the edge to a unit
    /// that precedes the candidate. The glances are those of the two.
    fn improve(
        &self,
        unit: u32,
        candidate: Candidate,
        glances: (Self::Glance, Self::Glance),
        best: Option<Edge>,
    ) -> Option<Edge>;

    /// Elements that two units share, whether they match or not; 0 where sets are not compared.
    fn shared(&self, unit: u32, with: u32) -> u32 {
        let _ = (unit, with);
        0
    }
}

/// How much was looked at.
#[derive(Debug, Default)]
pub struct Tally {
    candidates: AtomicU64,
    verified: AtomicU64,
    intersected: AtomicU64,
}

impl Tally {
    /// Adds candidates.
    pub(crate) fn met(&self, candidates: usize) {
        self.candidates.fetch_add(candidates as u64, Ordering::Relaxed);
    }

    /// Goes back to earlier numbers: what was looked at in vain, until there was too much of it, differs from
    /// run to run.
    pub(crate) fn back_to(&self, candidates: u64, verified: u64) {
        self.candidates.store(candidates, Ordering::Relaxed);
        self.verified.store(verified, Ordering::Relaxed);
    }

    /// Pairs of units that met under a key.
    #[must_use]
    pub fn candidates(&self) -> u64 {
        self.candidates.load(Ordering::Relaxed)
    }

    /// Pairs that were decided by their sets: by bucket counts or by intersection.
    #[must_use]
    pub fn verified(&self) -> u64 {
        self.verified.load(Ordering::Relaxed)
    }

    /// Pairs whose sets were intersected. Depends on the memory that there was for counts.
    #[must_use]
    pub fn intersected(&self) -> u64 {
        self.intersected.load(Ordering::Relaxed)
    }
}
