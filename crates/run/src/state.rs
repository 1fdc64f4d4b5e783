//! The scratch directory of a job, with the checkpoints from which a killed run continues.

use crate::memory::Memory;
use crate::scratch_dir::{INPUTS, JOB, ScratchDir, ScratchDirError};
use crate::{ErrorKind, Job, LookalikeError, Settings};
use lookalike_engine::Across;
use lookalike_io::sink::Staging;
use lookalike_io::{Compression, Inputs};
use lookalike_spill::regular_file;
use serde_json::{Value, json, to_value};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;
use xxhash_rust::xxh3::xxh3_128;

/// Approximate bytes of rows and sets per byte of input.
const STORED: u64 = 2;

/// Approximate bytes of text per byte of a compressed file.
const COMPRESSED: u64 = 6;

/// What decides where a job has its checkpoints, and whether it goes on from those of an earlier run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Resumable<'j> {
    pub(crate) output: &'j Path,
    pub(crate) scratch: Option<&'j Path>,
    pub(crate) force: bool,
    pub(crate) resume: bool,
}

impl<'j> From<&'j Job> for Resumable<'j> {
    fn from(job: &'j Job) -> Self {
        let Job { output, scratch, force, resume, .. } = job;
        Self { output, scratch: scratch.as_deref(), force: *force, resume: *resume }
    }
}

impl Resumable<'_> {
    /// Opens the scratch directory if the job requests one, or may not fit in memory.
    ///
    /// # Errors
    /// A directory that cannot be used, or that was left by a job of another description.
    pub(crate) fn open(
        self,
        inputs: &Inputs,
        memory: Memory,
        describe: impl FnOnce() -> Value,
    ) -> Result<Option<ScratchDir>, LookalikeError> {
        let directory = self.directory();
        ScratchDir::sweep(&directory);
        // Checkpoints of an earlier run are never ignored silently.
        let left = directory.join(JOB).exists();
        if !left && !self.keeps(inputs, memory) {
            return Ok(None);
        }
        Ok(Some(ScratchDir::open(&directory, &describe(), self.resume)?))
    }

    /// Whether the job writes checkpoints although no earlier run left any.
    fn keeps(self, inputs: &Inputs, memory: Memory) -> bool {
        self.resume || self.scratch.is_some() || text(inputs).saturating_mul(STORED) > memory.sets()
    }

    /// Directory of temporary files: beside the output, unless it is given; the current directory if
    /// the output is in a store. The system's directory is often in memory.
    pub(crate) fn folder(self) -> PathBuf {
        self.scratch.map_or_else(|| beside(self.output), Path::to_owned)
    }

    /// Path of the scratch directory.
    fn directory(self) -> PathBuf {
        let name = self.output.file_name().map(|name| name.to_string_lossy().into_owned());
        self.folder().join(format!("{}.scratch", name.unwrap_or_default()))
    }
}

/// Opens the scratch directory of a job that requests one, with the first protected file, whether all
/// pairs are listed, and a checksum of the ignored texts, or that may not fit in memory.
pub(crate) fn open(
    job: &Job,
    inputs: &Inputs,
    (first_protected_file, list_pairs, ignored): (u32, bool, Option<String>),
    memory: Memory,
) -> Result<Option<ScratchDir>, LookalikeError> {
    let describe = || describe(job, inputs, first_protected_file, list_pairs, ignored);
    Resumable::from(job).open(inputs, memory, describe)
}

/// Whether a job writes checkpoints although no earlier run left any.
pub fn keeps(job: &Job, inputs: &Inputs, memory: Memory) -> bool {
    Resumable::from(job).keeps(inputs, memory)
}

/// The error of a job, with the directory of its checkpoints, if there are any.
pub(crate) fn stopped(job: Resumable<'_>, error: LookalikeError) -> LookalikeError {
    let kept = job.directory();
    match error {
        // These name the directory themselves.
        LookalikeError::ScratchDir(_) => error,
        // The job was not begun: the directory was left by an earlier run, which reported it.
        error if error.kind() == ErrorKind::Usage => error,
        error if kept.is_dir() => LookalikeError::Stopped { source: Box::new(error), kept },
        error => error,
    }
}

/// The file that marks the result as complete: the digest of its `summary.json`.
const FINISHED: &str = "finished";

/// Records that the result with this summary is complete, before it is renamed.
pub(crate) fn note_finished(scratch: &ScratchDir, summary: &[u8]) -> Result<(), LookalikeError> {
    let note = scratch.path(FINISHED);
    let written = std::fs::write(&note, digest_of(summary));
    Ok(written.map_err(|reason| ScratchDirError::Io {
        path: note,
        action: "write into the scratch directory",
        reason,
    })?)
}

fn digest_of(summary: &[u8]) -> String {
    format!("{:032x}", xxh3_128(summary))
}

/// The summary of a job that is resumed although its result is in place: the run was stopped
/// between naming the result and removing its scratch directory. `None` if there is anything left
/// to do.
pub(crate) fn finished(job: Resumable<'_>) -> Result<Option<Vec<u8>>, LookalikeError> {
    let left = job.directory();
    if !job.resume || !left.is_dir() {
        return Ok(None);
    }
    let unknown = |path: PathBuf| {
        let left = left.clone();
        move |reason| ScratchDirError::Unknown { path, left, reason }
    };
    let summary = Staging::read_result(job.output, "summary.json");
    let Some(summary) = summary.map_err(unknown(job.output.join("summary.json")))? else {
        return Ok(None);
    };
    let read = |path: PathBuf| match regular_file::read(&path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(reason) => Err(unknown(path)(reason)),
    };
    let noted = read(left.join(FINISHED))?;
    // Without the setting force, no run creates its directory where a result is: an empty one was
    // being removed.
    let emptied = std::fs::read_dir(&left).is_ok_and(|mut left| left.next().is_none());
    let is_whole = noted.is_some_and(|noted| noted == digest_of(&summary).as_bytes())
        || ScratchDir::is_over(&left).map_err(unknown(left.clone()))?
        || (emptied && !job.force);
    if !is_whole {
        return Ok(None);
    }
    // The run stopped before the earlier result was removed, which now has the name of the partial
    // directory.
    let process = process(&left.join(PROCESS));
    let process = process.map_err(|reason| ScratchDirError::NotRemoved { path: left, reason })?;
    if let Some(process) = process {
        Staging::remove_left(job.output, &job.folder(), process)?;
    }
    Ok(Some(summary))
}

/// The file with the id of the process that writes the result.
const PROCESS: &str = "process";

/// Begins the result of a job. The partial result of a killed run is removed; its process id is
/// recorded before it is created, as a run may be killed at any moment.
pub(crate) fn begin(
    job: Resumable<'_>,
    scratch_dir: Option<&ScratchDir>,
) -> Result<Staging, LookalikeError> {
    if let Some(scratch) = scratch_dir {
        let note = scratch.path(PROCESS);
        let failed = |action| {
            let path = note.clone();
            move |reason| ScratchDirError::Io { path, action, reason }
        };
        if let Some(process) =
            process(&note).map_err(failed("read the checkpoints of an earlier run"))?
        {
            Staging::remove_left(job.output, &job.folder(), process)?;
        }
        // The note must reach the disk before the result.
        let write = || {
            let mut file = regular_file::create(&note)?;
            file.write_all(std::process::id().to_string().as_bytes())?;
            file.sync_all()
        };
        write().map_err(failed("write into the scratch directory"))?;
    }
    Ok(Staging::create_in(job.output, &job.folder(), job.force)?)
}

/// The process that writes the result, by its note. `None` without a note.
fn process(note: &Path) -> std::io::Result<Option<u32>> {
    match regular_file::read(note) {
        // A note that is not a number was being written: no result was begun after it.
        Ok(process) => Ok(str::from_utf8(&process).ok().and_then(|process| process.parse().ok())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Directory of the temporary files of a job.
pub(crate) fn folder(job: &Job) -> PathBuf {
    Resumable::from(job).folder()
}

/// The directory of an output, or the one around it that exists; the current directory if the output is
/// in a store.
pub(crate) fn beside(output: &Path) -> PathBuf {
    if output.to_str().is_some_and(lookalike_io::is_url) {
        return PathBuf::from(".");
    }
    let mut folders = output.ancestors().skip(1).filter(|folder| folder.is_dir());
    folders.next().map_or_else(|| PathBuf::from("."), Path::to_owned)
}

/// Approximate bytes of the uncompressed inputs.
pub(crate) fn text(inputs: &Inputs) -> u64 {
    let text = |file: &lookalike_io::InputFile| match file.compression {
        Compression::None => file.size,
        _ => file.size.saturating_mul(COMPRESSED),
    };
    inputs.files.iter().map(text).fold(0, u64::saturating_add)
}

/// Description of everything that determines the checkpoints: a run with an equal description can
/// resume from them.
fn describe(
    job: &Job,
    inputs: &Inputs,
    first_protected_file: u32,
    list_pairs: bool,
    ignored: Option<String>,
) -> Value {
    // Which argument led to a file is a value of its documents.
    let across = matches!(job.settings.across(), Some(Across::Inputs));
    let arguments = inputs.files.iter().filter(|_| across).map(|file| file.argument.as_str());
    let of_command = json!({
        // Version of the layout of checkpoints.
        "layout": 7,
        "ignored_texts": ignored,
        "arguments": arguments.collect::<Vec<_>>(),
        "first_file_of_against": first_protected_file,
        "against_only": job.against_only,
        "lists_all_pairs": list_pairs,
        "max_pairs": job.max_pairs,
        "strict": job.strict,
    });
    described(&job.output, &job.settings, inputs, of_command)
}

/// The description of a job: what those of all commands have, and what this one has besides.
pub(crate) fn described(
    output: &Path,
    settings: &Settings,
    inputs: &Inputs,
    of_command: Value,
) -> Value {
    let file = |file: &lookalike_io::InputFile| {
        let time = file.modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let time = time.map(|time| time.as_nanos().to_string());
        // In the order of `INPUT_FIELDS`, with which a message names what differs.
        match file.object.as_ref().and_then(|object| object.tag.as_ref()) {
            Some(tag) => json!([file.name, file.size, time, tag]),
            None => json!([file.name, file.size, time]),
        }
    };
    let output = match output.to_str().is_some_and(lookalike_io::is_url) {
        true => lookalike_io::recorded_url(&output.to_string_lossy()).into(),
        false => std::path::absolute(output).unwrap_or_else(|_| output.to_owned()),
    };
    let settings = Settings { formats: settings.formats.recorded(), ..settings.clone() };
    let mut described = json!({
        "version": env!("CARGO_PKG_VERSION"),
        "hash": lookalike_core::HASH_NAME,
        "analysis": lookalike_text::ANALYSIS_NAME,
        "output": output,
        "settings": to_value(&settings).unwrap_or_default(),
        INPUTS: inputs.files.iter().map(file).collect::<Vec<_>>(),
    });
    if let (Value::Object(described), Value::Object(of_command)) = (&mut described, of_command) {
        described.extend(of_command);
    }
    described
}
