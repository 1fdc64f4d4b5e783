//! Where the tables of a run go: to files of a result directory, or to memory.

use crate::LookalikeError;
use crate::memory_table::ResultTable;
use lookalike_decide::{Measures, PROBLEMS};
use lookalike_io::Problem;
use lookalike_io::sink::Staging;
use lookalike_io::table::{Column, TableFormat, TableWriter, WrittenTable};

/// Where tables are written.
pub trait TableStore: Sync {
    /// A finished table.
    type Done: Send;

    /// Begins a table.
    fn begin(&self, name: &str, columns: &[Column]) -> Result<TableWriter, LookalikeError>;

    /// Ends a table that was begun with these columns.
    fn finish(&self, columns: &[Column], writer: TableWriter)
    -> Result<Self::Done, LookalikeError>;
}

/// Tables as files of a result directory.
pub struct TableFiles<'a> {
    /// The directory of results.
    pub staging: &'a Staging,
    /// The folder in it that has them, with a slash behind it; empty for the directory itself.
    pub folder: &'static str,
    /// The format of the tables.
    pub format: TableFormat,
}

impl TableStore for TableFiles<'_> {
    type Done = WrittenTable;

    fn begin(&self, name: &str, columns: &[Column]) -> Result<TableWriter, LookalikeError> {
        let path = self.staging.path(format!("{}{name}", self.folder));
        Ok(TableWriter::create(&path, self.format, columns)?)
    }

    fn finish(&self, _: &[Column], writer: TableWriter) -> Result<WrittenTable, LookalikeError> {
        Ok(writer.finish()?)
    }
}

/// Tables as record batches.
pub struct TablesInMemory;

impl TableStore for TablesInMemory {
    type Done = ResultTable;

    fn begin(&self, _: &str, columns: &[Column]) -> Result<TableWriter, LookalikeError> {
        Ok(TableWriter::in_memory(columns))
    }

    fn finish(
        &self,
        columns: &[Column],
        writer: TableWriter,
    ) -> Result<ResultTable, LookalikeError> {
        Ok(ResultTable { columns: columns.to_vec(), batches: writer.into_batches()? })
    }
}

/// Writes the listed problems (of very many, only the first are listed).
pub fn write_problems<'p, S: TableStore>(
    problems: impl IntoIterator<Item = &'p Problem>,
    store: &S,
) -> Result<S::Done, LookalikeError> {
    let written = PROBLEMS.of(Measures::ALL);
    let columns = written.columns();
    let mut table = store.begin(PROBLEMS.name, &columns)?;
    for problem in problems {
        table.row(&written.cells(&problem))?;
    }
    store.finish(&columns, table)
}
