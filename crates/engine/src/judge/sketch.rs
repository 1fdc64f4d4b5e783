//! A method's sketches in, edges out: by the method's own rule and estimates.

use super::{Candidate, Edge, Judge, JudgeScratch, Tally};
use crate::{Collection, Units};
use lookalike_methods::{Evidence, Method, Sketch};
use std::sync::atomic::Ordering;

/// Compares sketches.
#[derive(Debug)]
pub struct SketchJudge<'a> {
    collection: &'a Collection,
    units: &'a Units,
    method: &'a dyn Method,
    tally: &'a Tally,
}

impl<'a> SketchJudge<'a> {
    /// A judge of units that were signed with the method.
    #[must_use]
    pub fn new(
        collection: &'a Collection,
        units: &'a Units,
        method: &'a dyn Method,
        tally: &'a Tally,
    ) -> Self {
        Self { collection, units, method, tally }
    }

    /// The sketch of a unit.
    pub(crate) fn sketch<'c>(collection: &'c Collection, units: &Units, unit: u32) -> Sketch<'c> {
        let place = units.place(unit);
        collection.blocks[place.block as usize].signatures.sketch(place.index)
    }

    fn compare(&self, unit: u32, with: u32) -> Evidence {
        let sketch = |unit| Self::sketch(self.collection, self.units, unit);
        self.method.compare(sketch(unit), sketch(with))
    }
}

impl Judge for SketchJudge<'_> {
    type Glance = ();

    fn glance(&self, _unit: u32) {}

    fn may_match(&self, (): (), (): ()) -> bool {
        true
    }

    fn in_reach(&self, _unit: u32, _own: u32, _least: u32) -> bool {
        true
    }

    fn edge(&self, unit: u32, candidate: Candidate) -> Option<Edge> {
        self.tally.verified.fetch_add(1, Ordering::Relaxed);
        let accepted = self.method.accepts(self.compare(unit, candidate.unit));
        accepted.then_some(Edge { unit, with: candidate.unit, shared: 0 })
    }

    fn best(&self, unit: u32, candidates: &[Candidate], _: &mut JudgeScratch) -> Option<Edge> {
        self.tally.verified.fetch_add(candidates.len() as u64, Ordering::Relaxed);
        let mut best: Option<(Evidence, u32)> = None;
        for &Candidate { unit: with, .. } in candidates {
            let evidence = self.compare(unit, with);
            if !self.method.accepts(evidence) {
                continue;
            }
            let better = best.is_none_or(|(so_far, earlier)| {
                evidence.compare(so_far).then(earlier.cmp(&with)).is_gt()
            });
            if better {
                best = Some((evidence, with));
            }
        }
        best.map(|(_, with)| Edge { unit, with, shared: 0 })
    }

    fn better(&self, left: Edge, right: Edge) -> Edge {
        let evidence = |edge: Edge| self.compare(edge.unit, edge.with);
        let order = evidence(left).compare(evidence(right));
        if order.then(right.with.cmp(&left.with)).is_ge() { left } else { right }
    }

    fn shared(&self, _unit: u32, _with: u32) -> u32 {
        0
    }
}
