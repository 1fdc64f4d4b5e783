//! First reading of documents: what each of them has, on all threads.

use crate::opened::admit;
use crate::reading::{Documents, Reading};
use crate::{LookalikeError, Settings};
use lookalike_engine::files::{FilePart, piece_bytes};
use lookalike_engine::pipeline::{self, Items as PipelineItems, PipelineLimits};
use lookalike_engine::poll::Poll;
use lookalike_engine::signer::plain_text;
use lookalike_engine::{Problems, Progress};
use lookalike_io::source::{Chunk, ChunkPosition, Piece, VisitScratch};
use lookalike_io::{Inputs, Item, RecordView};
use lookalike_report::InputSummary;
use lookalike_spill::{Decoder, Encoder};
use lookalike_text::AnalysisSettings;
use serde_json::{Value, json};
use std::io::{self, Read, Write};

/// What the first reading says of the records, whatever is looked for in them.
#[derive(Default)]
pub(crate) struct FirstReading {
    /// The chunks that were read.
    pub(crate) chunks: Vec<ReadChunk>,
    /// What was read of each file.
    pub(crate) of_files: Vec<ReadCounts>,
    /// Files and numbers of the records that cannot be used, ascending.
    pub(crate) bad: Vec<(u32, u32)>,
    pub(crate) problems: Problems,
}

/// What was read of a file, or of several.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ReadCounts {
    pub(crate) documents: u64,
    pub(crate) words: u64,
    pub(crate) text_bytes: u64,
}

impl ReadCounts {
    pub(crate) fn add(&mut self, other: Self) {
        self.documents += other.documents;
        self.words += other.words;
        self.text_bytes += other.text_bytes;
    }
}

/// A chunk of the first reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ReadChunk {
    pub(crate) place: ChunkPosition,
    pub(crate) documents: u32,
}

/// Finds something in each document.
pub(crate) trait DocumentReader: Sync {
    /// Working space of a thread.
    type Scratch: Default;
    /// What is found in a document.
    type Found: Send;

    /// Whether a document, by its file and number, is not read, and not counted.
    fn skips(&self, _place: (u32, u32)) -> bool {
        false
    }

    /// Reads a document: the number of its words, and what was found if it is anything.
    fn read(
        &self,
        record: &RecordView<'_>,
        text: &str,
        scratch: &mut Self::Scratch,
    ) -> (usize, Option<Self::Found>);

    /// Frees what large documents of a chunk have taken.
    fn free_large(scratch: &mut Self::Scratch);
}

/// Which bad records are accepted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Admitted {
    pub(crate) strict: bool,
    pub(crate) skip_unreadable: bool,
}

impl Admitted {
    /// Refuses inputs that are known not to be all there, before checkpoints are written: a run could not be
    /// resumed from these.
    ///
    /// # Errors
    /// The first such input, if it is not accepted.
    pub(crate) fn refuse_damaged(self, inputs: &Inputs) -> Result<(), LookalikeError> {
        match inputs.damaged().filter(|_| self.strict || !self.skip_unreadable) {
            Some(failure) => Err(LookalikeError::unreadable(failure, self.strict)),
            None => Ok(()),
        }
    }

    /// The analysis of texts with these settings, where tokens are left open as the inputs decide it.
    ///
    /// # Errors
    /// An input that cannot be read, if it is not accepted.
    pub(crate) fn analysis(
        self,
        settings: &Settings,
        inputs: &Inputs,
    ) -> Result<AnalysisSettings, LookalikeError> {
        let found = settings.analysis_of(inputs, self.skip_unreadable && !self.strict);
        found.map_err(|failure| LookalikeError::unreadable(failure, self.strict))
    }

    /// # Errors
    /// The first problem that is not accepted.
    pub(crate) fn admit(self, problems: &Problems) -> Result<(), LookalikeError> {
        admit(problems, self.strict, self.skip_unreadable)
    }
}

/// What one chunk has.
struct ChunkReading<F> {
    chunk: Option<ReadChunk>,
    consumed: u64,
    of_files: Vec<(u32, ReadCounts)>,
    found: Vec<((u32, u32), F)>,
    bad: Vec<(u32, u32)>,
    problems: Problems,
}

impl FirstReading {
    /// Reads all documents, and gives what is found to `each`, in order, with the file and the number of
    /// the record.
    ///
    /// # Errors
    /// Documents that cannot be read; a cancellation; those of `each`.
    pub(crate) fn read<R: DocumentReader>(
        documents: Documents<'_>,
        reader: &R,
        admitted: Admitted,
        limits: PipelineLimits,
        progress: &dyn Progress,
        mut each: impl FnMut((u32, u32), R::Found) -> Result<(), LookalikeError> + Send,
    ) -> Result<Self, LookalikeError> {
        let inputs = documents.inputs;
        let mut reading =
            Self { of_files: vec![ReadCounts::default(); inputs.files.len()], ..Self::default() };
        let scratch = || (VisitScratch::default(), R::Scratch::default());
        let work = |scratch: &mut (VisitScratch, R::Scratch), piece: Piece| {
            Ok::<_, LookalikeError>(ChunkReading::read(piece, inputs, reader, scratch))
        };
        let collect = |mut chunk: ChunkReading<R::Found>| {
            admitted.admit(&chunk.problems)?;
            let documents = chunk.chunk.map_or(0, |chunk| chunk.documents);
            progress.advance(chunk.consumed, documents.into());
            let found = std::mem::take(&mut chunk.found);
            reading.append(chunk);
            found.into_iter().try_for_each(|(place, found)| each(place, found))?;
            Ok(Poll::new(progress).now()?)
        };
        let bytes = |piece: &Piece| piece_bytes(piece, inputs);
        let total: u64 = inputs.files.iter().map(|file| file.size).sum();
        progress.phase("reading", Some(total).filter(|&total| total > 0));
        match documents.reading {
            Reading::Files => {
                let parts = inputs.chunks().into_files().map(FilePart);
                pipeline::try_ordered_parts(limits, parts, bytes, scratch, work, collect)?;
            }
            Reading::Caller(_) => documents.with_chunks(|chunks| {
                let parts = std::iter::once(PipelineItems(chunks));
                pipeline::try_ordered_parts(limits, parts, bytes, scratch, work, collect)
            })?,
        }
        Ok(reading)
    }

    /// What was read of the first files, this many.
    pub(crate) fn of_first(&self, files: usize) -> ReadCounts {
        let mut counts = ReadCounts::default();
        self.of_files[..files].iter().for_each(|of| counts.add(*of));
        counts
    }

    /// What was read of all files.
    pub(crate) fn counts(&self) -> ReadCounts {
        self.of_first(self.of_files.len())
    }

    /// The inputs with their counts, of which these documents are removed.
    pub(crate) fn input_summaries(
        &self,
        inputs: &Inputs,
        removed: &[(u32, u32)],
    ) -> Vec<InputSummary> {
        let name = |value: Value| value.as_str().unwrap_or_default().to_owned();
        let of_file = |file: &lookalike_io::InputFile| InputSummary {
            name: file.name.clone(),
            format: name(json!(file.format)),
            compression: (file.compression != lookalike_io::Compression::None)
                .then(|| name(json!(file.compression))),
            bytes: file.size,
            ..InputSummary::default()
        };
        let mut summaries: Vec<InputSummary> = inputs.files.iter().map(of_file).collect();
        for &(file, _) in removed {
            summaries[file as usize].removed += 1;
        }
        for (summary, of) in summaries.iter_mut().zip(&self.of_files) {
            summary.documents = of.documents;
            summary.kept = of.documents - summary.removed;
        }
        for (file, problems) in self.problems.counts() {
            summaries[file as usize].problems = problems;
        }
        self.problems.unreadable().for_each(|file| summaries[file as usize].unreadable = true);
        summaries
    }

    /// Writes what it says, for a run that is resumed.
    ///
    /// # Errors
    /// The error of the writer.
    pub(crate) fn write(&self, out: &mut Encoder<impl Write>) -> io::Result<()> {
        let chunks = self.chunks.iter().flat_map(|&ReadChunk { place, documents }| {
            let ChunkPosition { file, record, line, offset, bytes } = place;
            [file.into(), record.into(), line, offset, bytes, documents.into()]
        });
        out.array(&chunks.collect::<Vec<u64>>())?;
        let of_files = self.of_files.iter();
        let counts = of_files.flat_map(|of| [of.documents, of.words, of.text_bytes]);
        out.array(&counts.collect::<Vec<u64>>())?;
        let bad = self.bad.iter().flat_map(|&(file, record)| [file, record]);
        out.array(&bad.collect::<Vec<u32>>())?;
        self.problems.write(out)
    }

    /// Reads what [`FirstReading::write`] wrote, each array at most `most` bytes long.
    ///
    /// # Errors
    /// The error of the reader.
    pub(crate) fn restore(from: &mut Decoder<impl Read>, most: u64) -> io::Result<Self> {
        let (chunks, counts) = (from.array::<u64>(most)?, from.array::<u64>(most)?);
        let chunk = |&[file, record, line, offset, bytes, documents]: &[u64; 6]| ReadChunk {
            place: ChunkPosition { file: file as u32, record: record as u32, line, offset, bytes },
            documents: documents as u32,
        };
        let of_file = |&[documents, words, text_bytes]: &[u64; 3]| ReadCounts {
            documents,
            words,
            text_bytes,
        };
        Ok(Self {
            chunks: chunks.as_chunks().0.iter().map(chunk).collect(),
            of_files: counts.as_chunks().0.iter().map(of_file).collect(),
            bad: from.array::<u32>(most)?.as_chunks().0.iter().map(|&[a, b]| (a, b)).collect(),
            problems: Problems::read(from, most)?,
        })
    }

    fn append<F>(&mut self, chunk: ChunkReading<F>) {
        self.chunks.extend(chunk.chunk);
        for (file, counts) in chunk.of_files {
            self.of_files[file as usize].add(counts);
        }
        self.bad.extend(chunk.bad);
        self.problems.append(chunk.problems);
    }
}

impl<F> Default for ChunkReading<F> {
    fn default() -> Self {
        Self {
            chunk: None,
            consumed: 0,
            of_files: Vec::new(),
            found: Vec::new(),
            bad: Vec::new(),
            problems: Problems::default(),
        }
    }
}

impl<F: Send> ChunkReading<F> {
    fn read<R: DocumentReader<Found = F>>(
        piece: Piece,
        inputs: &Inputs,
        reader: &R,
        scratches: &mut (VisitScratch, R::Scratch),
    ) -> Self {
        let mut reading = Self::default();
        let (chunk, problem) = piece.into_parts();
        if let Some(chunk) = chunk {
            reading.read_chunk(chunk, inputs, reader, scratches);
        }
        problem.into_iter().for_each(|problem| reading.problems.push(problem));
        reading
    }

    fn read_chunk<R: DocumentReader<Found = F>>(
        &mut self,
        chunk: Chunk,
        inputs: &Inputs,
        reader: &R,
        (visit, scratch): &mut (VisitScratch, R::Scratch),
    ) {
        let (place, mut documents) = (chunk.place(), 0);
        self.consumed = chunk.consumed;
        chunk.visit_once(inputs, visit, &mut |item| {
            let (file, record) = item.place();
            match item {
                Item::Record(_) if reader.skips((file, record)) => documents += 1,
                Item::Record(view) => {
                    let text = plain_text(&view.content);
                    let (words, found) = reader.read(&view, &text, scratch);
                    self.found.extend(found.map(|found| ((file, record), found)));
                    documents += 1;
                    let counts = ReadCounts {
                        documents: 1,
                        words: words as u64,
                        text_bytes: text.len() as u64,
                    };
                    match self.of_files.last_mut() {
                        Some((last, of)) if *last == file => of.add(counts),
                        _ => self.of_files.push((file, counts)),
                    }
                }
                Item::Bad(problem) => {
                    self.bad.push((file, record));
                    self.problems.push(problem);
                }
                Item::Failed(failure) => {
                    self.bad.push((file, record));
                    self.problems.push(failure.into_problem());
                }
            }
        });
        R::free_large(scratch);
        self.chunk = Some(ReadChunk { place, documents });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reading_comes_back_from_a_checkpoint() {
        let place = ChunkPosition { file: 1, record: 2, line: 1 << 40, offset: 1 << 41, bytes: 9 };
        let chunk = ReadChunk { place, documents: 5 };
        let counts = ReadCounts { documents: 3, words: 1 << 50, text_bytes: 7 };
        let mut reading = FirstReading {
            chunks: vec![chunk, ReadChunk { documents: 0, ..chunk }],
            of_files: vec![ReadCounts::default(), counts],
            bad: vec![(1, 3), (2, 4)],
            problems: Problems::default(),
        };
        reading.problems.push(lookalike_io::Problem {
            file: 1,
            path: "größer.jsonl".into(),
            record: 3,
            line: 3,
            offset: None,
            message: "no text".into(),
            unreadable: false,
        });
        let mut written = Vec::new();
        reading.write(&mut Encoder(&mut written)).unwrap();
        let most = written.len() as u64;
        let restored = FirstReading::restore(&mut Decoder(&mut &written[..]), most).unwrap();
        assert_eq!((&restored.chunks, &restored.bad), (&reading.chunks, &reading.bad));
        let counts = |reading: &FirstReading| format!("{:?}", reading.of_files);
        assert_eq!(counts(&restored), counts(&reading));
        assert_eq!(format!("{:?}", restored.problems), format!("{:?}", reading.problems));
        for cut in 0..written.len() {
            assert!(FirstReading::restore(&mut Decoder(&mut &written[..cut]), most).is_err());
        }
    }
}
