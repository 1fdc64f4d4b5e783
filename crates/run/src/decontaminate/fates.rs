//! What the documents of a chunk contain, and what becomes of its records.

use super::locating::{Located, LocatedPart, locate};
use super::matching::{Match, matches_of};
use super::searched::Searched;
use super::settings::ContaminationAction;
use crate::lookup::name_of;
use crate::readings::second::{ChunkVisitor, Visited};
use lookalike_decide::DocumentName;
use lookalike_io::sink::{MarkKind, MarkNames};
use lookalike_io::{Content, Fate, Fates, Inputs, MarkValue, RecordView, Replacement};
use lookalike_text::NotCut;
use std::collections::BTreeMap;

/// The fields that the action `mark` adds.
const MARKS: [(&str, MarkKind); 5] = [
    ("contaminated", MarkKind::Flag),
    ("contaminated_items", MarkKind::Count),
    ("contaminated_item", MarkKind::Text),
    ("contaminated_benchmark", MarkKind::Text),
    ("contaminated_share", MarkKind::Ratio),
];

/// What is written about a document that contains parts of items: the values of the fields that the
/// action `mark` adds, and the text that the action `cut` leaves.
#[derive(Debug, Clone, PartialEq)]
pub struct ContaminatedDocument {
    /// Its id.
    pub id: String,
    /// Number of the record, from 1.
    pub record: u32,
    /// Number of items.
    pub items: u64,
    /// Id of the item of which it has the largest share.
    pub item: String,
    /// The benchmark of that item.
    pub benchmark: String,
    /// That share.
    pub share: f64,
    /// The text without the parts; `None` if it is removed as nothing is left, or as it cannot be cut.
    pub left: Option<String>,
}

/// The item of which a document has the largest share.
struct Largest<'a> {
    /// Number of items in the document.
    items: u64,
    item: &'a str,
    benchmark: &'a str,
    share: f64,
}

/// Their names, with a prefix.
pub(super) fn mark_names(prefix: &str) -> MarkNames {
    MarkNames::of(prefix, &MARKS)
}

/// A document that contains parts of items.
pub(super) struct LocatedDocument {
    pub(super) name: DocumentName<'static>,
    pub(super) parts: Vec<LocatedPart>,
    /// What is written about it, where it is cut and no record is written.
    pub(super) written: Option<ContaminatedDocument>,
}

/// Locates the parts in the documents of a chunk, and decides about its records.
pub(super) struct ChunkFates<'a> {
    action: ContaminationAction,
    inputs: &'a Inputs,
    matches: &'a [Match],
    searched: Searched<'a>,
    /// Texts that are cut, before and after.
    cut: BTreeMap<(u32, u32), (String, String)>,
    /// Documents that have other words than items, and cannot be cut.
    uncut: Vec<(u32, u32)>,
    /// Whether each document gets what is written about it.
    describes: bool,
    located: Vec<LocatedDocument>,
}

impl<'a> ChunkFates<'a> {
    /// Decisions by the matches of the chunk.
    pub(super) fn new(
        action: ContaminationAction,
        inputs: &'a Inputs,
        matches: &'a [Match],
        searched: Searched<'a>,
        describes: bool,
    ) -> Self {
        Self {
            action,
            inputs,
            matches,
            searched,
            cut: BTreeMap::new(),
            uncut: Vec::new(),
            describes,
            located: Vec::new(),
        }
    }

    /// Takes note of a document with matches. Only the text of a field can be cut: the places of others
    /// are those of a text that was extracted.
    fn see(&mut self, record: &RecordView<'_>, text: &str, located: &Located) {
        if self.action != ContaminationAction::Cut {
            return;
        }
        let place = (record.file, record.record);
        match (located.cut(text), &record.content) {
            (Err(NotCut::NothingLeft), _) => {}
            (Ok(left), Content::Text(_)) => _ = self.cut.insert(place, (text.to_owned(), left)),
            _ => self.uncut.push(place),
        }
    }

    /// The documents that are removed, as far as it is known before they are written.
    fn removed(&self) -> Vec<(u32, u32)> {
        let places = self.matches.chunk_by(|a, b| a.place == b.place).map(|of| of[0].place);
        places.filter(|&place| self.is_removed(place)).collect()
    }

    /// What is written about a document with matches.
    fn contaminated(&self, name: &DocumentName<'_>, file: u32) -> Option<ContaminatedDocument> {
        let place = (file, name.record);
        let Largest { items, item, benchmark, share } = self.largest(place)?;
        Some(ContaminatedDocument {
            id: name.id.to_string(),
            record: name.record,
            items,
            item: item.to_owned(),
            benchmark: benchmark.to_owned(),
            share,
            left: self.cut.get(&place).map(|(_, left)| left.clone()),
        })
    }

    /// The first of the largest shares, compared as fractions.
    fn largest(&self, place: (u32, u32)) -> Option<Largest<'_>> {
        let matches = matches_of(self.matches, place);
        let size = |one: &Match| self.searched.decisions.counted.sizes[one.part as usize];
        let larger = |one: &Match, other: &Match| {
            let product = |a: &Match, b: &Match| u64::from(a.shared) * u64::from(size(b));
            product(one, other) > product(other, one)
        };
        let best = matches.iter().reduce(|best, one| if larger(one, best) { one } else { best })?;
        let item_of = |one: &Match| self.searched.items.place(one.part as usize).item;
        let items = matches.chunk_by(|a, b| item_of(a) == item_of(b)).count() as u64;
        let item = self.searched.items.item(best.part as usize);
        Some(Largest {
            items,
            item: &item.name.id,
            benchmark: &self.searched.items.benchmarks[item.benchmark as usize],
            share: f64::from(best.shared) / f64::from(size(best).max(1)),
        })
    }

    /// Whether a document with matches is removed.
    fn is_removed(&self, place: (u32, u32)) -> bool {
        match self.action {
            ContaminationAction::List | ContaminationAction::Mark => false,
            ContaminationAction::Remove => true,
            ContaminationAction::Cut => !self.cut.contains_key(&place),
        }
    }
}

impl ChunkVisitor for ChunkFates<'_> {
    type Found = LocatedDocument;

    fn visit(&mut self, record: &RecordView<'_>, text: &str) -> bool {
        let Searched { items, decisions, reader, .. } = self.searched;
        let matches = matches_of(self.matches, (record.file, record.record));
        let Some(located) = locate(text, matches, items, decisions, reader) else { return false };
        self.see(record, text, &located);
        let name = name_of(record, self.inputs);
        let written = match self.describes {
            true => self.contaminated(&name, record.file),
            false => None,
        };
        self.located.push(LocatedDocument { name, parts: located.parts, written });
        true
    }

    fn finish(self, refused: &[(u32, u32)]) -> Visited<LocatedDocument> {
        let mut removed = self.removed();
        removed.extend(refused);
        removed.sort_unstable();
        removed.dedup();
        let uncut = (self.uncut.len() + refused.len()) as u64;
        Visited { found: self.located, removed, uncut }
    }
}

impl Fates for ChunkFates<'_> {
    fn fate(&self, file: u32, record: u32) -> Fate {
        let place = (file, record);
        match self.searched.scan.reading.bad.binary_search(&place) {
            Ok(_) => Fate::Rejected,
            Err(_) if matches_of(self.matches, place).is_empty() => Fate::Kept,
            Err(_) if self.is_removed(place) => Fate::Removed,
            Err(_) => Fate::Kept,
        }
    }

    fn mark(&self, file: u32, record: u32) -> Vec<MarkValue<'_>> {
        let none = MarkValue::Missing;
        match self.largest((file, record)) {
            None => vec![MarkValue::Flag(false), MarkValue::Count(0), none, none, none],
            Some(Largest { items, item, benchmark, share }) => vec![
                MarkValue::Flag(true),
                MarkValue::Count(items),
                MarkValue::Text(item),
                MarkValue::Text(benchmark),
                MarkValue::Ratio(share),
            ],
        }
    }

    fn replacement(&self, file: u32, record: u32) -> Option<Replacement<'_>> {
        let (old, new) = self.cut.get(&(file, record))?;
        Some(Replacement { old, new })
    }
}
