//! The rows of the tables `pairs`, `clusters` and `ledger` of an analysis.
//!
//! Rows are sorted by the documents' ids, equal ids by (file, record), so the bytes do not depend
//! on the order in which results were found.

mod clusters;
mod ledger;
mod name_order;
mod pairs;

pub(crate) use clusters::fill_clusters;
pub(crate) use ledger::{fill_ledger, removals_by_name};
pub(crate) use name_order::Named;
pub(crate) use pairs::fill_pairs;

use crate::LookalikeError;
use crate::analysis::Analysis;
use crate::estimates;
use lookalike_core::Measure;
use lookalike_decide::{Compared, DifferenceCells, Measures, Rule, Table};
use lookalike_engine::DocumentId;
use lookalike_methods::Evidence;

/// Adds a row about two documents: of the ledger with the rule, which removed the first.
pub(crate) fn add_compared(
    analysis: &Analysis,
    table: &mut Table<'_, Compared<'static>>,
    [a, b]: [DocumentId; 2],
    rule: Option<Rule>,
    evidence: Evidence,
    difference: Option<DifferenceCells<'_>>,
) -> Result<(), LookalikeError> {
    let whole = analysis.whole_resemblance(a, b, evidence)?;
    let name = |document| analysis.collection.document_name(document);
    let (a, b, rule) = (&name(a)?, &name(b)?, rule.map(Rule::name));
    Ok(table.add(&Compared { a, b, rule, evidence, whole, difference })?)
}

/// The optional measures that a run computes.
pub(crate) fn measures(analysis: &Analysis) -> Measures {
    Measures {
        cosine: analysis.settings.measure == Measure::Cosine && analysis.approach.keeps_sets(),
        distance: analysis.compares_words(),
        interval: estimates::are_made(&analysis.approach),
        whole: analysis.templates.is_some(),
        differences: false,
    }
}
