//! Steps of a search for repeated passages, in the order in which a run uses them: `read` (documents to
//! texts), `texts` (texts by the numbers of their documents), `anchors` (windows to buckets), `group` (the
//! anchors of a bucket to runs, and windows that are hashed), `answer` (their hashes), `runs` (by part of
//! the documents, and their cuts), `components` (runs by connected components of documents, where
//! one task does not decide about all), `near` (near passages, of shorter runs), `place` (the bytes
//! of passages, and the texts without them), `rows` (the rows of the tables).
//!
//! Documents are divided among *parts* by their numbers, anchors among as many buckets by their keys.
//! Between steps travel rows of [`super::tables::Message`] with many records in one.

mod anchors;
mod answer;
mod blobs;
mod components;
mod group;
mod near;
mod place;
mod read;
mod rows;
mod runs;
mod texts;

pub(super) use anchors::FindAnchors;
pub(super) use answer::Answer;
pub(super) use components::{ByComponent, DocumentRuns, LinkMessages, RunLinks};
pub(super) use group::{Group, Resolve};
pub(super) use near::{NearPassages, NearSeeds};
pub(super) use place::{AskPlaces, Place};
pub(super) use read::ReadTexts;
pub(super) use rows::{EditRows, PassageRows};
pub use rows::{near_digest, passage_columns, passage_digest};
pub(super) use runs::{Cuts, Runs};
pub(super) use texts::{DocumentNumbers, GatherTold, NumberTexts, TextMessages, at_texts};

/// Kinds of messages. Messages about a text sort before the text.
mod kind {
    /// Numbers of documents.
    pub(super) const NUMBERS: i64 = 0;
    /// Anchors of a bucket.
    pub(super) const ANCHORS: i64 = 1;
    /// Anchors of a bucket of which windows are compared.
    pub(super) const OPEN: i64 = 2;
    /// The hashes of windows, for their bucket.
    pub(super) const ANSWERS: i64 = 3;
    /// The component `rank` of a document, which comes before its runs.
    pub(super) const LINKED: i64 = 0;
    /// Windows that are hashed.
    pub(super) const ASKED: i64 = 4;
    /// Documents that cannot be cut.
    pub(super) const FIXED: i64 = 5;
    /// Runs whose first places are known.
    pub(super) const PIECES: i64 = 6;
    /// The runs of a part in `blob`, and its documents that cannot be cut in `list`.
    pub(super) const RUNS: i64 = 7;
    /// The cuts of documents.
    pub(super) const CUTS: i64 = 8;
    /// Stretches of documents whose places are asked for.
    pub(super) const STRETCHES: i64 = 9;
    /// The places of stretches, for the part that asked.
    pub(super) const LOCATED: i64 = 10;
    /// Runs of units that are cut out of documents, for the part of each document.
    pub(super) const GONE: i64 = 11;
    /// The edits of the document `rank` in `blob`, and what is left of its text in `list`.
    pub(super) const EDITED: i64 = 12;
    /// Equal units of pairs of documents, for the part of the later one.
    pub(super) const SEEDS: i64 = 13;
    /// Near passages, at the part of the later document.
    pub(super) const NEAR: i64 = 14;
    /// The text of a document in `blob`, its id in `list`, if it has one.
    pub(super) const TEXT: i64 = 20;
}

/// The part of a document.
fn part_of(document: u32, parts: u32) -> i64 {
    i64::from(document % parts.max(1))
}
