//! Reading an index, in any process, while another one writes.

use crate::description::Rules;
use crate::disk::Disk;
use crate::scratch::MakeSets;
use crate::segment::SegmentSettings;
use crate::snapshot::Snapshot;
use crate::store::{Records, State, StoreReader, no_store};
use crate::{Description, IndexError};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Reads an index. Neither blocks the writer nor is blocked by it.
pub struct IndexReader {
    disk: Arc<dyn Disk>,
    dir: PathBuf,
    description: Description,
    rules: Arc<Rules>,
    settings: SegmentSettings,
    makers: MakeSets,
    current: Mutex<Current>,
}

struct Current {
    store: StoreReader,
    snapshot: Arc<Snapshot>,
}

impl std::fmt::Debug for IndexReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("IndexReader").field("dir", &self.dir).finish_non_exhaustive()
    }
}

/// How often the newest commit is read again if its segments are gone: merged by a later commit.
const TRIES: u32 = 100;

impl IndexReader {
    /// Opens an index for reading.
    ///
    /// # Errors
    /// Another version or other settings, by name; damaged files.
    pub fn open(
        disk: Arc<dyn Disk>,
        dir: &Path,
        description: Description,
        makers: MakeSets,
    ) -> Result<Self, IndexError> {
        let rules = Arc::new(description.rules(dir)?);
        let settings = description.segment_settings(&rules);
        let store = StoreReader::open(&*disk, dir, Some(description.digest()));
        let mut store = store.map_err(no_store(dir))?;
        let snapshot = newest(&mut store, &*disk, dir, &settings, &rules, None)?;
        let current = Mutex::new(Current { store, snapshot });
        Ok(Self { disk, dir: dir.to_owned(), description, rules, settings, makers, current })
    }

    /// What the index was made with.
    #[must_use]
    pub fn description(&self) -> &Description {
        &self.description
    }

    /// Makes sets of stored texts.
    #[must_use]
    pub fn makers(&self) -> &MakeSets {
        &self.makers
    }

    fn current(&self) -> MutexGuard<'_, Current> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The documents of the newest commit. O(1) if there is no new one since the last call.
    ///
    /// # Errors
    /// Files that cannot be read.
    pub fn refresh(&self) -> Result<Arc<Snapshot>, IndexError> {
        let Self { disk, dir, settings, rules, .. } = self;
        let current = &mut *self.current();
        if current.store.refresh()? {
            let earlier = Some(&*current.snapshot);
            current.snapshot = newest(&mut current.store, &**disk, dir, settings, rules, earlier)?;
        }
        Ok(Arc::clone(&current.snapshot))
    }

    /// The newest commit: its state, its documents, and what is read of its records.
    ///
    /// # Errors
    /// Files that cannot be read; a writer that commits faster than this reads.
    pub(crate) fn newest_with<T>(
        &self,
        read: impl FnOnce(&Records) -> Result<T, IndexError>,
    ) -> Result<(State, Arc<Snapshot>, T), IndexError> {
        for _ in 0..TRIES {
            // No later commit is in it; one may be by now, and is read then.
            let records = self.records()?;
            let snapshot = self.refresh()?;
            let state = self.current().store.state().clone();
            if state.commit == records.commit() && snapshot.commit() == state.commit {
                return Ok((state, snapshot, read(&records)?));
            }
        }
        let what = "commits follow each other too fast; try again".to_owned();
        Err(IndexError::Inconsistent { what })
    }

    /// The files.
    pub(crate) fn disk(&self) -> &Arc<dyn Disk> {
        &self.disk
    }

    /// The records of the newest commit.
    ///
    /// # Errors
    /// Those of the disk and of redb.
    pub fn records(&self) -> Result<Records, IndexError> {
        self.current().store.records()
    }
}

/// Maps the segments of the newest commit. The writer may remove segments that a later commit
/// replaced before they are mapped: then that commit is read.
fn newest(
    store: &mut StoreReader,
    disk: &dyn Disk,
    dir: &Path,
    settings: &SegmentSettings,
    rules: &Arc<Rules>,
    earlier: Option<&Snapshot>,
) -> Result<Arc<Snapshot>, IndexError> {
    let mut tries = 0;
    loop {
        match Snapshot::load(disk, dir, store.state(), settings, rules, earlier) {
            Err(IndexError::Io { reason, path })
                if reason.kind() == std::io::ErrorKind::NotFound && tries < TRIES =>
            {
                tries += 1;
                if !store.refresh()? {
                    return Err(IndexError::Io { reason, path });
                }
            }
            loaded => return loaded.map(Arc::new),
        }
    }
}
