//! The bytes of passages, and the texts without what is cut.

use super::super::step::{RowStep, StepContext};
use super::super::tables::{Message, MessageWriter};
use super::super::{counts, damaged};
use super::blobs::{Outbox, put, put_bytes, put_long, read_all};
use super::read::unit_reader;
use super::texts::{AtText, TextRow};
use super::{kind, part_of};
use lookalike_core::fingerprint::TextDigest;
use lookalike_passages::near::NearPassage;
use lookalike_passages::{Cut, Lengths, Place as UnitPlace, Record, Run, Scope, of_document};
use lookalike_run::passages::cutting::{edits, units_of_cuts};
use lookalike_run::passages::stretches::{
    Located, Stretch, sides_of_cut, sides_of_near, sides_of_run,
};
use lookalike_run::passages::units::{LocatedUnits, UnitReader};
use lookalike_run::{LookalikeError, PassageSettings};
use lookalike_text::edited;
use serde_json::json;
use std::ops::Range;

/// A stretch whose place is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct AskedStretch {
    pub(super) stretch: Stretch,
    /// Whether its units are compared with those of another one.
    pub(super) is_compared: bool,
    /// The part that asks.
    by: u32,
}

impl Record<5> for AskedStretch {
    fn to_record(&self) -> [u32; 5] {
        let Stretch { place, units } = self.stretch;
        [place.document, place.unit, units, self.is_compared.into(), self.by]
    }

    fn of_record([document, unit, units, is_compared, by]: [u32; 5]) -> Self {
        let stretch = Stretch { place: UnitPlace { document, unit }, units };
        Self { stretch, is_compared: is_compared != 0, by }
    }
}

/// Runs, cuts and near passages of parts: asks for the places of both sides of all that are listed,
/// and passes the cuts on to their documents.
pub(in super::super) struct AskPlaces {
    lengths: Lengths,
    scope: Scope,
    parts: u32,
    asked: Outbox,
}

impl AskPlaces {
    /// # Errors
    /// Settings that make no sense.
    pub(in super::super) fn new(context: &StepContext, parts: u32) -> Result<Self, LookalikeError> {
        let passages = context.passages()?;
        Ok(Self {
            lengths: passages.check()?,
            scope: passages.scope.scope(),
            parts,
            asked: Outbox::new(kind::STRETCHES),
        })
    }
}

impl RowStep<Message<'static>, Message<'static>> for AskPlaces {
    fn row(&mut self, row: Message<'_>, out: &mut MessageWriter) -> Result<(), LookalikeError> {
        let is_compared = row.kind == kind::CUTS;
        let sides: Vec<[Stretch; 2]> = match row.kind {
            kind::CUTS => {
                let mut cuts: Vec<Cut> = Vec::new();
                read_all(row.blob, &mut cuts)?;
                out.push(row)?;
                cuts.iter().map(sides_of_cut).collect()
            }
            kind::NEAR => {
                let mut near: Vec<NearPassage> = Vec::new();
                read_all(row.blob, &mut near)?;
                near.iter().map(sides_of_near).collect()
            }
            _ => {
                let mut runs: Vec<Run> = Vec::new();
                read_all(row.blob, &mut runs)?;
                runs.retain(|run| run.is_later(self.scope));
                runs.iter().map(|run| sides_of_run(run, self.lengths)).collect()
            }
        };
        let by = u32::try_from(row.part).map_err(damaged)?;
        let ask = |stretch| AskedStretch { stretch, is_compared, by };
        let mut asked: Vec<AskedStretch> = sides.into_iter().flatten().map(ask).collect();
        asked.sort_unstable();
        asked.dedup();
        for ask in asked {
            let part = part_of(ask.stretch.place.document, self.parts);
            self.asked.record(part, ask.to_record(), out)?;
        }
        Ok(())
    }

    fn end(&mut self, out: &mut MessageWriter) -> Result<(), LookalikeError> {
        self.asked.send(out)
    }
}

/// Locates stretches, and cuts texts.
pub(in super::super) struct Place {
    reader: UnitReader,
    settings: PassageSettings,
    parts: u32,
    asked: Vec<AskedStretch>,
    cuts: Vec<Cut>,
    located: Outbox,
    gone: Outbox,
    counts: CutCounts,
}

/// What is cut, in the names of a summary.
#[derive(Default, serde::Serialize)]
struct CutCounts {
    cut: u64,
    removed: u64,
    cut_units: u64,
    rest_units: u64,
}

impl Place {
    /// # Errors
    /// Settings that make no sense.
    pub(in super::super) fn new(context: &StepContext, parts: u32) -> Result<Self, LookalikeError> {
        Ok(Self {
            reader: unit_reader(context)?,
            settings: context.passages()?.clone(),
            parts,
            asked: Vec::new(),
            cuts: Vec::new(),
            located: Outbox::new(kind::LOCATED),
            gone: Outbox::new(kind::GONE),
            counts: CutCounts::default(),
        })
    }

    /// Cuts a text.
    fn cut(
        &mut self,
        row: &TextRow<'_>,
        units: &LocatedUnits<'_>,
        gone: &[Range<usize>],
        out: &mut MessageWriter,
    ) -> Result<(), LookalikeError> {
        let number = gone.iter().map(Range::len).sum::<usize>() as u64;
        let (found, goes) = edits(gone, units, &self.settings);
        self.counts.cut += u64::from(found.is_some());
        self.counts.removed += u64::from(found.is_none());
        self.counts.cut_units += number;
        self.counts.rest_units += goes - number;
        let write = |bytes: &mut Vec<u8>| {
            put(&[row.document, gone.len() as u32], bytes);
            gone.iter().for_each(|run| put(&[run.start as u32, run.end as u32], bytes));
        };
        self.gone.add(part_of(row.document, self.parts), write, out)?;
        let mut blob = Vec::new();
        put_bytes(row.name.as_bytes(), &mut blob);
        put(&[row.record, u32::from(found.is_some())], &mut blob);
        for edit in found.iter().flatten() {
            put_long(edit.bytes.start as u64, &mut blob);
            put_long(edit.bytes.end as u64, &mut blob);
            put_bytes(edit.put.as_bytes(), &mut blob);
            put_bytes(row.text[edit.bytes.clone()].as_bytes(), &mut blob);
        }
        let left = found.map(|found| edited(row.text, &found)).unwrap_or_default();
        out.push(Message {
            part: part_of(row.document, self.parts),
            kind: kind::EDITED,
            rank: row.document.into(),
            number: 1,
            blob: &blob,
            list: left.as_bytes(),
            ..Message::default()
        })
    }
}

/// Locates a stretch of a text.
fn locate(asked: &AskedStretch, units: &LocatedUnits<'_>) -> Located {
    let range = asked.stretch.range();
    let bytes = units.bytes(&range);
    Located {
        bytes: [bytes.start as u64, bytes.end as u64],
        digest: asked.is_compared.then(|| units.digest(range)),
    }
}

impl AtText for Place {
    fn told(&mut self, kind: i64, blob: &[u8]) -> Result<(), LookalikeError> {
        match kind {
            kind::CUTS => read_all(blob, &mut self.cuts),
            _ => read_all(blob, &mut self.asked),
        }
    }

    fn sort(&mut self) {
        self.asked.sort_unstable_by_key(|ask| (ask.stretch.place.document, ask.by, *ask));
        self.cuts.sort_unstable_by_key(|cut| cut.at);
    }

    fn clear(&mut self) {
        self.asked.clear();
        self.cuts.clear();
    }

    fn text(&mut self, row: &Message<'_>, out: &mut MessageWriter) -> Result<(), LookalikeError> {
        let row = TextRow::of(row)?;
        let asked = of_document(&self.asked, row.document, |ask| ask.stretch.place.document);
        if asked.is_empty() {
            return Ok(());
        }
        let units = self.reader.located(row.text);
        if asked.iter().any(|ask| ask.stretch.range().end > units.count()) {
            return Err(damaged("a text is shorter than it was"));
        }
        for of_part in asked.chunk_by(|a, b| a.by == b.by) {
            let write = |bytes: &mut Vec<u8>| {
                put(&[row.document, row.record], bytes);
                put_bytes(row.name.as_bytes(), bytes);
                put(&[of_part.len() as u32], bytes);
                for ask in of_part {
                    let Located { bytes: place, digest } = locate(ask, &units);
                    let TextDigest(digest) = digest.unwrap_or(TextDigest(0));
                    put(&ask.to_record(), bytes);
                    place.iter().for_each(|&byte| put_long(byte, bytes));
                    put_long(digest as u64, bytes);
                    put_long((digest >> 64) as u64, bytes);
                }
            };
            self.located.add(of_part[0].by.into(), write, out)?;
        }
        let runs = units_of_cuts(of_document(&self.cuts, row.document, |cut| cut.at.document));
        let gone = units.divisible(runs, self.settings.whole);
        match gone.is_empty() {
            true => Ok(()),
            false => self.cut(&row, &units, &gone, out),
        }
    }

    fn end(&mut self, out: &mut MessageWriter) -> Result<(), LookalikeError> {
        self.located.send(out)?;
        self.gone.send(out)?;
        counts(out, &json!(self.counts))
    }
}
