//! The scratch directory of a job, with the checkpoints from which a killed run continues.

use crate::memory::Memory;
use crate::scratch_dir::{JOB, ScratchDir, ScratchDirError};
use crate::{ErrorKind, Job, LookalikeError};
use lookalike_io::sink::Staging;
use lookalike_io::{Compression, Inputs};
use serde_json::{Value, json, to_value};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;
use xxhash_rust::xxh3::xxh3_128;

/// Bytes of rows and sets for a byte of input, about.
const STORED: u64 = 2;

/// Bytes of text in a byte of a compressed file, about.
const COMPRESSED: u64 = 6;

/// Opens the directory of a job that asks for one, or that memory may have no room for.
pub(crate) fn open(
    job: &Job,
    inputs: &Inputs,
    first_protected_file: u32,
    list_pairs: bool,
    memory: Memory,
) -> Result<Option<ScratchDir>, LookalikeError> {
    ScratchDir::sweep(&directory(job));
    // Checkpoints of an earlier run are never ignored silently.
    let left = directory(job).join(JOB).exists();
    if !left && !keeps(job, inputs, memory) {
        return Ok(None);
    }
    let description = describe(job, inputs, first_protected_file, list_pairs);
    Ok(Some(ScratchDir::open(&directory(job), &description, job.resume)?))
}

/// Whether a job keeps what is done although nothing is left of an earlier run.
pub(crate) fn keeps(job: &Job, inputs: &Inputs, memory: Memory) -> bool {
    job.resume || job.scratch.is_some() || stored(inputs) > memory.sets()
}

/// The directory of a job, whether it is there or not.
fn directory(job: &Job) -> PathBuf {
    let name = job.output.file_name().map(|name| name.to_string_lossy().into_owned());
    folder(job).join(format!("{}.scratch", name.unwrap_or_default()))
}

/// The error of a job, with where to go on from if there is something.
pub(crate) fn stopped(job: &Job, error: LookalikeError) -> LookalikeError {
    let kept = directory(job);
    match error {
        // These speak of the directory themselves.
        LookalikeError::ScratchDir(_) => error,
        // Nothing was begun: what is there was left by an earlier run, which told of it.
        error if error.kind() == ErrorKind::Usage => error,
        error if kept.is_dir() => LookalikeError::Stopped { source: Box::new(error), kept },
        error => error,
    }
}

/// The file that says that the result is whole: the digest of its `summary.json`.
const FINISHED: &str = "finished";

/// Notes that the result with this summary is whole, before it gets its name.
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

/// The summary of a job that is resumed although its result is in place: the run was stopped between
/// naming the result and removing its scratch directory. `None` if there is anything left to do.
pub(crate) fn finished(job: &Job) -> Result<Option<Vec<u8>>, LookalikeError> {
    let left = directory(job);
    if !job.resume || !left.is_dir() {
        return Ok(None);
    }
    let unknown = |path: PathBuf| {
        let left = left.clone();
        move |reason| ScratchDirError::Unknown { path, left, reason }
    };
    let read = |path: PathBuf| match std::fs::read(&path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(reason) => Err(unknown(path)(reason)),
    };
    let Some(summary) = read(job.output.join("summary.json"))? else { return Ok(None) };
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
    // Stopped before the earlier result was removed, which has the name of this one's unfinished directory.
    let process = process(&left.join(PROCESS));
    let process = process.map_err(|reason| ScratchDirError::NotRemoved { path: left, reason })?;
    if let Some(process) = process {
        Staging::remove_left(&job.output, process)?;
    }
    Ok(Some(summary))
}

/// The file that says which process makes the result.
const PROCESS: &str = "process";

/// Begins the result of a job. What a killed run left of its own is removed; and as it may be killed at any
/// moment, which process makes it is noted first.
pub(crate) fn begin(
    job: &Job,
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
            Staging::remove_left(&job.output, process)?;
        }
        // The note must reach the disk before anything of the result does.
        let write = || {
            let mut file = std::fs::File::create(&note)?;
            file.write_all(std::process::id().to_string().as_bytes())?;
            file.sync_all()
        };
        write().map_err(failed("write into the scratch directory"))?;
    }
    Ok(Staging::create(&job.output, job.force)?)
}

/// The process that makes the result, by its note. `None` without a note.
fn process(note: &Path) -> std::io::Result<Option<u32>> {
    match std::fs::read_to_string(note) {
        // A note that is no number was being written: no result was begun after it.
        Ok(process) => Ok(process.parse().ok()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Where temporary files go: beside the output, unless somebody says where. The system's own directory for
/// them is in memory more often than not.
pub(crate) fn folder(job: &Job) -> PathBuf {
    let beside = || {
        let mut folders = job.output.ancestors().skip(1).filter(|folder| folder.is_dir());
        folders.next().map_or_else(|| PathBuf::from("."), Path::to_owned)
    };
    job.scratch.clone().unwrap_or_else(beside)
}

/// What reading will store, about.
fn stored(inputs: &Inputs) -> u64 {
    let text = |file: &lookalike_io::InputFile| match file.compression {
        Compression::None => file.size,
        _ => file.size.saturating_mul(COMPRESSED),
    };
    inputs.files.iter().map(text).sum::<u64>().saturating_mul(STORED)
}

/// All that decides what is kept there: another run may go on from it if this is equal.
fn describe(job: &Job, inputs: &Inputs, first_protected_file: u32, list_pairs: bool) -> Value {
    let file = |file: &lookalike_io::InputFile| {
        let time = file.modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        json!([file.name, file.size, time.map(|time| time.as_nanos().to_string())])
    };
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        // How what is kept is laid out: what lies otherwise is not what is expected there.
        "layout": 6,
        "hash": lookalike_core::HASH_NAME,
        "analysis": lookalike_text::ANALYSIS_NAME,
        "output": std::path::absolute(&job.output).unwrap_or_else(|_| job.output.clone()),
        "settings": to_value(&job.settings).unwrap_or_default(),
        "inputs": inputs.files.iter().map(file).collect::<Vec<_>>(),
        "first_file_of_against": first_protected_file,
        "against_only": job.against_only,
        "lists_all_pairs": list_pairs,
        "max_pairs": job.max_pairs,
        "strict": job.strict,
    })
}
