//! Calls of the operating system: exchanging two names, and syncing directories.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use crate::sink::OutputError;

/// Exchanges the names of two directories in one step.
#[cfg(any(target_os = "linux", target_vendor = "apple"))]
pub(super) fn exchange(one: &Path, other: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    Ok(renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE)?)
}

/// Other systems have no such call.
#[cfg(not(any(target_os = "linux", target_vendor = "apple")))]
pub(super) fn exchange(_: &Path, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Syncs all files below a directory, then the directories.
pub(super) fn sync_tree(directory: &Path) -> Result<(), OutputError> {
    let fail = |path: &Path, e| OutputError::io("bring the files to the disk", path, e);
    for entry in fs::read_dir(directory).map_err(|e| fail(directory, e))? {
        let entry = entry.map_err(|e| fail(directory, e))?;
        let path = entry.path();
        if entry.file_type().map_err(|e| fail(&path, e))?.is_dir() {
            sync_tree(&path)?;
        } else {
            // Windows syncs only files opened for writing; a copy of a read-only document can only
            // be opened for reading.
            let file = File::options().append(true).open(&path).or_else(|_| File::open(&path));
            file.and_then(|file| file.sync_all()).map_err(|e| fail(&path, e))?;
        }
    }
    let synced = sync_directory(directory);
    synced.map_err(|e| OutputError::io("bring the folder to the disk", directory, e))
}

#[cfg(unix)]
pub(super) fn sync_directory(directory: &Path) -> io::Result<()> {
    File::open(directory)?.sync_all()
}

/// Other systems have no such call.
#[cfg(not(unix))]
pub(super) fn sync_directory(_: &Path) -> io::Result<()> {
    Ok(())
}
