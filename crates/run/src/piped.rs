//! `dedup` as a filter: the kept documents go to a stream in place of a result directory.
//!
//! The run writes its result into a temporary directory, so that nothing reaches the stream unless
//! the run is complete and no input has changed; then the files of kept documents are copied.

use crate::analysis::other_inputs;
use crate::jobs::{Outcome, Writing, run};
use crate::whole_file::replace_file;
use crate::{ErrorKind, Job, LookalikeError};
use lookalike_engine::{EngineError, Progress};
use lookalike_io::input::name::path_of;
use lookalike_io::sink::{OneStream, Role, check_file, is_same_file};
use lookalike_io::table::TableFormat;
use lookalike_io::{Inputs, OutputError};
use lookalike_report::Action;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Files that [`run_dedup_into`] writes beside the stream, in place of existing ones.
#[derive(Debug, Clone, Default)]
pub struct StreamFiles {
    /// The ledger. Its extension names its format (`parquet`, `tsv`, `jsonl`); without one it has
    /// that of [`Job::tables`]. Another extension is an error.
    pub ledger: Option<PathBuf>,
    /// The summary, as JSON.
    pub summary: Option<PathBuf>,
}

impl StreamFiles {
    /// The format of the ledger by its name, if there is one.
    ///
    /// # Errors
    /// A ledger in an unknown format, one file for ledger and summary.
    fn ledger_format(&self) -> Result<Option<TableFormat>, LookalikeError> {
        let Self { ledger: Some(ledger), summary } = self else { return Ok(None) };
        if summary.as_ref().is_some_and(|summary| is_same_file(ledger, summary)) {
            return Err(LookalikeError::Settings(
                "the setting ledger and the setting summary name the same file".into(),
            ));
        }
        let Some(extension) = ledger.extension() else { return Ok(None) };
        let format = TableFormat::ALL.into_iter().find(|format| extension == format.extension());
        match format {
            Some(format) => Ok(Some(format)),
            None => Err(LookalikeError::Settings(format!(
                "{}: the format of the ledger is unknown; the setting ledger needs a file that ends with \
                 .parquet, .tsv or .jsonl",
                ledger.display()
            ))),
        }
    }

    /// Refuses files that are inputs of a job.
    fn check_inputs(&self, job: &Job, inputs: &Inputs) -> Result<(), LookalikeError> {
        for (setting, file) in [("ledger", &self.ledger), ("summary", &self.summary)] {
            if let Some(file) = file {
                check_file(file, setting, inputs.paths().chain(other_inputs(job)))?;
            }
        }
        Ok(())
    }
}

/// Removes near-duplicates and writes the kept documents to `out`: the records of the inputs, byte
/// for byte, in the order of the inputs and uncompressed; with [`Job::mark`] all documents, with
/// marks. Documents that are files are named, one a line.
///
/// Nothing is written before the run is complete. Temporary files are in [`Job::scratch`] or the
/// system's directory for them: a copy of the kept documents among others. Of the job,
/// [`Job::output`], [`Job::force`] and [`Job::report`] do not count.
///
/// ```
/// use lookalike::{Job, Silent, StreamFiles, run_dedup_into};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// # let docs = folder.path().join("docs.jsonl");
/// let line = "one fish two fish red fish blue fish black fish old fish new fish";
/// std::fs::write(&docs, format!("{{\"text\":\"{line}\"}}\n{{\"text\":\"{line}!\"}}\n"))?;
///
/// let job = Job::new(vec![docs.display().to_string()], "-");
/// let mut kept = Vec::new();
/// run_dedup_into(&job, &StreamFiles::default(), &mut kept, &Silent)?;
/// assert_eq!(String::from_utf8(kept)?, format!("{{\"text\":\"{line}\"}}\n"));
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// Those of [`run_dedup`](crate::run_dedup). Refused before anything is read: inputs that cannot
/// become one stream (Parquet, different formats or columns), files that are inputs, and what needs a
/// result directory: [`Job::resume`], [`Job::copy_files`], [`Job::attributes`] and
/// [`Job::near_misses`]. A stream that cannot be written ([`LookalikeError::Stream`]).
pub fn run_dedup_into(
    job: &Job,
    files: &StreamFiles,
    out: &mut dyn Write,
    progress: &dyn Progress,
) -> Result<Outcome, LookalikeError> {
    let in_a_directory = [
        ("resume", job.resume),
        ("copy_files", job.copy_files),
        ("attributes", job.attributes),
        ("near_misses", job.near_misses.is_some()),
    ];
    if let Some((setting, _)) = in_a_directory.iter().find(|(_, is_set)| *is_set) {
        return Err(LookalikeError::Settings(format!(
            "the setting {setting} needs a result directory; name one with the setting output"
        )));
    }
    let format = files.ledger_format()?;
    let scratch = job.scratch.clone().unwrap_or_else(std::env::temp_dir);
    let prepared = std::fs::create_dir_all(&scratch)
        .and_then(|()| tempfile::Builder::new().prefix("lookalike-pipe-").tempdir_in(&scratch));
    let folder = prepared.map_err(|reason| EngineError::Scratch {
        folder: scratch.display().to_string(),
        reason: reason.to_string(),
    })?;
    let inner = Job {
        output: folder.path().join("result"),
        scratch: job.scratch.as_ref().map(|_| folder.path().to_path_buf()),
        tables: format.unwrap_or(job.tables),
        force: false,
        report: false,
        ..job.clone()
    };
    let stream = Mutex::new(None);
    let accept = |inputs: &Inputs, own: u32| {
        files.check_inputs(job, inputs)?;
        let accepted = OneStream::of(inputs, own).map_err(LookalikeError::Settings)?;
        *stream.lock().unwrap_or_else(PoisonError::into_inner) = Some(accepted);
        Ok(())
    };
    let (action, role) = match job.mark {
        Some(_) => (Action::Mark, Role::Marked),
        None => (Action::Remove, Role::Kept),
    };
    let writing = Writing { uncompressed: true, accept: &accept };
    let outcome = run(&inner, action, writing, progress).map_err(without_checkpoints)?;
    let result = &inner.output;
    if let Some(ledger) = &files.ledger {
        let name = format!("ledger.{}", inner.tables.extension());
        copy(&result.join(name), ledger)?;
    }
    if let Some(summary) = &files.summary {
        copy(&result.join("summary.json"), summary)?;
    }
    let is_of_role = |name: &&str| {
        let rest = name.strip_prefix(role.name());
        rest.is_some_and(|rest| rest.starts_with(['.', '/', '\\']) || rest.starts_with("-files."))
    };
    let names = outcome.summary.outputs.iter().map(|output| output.name.as_str());
    let paths: Vec<PathBuf> =
        names.filter(is_of_role).map(|name| result.join(path_of(name))).collect();
    let stream = stream.into_inner().unwrap_or_else(PoisonError::into_inner);
    if let Some(stream) = stream {
        let options = job.settings.reading(Vec::new(), None);
        let written = stream.write(&paths, &options, out, &|| progress.cancelled());
        written.map_err(|error| match error.kind() {
            io::ErrorKind::Interrupted => EngineError::Cancelled.into(),
            _ => LookalikeError::Stream(error),
        })?;
    }
    Ok(outcome)
}

/// Checkpoints are in the temporary directory, which is removed.
fn without_checkpoints(error: LookalikeError) -> LookalikeError {
    match error {
        LookalikeError::Stopped { source, .. } if source.kind() != ErrorKind::Internal => *source,
        error => error,
    }
}

/// Copies a file in place of another.
fn copy(from: &Path, to: &Path) -> Result<(), OutputError> {
    replace_file(to, |out| io::copy(&mut File::open(from)?, out).map(drop))
}
