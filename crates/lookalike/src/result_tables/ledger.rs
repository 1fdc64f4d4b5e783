//! The table `ledger`: every removed document, its witness and their measures.

use super::{Extra, Named, Table, ledger_columns};
use crate::LookalikeError;
use crate::analysis::Analysis;
use crate::document_columns::DocumentName;
use lookalike_engine::Progress;
use lookalike_engine::try_sort::try_par_sort_unstable_by;
use lookalike_io::sink::Staging;
use lookalike_io::table::{TableFormat, WrittenTable};
use xxhash_rust::xxh3::Xxh3;

/// Writes the ledger: every removed document with its witness and their measures.
pub(crate) fn write_ledger(
    analysis: &Analysis,
    staging: &Staging,
    format: TableFormat,
    digest: &mut Xxh3,
    progress: &dyn Progress,
) -> Result<WrittenTable, LookalikeError> {
    let columns = ledger_columns(Extra::of(analysis));
    let mut table = Table::create(staging, "ledger", format, &columns, digest, progress)?;
    fill_ledger(analysis, &mut table)?;
    table.finish()
}

/// Adds the rows of the ledger.
pub(crate) fn fill_ledger(
    analysis: &Analysis,
    table: &mut Table<'_>,
) -> Result<(), LookalikeError> {
    let extra = Extra::of(analysis);
    let mut rows: Vec<_> = analysis
        .removals()
        .filter(|&(document, _)| !analysis.collection.is_protected(document))
        .map(|(document, removal)| (Named::of(analysis, document), removal))
        .collect();
    try_par_sort_unstable_by(&mut rows, |a, b| a.0.compare(b.0, &analysis.collection))?;
    let name = |document| DocumentName::of(&analysis.collection, document);
    for (Named { a: document, .. }, removal) in rows {
        let names = [&name(document)?, &name(removal.kept)?];
        table.compared(names, Some(removal.rule.name()), removal.evidence, extra)?;
    }
    Ok(())
}
