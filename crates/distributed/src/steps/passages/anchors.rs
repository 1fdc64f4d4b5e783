//! Texts to anchors, by the bucket of their keys.

use super::super::step::{RowStep, StepContext};
use super::super::tables::{Message, MessageWriter};
use super::super::{counts, damaged};
use super::blobs::Outbox;
use super::read::{unit_reader, windows};
use super::texts::TextRow;
use super::{kind, part_of};
use lookalike_passages::anchors::AnchorScratch;
use lookalike_passages::{Lengths, Record};
use lookalike_run::LookalikeError;
use lookalike_run::passages::units::{UnitReader, UnitScratch};
use serde_json::json;

/// Finds the anchors of texts. Sends the documents that cannot be cut to their parts as well.
pub(in super::super) struct FindAnchors {
    reader: UnitReader,
    lengths: Lengths,
    parts: u32,
    anchors: Outbox,
    fixed: Outbox,
    sent: u64,
    units: UnitScratch,
    scratch: AnchorScratch,
}

impl FindAnchors {
    /// # Errors
    /// Settings that make no sense.
    pub(in super::super) fn new(
        context: &StepContext,
        parts: u32,
        near: bool,
    ) -> Result<Self, LookalikeError> {
        Ok(Self {
            reader: unit_reader(context)?,
            lengths: windows(context, near)?.0,
            parts,
            anchors: Outbox::new(kind::ANCHORS),
            fixed: Outbox::new(kind::FIXED),
            sent: 0,
            units: UnitScratch::default(),
            scratch: AnchorScratch::default(),
        })
    }
}

impl RowStep<Message<'static>, Message<'static>> for FindAnchors {
    fn row(&mut self, row: Message<'_>, out: &mut MessageWriter) -> Result<(), LookalikeError> {
        let row = TextRow::of(&row)?;
        if row.is_fixed {
            let part = part_of(row.document, self.parts);
            self.fixed.record(part, [row.document], out)?;
        }
        let count = self.reader.read(row.text, row.salt, &mut self.units);
        u32::try_from(count).map_err(|_| damaged("a text has more than 2³² units"))?;
        let (anchors, parts, mut result) = (&mut self.anchors, u64::from(self.parts), Ok(()));
        let sent = &mut self.sent;
        self.units.units().anchors(row.document, self.lengths, &mut self.scratch, |anchor| {
            // Minima have uniform low bits.
            let bucket = (anchor.key % parts) as i64;
            *sent += 1;
            if result.is_ok() {
                result = anchors.record(bucket, anchor.to_record(), out);
            }
        });
        self.units.free_large();
        result
    }

    fn end(&mut self, out: &mut MessageWriter) -> Result<(), LookalikeError> {
        self.anchors.send(out)?;
        self.fixed.send(out)?;
        counts(out, &json!({"sent": self.sent}))
    }
}
