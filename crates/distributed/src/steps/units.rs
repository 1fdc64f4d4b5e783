//! Documents to distinct sets.

use super::step::RowStep;
use super::tables::{
    Document, Member, MemberWriter, Message, MessageWriter, Signed, member, message,
};
use super::{counts, damaged};
use lookalike_run::LookalikeError;
use serde_json::json;

/// Rows of [`Document`], those of a digest together and in order of precedence: brings documents
/// with equal sets together. Makes a row for each document and one for each distinct set.
#[derive(Default)]
pub(super) struct Units {
    unit: Option<Unit>,
}

/// The distinct set whose documents are read.
struct Unit {
    digest: (i64, i64),
    first: i64,
    doc: i64,
    size: i64,
    compared: i64,
    sides: i64,
}

impl RowStep<Document<'static>, Member<'static>> for Units {
    /// # Errors
    /// A document without a place: its rank.
    fn row(
        &mut self,
        document: Document<'_>,
        out: &mut MemberWriter,
    ) -> Result<(), LookalikeError> {
        let (Some(high), Some(low)) = (document.unit_high, document.unit_low) else {
            return Ok(());
        };
        let Document { doc, side, size, compared, .. } = document;
        let rank = document
            .place
            .ok_or_else(|| damaged("a document has no rank: the engine did not sort the rows"))?;
        if self.unit.as_ref().is_none_or(|unit| unit.digest != (high, low)) {
            self.end(out)?;
            self.unit =
                Some(Unit { digest: (high, low), first: rank, doc, size, compared, sides: 0 });
        }
        let first = self.unit.as_mut().map_or(rank, |unit| {
            unit.sides |= 1 << side;
            unit.first
        });
        out.push(Member {
            key: first,
            kind: member::DOCUMENT,
            rank,
            doc,
            side,
            row: document.row.unwrap_or_default(),
            id: document.id,
            text_high: document.text_high,
            text_low: document.text_low,
            tokens_high: document.tokens_high,
            tokens_low: document.tokens_low,
            size,
            compared,
            ..Member::default()
        })
    }

    fn end(&mut self, out: &mut MemberWriter) -> Result<(), LookalikeError> {
        let Some(Unit { first, doc, size, compared, sides, .. }) = self.unit.take() else {
            return Ok(());
        };
        out.push(Member {
            key: first,
            kind: member::UNIT,
            rank: first,
            doc,
            size,
            compared,
            sides,
            ..Member::default()
        })
    }
}

/// Rows of [`Member`]: a message for the document whose set is that of a distinct set.
pub(super) struct UnitMessages;

impl RowStep<Member<'static>, Message<'static>> for UnitMessages {
    fn row(&mut self, unit: Member<'_>, out: &mut MessageWriter) -> Result<(), LookalikeError> {
        if unit.kind != member::UNIT || unit.compared != 1 {
            return Ok(());
        }
        out.push(Message {
            part: unit.doc,
            kind: message::UNIT,
            rank: unit.rank,
            number: unit.sides,
            ..Message::default()
        })
    }
}

/// Rows of [`super::tables::Signed`]: a message with the set of each document that has one.
pub(super) struct SetMessages;

impl RowStep<Signed<'static>, Message<'static>> for SetMessages {
    fn row(&mut self, signed: Signed<'_>, out: &mut MessageWriter) -> Result<(), LookalikeError> {
        if signed.compared != 1 {
            return Ok(());
        }
        out.push(Message {
            part: signed.doc,
            kind: message::SET,
            blob: signed.set,
            ..Message::default()
        })
    }
}

/// Messages by document, sorted by (part, kind): the set of each distinct set, once.
pub(super) struct TakeSets {
    criterion: lookalike_join::Criterion,
    unit: Option<(i64, i64, i64)>,
    sets: u64,
    elements: u64,
    keys: u64,
}

impl TakeSets {
    pub(super) fn new(criterion: lookalike_join::Criterion) -> Self {
        Self { criterion, unit: None, sets: 0, elements: 0, keys: 0 }
    }
}

impl RowStep<Message<'static>, Message<'static>> for TakeSets {
    fn row(&mut self, row: Message<'_>, out: &mut MessageWriter) -> Result<(), LookalikeError> {
        if row.kind == message::UNIT {
            self.unit = Some((row.part, row.rank, row.number));
            return Ok(());
        }
        let Some((_, rank, sides)) = self.unit.filter(|(doc, ..)| *doc == row.part) else {
            return Ok(());
        };
        let size = row.blob.len() / 8;
        self.sets += 1;
        self.elements += size as u64;
        self.keys += u64::from(self.criterion.index_length(size as u32));
        out.push(Message {
            kind: message::SET,
            rank,
            number: sides,
            blob: row.blob,
            ..Message::default()
        })
    }

    fn end(&mut self, out: &mut MessageWriter) -> Result<(), LookalikeError> {
        let Self { sets, elements, keys, .. } = *self;
        counts(out, &json!({ "sets": sets, "elements": elements, "keys": keys }))
    }
}
