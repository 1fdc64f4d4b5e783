//! The rows of one chunk of the input: its documents and their ids.

use super::document::{Document, SetRef};
use crate::reason_codes;
use lookalike_core::{TextDigest, TokenDigest};
use lookalike_join::ChunkId;
use lookalike_spill::{Decoder, Encoder};
use std::io::{self, Read, Write};

/// Rows: documents and their ids.
#[derive(Debug, Clone, Default)]
pub struct Rows {
    /// The documents, ordered by (file, record).
    pub documents: Vec<Document>,
    pub(crate) ids: Ids,
}

/// The ids of a chunk's documents, in one buffer.
#[derive(Debug, Clone, Default)]
pub(crate) struct Ids {
    bytes: String,
    ends: Vec<u32>,
}

impl Ids {
    pub(crate) fn push(&mut self, id: Option<&str>) {
        self.bytes.push_str(id.unwrap_or_default());
        self.ends.push(self.bytes.len() as u32);
    }

    /// The id of a document by its row, if it has one.
    pub(crate) fn get(&self, row: usize) -> Option<&str> {
        let start = if row == 0 { 0 } else { self.ends[row - 1] } as usize;
        let id = &self.bytes[start..self.ends[row] as usize];
        (!id.is_empty()).then_some(id)
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes.len()
    }
}

/// In place of the chunk of a document without a set; the index is the reason.
const NO_SET: ChunkId = ChunkId(u32::MAX);

impl Rows {
    /// Size in memory, in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        (size_of_val(&*self.documents) + self.ids.bytes.len() + size_of_val(&*self.ids.ends)) as u64
    }

    /// Rows without content.
    #[cfg(test)]
    pub(crate) fn unknown(documents: usize) -> Self {
        use lookalike_methods::Unsigned;
        let nothing = Document {
            file: 0,
            record: 0,
            tokens: 0,
            set: Err(Unsigned::Empty),
            text_bytes: 0,
            text: TextDigest(0),
            sequence: TokenDigest(0),
        };
        let ids = Ids { bytes: String::new(), ends: vec![0; documents] };
        Self { documents: vec![nothing; documents], ids }
    }

    pub(crate) fn write(&self, out: &mut Encoder<impl Write>) -> io::Result<()> {
        let rows = &self.documents;
        let set = |row: &Document| {
            let none =
                |reason| SetRef { chunk: NO_SET, index: reason_codes::code(Some(reason)).into() };
            row.set.unwrap_or_else(none)
        };
        out.array(&rows.iter().map(|row| row.file).collect::<Vec<_>>())?;
        out.array(&rows.iter().map(|row| row.record).collect::<Vec<_>>())?;
        out.array(&rows.iter().map(|row| row.tokens).collect::<Vec<_>>())?;
        out.array(&rows.iter().map(|row| set(row).chunk).collect::<Vec<_>>())?;
        out.array(&rows.iter().map(|row| set(row).index).collect::<Vec<_>>())?;
        out.array(&rows.iter().map(|row| row.text_bytes).collect::<Vec<_>>())?;
        out.array(&rows.iter().map(|row| row.text.0).collect::<Vec<_>>())?;
        out.array(&rows.iter().map(|row| row.sequence.0).collect::<Vec<_>>())?;
        out.array(self.ids.bytes.as_bytes())?;
        out.array(&self.ids.ends)
    }

    pub(crate) fn read(from: &mut Decoder<impl Read>, most: u64) -> io::Result<Self> {
        let files = from.array::<u32>(most)?;
        let (records, tokens) = (from.array::<u32>(most)?, from.array::<u32>(most)?);
        let (chunks, indices) = (from.array::<ChunkId>(most)?, from.array::<u32>(most)?);
        let text_bytes = from.array::<u64>(most)?;
        let (texts, sequences) = (from.array::<u128>(most)?, from.array::<u128>(most)?);
        let bytes = String::from_utf8(from.array(most)?).map_err(io::Error::other)?;
        let ends = from.array::<u32>(most)?;
        let columns = [
            records.len(),
            tokens.len(),
            chunks.len(),
            indices.len(),
            text_bytes.len(),
            ends.len(),
        ];
        if columns.iter().chain(&[texts.len(), sequences.len()]).any(|&rows| rows != files.len()) {
            return Err(io::Error::other("columns of different lengths"));
        }
        let row = |at: usize| {
            let place = SetRef { chunk: chunks[at], index: indices[at] };
            let set = match place {
                SetRef { chunk: NO_SET, index } => Err(reason_codes::reason(index)?
                    .ok_or_else(|| io::Error::other("a document without a set and a reason"))?),
                place => Ok(place),
            };
            Ok(Document {
                file: files[at],
                record: records[at],
                tokens: tokens[at],
                set,
                text_bytes: text_bytes[at],
                text: TextDigest(texts[at]),
                sequence: TokenDigest(sequences[at]),
            })
        };
        let documents = (0..files.len()).map(row).collect::<io::Result<_>>()?;
        Ok(Self { documents, ids: Ids { bytes, ends } })
    }
}
