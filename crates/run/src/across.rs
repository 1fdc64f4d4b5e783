//! Matches by pair of values, where documents match only across values: how much of the test data is in
//! the training data.

use crate::LookalikeError;
use crate::analysis::Analysis;
use crate::reading::Documents;
use crate::reread::read_some;
use lookalike_engine::{Across, DocumentId, Linkage};
use lookalike_report::{AcrossPair, AcrossSummary, AcrossValue, CountedBy};
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

/// Values that are named: those of the most documents.
const VALUES: usize = 12;

/// The numbers of a run; `None` if documents match whatever their values are. Reads again one document of
/// each value that is named.
///
/// # Errors
/// Documents that cannot be read.
pub(crate) fn summary(
    analysis: &Analysis,
    documents: Documents<'_>,
) -> Result<Option<AcrossSummary>, LookalikeError> {
    let Some(across) = &analysis.settings.across else { return Ok(None) };
    let Analysis { collection, matches, .. } = analysis;
    // By key: how many documents, and the first of them.
    let mut found: HashMap<u64, (u64, DocumentId)> = HashMap::new();
    for document in collection.documents() {
        found.entry(collection.value_key(document)).or_insert((0, document)).0 += 1;
    }
    let mut by_size: Vec<(u64, (u64, DocumentId))> = found.into_iter().collect();
    by_size.sort_unstable_by_key(|&(_, (documents, first))| (Reverse(documents), first));
    // A single value beside those that are named is named as well.
    let named = if by_size.len() == VALUES + 1 { VALUES + 1 } else { by_size.len().min(VALUES) };
    let (largest, others) = by_size.split_at(named);
    let places: HashMap<u64, usize> = (0..).zip(largest).map(|(at, &(key, _))| (key, at)).collect();
    let place = |document: DocumentId| {
        places.get(&collection.value_key(document)).copied().unwrap_or(named)
    };
    let firsts: Vec<DocumentId> = largest.iter().map(|&(_, (_, first))| first).collect();
    let names = names(analysis, across, documents, &firsts)?;
    let value = |(value, &(_, (documents, _))): (String, &(u64, (u64, DocumentId)))| AcrossValue {
        value,
        documents,
    };
    let mut values: Vec<AcrossValue> = names.into_iter().zip(largest).map(value).collect();
    if !others.is_empty() {
        let documents = others.iter().map(|&(_, (documents, _))| documents).sum();
        values.push(AcrossValue { value: String::new(), documents });
    }
    let counted = match (matches.pairs.complete, analysis.linkage) {
        (true, _) => CountedBy::Matches,
        (false, Linkage::Leaders) => CountedBy::Removals,
        (false, Linkage::Components) => CountedBy::Nothing,
    };
    let counts = match counted {
        CountedBy::Matches => by_matches(analysis, place),
        CountedBy::Removals => by_removals(analysis, place),
        CountedBy::Nothing => BTreeMap::new(),
    };
    let pair =
        |((of, with), (documents, pairs)): ((usize, usize), (u64, Option<u64>))| AcrossPair {
            of,
            with,
            documents,
            millionths: documents * 1_000_000 / values[of].documents.max(1),
            pairs,
        };
    let pairs = counts.into_iter().map(pair).collect();
    let others = others.len() as u64;
    Ok(Some(AcrossSummary { by: across.to_string(), counted, values, others, pairs }))
}

/// Documents, and pairs of documents, by pair of values.
type Counts = BTreeMap<(usize, usize), (u64, Option<u64>)>;

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
