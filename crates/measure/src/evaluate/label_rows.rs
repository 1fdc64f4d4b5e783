//! The rows of labels, in a tab-separated file with a header or in columns in memory.

use lookalike_run::LookalikeError;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

/// Where labels of documents are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LabelSource {
    /// A tab-separated file with a header.
    File(PathBuf),
    /// Columns in memory, named as in a header.
    Columns(LabelColumns),
}

impl LabelSource {
    /// How it is called in results and messages.
    pub(super) fn name(&self) -> String {
        match self {
            Self::File(path) => path.display().to_string(),
            Self::Columns(columns) => columns.name.clone(),
        }
    }
}

impl From<PathBuf> for LabelSource {
    fn from(path: PathBuf) -> Self {
        Self::File(path)
    }
}

/// Labels in memory: columns of equal lengths.
///
/// ```
/// use lookalike::evaluation::LabelColumns;
///
/// let column = |values: [&str; 2]| values.map(str::to_owned).to_vec();
/// let pairs = [("a_id".to_owned(), column(["1", "2"])), ("b_id".to_owned(), column(["7", "9"]))];
/// assert!(LabelColumns::new("known duplicates", pairs).is_ok());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabelColumns {
    name: String,
    columns: Vec<(String, Vec<String>)>,
}

impl LabelColumns {
    /// Columns by name; `name` is how results and messages call them.
    ///
    /// # Errors
    /// Columns of different lengths.
    pub fn new(
        name: impl Into<String>,
        columns: impl IntoIterator<Item = (String, Vec<String>)>,
    ) -> Result<Self, LookalikeError> {
        let (name, columns) = (name.into(), columns.into_iter().collect::<Vec<_>>());
        let lengths = columns.windows(2).find(|pair| pair[0].1.len() != pair[1].1.len());
        match lengths {
            None => Ok(Self { name, columns }),
            Some(pair) => Err(LookalikeError::Labels(format!(
                "{name}: the column `{}` has {} rows, and `{}` has {}",
                pair[0].0,
                pair[0].1.len(),
                pair[1].0,
                pair[1].1.len()
            ))),
        }
    }
}

/// The rows of labels, one after the other.
pub(super) struct Rows<'s> {
    lines: Lines<'s>,
    /// Minimum number of columns of a row.
    width: usize,
    expected: &'static str,
    /// Number of the line in the file, or of the row in memory; from 1.
    number: usize,
}

enum Lines<'s> {
    File { path: &'s Path, lines: std::io::Lines<BufReader<File>> },
    Columns(&'s LabelColumns),
}

impl<'s> Rows<'s> {
    /// Begins to read. `choose` selects columns by the header: their indices, and the largest of
    /// these.
    ///
    /// # Errors
    /// A file that cannot be read; a header that names other columns.
    pub(super) fn open<T>(
        source: &'s LabelSource,
        expected: &'static str,
        choose: impl FnOnce(&[&str]) -> Option<(usize, T)>,
    ) -> Result<(Self, T), LookalikeError> {
        let lines = match source {
            LabelSource::File(path) => {
                let file = File::open(path).map_err(|error| unreadable(path, &error))?;
                Lines::File { path, lines: BufReader::new(file).lines() }
            }
            LabelSource::Columns(columns) => Lines::Columns(columns),
        };
        let mut rows = Self { lines, width: 0, expected, number: 0 };
        let line;
        let header: Vec<&str> = match source {
            LabelSource::File(_) => {
                line = rows.line()?.unwrap_or_default();
                line.split('\t').collect()
            }
            LabelSource::Columns(labels) => {
                labels.columns.iter().map(|(name, _)| name.as_str()).collect()
            }
        };
        let (last, what) =
            choose(&header).ok_or_else(|| rows.wrong("the header names other columns"))?;
        rows.width = last + 1;
        Ok((rows, what))
    }

    /// The next line of a file.
    fn line(&mut self) -> Result<Option<String>, LookalikeError> {
        let Lines::File { path, lines } = &mut self.lines else { return Ok(None) };
        self.number += 1;
        let line = lines.next().transpose().map_err(|error| unreadable(path, &error))?;
        Ok(line.map(|mut line| {
            line.truncate(line.trim_end_matches('\r').len());
            line
        }))
    }

    /// The next row, up to the last chosen column.
    ///
    /// # Errors
    /// A file that cannot be read; a row with fewer columns.
    pub(super) fn next(&mut self) -> Result<Option<Vec<String>>, LookalikeError> {
        if let Lines::Columns(labels) = self.lines {
            let at = self.number;
            self.number += 1;
            let row = labels.columns.iter().take(self.width);
            return Ok(row.map(|(_, values)| values.get(at).cloned()).collect());
        }
        while let Some(line) = self.line()? {
            if line.is_empty() {
                continue;
            }
            let row: Vec<String> = line.split('\t').take(self.width).map(str::to_owned).collect();
            return match row.len() == self.width {
                true => Ok(Some(row)),
                false => Err(self.wrong("a column is missing")),
            };
        }
        Ok(None)
    }

    /// Where the reading is, for messages.
    pub(super) fn place(&self) -> String {
        match (&self.lines, self.number) {
            (Lines::File { path, .. }, number) => format!("{}:{number}", path.display()),
            (Lines::Columns(labels), 0) => labels.name.clone(),
            (Lines::Columns(labels), number) => format!("{}, row {number}", labels.name),
        }
    }

    /// The error of something wrong at this place.
    pub(super) fn wrong(&self, what: &str) -> LookalikeError {
        let (place, expected) = (self.place(), self.expected);
        let form = match self.lines {
            Lines::File { .. } => ", separated by tabs, under a header",
            Lines::Columns(_) => ", as columns",
        };
        LookalikeError::Labels(format!("{place}: {what}; expected are {expected}{form}"))
    }
}

fn unreadable(path: &Path, error: &std::io::Error) -> LookalikeError {
    LookalikeError::Labels(format!("{}: cannot be read: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns(rows: &[&[&str]]) -> Vec<(String, Vec<String>)> {
        let column = |at: usize| rows[1..].iter().map(|row| row[at].to_owned()).collect();
        rows[0].iter().enumerate().map(|(at, &name)| (name.to_owned(), column(at))).collect()
    }

    /// All rows with their places, up to the second column.
    fn read(source: &LabelSource) -> Vec<(String, Vec<String>)> {
        let (mut rows, ()) = Rows::open(source, "two columns", |_| Some((1, ()))).unwrap();
        let mut read = Vec::new();
        while let Some(row) = rows.next().unwrap() {
            read.push((rows.place(), row));
        }
        read
    }

    #[test]
    fn columns_and_files_have_the_same_rows() {
        let table: [&[&str]; 3] = [&["id", "cluster", "more"], &["a", "1", "x"], &["b", "2", "y"]];
        let held = LabelSource::Columns(LabelColumns::new("labels", columns(&table)).unwrap());
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("labels.tsv");
        std::fs::write(&path, table.map(|row| row.join("\t") + "\r\n").concat()).unwrap();
        let (held, stored) = (read(&held), read(&path.clone().into()));
        let rows = |read: &[(String, Vec<String>)]| -> Vec<Vec<String>> {
            read.iter().map(|(_, row)| row.clone()).collect()
        };
        assert_eq!(rows(&held), [["a", "1"], ["b", "2"]]);
        assert_eq!(rows(&held), rows(&stored));
        assert_eq!(
            (held[1].0.as_str(), &*stored[1].0),
            ("labels, row 2", &*format!("{}:3", path.display()))
        );
    }

    #[test]
    fn no_columns_and_other_columns_are_refused() {
        let none = LabelSource::Columns(LabelColumns::new("labels", []).unwrap());
        let refused = Rows::open(&none, "id", |header| (!header.is_empty()).then_some((0, ())));
        let error = refused.err().unwrap().to_string();
        assert_eq!(error, "labels: the header names other columns; expected are id, as columns");
        let uneven = [("a".to_owned(), vec!["1".to_owned()]), ("b".to_owned(), Vec::new())];
        let error = LabelColumns::new("labels", uneven).unwrap_err().to_string();
        assert_eq!(error, "labels: the column `a` has 1 rows, and `b` has 0");
    }
}
