//! Writes tables of any format.

use std::path::{Path, PathBuf};

use arrow_array::RecordBatch;

use super::arrow_rows::ArrowRows;
use super::parquet::ParquetTable;
use super::{Cell, Column, ColumnKind, TableFormat, jsonl, tsv};
use crate::sink::{OutputError, OutputFile};

/// Writes one table.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// use lookalike_io::table::{Cell, Column, TableFormat, TableReader, TableWriter, Value};
///
/// const COLUMNS: [Column; 2] = [Column::text("id"), Column::ratio("resemblance")];
///
/// let path = folder.path().join("clusters");
/// let mut table = TableWriter::create(&path, TableFormat::Tsv, &COLUMNS)?;
/// table.row(&[Cell::Text("a"), Cell::Ratio(0.8)])?;
/// table.row(&[Cell::Text("b"), Cell::Null])?;
/// assert_eq!(table.finish()?.rows, 2);
/// assert_eq!(
///     std::fs::read_to_string(folder.path().join("clusters.tsv"))?,
///     "id\tresemblance\na\t0.8\nb\t\n"
/// );
///
/// let mut rows = TableReader::open(folder.path(), "clusters", &COLUMNS)?;
/// assert_eq!(rows.next().transpose()?, Some(vec![Value::Text("a".into()), Value::Ratio(0.8)]));
/// # Ok(())
/// # }
/// ```
pub struct TableWriter {
    path: PathBuf,
    columns: Vec<Column>,
    rows: u64,
    writer: FormatWriter,
}

enum FormatWriter {
    Parquet(Box<ParquetTable>),
    Text { file: OutputFile, format: TableFormat, line: Vec<u8> },
    Memory { rows: ArrowRows, batches: Vec<RecordBatch> },
}

/// A finished table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenTable {
    /// Its path.
    pub path: PathBuf,
    /// Number of rows.
    pub rows: u64,
    /// Size of the file.
    pub bytes: u64,
}

impl TableWriter {
    /// Starts the table at `path` plus the extension of `format`.
    pub fn create(
        path: &Path,
        format: TableFormat,
        columns: &[Column],
    ) -> Result<Self, OutputError> {
        let path = super::parquet::with_extension(path, format.extension());
        let writer = match format {
            TableFormat::Parquet => {
                FormatWriter::Parquet(Box::new(ParquetTable::create(path.clone(), columns)?))
            }
            TableFormat::Tsv | TableFormat::Jsonl => {
                let mut file = OutputFile::create(path.clone())?;
                let mut line = Vec::new();
                if format == TableFormat::Tsv {
                    tsv::push_header(columns, &mut line);
                    file.append(&line)?;
                }
                FormatWriter::Text { file, format, line }
            }
        };
        Ok(Self { path, columns: columns.to_vec(), rows: 0, writer })
    }

    /// Starts a table in memory; it ends with [`TableWriter::into_batches`].
    #[must_use]
    pub fn in_memory(columns: &[Column]) -> Self {
        let writer = FormatWriter::Memory { rows: ArrowRows::new(columns), batches: Vec::new() };
        Self { path: PathBuf::from("memory"), columns: columns.to_vec(), rows: 0, writer }
    }

    /// Appends a row: a cell for each column, of its kind or missing.
    pub fn row(&mut self, row: &[Cell<'_>]) -> Result<(), OutputError> {
        self.check(row)?;
        self.rows += 1;
        match &mut self.writer {
            FormatWriter::Parquet(table) => table.push(row),
            FormatWriter::Text { file, format, line } => {
                line.clear();
                match format {
                    TableFormat::Tsv => tsv::push_row(row, line),
                    _ => jsonl::push_row(&self.columns, row, line),
                }
                file.append(line)
            }
            FormatWriter::Memory { rows, batches } => {
                if rows.push(row) {
                    batches
                        .push(rows.take().map_err(|e| OutputError::parquet(&self.path, e.into()))?);
                }
                Ok(())
            }
        }
    }

    fn check(&self, row: &[Cell<'_>]) -> Result<(), OutputError> {
        let fail = |reason| Err(OutputError::Row { path: self.path.clone(), reason });
        if row.len() != self.columns.len() {
            return fail(format!(
                "a row of {} cells for {} columns",
                row.len(),
                self.columns.len()
            ));
        }
        for (column, cell) in self.columns.iter().zip(row) {
            let fits = match (column.kind, cell) {
                (_, Cell::Null)
                | (ColumnKind::Text, Cell::Text(_))
                | (ColumnKind::Ratio, Cell::Ratio(_)) => true,
                (ColumnKind::Count, Cell::Count(count)) => i64::try_from(*count).is_ok(),
                _ => false,
            };
            if !fits {
                return fail(format!("{cell:?} does not fit column {}", column.name));
            }
        }
        Ok(())
    }

    /// Ends the table.
    pub fn finish(self) -> Result<WrittenTable, OutputError> {
        let bytes = match self.writer {
            FormatWriter::Parquet(table) => table.close()?,
            FormatWriter::Text { file, .. } => file.close()?,
            FormatWriter::Memory { .. } => 0,
        };
        Ok(WrittenTable { path: self.path, rows: self.rows, bytes })
    }

    /// Ends a table in memory: at least one batch, so that its schema is known. Of a table that is
    /// written to a file there are none.
    ///
    /// # Errors
    /// Columns that Arrow does not accept.
    pub fn into_batches(self) -> Result<Vec<RecordBatch>, OutputError> {
        let FormatWriter::Memory { mut rows, mut batches } = self.writer else {
            return Ok(Vec::new());
        };
        if !rows.is_empty() || batches.is_empty() {
            batches.push(rows.take().map_err(|e| OutputError::parquet(&self.path, e.into()))?);
        }
        Ok(batches)
    }
}
