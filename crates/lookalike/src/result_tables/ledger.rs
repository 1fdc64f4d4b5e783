//! The table `ledger`: every removed document, its witness and their measures.

use super::{Extra, Named, Table};
use crate::LookalikeError;
use crate::analysis::Analysis;
use crate::document_columns::DocumentName;
use lookalike_engine::try_sort::par_sort_cancellable;

/// Adds the rows of the ledger.
pub(crate) fn fill_ledger(
    analysis: &Analysis,
    table: &mut Table<'_>,
) -> Result<(), LookalikeError> {
    let extra = Extra::of(analysis);
    let mut rows = Vec::new();
    analysis.for_each_removed(|document, removal| {
        rows.push((Named::of(analysis, document), removal));
    });
    par_sort_cancellable(&mut rows, table.progress(), |a, b| {
        a.0.compare(b.0, &analysis.collection)
    })?;
    let name = |document| DocumentName::of(&analysis.collection, document);
    for (Named { a: document, .. }, removal) in rows {
        let names = [&name(document)?, &name(removal.kept)?];
        let whole = analysis.whole_resemblance(document, removal.kept, removal.evidence)?;
        let evidence = (removal.evidence, whole);
        table.compared_whole(names, Some(removal.rule.name()), evidence, extra)?;
    }
    Ok(())
}
