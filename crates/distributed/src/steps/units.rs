//! Documents to distinct sets.

use super::step::Step;
use super::tables::{
    Document, DocumentReader, Member, MemberReader, MemberWriter, Message, MessageReader,
    MessageWriter, SignedReader, member, message,
};
use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use lookalike_run::LookalikeError;

/// Rows of [`Document`], those of a digest together and in order of precedence: brings documents
/// with equal sets together. Makes a row for each document and one for each distinct set.
#[derive(Default)]
pub(super) struct Units {
    unit: Option<Unit>,
    out: MemberWriter,
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

impl Units {
    fn end(&mut self) -> Result<(), LookalikeError> {
        let Some(Unit { first, doc, size, compared, sides, .. }) = self.unit.take() else {
            return Ok(());
        };
        self.out.push(Member {
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

impl Step for Units {
    fn schema(&self) -> SchemaRef {
        MemberWriter::schema()
    }

    /// # Errors
    /// A document without a place: its rank.
    fn push(&mut self, batch: &RecordBatch) -> Result<Vec<RecordBatch>, LookalikeError> {
        for document in DocumentReader::new(batch)?.iter() {
            let (Some(high), Some(low)) = (document.unit_high, document.unit_low) else { continue };
            let Document { doc, side, size, compared, .. } = document;
            let rank = document.place.ok_or_else(|| {
                LookalikeError::Settings(
                    "a document has no rank: the engine did not sort the rows".into(),
                )
            })?;
            if self.unit.as_ref().is_none_or(|unit| unit.digest != (high, low)) {
                self.end()?;
                self.unit =
                    Some(Unit { digest: (high, low), first: rank, doc, size, compared, sides: 0 });
            }
            let first = self.unit.as_mut().map_or(rank, |unit| {
                unit.sides |= 1 << side;
                unit.first
            });
            self.out.push(Member {
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
            })?;
        }
        Ok(self.out.take())
    }

    fn finish(&mut self) -> Result<Vec<RecordBatch>, LookalikeError> {
        self.end()?;
        self.out.finish()
    }
}

/// Rows of [`Member`]: a message for the document whose set is that of a distinct set.
#[derive(Default)]
pub(super) struct UnitMessages(MessageWriter);

impl Step for UnitMessages {
    fn schema(&self) -> SchemaRef {
        MessageWriter::schema()
    }

    fn push(&mut self, batch: &RecordBatch) -> Result<Vec<RecordBatch>, LookalikeError> {
        let reader = MemberReader::new(batch)?;
        for unit in reader.iter().filter(|row| row.kind == member::UNIT && row.compared == 1) {
            self.0.push(Message {
                part: unit.doc,
                kind: message::UNIT,
                rank: unit.rank,
                number: unit.sides,
                ..Message::default()
            })?;
        }
        Ok(self.0.take())
    }

    fn finish(&mut self) -> Result<Vec<RecordBatch>, LookalikeError> {
        self.0.finish()
    }
}

/// Rows of [`super::tables::Signed`]: a message with the set of each document that has one.
#[derive(Default)]
pub(super) struct SetMessages(MessageWriter);

impl Step for SetMessages {
    fn schema(&self) -> SchemaRef {
        MessageWriter::schema()
    }

    fn push(&mut self, batch: &RecordBatch) -> Result<Vec<RecordBatch>, LookalikeError> {
        for signed in SignedReader::new(batch)?.iter().filter(|signed| signed.compared == 1) {
            self.0.push(Message {
                part: signed.doc,
                kind: message::SET,
                blob: signed.set,
                ..Message::default()
            })?;
        }
        Ok(self.0.take())
    }

    fn finish(&mut self) -> Result<Vec<RecordBatch>, LookalikeError> {
        self.0.finish()
    }
}

/// Messages by document, sorted by (part, kind): the set of each distinct set, once.
pub(super) struct TakeSets {
    criterion: lookalike_join::Criterion,
    unit: Option<(i64, i64, i64)>,
    sets: u64,
    elements: u64,
    keys: u64,
    out: MessageWriter,
}

impl TakeSets {
    pub(super) fn new(criterion: lookalike_join::Criterion) -> Self {
        Self { criterion, unit: None, sets: 0, elements: 0, keys: 0, out: MessageWriter::default() }
    }
}

impl Step for TakeSets {
    fn schema(&self) -> SchemaRef {
        MessageWriter::schema()
    }

    fn push(&mut self, batch: &RecordBatch) -> Result<Vec<RecordBatch>, LookalikeError> {
        for row in MessageReader::new(batch)?.iter() {
            if row.kind == message::UNIT {
                self.unit = Some((row.part, row.rank, row.number));
                continue;
            }
            let Some((_, rank, sides)) = self.unit.filter(|(doc, ..)| *doc == row.part) else {
                continue;
            };
            let size = row.blob.len() / 8;
            self.sets += 1;
            self.elements += size as u64;
            self.keys += u64::from(self.criterion.index_length(size as u32));
            self.out.push(Message {
                kind: message::SET,
                rank,
                number: sides,
                blob: row.blob,
                ..Message::default()
            })?;
        }
        Ok(self.out.take())
    }

    fn finish(&mut self) -> Result<Vec<RecordBatch>, LookalikeError> {
        let Self { sets, elements, keys, .. } = *self;
        super::counts(
            &mut self.out,
            &serde_json::json!({ "sets": sets, "elements": elements, "keys": keys }),
        )?;
        self.out.finish()
    }
}
