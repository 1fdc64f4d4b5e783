//! Reads the tables of a finished run.

use crate::memory_table::ResultTable;
use crate::result_tables::{Extra, PROBLEMS, cluster_columns, ledger_columns, pair_columns};
use crate::table_store::{CLUSTERS, LEDGER, NEAR_MISSES, PAIRS, TableStore, TablesInMemory};
use crate::{LookalikeError, documents};
use lookalike_io::table::{TableReader, Value};
use std::path::Path;

/// Reads a table of the directory of a finished run: `ledger`, `pairs`, `near_misses`, `clusters`,
/// `documents` or `problems`, in whichever format it was written.
///
/// ```
/// use lookalike::{Job, Resources, Settings, Silent, Source, dedup, read_table};
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
    let known = match name {
        LEDGER => ledger_columns(Extra::ALL),
        PAIRS | NEAR_MISSES => pair_columns(Extra::ALL),
        CLUSTERS => cluster_columns(),
        documents::NAME => documents::COLUMNS.to_vec(),
        "problems" => PROBLEMS.to_vec(),
        _ => {
            return Err(LookalikeError::Settings(format!(
                "there is no table `{name}`; the tables are ledger, pairs, near_misses, clusters, documents and problems"
            )));
        }
    };
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
