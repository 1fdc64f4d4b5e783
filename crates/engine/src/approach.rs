//! How candidates are found, and what decides about them.

use crate::sketch_verifier::sketch;
use crate::{Collection, Edge, Units};
use lookalike_core::{CommonElements, Overlap};
use lookalike_methods::{Evidence, Method};
use std::sync::Arc;

/// What decides whether two candidates match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verify {
    /// Their whole feature sets.
    #[default]
    Exact,
    /// The method's own sketches.
    Sketch,
    /// Nothing more: a key in common is enough.
    None,
}

impl Verify {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Exact, Self::Sketch, Self::None];

    /// The name that settings use.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Sketch => "sketch",
            Self::None => "none",
        }
    }
}

/// The exact join, or a method of the papers with its verification.
#[derive(Debug, Clone, Default)]
pub struct Approach {
    /// The method by which candidates are found; `None` for the exact join, which misses nothing.
    pub method: Option<Arc<dyn Method>>,
    /// What decides about the method's candidates. The exact join knows only [`Verify::Exact`].
    pub verify: Verify,
    /// Keys that more units than this have are not looked up, and counted. It makes the answer depend on
    /// the rest of the collection, so it has no default.
    pub key_limit: Option<u32>,
    /// Shingles that the method removes from every set before it signs it; `None` for none.
    pub common: Option<Arc<CommonElements>>,
}

impl Approach {
    /// Whether whole feature sets are needed.
    #[must_use]
    pub fn keeps_sets(&self) -> bool {
        self.method.is_none() || self.verify == Verify::Exact
    }

    /// The evidence for an edge: that of whole sets, of the sketches, or a key in common.
    #[must_use]
    pub fn evidence(&self, collection: &Collection, units: &Units, edge: Edge) -> Evidence {
        let Edge { later, earlier, shared } = edge;
        match (&self.method, self.verify) {
            (Some(method), Verify::Sketch) => {
                let sketch = |unit| sketch(collection, units, unit);
                method.compare(sketch(later), sketch(earlier))
            }
            (Some(_), Verify::None) => Evidence::SameKey,
            (Some(_), Verify::Exact) | (None, _) => {
                Evidence::Exact(Overlap { shared, a: units.size(later), b: units.size(earlier) })
            }
        }
    }
}
