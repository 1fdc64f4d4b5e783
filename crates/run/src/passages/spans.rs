//! Spans in place of documents: an attribute file beside each input, for trainers that leave out what
//! stands twice and keep the text.

use super::placing::{PlacedDocument, Placing};
use super::search::{Found, Search};
use super::stretches::sides_of_run;
use super::units::LocatedUnits;
use crate::LookalikeError;
use crate::attributes::{records_of_files, written_attributes};
use crate::lookup::id_of;
use crate::readings::first::FirstReading;
use crate::readings::second::{ChunkVisitor, Visited};
use lookalike_io::sink::{AttributeFiles, Staging};
use lookalike_io::{Fate, Fates, Inputs, RecordView};
use lookalike_passages::Run;
use lookalike_report::{Output, SpanCounts};
use std::io::Write;
use std::ops::Range;

/// The name of the attribute, whose value is a list of `[start, end, copies]`.
const ATTRIBUTE: &str = "lookalike_passages";

/// What is said of a document of a chunk.
pub(super) enum Said {
    /// Its passages.
    Placed(PlacedDocument),
    /// Its spans.
    Line(SpanLine),
}

/// The line of a document.
pub(super) struct SpanLine {
    place: (u32, u32),
    json: Vec<u8>,
    counts: SpanCounts,
}

/// Locates the passages of the documents of a chunk, and says where spans are in each of them.
pub(super) struct Spanning<'a> {
    inputs: &'a Inputs,
    found: &'a Found,
    own_files: u32,
    placing: Placing<'a>,
    said: Vec<Said>,
}

impl<'a> Spanning<'a> {
    pub(super) fn new(search: &Search<'a>, found: &'a Found, placing: Placing<'a>) -> Self {
        let (inputs, own_files) = (search.documents.inputs, search.own_files);
        Self { inputs, found, own_files, placing, said: Vec::new() }
    }
}

impl ChunkVisitor for Spanning<'_> {
    type Found = Said;

    fn visit(&mut self, record: &RecordView<'_>, text: &str) -> bool {
        let place = (record.file, record.record);
        let mut spans = Vec::new();
        let mut counts = SpanCounts::default();
        let document = self.found.numbers.find(place);
        if let Some(document) = document.filter(|&document| self.placing.is_asked(document)) {
            let Some((placed, units)) = self.placing.locate(record, text, document) else {
                return false;
            };
            if !placed.gone.is_empty() {
                let (edits, goes) = self.placing.cut(&placed, &units);
                // Of a document that would be removed, all goes.
                let bytes: Vec<Range<usize>> = match edits {
                    None => std::iter::once(0..text.len()).collect(),
                    Some(edits) => edits.into_iter().map(|edit| edit.bytes).collect(),
                };
                spans = spans_of(self.found, document, text, &units, &bytes);
                counts.units = goes;
            }
            self.said.push(Said::Placed(placed));
        }
        counts.documents = u64::from(!spans.is_empty());
        counts.spans = spans.len() as u64;
        if record.file < self.own_files {
            let id = serde_json::Value::from(id_of(record, self.inputs));
            let spans = serde_json::json!(spans);
            let mut json = Vec::new();
            // Writing to memory does not fail.
            let _ = writeln!(json, "{{\"id\":{id},\"attributes\":{{\"{ATTRIBUTE}\":{spans}}}}}");
            self.said.push(Said::Line(SpanLine { place, json, counts }));
        }
        true
    }

    fn finish(self, _: &[(u32, u32)]) -> Visited<Said> {
        Visited { found: self.said, removed: Vec::new(), uncut: 0 }
    }
}

impl Fates for Spanning<'_> {
    fn fate(&self, _: u32, _: u32) -> Fate {
        Fate::Kept
    }
}

/// The spans of a document: the characters (of a list, the tokens) at these bytes, and the number of
/// copies of the most frequent window of the passages that reach into them.
fn spans_of(
    found: &Found,
    document: u32,
    text: &str,
    units: &LocatedUnits<'_>,
    goes: &[Range<usize>],
) -> Vec<(usize, usize, u32)> {
    let (mut spans, mut byte, mut character) = (Vec::new(), 0, 0);
    let runs = found.runs_of(document);
    let place = |run: &Run| units.bytes(&sides_of_run(run, found.lengths)[0].range());
    for bytes in goes {
        let first = character + units.letters(&text[byte..bytes.start]);
        character = first + units.letters(&text[bytes.clone()]);
        byte = bytes.end;
        // No window is in two runs, so that they end in the order in which they begin.
        let next = runs.partition_point(|run| place(run).end <= bytes.start);
        let reach = runs[next..].iter().take_while(|run| place(run).start < bytes.end);
        let copies = reach.map(|run| run.copies[1]).max().unwrap_or_default();
        spans.push((first, character, copies));
    }
    spans
}

/// The places of all documents of the first files, ascending.
pub(super) fn all_documents(first: &FirstReading, files: u32) -> Vec<(u32, u32)> {
    let records = records_of_files(first.of_files.iter().map(|of| of.documents), &first.problems);
    let numbers = |file: u32| 1..=u32::try_from(records[file as usize]).unwrap_or(u32::MAX);
    let all = (0..files).flat_map(|file| numbers(file).map(move |record| (file, record)));
    all.filter(|place| first.bad.binary_search(place).is_err()).collect()
}

/// Writes the lines of documents.
pub(super) struct SpanFiles<'a> {
    files: AttributeFiles<'a>,
    records: Vec<u64>,
    counts: SpanCounts,
}

impl<'a> SpanFiles<'a> {
    pub(super) fn new(search: &Search<'a>, first: &FirstReading, staging: &'a Staging) -> Self {
        let own = &search.documents.inputs.files[..search.own_files as usize];
        let documents = first.of_files.iter().map(|of| of.documents);
        Self {
            files: AttributeFiles::new(own, staging, search.limits.threads),
            records: records_of_files(documents, &first.problems),
            counts: SpanCounts::default(),
        }
    }

    /// Writes the line of the next document.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub(super) fn add(&mut self, line: &SpanLine) -> Result<(), LookalikeError> {
        self.counts.add(line.counts);
        Ok(self.files.append(line.place, &line.json, |file| self.records[file as usize])?)
    }

    /// Ends the files; what was written.
    ///
    /// # Errors
    /// As [`SpanFiles::add`].
    pub(super) fn finish(self) -> Result<(SpanCounts, Vec<Output>), LookalikeError> {
        let Self { files, records, counts } = self;
        let written = files.finish(|file| records[file as usize])?;
        Ok((counts, written_attributes(written)))
    }
}
