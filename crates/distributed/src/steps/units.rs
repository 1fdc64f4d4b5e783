//! Documents to distinct sets.

use super::sent_set::SetFormat;
use super::step::{RowStep, StepContext};
use super::tables::{
    Document, DocumentSet, Member, MemberWriter, Message, MessageWriter, member, message,
};
use super::{counts, damaged};
use lookalike_join::Criterion;
use lookalike_join::shuffle::{decode_pairs, encode_pairs};
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
            value: document.value,
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

/// Documents whose sets are compared: a message with the set of each.
pub(super) struct SetMessages;

impl RowStep<DocumentSet<'static>, Message<'static>> for SetMessages {
    fn row(
        &mut self,
        document: DocumentSet<'_>,
        out: &mut MessageWriter,
    ) -> Result<(), LookalikeError> {
        let (part, kind, blob) = (document.doc, message::SET, document.set);
        out.push(Message { part, kind, blob, ..Message::default() })
    }
}

/// The sets of a run: how many there are, with how many elements and keys.
struct Sizes {
    criterion: Criterion,
    sets: u64,
    elements: u64,
    keys: u64,
}

impl Sizes {
    fn new(criterion: Criterion) -> Self {
        Self { criterion, sets: 0, elements: 0, keys: 0 }
    }

    fn add(&mut self, size: usize) {
        self.sets += 1;
        self.elements += size as u64;
        self.keys += u64::from(self.criterion.index_length(size as u32));
    }

    fn write(&self, out: &mut MessageWriter) -> Result<(), LookalikeError> {
        let Self { sets, elements, keys, .. } = *self;
        counts(out, &json!({ "sets": sets, "elements": elements, "keys": keys }))
    }
}

/// Rows of [`Member`]: which documents have distinct sets, for [`DistinctSets`]. In place of
/// [`TakeSets`] where the distinct sets are few.
pub(super) struct Directory {
    sizes: Sizes,
    /// The document, and the rank above the bits of sides.
    sets: Vec<(u64, u64)>,
}

/// Bits of the sides that have a set.
const SIDES: u32 = 2;

impl Directory {
    pub(super) fn new(criterion: Criterion) -> Self {
        Self { sizes: Sizes::new(criterion), sets: Vec::new() }
    }
}

impl RowStep<Member<'static>, Message<'static>> for Directory {
    fn row(&mut self, unit: Member<'_>, _: &mut MessageWriter) -> Result<(), LookalikeError> {
        if unit.kind == member::UNIT && unit.compared == 1 {
            self.sizes.add(unit.size as usize);
            self.sets.push((unit.doc as u64, (unit.rank << SIDES | unit.sides) as u64));
        }
        Ok(())
    }

    fn end(&mut self, out: &mut MessageWriter) -> Result<(), LookalikeError> {
        self.sets.sort_unstable();
        let mut blob = Vec::new();
        encode_pairs(&self.sets, &mut blob);
        out.push(Message { kind: message::PAIRS, blob: &blob, ..Message::default() })?;
        self.sizes.write(out)
    }
}

/// Documents whose sets are compared: each distinct set, once, by a [`Directory`].
pub(super) struct DistinctSets {
    sets: Vec<(u64, u64)>,
}

impl DistinctSets {
    /// # Errors
    /// A damaged directory.
    pub(super) fn new(directory: &[u8]) -> Result<Self, LookalikeError> {
        let mut sets = Vec::new();
        decode_pairs(directory, &mut sets).map_err(damaged)?;
        Ok(Self { sets })
    }
}

impl RowStep<DocumentSet<'static>, Message<'static>> for DistinctSets {
    fn row(
        &mut self,
        document: DocumentSet<'_>,
        out: &mut MessageWriter,
    ) -> Result<(), LookalikeError> {
        let Ok(at) = self.sets.binary_search_by_key(&(document.doc as u64), |set| set.0) else {
            return Ok(());
        };
        let (rank, sides) = (self.sets[at].1 >> SIDES, self.sets[at].1 & ((1 << SIDES) - 1));
        let (kind, blob) = (message::SET, document.set);
        out.push(Message {
            kind,
            rank: rank as i64,
            number: sides as i64,
            blob,
            ..Message::default()
        })
    }
}

/// Messages by document, sorted by (part, kind): the set of each distinct set, once.
pub(super) struct TakeSets {
    format: SetFormat,
    unit: Option<(i64, i64, i64)>,
    sizes: Sizes,
}

impl TakeSets {
    pub(super) fn new(context: &StepContext) -> Self {
        let format = SetFormat::new(&context.settings);
        Self { format, unit: None, sizes: Sizes::new(context.criterion) }
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
        self.sizes.add(self.format.read(row.blob)?.len());
        out.push(Message {
            kind: message::SET,
            rank,
            number: sides,
            blob: row.blob,
            ..Message::default()
        })
    }

    fn end(&mut self, out: &mut MessageWriter) -> Result<(), LookalikeError> {
        self.sizes.write(out)
    }
}
