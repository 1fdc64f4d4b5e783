//! Near passages: the pieces of their seeds to pairs of documents, and these to near passages.

use super::super::step::{RowStep, StepContext};
use super::super::tables::{Message, MessageWriter};
use super::blobs::{Outbox, put_all, read_all};
use super::{kind, part_of};
use lookalike_passages::classes::Piece;
use lookalike_passages::near::{Seed, near_of_seeds, seeds};
use lookalike_passages::{Lengths, Record, runs};
use lookalike_run::LookalikeError;
use lookalike_run::passages::NearSearch;

/// Pieces, sorted by the parts of their first places: sends equal units of two documents to the
/// part of the later one.
pub(in super::super) struct NearSeeds {
    lengths: Lengths,
    parts: u32,
    part: Option<i64>,
    pieces: Vec<Piece>,
    seeds: Outbox,
}

impl NearSeeds {
    /// # Errors
    /// The run looks for no near passages.
    pub(in super::super) fn new(context: &StepContext, parts: u32) -> Result<Self, LookalikeError> {
        Ok(Self {
            lengths: context.near()?.seeds,
            parts,
            part: None,
            pieces: Vec::new(),
            seeds: Outbox::new(kind::SEEDS),
        })
    }

    /// Pairs the copies of the part that ends.
    fn pair(&mut self, out: &mut MessageWriter) -> Result<(), LookalikeError> {
        let runs = runs::runs(std::mem::take(&mut self.pieces));
        for seed in seeds(&runs, self.lengths) {
            self.seeds.record(part_of(seed.documents[0], self.parts), seed.to_record(), out)?;
        }
        Ok(())
    }
}

impl RowStep<Message<'static>, Message<'static>> for NearSeeds {
    fn row(&mut self, row: Message<'_>, out: &mut MessageWriter) -> Result<(), LookalikeError> {
        if self.part.replace(row.part) != Some(row.part) {
            self.pair(out)?;
        }
        match row.kind {
            kind::PIECES => read_all(row.blob, &mut self.pieces),
            _ => Ok(()),
        }
    }

    fn end(&mut self, out: &mut MessageWriter) -> Result<(), LookalikeError> {
        self.pair(out)?;
        self.seeds.send(out)
    }
}

/// Seeds, sorted by part: makes the near passages of the later documents of each part.
pub(in super::super) struct NearPassages {
    search: NearSearch,
    part: Option<i64>,
    seeds: Vec<Seed>,
}

impl NearPassages {
    /// # Errors
    /// The run looks for no near passages.
    pub(in super::super) fn new(context: &StepContext) -> Result<Self, LookalikeError> {
        Ok(Self { search: context.near()?, part: None, seeds: Vec::new() })
    }

    /// Makes the near passages of the part that ends.
    fn make(&mut self, out: &mut MessageWriter) -> Result<(), LookalikeError> {
        let Some(part) = self.part.take() else { return Ok(()) };
        let NearSearch { rule, seeds } = self.search;
        for near in near_of_seeds(std::mem::take(&mut self.seeds), seeds, rule).chunks(NEAR) {
            let mut blob = Vec::new();
            put_all(near, &mut blob);
            let (kind, number) = (kind::NEAR, near.len() as i64);
            out.push(Message { part, kind, number, blob: &blob, ..Message::default() })?;
        }
        Ok(())
    }
}

/// Near passages in a message.
const NEAR: usize = 1 << 18;

impl RowStep<Message<'static>, Message<'static>> for NearPassages {
    fn row(&mut self, row: Message<'_>, out: &mut MessageWriter) -> Result<(), LookalikeError> {
        if self.part != Some(row.part) {
            self.make(out)?;
            self.part = Some(row.part);
        }
        read_all(row.blob, &mut self.seeds)
    }

    fn end(&mut self, out: &mut MessageWriter) -> Result<(), LookalikeError> {
        self.make(out)
    }
}
