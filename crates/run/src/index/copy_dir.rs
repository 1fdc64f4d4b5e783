//! Directories of copies of stored documents, which a run reads as a file and deletes at its end.
//!
//! A run that is killed leaves its directory. The next run with the same folder removes it: a directory
//! whose lock no process holds is of no run.

use lookalike_spill::regular_file;
use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// What the names of the directories begin with.
const PREFIX: &str = "lookalike-against-";

/// The file that is locked by the run that uses the directory.
const LOCK: &str = "lock";

/// A locked directory for one copy, deleted when dropped.
#[derive(Debug)]
pub(super) struct CopyDir {
    /// Unlocked before the directory is deleted.
    _lock: File,
    dir: TempDir,
}

impl CopyDir {
    /// Makes a directory in a folder, and removes those that killed runs left there.
    ///
    /// # Errors
    /// The folder cannot be written.
    pub(super) fn new(folder: &Path) -> io::Result<Self> {
        sweep(folder);
        loop {
            let dir = tempfile::Builder::new().prefix(PREFIX).tempdir_in(folder)?;
            let path = dir.path().join(LOCK);
            let lock = match regular_file::create(&path) {
                // Another run has removed the directory before it was locked.
                Err(error) if error.kind() == ErrorKind::NotFound && folder.is_dir() => continue,
                other => other?,
            };
            match lock.try_lock() {
                Err(TryLockError::WouldBlock) => continue,
                // A file system without locks: no run can remove the directory.
                Ok(()) | Err(TryLockError::Error(_)) if path.exists() => {
                    return Ok(Self { _lock: lock, dir });
                }
                Ok(()) | Err(TryLockError::Error(_)) => {}
            }
        }
    }

    /// The path of the copy.
    pub(super) fn path(&self) -> PathBuf {
        self.dir.path().join("documents.jsonl")
    }
}

/// Removes what killed runs left. An error stops no run: the next one tries again.
fn sweep(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let is_copy = entry.file_name().to_string_lossy().starts_with(PREFIX);
        if !is_copy || !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            continue;
        }
        let path = entry.path();
        match regular_file::open_with(File::options().write(true), &path.join(LOCK)) {
            Ok(lock) if lock.try_lock().is_ok() => {
                let _ = fs::remove_dir_all(&path);
            }
            Ok(_) => {}
            // Killed before there was a lock: a directory with any other file is of someone else.
            Err(_) => {
                let _ = fs::remove_dir(&path);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_killed_run_left_is_removed_by_the_next_one() {
        let folder = tempfile::tempdir().unwrap();
        let names = || {
            let entries = fs::read_dir(folder.path()).unwrap();
            let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
            names.sort();
            names
        };
        let copy_of = |name: &str| folder.path().join(format!("{PREFIX}{name}"));
        for (name, files) in [("killed", &[LOCK, "documents.jsonl"][..]), ("early", &[])] {
            fs::create_dir(copy_of(name)).unwrap();
            files.iter().for_each(|file| fs::write(copy_of(name).join(file), "some").unwrap());
        }
        // Of no run.
        fs::create_dir(copy_of("other")).unwrap();
        fs::write(copy_of("other").join("thesis.txt"), "years of work").unwrap();
        fs::write(copy_of("file.jsonl"), "a file").unwrap();
        let first = CopyDir::new(folder.path()).unwrap();
        fs::write(first.path(), "a copy").unwrap();
        assert_eq!(names().len(), 3, "{:?}", names());
        // That of a run which goes on stays.
        let second = CopyDir::new(folder.path()).unwrap();
        assert_eq!(fs::read(first.path()).unwrap(), b"a copy");
        drop((first, second));
        assert_eq!(
            names(),
            [copy_of("file.jsonl"), copy_of("other")].map(|p| p.file_name().unwrap().to_owned())
        );
    }
}
