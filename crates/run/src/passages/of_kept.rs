//! Passages of the documents that a run of `dedup` keeps: their anchors are found while it reads all
//! documents, and they are cut as it writes them.

use super::anchor_store::SpillLimits;
use super::job::{Results, recorded, recorded_job};
use super::search::{DocumentAnchors, Search};
use super::settings::PassageSettings;
use crate::analysis::Analysis;
use crate::reading::Documents;
use crate::readings::first::{Admitted, FirstReading, ReadChunk, ReadCounts};
use crate::second_pass::{ChunkPicker, SecondPass};
use crate::{Job, LookalikeError, Settings, state};
use lookalike_engine::pipeline::PipelineLimits;
use lookalike_engine::{Checkpoints, Progress};
use lookalike_io::sink::{RouteOptions, Staging};
use lookalike_passages::Lengths;
use lookalike_report::{Action, PassageSummary};
use std::time::Instant;

/// The folder of a result that has the summary, the tables and the report of its passages.
pub(crate) const FOLDER: &str = "passages/";

/// Checks the settings of a run that cuts passages out of what it keeps.
///
/// # Errors
/// Settings that make no sense, or that say otherwise what is written.
pub(crate) fn check(job: &Job, length: u32, action: Action) -> Result<(), LookalikeError> {
    let passages = PassageSettings::of_length(length);
    let reason = match action {
        Action::Remove if job.add_counts => {
            "writes other texts, and the setting add_counts other fields"
        }
        Action::Remove => {
            passages.check().map_err(|_| {
                let most = Lengths::MOST;
                LookalikeError::Settings(format!(
                    "the setting passages={length}: use 1 to {most} words"
                ))
            })?;
            // It decides which documents are kept, and passages are of all of these.
            let settings = Settings { distinct_by: Vec::new(), ..job.settings.clone() };
            return passages.of_documents(&settings, !job.against.is_empty()).map(|_| ());
        }
        _ => "cuts the documents that dedup keeps, and this run removes nothing",
    };
    Err(LookalikeError::Settings(format!(
        "the setting passages={length} {reason}; leave one of them out, or run passages on the result"
    )))
}

/// How the documents of a run are written.
#[derive(Clone, Copy)]
pub(crate) struct KeptWriting<'a> {
    pub(crate) staging: &'a Staging,
    pub(crate) options: &'a RouteOptions,
    /// Decides what is kept, and picks what the report of the run shows.
    pub(crate) picker: &'a ChunkPicker<'a>,
}

/// Searches the documents that a run of `dedup` keeps, and writes them without what is cut, and the removed
/// ones as they are. Returns what the pass that writes them without passages returns, and the summary of the
/// search.
///
/// # Errors
/// Documents that have changed; outputs that cannot be written; a cancellation.
pub(crate) fn write(
    job: &Job,
    length: u32,
    analysis: &Analysis,
    anchors: Option<DocumentAnchors>,
    writing: KeptWriting<'_>,
    progress: &dyn Progress,
) -> Result<(SecondPass, PassageSummary), LookalikeError> {
    let passages = &PassageSettings::of_length(length);
    let (first, removed) = what_is_known(analysis)?;
    // Those of chunks that an earlier run read are not among them.
    let anchors = anchors.filter(|_| analysis.collection.restored == 0);
    let read = anchors.map(|mut anchors| {
        anchors.documents.leave_out(&removed);
        (first, anchors)
    });
    let search = Search {
        documents: Documents::of_files(&analysis.inputs),
        own_files: analysis.collection.first_protected_file,
        settings: &job.settings,
        analysis: &job.settings.analysis,
        passages,
        admitted: Admitted { strict: job.strict, skip_unreadable: job.skip_unreadable },
        limits: PipelineLimits {
            threads: analysis.threads,
            in_flight: analysis.memory.in_flight(),
        },
        spill: SpillLimits::new(Some(analysis.memory.0), state::folder(job)),
        without: &removed,
        checkpoints: &Checkpoints::none(),
    };
    let against = Some(&job.against[..]).filter(|against| !against.is_empty());
    let mut settings = recorded(&job.settings, passages, against);
    settings.insert("job".into(), recorded_job(&job.settings, &job.inputs, &job.against));
    let KeptWriting { staging, options, picker } = writing;
    staging.folder(FOLDER)?;
    let mut picked = Vec::new();
    let results = Results {
        staging,
        folder: FOLDER,
        tables: job.tables,
        report: job.report,
        options,
        kept: Some((picker, &mut picked)),
        most: None,
        settings,
        command: &job.command,
        started: Instant::now(),
    };
    let (summary, _, written) = results.write(&search, read, progress)?;
    Ok((SecondPass { shown: picker.shown(picked)?, written }, summary))
}

/// What the reading of a run says of the documents that are kept, and the files and numbers of those that
/// are removed, ascending. O(documents).
fn what_is_known(analysis: &Analysis) -> Result<(FirstReading, Vec<(u32, u32)>), LookalikeError> {
    let Analysis { inputs, collection, verdicts, .. } = analysis;
    let mut of_files = vec![ReadCounts::default(); inputs.files.len()];
    let mut removed = Vec::new();
    collection.for_each(|document, row| {
        if verdicts.is_removed(document) && !collection.is_protected(document) {
            removed.push((row.file, row.record));
        } else {
            of_files[row.file as usize].add(ReadCounts {
                documents: 1,
                words: row.tokens.into(),
                text_bytes: row.text_bytes,
            });
        }
    })?;
    let chunks = collection.chunk_ids().map(|chunk| ReadChunk {
        place: collection.chunk_place(chunk),
        documents: collection.chunk_documents(chunk).len() as u32,
    });
    let first = FirstReading {
        // Problems in place of a chunk have no position.
        chunks: chunks.filter(|chunk| chunk.place.record > 0).collect(),
        of_files,
        // What becomes of these the decisions of the run say.
        bad: Vec::new(),
        problems: collection.problems.clone(),
    };
    Ok((first, removed))
}
