//! The hashes of windows, at the texts of their documents.

use super::super::damaged;
use super::super::step::StepContext;
use super::super::tables::{Message, MessageWriter};
use super::blobs::{Outbox, put, put_long, read_all};
use super::kind;
use super::read::{unit_reader, windows};
use super::texts::{AtText, TextRow};
use lookalike_passages::Lengths;
use lookalike_passages::questions::{Question, Questions};
use lookalike_run::LookalikeError;
use lookalike_run::passages::units::{UnitReader, UnitScratch};

/// Hashes the windows that are asked for. Sends the hashes to the buckets that asked.
pub(in super::super) struct Answer {
    reader: UnitReader,
    lengths: Lengths,
    told: Vec<Question>,
    questions: Questions,
    answers: Outbox,
    units: UnitScratch,
}

impl Answer {
    /// # Errors
    /// Settings that make no sense.
    pub(in super::super) fn new(context: &StepContext, near: bool) -> Result<Self, LookalikeError> {
        Ok(Self {
            reader: unit_reader(context)?,
            lengths: windows(context, near)?.0,
            told: Vec::new(),
            questions: Questions::of_parts(Vec::new()),
            answers: Outbox::new(kind::ANSWERS),
            units: UnitScratch::default(),
        })
    }
}

impl AtText for Answer {
    fn told(&mut self, _: i64, blob: &[u8]) -> Result<(), LookalikeError> {
        read_all(blob, &mut self.told)
    }

    fn sort(&mut self) {
        self.questions = Questions::of_parts(std::mem::take(&mut self.told));
    }

    fn clear(&mut self) {
        self.told.clear();
    }

    fn text(&mut self, row: &Message<'_>, out: &mut MessageWriter) -> Result<(), LookalikeError> {
        let row = TextRow::of(row)?;
        let asked = self.questions.of(row.document);
        let Some(last) = asked.last() else { return Ok(()) };
        let least = last.place.unit + self.lengths.units(last.windows.into());
        if self.reader.read(row.text, row.salt, &mut self.units) < least as usize {
            return Err(damaged("a text is shorter than it was"));
        }
        let (mut hashes, units) = (Vec::new(), self.units.units().all());
        self.questions.answer(row.document, units, self.lengths, &mut hashes);
        self.units.free_large();
        let mut rest = &hashes[..];
        for question in asked {
            let (own, others) = rest.split_at(question.windows.into());
            rest = others;
            let write = |bytes: &mut Vec<u8>| {
                let windows = question.windows.into();
                put(&[question.place.document, question.place.unit, windows], bytes);
                own.iter().for_each(|&hash| put_long(hash, bytes));
            };
            self.answers.add(question.part.into(), write, out)?;
        }
        Ok(())
    }

    fn end(&mut self, out: &mut MessageWriter) -> Result<(), LookalikeError> {
        self.answers.send(out)
    }
}
