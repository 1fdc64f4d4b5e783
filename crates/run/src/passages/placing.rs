//! The last reading: the bytes and the words of passages, and the texts without those that are cut.

use super::cutting::{self, units_of_cuts};
use super::excerpts::{Shown, ShownPassages};
use super::search::Found;
use super::settings::PassageSettings;
use super::stretches::{Located, Stretch, Stretches};
use super::units::LocatedUnits;
use crate::lookup::name_of;
use crate::readings::second::{ChunkVisitor, Visited};
use lookalike_decide::DocumentName;
use lookalike_io::{Fate, Fates, Inputs, RecordView, Replacement};
use lookalike_report::PassageExcerpt;
use lookalike_text::{TextEdit, edited};
use std::collections::BTreeMap;
use std::ops::Range;

/// A document with passages.
pub(super) struct PlacedDocument {
    pub(super) document: u32,
    pub(super) name: DocumentName<'static>,
    /// Of its stretches, in order.
    pub(super) located: Vec<Located>,
    /// Number of units.
    pub(super) units: u32,
    /// Runs of units that are cut, ascending.
    pub(super) gone: Vec<Range<usize>>,
    /// How many units go besides.
    pub(super) rests: u64,
    /// What that replaces in the text, with what goes; nothing in a document that is removed.
    pub(super) edits: Vec<(TextEdit, String)>,
    /// What the report shows.
    pub(super) excerpts: Vec<(Shown, PassageExcerpt)>,
}

/// Locates the passages of the documents of a chunk, and cuts its records unless spans are asked for.
pub(super) struct Placing<'a> {
    inputs: &'a Inputs,
    found: &'a Found,
    stretches: &'a Stretches,
    settings: &'a PassageSettings,
    shown: &'a ShownPassages,
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
        settings: &'a PassageSettings,
        shown: &'a ShownPassages,
    ) -> Self {
        Self {
            inputs,
            found,
            stretches,
            settings,
            shown,
            placed: Vec::new(),
            cut: BTreeMap::new(),
            removed: Vec::new(),
        }
    }

    /// Whether something is asked of a document.
    pub(super) fn is_asked(&self, document: u32) -> bool {
        !self.stretches.of(document).is_empty()
    }

    /// The passages of a document, without its edits, and the units of its text; `None` if these are fewer
    /// than they were.
    pub(super) fn locate<'t>(
        &self,
        record: &RecordView<'_>,
        text: &'t str,
        document: u32,
    ) -> Option<(PlacedDocument, LocatedUnits<'t>)> {
        let asked = self.stretches.of(document);
        let units = self.found.reader.located(text);
        if asked.iter().any(|stretch| stretch.range().end > units.count()) {
            return None;
        }
        let locate = |stretch: &Stretch| {
            let bytes = units.bytes(&stretch.range());
            Located {
                bytes: [bytes.start as u64, bytes.end as u64],
                digest: self.stretches.is_compared(*stretch).then(|| units.digest(stretch.range())),
            }
        };
        let located = asked.iter().map(locate).collect();
        let gone = self.gone(document, &units);
        let name = name_of(record, self.inputs);
        let placed = PlacedDocument {
            document,
            name,
            located,
            units: units.count() as u32,
            excerpts: self.shown.excerpts(document, text, &units, &gone),
            gone,
            rests: 0,
            edits: Vec::new(),
        };
        Some((placed, units))
    }

    /// The runs of units of a document that are cut, or would be.
    fn gone(&self, document: u32, units: &LocatedUnits<'_>) -> Vec<Range<usize>> {
        let runs = match self.settings.cuts() {
            false if self.settings.writes_spans() => self.found.later_units(document),
            _ => units_of_cuts(self.found.cuts_of(document)),
        };
        units.divisible(runs, self.settings.whole)
    }

    /// What cutting a document replaces in its text, with the number of units that go; `None` if it is
    /// removed.
    pub(super) fn cut(
        &self,
        placed: &PlacedDocument,
        units: &LocatedUnits<'_>,
    ) -> (Option<Vec<TextEdit>>, u64) {
        cutting::edits(&placed.gone, units, self.settings)
    }
}

impl ChunkVisitor for Placing<'_> {
    type Found = PlacedDocument;

    fn visit(&mut self, record: &RecordView<'_>, text: &str) -> bool {
        let place = (record.file, record.record);
        let document = self.found.numbers.of(place);
        let Some((mut placed, units)) = self.locate(record, text, document) else { return false };
        if !placed.gone.is_empty() {
            let (edits, goes) = self.cut(&placed, &units);
            placed.rests = goes - placed.gone.iter().map(Range::len).sum::<usize>() as u64;
            match edits {
                None => self.removed.push(place),
                Some(found) => {
                    self.cut.insert(place, (text.to_owned(), edited(text, &found)));
                    let goes = |edit: &TextEdit| text[edit.bytes.clone()].to_owned();
                    placed.edits =
                        found.into_iter().map(|edit| (edit.clone(), goes(&edit))).collect();
                }
            }
        }
        self.placed.push(placed);
        true
    }

    fn finish(self, refused: &[(u32, u32)]) -> Visited<PlacedDocument> {
        let Self { found, mut placed, removed, .. } = self;
        for document in &mut placed {
            if refused.contains(&found.numbers.place(document.document)) {
                document.gone.clear();
                document.rests = 0;
                document.edits.clear();
            }
        }
        Visited { found: placed, removed, uncut: refused.len() as u64 }
    }
}

impl Fates for Placing<'_> {
    fn fate(&self, file: u32, record: u32) -> Fate {
        let place = (file, record);
        let is_in = |places: &[(u32, u32)]| places.binary_search(&place).is_ok();
        match place {
            _ if is_in(&self.found.first.bad) => Fate::Rejected,
            _ if is_in(&self.removed) => Fate::Removed,
            _ => Fate::Kept,
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
