//! The scratch directory of a run: holds its checkpoints, so that a stopped run can be resumed.
//!
//! The directory is locked by the run that uses it. Its file [`JOB`] describes the job; a run with
//! [`Job::resume`](crate::Job::resume) continues only if the descriptions are equal. A run may be
//! killed at any moment, also while it creates or removes the directory: [`State`] classifies every
//! intermediate state.

use lookalike_spill::regular_file;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The file with the description of the job.
pub(crate) const JOB: &str = "job.json";

/// The member of [`JOB`] that lists the inputs, each as an array of [`INPUT_FIELDS`].
pub(crate) const INPUTS: &str = "inputs";

/// What is stated of an input; the last one of objects in stores only.
const INPUT_FIELDS: [&str; 4] =
    ["name", "size in bytes", "modification time (nanoseconds since 1970)", "entity tag"];

/// [`JOB`] while it is being written.
const PARTIAL: &str = "job.partial";

/// The name of [`JOB`] once the run has finished and the directory is being removed.
const OVER: &str = "job.over";

/// The file that is locked by the run that uses the directory.
const LOCK: &str = "lock";

/// The scratch directory of one run. Dropped without [`ScratchDir::finish`], it stays if it
/// contains checkpoints to resume from, and is removed otherwise.
#[derive(Debug)]
pub(crate) struct ScratchDir {
    path: PathBuf,
    /// The locked file; unlocked when dropped.
    _lock: File,
    /// Whether there are checkpoints, so that the directory stays when dropped.
    has_checkpoints: bool,
}

/// Why a scratch directory cannot be used or removed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ScratchDirError {
    /// An earlier run left it, and the setting `resume` was not given.
    #[error(
        "{}: an earlier run for the same output was stopped, and its checkpoints are kept here; run the \
         same job with the setting resume to continue, or delete this directory to start again",
        path.display()
    )]
    Left {
        /// The directory.
        path: PathBuf,
    },
    /// It belongs to a job with another description.
    #[error(
        "{}: the checkpoints of an earlier run here do not match this run: {difference}; run with the same settings and inputs, or delete \
         the directory to begin anew",
        path.display()
    )]
    Other {
        /// The directory.
        path: PathBuf,
        /// The first member that differs.
        difference: String,
    },
    /// Another process has locked it.
    #[error("{}: another run uses this directory; wait for it, or choose another output", path.display())]
    InUse {
        /// The directory.
        path: PathBuf,
    },
    /// It exists and is not a scratch directory.
    #[error(
        "{}: this is not a scratch directory of an earlier run; name another one with the setting scratch",
        path.display()
    )]
    Foreign {
        /// The directory.
        path: PathBuf,
    },
    /// The run has finished, but its directory cannot be removed.
    #[error(
        "{}: the result is in place, but the scratch directory cannot be removed: {reason}; delete it",
        path.display()
    )]
    NotRemoved {
        /// The directory.
        path: PathBuf,
        /// The error of the operating system.
        reason: io::Error,
    },
    /// It is not known whether the run has finished, as a file of its result or of the directory
    /// cannot be read.
    #[error(
        "{}: cannot find out whether the result is in place: {reason}; look at the disk and run the same \
         command again, or delete {} to start again",
        path.display(), left.display()
    )]
    Unknown {
        /// The file or directory that cannot be read.
        path: PathBuf,
        /// The scratch directory.
        left: PathBuf,
        /// The error of the operating system.
        reason: io::Error,
    },
    /// Any other failure.
    #[error(
        "{}: cannot {action}: {reason}; name a directory with more free space with the setting scratch",
        path.display()
    )]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// The operation that failed.
        action: &'static str,
        /// The error of the operating system.
        reason: io::Error,
    },
}

impl ScratchDir {
    /// Creates the directory for a job, or with `resume` opens the one that an earlier run left.
    ///
    /// # Errors
    /// A directory that is left but `resume` is not set, belongs to another job, or is in use; the
    /// error of the operating system.
    pub(crate) fn open(path: &Path, job: &Value, resume: bool) -> Result<Self, ScratchDirError> {
        let failed = |action| {
            let path = path.to_path_buf();
            move |reason| ScratchDirError::Io { path, action, reason }
        };
        let refuse = |state: &State| match state {
            State::Foreign => Err(ScratchDirError::Foreign { path: path.to_path_buf() }),
            State::Left(_) if !resume => Err(ScratchDirError::Left { path: path.to_path_buf() }),
            State::Left(_) | State::HalfMade | State::Over => Ok(()),
        };
        let look = || State::of(path).map_err(failed("read the checkpoints of an earlier run"));
        // Nothing is written into a directory that cannot be used.
        refuse(&look()?)?;
        let made = !path.exists();
        fs::create_dir_all(path).map_err(failed("create the scratch directory"))?;
        // As long as there are no checkpoints, a failure below removes the new directory.
        let unmade = |error| {
            if made {
                let _ = fs::remove_dir_all(path);
            }
            error
        };
        let mut options = File::options();
        options.create(true).truncate(false).write(true);
        let lock = regular_file::open_with(&mut options, &path.join(LOCK));
        let lock = lock.map_err(failed("write into the scratch directory")).map_err(unmade)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(ScratchDirError::InUse { path: path.to_path_buf() });
            }
            Err(TryLockError::Error(error)) => return Err(failed("lock it")(error)),
        }
        // Another run may have changed it before it was locked.
        let state = look()?;
        refuse(&state)?;
        match &state {
            State::Left(known) if known != job => {
                let (path, difference) = (path.to_path_buf(), difference("", known, job));
                return Err(ScratchDirError::Other { path, difference });
            }
            State::Left(_) => {}
            State::HalfMade | State::Over | State::Foreign => {
                let rest =
                    clear(path, &[LOCK, OVER]).and_then(|()| remove_if_there(&path.join(OVER)));
                rest.map_err(failed("remove the checkpoints of an earlier run"))?;
                let partial = path.join(PARTIAL);
                let write = || {
                    let mut file = regular_file::create(&partial)?;
                    file.write_all(format!("{job:#}\n").as_bytes())?;
                    // The name must not reach the disk before the content does.
                    file.sync_all()?;
                    fs::rename(&partial, path.join(JOB))
                };
                write().map_err(failed("write into the scratch directory")).map_err(unmade)?;
            }
        }
        let has_checkpoints = matches!(state, State::Left(_));
        Ok(Self { path: path.to_path_buf(), _lock: lock, has_checkpoints })
    }

    /// Removes the rest of a directory whose removal was interrupted.
    pub(crate) fn sweep(path: &Path) {
        if let Ok(State::Over) = State::of(path)
            && let Ok(lock) = regular_file::open_with(File::options().write(true), &path.join(LOCK))
            && lock.try_lock().is_ok()
        {
            // If this fails, the next run that needs the directory replaces its content.
            let _ = remove(path);
        }
    }

    /// Path of a file in the directory.
    #[must_use]
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Declares that checkpoints exist from here on: the directory stays when dropped.
    pub(crate) fn keep(&mut self) {
        self.has_checkpoints = true;
    }

    /// Removes the directory after a successful run.
    ///
    /// # Errors
    /// The error of the operating system.
    pub(crate) fn finish(mut self) -> Result<(), ScratchDirError> {
        self.has_checkpoints = true;
        let path = self.path.clone();
        remove(&path).map_err(|reason| ScratchDirError::NotRemoved { path, reason })
    }

    /// Removes the directory of a job that failed for good, without a result. If interrupted, the
    /// rest is a valid directory with fewer checkpoints.
    ///
    /// # Errors
    /// The error of the operating system.
    pub(crate) fn abandon(mut self) -> Result<(), ScratchDirError> {
        self.has_checkpoints = true;
        let path = self.path.clone();
        let removed = clear(&path, &[LOCK, JOB])
            .and_then(|()| remove_if_there(&path.join(JOB)))
            .and_then(|()| remove_if_there(&path.join(LOCK)))
            .and_then(|()| fs::remove_dir(&path));
        let action = "remove the scratch directory";
        removed.map_err(|reason| ScratchDirError::Io { path, action, reason })
    }

    /// Whether the removal of this directory after a successful run was interrupted.
    ///
    /// # Errors
    /// The error of the operating system.
    pub(crate) fn is_over(path: &Path) -> io::Result<bool> {
        Ok(matches!(State::of(path)?, State::Over))
    }
}

impl Drop for ScratchDir {
    fn drop(&mut self) {
        if !self.has_checkpoints {
            // An error cannot be returned here; the next run accepts an empty directory.
            let _ = remove(&self.path);
        }
    }
}

/// State of a directory, after an interruption at any moment.
#[derive(Debug)]
enum State {
    /// Absent, or its creation was interrupted.
    HalfMade,
    /// Left by a stopped run of the job with this description.
    Left(Value),
    /// Its removal was interrupted.
    Over,
    /// Not a scratch directory.
    Foreign,
}

impl State {
    fn of(path: &Path) -> io::Result<Self> {
        let mut names = Vec::new();
        match fs::read_dir(path) {
            Ok(entries) => {
                for entry in entries {
                    names.push(entry?.file_name());
                }
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::HalfMade),
            Err(error) => return Err(error),
        }
        // A description that cannot be parsed was being written when the system stopped.
        let job = |name: &str| match regular_file::read(&path.join(name)) {
            Ok(bytes) => Ok(serde_json::from_slice::<Value>(&bytes).ok()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        };
        if let Some(job) = job(JOB)? {
            return Ok(Self::Left(job));
        }
        let locked = names.iter().any(|name| name == LOCK);
        let alone = names.iter().all(|name| name == OVER);
        if (locked || alone) && job(OVER)?.is_some() {
            return Ok(Self::Over);
        }
        let ours = |name: &std::ffi::OsString| [LOCK, JOB, PARTIAL].iter().any(|own| name == own);
        let half_made = names.is_empty() || locked && names.iter().all(ours);
        Ok(if half_made { Self::HalfMade } else { Self::Foreign })
    }
}

/// Removes a scratch directory. If interrupted, the rest is recognised as [`State::Over`] or
/// [`State::HalfMade`].
fn remove(path: &Path) -> io::Result<()> {
    match fs::rename(path.join(JOB), path.join(OVER)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    clear(path, &[LOCK, OVER])?;
    remove_if_there(&path.join(LOCK))?;
    // Last, as it records that the result is in place.
    remove_if_there(&path.join(OVER))?;
    fs::remove_dir(path)
}

/// Removes the entries of a directory, except those with one of these names.
fn clear(path: &Path, except: &[&str]) -> io::Result<()> {
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        if except.iter().any(|name| entry.file_name() == *name) {
            continue;
        }
        match entry.file_type()?.is_dir() {
            true => fs::remove_dir_all(entry.path())?,
            false => fs::remove_file(entry.path())?,
        }
    }
    Ok(())
}

fn remove_if_there(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Describes the first member in which two descriptions differ.
fn difference(place: &str, before: &Value, now: &Value) -> String {
    let (Value::Object(a), Value::Object(b)) = (before, now) else {
        return match (before, now) {
            (Value::Array(a), Value::Array(b)) if place == INPUTS => of_inputs(a, b),
            (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
                let differ = a.iter().zip(b).find(|(a, b)| a != b);
                differ.map_or_else(String::new, |(a, b)| difference(place, a, b))
            }
            _ => format!("{place} was {before} and is {now}"),
        };
    };
    let names = a.keys().chain(b.keys().filter(|name| !a.contains_key(*name)));
    // Further or fewer inputs also change numbers of files.
    for name in names.clone().filter(|name| *name == INPUTS).chain(names) {
        let of = |map: &serde_json::Map<_, _>| map.get(name).cloned().unwrap_or(Value::Null);
        if of(a) != of(b) {
            let place = if place.is_empty() { name.clone() } else { format!("{place}.{name}") };
            return difference(&place, &of(a), &of(b));
        }
    }
    String::new()
}

/// As [`difference`], of the inputs: names the first file that differs, and how.
fn of_inputs(before: &[Value], now: &[Value]) -> String {
    let name = |input: &Value| input.get(0).and_then(Value::as_str).map(str::to_owned);
    let names = |inputs: &[Value]| inputs.iter().filter_map(name).collect::<BTreeSet<String>>();
    let (names_before, names_now) = (names(before), names(now));
    if let Some(gone) = names_before.difference(&names_now).next() {
        return format!("the input {gone} is missing");
    }
    if let Some(new) = names_now.difference(&names_before).next() {
        return format!("the input {new} is new");
    }
    for (a, b) in before.iter().zip(now).filter(|(a, b)| a != b) {
        let (Some(name), true) = (name(a), name(a) == name(b)) else { break };
        let shown = |value: Option<&Value>| value.map_or("none".into(), Value::to_string);
        let mut fields = INPUT_FIELDS.iter().enumerate();
        if let Some((at, what)) = fields.find(|(at, _)| a.get(at) != b.get(at)) {
            let (before, now) = (shown(a.get(at)), shown(b.get(at)));
            return format!("the {what} of the input {name} was {before} and is {now}");
        }
    }
    // An input became one of the setting against, or the reverse.
    "the order of the inputs is another".into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_left_directory_is_resumed_and_a_finished_one_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.scratch");
        let job = json!({"settings": {"threshold": "0.8"}, "inputs": ["a", "b"]});
        let mut scratch = ScratchDir::open(&path, &job, false).unwrap();
        assert!(!scratch.has_checkpoints);
        fs::write(scratch.path("chunks"), "some").unwrap();
        assert!(matches!(
            ScratchDir::open(&path, &job, true).unwrap_err(),
            ScratchDirError::InUse { .. }
        ));
        scratch.keep();
        drop(scratch);
        let error = ScratchDir::open(&path, &job, false).unwrap_err();
        assert!(matches!(error, ScratchDirError::Left { .. }), "{error}");
        let other = json!({"settings": {"threshold": "0.9"}, "inputs": ["a", "b"]});
        let error = ScratchDir::open(&path, &other, true).unwrap_err().to_string();
        assert!(error.contains(r#"settings.threshold was "0.8" and is "0.9""#), "{error}");
        let scratch = ScratchDir::open(&path, &job, true).unwrap();
        assert!(scratch.has_checkpoints);
        scratch.finish().unwrap();
        assert!(!path.exists());
    }

    #[test]
    fn a_difference_names_the_input() {
        let input = |name: &str, size: u32, time: &str| json!([name, size, time]);
        let job = |inputs: &[Value]| json!({"first_file_of_against": inputs.len(), "inputs": inputs, "layout": 8});
        let (a, b) = (input("a.jsonl", 1, "5"), input("b.jsonl", 2, "6"));
        let (longer, later) = (input("b.jsonl", 3, "7"), input("b.jsonl", 2, "7"));
        let tagged = json!(["b.jsonl", 2, "6", "\"etag\""]);
        let before = [a.clone(), b.clone()];
        for (now, expected) in [
            (vec![a.clone(), longer], "the size in bytes of the input b.jsonl was 2 and is 3"),
            (vec![a.clone(), later], "(nanoseconds since 1970) of the input b.jsonl was \"6\" and"),
            (vec![a.clone(), tagged], "the entity tag of the input b.jsonl was none and is"),
            (vec![b.clone()], "the input a.jsonl is missing"),
            (vec![a.clone(), b.clone(), input("c", 1, "5")], "the input c is new"),
            (vec![b, a], "the order of the inputs is another"),
        ] {
            let said = difference("", &job(&before), &job(&now));
            assert!(said.contains(expected), "{said}");
        }
        let other = json!({"first_file_of_against": 1, "inputs": before, "layout": 9});
        let said = difference("", &job(&before), &other);
        assert_eq!(said, "first_file_of_against was 2 and is 1");
    }

    #[test]
    fn a_directory_without_checkpoints_is_removed_when_dropped() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.scratch");
        drop(ScratchDir::open(&path, &Value::Null, false).unwrap());
        assert!(!path.exists());
    }

    /// Interrupted at any moment of its creation, the directory does not stop the next run.
    #[test]
    fn a_half_made_directory_is_reused() {
        let half_made: [&[(&str, &str)]; 6] = [
            &[],
            &[(LOCK, "")],
            &[(LOCK, ""), (PARTIAL, "")],
            &[(LOCK, ""), (PARTIAL, "{\"settings\": ")],
            &[(LOCK, ""), (JOB, "")],
            &[(LOCK, ""), (JOB, "{\"settings\": ")],
        ];
        for files in half_made {
            for resume in [false, true] {
                let folder = tempfile::tempdir().unwrap();
                let path = folder.path().join("scratch/with/parents/out.scratch");
                fs::create_dir_all(&path).unwrap();
                for (name, content) in files {
                    fs::write(path.join(name), content).unwrap();
                }
                let mut scratch = ScratchDir::open(&path, &json!({"a": 1}), resume).unwrap();
                assert!(!scratch.has_checkpoints);
                scratch.keep();
                drop(scratch);
                assert!(ScratchDir::open(&path, &json!({"a": 1}), true).unwrap().has_checkpoints);
            }
        }
    }

    /// Interrupted at any moment of its removal, the directory is neither resumed nor taken for a
    /// foreign one.
    #[test]
    fn a_half_removed_directory_is_replaced() {
        let job = json!({"inputs": ["a", "b"]});
        let text = job.to_string();
        let half_removed: [&[&str]; 5] = [
            &[LOCK, OVER, "chunks", "matches", "process"],
            &[LOCK, OVER, "matches"],
            &[LOCK, OVER],
            &[LOCK],
            &[],
        ];
        for names in half_removed {
            for resume in [false, true] {
                let folder = tempfile::tempdir().unwrap();
                let path = folder.path().join("out.scratch");
                fs::create_dir(&path).unwrap();
                for name in names {
                    fs::write(path.join(name), &text).unwrap();
                }
                if names.contains(&OVER) && resume {
                    ScratchDir::sweep(&path);
                    assert!(!path.exists(), "{names:?}");
                }
                let scratch = ScratchDir::open(&path, &job, resume).unwrap();
                assert!(!scratch.has_checkpoints, "{names:?}");
                // A directory in use stays.
                ScratchDir::sweep(&path);
                assert!(path.exists());
                for gone in ["chunks", "matches", "process", OVER] {
                    assert!(!path.join(gone).exists(), "{names:?}: {gone}");
                }
                scratch.finish().unwrap();
                assert!(!path.exists());
            }
        }
    }

    #[test]
    fn a_directory_made_by_another_run_meanwhile_is_not_written_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.scratch");
        let job = json!({"inputs": ["a"]});
        let first = ScratchDir::open(&path, &job, false).unwrap();
        // The state that a second run sees that looked before the first wrote the job.
        fs::rename(path.join(JOB), folder.path().join("aside")).unwrap();
        let error = ScratchDir::open(&path, &job, false).unwrap_err();
        assert!(matches!(error, ScratchDirError::InUse { .. }), "{error}");
        fs::rename(folder.path().join("aside"), path.join(JOB)).unwrap();
        first.finish().unwrap();
        assert!(!path.exists());
    }

    /// An abandoned directory never looks like that of a finished run.
    #[test]
    fn an_abandoned_directory_is_removed_and_never_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.scratch");
        let mut scratch = ScratchDir::open(&path, &json!({"a": 1}), false).unwrap();
        scratch.keep();
        fs::write(scratch.path("chunks"), "some").unwrap();
        assert!(!ScratchDir::is_over(&path).unwrap());
        scratch.abandon().unwrap();
        assert!(!path.exists() && !ScratchDir::is_over(&path).unwrap());
        fs::create_dir(&path).unwrap();
        fs::write(path.join(OVER), "{}").unwrap();
        assert!(ScratchDir::is_over(&path).unwrap());
    }

    #[test]
    fn parents_are_created_and_a_file_in_their_place_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a/b/out.scratch");
        ScratchDir::open(&path, &Value::Null, false).unwrap().finish().unwrap();
        fs::write(folder.path().join("file"), "").unwrap();
        let path = folder.path().join("file/out.scratch");
        let error = ScratchDir::open(&path, &Value::Null, false).unwrap_err().to_string();
        assert!(error.contains("file") && error.contains("the setting scratch"), "{error}");
    }

    #[test]
    fn foreign_directories_are_not_touched() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("thesis.txt"), "years of work").unwrap();
        for name in ["x/job.partial", "y/job.over", "z/job.json"] {
            let path = folder.path().join(name);
            fs::create_dir(path.parent().unwrap()).unwrap();
            fs::write(&path, "a foreign file").unwrap();
            let error = ScratchDir::open(path.parent().unwrap(), &Value::Null, true).unwrap_err();
            assert!(matches!(error, ScratchDirError::Foreign { .. }), "{error}");
            assert!(path.exists());
        }
        for resume in [false, true] {
            let error = ScratchDir::open(folder.path(), &Value::Null, resume).unwrap_err();
            assert!(matches!(error, ScratchDirError::Foreign { .. }), "{error}");
        }
        assert!(folder.path().join("thesis.txt").exists());
    }
}
