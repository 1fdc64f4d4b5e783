//! Names of documents, and their order.

use super::names::{Names, Ranks, Texts};
use super::{Collection, Document, DocumentId, DocumentRange, Rows};
use crate::{EngineError, Progress};
use lookalike_cluster::KeepRule;
use lookalike_core::SparseIndex;
use lookalike_decide::DocumentName;
use std::borrow::Cow;
use std::cmp::Ordering;

impl Collection {
    /// The document's name: its id, else the name of its file, with the record number where a file
    /// has many documents.
    ///
    /// # Errors
    /// A chunk on disk that cannot be read; none for loaded names ([`Collection::load_names`]).
    pub fn name(&self, document: DocumentId) -> Result<Cow<'_, str>, EngineError> {
        if let Some(name) = self.names.get(document) {
            return Ok(Cow::Borrowed(name));
        }
        let (chunk, row) = self.locate(document);
        let written = |(name, record): (&str, Option<u32>)| match record {
            None => name.to_owned(),
            Some(record) => format!("{name}:{record}"),
        };
        Ok(match self.rows(chunk)? {
            Cow::Borrowed(rows) => match self.name_parts(rows, row) {
                (name, None) => Cow::Borrowed(name),
                parts => Cow::Owned(written(parts)),
            },
            Cow::Owned(rows) => Cow::Owned(written(self.name_parts(&rows, row))),
        })
    }

    /// The two parts of a name; the second is written after a colon.
    pub(super) fn name_parts<'a>(&'a self, rows: &'a Rows, row: usize) -> (&'a str, Option<u32>) {
        if let Some(id) = rows.ids.get(row) {
            return (id, None);
        }
        let Document { file, record, .. } = rows.documents[row];
        let many = !self.whole_files[file as usize];
        (&self.file_names[file as usize], many.then_some(record))
    }

    /// The name of the document's file.
    #[must_use]
    pub fn file_name(&self, document: DocumentId) -> &str {
        self.file_names.get(self.file(document) as usize).map_or("", String::as_str)
    }

    /// The name of the document's file, and its record number there, from 1.
    ///
    /// # Errors
    /// As [`Collection::name`].
    pub fn place(&self, document: DocumentId) -> Result<(&str, u32), EngineError> {
        let file = self.file_name(document);
        let record = match self.names.record(document) {
            Some(record) => record,
            None => self.document(document)?.record,
        };
        Ok((file, record))
    }

    /// The name of a document in the tables.
    ///
    /// # Errors
    /// A chunk on disk that cannot be read.
    pub fn document_name(&self, document: DocumentId) -> Result<DocumentName<'_>, EngineError> {
        let (file, record) = self.place(document)?;
        Ok(DocumentName {
            id: self.name(document)?,
            file: Cow::Borrowed(file),
            record,
            protected: self.is_protected(document),
        })
    }

    /// Loads the names and record numbers of some documents whose rows are on disk, so that
    /// [`Collection::name`], [`Collection::place`] and [`Collection::compare_names`] need not read
    /// their chunks. Replaces the names loaded before.
    ///
    /// # Errors
    /// A chunk on disk that cannot be read.
    pub fn load_names(&mut self, wanted: impl Fn(DocumentId) -> bool) -> Result<(), EngineError> {
        self.names = Names::default();
        let on_disk =
            |document: DocumentId| !self.blocks[self.locate(document).0.index()].rows_held;
        if self.blocks.iter().all(|block| block.rows_held) {
            return Ok(());
        }
        let which = SparseIndex::new(self.len(), |document| {
            let document = DocumentId(document);
            wanted(document) && on_disk(document)
        });
        let (mut texts, mut records) = (Texts::default(), Vec::new());
        self.pass(
            |mut documents| documents.any(|document| which.place(document.0).is_some()),
            |documents, rows| {
                let first = documents.start;
                let (mut texts, mut records) = (Texts::default(), Vec::new());
                self.names_in(documents, rows, &mut |document, name| {
                    if which.place(document.0).is_some() {
                        texts.push(name);
                        records.push(rows.documents[document.offset_from(first)].record);
                    }
                });
                (texts, records)
            },
            |(more, mut numbers): (Texts, Vec<u32>)| {
                texts.append(&more);
                records.append(&mut numbers);
            },
        )?;
        self.names = Names::new(which, texts, records);
        Ok(())
    }

    /// Loads all names if ties between documents are broken by name (a rule that goes by the order leaves
    /// no ties).
    ///
    /// # Errors
    /// A chunk on disk that cannot be read.
    pub fn load_names_for_ties(&mut self, keep: &[KeepRule]) -> Result<(), EngineError> {
        match keep.iter().any(KeepRule::is_by_order) {
            true => Ok(()),
            false => self.load_names(|_| true),
        }
    }

    /// Sorts some documents by name, so that [`Collection::compare_names`] compares ranks.
    ///
    /// # Errors
    /// A chunk on disk that cannot be read.
    pub fn rank_names(
        &mut self,
        progress: &dyn Progress,
        wanted: impl Fn(DocumentId) -> bool,
    ) -> Result<(), EngineError> {
        self.ranks = Ranks::default();
        let which = SparseIndex::new(self.len(), |document| wanted(DocumentId(document)));
        let Some(first) = which.iter().next() else { return Ok(()) };
        let first = self.name(DocumentId(first))?.into_owned();
        let first = first.as_bytes();
        let mut common = first.len();
        let shorten = |common: &mut usize, name: &str| {
            *common = super::names::in_common(&first[..*common], name.as_bytes());
        };
        self.pass_names(&which, || first.len(), shorten, |own| common = common.min(own))?;
        let mut heads = Vec::with_capacity(which.len() as usize);
        let head = |heads: &mut Vec<u64>, name: &str| {
            heads.push(super::names::head(name.as_bytes(), common))
        };
        self.pass_names(&which, Vec::new, head, |more| heads.extend(more))?;
        self.ranks = Ranks::new(which, heads, progress, |a, b| self.compare_names(a, b))?;
        Ok(())
    }

    /// Scans some names on all threads: the names of each chunk go into a `new` accumulator, and
    /// `take` receives the accumulators in order.
    pub(super) fn pass_names<T: Send>(
        &self,
        which: &SparseIndex,
        new: impl Fn() -> T + Sync,
        add: impl Fn(&mut T, &str) + Sync,
        take: impl FnMut(T),
    ) -> Result<(), EngineError> {
        self.pass(
            |mut documents| documents.any(|document| which.place(document.0).is_some()),
            |documents, rows| {
                let mut made = new();
                self.names_in(documents, rows, &mut |document, name| {
                    if which.place(document.0).is_some() {
                        add(&mut made, name);
                    }
                });
                made
            },
            take,
        )
    }

    /// Visits the names of a chunk's documents; `rows` are the rows of the chunk.
    pub fn names_in(
        &self,
        documents: DocumentRange,
        rows: &Rows,
        each: &mut dyn FnMut(DocumentId, &str),
    ) {
        let mut written = String::new();
        for (row, document) in documents.enumerate() {
            match self.name_parts(rows, row) {
                (name, None) => each(document, name),
                (name, Some(record)) => {
                    written.clear();
                    written.push_str(name);
                    written.push(':');
                    written.push_str(&record.to_string());
                    each(document, &written);
                }
            }
        }
    }

    /// The rank of a [ranked](Collection::rank_names) document in the order of
    /// [`Collection::compare_names`].
    #[must_use]
    pub fn name_rank(&self, document: DocumentId) -> Option<u32> {
        self.ranks.get(document)
    }

    /// Orders two documents by name, then by position in the collection.
    ///
    /// # Errors
    /// As [`Collection::name`]; none for ranked names ([`Collection::rank_names`]).
    pub fn compare_names(&self, a: DocumentId, b: DocumentId) -> Result<Ordering, EngineError> {
        if a == b {
            return Ok(Ordering::Equal);
        }
        if let (Some(a), Some(b)) = (self.ranks.get(a), self.ranks.get(b)) {
            return Ok(a.cmp(&b));
        }
        let whole_names = || {
            let (x, y) = (self.name(a)?, self.name(b)?);
            Ok(x.as_bytes().cmp(y.as_bytes()).then(a.cmp(&b)))
        };
        let place = |document: DocumentId| {
            let (chunk, row) = self.locate(document);
            let block = &self.blocks[chunk.index()];
            block.rows_held.then(|| self.name_parts(&block.rows, row))
        };
        let (Some(x), Some(y)) = (place(a), place(b)) else {
            return whole_names();
        };
        // Does not build the names: millions of documents without an id are sorted by this
        // comparison.
        let order = match (x, y) {
            ((x, None), (y, None)) => x.cmp(y),
            ((x, Some(m)), (y, Some(n))) if x == y => compare_as_written(m, n),
            ((x, _), (y, _)) if !x.starts_with(y) && !y.starts_with(x) => x.cmp(y),
            _ => return whole_names(),
        };
        Ok(order.then(a.cmp(&b)))
    }
}

/// Compares the decimal digits of two numbers as text: 10 before 9, and 1 before 10.
pub(super) fn compare_as_written(m: u32, n: u32) -> Ordering {
    let length = |number: u32| number.checked_ilog10().unwrap_or(0);
    let longer = length(m).max(length(n));
    let filled = |number: u32| u64::from(number) * 10u64.pow(longer - length(number));
    filled(m).cmp(&filled(n)).then(length(m).cmp(&length(n)))
}
