//! Checks that the second pass reads the records of the first, by counting them again.

use crate::LookalikeError;
use crate::analysis::Analysis;
use lookalike_engine::ChunkId;
use lookalike_io::sink::{Role, Routed};
use lookalike_io::{Inputs, Problem};
use std::collections::BTreeMap;

/// Counts again what the first pass counted: documents by chunk, documents and problems by file.
pub(super) struct Recount<'a> {
    analysis: &'a Analysis,
    /// For each file that is written. One-document files are counted with the first file of their
    /// chunk, and not compared: each is one record, whatever its content.
    files: Vec<Counts>,
}

/// Counts of a file.
#[derive(Default)]
struct Counts {
    documents: u64,
    problems: u64,
    /// The last problem.
    found: Option<Problem>,
}

impl<'a> Recount<'a> {
    pub(super) fn new(analysis: &'a Analysis, own_files: u32) -> Self {
        Self { analysis, files: (0..own_files).map(|_| Counts::default()).collect() }
    }

    /// Counts a problem, which may be in place of a chunk. It is an error if the first pass read
    /// documents there.
    pub(super) fn problem(
        &mut self,
        chunk: Option<ChunkId>,
        problem: Problem,
    ) -> Result<(), LookalikeError> {
        let collection = &self.analysis.collection;
        let known = chunk.filter(|chunk| chunk.0 < collection.chunks());
        if known.is_some_and(|chunk| !collection.chunk_documents(chunk).is_empty()) {
            return Err(unreadable_again(&self.analysis.inputs, problem));
        }
        if let Some(counts) = self.files.get_mut(problem.file as usize) {
            counts.problems += 1;
            counts.found = Some(problem);
        }
        Ok(())
    }

    /// Counts the records of a chunk, of which `known` were usable in the first pass; `false` if it
    /// has others.
    pub(super) fn routed(&mut self, file: u32, known: u64, routed: &Routed) -> bool {
        let usable = [Role::Kept, Role::Removed, Role::Marked];
        let now: u64 = usable.into_iter().map(|role| routed.records(role)).sum();
        if now != known {
            return false;
        }
        if let Some(counts) = self.files.get_mut(file as usize) {
            counts.documents += now;
            counts.problems += routed.records(Role::Rejected);
        }
        true
    }

    /// Compares the counts of every file with those of the first pass.
    pub(super) fn finish(self) -> Result<(), LookalikeError> {
        let Analysis { inputs, collection, .. } = self.analysis;
        let problems: BTreeMap<u32, u64> = collection.problems.counts().collect();
        for ((file, counts), bounds) in
            (0u32..).zip(self.files).zip(collection.file_starts.windows(2))
        {
            let one = inputs.files[file as usize].format.is_document();
            let known =
                (u64::from(bounds[1] - bounds[0]), problems.get(&file).copied().unwrap_or(0));
            if !one && (counts.documents, counts.problems) != known {
                return Err(match counts.found {
                    Some(problem) => unreadable_again(inputs, problem),
                    None => changed(inputs, file),
                });
            }
        }
        Ok(())
    }
}

/// The error for a changed file; states its size or time if they differ.
pub(super) fn changed(inputs: &Inputs, file: u32) -> LookalikeError {
    match inputs.verify_unchanged() {
        Err(error) => error.into(),
        Ok(()) => LookalikeError::Changed { input: inputs.files[file as usize].name.clone() },
    }
}

/// The error for an input that the first pass could read and the second cannot.
pub(super) fn unreadable_again(inputs: &Inputs, problem: Problem) -> LookalikeError {
    match inputs.verify_unchanged() {
        Err(error) => error.into(),
        Ok(()) => LookalikeError::UnreadableAgain(Box::new(problem)),
    }
}
