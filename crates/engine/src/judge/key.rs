//! A key in common in, an edge out: what most of the papers' fast methods do.

use super::{Candidate, Edge, Judge, JudgeScratch};

/// Takes every candidate.
#[derive(Debug, Clone, Copy, Default)]
pub struct KeyJudge;

impl Judge for KeyJudge {
    type Glance = ();

    fn glance(&self, _unit: u32) {}

    fn may_match(&self, (): (), (): ()) -> bool {
        true
    }

    fn in_reach(&self, _unit: u32, _own: u32, _least: u32) -> bool {
        true
    }

    fn edge(&self, unit: u32, candidate: Candidate) -> Option<Edge> {
        Some(Edge { unit, with: candidate.unit, shared: 0 })
    }

    /// All are equally good, so the first in precedence.
    fn best(&self, unit: u32, candidates: &[Candidate], _: &mut JudgeScratch) -> Option<Edge> {
        let with = candidates.iter().map(|candidate| candidate.unit).min()?;
        Some(Edge { unit, with, shared: 0 })
    }

    fn better(&self, left: Edge, right: Edge) -> Edge {
        if left.with <= right.with { left } else { right }
    }

    fn shared(&self, _unit: u32, _with: u32) -> u32 {
        0
    }
}
