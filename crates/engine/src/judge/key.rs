//! A key in common in, an edge out: what most of the papers' fast methods do.

use super::{Candidate, Edge, Judge};

/// Takes every candidate.
#[derive(Debug, Clone, Copy, Default)]
pub struct KeyJudge;

impl Judge for KeyJudge {
    type Glance = ();

    fn glance(&self, _unit: u32) {}

    /// None is better than another.
    fn improve(
        &self,
        unit: u32,
        candidate: Candidate,
        _glances: ((), ()),
        best: Option<Edge>,
    ) -> Option<Edge> {
        best.is_none().then_some(Edge { unit, with: candidate.unit, shared: 0 })
    }
}
