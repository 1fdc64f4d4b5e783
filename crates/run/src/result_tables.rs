//! The rows of the tables `pairs`, `clusters` and `ledger` of an analysis.
//!
//! Rows are sorted by the documents' ids, equal ids by (file, record), so the bytes do not depend
//! on the order in which results were found.

mod clusters;
mod ledger;
mod name_order;
mod pairs;

pub(crate) use clusters::fill_clusters;
pub(crate) use ledger::fill_ledger;
pub(crate) use name_order::Named;
pub(crate) use pairs::fill_pairs;

use crate::analysis::Analysis;
use crate::estimates;
use lookalike_core::Measure;
use lookalike_decide::Measures;

/// The optional measures that a run computes.
pub(crate) fn measures(analysis: &Analysis) -> Measures {
    Measures {
        cosine: analysis.settings.measure == Measure::Cosine && analysis.approach.keeps_sets(),
        distance: analysis.compares_words(),
        interval: estimates::are_made(&analysis.approach),
        whole: analysis.templates.is_some(),
    }
}
