//! Pairs that reach the threshold and do not match, as they lack what documents need to have in
//! common (the settings distinct_by and separate_by): for the table of near misses.
//!
//! The run itself never sees them, as such documents have no elements in common there. So the
//! documents are read and joined once more without the condition.

use crate::near_misses::all_pairs;
use lookalike_core::Overlap;
use lookalike_engine::{
    Collection, DocumentId, Edge, EngineError, MatchOptions, MatchSettings, Progress, SetId, Units,
};
use std::collections::{BTreeMap, BTreeSet};

/// The pairs of documents, in no particular order.
#[derive(Debug, Default)]
pub(crate) struct KeptApart {
    pub(crate) pairs: Vec<(DocumentId, DocumentId, Overlap)>,
    /// Whether these are all; otherwise there are none.
    pub(crate) complete: bool,
}

impl KeptApart {
    /// Joins a collection that was read without the condition. `units` and `edges` are those of the
    /// run, in which documents are of one unit or a pair only if they fulfil it; `edges` has all
    /// pairs that reach the threshold.
    ///
    /// # Errors
    /// As [`all_pairs`].
    pub(crate) fn find(
        mut collection: Collection,
        (units, edges): (&Units, &[Edge]),
        settings: MatchSettings,
        options: &MatchOptions,
        max_pairs: u64,
        progress: &dyn Progress,
    ) -> Result<Self, EngineError> {
        let all = Units::new(&collection, &[], settings.measure, progress)?;
        collection.spill_for_join()?;
        let found = all_pairs(&collection, &all, settings, options, max_pairs, progress)?;
        let Some(found) = found else { return Ok(Self::default()) };
        let known: BTreeSet<(SetId, SetId)> =
            edges.iter().map(|edge| (edge.later, edge.earlier)).collect();
        let are_apart =
            |a: SetId, b: SetId| a != b && !known.contains(&(a, b)) && !known.contains(&(b, a));
        // Documents of equal sets are apart as well, unless they do not match in any case.
        let across = collection.matches_across();
        let several = all.ids().filter(|&unit| !across && all.members(unit).len() > 1);
        let equal = several.map(|unit| (unit, unit, all.size(unit)));
        let pairs = found.iter().map(|edge| (edge.later, edge.earlier, edge.shared));
        let mut kept = Self { pairs: Vec::new(), complete: true };
        for (later, earlier, shared) in equal.chain(pairs) {
            let counts = Overlap { shared, a: all.size(later), b: all.size(earlier) };
            let (of_later, of_earlier) = (parts(&all, later, units), parts(&all, earlier, units));
            for (x, a) in &of_later {
                for (y, b) in &of_earlier {
                    if (later == earlier && x < y) || !are_apart(*x, *y) {
                        continue;
                    }
                    for &a in a {
                        kept.pairs.extend(b.iter().map(|&b| (a, b, counts)));
                    }
                    if kept.pairs.len() as u64 > max_pairs {
                        return Ok(Self::default());
                    }
                }
            }
        }
        Ok(kept)
    }
}

/// The documents of a unit, by their units in the run.
fn parts(all: &Units, unit: SetId, units: &Units) -> BTreeMap<SetId, Vec<DocumentId>> {
    let mut parts: BTreeMap<SetId, Vec<DocumentId>> = BTreeMap::new();
    for &document in all.members(unit) {
        if let Some(own) = units.of_document(document) {
            parts.entry(own).or_default().push(document);
        }
    }
    parts
}
