//! The chunks of all inputs, in order.

use crate::{Compression, Format, Inputs, Problem};

use super::arrow_batches::ArrowReader;
use super::batches::BatchReader;
use super::documents;
use super::fields::Fields;
use super::lines::LineReader;
use super::mbox::MessageReader;
use super::rows::RowReader;
use super::warc::WarcReader;
use super::{Chunk, ChunkPosition, Next};

/// Large enough that the cost per chunk is negligible, small enough for the caches.
const CHUNK_BYTES: usize = 2 << 20;

/// Splits the inputs, in order and on one thread, into chunks of whole records; made by
/// [`Inputs::chunks`].
///
/// A [`Problem`] replaces a record or the rest of a file that cannot be read: with record 0, the
/// rest of the file is skipped. Reading continues after it. Memory is bounded by the size of a
/// chunk or by the largest record allowed, whichever is larger.
pub struct Chunks<'a> {
    inputs: &'a Inputs,
    fields: Fields<'a>,
    chunk_bytes: usize,
    only_fields: bool,
    /// Index of the file after the one being read.
    next_file: usize,
    reader: Option<Reader>,
}

enum Reader {
    Lines(LineReader),
    Rows(Box<RowReader>),
    Batches(Box<BatchReader>),
    Arrow(Box<ArrowReader>),
    Messages(MessageReader),
    WebRecords(WarcReader),
}

impl Reader {
    /// The next chunk of the file, or the problem in its place.
    fn next(&mut self, any_size: bool) -> Next {
        match self {
            Self::Lines(reader) => reader.next(any_size),
            Self::Rows(reader) => reader.next(any_size),
            Self::Batches(reader) => reader.next(any_size),
            Self::Arrow(reader) => reader.next(any_size),
            Self::Messages(reader) => reader.next(any_size),
            Self::WebRecords(reader) => reader.next(any_size),
        }
    }
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
    /// for each position its chunk, or the problem there.
    ///
    /// Files without positions are not opened. Of an uncompressed JSONL, mbox or WARC file only these
    /// chunks are read; any other file is read up to its last position.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("a.jsonl");
    /// use lookalike_io::{DiscoverOptions, Inputs};
    ///
    /// std::fs::write(&path, "{\"text\": \"to be\"}\n".repeat(1_000_000))?;
    /// let inputs = Inputs::discover(&[path.display().to_string()], DiscoverOptions::default())?;
    /// let third = inputs.chunks().flatten().nth(2).ok_or("too few")?;
    /// let again = inputs.chunks_at([third.place()]).flatten().next().ok_or("gone")?;
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
    type Item = Result<Chunk, Problem>;

    fn next(&mut self) -> Option<Self::Item> {
        let place = self.places.next()?;
        let input = self.chunks.inputs.files.get(place.file as usize);
        let gone = || {
            let name = input.map_or("", |input| input.name.as_str());
            let message = "the data that was read here is gone; the file has changed";
            Problem::of_file(place.file, name, Some(place.offset), message.to_string())
        };
        Some(self.chunks.find(place).unwrap_or_else(|| Err(gone())))
    }
}

impl<'a> Chunks<'a> {
    fn new(inputs: &'a Inputs, chunk_bytes: usize) -> Self {
        let fields = Fields::new(&inputs.options.fields);
        Self { inputs, fields, chunk_bytes, only_fields: false, next_file: 0, reader: None }
    }

    /// The inputs.
    pub(super) fn inputs(&self) -> &'a Inputs {
        self.inputs
    }

    /// The file being read, if any; it is not among the following ones.
    pub(super) fn is_within_file(&self) -> bool {
        self.reader.is_some()
    }

    /// The file after the one being read.
    pub(super) fn next_file(&self) -> usize {
        self.next_file
    }

    /// Chunks with the same options from another file on.
    pub(super) fn at_file(&self, next_file: usize) -> Self {
        let Self { inputs, chunk_bytes, only_fields, .. } = *self;
        Self { next_file, only_fields, ..Self::new(inputs, chunk_bytes) }
    }

    /// Number of files in the run of one-document files that starts at this file; 1 for any other.
    pub(super) fn run_length(&self, file: usize) -> usize {
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
    fn find(&mut self, place: ChunkPosition) -> Option<Result<Chunk, Problem>> {
        let file = place.file as usize;
        let input = self.inputs.files.get(file)?;
        if self.reader.is_none() || self.next_file != file + 1 {
            (self.reader, self.next_file) = (None, file);
            if input.format.is_document() {
                return self
                    .next()
                    .filter(|run| run.as_ref().is_ok_and(|run| run.place() == place));
            }
            self.next_file += 1;
            match self.open(file) {
                Ok(reader) => self.reader = reader,
                Err(problem) => return Some(Err(problem)),
            }
        }
        let reader = self.reader.as_mut()?;
        match (&mut *reader, input.compression) {
            (Reader::Lines(lines), Compression::None) => return lines.at(place),
            (Reader::Messages(messages), Compression::None) => return messages.at(place),
            (Reader::WebRecords(records), Compression::None) => return records.at(place),
            _ => {}
        }
        let (mut passed_over, mut given_up) = (0, None);
        while let Some(next) = reader.next(true).any() {
            match next {
                Ok(mut chunk) if chunk.place() == place => {
                    chunk.consumed += passed_over;
                    return Some(Ok(chunk));
                }
                Ok(chunk) if chunk.first_record > place.record => return None,
                Ok(chunk) => passed_over += chunk.consumed,
                // Only a problem that ends the file matters here.
                Err(problem) => given_up = Some(problem).filter(|problem| problem.record == 0),
            }
        }
        given_up.map(Err)
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
    pub(super) fn of_file(self, file: u32, bytes: u64) -> Self {
        Self { next_file: file as usize, chunk_bytes: bytes as usize, ..self }
    }

    /// Opens the next file; `None` if it is empty.
    fn open(&self, file: usize) -> Result<Option<Reader>, Problem> {
        let input = &self.inputs.files[file];
        let max_record = self.inputs.options.max_record();
        let (index, size) = (file as u32, self.chunk_bytes);
        // What decides how columns are read is at their end.
        if let Some(damage) = input.damage.as_ref().filter(|_| input.format.is_columns()) {
            return Err(Problem::of_file(index, &input.name, None, damage.clone()));
        }
        Ok(match input.format {
            Format::Csv | Format::Tsv => {
                RowReader::open(index, input, &self.fields, &self.inputs.options, size, max_record)?
                    .map(|reader| Reader::Rows(Box::new(reader)))
            }
            Format::Parquet => {
                let reader = BatchReader::open(index, input, &self.fields, size, self.only_fields)?;
                reader.map(|reader| Reader::Batches(Box::new(reader)))
            }
            Format::Arrow => {
                let names = &self.inputs.options.fields;
                let reader = ArrowReader::open(index, input, names, size)?;
                reader.map(|reader| Reader::Arrow(Box::new(reader)))
            }
            Format::Mbox => {
                Some(Reader::Messages(MessageReader::open(index, input, size, max_record)?))
            }
            Format::Warc => {
                Some(Reader::WebRecords(WarcReader::open(index, input, size, max_record)?))
            }
            _ => Some(Reader::Lines(LineReader::open(index, input, size, max_record)?)),
        })
    }
}

impl Chunks<'_> {
    /// The next chunk of the files before `until`, or the problem in its place.
    pub(super) fn next_before(&mut self, until: usize, any_size: bool) -> Next {
        loop {
            if let Some(reader) = &mut self.reader {
                match reader.next(any_size) {
                    Next::End => self.reader = None,
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
                return Next::Chunk(Ok(run));
            }
            self.next_file += 1;
            match self.open(file) {
                Ok(reader) => self.reader = reader,
                Err(problem) => return Next::Chunk(Err(problem)),
            }
        }
    }
}

impl Iterator for Chunks<'_> {
    type Item = Result<Chunk, Problem>;

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
