//! Files and their chunks as parts and items of the [pipeline](crate::pipeline).

use crate::pipeline::{NextItem, Part};
use lookalike_io::source::{Chunk, FileChunks, Next};
use lookalike_io::{Inputs, Problem};

/// A chunk, or the problem that replaces it.
pub type ReadChunk = Result<Chunk, Problem>;

/// A file, whose chunks are read in parallel to those of other files.
pub struct FilePart<'a>(pub FileChunks<'a>);

impl Part for FilePart<'_> {
    type Item = ReadChunk;

    fn next(&mut self, any_size: bool) -> NextItem<ReadChunk> {
        match self.0.next(any_size) {
            Next::Chunk(chunk) => NextItem::Item(chunk),
            Next::Large => NextItem::Large,
            Next::End => NextItem::End,
        }
    }
}

/// Size of a chunk in memory, in bytes.
#[must_use]
pub fn chunk_bytes(chunk: &ReadChunk, inputs: &Inputs) -> u64 {
    chunk.as_ref().map_or(0, |chunk| chunk.bytes(inputs))
}
