//! What searches in documents have in common, `decontaminate` and `passages`: how they run, and what they
//! record.

use crate::guards::LossLimit;
use crate::memory::Memory;
use crate::readings::first::Admitted;
use crate::settings::thread_count;
use crate::{LookalikeError, Settings, state};
use lookalike_engine::pipeline::PipelineLimits;
use lookalike_io::Problem;
use lookalike_io::input::LeftOut;
use lookalike_io::sink::Staging;
use lookalike_io::table::TableFormat;
use serde::Serialize;
use serde_json::{Map, Value, json, to_value};
use std::path::{Path, PathBuf};

/// How a search of files runs, and where its results go.
#[derive(Debug, Clone, Default)]
pub struct SearchRun {
    /// Replace an earlier result.
    pub force: bool,
    /// Format of the tables.
    pub tables: TableFormat,
    /// The most that may be removed or cut, `30%` or `0.3`; `None` for no limit.
    pub max_loss: Option<String>,
    /// Stop at the first bad record.
    pub strict: bool,
    /// Continue when an input cannot be read to its end.
    pub skip_unreadable: bool,
    /// Number of threads; 0 for as many as there are cores.
    pub threads: usize,
    /// Memory budget in bytes (approximate) for the texts that are read at a time and, in a search for
    /// passages, for what is found: beyond it, that is spilled.
    pub memory: Option<u64>,
    /// Directory for spill files, and for copies of standard input and of members of archives. `None` for
    /// the one of the output, and the system's for those copies.
    pub scratch: Option<PathBuf>,
    /// The command line, for the record.
    pub command: String,
    /// The configuration of the run, written beside the results as `config.toml`.
    pub config: Option<String>,
}

impl SearchRun {
    /// The limit of what is removed or cut.
    ///
    /// # Errors
    /// No share.
    pub(crate) fn most(&self) -> Result<Option<LossLimit>, LookalikeError> {
        self.max_loss.as_deref().map(str::parse).transpose()
    }

    pub(crate) fn admitted(&self) -> Admitted {
        Admitted { strict: self.strict, skip_unreadable: self.skip_unreadable }
    }

    /// Directory of spill files.
    pub(crate) fn spill_folder(&self, output: &Path) -> PathBuf {
        self.scratch.clone().unwrap_or_else(|| state::beside(output))
    }

    /// Starts a result directory.
    ///
    /// # Errors
    /// A directory that cannot be made.
    pub(crate) fn staging(&self, output: &Path) -> Result<Staging, LookalikeError> {
        let folder = self.scratch.clone().unwrap_or_else(|| PathBuf::from("."));
        Ok(Staging::create_in(output, &folder, self.force)?)
    }
}

/// The limits of a reading.
pub(crate) fn limits(threads: usize, memory: Option<u64>) -> PipelineLimits {
    let in_flight = Memory::of(memory).in_flight();
    PipelineLimits { threads: thread_count(threads), in_flight }
}

/// What a finished search of files has to say.
#[derive(Debug)]
pub struct SearchOutcome<S> {
    /// The content of `summary.json`.
    pub summary: S,
    /// The first records and files that could not be used.
    pub problems: Vec<Problem>,
    /// Skipped files of directories.
    pub skipped: Vec<PathBuf>,
    /// Files and directories in the inputs that are no data.
    pub left_out: Vec<LeftOut>,
}

/// The settings as a summary states them: those of the search, the analysis, and another collection.
pub(crate) fn search_settings(
    settings: &Settings,
    search: &impl Serialize,
    against: Option<&[String]>,
) -> Map<String, Value> {
    let analysis = to_value(&settings.analysis).unwrap_or_default();
    let mut recorded = match to_value(search) {
        Ok(Value::Object(recorded)) => recorded,
        _ => Map::new(),
    };
    recorded.insert("text_field".into(), json!(settings.fields.text));
    for (name, value) in analysis.as_object().into_iter().flatten() {
        // Passages have a unit of their own.
        recorded.entry(name.clone()).or_insert_with(|| value.clone());
    }
    recorded.insert("analysis".into(), json!(lookalike_text::ANALYSIS_NAME));
    recorded.insert("hash".into(), json!(lookalike_core::HASH_NAME));
    if let Some(against) = against {
        let against = against.iter().map(|argument| lookalike_io::recorded_url(argument));
        recorded.insert("against".into(), against.collect());
    }
    recorded
}
