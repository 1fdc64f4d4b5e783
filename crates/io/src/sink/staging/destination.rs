//! The destination of a result: its absolute path, and what exists there.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::input::MARKS_OF_A_RESULT;
use crate::sink::OutputError;

/// What exists at the destination.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Occupant {
    Nothing,
    EmptyDirectory,
    Result,
}

/// The absolute path of a directory that may not exist yet; creates its parents.
pub(super) fn resolve(shown: &Path) -> Result<PathBuf, OutputError> {
    if let Ok(path) = shown.canonicalize() {
        return Ok(path);
    }
    let Some(name) = shown.file_name() else {
        let reason = "the path does not end in a name; end it with one";
        return Err(OutputError::Unusable { path: shown.to_path_buf(), reason });
    };
    let parent = match shown.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    fs::create_dir_all(parent).map_err(|e| OutputError::io("make the folder", parent, e))?;
    let parent =
        parent.canonicalize().map_err(|e| OutputError::io("find the folder", parent, e))?;
    Ok(parent.join(name))
}

/// What exists at the destination, or why it cannot be replaced.
pub(super) fn occupant(
    shown: &Path,
    resolved: &Path,
    force: bool,
) -> Result<Occupant, OutputError> {
    let unusable = |reason| OutputError::Unusable { path: shown.to_path_buf(), reason };
    let metadata = match fs::symlink_metadata(resolved) {
        Ok(metadata) => metadata,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Occupant::Nothing),
        Err(e) => return Err(OutputError::io("look at the place of the result", shown, e)),
    };
    if !metadata.is_dir() {
        return Err(unusable("there is a file of that name; choose another"));
    }
    let mut entries = fs::read_dir(resolved)
        .map_err(|e| OutputError::io("look at the place of the result", shown, e))?;
    let empty = entries.next().is_none();
    if !empty && !force {
        return Err(OutputError::Exists { path: shown.to_path_buf() });
    }
    if !empty && !is_result(resolved) {
        return Err(OutputError::NotAResult { path: shown.to_path_buf() });
    }
    if std::env::current_dir().is_ok_and(|current| current.starts_with(resolved)) {
        return Err(unusable("it is the current directory; name a folder in it, such as ./result"));
    }
    if is_mount_point(resolved, &metadata) {
        return Err(unusable("it is the root of a file system; name a folder in it"));
    }
    Ok(if empty { Occupant::EmptyDirectory } else { Occupant::Result })
}

/// Whether a directory is a result of lookalike.
pub(super) fn is_result(directory: &Path) -> bool {
    MARKS_OF_A_RESULT.iter().any(|name| directory.join(name).is_file())
}

#[cfg(unix)]
fn is_mount_point(path: &Path, metadata: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    match path.parent() {
        Some(parent) => fs::metadata(parent).is_ok_and(|above| above.dev() != metadata.dev()),
        None => true,
    }
}

#[cfg(not(unix))]
fn is_mount_point(path: &Path, _: &fs::Metadata) -> bool {
    path.parent().is_none()
}
