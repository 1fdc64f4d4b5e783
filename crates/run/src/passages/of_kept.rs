//! Passages of the documents that a run of `dedup` keeps: cut as these are written.

use super::anchor_store::SpillLimits;
use super::job::{Results, recorded_job};
use super::search::Search;
use super::settings::{PassageSettings, recorded};
use crate::analysis::Analysis;
use crate::reading::Documents;
use crate::readings::first::Admitted;
use crate::{Job, LookalikeError, Settings, state};
use lookalike_engine::pipeline::PipelineLimits;
use lookalike_engine::{Checkpoints, Progress};
use lookalike_io::sink::{RouteOptions, Staging, WrittenFiles};
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
    let passages = of_length(length);
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

fn of_length(length: u32) -> PassageSettings {
    PassageSettings { length: Some(length), ..PassageSettings::default() }
}

/// Searches the documents that a run of `dedup` keeps, and writes them without what is cut, and the removed
/// ones as they are. Returns the summary of the search, and the files.
///
/// # Errors
/// Documents that have changed; outputs that cannot be written; a cancellation.
pub(crate) fn write(
    job: &Job,
    length: u32,
    analysis: &Analysis,
    staging: &Staging,
    options: &RouteOptions,
    progress: &dyn Progress,
) -> Result<(PassageSummary, Option<WrittenFiles>), LookalikeError> {
    let passages = &of_length(length);
    let search = Search {
        documents: Documents::of_files(&analysis.inputs),
        own_files: analysis.collection.first_protected_file,
        settings: &job.settings,
        passages,
        admitted: Admitted { strict: job.strict, skip_unreadable: job.skip_unreadable },
        limits: PipelineLimits {
            threads: analysis.threads,
            in_flight: analysis.memory.in_flight(),
        },
        spill: SpillLimits::new(Some(analysis.memory.0), state::folder(job)),
        without: &analysis.removed_places()?,
        checkpoints: &Checkpoints::none(),
    };
    let against = Some(&job.against[..]).filter(|against| !against.is_empty());
    let mut settings = recorded(&job.settings, passages, against);
    settings.insert("job".into(), recorded_job(&job.settings, &job.inputs, &job.against));
    staging.folder(FOLDER)?;
    let results = Results {
        staging,
        folder: FOLDER,
        tables: job.tables,
        report: job.report,
        options,
        most: None,
        settings,
        command: &job.command,
        started: Instant::now(),
    };
    let (summary, _, files) = results.write(&search, progress)?;
    Ok((summary, files))
}
