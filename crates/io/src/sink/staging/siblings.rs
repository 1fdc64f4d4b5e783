//! Names of directories beside the destination: results under construction or being replaced.

use std::ffi::OsStr;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use super::destination::is_result;
use crate::sink::OutputError;

/// Part of the name of a directory under construction.
pub(super) const PARTIAL: &str = "partial";

/// Part of the name of a result that is being replaced.
pub(super) const REPLACED: &str = "replaced";

/// Creates `NAME.partial-PID`, or `NAME.partial-PID-2` … if an earlier process with that id left
/// one, and locks it, as long as the file is open and where the file system has locks of directories:
/// other runs do not [clear](clear_left) it.
pub(super) fn make_sibling(destination: &Path) -> Result<(PathBuf, Option<File>), OutputError> {
    loop {
        let path = free_name(destination, PARTIAL);
        match fs::create_dir(&path) {
            Ok(()) => {}
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => continue,
            Err(e) => return Err(OutputError::io("make the folder", &path, e)),
        }
        let lock = File::open(&path).ok();
        let is_taken = lock
            .as_ref()
            .is_some_and(|lock| matches!(lock.try_lock(), Err(TryLockError::WouldBlock)));
        // Another run may have taken it for one that was left, before it was locked.
        if !is_taken && path.is_dir() {
            return Ok((path, lock));
        }
    }
}

/// Removes what runs for the destination have left that were killed: directories that no process has
/// locked. One with a summary is a whole result that could not be put in its place, and stays.
pub(super) fn clear_left(resolved: &Path) {
    for entry in siblings(resolved) {
        let path = entry.path();
        let is_left = is_named(&entry.file_name(), resolved, PARTIAL, None)
            && entry.file_type().is_ok_and(|kind| kind.is_dir())
            && !is_result(&path);
        if is_left
            && let Ok(lock) = File::open(&path)
            && lock.try_lock().is_ok()
        {
            // A directory that cannot be removed does no harm.
            let _ = fs::remove_dir_all(&path);
        }
    }
}

/// A sibling's name that does not exist.
pub(super) fn free_name(destination: &Path, what: &str) -> PathBuf {
    let process = std::process::id();
    let mut name = destination.file_name().unwrap_or_default().to_os_string();
    name.push(format!(".{what}-{process}"));
    let mut path = destination.with_file_name(&name);
    let mut number = 2u32;
    while fs::symlink_metadata(&path).is_ok() {
        let mut numbered = name.clone();
        numbered.push(format!("-{number}"));
        path = destination.with_file_name(numbered);
        number += 1;
    }
    path
}

/// The siblings of a directory; none if they cannot be listed.
pub(super) fn siblings(resolved: &Path) -> impl Iterator<Item = fs::DirEntry> + use<> {
    let folder = resolved.parent().unwrap_or(Path::new("."));
    fs::read_dir(folder).into_iter().flatten().flatten()
}

/// Whether [`free_name`] made a name, for this process or for any.
pub(super) fn is_named(name: &OsStr, destination: &Path, what: &str, process: Option<u32>) -> bool {
    let stem = destination.file_name().unwrap_or_default().as_encoded_bytes();
    let rest = name.as_encoded_bytes().strip_prefix(stem);
    let rest = rest.and_then(|rest| rest.strip_prefix(format!(".{what}-").as_bytes()));
    let Some(rest) = rest.and_then(|rest| std::str::from_utf8(rest).ok()) else { return false };
    let (number, more) = rest.split_once('-').unwrap_or((rest, "2"));
    let number = number.parse::<u32>().ok();
    more.parse::<u32>().is_ok()
        && number.is_some_and(|number| process.is_none_or(|process| process == number))
}

/// Moves back a result that a run killed between its two renames left aside.
pub(super) fn restore_replaced(resolved: &Path) {
    if fs::symlink_metadata(resolved).is_ok() {
        return;
    }
    let aside = siblings(resolved)
        .filter(|entry| is_named(&entry.file_name(), resolved, REPLACED, None))
        .filter(|entry| is_result(&entry.path()))
        .max_by_key(|entry| entry.metadata().and_then(|metadata| metadata.modified()).ok());
    if let Some(aside) = aside {
        // On failure the result stays aside, and the run continues as if there were none.
        let _ = fs::rename(aside.path(), resolved);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_other_processes_and_results_are_recognised() {
        let out = Path::new("some/out");
        let named = |name: &str, process| is_named(OsStr::new(name), out, REPLACED, process);
        assert!(named("out.replaced-7", None) && named("out.replaced-7-2", Some(7)));
        assert!(!named("out.replaced-7", Some(8)) && !named("out.replaced-77", Some(7)));
        for name in
            ["out", "out.replaced-", "out.replaced-x", "out.replaced-7-x", "other.replaced-7"]
        {
            assert!(!named(name, None), "{name}");
        }
    }
}
