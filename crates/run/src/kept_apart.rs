//! Pairs that reach the threshold and do not match, as they lack what documents need to have in
//! common (the settings distinct_by and separate_by): for the table of near misses.
//!
//! The run itself never sees them, as such documents have no elements in common there. So the
//! documents are read and joined once more without the condition.

use lookalike_core::Overlap;
use lookalike_engine::{
    Approach, Collection, DocumentId, Edge, EngineError, Linkage, MatchOptions, MatchSettings,
    Progress, SetId, Units, find,
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
    /// Those of a join.
    pub(crate) fn find(
        mut collection: Collection,
        (units, edges): (&Units, &[Edge]),
        settings: &MatchSettings,
        options: &MatchOptions,
        max_pairs: u64,
        progress: &dyn Progress,
    ) -> Result<Self, EngineError> {
        let all = Units::new(&collection, &[], settings.measure, progress)?;
        collection.spill_for_join()?;
        let settings = MatchSettings { boilerplate: None, ..settings.clone() };
        let options = MatchOptions {
            linkage: Linkage::Components,
            list_pairs: Some(max_pairs),
            contained: None,
            loss: None,
            templates: None,
            only_protected: false,
            ..options.clone()
        };
        let found = find(&collection, &all, &settings, &Approach::default(), &options, progress)?;
        if !found.pairs.complete {
            return Ok(Self::default());
        }
        let known: BTreeSet<(SetId, SetId)> =
            edges.iter().map(|edge| (edge.later, edge.earlier)).collect();
        let are_apart =
            |a: SetId, b: SetId| a != b && !known.contains(&(a, b)) && !known.contains(&(b, a));
        let mut kept = Self { pairs: Vec::new(), complete: true };
        let mut add = |a: &[DocumentId], b: &[DocumentId], counts: Overlap| {
            for &a in a {
                kept.pairs.extend(b.iter().map(|&b| (a, b, counts)));
            }
            kept.pairs.len() as u64 <= max_pairs
        };
        let mut fits = true;
        for unit in all.ids() {
            let (size, parts) = (all.size(unit), parts(&all, unit, units));
            let counts = Overlap { shared: size, a: size, b: size };
            let parts: Vec<&Vec<DocumentId>> = parts.values().collect();
            for (at, a) in parts.iter().enumerate() {
                fits = fits && parts[..at].iter().all(|b| add(a, b, counts));
            }
        }
        for edge in &found.pairs.edges {
            let counts =
                Overlap { shared: edge.shared, a: all.size(edge.later), b: all.size(edge.earlier) };
            let (later, earlier) =
                (parts(&all, edge.later, units), parts(&all, edge.earlier, units));
            for (x, a) in &later {
                let mut apart = earlier.iter().filter(|(y, _)| are_apart(*x, **y));
                fits = fits && apart.all(|(_, b)| add(a, b, counts));
            }
        }
        Ok(if fits { kept } else { Self::default() })
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
