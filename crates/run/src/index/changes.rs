//! Single changes, many in one commit, each with its outcome.

use super::edit::IndexWriter;
use super::lines::jsonl_inputs;
use super::prepare::{PrepareScratch, Prepared, Preparer};
use super::values::NamedValues;
use crate::feature_settings;
use crate::{LookalikeError, Settings};
use lookalike_core::{Overlap, Threshold};
use lookalike_engine::Silent;
use lookalike_index::{Committed, DocNumber, DocumentBatch};
use lookalike_io::source::{Body, Chunk};
use rayon::prelude::*;
use serde::Serialize;
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

/// A change of one document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IndexChange {
    /// Adds a document; it replaces one with the same id.
    Put(Put),
    /// Deletes the documents with an id, of all sweeps.
    Delete {
        /// The id.
        id: String,
    },
}

impl IndexChange {
    /// Adds a document, whatever the index has.
    #[must_use]
    pub fn put(line: impl Into<String>) -> Self {
        Self::Put(Put { line: line.into(), ..Put::default() })
    }

    /// Deletes the documents with an id.
    #[must_use]
    pub fn delete(id: impl Into<String>) -> Self {
        Self::Delete { id: id.into() }
    }
}

/// A document that is to be added.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Put {
    /// A JSON object on one line, with the fields of a line of JSONL. It has an id.
    pub line: String,
    /// Only if no document of its sweep, or of none, has the id.
    pub only_new: bool,
    /// Only if it matches no kept document at this threshold, by the measure of the index.
    pub unless_duplicate: Option<String>,
    /// Its sweep, and the date of that if it is new; it replaces a document of the same id and sweep.
    pub sweep: Option<(String, Option<String>)>,
}

/// How changes are applied.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ApplyOptions {
    /// Time in seconds after which the documents are deleted; `None` for the time of the index.
    pub ttl: Option<u64>,
}

/// What changes did.
#[derive(Debug, Clone, PartialEq)]
pub struct Applied {
    /// The commit, or the one before if nothing changed.
    pub committed: Committed,
    /// The outcome of each change, in their order.
    pub outcomes: Vec<ChangeOutcome>,
}

/// What a change did.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ChangeOutcome {
    /// The document was added.
    Added,
    /// The document was added in place of one with the same id.
    Replaced,
    /// A document has the id, and the change was for a new one only: nothing was changed.
    Exists,
    /// The document matches another one, and was not added.
    Duplicate(DuplicateOf),
    /// The documents with the id were deleted.
    Deleted,
    /// No document has the id that was to be deleted.
    Unknown,
    /// The change cannot be made: the reason.
    Problem(String),
}

/// What a document that was not added matches.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DuplicateOf {
    /// The id of a kept document of the index, or of an earlier one of the same changes.
    pub id: String,
    /// |D∩K| / |D∪K|, with D the document that was not added, and K the other one.
    pub resemblance: f64,
    /// |D∩K| / |D|.
    pub document_in_other: f64,
    /// |D∩K| / |K|.
    pub other_in_document: f64,
    /// |D∩K| / sqrt(|D|·|K|).
    pub cosine: f64,
    /// |D∩K|.
    pub shared: u32,
    /// |D|.
    pub size: u32,
    /// |K|.
    pub other_size: u32,
}

impl DuplicateOf {
    fn new(id: String, counts: Overlap) -> Self {
        Self {
            id,
            resemblance: counts.resemblance(),
            document_in_other: counts.containment_a_in_b(),
            other_in_document: counts.containment_b_in_a(),
            cosine: counts.cosine(),
            shared: counts.shared,
            size: counts.a,
            other_size: counts.b,
        }
    }
}

impl IndexWriter {
    /// Makes changes in one durable commit, and says of each what it did. Nothing is committed if
    /// nothing changes. What was staged or deleted before this call is part of the commit.
    ///
    /// Ids are looked up as if the changes were made one after the other, each with a commit of its
    /// own. With [`Put::unless_duplicate`], a document is compared with the kept documents of the
    /// last commit and with the documents that earlier changes added, without those that earlier
    /// changes replaced or deleted, and not with the one that it replaces. A change that cannot be
    /// made does not keep the others from being made.
    ///
    /// Changes of distinct ids with the same threshold are staged together; where an id comes
    /// again, the threshold is another one, or a delete follows a document with a threshold, a new
    /// part begins. Parts are staged in turn, for the same commit, and each costs a segment file until
    /// they are merged.
    ///
    /// `fields` says how records are read, as in [`IndexWriter::add`].
    ///
    /// ```
    /// use lookalike::index::{ApplyOptions, ChangeOutcome, IndexChange, IndexSettings, Put};
    /// use lookalike::{IndexWriter, Settings};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let folder = tempfile::tempdir()?;
    /// # let dir = folder.path().join("index");
    /// let mut index = IndexWriter::create(&dir, IndexSettings::default(), 1)?;
    /// let again = Put {
    ///     line: r#"{"id": "again", "text": "A rose is a rose is a rose!"}"#.into(),
    ///     unless_duplicate: Some("0.8".into()),
    ///     ..Put::default()
    /// };
    /// let changes = [
    ///     IndexChange::put(r#"{"id": "rose", "text": "a rose is a rose is a rose"}"#),
    ///     IndexChange::Put(again),
    ///     IndexChange::put(r#"{"text": "no id"}"#),
    ///     IndexChange::delete("tulip"),
    /// ];
    /// let done = index.apply(&changes, &Settings::default(), ApplyOptions::default())?;
    /// assert_eq!((done.committed.commit, done.committed.documents), (1, 1));
    /// assert_eq!(done.outcomes[0], ChangeOutcome::Added);
    /// let ChangeOutcome::Duplicate(of) = &done.outcomes[1] else { panic!("no duplicate") };
    /// assert_eq!((&*of.id, of.resemblance), ("rose", 1.0));
    /// assert_eq!(done.outcomes[2], ChangeOutcome::Problem("a document needs an id".into()));
    /// assert_eq!(done.outcomes[3], ChangeOutcome::Unknown);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Settings that an index does not take; files that cannot be written: then nothing is changed,
    /// and what was staged before is given up.
    pub fn apply(
        &mut self,
        changes: &[IndexChange],
        fields: &Settings,
        options: ApplyOptions,
    ) -> Result<Applied, LookalikeError> {
        self.on_own_threads(|index| {
            let steps = index.read_changes(changes, fields, options)?;
            let values = index.values()?;
            let mut applying =
                Applying { index, values, part: Part::default(), outcomes: Vec::new() };
            let staged = applying.all(steps);
            let outcomes = applying.outcomes;
            let committed = staged.and_then(|()| index.commit_here(&Silent));
            if committed.is_err() {
                // A failure stops the writer, and must not hide the error before.
                let _ = index.writer.abandon();
            }
            Ok(Applied { committed: committed?, outcomes })
        })
    }

    /// Reads the changes, on all threads.
    fn read_changes(
        &mut self,
        changes: &[IndexChange],
        fields: &Settings,
        options: ApplyOptions,
    ) -> Result<Vec<Step>, LookalikeError> {
        feature_settings::refuse(&fields.fields, "an index")?;
        let (analysis, inputs) = (Arc::clone(&self.analysis), jsonl_inputs(self.reading(fields)?));
        let expires = self.expires(options.ttl);
        let preparer = Preparer { expires, ..Preparer::new(&inputs, &analysis) };
        let mut numbers = BTreeMap::new();
        let mut known = |change| {
            Ok::<_, String>((self.unless_of(change)?, self.sweep_of(change, &mut numbers)?))
        };
        let known: Vec<_> = changes.iter().map(&mut known).collect();
        let read = |scratch: &mut PrepareScratch, (change, known): (&IndexChange, _)| {
            let Put { line, only_new, .. } = match change {
                IndexChange::Delete { id } => return Step::Delete(id.clone()),
                IndexChange::Put(put) => put,
            };
            let read = |(unless, sweep)| {
                let preparer = Preparer { sweep, ..preparer };
                Ok(Step::put(document(&preparer, line, scratch)?, unless, sweep, *only_new))
            };
            Result::and_then(known, read).unwrap_or_else(Step::Bad)
        };
        let changes = changes.par_iter().zip(known);
        Ok(changes.map_init(PrepareScratch::default, read).collect())
    }

    /// The threshold of a change that is not to add a duplicate.
    fn unless_of(&self, change: &IndexChange) -> Result<Option<Threshold>, String> {
        let IndexChange::Put(Put { unless_duplicate, .. }) = change else { return Ok(None) };
        let unless = unless_duplicate.as_deref().map(|unless| self.threshold(unless)).transpose();
        unless.map_err(|error| error.to_string())
    }

    /// The number of the sweep of a change; a new one is entered with the next commit. `numbers` has
    /// those that were found.
    fn sweep_of(
        &mut self,
        change: &IndexChange,
        numbers: &mut BTreeMap<(String, Option<String>), Result<u32, String>>,
    ) -> Result<u32, String> {
        let IndexChange::Put(Put { sweep: Some(sweep), .. }) = change else { return Ok(0) };
        if let Some(known) = numbers.get(sweep) {
            return known.clone();
        }
        let (name, date) = sweep;
        let found = self.sweep_for_adding(name, date.as_deref());
        let found = found.map_err(|error| error.to_string());
        numbers.insert(sweep.clone(), found.clone());
        found
    }
}

/// The document of a line, or why it is none.
fn document(
    preparer: &Preparer<'_>,
    line: &str,
    scratch: &mut PrepareScratch,
) -> Result<Prepared, String> {
    let chunk = Chunk {
        file: 0,
        first_record: 1,
        first_line: 1,
        offset: 0,
        consumed: line.len() as u64,
        body: Body::Lines(line.as_bytes().to_vec()),
    };
    let mut problem = None;
    let prepared = preparer.chunk_with(chunk, scratch, &mut |found| {
        problem = problem.take().or_else(|| found.map(|found| found.message.clone()));
    });
    match problem {
        Some(reason) => Err(reason),
        None if prepared.documents.len() != 1 => {
            Err("a document is one JSON object on one line".into())
        }
        None if prepared.unnamed > 0 => Err("a document needs an id".into()),
        None => Ok(prepared),
    }
}

/// A change that was read.
enum Step {
    Put {
        id: String,
        document: Box<DocumentBatch>,
        values: BTreeMap<u64, String>,
        unless: Option<Threshold>,
        sweep: u32,
        only_new: bool,
    },
    Delete(String),
    Bad(String),
}

impl Step {
    fn put(prepared: Prepared, unless: Option<Threshold>, sweep: u32, only_new: bool) -> Self {
        let Prepared { documents: document, values, .. } = prepared;
        let mut views = Vec::new();
        let id = document.get(0, DocNumber(0), DocNumber(0), &mut views).id.to_owned();
        Self::Put { id, document: Box::new(document), values, unless, sweep, only_new }
    }
}

/// Documents of distinct ids that are staged together.
#[derive(Default)]
struct Part {
    ids: HashSet<String>,
    unless: Option<Threshold>,
    documents: Vec<DocumentBatch>,
    /// The change of each document, and the values that it names.
    of: Vec<(usize, BTreeMap<u64, String>)>,
}

/// Stages changes, in order.
struct Applying<'a> {
    index: &'a mut IndexWriter,
    values: NamedValues,
    part: Part,
    outcomes: Vec<ChangeOutcome>,
}

impl Applying<'_> {
    fn all(&mut self, steps: Vec<Step>) -> Result<(), LookalikeError> {
        for step in steps {
            let outcome = match step {
                Step::Bad(reason) => ChangeOutcome::Problem(reason),
                Step::Delete(id) => {
                    // Earlier documents are compared with those that this deletes.
                    if self.part.unless.is_some() || self.part.ids.contains(&id) {
                        self.stage()?;
                    }
                    match self.index.writer.delete_id(&id) {
                        0 => ChangeOutcome::Unknown,
                        _ => ChangeOutcome::Deleted,
                    }
                }
                Step::Put { id, document, values, unless, sweep, only_new } => {
                    if self.part.unless != unless || self.part.ids.contains(&id) {
                        self.stage()?;
                    }
                    let sweeps = self.index.writer.next_sweeps_of(&id);
                    let is_there = sweeps.contains(&sweep);
                    if only_new && is_there {
                        ChangeOutcome::Exists
                    } else {
                        self.part.unless = unless;
                        self.part.ids.insert(id);
                        self.part.documents.push(*document);
                        self.part.of.push((self.outcomes.len(), values));
                        // Until it is known whether it is a duplicate.
                        match is_there {
                            true => ChangeOutcome::Replaced,
                            false => ChangeOutcome::Added,
                        }
                    }
                }
            };
            self.outcomes.push(outcome);
        }
        self.stage()
    }

    /// Stages the documents that wait.
    fn stage(&mut self) -> Result<(), LookalikeError> {
        let Part { unless, mut documents, mut of, .. } = std::mem::take(&mut self.part);
        if documents.is_empty() {
            return Ok(());
        }
        if let Some(threshold) = unless {
            let (kept, left_out) = self.index.writer.unless_duplicate(documents, threshold)?;
            for found in left_out {
                let (change, values) = &mut of[found.place];
                values.clear();
                let duplicate = DuplicateOf::new(found.of, found.counts);
                self.outcomes[*change] = ChangeOutcome::Duplicate(duplicate);
            }
            documents = kept;
        }
        for (_, values) in of {
            self.values.enter(&mut self.index.writer, values);
        }
        self.index.writer.stage(&documents)?;
        Ok(())
    }
}
