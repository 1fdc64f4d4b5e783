//! A key in common in, an edge out: what most of the papers' fast methods do.

use super::{Candidate, Edge, Judge};

/// Takes every candidate.
#[derive(Debug, Clone, Copy, Default)]
pub struct KeyJudge;

impl Judge for KeyJudge {
    type Glance = ();

    fn glance(&self, _unit: u32) {}

    /// All are equally good, so the first in precedence.
    fn improve(
        &self,
        unit: u32,
        candidate: Candidate,
        _glances: ((), ()),
        best: Option<Edge>,
    ) -> Option<Edge> {
        let with = candidate.unit;
        best.is_none_or(|best| with < best.with).then_some(Edge { unit, with, shared: 0 })
    }
}
