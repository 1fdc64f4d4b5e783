//! Files and their chunks as what the [pipeline](crate::pipeline) reads.

use crate::pipeline::{NextItem, Part};
use lookalike_io::source::{Chunk, FileChunks, Next};
use lookalike_io::{Inputs, Problem};

/// A chunk, or what is wrong in its place.
pub type ReadChunk = Result<Chunk, Problem>;

/// A file whose chunks are read while those of others are.
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

/// Bytes that a chunk takes in memory.
#[must_use]
pub fn chunk_bytes(chunk: &ReadChunk, inputs: &Inputs) -> u64 {
    chunk.as_ref().map_or(0, |chunk| chunk.bytes(inputs))
}
