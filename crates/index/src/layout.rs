//! Names of the files of an index, and the version of their formats.

use std::path::{Path, PathBuf};

/// Version of the format of all files of an index.
pub const FORMAT: u32 = 1;

/// The description.
pub(crate) fn settings(dir: &Path) -> PathBuf {
    dir.join("settings.json")
}

/// The table of common elements of a lean index.
pub(crate) fn common(dir: &Path) -> PathBuf {
    dir.join("common.bin")
}

/// The description while it is written.
pub(crate) fn unfinished_settings(dir: &Path) -> PathBuf {
    dir.join("settings.tmp")
}

/// The directory of the caller's files.
pub(crate) fn files(dir: &Path) -> PathBuf {
    dir.join("files")
}

/// The directory of the segments.
pub(crate) fn segments(dir: &Path) -> PathBuf {
    dir.join("seg")
}

/// Name of a segment's file.
pub(crate) fn segment_name(id: u64) -> String {
    format!("{id:08x}.seg")
}

/// The number of a segment by the name of its file; `None` for another name.
pub(crate) fn segment_id(name: &str) -> Option<u64> {
    let id = u64::from_str_radix(name.strip_suffix(".seg")?, 16).ok()?;
    (segment_name(id) == name).then_some(id)
}

/// Name of a segment's file while it is written.
pub(crate) fn unfinished_name(id: u64) -> String {
    format!("{id:08x}.tmp")
}

/// Whether this is the name of a segment's file while it is written.
pub(crate) fn is_unfinished(name: &str) -> bool {
    name.ends_with(".tmp")
}

/// A segment.
pub(crate) fn segment(dir: &Path, id: u64) -> PathBuf {
    segments(dir).join(segment_name(id))
}

/// A segment while it is written.
pub(crate) fn unfinished(dir: &Path, id: u64) -> PathBuf {
    segments(dir).join(unfinished_name(id))
}
