//! Committing changes.

use super::change::{BLOCK, Change};
use super::database::{
    Failure, Writable, in_redb, lock, open_writable, store_path, unfinished_path,
};
use super::reader::StoreReader;
use super::records::Records;
use super::state::State;
use super::stop::Stop;
use super::tables::{
    CHANGED, DEAD, DELTAS, MAGIC, META, RECORDS, SEGMENTS, StateRow, encode_block, record_key,
    record_value,
};
use super::{delta, load};
use crate::disk::{Access, Disk, LockGuard};
use crate::{FORMAT, IndexError};
use lookalike_core::HASH_NAME;
use redb::{Database, ReadableDatabase, WriteTransaction};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The transactional file, open for writing by the only writer of the index.
///
/// After an error of a commit nothing is written any more: the commit may be stored, whole, or not,
/// which the next opening shows.
#[derive(Debug)]
pub struct Store {
    file: Arc<Writable>,
    path: PathBuf,
    state: Arc<State>,
    stop: Stop,
}

impl Store {
    /// Makes the store of a new index in an existing directory, and opens it. The file is there
    /// whole or not at all, whenever this is interrupted.
    ///
    /// # Errors
    ///
    /// [`IndexError::Locked`] if another process writes; [`IndexError::Io`] with `AlreadyExists` if
    /// there is a store; those of the disk and of redb.
    pub fn create(
        disk: &dyn Disk,
        directory: &Path,
        settings_digest: u64,
    ) -> Result<Self, IndexError> {
        Self::create_locked(disk, directory, settings_digest, lock(disk, directory)?)
    }

    /// As [`Store::create`], with the lock of the writer taken before.
    pub(crate) fn create_locked(
        disk: &dyn Disk,
        directory: &Path,
        settings_digest: u64,
        lock: LockGuard,
    ) -> Result<Self, IndexError> {
        let path = store_path(directory);
        let unfinished = unfinished_path(directory);
        match disk.database(&path, Access::Read) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(IndexError::io(&path)(error)),
            Ok(_) => return Err(IndexError::io(&path)(io::ErrorKind::AlreadyExists.into())),
        }
        match disk.remove(&unfinished) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(IndexError::io(&unfinished)(error));
            }
            _ => {}
        }
        let (database, _) = open_writable(disk, &unfinished, Access::Create)?;
        in_redb(&unfinished, || {
            fill(&database, settings_digest)?;
            Ok(database.close()?)
        })?;
        disk.rename(&unfinished, &path).map_err(IndexError::io(&path))?;
        disk.sync_dir(directory).map_err(IndexError::io(directory))?;
        Self::open_locked(disk, directory, Some(settings_digest), lock)
    }

    /// Opens the store of an index, and repairs it after a crash.
    ///
    /// # Errors
    ///
    /// [`IndexError::Locked`] if another process writes; [`IndexError::Differs`] if the index has
    /// another format, other hashes or, if they are given, other settings; those of the disk and of
    /// redb.
    pub fn open(
        disk: &dyn Disk,
        directory: &Path,
        settings_digest: Option<u64>,
    ) -> Result<Self, IndexError> {
        let path = store_path(directory);
        // Before a lock file is made in a directory that is no index.
        disk.database(&path, Access::Read).map_err(IndexError::io(&path))?;
        let lock = lock(disk, directory)?;
        Self::open_locked(disk, directory, settings_digest, lock)
    }

    fn open_locked(
        disk: &dyn Disk,
        directory: &Path,
        settings_digest: Option<u64>,
        lock: LockGuard,
    ) -> Result<Self, IndexError> {
        let path = store_path(directory);
        let (database, stop) = open_writable(disk, &path, Access::Write)?;
        let state = in_redb(&path, || {
            let transaction = database.begin_read()?;
            let settings = load::check_format(&transaction, settings_digest)?;
            load::load(&transaction, settings)
        })?;
        let state = Arc::new(state);
        let file = Arc::new(Writable::new(database, lock, Arc::clone(&state)));
        Ok(Self { file, path, state, stop })
    }

    /// The state after the last commit.
    #[must_use]
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Applies a change in one durable transaction. When this returns the number of the commit, the
    /// change survives a crash and a power cut.
    ///
    /// # Errors
    ///
    /// [`IndexError::Inconsistent`]: nothing is changed, and other changes can be committed.
    /// Otherwise those of the disk and of redb: the change is stored whole or not at all, and all
    /// further commits fail with [`IndexError::Stopped`] until the index is opened again.
    pub fn commit(&mut self, change: &Change) -> Result<u64, IndexError> {
        if let Some(reason) = self.stop.reason() {
            return Err(IndexError::Stopped { path: self.path.clone(), reason: reason.to_owned() });
        }
        let mut next = State::clone(&self.state);
        change.apply(&mut next)?;
        let written = in_redb(&self.path, || write(&self.file.database, change, &next));
        if let Err(error) = &written {
            self.stop.set(error.to_string());
        }
        written?;
        self.state = Arc::new(next);
        self.file.publish(Arc::clone(&self.state));
        Ok(self.state.commit)
    }

    /// The records of the last commit.
    ///
    /// # Errors
    ///
    /// Those of the disk and of redb.
    pub fn records(&self) -> Result<Records, IndexError> {
        let transaction = in_redb(&self.path, || Ok(self.file.database.begin_read()?))?;
        Records::new(&self.path, transaction)
    }

    /// A reader for another thread of this process. As long as it exists, the file stays open and
    /// the lock of the writer held.
    #[must_use]
    pub fn reader(&self) -> StoreReader {
        StoreReader::beside(Arc::clone(&self.file), self.path.clone(), Arc::clone(&self.state))
    }
}

/// Writes the tables of a new index.
fn fill(database: &Database, settings_digest: u64) -> Result<(), Failure> {
    let transaction = database.begin_write()?;
    {
        let mut meta = transaction.open_table(META)?;
        meta.insert("magic", MAGIC)?;
        meta.insert("format", FORMAT.to_le_bytes().as_slice())?;
        meta.insert("hash", HASH_NAME.as_bytes())?;
        meta.insert("settings", settings_digest.to_le_bytes().as_slice())?;
        let state = StateRow::of(&State::new(settings_digest));
        meta.insert("state", state.to_bytes().as_slice())?;
    }
    transaction.open_table(SEGMENTS)?;
    transaction.open_table(DEAD)?;
    transaction.open_table(CHANGED)?;
    transaction.open_table(RECORDS)?;
    transaction.open_table(DELTAS)?;
    Ok(transaction.commit()?)
}

/// Writes a change, after which the state is `next`, in one transaction.
fn write(database: &Database, change: &Change, next: &State) -> Result<(), Failure> {
    let transaction = database.begin_write()?;
    write_rows(&transaction, change, next)?;
    Ok(transaction.commit()?)
}

fn write_rows(
    transaction: &WriteTransaction,
    change: &Change,
    next: &State,
) -> Result<(), Failure> {
    let dead_blocks = change.dead_blocks();
    {
        let mut segments = transaction.open_table(SEGMENTS)?;
        for id in &change.segments_removed {
            segments.remove(id)?;
        }
        for segment in &change.segments_added {
            segments.insert(segment.id, segment.to_bytes().as_slice())?;
        }
    }
    {
        let mut dead = transaction.open_table(DEAD)?;
        for &id in &change.segments_removed {
            dead.retain_in((id, 0)..=(id, u32::MAX / BLOCK), |_, _| false)?;
        }
        for &(id, block) in &dead_blocks {
            if let Some(locals) = next.dead.get(&id) {
                dead.insert((id, block), encode_block(locals, block).as_slice())?;
            }
        }
    }
    {
        let mut changed = transaction.open_table(CHANGED)?;
        for &(number, relies_on) in &change.changed {
            match relies_on {
                Some(relies_on) => changed.insert(number, relies_on)?,
                None => changed.remove(number)?,
            };
        }
    }
    {
        let mut records = transaction.open_table(RECORDS)?;
        for record in &change.records {
            let key = record_key(record.table, &record.key);
            match &record.value {
                Some(value) => {
                    records.insert(key.as_slice(), record_value(&key, value).as_slice())?
                }
                None => records.remove(key.as_slice())?,
            };
        }
    }
    {
        let mut deltas = transaction.open_table(DELTAS)?;
        deltas.insert(next.commit, delta::encode(change, &dead_blocks).as_slice())?;
        if let Some(old) = next.commit.checked_sub(delta::KEPT) {
            deltas.remove(old)?;
        }
    }
    let mut meta = transaction.open_table(META)?;
    meta.insert("state", StateRow::of(next).to_bytes().as_slice())?;
    Ok(())
}
