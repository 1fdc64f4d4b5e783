//! Reads the tables of a finished run.

use crate::LookalikeError;
use crate::memory_table::ResultTable;
use crate::table_store::{TableStore, TablesInMemory};
use lookalike_decide::tables::all_tables;
use lookalike_io::table::{TableReader, Value};
use std::path::Path;

/// Reads a table of the directory of a finished run: `ledger`, `pairs`, `near_misses`, `clusters`,
/// `documents` or `problems`, in whichever format it was written.
///
/// ```
/// use lookalike::{Job, Resources, Settings, Silent, Source, dedup};
/// use lookalike::results::read_table;
///
/// # fn main() -> Result<(), lookalike::LookalikeError> {
/// # let folder = tempfile::tempdir().expect("a temporary directory");
/// let texts = ["a rose is a rose is a rose", "A rose is a rose is a rose!"];
/// let answer = dedup(Source::records(texts), &Settings::default(), &Resources::default(), &Silent)?;
/// let job = Job { report: false, ..Job::new(Vec::new(), folder.path().join("roses")) };
/// answer.write(&job)?;
/// assert_eq!(read_table(&job.output, "ledger")?.batches(), answer.ledger().batches());
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// No such table in the directory, one that is damaged, or one that this version does not know.
pub fn read_table(run: &Path, name: &str) -> Result<ResultTable, LookalikeError> {
    let tables = all_tables();
    let known = tables.iter().find(|(known, _)| *known == name);
    let known = known.map(|(_, columns)| columns.clone()).ok_or_else(|| {
        let [names @ .., last] = tables.map(|(name, _)| name);
        let names = names.join(", ");
        LookalikeError::Settings(format!(
            "there is no table `{name}`; the tables are {names} and {last}"
        ))
    })?;
    let mut reader = TableReader::open(run, name, &known)?;
    let columns = match reader.columns() {
        // A table of JSON lines without rows does not name its columns.
        [] => known,
        columns => columns.to_vec(),
    };
    let mut writer = TablesInMemory.begin(name, &columns)?;
    for row in &mut reader {
        let row = row?;
        let cells: Vec<_> = row.iter().map(Value::as_cell).collect();
        writer.row(&cells)?;
    }
    TablesInMemory.finish(&columns, writer)
}
