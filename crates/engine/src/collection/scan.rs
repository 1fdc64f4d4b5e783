//! Scans over the rows of a collection, and access to single rows.

use super::{Collection, Document, DocumentId, DocumentRange, Rows};
use crate::EngineError;
use lookalike_core::SetDigest;
use lookalike_core::SparseIndex;
use lookalike_join::ChunkId;
use rayon::prelude::*;
use std::borrow::Cow;

/// Chunks per thread that a scan of rows reads ahead.
const PASSED_AHEAD: usize = 16;

/// Rows of some documents, copied to memory.
#[derive(Debug)]
pub struct Gathered {
    which: SparseIndex,
    documents: Vec<Document>,
}

impl Gathered {
    /// The row of a document, if it was copied.
    #[must_use]
    pub fn get(&self, document: DocumentId) -> Option<&Document> {
        self.documents.get(self.which.place(document.0)? as usize)
    }
}

impl Collection {
    /// The rows of a chunk, from memory or disk.
    ///
    /// # Errors
    /// A chunk on disk that cannot be read.
    pub fn rows(&self, chunk: ChunkId) -> Result<Cow<'_, Rows>, EngineError> {
        let block = &self.blocks[chunk.index()];
        match block.rows_held {
            true => Ok(Cow::Borrowed(&block.rows)),
            false => Ok(Cow::Owned(self.read_rows(chunk)?.0)),
        }
    }

    pub(super) fn read_rows(&self, chunk: ChunkId) -> Result<(Rows, Vec<SetDigest>), EngineError> {
        let documents = self.chunk_documents(chunk).len();
        let frame = self.blocks[chunk.index()].frame;
        let rows = self.store.rows(frame, documents, self.attributes.len());
        rows.map_err(|error| self.store.error(&error))
    }

    /// The rows of a chunk and the digests of the sets that it stores.
    pub(crate) fn rows_and_digests(
        &self,
        chunk: ChunkId,
    ) -> Result<(Cow<'_, Rows>, Cow<'_, [SetDigest]>), EngineError> {
        let block = &self.blocks[chunk.index()];
        if block.rows_held && block.digests.len() == block.ends.len() {
            return Ok((Cow::Borrowed(&block.rows), Cow::Borrowed(&block.digests)));
        }
        let (rows, digests) = self.read_rows(chunk)?;
        Ok((Cow::Owned(rows), Cow::Owned(digests)))
    }

    /// Visits all documents, in order, with their numbers.
    ///
    /// # Errors
    /// A chunk on disk that cannot be read.
    pub fn for_each(&self, mut each: impl FnMut(DocumentId, &Document)) -> Result<(), EngineError> {
        for chunk in self.chunk_ids() {
            let rows = self.rows(chunk)?;
            self.chunk_documents(chunk).zip(&rows.documents).for_each(|(n, row)| each(n, row));
        }
        Ok(())
    }

    /// Scans the rows of the `wanted` chunks on all threads; `take` receives the results of `each`
    /// in order. A chunk on disk is read once; few results per thread are in memory at a time.
    ///
    /// # Errors
    /// A chunk on disk that cannot be read.
    pub fn pass<T: Send>(
        &self,
        wanted: impl Fn(DocumentRange) -> bool,
        each: impl Fn(DocumentRange, &Rows) -> T + Sync,
        mut take: impl FnMut(T),
    ) -> Result<(), EngineError> {
        let chunks: Vec<ChunkId> =
            self.chunk_ids().filter(|&chunk| wanted(self.chunk_documents(chunk))).collect();
        let make = |chunk| Ok(each(self.chunk_documents(chunk), &*self.rows(chunk)?));
        in_order(&chunks, make, |made| {
            take(made);
            true
        })
    }

    /// As [`Collection::pass`] over all chunks, with the digests of the sets that each chunk
    /// stores.
    pub(crate) fn pass_with_digests<T: Send>(
        &self,
        each: impl Fn(DocumentRange, &Rows, &[SetDigest]) -> T + Sync,
        mut take: impl FnMut(T),
    ) -> Result<(), EngineError> {
        let chunks: Vec<ChunkId> = self.chunk_ids().collect();
        let make = |chunk| {
            let (rows, digests) = self.rows_and_digests(chunk)?;
            Ok(each(self.chunk_documents(chunk), &rows, &digests))
        };
        in_order(&chunks, make, |made| {
            take(made);
            true
        })
    }

    /// One document. If it is on disk, its whole chunk is read.
    ///
    /// # Errors
    /// A chunk on disk that cannot be read.
    pub fn document(&self, document: DocumentId) -> Result<Document, EngineError> {
        let (chunk, row) = self.locate(document);
        Ok(self.rows(chunk)?.documents[row])
    }

    /// Copies some documents to memory, to be accessed repeatedly.
    ///
    /// # Errors
    /// A chunk on disk that cannot be read.
    pub fn gather(&self, wanted: impl Fn(DocumentId) -> bool) -> Result<Gathered, EngineError> {
        let which = SparseIndex::new(self.len(), |document| wanted(DocumentId(document)));
        let wanted = |document: &DocumentId| which.place(document.0).is_some();
        let mut documents = Vec::with_capacity(which.len() as usize);
        self.pass(
            |mut documents| documents.any(|document| wanted(&document)),
            |documents, rows| -> Vec<Document> {
                let rows = documents.zip(&rows.documents);
                rows.filter(|(document, _)| wanted(document)).map(|(_, row)| *row).collect()
            },
            |rows| documents.extend(rows),
        )?;
        Ok(Gathered { which, documents })
    }
}

/// Runs `make` for each chunk on all threads and passes the results to `take` in order, until it
/// returns false.
pub(super) fn in_order<T: Send>(
    chunks: &[ChunkId],
    make: impl Fn(ChunkId) -> Result<T, EngineError> + Sync,
    mut take: impl FnMut(T) -> bool,
) -> Result<(), EngineError> {
    for chunks in chunks.chunks(PASSED_AHEAD * rayon::current_num_threads()) {
        let made: Vec<Result<T, EngineError>> =
            chunks.par_iter().with_max_len(1).map(|&chunk| make(chunk)).collect();
        for made in made {
            if !take(made?) {
                return Ok(());
            }
        }
    }
    Ok(())
}
