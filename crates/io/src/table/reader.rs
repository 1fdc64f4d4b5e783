//! Reads tables of any format.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use arrow_array::{RecordBatch, RecordBatchReader};
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder};

use crate::guard::guarded;
use lookalike_spill::regular_file;

use super::{Column, TableError, TableFormat, Value, jsonl, parquet as columns, tsv};

/// Reads the rows of a table of any format. See [`super::TableWriter`] for an example.
pub struct TableReader {
    path: PathBuf,
    columns: Vec<Column>,
    /// Number of rows read.
    row: u64,
    reader: FormatReader,
    /// Set by an error: no more rows follow.
    ended: bool,
}

enum FormatReader {
    Parquet { batches: ParquetRecordBatchReader, batch: Option<RecordBatch>, next: usize },
    Tsv { lines: Lines },
    Jsonl { lines: Lines },
}

impl TableReader {
    /// Opens the table `name` of a result: `NAME.parquet`, `NAME.tsv` or `NAME.jsonl`.
    ///
    /// `known` are the columns that the caller knows and their kinds; a table may lack some of
    /// them, and one with other columns is an error.
    pub fn open(directory: &Path, name: &str, known: &[Column]) -> Result<Self, TableError> {
        let found = TableFormat::ALL.into_iter().find_map(|format| {
            let path = columns::with_extension(&directory.join(name), format.extension());
            path.is_file().then_some((format, path))
        });
        let Some((format, path)) = found else {
            let (directory, name) = (directory.to_path_buf(), name.to_string());
            return Err(TableError::Missing { directory, name });
        };
        match format {
            TableFormat::Parquet => Self::open_parquet(path, known),
            TableFormat::Tsv => Self::open_tsv(path, known),
            TableFormat::Jsonl => Self::open_jsonl(path, known),
        }
    }

    fn open_parquet(path: PathBuf, known: &[Column]) -> Result<Self, TableError> {
        let file = open(&path)?;
        let batches = guarded(|| ParquetRecordBatchReaderBuilder::try_new(file)?.build())
            .map_err(|e| unreadable(&path, e))?;
        let schema = batches.schema();
        let columns = recognise(&path, schema.fields().iter().map(|f| f.name().as_str()), known)?;
        for (field, column) in schema.fields().iter().zip(&columns) {
            if !columns::fits(field, column.kind) {
                let reason = format!("column {} holds {}", column.name, field.data_type());
                return Err(malformed(&path, 0, reason));
            }
        }
        let reader = FormatReader::Parquet { batches, batch: None, next: 0 };
        Ok(Self { path, columns, row: 0, reader, ended: false })
    }

    fn open_tsv(path: PathBuf, known: &[Column]) -> Result<Self, TableError> {
        let mut lines = Lines { file: BufReader::new(open(&path)?), line: String::new() };
        let Some(header) = lines.next(&path, 0)? else {
            return Err(malformed(&path, 0, "the header is missing".into()));
        };
        let columns = recognise(&path, header.split('\t'), known)?;
        Ok(Self { path, columns, row: 0, reader: FormatReader::Tsv { lines }, ended: false })
    }

    fn open_jsonl(path: PathBuf, known: &[Column]) -> Result<Self, TableError> {
        let mut lines = Lines { file: BufReader::new(open(&path)?), line: String::new() };
        let columns = match lines.next(&path, 1)? {
            None => Vec::new(),
            Some(line) => {
                let members: jsonl::Members<'_> =
                    serde_json::from_str(line).map_err(|e| malformed(&path, 1, e.to_string()))?;
                recognise(&path, members.0.iter().map(|(name, _)| name.as_str()), known)?
            }
        };
        // The first row is not consumed.
        let lines = Lines { file: BufReader::new(open(&path)?), line: String::new() };
        Ok(Self { path, columns, row: 0, reader: FormatReader::Jsonl { lines }, ended: false })
    }

    /// The columns of the table, in its order. (None for a JSONL table without rows.)
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// Index of a column.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.name == name)
    }

    /// Path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn read(&mut self) -> Result<Option<Vec<Value>>, TableError> {
        let (path, columns, row) = (&self.path, &self.columns, self.row);
        let fail = |reason| malformed(path, row, reason);
        match &mut self.reader {
            FormatReader::Parquet { batches, batch, next } => loop {
                if let Some(batch) = batch.as_ref().filter(|batch| *next < batch.num_rows()) {
                    let values = batch.columns().iter().zip(columns);
                    let values = values.map(|(array, column)| {
                        columns::value(array.as_ref(), *next, column.kind).map_err(fail)
                    });
                    let values = values.collect::<Result<_, _>>()?;
                    *next += 1;
                    return Ok(Some(values));
                }
                *batch = guarded(|| batches.next().transpose()).map_err(|e| unreadable(path, e))?;
                if batch.is_none() {
                    return Ok(None);
                }
                *next = 0;
            },
            FormatReader::Tsv { lines } => {
                let Some(line) = lines.next(path, row)? else { return Ok(None) };
                let fields: Vec<&str> = line.split('\t').collect();
                if fields.len() != columns.len() {
                    return Err(fail(format!(
                        "{} fields for {} columns",
                        fields.len(),
                        columns.len()
                    )));
                }
                let values = fields
                    .iter()
                    .zip(columns)
                    .map(|(field, column)| tsv::parse_field(field, column.kind).map_err(fail));
                values.collect::<Result<_, _>>().map(Some)
            }
            FormatReader::Jsonl { lines } => {
                let Some(line) = lines.next(path, row)? else { return Ok(None) };
                let members: jsonl::Members<'_> =
                    serde_json::from_str(line).map_err(|e| fail(e.to_string()))?;
                let members = members.0;
                if !members.iter().map(|(name, _)| name).eq(columns.iter().map(|c| c.name)) {
                    return Err(fail("its members differ from those of the first row".into()));
                }
                let values = members
                    .iter()
                    .zip(columns)
                    .map(|((_, raw), column)| jsonl::parse_member(raw, column.kind).map_err(fail));
                values.collect::<Result<_, _>>().map(Some)
            }
        }
    }
}

impl Iterator for TableReader {
    type Item = Result<Vec<Value>, TableError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        self.row += 1;
        let row = self.read().transpose();
        self.ended = !matches!(row, Some(Ok(_)));
        row
    }
}

/// Finds the columns of a table among the known ones.
fn recognise<'a>(
    path: &Path,
    names: impl Iterator<Item = &'a str>,
    known: &[Column],
) -> Result<Vec<Column>, TableError> {
    names
        .map(|name| {
            known.iter().find(|column| column.name == name).copied().ok_or_else(|| {
                malformed(path, 0, format!("`{name}` is not a column of such a table"))
            })
        })
        .collect()
}

/// Lines of a file. All must end in `
/// `: a line without an end was cut off, and the rest of a number would be a different number.
struct Lines {
    file: BufReader<File>,
    line: String,
}

impl Lines {
    /// The next line; errors name it as this row.
    fn next(&mut self, path: &Path, row: u64) -> Result<Option<&str>, TableError> {
        self.line.clear();
        match self.file.read_line(&mut self.line) {
            Ok(0) => Ok(None),
            Ok(_) => match self.line.strip_suffix('\n') {
                Some(line) => Ok(Some(line)),
                None => Err(malformed(path, row, "the line is cut off".into())),
            },
            Err(e) => Err(unreadable(path, e)),
        }
    }
}

fn open(path: &Path) -> Result<File, TableError> {
    regular_file::open_named(path).map_err(|e| unreadable(path, e))
}

fn unreadable(
    path: &Path,
    source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
) -> TableError {
    TableError::Unreadable { path: path.to_path_buf(), source: source.into() }
}

fn malformed(path: &Path, row: u64, reason: String) -> TableError {
    TableError::Malformed { path: path.to_path_buf(), row, reason }
}
