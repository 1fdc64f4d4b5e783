//! First reading of the training documents: which n-grams of the items each of them has.
//!
//! What is kept is bounded by the items and not by the documents: of an n-gram in more documents than
//! the setting common, nothing more is noted once it is known to be in too many.

use super::items::Items;
use super::settings::{Admitted, ContaminationSettings};
use super::words::{WordReader, WordScratch};
use crate::LookalikeError;
use crate::reading::{Documents, Reading};
use lookalike_core::Ngram;
use lookalike_engine::files::{FilePart, piece_bytes};
use lookalike_engine::pipeline::{self, Items as PipelineItems, PipelineLimits};
use lookalike_engine::poll::Poll;
use lookalike_engine::signer::plain_text;
use lookalike_engine::{Problems, Progress};
use lookalike_io::source::{ChunkPosition, Piece, VisitScratch};
use lookalike_io::{Inputs, Item};

/// What the first reading found.
#[derive(Default)]
pub(super) struct Scan {
    /// Documents with n-grams of items, in order, and the end in `ngrams` of those of each.
    pub(super) documents: Vec<FoundDocument>,
    /// N-grams by document, ascending. Some are of too many documents.
    pub(super) ngrams: Vec<Ngram>,
    /// Number of documents that have each n-gram.
    pub(super) frequencies: Vec<u32>,
    /// The chunks that were read.
    pub(super) chunks: Vec<ReadChunk>,
    /// Number of documents of each file.
    pub(super) of_files: Vec<u64>,
    /// Files and numbers of the records that cannot be used, ascending.
    pub(super) bad: Vec<(u32, u32)>,
    pub(super) problems: Problems,
    pub(super) words: u64,
    pub(super) text_bytes: u64,
}

/// A document with n-grams of items.
#[derive(Debug, Clone, Copy)]
pub(super) struct FoundDocument {
    pub(super) file: u32,
    pub(super) record: u32,
    end: usize,
}

/// A chunk of the first reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ReadChunk {
    pub(super) place: ChunkPosition,
    pub(super) documents: u32,
}

/// What one chunk has.
#[derive(Default)]
struct ChunkScan {
    chunk: Option<ReadChunk>,
    consumed: u64,
    /// Files of documents, and their numbers.
    of_files: Vec<(u32, u64)>,
    found: Vec<(u32, u32, Vec<Ngram>)>,
    bad: Vec<(u32, u32)>,
    problems: Problems,
    words: u64,
    text_bytes: u64,
}

#[derive(Default)]
struct ScanScratch {
    visit: VisitScratch,
    words: WordScratch,
}

impl Scan {
    /// The n-grams of a document.
    pub(super) fn of_document(&self, number: usize) -> &[Ngram] {
        let start = number.checked_sub(1).map_or(0, |before| self.documents[before].end);
        &self.ngrams[start..self.documents[number].end]
    }

    /// Number of documents.
    pub(super) fn count(&self) -> u64 {
        self.of_files.iter().sum()
    }

    /// Reads the documents on all threads.
    ///
    /// # Errors
    /// Documents that cannot be read; a cancellation.
    pub(super) fn read(
        documents: Documents<'_>,
        items: &Items,
        reader: &WordReader,
        settings: &ContaminationSettings,
        admitted: Admitted,
        limits: PipelineLimits,
        progress: &dyn Progress,
    ) -> Result<Self, LookalikeError> {
        let inputs = documents.inputs;
        let mut scan = Self {
            frequencies: vec![0; items.index.len()],
            of_files: vec![0; inputs.files.len()],
            ..Self::default()
        };
        let work = |scratch: &mut ScanScratch, piece: Piece| -> Result<_, LookalikeError> {
            Ok(ChunkScan::read(piece, inputs, items, reader, scratch))
        };
        let collect = |chunk: ChunkScan| {
            admitted.admit(&chunk.problems)?;
            let documents = chunk.chunk.map_or(0, |chunk| chunk.documents);
            progress.advance(chunk.consumed, documents.into());
            scan.append(chunk, settings.common);
            Ok(Poll::new(progress).now()?)
        };
        let bytes = |piece: &Piece| piece_bytes(piece, inputs);
        let total: u64 = inputs.files.iter().map(|file| file.size).sum();
        progress.phase("reading", Some(total).filter(|&total| total > 0));
        match documents.reading {
            Reading::Files => {
                let parts = inputs.chunks().into_files().map(FilePart);
                pipeline::try_ordered_parts(
                    limits,
                    parts,
                    bytes,
                    ScanScratch::default,
                    work,
                    collect,
                )?;
            }
            Reading::Caller(_) => documents.with_chunks(|chunks| {
                let parts = std::iter::once(PipelineItems(chunks));
                pipeline::try_ordered_parts(
                    limits,
                    parts,
                    bytes,
                    ScanScratch::default,
                    work,
                    collect,
                )
            })?,
        }
        Ok(scan)
    }

    fn append(&mut self, chunk: ChunkScan, common: u32) {
        self.chunks.extend(chunk.chunk);
        for (file, documents) in chunk.of_files {
            self.of_files[file as usize] += documents;
        }
        for (file, record, ngrams) in chunk.found {
            for ngram in ngrams {
                let frequency = &mut self.frequencies[ngram.index()];
                *frequency = frequency.saturating_add(1);
                if *frequency <= common {
                    self.ngrams.push(ngram);
                }
            }
            let end = self.ngrams.len();
            if self.documents.last().map_or(0, |last| last.end) < end {
                self.documents.push(FoundDocument { file, record, end });
            }
        }
        self.bad.extend(chunk.bad);
        self.problems.append(chunk.problems);
        self.words += chunk.words;
        self.text_bytes += chunk.text_bytes;
    }
}

impl ChunkScan {
    fn read(
        piece: Piece,
        inputs: &Inputs,
        items: &Items,
        reader: &WordReader,
        scratch: &mut ScanScratch,
    ) -> Self {
        let mut scan = Self::default();
        let (chunk, problem) = piece.into_parts();
        problem.into_iter().for_each(|problem| scan.problems.push(problem));
        let Some(chunk) = chunk else { return scan };
        let (place, mut documents) = (chunk.place(), 0);
        scan.consumed = chunk.consumed;
        let ScanScratch { visit, words } = scratch;
        chunk.visit_once(inputs, visit, &mut |item| {
            let (file, record) = item.place();
            match item {
                Item::Record(view) => {
                    let text = plain_text(&view.content);
                    reader.read(&text, words);
                    let found = words.ngrams(&items.index);
                    if !found.is_empty() {
                        scan.found.push((file, record, found));
                    }
                    scan.words += words.count() as u64;
                    scan.text_bytes += text.len() as u64;
                    documents += 1;
                    match scan.of_files.last_mut() {
                        Some((last, count)) if *last == file => *count += 1,
                        _ => scan.of_files.push((file, 1)),
                    }
                }
                Item::Bad(problem) => {
                    scan.bad.push((file, record));
                    scan.problems.push(problem);
                }
                Item::Failed(failure) => {
                    scan.bad.push((file, record));
                    scan.problems.push(failure.into_problem());
                }
            }
        });
        words.free_large();
        scan.chunk = Some(ReadChunk { place, documents });
        scan
    }
}
