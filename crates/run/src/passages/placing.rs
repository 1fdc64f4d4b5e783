//! The last reading: the bytes and the words of passages, and the texts without those that are cut.

use super::search::Found;
use super::settings::Whole;
use super::stretches::{Located, Stretches};
use crate::lookup::name_of;
use crate::readings::second::{ChunkVisitor, Visited};
use lookalike_core::fingerprint::TextDigest;
use lookalike_core::spans::union;
use lookalike_decide::DocumentName;
use lookalike_io::{Content, Fate, Fates, Inputs, MarkValue, RecordView, Replacement};
use lookalike_text::{NotCut, TextEdit, cut_edits, edited};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// A document with passages.
pub(super) struct PlacedDocument {
    pub(super) document: u32,
    pub(super) name: DocumentName<'static>,
    /// Of its stretches, in order.
    pub(super) located: Vec<Located>,
    /// Runs of words that are cut, ascending.
    pub(super) gone: Vec<Range<usize>>,
    /// What that replaces in the text, with what goes; nothing in a document that is removed.
    pub(super) edits: Vec<(TextEdit, String)>,
}

/// Locates the passages of the documents of a chunk, and cuts its records.
pub(super) struct Placing<'a> {
    inputs: &'a Inputs,
    found: &'a Found,
    stretches: &'a Stretches,
    whole: Option<Whole>,
    placed: Vec<PlacedDocument>,
    /// Texts before and after.
    cut: BTreeMap<(u32, u32), (String, String)>,
    /// Documents of which nothing is left, ascending.
    removed: Vec<(u32, u32)>,
    /// Documents that cannot be cut.
    uncut: BTreeSet<(u32, u32)>,
}

impl<'a> Placing<'a> {
    pub(super) fn new(
        inputs: &'a Inputs,
        found: &'a Found,
        stretches: &'a Stretches,
        whole: Option<Whole>,
    ) -> Self {
        Self {
            inputs,
            found,
            stretches,
            whole,
            placed: Vec::new(),
            cut: BTreeMap::new(),
            removed: Vec::new(),
            uncut: BTreeSet::new(),
        }
    }

    /// The runs of words of a document that are cut.
    fn gone(&self, document: u32, text: &str, words: &[Range<usize>]) -> Vec<Range<usize>> {
        let cuts = self.found.cuts_of(document).iter();
        let runs = cuts.map(|cut| cut.at.unit as usize..(cut.at.unit + cut.units) as usize);
        let runs = union(runs.collect());
        match self.whole {
            Some(whole) => whole.within(text, words, runs),
            None => runs,
        }
    }
}

impl ChunkVisitor for Placing<'_> {
    type Found = PlacedDocument;

    fn visit(&mut self, record: &RecordView<'_>, text: &str) -> bool {
        let place = (record.file, record.record);
        let document = self.found.document(place);
        let asked = self.stretches.of(document);
        // The words one behind the other, each with an end.
        let (mut letters, mut ends) = (String::new(), vec![0]);
        let words = self.found.reader.located_each(text, |word| {
            letters.push_str(word);
            letters.push('\n');
            ends.push(letters.len());
        });
        let places = words.places;
        if asked.iter().any(|stretch| stretch.range().end > places.len()) {
            return false;
        }
        let locate = |range: Range<usize>| Located {
            bytes: [places[range.start].start as u64, places[range.end - 1].end as u64],
            digest: TextDigest::of(&letters.as_bytes()[ends[range.start]..ends[range.end]]),
        };
        let located = asked.iter().map(|stretch| locate(stretch.range())).collect();
        let mut gone = self.gone(document, text, &places);
        let mut edits = Vec::new();
        if !gone.is_empty() {
            match (cut_edits(text, &places, &gone), &record.content) {
                (Err(NotCut::NothingLeft), _) => self.removed.push(place),
                // The places of other contents are those of a text that was extracted.
                (Ok(found), Content::Text(_)) => {
                    self.cut.insert(place, (text.to_owned(), edited(text, &found)));
                    let goes = |edit: &TextEdit| text[edit.bytes.clone()].to_owned();
                    edits = found.into_iter().map(|edit| (edit.clone(), goes(&edit))).collect();
                }
                _ => {
                    self.uncut.insert(place);
                    gone.clear();
                }
            }
        }
        let name = name_of(record, self.inputs);
        self.placed.push(PlacedDocument { document, name, located, gone, edits });
        true
    }

    fn finish(self, refused: &[(u32, u32)]) -> Visited<PlacedDocument> {
        let Self { found, mut placed, removed, mut uncut, .. } = self;
        uncut.extend(refused);
        for document in &mut placed {
            if refused.contains(&found.places[document.document as usize]) {
                document.gone.clear();
                document.edits.clear();
            }
        }
        Visited { found: placed, removed, uncut: uncut.len() as u64 }
    }
}

impl Fates for Placing<'_> {
    fn fate(&self, file: u32, record: u32) -> Fate {
        let place = (file, record);
        match self.found.first.bad.binary_search(&place) {
            Ok(_) => Fate::Rejected,
            Err(_) if self.removed.binary_search(&place).is_ok() => Fate::Removed,
            Err(_) => Fate::Kept,
        }
    }

    fn mark(&self, _: u32, _: u32) -> Vec<MarkValue<'_>> {
        Vec::new()
    }

    fn replacement(&self, file: u32, record: u32) -> Option<Replacement<'_>> {
        let (old, new) = self.cut.get(&(file, record))?;
        Some(Replacement { old, new })
    }

    /// What other passages were cut for is not removed.
    fn of_refused(&self) -> Fate {
        Fate::Kept
    }
}
