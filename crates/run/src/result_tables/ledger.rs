//! The table `ledger`: every removed document, its witness and their measures.

use super::{Named, add_compared};
use crate::LookalikeError;
use crate::analysis::Analysis;
use crate::differences::Differences;
use lookalike_decide::{Compared, Table};
use lookalike_engine::try_sort::par_sort_cancellable;
use lookalike_engine::{DocumentId, Progress, Removal};

/// Adds the rows of the ledger.
pub(crate) fn fill_ledger(
    analysis: &Analysis,
    differences: Option<&Differences>,
    table: &mut Table<'_, Compared<'static>>,
) -> Result<(), LookalikeError> {
    for (document, Removal { kept, rule, evidence }) in
        removals_by_name(analysis, table.progress())?
    {
        let difference = differences.and_then(|found| found.cells(document, rule));
        add_compared(analysis, table, [document, kept], Some(rule), evidence, difference)?;
    }
    Ok(())
}

/// The removed documents in the order of their names.
pub(crate) fn removals_by_name(
    analysis: &Analysis,
    progress: &dyn Progress,
) -> Result<impl ExactSizeIterator<Item = (DocumentId, Removal)> + use<>, LookalikeError> {
    let mut rows = Vec::new();
    analysis.for_each_removed(|document, removal| {
        rows.push((Named::of(analysis, document), removal));
    });
    par_sort_cancellable(&mut rows, progress, |a, b| a.0.compare(b.0, &analysis.collection))?;
    Ok(rows.into_iter().map(|(named, removal)| (named.a, removal)))
}
