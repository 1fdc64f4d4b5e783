//! How candidates are found and verified.

use crate::sketch_verifier::sketch;
use crate::{Collection, Edge, Units};
use lookalike_core::{CommonElements, Overlap};
use lookalike_decide::Verify;
use lookalike_methods::{Evidence, Method};
use std::sync::Arc;

/// The exact join, or a method of the papers with its verification.
#[derive(Debug, Clone, Default)]
pub struct Approach {
    /// The method that finds candidates; `None` for the exact join.
    pub method: Option<Arc<dyn Method>>,
    /// The verifier. The exact join has only [`Verify::Exact`].
    pub verify: Verify,
    /// Keys with longer posting lists are not looked up, and counted. This makes the result depend
    /// on the rest of the collection, so there is no default.
    pub key_limit: Option<u32>,
    /// Common shingles, removed from every set that the method signs; `None` for none.
    pub common: Option<Arc<CommonElements>>,
}

impl Approach {
    /// Whether whole feature sets are needed.
    #[must_use]
    pub fn keeps_sets(&self) -> bool {
        self.method.is_none() || self.verify == Verify::Exact
    }

    /// The evidence for a match: overlap of whole sets, of sketches, or a common key.
    #[must_use]
    pub fn evidence(&self, collection: &Collection, units: &Units, edge: Edge) -> Evidence {
        let Edge { later, earlier, shared } = edge;
        match (&self.method, self.verify) {
            (Some(method), Verify::Sketch) => {
                let is_signed = |unit| {
                    let place = units.place(unit);
                    collection.signatures(place.chunk).unsigned(place.index).is_none()
                };
                if !is_signed(later) || !is_signed(earlier) {
                    // Documents of one set, by their digests: there are no sketches to compare.
                    return Evidence::SameKey;
                }
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
