//! What a finished search says of a document: each of its later copies with both sides, read again from
//! the inputs, and compared.

use super::excerpts::with_text_around;
use super::settings::PassageUnit;
use super::units::{LocatedUnits, UnitReader};
use crate::error::Unread;
use crate::lookup::{Ids, Name, find, only_named};
use crate::panics::caught;
use crate::reading::Documents;
use crate::run_inputs::{RunInputs, read_passage_summary};
use crate::settings::thread_count;
use crate::{LookalikeError, index};
use lookalike_core::spans::union;
use lookalike_decide::{DocumentName, PassagePlace, ReadPassage};
use lookalike_io::table::TableError;
use lookalike_io::{Extractor, Format};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::ops::Range;
use std::path::Path;

/// Bytes of the text on each side of a passage.
const AROUND: usize = 120;

/// The later copies of a document, or those that reach into a range of it.
#[derive(Debug, Clone, Serialize)]
pub struct ExplainedPassages {
    /// Whether they were cut, or are listed only.
    pub cut: bool,
    /// What passages are made of.
    pub unit: String,
    /// The document.
    pub document: ExplainedDocument,
    /// The units of the document.
    pub units: u64,
    /// Units in the passages, each once.
    pub covered: u64,
    /// The passages, in their order.
    pub passages: Vec<ExplainedPassage>,
    /// How the inputs have changed since the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changed: Option<String>,
}

/// A document, as tables name it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ExplainedDocument {
    /// Its id.
    pub id: String,
    /// Its file.
    pub file: String,
    /// The number of its record.
    pub record: u32,
}

/// A passage with both sides.
#[derive(Debug, Clone, Serialize)]
pub struct ExplainedPassage {
    /// Its units.
    pub units: u64,
    /// In the document.
    pub here: ExplainedSide,
    /// The document that has the same.
    pub other: ExplainedDocument,
    /// Where in it.
    pub there: ExplainedSide,
    /// The digest in the table; of cuts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// Whether the texts have the same units at both places now, with that digest if there is one.
    pub holds: bool,
}

/// A passage in its text.
#[derive(Debug, Clone, Serialize)]
pub struct ExplainedSide {
    /// The number of its first unit.
    pub unit: u64,
    /// Its first byte.
    pub byte: u64,
    /// The byte behind it.
    pub end_byte: u64,
    /// The text before it, not all.
    pub before: String,
    /// The passage.
    pub text: String,
    /// The text behind it, not all.
    pub behind: String,
    /// The digest of its units, from the text.
    pub digest: String,
}

/// Explains what a search for passages found in a document, which is named by its id or as `FILE:RECORD`:
/// all of its cuts, or without cuts its later copies, or those that reach into a range of bytes. The inputs
/// are read again; commands of the run are started only if they are given.
///
/// # Errors
/// A directory without a finished search, missing inputs, a name of no document with passages or of
/// several, a range without one.
pub fn explain_passages(
    document: &str,
    range: Option<Range<u64>>,
    run: &Path,
    commands: &[Extractor],
) -> Result<ExplainedPassages, LookalikeError> {
    caught(|| explained(document, range, run, commands))
}

fn explained(
    document: &str,
    range: Option<Range<u64>>,
    run: &Path,
    commands: &[Extractor],
) -> Result<ExplainedPassages, LookalikeError> {
    let (summary, job) = read_passage_summary(run)?;
    let cut = summary.settings.get("cut").and_then(|rule| rule.as_str()) != Some("none");
    let rows = match cut {
        true => named(document, ReadPassage::cuts(run)?, "cuts")?,
        false => named(document, ReadPassage::passages(run)?, "passages")?,
    };
    let rows = match range {
        None => rows,
        Some(range) => within(document, rows, &range)?,
    };
    let unit = summary.settings.get("unit").cloned().map(serde_json::from_value::<PassageUnit>);
    let unit = unit.transpose()?.unwrap_or_default();
    let mut found = RunInputs::of(run, summary, job)?;
    found.take_commands(commands)?;
    let texts = texts(&found, &rows)?;
    let skip = found.summary.unreadable_inputs > 0;
    let settings = &found.job.settings;
    let analysis = settings.analysis_of(&found.inputs, skip);
    let analysis = analysis.map_err(|failure| LookalikeError::unreadable(failure, false))?;
    let reader = UnitReader::new(&unit, &analysis, settings.fields.has_sections());
    let text = |name: &DocumentName<'_>| &*texts[&key(name)];
    let (here, mut passages) = (reader.located(text(&rows[0].document)), Vec::new());
    let covered = union(rows.iter().map(|row| units_of(row.at, row.units)).collect());
    let mut others = BTreeMap::new();
    for row in &rows {
        let other = others.entry(key(&row.other));
        let there = other.or_insert_with(|| reader.located(text(&row.other)));
        let side = |located: &LocatedUnits<'_>, text: &str, at: PassagePlace| {
            let units = units_of(at, row.units);
            let is_there = units.end <= located.count() && !units.is_empty();
            let digest = is_there.then(|| format!("{:032x}", located.digest(units).0));
            side_of(text, at, digest.unwrap_or_default())
        };
        let here = side(&here, text(&row.document), row.at);
        let there = side(there, text(&row.other), row.other_at);
        let is_recorded = row.digest.as_ref().is_none_or(|digest| *digest == here.digest);
        passages.push(ExplainedPassage {
            units: row.units,
            other: ExplainedDocument::of(&row.other),
            digest: row.digest.clone(),
            holds: !here.digest.is_empty() && here.digest == there.digest && is_recorded,
            here,
            there,
        });
    }
    Ok(ExplainedPassages {
        cut,
        unit: found.summary.unit().to_owned(),
        document: ExplainedDocument::of(&rows[0].document),
        units: here.count() as u64,
        covered: covered.iter().map(Range::len).sum::<usize>() as u64,
        passages,
        changed: found.changed.map(|changed| changed.to_string()),
    })
}

/// The rows of the only document of a name: of an id, or if there is none, `FILE:RECORD`.
pub(super) fn named(
    name: &str,
    rows: impl Iterator<Item = Result<ReadPassage, TableError>>,
    table: &str,
) -> Result<Vec<ReadPassage>, LookalikeError> {
    let mut documents: Vec<(DocumentName<'static>, Vec<ReadPassage>)> = Vec::new();
    for row in rows {
        let row = row?;
        let document = &row.document;
        match documents.last_mut() {
            _ if document.id != name && place_of(document) != name => {}
            // Rows of a document follow each other.
            Some((last, rows)) if last.is(document) => rows.push(row),
            _ => documents.push((document.clone(), vec![row])),
        }
    }
    let place = format!("the table `{table}` of the run");
    let advice = "a document without a later copy of a passage has no row; documents are named by id or as \
                  FILE:RECORD";
    only_named(name, documents.into_iter().map(Ok), &place, advice)
}

/// The rows that have a byte of a range.
fn within(
    document: &str,
    mut rows: Vec<ReadPassage>,
    range: &Range<u64>,
) -> Result<Vec<ReadPassage>, LookalikeError> {
    rows.retain(|row| row.at.bytes[0] < range.end && range.start < row.at.bytes[1]);
    match rows.is_empty() {
        false => Ok(rows),
        true => Err(LookalikeError::Settings(format!(
            "no passage of `{document}` has a byte of {}..{}; leave the range out to see all",
            range.start, range.end
        ))),
    }
}

/// `FILE:RECORD`.
fn place_of(name: &DocumentName<'_>) -> String {
    format!("{}:{}", name.file, name.record)
}

fn key(name: &DocumentName<'_>) -> (String, u32) {
    (name.file.to_string(), name.record)
}

fn units_of(at: PassagePlace, units: u64) -> Range<usize> {
    let start = at.unit as usize;
    start..start + units as usize
}

/// The texts of all documents of rows.
fn texts(
    found: &RunInputs<lookalike_report::PassageSummary>,
    rows: &[ReadPassage],
) -> Result<BTreeMap<(String, u32), String>, LookalikeError> {
    let mut documents: BTreeMap<(String, u32), &DocumentName<'_>> = BTreeMap::new();
    for name in rows.iter().flat_map(|row| [&row.document, &row.other]) {
        documents.insert(key(name), name);
    }
    let mut texts = BTreeMap::new();
    let gone = |wanted: &DocumentName<'_>, place: &str, advice| LookalikeError::NoSuchDocument {
        name: place_of(wanted),
        place: place.to_owned(),
        advice,
        unread: Unread::default(),
    };
    for (name, dir) in found.indexes() {
        let stored: Vec<_> = documents.extract_if(.., |_, wanted| wanted.file == name).collect();
        if stored.is_empty() {
            continue;
        }
        let names = stored.iter().map(|(_, wanted)| (&*wanted.id, wanted.record));
        let of_index = index::texts_of(&dir, names)?;
        for ((key, wanted), text) in stored.into_iter().zip(of_index) {
            let gone = || gone(wanted, name, "it was deleted from the index since the run");
            texts.insert(key, text.ok_or_else(gone)?);
        }
    }
    let is_document = |name: &DocumentName<'_>| {
        let file = found.inputs.files.iter().find(|file| file.name == name.file);
        file.is_some_and(|file| Format::is_document(file.format))
    };
    let places: Vec<String> = documents
        .values()
        .map(|name| if is_document(name) { name.file.to_string() } else { place_of(name) })
        .collect();
    let names: Vec<Name<'_>> = places.iter().map(|place| Name::Id(place)).collect();
    let inputs = Documents::of_files(&found.inputs);
    let read = find(inputs, &names, Ids::MayRepeat, &found.unreadable(), thread_count(0))?;
    for ((key, wanted), candidates) in documents.into_iter().zip(read.candidates) {
        let document = candidates.first.filter(|document| document.name.is(wanted));
        let place = "the inputs of the run";
        let document =
            document.ok_or_else(|| gone(wanted, place, "they have changed since the run"))?;
        texts.insert(key, document.read.exhibit.text);
    }
    Ok(texts)
}

/// A side of a passage; of a text that has changed, as much as there is.
fn side_of(text: &str, at: PassagePlace, digest: String) -> ExplainedSide {
    let [byte, end_byte] = at.bytes;
    let start = text.floor_char_boundary((byte as usize).min(text.len()));
    let end = text.ceil_char_boundary((end_byte as usize).clamp(start, text.len()));
    let around = with_text_around(text, &(start..end), AROUND);
    ExplainedSide {
        unit: at.unit,
        byte,
        end_byte,
        before: text[around.start..start].to_owned(),
        text: text[start..end].to_owned(),
        behind: text[end..around.end].to_owned(),
        digest,
    }
}

impl ExplainedDocument {
    fn of(name: &DocumentName<'_>) -> Self {
        Self { id: name.id.to_string(), file: name.file.to_string(), record: name.record }
    }

    /// The id, and where it stands if the id does not say it.
    fn shown(&self) -> String {
        let Self { id, file, record } = self;
        match *id == *file || *id == format!("{file}:{record}") {
            true => id.clone(),
            false => format!("{id} ({file}:{record})"),
        }
    }
}

impl ExplainedPassages {
    /// The explanation as a text, in which passages stand between double brackets.
    #[must_use]
    pub fn text(&self) -> String {
        let mut out = String::new();
        let (unit, action) = (&self.unit, if self.cut { "cut" } else { "found" });
        let name = self.document.shown();
        // Writing to memory does not fail.
        let _ = writeln!(
            out,
            "{name}: {} {action}, with {} of its {} {unit}s.",
            lookalike_report::human::counted(self.passages.len() as u64, "passage"),
            self.covered,
            self.units
        );
        if let Some(changed) = &self.changed {
            let _ = writeln!(out, "{changed}");
        }
        for passage in &self.passages {
            let ExplainedPassage { units, here, other, there, digest, holds } = passage;
            let place = |side: &ExplainedSide| {
                let last = side.unit + units - 1;
                let bytes = format!("bytes {}..{}", side.byte, side.end_byte);
                format!("{unit}s {} to {last}, {bytes}", side.unit)
            };
            let around = |side: &ExplainedSide| {
                let shown = format!("{}[[{}]]{}", side.before, side.text, side.behind);
                let indented = |line: &str| match line.is_empty() {
                    true => "\n".to_owned(),
                    false => format!("    {line}\n"),
                };
                shown.lines().map(indented).collect::<String>()
            };
            let _ = writeln!(out, "\n{}\n{}", place(here), around(here));
            let _ = writeln!(
                out,
                "  the same in {}, {}\n{}",
                other.shown(),
                place(there),
                around(there)
            );
            let said = match (holds, digest) {
                (true, Some(digest)) => {
                    format!("{units} {unit}s, digest {digest}: read again, the same on both sides.")
                }
                (true, None) => format!("{units} {unit}s: read again, the same on both sides."),
                (false, _) => format!("The texts do not have the same {unit}s there now."),
            };
            let _ = writeln!(out, "  {said}");
        }
        out
    }
}
