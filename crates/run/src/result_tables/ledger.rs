//! The table `ledger`: every removed document, its witness and their measures.

use super::Named;
use crate::LookalikeError;
use crate::analysis::Analysis;
use lookalike_decide::{Compared, Table};
use lookalike_engine::Removal;
use lookalike_engine::try_sort::par_sort_cancellable;

/// Adds the rows of the ledger.
pub(crate) fn fill_ledger(
    analysis: &Analysis,
    table: &mut Table<'_, Compared<'static>>,
) -> Result<(), LookalikeError> {
    let mut rows = Vec::new();
    analysis.for_each_removed(|document, removal| {
        rows.push((Named::of(analysis, document), removal));
    });
    par_sort_cancellable(&mut rows, table.progress(), |a, b| {
        a.0.compare(b.0, &analysis.collection)
    })?;
    let name = |document| analysis.collection.document_name(document);
    for (Named { a: document, .. }, removal) in rows {
        let Removal { kept, rule, evidence } = removal;
        let (a, b) = (&name(document)?, &name(kept)?);
        let whole = analysis.whole_resemblance(document, kept, evidence)?;
        table.add(&Compared { a, b, rule: Some(rule.name()), evidence, whole })?;
    }
    Ok(())
}
