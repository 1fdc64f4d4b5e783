//! Signatures of methods: for each document its keys and its sketch.

use super::Segment;
use super::columns::{self, SIGNATURE_ROW};
use super::format::Section;
use crate::SignatureView;

/// A stored signature, in memory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StoredSignature {
    /// The keys.
    pub keys: Vec<u64>,
    /// The words of the sketch.
    pub sketch: Vec<u64>,
    /// Size of the document in features of the method.
    pub size: u32,
    /// Level of the sketch.
    pub level: u32,
    /// The caller's code for why there is no signature; 0 where there is one.
    pub unsigned: u8,
}

impl StoredSignature {
    /// As it was given.
    #[must_use]
    pub fn view(&self) -> SignatureView<'_> {
        let Self { keys, sketch, size, level, unsigned } = self;
        SignatureView { keys, sketch, size: *size, level: *level, unsigned: *unsigned }
    }
}

/// The row of a signature.
pub(super) fn row(signature: &SignatureView<'_>) -> [u8; SIGNATURE_ROW] {
    let mut row = [0; SIGNATURE_ROW];
    row[..4].copy_from_slice(&signature.size.to_le_bytes());
    row[4..8].copy_from_slice(&signature.level.to_le_bytes());
    row[8] = signature.unsigned;
    row
}

impl Segment {
    /// The signature of a document by a method.
    #[must_use]
    pub fn signature(&self, method: usize, local: u32) -> StoredSignature {
        let method = method as u32;
        let column = |section| self.section(section);
        let row: [u8; SIGNATURE_ROW] =
            columns::record(column(Section::SignatureRows(method)), local);
        let ends = column(Section::SignatureEnds(method));
        let at = u64::from(local) * 2;
        let start = at.checked_sub(1).map_or(0, |before| columns::u64_at(ends, before));
        let words = column(Section::SignatureWords(method));
        let read = |start: u64, end: u64| -> Vec<u64> {
            let end = end.min(words.len() as u64 / 8);
            (start..end).map(|at| columns::u64_at(words, at)).collect()
        };
        let (middle, end) = (columns::u64_at(ends, at), columns::u64_at(ends, at + 1));
        StoredSignature {
            keys: read(start, middle),
            sketch: read(middle, end),
            size: u32::from_le_bytes([row[0], row[1], row[2], row[3]]),
            level: u32::from_le_bytes([row[4], row[5], row[6], row[7]]),
            unsigned: row[8],
        }
    }
}
