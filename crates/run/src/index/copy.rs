//! A copy of an index, as a backup or for readers on another machine.

use super::open::Index;
use super::repair::{failed, own_files};
use crate::LookalikeError;
use lookalike_index::{Disk, RealDisk};
use serde::Serialize;
use std::fs;
use std::path::{Path, PathBuf};

/// What was copied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Copied {
    /// The copy.
    pub index: PathBuf,
    /// Number of its documents.
    pub documents: u64,
}

/// Copies an index as it is after its last commit to a new directory, which is there whole or not
/// at all. Another process may write the index meanwhile.
///
/// The copy is an index of its own with the same documents, decisions, sweeps and reports; its
/// commits count from 1. Until it is whole, it is called `lookalike-copy-…` beside its place; one of
/// a process that was killed may be deleted.
///
/// ```
/// use lookalike::index::{IndexChange, IndexSettings, copy_index};
/// use lookalike::{Index, IndexWriter, Settings};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// # let (dir, backup) = (folder.path().join("index"), folder.path().join("backup"));
/// let mut writer = IndexWriter::create(&dir, IndexSettings::default(), 1)?;
/// let rose = IndexChange::put(r#"{"id": "rose", "text": "a rose is a rose"}"#);
/// writer.apply(&[rose], &Settings::default(), Default::default())?;
/// copy_index(&dir, &backup)?;
/// writer.apply(&[IndexChange::delete("rose")], &Settings::default(), Default::default())?;
/// assert_eq!(Index::open(&backup)?.indexed_document("rose")?.id, "rose");
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// A directory without an index; a copy that exists already, or would lie within the index; damaged
/// files, by name; files that cannot be written.
pub fn copy_index(dir: &Path, to: &Path) -> Result<Copied, LookalikeError> {
    let refused = |what: &str| Err(LookalikeError::Settings(format!("{}: {what}", to.display())));
    let Some(name) = to.file_name() else { return refused("it names no directory") };
    let parent = to.parent().filter(|parent| !parent.as_os_str().is_empty());
    let parent = fs::canonicalize(parent.unwrap_or(Path::new("."))).map_err(failed(to))?;
    if fs::symlink_metadata(parent.join(name)).is_ok() {
        return refused("there is something of this name already");
    }
    let index = Index::open(dir)?;
    if parent.starts_with(fs::canonicalize(dir).map_err(failed(dir))?) {
        return refused("the copy would be a part of the index");
    }
    let mut files = own_files(&RealDisk, dir)?;
    let mut unfinished = tempfile::Builder::new();
    unfinished.prefix("lookalike-copy-");
    #[cfg(unix)]
    unfinished.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o777));
    // Deleted if anything fails.
    let mut unfinished = unfinished.tempdir_in(&parent).map_err(failed(to))?;
    let documents = index.reader.copy_to(unfinished.path(), &mut files)?;
    fs::rename(unfinished.path(), parent.join(name)).map_err(failed(to))?;
    unfinished.disable_cleanup(true);
    RealDisk.sync_dir(&parent).map_err(failed(&parent))?;
    Ok(Copied { index: to.to_owned(), documents })
}
