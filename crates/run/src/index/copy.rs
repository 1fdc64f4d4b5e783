//! A copy of an index, as a backup or for readers on another machine.

use super::open::Index;
use super::repair::{failed, own_files, sibling};
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
/// commits count from 1.
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
/// A directory without an index; a copy that exists already; damaged files, by name; files that
/// cannot be written.
pub fn copy_index(dir: &Path, to: &Path) -> Result<Copied, LookalikeError> {
    if fs::symlink_metadata(to).is_ok() {
        let message = format!("{}: there is something of this name already", to.display());
        return Err(LookalikeError::Settings(message));
    }
    let index = Index::open(dir)?;
    let mut files = own_files(&RealDisk, dir)?;
    let unfinished = sibling(to, &format!("partial-{}", std::process::id()));
    let copied = index.reader.copy_to(&unfinished, &mut files).map_err(LookalikeError::from);
    let documents = copied.and_then(|documents| {
        fs::rename(&unfinished, to).map_err(failed(to))?;
        Ok(documents)
    });
    let documents = documents.inspect_err(|_| {
        // What is left of it is of no use.
        let _ = fs::remove_dir_all(&unfinished);
    })?;
    let parent = to.parent().filter(|parent| !parent.as_os_str().is_empty());
    let parent = parent.unwrap_or(Path::new("."));
    RealDisk.sync_dir(parent).map_err(failed(parent))?;
    Ok(Copied { index: to.to_owned(), documents })
}
