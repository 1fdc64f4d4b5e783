//! Judgements of pairs, in a file that `evaluate` reads: a tab-separated table with the columns
//! `a_id`, `b_id` and `label`, each pair once.

use crate::problem::Problem;
use axum::http::StatusCode;
use lookalike::evaluation::{escaped, unescaped};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

const HEADER: &str = "a_id\tb_id\tlabel";

/// The ids of a pair: the document that would be removed, and the one that would be kept.
pub(crate) type Pair = (String, String);

/// A file of judgements.
pub(crate) struct Labels {
    path: PathBuf,
    /// Held while the file is changed.
    changing: Mutex<()>,
}

/// Why a file of labels cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum LabelsError {
    /// The file cannot be read or written.
    #[error("{}: {error}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// A line that is none of a label.
    #[error(
        "{}:{line}: it is no label; the file has the columns a_id, b_id and label (same or \
         different), separated by tabs",
        path.display()
    )]
    Line {
        /// The file.
        path: PathBuf,
        /// Number of the line, from 1.
        line: usize,
    },
}

impl From<LabelsError> for Problem {
    fn from(error: LabelsError) -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "labels", error.to_string())
    }
}

impl Labels {
    /// Labels in a file, which need not exist.
    ///
    /// # Errors
    /// A file that cannot be read; a line that is none of a label.
    pub(crate) fn open(path: &Path) -> Result<Self, LabelsError> {
        let labels = Self { path: path.to_owned(), changing: Mutex::new(()) };
        labels.all()?;
        Ok(labels)
    }

    /// All judgements: whether the two are the same.
    ///
    /// # Errors
    /// As [`Labels::open`].
    pub(crate) fn all(&self) -> Result<BTreeMap<Pair, bool>, LabelsError> {
        let path = || self.path.clone();
        let text = match std::fs::read_to_string(&self.path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Ok(BTreeMap::new());
            }
            read => read.map_err(|error| LabelsError::File { path: path(), error })?,
        };
        let mut all = BTreeMap::new();
        for (number, line) in (1..).zip(text.lines()) {
            if number == 1 && line == HEADER || line.is_empty() {
                continue;
            }
            let row = read(line).filter(|_| number > 1);
            let wrong = || LabelsError::Line { path: path(), line: number };
            let (pair, same) = row.ok_or_else(wrong)?;
            all.insert(pair, same);
        }
        Ok(all)
    }

    /// Sets or, with `None`, removes a judgement. It is durable afterwards.
    ///
    /// # Errors
    /// A file that cannot be read or written.
    pub(crate) fn set(&self, pair: Pair, same: Option<bool>) -> Result<(), LabelsError> {
        let _changing = self.changing.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let mut all = self.all()?;
        // Judged the other way round, it is the same pair.
        all.remove(&(pair.1.clone(), pair.0.clone()));
        match same {
            Some(same) => all.insert(pair, same),
            None => all.remove(&pair),
        };
        self.write(&written(&all))
            .map_err(|error| LabelsError::File { path: self.path.clone(), error })
    }

    /// Replaces the file as a whole: after a crash there is the old one or the new one.
    fn write(&self, text: &str) -> std::io::Result<()> {
        let mut name = self.path.file_name().unwrap_or_default().to_owned();
        name.push(".new");
        let beside = self.path.with_file_name(name);
        let mut file = File::create(&beside)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        std::fs::rename(&beside, &self.path)?;
        let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty());
        if let Ok(folder) = File::open(folder.unwrap_or(Path::new("."))) {
            // Not every system can.
            let _ = folder.sync_all();
        }
        Ok(())
    }
}

/// Judgements as the text of a file.
pub(crate) fn written(all: &BTreeMap<Pair, bool>) -> String {
    let mut text = format!("{HEADER}\n");
    for ((a, b), same) in all {
        let label = if *same { "same" } else { "different" };
        text.push_str(&format!("{}\t{}\t{label}\n", escaped(a), escaped(b)));
    }
    text
}

/// The pair and judgement of a line.
fn read(line: &str) -> Option<(Pair, bool)> {
    let mut fields = line.split('\t');
    let (a, b) = (unescaped(fields.next()?)?, unescaped(fields.next()?)?);
    let same = match fields.next()? {
        "same" => true,
        "different" => false,
        _ => return None,
    };
    fields.next().is_none().then_some(((a, b), same))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(a: &str, b: &str) -> Pair {
        (a.to_owned(), b.to_owned())
    }

    #[test]
    fn judgements_are_kept_each_pair_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("labels.tsv");
        let labels = Labels::open(&path).unwrap();
        assert!(labels.all().unwrap().is_empty());
        let strange = "a\tb\\c\nd\re \u{202e}";
        labels.set(pair(strange, "2"), Some(true)).unwrap();
        labels.set(pair("1", "2"), Some(true)).unwrap();
        labels.set(pair("2", "1"), Some(false)).unwrap();
        labels.set(pair("3", "4"), Some(false)).unwrap();
        labels.set(pair("3", "4"), None).unwrap();
        let again = Labels::open(&path).unwrap().all().unwrap();
        assert_eq!(again, BTreeMap::from([(pair(strange, "2"), true), (pair("2", "1"), false)]));
        assert_eq!(std::fs::read_to_string(&path).unwrap(), written(&again));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_file_that_has_something_else_is_not_taken_for_labels() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("labels.tsv");
        for (text, line) in [
            ("a\tb\tsame\n", 1),
            ("a_id\tb_id\tlabel\na\tb\tperhaps\n", 2),
            ("a_id\tb_id\tlabel\n\na\tb\n", 3),
            ("a_id\tb_id\tlabel\na\tb\\x\tsame\n", 2),
            ("a_id\tb_id\tlabel\na\tb\tsame\tx\n", 2),
        ] {
            std::fs::write(&path, text).unwrap();
            let error = Labels::open(&path).err().unwrap().to_string();
            assert!(error.contains(&format!("labels.tsv:{line}: it is no label")), "{error}");
        }
    }
}
