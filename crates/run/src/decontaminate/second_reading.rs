//! What the second reading says of the documents that contain parts of items.

use super::fates::{ChunkFates, ContaminatedDocument};
use super::locating::{LocatedPart, locate};
use super::matching::{Match, matches_of};
use super::searched::Searched;
use super::settings::ContaminationAction;
use crate::LookalikeError;
use crate::lookup::name_of;
use crate::reading::Documents;
use crate::readings::second::{ChunkVisitor, Routing, SecondReading, Visited, Written};
use lookalike_decide::DocumentName;
use lookalike_engine::Progress;
use lookalike_engine::pipeline::PipelineLimits;
use lookalike_io::{Fate, Fates, Inputs, MarkValue, RecordView, Replacement};

/// A document that contains parts of items.
pub(super) struct LocatedDocument {
    pub(super) name: DocumentName<'static>,
    pub(super) parts: Vec<LocatedPart>,
    /// What is written about it, where it is cut and no record is written.
    pub(super) written: Option<ContaminatedDocument>,
}

/// Locates the parts in the documents of a chunk, and decides about its records.
struct Locating<'a> {
    inputs: &'a Inputs,
    searched: Searched<'a>,
    matches: &'a [Match],
    fates: ChunkFates<'a>,
    /// Whether each document gets what is written about it.
    describes: bool,
    located: Vec<LocatedDocument>,
}

/// Reads the documents again; gives those that contain parts to `each`, in order, and with a `routing`
/// writes all records.
///
/// # Errors
/// Documents that have changed; outputs that cannot be written; those of `each`.
pub(super) fn read_again(
    searched: Searched<'_>,
    documents: Documents<'_>,
    limits: PipelineLimits,
    action: ContaminationAction,
    routing: Option<Routing<'_>>,
    each: &mut dyn FnMut(LocatedDocument) -> Result<(), LookalikeError>,
    progress: &dyn Progress,
) -> Result<Written, LookalikeError> {
    let Searched { scan, decisions, .. } = searched;
    let wanted = decisions.documents();
    let describes = routing.is_none() && action == ContaminationAction::Cut;
    let visitor = |wanted: &[(u32, u32)]| {
        let before = |place| decisions.matches.partition_point(move |one| one.place < place);
        let matches = match wanted {
            [] => &[],
            [first, .., last] | [first @ last] => {
                &decisions.matches[before(*first)..before((last.0, last.1 + 1))]
            }
        };
        let fates = ChunkFates::new(action, matches, searched);
        Locating {
            inputs: documents.inputs,
            searched,
            matches,
            fates,
            describes,
            located: Vec::new(),
        }
    };
    let phase = if routing.is_some() { "writing" } else { "locating" };
    let second = SecondReading { documents, first: &scan.reading, wanted: &wanted, limits };
    second.run(phase, routing, &visitor, each, progress)
}

impl ChunkVisitor for Locating<'_> {
    type Found = LocatedDocument;

    fn visit(&mut self, record: &RecordView<'_>, text: &str) -> bool {
        let Searched { items, decisions, reader, .. } = self.searched;
        let matches = matches_of(self.matches, (record.file, record.record));
        let Some(located) = locate(text, matches, items, decisions, reader) else { return false };
        self.fates.see(record, text, &located);
        let name = name_of(record, self.inputs);
        let written = match self.describes {
            true => self.fates.contaminated(&name, record.file),
            false => None,
        };
        self.located.push(LocatedDocument { name, parts: located.parts, written });
        true
    }

    fn finish(self, refused: &[(u32, u32)]) -> Visited<LocatedDocument> {
        let mut removed = self.fates.removed();
        removed.extend(refused);
        removed.sort_unstable();
        removed.dedup();
        let uncut = self.fates.uncut() + refused.len() as u64;
        Visited { found: self.located, removed, uncut }
    }
}

impl Fates for Locating<'_> {
    fn fate(&self, file: u32, record: u32) -> Fate {
        self.fates.fate(file, record)
    }

    fn mark(&self, file: u32, record: u32) -> Vec<MarkValue<'_>> {
        self.fates.mark(file, record)
    }

    fn replacement(&self, file: u32, record: u32) -> Option<Replacement<'_>> {
        self.fates.replacement(file, record)
    }
}
