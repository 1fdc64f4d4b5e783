//! Creating and opening an index for writing.

use super::IndexWriter;
use super::pending::Pending;
use crate::disk::Disk;
use crate::scratch::MakeSets;
use crate::snapshot::Snapshot;
use crate::store::Store;
use crate::{Description, IndexError, LeanDescription, layout};
use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

impl IndexWriter {
    /// Creates an empty index in a new directory, whose parent exists.
    ///
    /// # Errors
    /// A directory that exists, with anything in it; files that cannot be written.
    pub fn create(
        disk: Arc<dyn Disk>,
        dir: &Path,
        description: Description,
        makers: MakeSets,
    ) -> Result<Self, IndexError> {
        let io = |path: &Path| {
            let path = path.to_owned();
            move |reason| IndexError::Io { path, reason }
        };
        match disk.create_dir(dir) {
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
                // An empty directory is as good; what an interrupted creation left is not an index.
                let names = disk.list(dir).map_err(io(dir))?;
                let own = ["settings.json", "common.bin", "lock", "seg", "store.tmp"];
                if let Some(name) = names.iter().find(|name| !own.contains(&name.as_str())) {
                    return Err(IndexError::Exists { path: dir.to_owned(), name: name.clone() });
                }
            }
            created => created.map_err(io(dir))?,
        }
        let settings = layout::settings(dir);
        match disk.remove(&settings) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(io(&settings)(error));
            }
            _ => {}
        }
        let mut file = disk.create(&settings).map_err(io(&settings))?;
        file.write_all(&description.encode()).map_err(io(&settings))?;
        file.sync().map_err(io(&settings))?;
        drop(file);
        if let Some(common) = description.lean.as_ref().and_then(LeanDescription::table_bytes) {
            let path = layout::common(dir);
            match disk.remove(&path) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Err(io(&path)(error));
                }
                _ => {}
            }
            let mut file = disk.create(&path).map_err(io(&path))?;
            file.write_all(&common).map_err(io(&path))?;
            file.sync().map_err(io(&path))?;
        }
        let segments = layout::segments(dir);
        match disk.create_dir(&segments) {
            Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => {
                return Err(io(&segments)(error));
            }
            _ => {}
        }
        disk.sync_dir(&segments).map_err(io(&segments))?;
        disk.sync_dir(dir).map_err(io(dir))?;
        // The parent of a bare name is the current directory.
        let parent = dir.parent().filter(|parent| !parent.as_os_str().is_empty());
        let parent = parent.unwrap_or(Path::new("."));
        disk.sync_dir(parent).map_err(io(parent))?;
        // The index exists from here on.
        let store = Store::create(&*disk, dir, description.digest())?;
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
        let store = Store::open(&*disk, dir, Some(description.digest()))?;
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
