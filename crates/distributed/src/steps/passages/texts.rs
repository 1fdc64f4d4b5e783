//! Texts by the numbers of their documents, and what is told about documents to their texts.

use super::super::damaged;
use super::super::sign::Names;
use super::super::step::{RowStep, StepContext};
use super::super::tables::{Document, Message, MessageWriter, TextDocument};
use super::blobs::{Reader, put, put_bytes, put_long, text_of};
use super::{kind, part_of};
use lookalike_run::LookalikeError;

/// Documents in order of precedence: the number of each, as a message for its text.
pub(in super::super) struct DocumentNumbers;

impl RowStep<Document<'static>, Message<'static>> for DocumentNumbers {
    fn row(
        &mut self,
        document: Document<'_>,
        out: &mut MessageWriter,
    ) -> Result<(), LookalikeError> {
        let lost = || damaged("a document has no number: the engine did not sort the rows");
        let number = document.place.ok_or_else(lost)?;
        let number = u32::try_from(number).map_err(|_| {
            damaged("there are more than 2³² documents with a passage's length of words")
        })?;
        let row = document.row.ok_or_else(lost)?;
        let mut blob = Vec::new();
        put_long(document.doc as u64, &mut blob);
        put_long(row as u64, &mut blob);
        put(&[number], &mut blob);
        let (part, kind) = (document.doc, kind::NUMBERS);
        out.push(Message { part, kind, number: 1, blob: &blob, ..Message::default() })
    }
}

/// Documents that have windows: the text of each, by the number that the task which read it gave it.
pub(in super::super) struct TextMessages;

/// Bits of [`Message::other`] of a text.
const FIXED: i64 = 1;
const HAS_ID: i64 = 2;
/// The row is in the bits above.
const ROW: u32 = 2;

impl RowStep<TextDocument<'static>, Message<'static>> for TextMessages {
    fn row(
        &mut self,
        document: TextDocument<'_>,
        out: &mut MessageWriter,
    ) -> Result<(), LookalikeError> {
        if document.unit_high.is_none() {
            return Ok(());
        }
        let id = document.id.map(str::as_bytes);
        out.push(Message {
            part: document.doc,
            kind: kind::TEXT,
            number: document.value,
            other: (document.fixed * FIXED) | (i64::from(id.is_some()) * HAS_ID),
            blob: document.read,
            list: id.unwrap_or_default(),
            ..Message::default()
        })
    }
}

/// A text with what is known of its document.
pub(super) struct TextRow<'r> {
    /// The document.
    pub(super) document: u32,
    pub(super) text: &'r str,
    /// What its units have in common with those of the documents that it is compared with alone.
    pub(super) salt: Option<u64>,
    pub(super) is_fixed: bool,
    pub(super) name: &'r str,
    /// Its number among the rows, from 1.
    pub(super) record: u32,
}

impl<'r> TextRow<'r> {
    /// # Errors
    /// A damaged row.
    pub(super) fn of(row: &Message<'r>) -> Result<Self, LookalikeError> {
        let record = u32::try_from((row.other >> ROW) + 1);
        Ok(Self {
            document: u32::try_from(row.rank).map_err(damaged)?,
            text: text_of(row.blob)?,
            salt: Some(row.number as u64).filter(|&salt| salt != 0),
            is_fixed: row.other & FIXED != 0,
            name: text_of(row.list)?,
            record: record.map_err(damaged)?,
        })
    }
}

/// What a step does with texts and with what it is told about them.
pub(in super::super) trait AtText: Send {
    /// Takes what is told.
    fn told(&mut self, kind: i64, blob: &[u8]) -> Result<(), LookalikeError>;

    /// Sorts what was told. Texts follow.
    fn sort(&mut self);

    /// Forgets what was told: texts of other documents follow.
    fn clear(&mut self);

    /// Takes a text.
    fn text(&mut self, row: &Message<'_>, out: &mut MessageWriter) -> Result<(), LookalikeError>;

    /// Makes the rows that follow from all.
    fn end(&mut self, _: &mut MessageWriter) -> Result<(), LookalikeError> {
        Ok(())
    }
}

/// A step over texts: either all tasks are told the same beforehand, or what is told comes with the texts
/// of a part, sorted by (part, kind).
struct AtTexts<T> {
    at: T,
    /// The part whose rows are read; `None` if all was told beforehand.
    part: Option<i64>,
    told_before: bool,
    sorted: bool,
}

/// The step of what is done at texts; `told` is what [`GatherTold`] made, if that is known beforehand.
///
/// # Errors
/// Damaged bytes.
pub(in super::super) fn at_texts<T: AtText>(
    mut at: T,
    told: Option<&[u8]>,
) -> Result<impl RowStep<Message<'static>, Message<'static>> + use<T>, LookalikeError> {
    if let Some(told) = told {
        let mut reader = Reader(told);
        while !reader.is_empty() {
            let kind = reader.number()?.into();
            at.told(kind, reader.bytes()?)?;
        }
        at.sort();
    }
    Ok(AtTexts { at, part: None, told_before: told.is_some(), sorted: told.is_some() })
}

impl<T: AtText> RowStep<Message<'static>, Message<'static>> for AtTexts<T> {
    fn row(&mut self, row: Message<'_>, out: &mut MessageWriter) -> Result<(), LookalikeError> {
        if !self.told_before && self.part.replace(row.part) != Some(row.part) {
            self.at.clear();
            self.sorted = false;
        }
        if row.kind != kind::TEXT {
            return self.at.told(row.kind, row.blob);
        }
        if !self.sorted {
            self.at.sort();
            self.sorted = true;
        }
        self.at.text(&row, out)
    }

    fn end(&mut self, out: &mut MessageWriter) -> Result<(), LookalikeError> {
        self.at.end(out)
    }
}

/// What is told about texts, in one row, for [`at_texts`].
#[derive(Default)]
pub(in super::super) struct GatherTold(Vec<u8>);

impl RowStep<Message<'static>, Message<'static>> for GatherTold {
    fn row(&mut self, row: Message<'_>, _: &mut MessageWriter) -> Result<(), LookalikeError> {
        put(&[row.kind as u32], &mut self.0);
        put_bytes(row.blob, &mut self.0);
        Ok(())
    }

    fn end(&mut self, out: &mut MessageWriter) -> Result<(), LookalikeError> {
        out.push(Message { blob: &self.0, ..Message::default() })
    }
}

/// Gives each text the number of its document, and its name.
pub(in super::super) struct NumberTexts {
    names: Names,
    parts: u32,
    /// Documents as they were read, with their rows and their numbers, ascending.
    numbers: Vec<(i64, i64, u32)>,
}

impl NumberTexts {
    /// # Errors
    /// Settings that make no sense.
    pub(in super::super) fn new(context: &StepContext, parts: u32) -> Result<Self, LookalikeError> {
        Ok(Self { names: Names::new(context)?, parts, numbers: Vec::new() })
    }
}

impl AtText for NumberTexts {
    fn told(&mut self, _: i64, blob: &[u8]) -> Result<(), LookalikeError> {
        let mut reader = Reader(blob);
        while !reader.is_empty() {
            let (doc, row) = (reader.long()? as i64, reader.long()? as i64);
            self.numbers.push((doc, row, reader.number()?));
        }
        Ok(())
    }

    fn sort(&mut self) {
        self.numbers.sort_unstable();
    }

    fn clear(&mut self) {
        self.numbers.clear();
    }

    fn text(&mut self, row: &Message<'_>, out: &mut MessageWriter) -> Result<(), LookalikeError> {
        let found = self.numbers.binary_search_by_key(&row.part, |&(doc, ..)| doc);
        let (_, place, number) = self.numbers
            [found.map_err(|_| damaged("a text has no number: the engine lost rows"))?];
        let id = if row.other & HAS_ID == 0 { None } else { Some(text_of(row.list)?) };
        let (name, _) = self.names.of(0, place, id);
        out.push(Message {
            part: part_of(number, self.parts),
            rank: number.into(),
            other: (place << ROW) | (row.other & FIXED),
            list: name.as_bytes(),
            ..*row
        })
    }
}
