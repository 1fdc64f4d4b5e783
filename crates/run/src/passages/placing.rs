//! The last reading: the bytes and the words of passages, and the texts without those that are cut.

use super::search::Found;
use super::settings::Whole;
use super::stretches::{Located, Stretch, Stretches};
use crate::lookup::name_of;
use crate::readings::second::{ChunkVisitor, Visited};
use lookalike_core::fingerprint::TextDigest;
use lookalike_core::spans::union;
use lookalike_decide::DocumentName;
use lookalike_io::{Fate, Fates, Inputs, RecordView, Replacement};
use lookalike_text::{TextEdit, cut_edits, divisible, edited};
use std::collections::BTreeMap;
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
        }
    }

    /// The runs of words of a document that are cut.
    fn gone(&self, document: u32, text: &str, words: &[Range<usize>]) -> Vec<Range<usize>> {
        let cuts = self.found.cuts_of(document).iter();
        let runs = cuts.map(|cut| cut.at.unit as usize..(cut.at.unit + cut.units) as usize);
        let runs = divisible(words, union(runs.collect()));
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
        let document = self.found.numbers.of(place);
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
        let digest = |range: Range<usize>| {
            TextDigest::of(&letters.as_bytes()[ends[range.start]..ends[range.end]])
        };
        let locate = |stretch: &Stretch| {
            let range = stretch.range();
            Located {
                bytes: [places[range.start].start as u64, places[range.end - 1].end as u64],
                digest: self.stretches.is_compared(*stretch).then(|| digest(range)),
            }
        };
        let located = asked.iter().map(locate).collect();
        let gone = self.gone(document, text, &places);
        let mut edits = Vec::new();
        if !gone.is_empty() {
            match cut_edits(text, &places, &gone) {
                Err(_) => self.removed.push(place),
                Ok(found) => {
                    self.cut.insert(place, (text.to_owned(), edited(text, &found)));
                    let goes = |edit: &TextEdit| text[edit.bytes.clone()].to_owned();
                    edits = found.into_iter().map(|edit| (edit.clone(), goes(&edit))).collect();
                }
            }
        }
        let name = name_of(record, self.inputs);
        self.placed.push(PlacedDocument { document, name, located, gone, edits });
        true
    }

    fn finish(self, refused: &[(u32, u32)]) -> Visited<PlacedDocument> {
        let Self { found, mut placed, removed, .. } = self;
        for document in &mut placed {
            if refused.contains(&found.numbers.place(document.document)) {
                document.gone.clear();
                document.edits.clear();
            }
        }
        Visited { found: placed, removed, uncut: refused.len() as u64 }
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

    fn replacement(&self, file: u32, record: u32) -> Option<Replacement<'_>> {
        let (old, new) = self.cut.get(&(file, record))?;
        Some(Replacement { old, new })
    }

    /// What other passages were cut for is not removed.
    fn of_refused(&self) -> Fate {
        Fate::Kept
    }
}
