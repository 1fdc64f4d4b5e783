//! Opens input files: the only place that does, so that every failure names its path.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Opens a file for reading.
pub(super) fn open(path: &Path) -> io::Result<File> {
    File::open(path)
}

/// The first bytes of a file; fewer if it is shorter.
pub(crate) fn head(path: &Path, length: usize) -> io::Result<Vec<u8>> {
    let mut head = Vec::with_capacity(length);
    open(path)?.take(length as u64).read_to_end(&mut head)?;
    Ok(head)
}

/// The message of a [`Problem`](crate::Problem) for a failure to open; the problem names the path.
pub(super) fn explain(error: &io::Error) -> String {
    let remedy = match error.kind() {
        io::ErrorKind::NotFound => "leave the inputs alone during a run",
        io::ErrorKind::PermissionDenied => "check its permissions",
        _ => "check the file and its disk",
    };
    format!("cannot be opened: {error}; {remedy}")
}
