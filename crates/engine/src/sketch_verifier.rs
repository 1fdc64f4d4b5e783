//! Verifier by a method's sketches: its own rule and estimates.

use crate::{Collection, Edge, Units};
use lookalike_join::{Candidate, SetId, Statistics, Verifier};
use lookalike_methods::{Evidence, Method, Sketch};

/// Compares sketches.
#[derive(Debug)]
pub struct SketchVerifier<'a> {
    collection: &'a Collection,
    units: &'a Units,
    method: &'a dyn Method,
    statistics: &'a Statistics,
}

impl<'a> SketchVerifier<'a> {
    /// A verifier of units that were signed with the method.
    #[must_use]
    pub fn new(
        collection: &'a Collection,
        units: &'a Units,
        method: &'a dyn Method,
        statistics: &'a Statistics,
    ) -> Self {
        Self { collection, units, method, statistics }
    }

    fn compare(&self, a: SetId, b: SetId) -> Evidence {
        let sketch = |unit| sketch(self.collection, self.units, unit);
        self.method.compare(sketch(a), sketch(b))
    }
}

/// The sketch of a unit.
pub(crate) fn sketch<'c>(collection: &'c Collection, units: &Units, unit: SetId) -> Sketch<'c> {
    let place = units.place(unit);
    collection.signatures(place.chunk).sketch(place.index)
}

impl Verifier for SketchVerifier<'_> {
    type Summary = ();

    fn summary(&self, _unit: SetId) {}

    fn verify(
        &self,
        unit: SetId,
        candidate: Candidate,
        _summaries: ((), ()),
        best: Option<Edge>,
    ) -> Option<Edge> {
        self.statistics.add_verified();
        let evidence = self.compare(unit, candidate.set);
        if !self.method.accepts(evidence) {
            return None;
        }
        let better =
            best.is_none_or(|best| evidence.compare(self.compare(unit, best.earlier)).is_gt());
        better.then_some(Edge { later: unit, earlier: candidate.set, shared: 0 })
    }
}
