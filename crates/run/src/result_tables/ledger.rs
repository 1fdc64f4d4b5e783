//! The table `ledger`: every removed document, its witness and their measures.

use super::{Named, add_compared};
use crate::LookalikeError;
use crate::analysis::Analysis;
use crate::differences::Differences;
use lookalike_decide::{Compared, Table};
use lookalike_engine::Removal;
use lookalike_engine::try_sort::par_sort_cancellable;

/// Adds the rows of the ledger.
pub(crate) fn fill_ledger(
    analysis: &Analysis,
    differences: Option<&Differences>,
    table: &mut Table<'_, Compared<'static>>,
) -> Result<(), LookalikeError> {
    let mut rows = Vec::new();
    analysis.for_each_removed(|document, removal| {
        rows.push((Named::of(analysis, document), removal));
    });
    par_sort_cancellable(&mut rows, table.progress(), |a, b| {
        a.0.compare(b.0, &analysis.collection)
    })?;
    for (Named { a: document, .. }, Removal { kept, rule, evidence }) in rows {
        let difference = differences.and_then(|found| found.cells(document, rule));
        add_compared(analysis, table, [document, kept], Some(rule), evidence, difference)?;
    }
    Ok(())
}
