//! A method's sketches in, edges out: by the method's own rule and estimates.

use super::{Candidate, Edge, Judge, Tally};
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
        collection.signatures(place.block).sketch(place.index)
    }

    fn compare(&self, unit: u32, with: u32) -> Evidence {
        let sketch = |unit| Self::sketch(self.collection, self.units, unit);
        self.method.compare(sketch(unit), sketch(with))
    }
}

impl Judge for SketchJudge<'_> {
    type Glance = ();

    fn glance(&self, _unit: u32) {}

    fn improve(
        &self,
        unit: u32,
        candidate: Candidate,
        _glances: ((), ()),
        best: Option<Edge>,
    ) -> Option<Edge> {
        self.tally.verified.fetch_add(1, Ordering::Relaxed);
        let evidence = self.compare(unit, candidate.unit);
        if !self.method.accepts(evidence) {
            return None;
        }
        let better =
            best.is_none_or(|best| evidence.compare(self.compare(unit, best.with)).is_gt());
        better.then_some(Edge { unit, with: candidate.unit, shared: 0 })
    }
}
