//! The directory in which a run keeps what is done, so that it can go on when it was stopped.

use serde_json::Value;
use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The file that says whose directory it is.
pub const JOB: &str = "job.json";

/// [`JOB`] while it is being written.
const PARTIAL: &str = "job.partial";

/// [`JOB`] once the run is over: what is left of the directory is of no use.
const OVER: &str = "job.over";

/// The file that the run which uses the directory has locked.
const LOCK: &str = "lock";

/// A directory of one run. Dropped before [`Workshop::finish`], it stays for the next try if there is
/// something in it to go on from.
#[derive(Debug)]
pub struct Workshop {
    path: PathBuf,
    /// Held as long as the run lasts.
    _lock: File,
    resumed: bool,
    /// Whether it stays.
    worth: bool,
}

/// Why a directory cannot be had.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WorkshopError {
    /// An earlier run left it.
    #[error(
        "{}: an earlier run for the same output was stopped, and what it had done is kept here; run the \
         same command with --resume to continue, or delete this directory to start again",
        path.display()
    )]
    Left {
        /// The directory.
        path: PathBuf,
    },
    /// It was made for something else.
    #[error(
        "{}: what an earlier run left here does not fit: {difference}; run with what it had, or delete \
         the directory to begin anew",
        path.display()
    )]
    Other {
        /// The directory.
        path: PathBuf,
        /// What is other now.
        difference: String,
    },
    /// Somebody works there.
    #[error("{}: another run is at work here; wait for it, or choose another output", path.display())]
    InUse {
        /// The directory.
        path: PathBuf,
    },
    /// It is none of ours.
    #[error(
        "{}: this is not a scratch directory of an earlier run; name another one by --scratch DIR",
        path.display()
    )]
    Foreign {
        /// The directory.
        path: PathBuf,
    },
    /// The run is over, and its directory stays.
    #[error(
        "{}: the result is in place, but the scratch directory cannot be removed: {reason}; delete it",
        path.display()
    )]
    NotRemoved {
        /// The directory.
        path: PathBuf,
        /// What the system says.
        reason: io::Error,
    },
    /// Any other failure.
    #[error("{}: cannot {action}: {reason}; name a directory on a disk with room by --scratch DIR", path.display())]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// What was tried.
        action: &'static str,
        /// What the system says.
        reason: io::Error,
    },
}

impl Workshop {
    /// Makes the directory for a job, or with `resume` goes on in the one that was left.
    ///
    /// # Errors
    /// One that was left and is not to be used, is of another job or in use; what the system says.
    pub fn open(path: &Path, job: &Value, resume: bool) -> Result<Self, WorkshopError> {
        let failed = |action| {
            let path = path.to_path_buf();
            move |reason| WorkshopError::Io { path, action, reason }
        };
        let refuse = |state: &State| match state {
            State::Foreign => Err(WorkshopError::Foreign { path: path.to_path_buf() }),
            State::Left(_) if !resume => Err(WorkshopError::Left { path: path.to_path_buf() }),
            State::Left(_) | State::HalfMade | State::Over => Ok(()),
        };
        let look = || State::of(path).map_err(failed("read what an earlier run left"));
        // Nothing is written into a directory that is refused.
        refuse(&look()?)?;
        let made = !path.exists();
        fs::create_dir_all(path).map_err(failed("make the scratch directory"))?;
        // Until there is something to resume, a failure below removes what was made.
        let unmade = |error| {
            if made {
                let _ = fs::remove_dir_all(path);
            }
            error
        };
        let mut options = File::options();
        let lock = options.create(true).truncate(false).write(true).open(path.join(LOCK));
        let lock = lock.map_err(failed("write into the scratch directory")).map_err(unmade)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(WorkshopError::InUse { path: path.to_path_buf() });
            }
            Err(TryLockError::Error(error)) => return Err(failed("lock it")(error)),
        }
        // Until it was locked, another run may have changed it.
        let state = look()?;
        refuse(&state)?;
        match &state {
            State::Left(known) if known != job => {
                let (path, difference) = (path.to_path_buf(), difference("", known, job));
                return Err(WorkshopError::Other { path, difference });
            }
            State::Left(_) => {}
            State::HalfMade | State::Over | State::Foreign => {
                let rest =
                    clear(path, &[LOCK, OVER]).and_then(|()| remove_if_there(&path.join(OVER)));
                rest.map_err(failed("remove what an earlier run left"))?;
                let partial = path.join(PARTIAL);
                let write = || {
                    let mut file = File::create(&partial)?;
                    file.write_all(format!("{job:#}\n").as_bytes())?;
                    // The name must not reach the disk before the content does.
                    file.sync_all()?;
                    fs::rename(&partial, path.join(JOB))
                };
                write().map_err(failed("write into the scratch directory")).map_err(unmade)?;
            }
        }
        let resumed = matches!(state, State::Left(_));
        Ok(Self { path: path.to_path_buf(), _lock: lock, resumed, worth: resumed })
    }

    /// Removes what is left of a directory if a run was stopped while it removed it.
    pub fn sweep(path: &Path) {
        if let Ok(State::Over) = State::of(path)
            && let Ok(lock) = File::options().write(true).open(path.join(LOCK))
            && lock.try_lock().is_ok()
        {
            // What cannot be removed is replaced by the next run that needs the directory.
            let _ = remove(path);
        }
    }

    /// Where a file of this name lies.
    #[must_use]
    pub fn path(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Whether an earlier run left something.
    #[must_use]
    pub fn resumed(&self) -> bool {
        self.resumed
    }

    /// From here on there is something to go on from.
    pub fn keep(&mut self) {
        self.worth = true;
    }

    /// Removes the directory: the run is over.
    ///
    /// # Errors
    /// What the system says.
    pub fn finish(mut self) -> Result<(), WorkshopError> {
        self.worth = true;
        let path = self.path.clone();
        remove(&path).map_err(|reason| WorkshopError::NotRemoved { path, reason })
    }
}

impl Workshop {
    /// Removes the directory of a job that cannot be done: there is no result. Stopped at any moment,
    /// the rest is what a run leaves that had done less.
    ///
    /// # Errors
    /// What the system says.
    pub fn abandon(mut self) -> Result<(), WorkshopError> {
        self.worth = true;
        let path = self.path.clone();
        let removed = clear(&path, &[LOCK, JOB])
            .and_then(|()| remove_if_there(&path.join(JOB)))
            .and_then(|()| remove_if_there(&path.join(LOCK)))
            .and_then(|()| fs::remove_dir(&path));
        let action = "remove the scratch directory";
        removed.map_err(|reason| WorkshopError::Io { path, action, reason })
    }

    /// Whether a run was stopped while it removed this directory, with its result in place.
    #[must_use]
    pub fn is_over(path: &Path) -> bool {
        matches!(State::of(path), Ok(State::Over))
    }
}

impl Drop for Workshop {
    fn drop(&mut self) {
        if !self.worth {
            // Nobody is left to be told, and the next run does not trip over an empty one.
            let _ = remove(&self.path);
        }
    }
}

/// What a directory holds, whatever was running when it was stopped.
#[derive(Debug)]
enum State {
    /// It is not there, or a run was stopped while it made it.
    HalfMade,
    /// What a run had done of this job.
    Left(Value),
    /// A run was stopped while it removed it.
    Over,
    /// It is not one of ours.
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
        // What cannot be parsed was being written when the system stopped.
        let job = |name: &str| match fs::read(path.join(name)) {
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

/// Removes a directory of ours. Stopped at any moment, it leaves one that is recognised as of no use.
fn remove(path: &Path) -> io::Result<()> {
    match fs::rename(path.join(JOB), path.join(OVER)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    clear(path, &[LOCK, OVER])?;
    remove_if_there(&path.join(LOCK))?;
    // Last: it says that the result is in place.
    remove_if_there(&path.join(OVER))?;
    fs::remove_dir(path)
}

/// Removes all that is in a directory but what has one of these names.
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

/// The first place in which two descriptions differ, in words.
fn difference(place: &str, before: &Value, now: &Value) -> String {
    let (Value::Object(a), Value::Object(b)) = (before, now) else {
        return match (before, now) {
            (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
                let differ = a.iter().zip(b).find(|(a, b)| a != b);
                differ.map_or_else(String::new, |(a, b)| difference(place, a, b))
            }
            _ => format!("{place} was {before} and is {now}"),
        };
    };
    let names = a.keys().chain(b.keys().filter(|name| !a.contains_key(*name)));
    for name in names {
        let of = |map: &serde_json::Map<_, _>| map.get(name).cloned().unwrap_or(Value::Null);
        if of(a) != of(b) {
            let place = if place.is_empty() { name.clone() } else { format!("{place}.{name}") };
            return difference(&place, &of(a), &of(b));
        }
    }
    String::new()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_was_begun_is_gone_on_with_and_what_is_finished_is_gone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.scratch");
        let job = json!({"settings": {"threshold": "0.8"}, "inputs": ["a", "b"]});
        let mut workshop = Workshop::open(&path, &job, false).unwrap();
        assert!(!workshop.resumed());
        fs::write(workshop.path("chunks"), "some").unwrap();
        assert!(matches!(
            Workshop::open(&path, &job, true).unwrap_err(),
            WorkshopError::InUse { .. }
        ));
        workshop.keep();
        drop(workshop);
        let error = Workshop::open(&path, &job, false).unwrap_err();
        assert!(matches!(error, WorkshopError::Left { .. }), "{error}");
        let other = json!({"settings": {"threshold": "0.9"}, "inputs": ["a", "b"]});
        let error = Workshop::open(&path, &other, true).unwrap_err().to_string();
        assert!(error.contains(r#"settings.threshold was "0.8" and is "0.9""#), "{error}");
        let workshop = Workshop::open(&path, &job, true).unwrap();
        assert!(workshop.resumed());
        workshop.finish().unwrap();
        assert!(!path.exists());
    }

    #[test]
    fn nothing_is_left_of_a_run_that_did_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.scratch");
        drop(Workshop::open(&path, &Value::Null, false).unwrap());
        assert!(!path.exists());
    }

    /// Stopped at any moment while the directory is made: what is left does not stop the next run.
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
                let mut workshop = Workshop::open(&path, &json!({"a": 1}), resume).unwrap();
                assert!(!workshop.resumed());
                workshop.keep();
                drop(workshop);
                assert!(Workshop::open(&path, &json!({"a": 1}), true).unwrap().resumed());
            }
        }
    }

    /// Stopped at any moment while the directory is removed: what is left is not taken for work to
    /// resume, nor for a directory of others.
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
                    Workshop::sweep(&path);
                    assert!(!path.exists(), "{names:?}");
                }
                let workshop = Workshop::open(&path, &job, resume).unwrap();
                assert!(!workshop.resumed(), "{names:?}");
                // One that is in use stays.
                Workshop::sweep(&path);
                assert!(path.exists());
                for gone in ["chunks", "matches", "process", OVER] {
                    assert!(!path.join(gone).exists(), "{names:?}: {gone}");
                }
                workshop.finish().unwrap();
                assert!(!path.exists());
            }
        }
    }

    #[test]
    fn a_directory_made_by_another_run_meanwhile_is_not_written_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.scratch");
        let job = json!({"inputs": ["a"]});
        let first = Workshop::open(&path, &job, false).unwrap();
        // As a second run sees it that looked before the first had written the job.
        fs::rename(path.join(JOB), folder.path().join("aside")).unwrap();
        let error = Workshop::open(&path, &job, false).unwrap_err();
        assert!(matches!(error, WorkshopError::InUse { .. }), "{error}");
        fs::rename(folder.path().join("aside"), path.join(JOB)).unwrap();
        first.finish().unwrap();
        assert!(!path.exists());
    }

    /// A job that cannot be done leaves nothing that looks like a finished one.
    #[test]
    fn an_abandoned_directory_is_gone_and_was_never_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.scratch");
        let mut workshop = Workshop::open(&path, &json!({"a": 1}), false).unwrap();
        workshop.keep();
        fs::write(workshop.path("chunks"), "some").unwrap();
        assert!(!Workshop::is_over(&path));
        workshop.abandon().unwrap();
        assert!(!path.exists() && !Workshop::is_over(&path));
        fs::create_dir(&path).unwrap();
        fs::write(path.join(OVER), "{}").unwrap();
        assert!(Workshop::is_over(&path));
    }

    #[test]
    fn parents_are_made_and_what_stands_in_their_place_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a/b/out.scratch");
        Workshop::open(&path, &Value::Null, false).unwrap().finish().unwrap();
        fs::write(folder.path().join("file"), "").unwrap();
        let path = folder.path().join("file/out.scratch");
        let error = Workshop::open(&path, &Value::Null, false).unwrap_err().to_string();
        assert!(error.contains("file") && error.contains("--scratch DIR"), "{error}");
    }

    #[test]
    fn the_folders_of_others_are_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("thesis.txt"), "years of work").unwrap();
        for name in ["x/job.partial", "y/job.over", "z/job.json"] {
            let path = folder.path().join(name);
            fs::create_dir(path.parent().unwrap()).unwrap();
            fs::write(&path, "what somebody else named so").unwrap();
            let error = Workshop::open(path.parent().unwrap(), &Value::Null, true).unwrap_err();
            assert!(matches!(error, WorkshopError::Foreign { .. }), "{error}");
            assert!(path.exists());
        }
        for resume in [false, true] {
            let error = Workshop::open(folder.path(), &Value::Null, resume).unwrap_err();
            assert!(matches!(error, WorkshopError::Foreign { .. }), "{error}");
        }
        assert!(folder.path().join("thesis.txt").exists());
    }
}
