//! Pieces of a part of the documents to runs, and runs to cuts.

use super::super::step::{RowStep, StepContext};
use super::super::tables::{Message, MessageWriter};
use super::blobs::{Outbox, Reader, put, put_all, read_all};
use super::{kind, part_of};
use lookalike_passages::classes::Piece;
use lookalike_passages::{CutRule, Lengths, Record, Run, Scope, kept, runs};
use lookalike_run::LookalikeError;

/// Pieces and documents that cannot be cut, sorted by part: makes the runs of each part.
#[derive(Default)]
pub(in super::super) struct Runs {
    part: Option<i64>,
    pieces: Vec<Piece>,
    fixed: Vec<u32>,
}

impl Runs {
    /// Makes the runs of the part that ends.
    fn make(&mut self, out: &mut MessageWriter) -> Result<(), LookalikeError> {
        let Some(part) = self.part.take() else { return Ok(()) };
        let runs = runs::runs(std::mem::take(&mut self.pieces));
        let mut fixed = std::mem::take(&mut self.fixed);
        fixed.sort_unstable();
        // Of a document all runs in one message, with whether it is fixed.
        let mut rest = &runs[..];
        while !rest.is_empty() {
            let most = rest.len().min(RUNS);
            let last = rest[most - 1].at.document;
            let end = most + rest[most..].partition_point(|run| run.at.document <= last);
            let (own, others) = rest.split_at(end);
            rest = others;
            let (mut blob, mut list) = (Vec::new(), Vec::new());
            put_all(own, &mut blob);
            for of_document in own.chunk_by(|a, b| a.at.document == b.at.document) {
                let document = of_document[0].at.document;
                if fixed.binary_search(&document).is_ok() {
                    put(&[document], &mut list);
                }
            }
            let (kind, number) = (kind::RUNS, own.len() as i64);
            out.push(Message {
                part,
                kind,
                number,
                blob: &blob,
                list: &list,
                ..Message::default()
            })?;
        }
        Ok(())
    }
}

/// Runs in a message, unless a document has more.
const RUNS: usize = 1 << 18;

impl RowStep<Message<'static>, Message<'static>> for Runs {
    fn row(&mut self, row: Message<'_>, out: &mut MessageWriter) -> Result<(), LookalikeError> {
        if self.part != Some(row.part) {
            self.make(out)?;
            self.part = Some(row.part);
        }
        match row.kind {
            kind::PIECES => read_all(row.blob, &mut self.pieces),
            kind::FIXED => read_numbers(row.blob, &mut self.fixed),
            _ => Ok(()),
        }
    }

    fn end(&mut self, out: &mut MessageWriter) -> Result<(), LookalikeError> {
        self.make(out)
    }
}

/// Appends the numbers of a blob to others.
pub(super) fn read_numbers(blob: &[u8], numbers: &mut Vec<u32>) -> Result<(), LookalikeError> {
    let mut reader = Reader(blob);
    while !reader.is_empty() {
        numbers.push(reader.number()?);
    }
    Ok(())
}

/// The runs of all documents, of one component after the other, or of any documents where each is decided
/// by itself: makes the cuts.
pub(in super::super) struct Cuts {
    rule: Option<CutRule>,
    lengths: Lengths,
    scope: Scope,
    parts: u32,
    /// The most runs of a component, if runs come by component.
    most: Option<usize>,
    component: Option<i64>,
    runs: Vec<Run>,
    fixed: Vec<u32>,
    cuts: Outbox,
}

impl Cuts {
    /// # Errors
    /// Settings that make no sense.
    pub(in super::super) fn new(
        context: &StepContext,
        parts: u32,
        most: Option<usize>,
    ) -> Result<Self, LookalikeError> {
        let passages = context.passages()?;
        Ok(Self {
            rule: passages.cut.rule(),
            lengths: passages.check()?,
            scope: passages.scope.scope(),
            parts,
            most,
            component: None,
            runs: Vec::new(),
            fixed: Vec::new(),
            cuts: Outbox::new(kind::CUTS),
        })
    }

    /// Decides about the runs that were read.
    fn cut(&mut self, out: &mut MessageWriter) -> Result<(), LookalikeError> {
        let Some(rule) = self.rule else { return Ok(()) };
        self.runs.sort_unstable_by_key(|run| run.at);
        self.fixed.sort_unstable();
        let is_fixed = |document: u32| self.fixed.binary_search(&document).is_ok();
        let cuts = kept::cuts_beside(&self.runs, self.lengths, rule, self.scope, is_fixed);
        self.runs.clear();
        self.fixed.clear();
        for cut in cuts {
            self.cuts.record(part_of(cut.at.document, self.parts), cut.to_record(), out)?;
        }
        Ok(())
    }
}

impl RowStep<Message<'static>, Message<'static>> for Cuts {
    fn row(&mut self, row: Message<'_>, out: &mut MessageWriter) -> Result<(), LookalikeError> {
        if row.kind != kind::RUNS {
            return Ok(());
        }
        if self.most.is_some() && self.component.replace(row.part) != Some(row.part) {
            self.cut(out)?;
        }
        read_all(row.blob, &mut self.runs)?;
        read_numbers(row.list, &mut self.fixed)?;
        if let Some(most) = self.most.filter(|&most| self.runs.len() > most) {
            return Err(LookalikeError::Settings(format!(
                "more than {most} passages of documents that have some in common: with the setting cut=kept, one task \
                 decides about them. Remove copies of whole documents first (dedup), give a larger setting length, or \
                 the setting cut=later, which has no bound; or raise `runs` of the limits if a task has the memory, \
                 some 100 bytes each"
            )));
        }
        // Otherwise the windows of a document depend on those before it.
        match self.rule {
            Some(CutRule::Kept) => Ok(()),
            _ => self.cut(out),
        }
    }

    fn end(&mut self, out: &mut MessageWriter) -> Result<(), LookalikeError> {
        self.cut(out)?;
        self.cuts.send(out)
    }
}
