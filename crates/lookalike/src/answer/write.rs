//! Writes an answer to a result directory.

use super::{Answer, ResultTable};
use crate::documents::NAME;
use crate::jobs::output;
use crate::result_tables::write_problems;
use crate::{Job, LookalikeError};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, RecordBatch};
use lookalike_io::sink::Staging;
use lookalike_io::table::{Cell, ColumnKind, TableFormat, TableWriter, WrittenTable};
use lookalike_report::Summary;
use std::path::Path;

impl Answer {
    /// Writes the tables and `summary.json` to [`Job::output`], whole or not at all: the bytes that
    /// [`run_dedup`](crate::run_dedup) or [`run_cluster`](crate::run_cluster) over the same documents
    /// writes into its tables. [`recluster`](crate::recluster()) can take an answer of
    /// [`cluster`](crate::cluster) from there.
    ///
    /// Of the job, [`Job::output`], [`Job::force`] and [`Job::tables`] count: what else it says has been
    /// decided. An answer holds no texts. Hence there is no report, and the kept
    /// documents are the caller's to write ([`Answer::kept`] has their places); `run_dedup` writes both.
    ///
    /// Returns the summary as written, with its outputs.
    ///
    /// ```
    /// use lookalike::{Job, Resources, Settings, Silent, Source, cluster};
    ///
    /// # fn main() -> Result<(), lookalike::LookalikeError> {
    /// # let folder = tempfile::tempdir().expect("a temporary directory");
    /// let texts = ["a rose is a rose is a rose", "A rose is a rose is a rose!"];
    /// let answer = cluster(Source::records(texts), &Settings::default(), &Resources::default(), &Silent)?;
    /// let summary = answer.write(&Job::new(Vec::new(), folder.path().join("roses")))?;
    /// assert!(folder.path().join("roses/clusters.parquet").exists());
    /// assert_eq!((summary.clusters, summary.outputs.len()), (1, 3));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// An output that exists already, if it is not to be replaced; a file that cannot be written.
    pub fn write(&self, job: &Job) -> Result<Summary, LookalikeError> {
        let staging = Staging::create(&job.output, job.force)?;
        let inputs = self.summary.inputs.iter().map(|input| Path::new(&input.name));
        staging.conflicts_with(inputs.filter(|path| path.exists()))?;
        let tables = [
            ("ledger", &self.ledger),
            (NAME, &self.documents),
            ("clusters", &self.clusters),
            ("pairs", &self.pairs),
        ];
        let mut written = Vec::new();
        for (name, table) in tables.into_iter().filter(|(_, table)| !table.columns.is_empty()) {
            written.push(table.write(&staging.path(name), job.tables)?);
        }
        if self.summary.problems > 0 {
            written.push(write_problems(&self.problems, &staging, job.tables)?);
        }
        let mut summary = self.summary.clone();
        summary.outputs = written.iter().map(output).collect();
        staging.write("summary.json", summary.to_json()?.as_bytes())?;
        staging.commit()?;
        Ok(summary)
    }
}

impl ResultTable {
    fn write(&self, path: &Path, format: TableFormat) -> Result<WrittenTable, LookalikeError> {
        let mut writer = TableWriter::create(path, format, &self.columns)?;
        let mut cells = Vec::with_capacity(self.columns.len());
        for batch in &self.batches {
            for at in 0..batch.num_rows() {
                cells.clear();
                cells.extend((0..self.columns.len()).map(|column| self.cell(batch, column, at)));
                writer.row(&cells)?;
            }
        }
        Ok(writer.finish()?)
    }

    fn cell<'b>(&self, batch: &'b RecordBatch, column: usize, at: usize) -> Cell<'b> {
        let values = batch.column(column);
        if values.is_null(at) {
            return Cell::Null;
        }
        match self.columns[column].kind {
            ColumnKind::Text => Cell::Text(values.as_string::<i32>().value(at)),
            // Made of a count, so never negative.
            ColumnKind::Count => Cell::Count(values.as_primitive::<Int64Type>().value(at) as u64),
            ColumnKind::Ratio => Cell::Ratio(values.as_primitive::<Float64Type>().value(at)),
        }
    }
}
