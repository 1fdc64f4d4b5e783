//! Lexicons: document frequencies in a file.

use crate::answer::Options;
use crate::call::{Watch, detached};
use crate::column_batch::Columns;
use crate::documents::Documents;
use crate::{errors, settings};
use lookalike::{
    LookalikeError, Resources,
    lexicon::{Lexicon, Rank},
    methods::Statistics,
};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A lexicon, mapped from its file.
#[pyclass(frozen, module = "lookalike._lookalike")]
pub(crate) struct LexiconFile {
    // Unmapped before its directory is removed.
    lexicon: Lexicon,
    /// The directory of a file that is temporary.
    folder: Option<TempDir>,
}

/// Counts the terms of documents in a temporary file. Returns how many could not be used, too.
#[pyfunction]
pub(crate) fn build_lexicon(
    py: Python<'_>,
    documents: Documents,
    settings: &str,
    terms: &str,
    options: Options,
) -> PyResult<(LexiconFile, u64)> {
    let settings = settings::parse(py, settings)?;
    let Options { threads, memory, scratch, strict, max_pairs, progress, cancelled } = options;
    let folder = folder(scratch.as_deref())?;
    let resources = Resources { threads, memory, scratch, strict, max_pairs };
    let source = documents.source(Columns::of(&settings));
    let watch = Watch::new(progress, cancelled);
    let built = detached(py, &watch, |progress| {
        let path = file(&folder);
        lookalike::lexicon::build_lexicon_from(
            source, &settings, terms, &path, &resources, progress,
        )
    })?;
    let problems = built.problems.count();
    Ok((LexiconFile { lexicon: built.lexicon, folder: Some(folder) }, problems))
}

fn folder(scratch: Option<&Path>) -> PyResult<TempDir> {
    let mut name = tempfile::Builder::new();
    name.prefix("lookalike-");
    Ok(match scratch {
        Some(scratch) => name.tempdir_in(scratch)?,
        None => name.tempdir()?,
    })
}

fn file(folder: &TempDir) -> PathBuf {
    folder.path().join("documents.lexicon")
}

#[pymethods]
impl LexiconFile {
    /// Opens a file, and checks all of it.
    #[staticmethod]
    fn open(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let lexicon = call(py, || Lexicon::open(&path))?;
        Ok(Self { lexicon, folder: None })
    }

    /// A lexicon of the bytes of its file, in a temporary file.
    #[staticmethod]
    fn of_bytes(py: Python<'_>, bytes: &[u8]) -> PyResult<Self> {
        let folder = folder(None)?;
        let lexicon = call(py, || Lexicon::of_bytes(bytes, &file(&folder)))?;
        Ok(Self { lexicon, folder: Some(folder) })
    }

    /// Writes the same bytes to another file, which appears whole or not at all.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        call(py, || self.lexicon.save(&path))
    }

    /// The bytes of the file.
    fn bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.lexicon.bytes())
    }

    /// The file.
    #[getter]
    fn path(&self) -> PathBuf {
        self.lexicon.path().to_owned()
    }

    /// Whether the file is removed with this object.
    #[getter]
    fn is_temporary(&self) -> bool {
        self.folder.is_some()
    }

    /// The checksum, 32 hexadecimal digits.
    #[getter]
    fn checksum(&self) -> String {
        format!("{:032x}", self.lexicon.checksum())
    }

    /// Number of documents that were counted.
    #[getter]
    fn documents(&self) -> u64 {
        self.lexicon.documents()
    }

    /// Analysis and term filter.
    fn description(&self) -> (String, String) {
        let description = self.lexicon.description();
        (description.analysis.clone(), description.term_filter.clone())
    }

    /// The most frequent terms, or the rarest, with their document frequencies.
    fn ranked(&self, py: Python<'_>, count: usize, rarest: bool) -> Vec<(String, u32)> {
        let rank = if rarest { Rank::LeastFrequent } else { Rank::MostFrequent };
        py.detach(|| {
            let terms = self.lexicon.ranked(rank, count).into_iter();
            terms.map(|t| (String::from_utf8_lossy(t.name).into_owned(), t.frequency)).collect()
        })
    }

    /// Number of terms.
    fn __len__(&self) -> usize {
        self.lexicon.len()
    }
}

/// Works on files without the interpreter's lock.
fn call<T: Send>(
    py: Python<'_>,
    work: impl FnOnce() -> Result<T, lookalike::lexicon::LexiconError> + Send,
) -> PyResult<T> {
    py.detach(work).map_err(|error| errors::exception(py, LookalikeError::from(error)))
}
