//! Reading the transactional file and following its commits.

use super::database::{Probe, Writable, in_redb, open_readable, store_path};
use super::load;
use super::records::Records;
use super::state::State;
use crate::IndexError;
use crate::disk::Disk;
use redb::{ReadOnlyDatabase, ReadTransaction, ReadableDatabase, TransactionError};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The transactional file, open for reading. It neither blocks the writer nor is blocked by it:
/// its state is that of one commit, until it is refreshed.
pub struct StoreReader {
    file: File,
    path: PathBuf,
    state: Arc<State>,
}

enum File {
    /// Opened for reading, in whatever process.
    Own(ReadOnlyDatabase, Probe),
    /// That of the writer in this process.
    Writer(Arc<Writable>),
}

impl std::fmt::Debug for StoreReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StoreReader").field("path", &self.path).finish_non_exhaustive()
    }
}

impl StoreReader {
    /// Opens the store of an index. After a crash without a writer since, it is repaired first,
    /// for which the file has to be writable.
    ///
    /// # Errors
    ///
    /// [`IndexError::Differs`] if the index has another format, other hashes or, if they are
    /// given, other settings; those of the disk and of redb.
    pub fn open(
        disk: &dyn Disk,
        directory: &Path,
        settings_digest: Option<u64>,
    ) -> Result<Self, IndexError> {
        let path = store_path(directory);
        let database = open_readable(disk, directory)?;
        let probe = Probe::new(disk, &path)?;
        let state = in_redb(&path, || {
            let transaction = database.begin_read()?;
            let settings = load::check_format(&transaction, settings_digest)?;
            load::load(&transaction, settings)
        })?;
        Ok(Self { file: File::Own(database, probe), path, state: Arc::new(state) })
    }

    /// A reader in the process of the writer.
    pub(super) fn beside(writer: Arc<Writable>, path: PathBuf, state: Arc<State>) -> Self {
        Self { file: File::Writer(writer), path, state }
    }

    /// The state at the time of opening or of the last refresh.
    #[must_use]
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Brings the state up to the newest commit. Returns whether there was a new one. Costs one
    /// small read without a lock if there was none; else it is linear in what changed, or in all
    /// that there is if more than 64 commits or very large ones were made since.
    ///
    /// # Errors
    ///
    /// Those of the disk and of redb; the state stays what it was.
    pub fn refresh(&mut self) -> Result<bool, IndexError> {
        let before = self.state.commit;
        match &mut self.file {
            File::Own(database, probe) => {
                let Some(header) = probe.news(&self.path)? else {
                    return Ok(false);
                };
                let newer =
                    in_redb(&self.path, || load::follow(&database.begin_read()?, &self.state))?;
                probe.saw(header);
                if let Some(state) = newer {
                    self.state = Arc::new(state);
                }
            }
            File::Writer(writer) => self.state = writer.newest(),
        }
        Ok(self.state.commit != before)
    }

    /// The records of the newest commit, which may be newer than the state. Takes a lock for a
    /// moment, for which the writer waits: where many are read, read them from one [`Records`].
    ///
    /// # Errors
    ///
    /// Those of the disk and of redb.
    pub fn records(&self) -> Result<Records, IndexError> {
        let transaction = in_redb(&self.path, || Ok(self.begin()?))?;
        Records::new(&self.path, transaction)
    }

    fn begin(&self) -> Result<ReadTransaction, TransactionError> {
        match &self.file {
            File::Own(database, _) => database.begin_read(),
            File::Writer(writer) => writer.database.begin_read(),
        }
    }
}
