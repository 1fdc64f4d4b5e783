//! The chunks of all inputs, in order.

use crate::formats::{self, ChunkReader, Opening};
use crate::{Compression, Inputs, ReadFailure};

use super::documents;
use super::fields::Fields;
use super::{Chunk, ChunkPosition, Next, Piece};

/// Large enough that the cost per chunk is negligible, small enough for the caches.
const CHUNK_BYTES: usize = 2 << 20;

/// Splits the inputs, in order and on one thread, into chunks of whole records; made by
/// [`Inputs::chunks`].
///
/// A [`Piece::Bad`] replaces a record, a [`Piece::Failed`] the rest of a file that cannot be read:
/// it is not the end of the file. Reading continues after both. Memory is bounded by the size of a
/// chunk or by the largest record allowed, whichever is larger.
pub struct Chunks<'a> {
    inputs: &'a Inputs,
    fields: Fields<'a>,
    chunk_bytes: usize,
    only_fields: bool,
    /// Index of the file after the one being read.
    next_file: usize,
    reader: Option<Box<dyn ChunkReader>>,
}

impl Inputs {
    /// Reads all files in chunks.
    ///
    /// Every call starts from the beginning and gives the same chunks.
    pub fn chunks(&self) -> Chunks<'_> {
        Chunks::new(self, CHUNK_BYTES)
    }
}

impl Inputs {
    /// Reads some of the chunks of [`Inputs::chunks`], those at given positions, in their order:
    /// for each position its chunk, or the failure to read it.
    ///
    /// Files without positions are not opened. Of an uncompressed JSONL, mbox or WARC file only these
    /// chunks are read; any other file is read up to its last position.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("a.jsonl");
    /// use lookalike_io::source::Piece;
    /// use lookalike_io::{DiscoverOptions, Inputs};
    ///
    /// std::fs::write(&path, "{\"text\": \"to be\"}\n".repeat(1_000_000))?;
    /// let inputs = Inputs::discover(&[path.display().to_string()], DiscoverOptions::default())?;
    /// let Some(Piece::Chunk(third)) = inputs.chunks().nth(2) else { return Err("too few".into()) };
    /// let Some(Piece::Chunk(again)) = inputs.chunks_at([third.place()]).next() else { return Err("gone".into()) };
    /// assert_eq!((again.place(), again.raw_records().count()), (third.place(), third.raw_records().count()));
    /// # Ok(())
    /// # }
    /// ```
    pub fn chunks_at<P: IntoIterator<Item = ChunkPosition>>(
        &self,
        places: P,
    ) -> ChunksAt<'_, P::IntoIter> {
        ChunksAt { chunks: self.chunks(), places: places.into_iter() }
    }
}

/// Some chunks of the inputs; made by [`Inputs::chunks_at`].
pub struct ChunksAt<'a, P> {
    chunks: Chunks<'a>,
    places: P,
}

impl<P> ChunksAt<'_, P> {
    /// As [`Chunks::with_size`]: the chunk size that the positions are from.
    #[must_use]
    pub fn with_size(self, bytes: usize) -> Self {
        Self { chunks: self.chunks.with_size(bytes), ..self }
    }
}

impl<P: Iterator<Item = ChunkPosition>> Iterator for ChunksAt<'_, P> {
    type Item = Piece;

    fn next(&mut self) -> Option<Self::Item> {
        let place = self.places.next()?;
        let input = self.chunks.inputs.files.get(place.file as usize);
        let gone = || {
            let name = input.map_or("", |input| input.name.as_str());
            let message = "the data that was read here is gone; the file has changed";
            ReadFailure::of_file(place.file, name, Some(place.offset), message.to_string())
        };
        Some(self.chunks.find(place).unwrap_or_else(|| Err(gone())).into())
    }
}

impl<'a> Chunks<'a> {
    fn new(inputs: &'a Inputs, chunk_bytes: usize) -> Self {
        let fields = Fields::new(&inputs.options.fields);
        Self { inputs, fields, chunk_bytes, only_fields: false, next_file: 0, reader: None }
    }

    /// The inputs.
    pub(crate) fn inputs(&self) -> &'a Inputs {
        self.inputs
    }

    /// The file being read, if any; it is not among the following ones.
    pub(crate) fn is_within_file(&self) -> bool {
        self.reader.is_some()
    }

    /// The file after the one being read.
    pub(crate) fn next_file(&self) -> usize {
        self.next_file
    }

    /// Chunks with the same options from another file on.
    pub(crate) fn at_file(&self, next_file: usize) -> Self {
        let Self { inputs, chunk_bytes, only_fields, .. } = *self;
        Self { next_file, only_fields, ..Self::new(inputs, chunk_bytes) }
    }

    /// Number of files in the run of one-document files that starts at this file; 1 for any other.
    pub(crate) fn run_length(&self, file: usize) -> usize {
        let files = &self.inputs.files;
        if !files[file].format.is_document() {
            return 1;
        }
        match documents::run(files, file, 2 * self.chunk_bytes as u64).body {
            super::Body::Files(count) => count as usize,
            _ => 1,
        }
    }
}

impl Chunks<'_> {
    /// The chunk at a position, which is not before the previous one.
    fn find(&mut self, place: ChunkPosition) -> Option<Result<Chunk, ReadFailure>> {
        let found = self.find_in(place);
        if !matches!(found, Some(Ok(_))) {
            // The next position is looked for from the beginning of its file.
            self.reader = None;
        }
        found
    }

    fn find_in(&mut self, place: ChunkPosition) -> Option<Result<Chunk, ReadFailure>> {
        let file = place.file as usize;
        let input = self.inputs.files.get(file)?;
        if self.reader.is_none() || self.next_file != file + 1 {
            (self.reader, self.next_file) = (None, file);
            if input.format.is_document() {
                return match self.next()? {
                    Piece::Chunk(run) => (run.place() == place).then_some(Ok(run)),
                    Piece::Failed { failure, .. } => Some(Err(failure)),
                    Piece::Bad(_) => None,
                };
            }
            self.next_file += 1;
            match self.open(file) {
                Ok(reader) => self.reader = reader,
                Err(failure) => return Some(Err(failure)),
            }
        }
        let reader = self.reader.as_mut()?;
        if reader.can_seek() && input.compression == Compression::None {
            return reader.at(place);
        }
        let mut passed_over = 0;
        while let Some(piece) = reader.next(true).any() {
            let (chunk, failed) = match piece {
                Piece::Chunk(chunk) => (Some(chunk), None),
                Piece::Bad(_) => (None, None),
                // The same place failed when the chunk was read first.
                Piece::Failed { before, failure } => (before, Some(failure)),
            };
            match (chunk, failed) {
                (Some(mut chunk), _) if chunk.place() == place => {
                    chunk.consumed += passed_over;
                    return Some(Ok(chunk));
                }
                (_, Some(failure)) => return Some(Err(failure)),
                (Some(chunk), None) if chunk.first_record > place.record => return None,
                (chunk, None) => passed_over += chunk.map_or(0, |chunk| chunk.consumed),
            }
        }
        None
    }

    /// Reads only the columns of Parquet files that [`Chunk::visit`] needs. Chunks start and end at
    /// the same records as with all columns, but cannot be [routed](Chunk::route).
    ///
    /// Damage in other columns is only found when all columns are read.
    #[must_use]
    pub fn only_fields(self) -> Self {
        Self { only_fields: true, ..self }
    }

    /// Makes chunks of about this size in bytes instead of 2 MiB.
    #[must_use]
    pub fn with_size(self, bytes: usize) -> Self {
        Self { chunk_bytes: bytes.max(1), ..self }
    }

    /// Starts at this file, with chunks of about this size in bytes. A caller that needs one file
    /// only stops at the next one.
    pub(crate) fn of_file(self, file: u32, bytes: u64) -> Self {
        Self { next_file: file as usize, chunk_bytes: bytes as usize, ..self }
    }

    /// Opens the next file; `None` if it is empty.
    fn open(&self, file: usize) -> Result<Option<Box<dyn ChunkReader>>, ReadFailure> {
        let (input, options) = (&self.inputs.files[file], &self.inputs.options);
        let opening = Opening {
            file: file as u32,
            input,
            fields: &self.fields,
            options,
            chunk_bytes: self.chunk_bytes,
            max_record: options.max_record(),
            only_fields: self.only_fields,
        };
        // What decides how columns are read is at their end.
        if let Some(damage) = input.damage.as_ref().filter(|_| input.format.is_columns()) {
            return Err(opening.refuse(damage.as_str()));
        }
        formats::records(input.format).map_or(Ok(None), |records| records.open(&opening))
    }
}

impl Chunks<'_> {
    /// The next piece of the files before `until`.
    pub(crate) fn next_before(&mut self, until: usize, any_size: bool) -> Next {
        loop {
            if let Some(reader) = &mut self.reader {
                match reader.next(any_size) {
                    Next::End => self.reader = None,
                    // What a reader holds behind a failure is incomplete.
                    Next::Piece(failed @ Piece::Failed { .. }) => {
                        self.reader = None;
                        return Next::Piece(failed);
                    }
                    next => return next,
                }
            }
            let file = self.next_file;
            if file >= until {
                return Next::End;
            }
            let input = &self.inputs.files[file];
            if input.format.is_document() {
                let run = documents::run(&self.inputs.files, file, 2 * self.chunk_bytes as u64);
                if let super::Body::Files(count) = run.body {
                    self.next_file += count as usize;
                }
                return Next::Piece(Piece::Chunk(run));
            }
            self.next_file += 1;
            match self.open(file) {
                Ok(reader) => self.reader = reader,
                Err(failure) => return Next::Piece(failure.into()),
            }
        }
    }
}

impl Iterator for Chunks<'_> {
    type Item = Piece;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_before(self.inputs.files.len(), true).any()
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn reading_can_move_to_a_thread_of_its_own() {
        fn is_send<T: Send>() {}
        is_send::<super::Chunks<'_>>();
        is_send::<crate::source::FileChunks<'_>>();
        is_send::<super::Chunk>();
    }
}
