//! Creating and opening an index for writing.

use super::IndexWriter;
use super::pending::Pending;
use crate::disk::Disk;
use crate::scratch::MakeSets;
use crate::segment::Dictionary;
use crate::snapshot::Snapshot;
use crate::store::{self, Store};
use crate::{Description, IndexError, LeanDescription, layout};
use std::collections::BTreeSet;
use std::io::{self, ErrorKind, Read};
use std::path::Path;
use std::sync::Arc;

impl IndexWriter {
    /// Creates an empty index in a new directory, whose parent exists. An interrupted creation
    /// leaves no index, and can be repeated.
    ///
    /// # Errors
    /// A directory that exists, with anything in it; [`IndexError::Locked`] if another process
    /// creates an index there; files that cannot be written.
    pub fn create(
        disk: Arc<dyn Disk>,
        dir: &Path,
        description: Description,
        makers: MakeSets,
    ) -> Result<Self, IndexError> {
        Self::create_with(disk, dir, description, makers, &mut [])
    }

    /// As [`IndexWriter::create`], with files of the caller, which the settings may name: each is
    /// copied to `files/NAME` in the directory, and is durable before the index exists.
    ///
    /// # Errors
    /// As [`IndexWriter::create`]; a file that cannot be read.
    pub fn create_with(
        disk: Arc<dyn Disk>,
        dir: &Path,
        description: Description,
        makers: MakeSets,
        files: &mut [(String, Box<dyn Read>)],
    ) -> Result<Self, IndexError> {
        match disk.create_dir(dir) {
            // An empty directory is as good.
            Err(error) if error.kind() == ErrorKind::AlreadyExists => check_vacant(&*disk, dir)?,
            created => created.map_err(IndexError::io(dir))?,
        }
        let lock = store::lock(&*disk, dir)?;
        // Another process may have created an index before it released the lock.
        check_vacant(&*disk, dir)?;
        // Before the settings, which name its digest.
        if let Some(common) = description.lean.as_ref().and_then(LeanDescription::table_bytes) {
            let path = layout::common(dir);
            write_new(&*disk, &path, &mut &*common).map_err(IndexError::io(&path))?;
        }
        let (unfinished, settings) = (layout::unfinished_settings(dir), layout::settings(dir));
        write_new(&*disk, &unfinished, &mut &*description.encode())
            .map_err(IndexError::io(&unfinished))?;
        disk.rename(&unfinished, &settings).map_err(IndexError::io(&settings))?;
        copy_files(&*disk, &layout::files(dir), files)?;
        let segments = layout::segments(dir);
        create_dir(&*disk, &segments)?;
        disk.sync_dir(&segments).map_err(IndexError::io(&segments))?;
        disk.sync_dir(dir).map_err(IndexError::io(dir))?;
        // The parent of a bare name is the current directory.
        let parent = dir.parent().filter(|parent| !parent.as_os_str().is_empty());
        let parent = parent.unwrap_or(Path::new("."));
        disk.sync_dir(parent).map_err(IndexError::io(parent))?;
        // The index exists from here on.
        let store = Store::create_locked(&*disk, dir, description.digest(), lock)?;
        Self::with_store(disk, dir, description, makers, store)
    }

    /// Opens an index for writing, and removes the files that a crash may have left.
    ///
    /// # Errors
    /// [`IndexError::Locked`] if another process writes; another version or other settings, by
    /// name; damaged files.
    pub fn open(
        disk: Arc<dyn Disk>,
        dir: &Path,
        description: Description,
        makers: MakeSets,
    ) -> Result<Self, IndexError> {
        let store = Store::open(&*disk, dir, Some(description.digest()));
        let store = store.map_err(store::no_store(dir))?;
        Self::with_store(disk, dir, description, makers, store)
    }

    fn with_store(
        disk: Arc<dyn Disk>,
        dir: &Path,
        description: Description,
        makers: MakeSets,
        store: Store,
    ) -> Result<Self, IndexError> {
        let rules = Arc::new(description.rules(dir)?);
        let settings = description.segment_settings(&rules);
        let snapshot = Snapshot::load(&*disk, dir, store.state(), &settings, &rules, None)?;
        let state = store.state();
        let pending = Pending::at(state.next_number, state.next_segment);
        let largest = snapshot.segments.iter().max_by_key(|live| live.len());
        let dictionary = largest.map(|live| live.segment.dictionary().to_vec()).unwrap_or_default();
        let dictionary = Dictionary::new(dictionary).map_err(IndexError::io(dir))?;
        let snapshot = Arc::new(snapshot);
        let writer = Self {
            disk,
            dir: dir.to_owned(),
            description,
            rules,
            settings,
            makers,
            store,
            snapshot,
            pending,
            dictionary,
            failed: None,
        };
        writer.remove_strays()?;
        Ok(writer)
    }

    /// Removes files that no commit names.
    fn remove_strays(&self) -> Result<(), IndexError> {
        let dir = layout::segments(&self.dir);
        let named: BTreeSet<String> =
            self.snapshot.segments.iter().map(|live| layout::segment_name(live.id)).collect();
        for name in self.disk.list(&dir).map_err(IndexError::io(&dir))? {
            let is_ours = name.ends_with(".seg") || name.ends_with(".tmp");
            if is_ours && !named.contains(&name) {
                let path = dir.join(&name);
                self.disk.remove(&path).map_err(IndexError::io(&path))?;
            }
        }
        Ok(())
    }
}

/// Refuses a directory with anything in it but what an interrupted creation leaves.
fn check_vacant(disk: &dyn Disk, dir: &Path) -> Result<(), IndexError> {
    const LEFT: [&str; 7] =
        ["common.bin", "files", "lock", "seg", "settings.json", "settings.tmp", "store.tmp"];
    let names = disk.list(dir).map_err(IndexError::io(dir))?;
    match names.into_iter().find(|name| !LEFT.contains(&name.as_str())) {
        Some(name) => Err(IndexError::Exists { path: dir.to_owned(), name }),
        None => Ok(()),
    }
}

/// Writes a file in the place of one that an interruption may have left, and makes its content
/// durable.
fn write_new(disk: &dyn Disk, path: &Path, content: &mut dyn Read) -> io::Result<()> {
    match disk.remove(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut file = disk.create(path)?;
    io::copy(content, &mut file)?;
    file.sync()
}

/// Creates a directory, unless an interruption has left it.
fn create_dir(disk: &dyn Disk, dir: &Path) -> Result<(), IndexError> {
    match disk.create_dir(dir) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
        created => created.map_err(IndexError::io(dir)),
    }
}

/// Copies the caller's files into a directory of their own, in the place of what an interruption
/// has left.
fn copy_files(
    disk: &dyn Disk,
    dir: &Path,
    files: &mut [(String, Box<dyn Read>)],
) -> Result<(), IndexError> {
    let left = match disk.list(dir) {
        Err(error) if error.kind() == ErrorKind::NotFound => Vec::new(),
        listed => listed.map_err(IndexError::io(dir))?,
    };
    for path in left.iter().map(|name| dir.join(name)) {
        disk.remove(&path).map_err(IndexError::io(&path))?;
    }
    if files.is_empty() {
        return Ok(());
    }
    create_dir(disk, dir)?;
    for (name, content) in files {
        let path = dir.join(&*name);
        write_new(disk, &path, content).map_err(IndexError::io(&path))?;
    }
    disk.sync_dir(dir).map_err(IndexError::io(dir))
}
