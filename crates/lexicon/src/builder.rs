//! Lexicon builder: counts document frequencies in bounded memory.

use crate::description::differs;
use crate::error::TOO_MANY_DOCUMENTS;
use crate::merge::{Source, merge_sources};
use crate::run::{Run, RunWriter};
use crate::table::Table;
use crate::write::Writer;
use crate::{Description, Lexicon, LexiconError};
use std::path::{Path, PathBuf};

/// Number of runs that are merged at a time: that many files are open, with buffers of 256 KiB.
const RUNS: usize = 64;

/// Memory budget of a [`Builder`] in bytes; beyond it a temporary file is written.
///
/// Limits the memory in use, apart from one document; a growing table briefly takes up to twice as
/// much.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryBudget(pub usize);

impl Default for MemoryBudget {
    /// 256 MiB: about four million terms.
    fn default() -> Self {
        Self(256 << 20)
    }
}

/// Counts document frequencies. Use one per thread, then [`Builder::absorb`]; or one per part of
/// the collection, then [`merge`](crate::merge).
#[derive(Debug)]
pub struct Builder {
    description: Description,
    memory: MemoryBudget,
    folder: PathBuf,
    documents: u64,
    /// Whether terms were pushed since the last document ended.
    open: bool,
    table: Table,
    runs: Vec<Run>,
}

impl Builder {
    /// A builder with its temporary files in `folder`.
    #[must_use]
    pub fn new(description: Description, memory: MemoryBudget, folder: &Path) -> Self {
        Self {
            description,
            memory,
            folder: folder.to_owned(),
            documents: 0,
            open: false,
            table: Table::default(),
            runs: Vec::new(),
        }
    }

    /// Counts a term of the current document: its fingerprint (the finalised hash of its bytes) and
    /// its bytes. Repeated terms of a document count once.
    #[inline]
    pub fn push(&mut self, fingerprint: u64, name: &[u8]) {
        // Feature sets replace a fingerprint of 0 by 1, and lookups are by their elements.
        self.table.push(fingerprint.max(1), name);
        self.open = true;
    }

    /// Ends the document. Documents without terms are counted as well.
    ///
    /// # Errors
    /// A temporary file cannot be written.
    pub fn end_document(&mut self) -> Result<(), LexiconError> {
        self.table.end_document();
        self.documents += 1;
        self.open = false;
        if self.table.bytes() > self.memory.0 || self.table.is_full() {
            self.spill()?;
        }
        Ok(())
    }

    /// Adds the documents of another builder, as if they had been pushed here. Ends its last
    /// document, but not that of `self`.
    ///
    /// # Errors
    /// Different descriptions, or a temporary file that cannot be written.
    pub fn absorb(&mut self, mut other: Self) -> Result<(), LexiconError> {
        differs(&self.folder, &other.description, &self.description)?;
        other.close()?;
        other.spill()?;
        self.documents += other.documents;
        self.runs.append(&mut other.runs);
        self.limit_runs()
    }

    /// Writes the lexicon to `path`, replacing an existing file, and opens it. Ends the last
    /// document if terms were pushed after the one before.
    ///
    /// # Errors
    /// Files that cannot be written, or more documents than 2³² − 1.
    pub fn finish(mut self, path: &Path) -> Result<Lexicon, LexiconError> {
        self.close()?;
        let mut writer = Writer::new(self.description, path)?;
        self.table.sort();
        let mut sources = vec![Source::Table(&self.table, 0)];
        for run in &self.runs {
            sources.push(Source::Run(run.read()?));
        }
        merge_sources(sources, |record| writer.push(record))?;
        writer.finish(self.documents)
    }

    fn close(&mut self) -> Result<(), LexiconError> {
        if self.open { self.end_document() } else { Ok(()) }
    }

    fn spill(&mut self) -> Result<(), LexiconError> {
        if self.documents > u64::from(u32::MAX) {
            return Err(TOO_MANY_DOCUMENTS);
        }
        if self.table.is_empty() {
            return Ok(());
        }
        self.table.sort();
        let mut run = RunWriter::new(&self.folder)?;
        merge_sources(vec![Source::Table(&self.table, 0)], |record| run.push(record))?;
        self.runs.push(run.finish()?);
        self.table.clear();
        self.limit_runs()
    }

    /// Merges runs while there are more than [`RUNS`].
    fn limit_runs(&mut self) -> Result<(), LexiconError> {
        while self.runs.len() > RUNS {
            let mut run = RunWriter::new(&self.folder)?;
            let oldest = self.runs.iter().take(RUNS).map(|run| run.read().map(Source::Run));
            merge_sources(oldest.collect::<Result<_, _>>()?, |record| run.push(record))?;
            let merged = run.finish()?;
            self.runs.drain(..RUNS);
            self.runs.push(merged);
        }
        Ok(())
    }
}
