//! Files and their chunks as parts and items of the [pipeline](crate::pipeline).

use crate::pipeline::{NextItem, Part};
use lookalike_io::Inputs;
use lookalike_io::source::{FileChunks, Next, Piece};

/// A file, whose chunks are read in parallel to those of other files.
pub struct FilePart<'a>(pub FileChunks<'a>);

impl Part for FilePart<'_> {
    type Item = Piece;

    fn next(&mut self, any_size: bool) -> NextItem<Piece> {
        match self.0.next(any_size) {
            Next::Piece(piece) => NextItem::Item(piece),
            Next::Large => NextItem::Large,
            Next::End => NextItem::End,
        }
    }
}

/// Size of the records in memory, in bytes.
#[must_use]
pub fn piece_bytes(piece: &Piece, inputs: &Inputs) -> u64 {
    piece.records().map_or(0, |chunk| chunk.bytes(inputs))
}
