//! Matches by pair of values, where documents match only across values: how much of the test data is in
//! the training data.

use crate::LookalikeError;
use crate::analysis::Analysis;
use crate::reading::Documents;
use crate::reread::read_some;
use lookalike_engine::{Across, DocumentId, Linkage};
pub use lookalike_report::CountedBy;
use lookalike_report::{AcrossPair, AcrossSummary, AcrossValue};
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

/// Values that are named: those of the most documents.
const NAMED: usize = 12;

/// A value of documents.
#[derive(Debug, Clone, Copy)]
pub struct Value {
    /// Its key ([`lookalike_engine::across`]).
    pub key: u64,
    /// Number of its documents.
    pub documents: u64,
    /// The first of them.
    pub first: u64,
}

/// The values of a collection: those of the most documents, and the others together.
#[derive(Debug)]
pub struct Values {
    largest: Vec<Value>,
    /// Number of other values, and of their documents.
    others: (u64, u64),
    places: HashMap<u64, usize>,
}

impl Values {
    /// Enough of the largest values of each part to choose those that are named.
    pub const CANDIDATES: usize = NAMED + 1;

    /// Chooses the values that are named. `others` are further values, of fewer documents each, and
    /// their documents.
    #[must_use]
    pub fn new(mut all: Vec<Value>, others: (u64, u64)) -> Self {
        Self::sort(&mut all);
        // A single value beside those that are named is named as well.
        let one_more = all.len() == Self::CANDIDATES && others.0 == 0;
        let named = all.len().min(NAMED + usize::from(one_more));
        let left = &all[named..];
        let documents: u64 = left.iter().map(|value| value.documents).sum();
        let others = (others.0 + left.len() as u64, others.1 + documents);
        all.truncate(named);
        let places = (0..).zip(&all).map(|(at, value)| (value.key, at)).collect();
        Self { largest: all, others, places }
    }

    /// By descending number of documents.
    pub fn sort(values: &mut [Value]) {
        values.sort_unstable_by_key(|value| (Reverse(value.documents), value.first));
    }

    /// The values that are named.
    #[must_use]
    pub fn largest(&self) -> &[Value] {
        &self.largest
    }

    /// Which of the listed values a key is of; that of the others comes last.
    #[must_use]
    pub fn place(&self, key: u64) -> usize {
        self.places.get(&key).copied().unwrap_or(self.largest.len())
    }

    /// The numbers of a run. `names` are those of the largest values.
    #[must_use]
    pub fn summary(
        &self,
        by: &Across,
        names: Vec<String>,
        counted: CountedBy,
        counts: Counts,
    ) -> AcrossSummary {
        let value =
            |(value, found): (String, &Value)| AcrossValue { value, documents: found.documents };
        let mut values: Vec<AcrossValue> =
            names.into_iter().zip(&self.largest).map(value).collect();
        let (others, documents) = self.others;
        if others > 0 {
            values.push(AcrossValue { value: String::new(), documents });
        }
        let pair = |((of, with), (documents, pairs))| AcrossPair {
            of,
            with,
            documents,
            millionths: documents * 1_000_000 / values[of].documents.max(1),
            pairs,
        };
        let pairs = counts.into_iter().map(pair).collect();
        AcrossSummary { by: by.to_string(), counted, values, others, pairs }
    }
}

/// Documents, and pairs of documents, by pair of values.
pub type Counts = BTreeMap<(usize, usize), (u64, Option<u64>)>;

/// The numbers of a run; `None` if documents match whatever their values are. Reads again one document of
/// each value that is named.
///
/// # Errors
/// Documents that cannot be read.
pub(crate) fn summary(
    analysis: &Analysis,
    documents: Documents<'_>,
) -> Result<Option<AcrossSummary>, LookalikeError> {
    summary_of(analysis, |across, wanted| names(analysis, across, documents, wanted))
}

/// The numbers of a run, with the names that `names` gives to the values of some documents.
///
/// # Errors
/// Errors of `names`.
pub(crate) fn summary_of(
    analysis: &Analysis,
    names: impl FnOnce(&Across, &[DocumentId]) -> Result<Vec<String>, LookalikeError>,
) -> Result<Option<AcrossSummary>, LookalikeError> {
    let Some(across) = &analysis.settings.across else { return Ok(None) };
    let Analysis { collection, matches, .. } = analysis;
    let mut found: HashMap<u64, Value> = HashMap::new();
    for document in collection.documents() {
        let key = collection.value_key(document);
        let new = Value { key, documents: 0, first: document.0.into() };
        found.entry(key).or_insert(new).documents += 1;
    }
    let values = Values::new(found.into_values().collect(), (0, 0));
    let first = |value: &Value| DocumentId(value.first as u32);
    let firsts: Vec<DocumentId> = values.largest.iter().map(first).collect();
    let place = |document: DocumentId| values.place(collection.value_key(document));
    let counted = match (matches.pairs.complete, analysis.linkage) {
        (true, _) => CountedBy::Matches,
        (false, Linkage::Leaders) => CountedBy::Removals,
        (false, Linkage::Components) => CountedBy::Nothing,
    };
    let counts = match counted {
        CountedBy::Matches => by_matches(analysis, place),
        CountedBy::Removals => by_removals(analysis, place),
        CountedBy::Nothing => Counts::new(),
    };
    Ok(Some(values.summary(across, names(across, &firsts)?, counted, counts)))
}

/// The counts of all matches. Documents of a unit have one value and the same matches.
fn by_matches(analysis: &Analysis, place: impl Fn(DocumentId) -> usize) -> Counts {
    let Analysis { units, matches, .. } = analysis;
    let mut counts = Counts::new();
    // The values that each unit matches.
    let mut matched = Vec::with_capacity(2 * matches.pairs.edges.len());
    for edge in &matches.pairs.edges {
        let [later, earlier] = [edge.later, edge.earlier].map(|unit| place(units.members(unit)[0]));
        let weight = [edge.later, edge.earlier].map(|unit| units.members(unit).len() as u64);
        let pairs = weight[0] * weight[1];
        let mut add = |of: usize, with: usize| {
            *counts.entry((of, with)).or_default().1.get_or_insert(0) += pairs;
        };
        add(later, earlier);
        if later != earlier {
            add(earlier, later);
        }
        matched.push((edge.later, earlier));
        matched.push((edge.earlier, later));
    }
    matched.sort_unstable();
    matched.dedup();
    for (unit, with) in matched {
        let members = units.members(unit);
        counts.entry((place(members[0]), with)).or_default().0 += members.len() as u64;
    }
    counts
}

/// The counts of removed documents, by the values of their witnesses.
fn by_removals(analysis: &Analysis, place: impl Fn(DocumentId) -> usize) -> Counts {
    let mut counts = Counts::new();
    for (document, removal) in analysis.removals() {
        counts.entry((place(document), place(removal.kept))).or_default().0 += 1;
    }
    counts
}

/// The values of some documents, as they are shown.
fn names(
    analysis: &Analysis,
    across: &Across,
    documents: Documents<'_>,
    wanted: &[DocumentId],
) -> Result<Vec<String>, LookalikeError> {
    let inputs = &analysis.inputs;
    if *across == Across::Inputs {
        let argument = |&document: &DocumentId| {
            inputs.files[analysis.collection.file(document) as usize].argument.clone()
        };
        return Ok(wanted.iter().map(argument).collect());
    }
    let mut ascending = wanted.to_vec();
    ascending.sort_unstable();
    let mut known = BTreeMap::new();
    read_some(&analysis.collection, documents, &ascending, &mut |document, record| {
        known.insert(document, across.shown(record, inputs));
    })?;
    // A document that has changed has no name; the run ends with an error for it.
    Ok(wanted.iter().map(|document| known.remove(document).unwrap_or_default()).collect())
}
