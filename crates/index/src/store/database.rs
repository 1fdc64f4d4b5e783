//! Opening `store.redb`, and the errors of redb.

use super::state::State;
use super::stop::{Stop, StoppingFile};
use crate::IndexError;
use crate::disk::{Access, Disk, Lock, LockGuard};
use redb::{Builder, ConcurrencyMode, Database, DatabaseError, ReadOnlyDatabase, StorageBackend};
use std::any::Any;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Memory for pages of the file. All that is needed often is loaded at opening, so that commits
/// and records alone read pages.
const WRITER_CACHE: usize = 64 << 20;
const READER_CACHE: usize = 16 << 20;

/// How long a reader waits for a writer that repairs the file.
const REPAIR_TIME: Duration = Duration::from_secs(60);

/// The file in the directory of an index.
pub(super) fn store_path(directory: &Path) -> PathBuf {
    directory.join("store.redb")
}

/// The name of the file while it is made.
pub(super) fn unfinished_path(directory: &Path) -> PathBuf {
    directory.join("store.tmp")
}

/// Why something in the file could not be read or written, still without its path.
#[derive(Debug)]
pub(super) enum Failure {
    Redb(Box<redb::Error>),
    Damaged(String),
    Differs { what: &'static str, found: String, wanted: String },
}

impl<E: Into<redb::Error>> From<E> for Failure {
    fn from(error: E) -> Self {
        Self::Redb(Box::new(error.into()))
    }
}

impl Failure {
    pub(super) fn damaged(what: impl Into<String>) -> Self {
        Self::Damaged(what.into())
    }

    fn at(self, path: &Path) -> IndexError {
        let path = path.to_owned();
        match self {
            Self::Redb(error) => redb_error(path, *error),
            Self::Damaged(what) => IndexError::Damaged { path, what },
            Self::Differs { what, found, wanted } => {
                IndexError::Differs { path, what: what.to_owned(), found, wanted }
            }
        }
    }
}

fn redb_error(path: PathBuf, error: redb::Error) -> IndexError {
    use redb::Error;
    match error {
        // Pages beyond the end, or no file of redb.
        Error::Io(reason)
            if matches!(
                reason.kind(),
                io::ErrorKind::UnexpectedEof | io::ErrorKind::InvalidData
            ) =>
        {
            IndexError::Damaged { path, what: reason.to_string() }
        }
        Error::Io(reason) => IndexError::Io { path, reason },
        Error::DatabaseAlreadyOpen => IndexError::Locked { path, pid: None },
        Error::Corrupted(what) => IndexError::Damaged { path, what },
        Error::Unsupported => {
            let reason = "its file system has no locks on ranges of bytes";
            IndexError::Io { path, reason: io::Error::new(io::ErrorKind::Unsupported, reason) }
        }
        Error::UpgradeRequired(found) => IndexError::Differs {
            path,
            what: "the format of redb".to_owned(),
            found: found.to_string(),
            wanted: "that of redb 4".to_owned(),
        },
        error @ (Error::TableDoesNotExist(_)
        | Error::TableTypeMismatch { .. }
        | Error::TypeDefinitionChanged { .. }
        | Error::TableIsMultimap(_)
        | Error::TableIsNotMultimap(_)) => IndexError::Damaged { path, what: error.to_string() },
        error => IndexError::Io { path, reason: io::Error::other(error) },
    }
}

/// Runs calls of redb. It panics on some damaged files, which is an error here.
pub(super) fn in_redb<T>(
    path: &Path,
    calls: impl FnOnce() -> Result<T, Failure>,
) -> Result<T, IndexError> {
    // What a panic leaves half done is not used again: an opening is given up, a store stops.
    match catch_unwind(AssertUnwindSafe(calls)) {
        Ok(result) => result.map_err(|failure| failure.at(path)),
        Err(panic) => Err(IndexError::Damaged { path: path.to_owned(), what: message(&*panic) }),
    }
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    format!("redb gave up on it: {}", text.unwrap_or("no reason"))
}

pub(super) fn builder(cache: usize) -> Builder {
    let mut builder = Builder::new();
    builder.set_concurrency_mode(ConcurrencyMode::SingleWriter).set_cache_size(cache);
    builder
}

/// The file open for writing, and the lock of the writer, which ends after it.
#[derive(Debug)]
pub(super) struct Writable {
    pub(super) database: Database,
    _lock: LockGuard,
    /// The state after the last commit, for readers in this process.
    newest: Mutex<Arc<State>>,
}

impl Writable {
    pub(super) fn new(database: Database, lock: LockGuard, state: Arc<State>) -> Self {
        Self { database, _lock: lock, newest: Mutex::new(state) }
    }

    pub(super) fn newest(&self) -> Arc<State> {
        Arc::clone(&self.newest.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn publish(&self, state: Arc<State>) {
        *self.newest.lock().unwrap_or_else(PoisonError::into_inner) = state;
    }
}

/// Bytes of the header of redb, in which every commit changes something: it has the numbers of the
/// last two transactions (*File layout* in the design of redb).
const HEADER: usize = 320;

/// Looks for commits without a lock. A transaction of redb locks the header for a moment, and
/// readers that begin one again and again would keep the writer waiting for its own lock.
#[derive(Debug)]
pub(super) struct Probe {
    file: Box<dyn StorageBackend>,
    seen: Box<[u8; HEADER]>,
}

impl Probe {
    pub(super) fn new(disk: &dyn Disk, path: &Path) -> Result<Self, IndexError> {
        let file = disk.database(path, Access::Read).map_err(IndexError::io(path))?;
        Ok(Self { file, seen: Box::new([0; HEADER]) })
    }

    /// The header if it is another than at the last [`Probe::saw`]. A header that is being written
    /// may be torn, which is another one too.
    pub(super) fn news(&self, path: &Path) -> Result<Option<[u8; HEADER]>, IndexError> {
        let mut header = [0; HEADER];
        self.file.read(0, &mut header).map_err(IndexError::io(path))?;
        Ok((header != *self.seen).then_some(header))
    }

    /// What was read in a transaction begun after this header was read is as new as it.
    pub(super) fn saw(&mut self, header: [u8; HEADER]) {
        *self.seen = header;
    }
}

/// Takes the lock of the writer.
///
/// # Errors
///
/// [`IndexError::Locked`] if another process has it.
pub(crate) fn lock(disk: &dyn Disk, directory: &Path) -> Result<LockGuard, IndexError> {
    let path = directory.join("lock");
    match disk.lock(&path).map_err(IndexError::io(&path))? {
        Lock::Acquired(guard) => Ok(guard),
        Lock::Held { pid } => Err(IndexError::Locked { path, pid }),
    }
}

/// Names a directory whose file is missing: it has no index, or one whose creation was interrupted.
pub(crate) fn no_store(directory: &Path) -> impl FnOnce(IndexError) -> IndexError + '_ {
    move |error| match error {
        IndexError::Io { path, reason }
            if reason.kind() == io::ErrorKind::NotFound && path == store_path(directory) =>
        {
            IndexError::NoIndex { path: directory.to_owned() }
        }
        error => error,
    }
}

/// Opens the file for writing, and repairs it after a crash. The caller has the writer's lock.
///
/// # Errors
///
/// Those of the disk and of redb.
pub(super) fn open_writable(
    disk: &dyn Disk,
    path: &Path,
    access: Access,
) -> Result<(Database, Stop), IndexError> {
    let file = disk.database(path, access).map_err(IndexError::io(path))?;
    if access != Access::Create && file.len().map_err(IndexError::io(path))? == 0 {
        // redb would make a new database of it.
        return Err(IndexError::Damaged { path: path.to_owned(), what: "it is empty".to_owned() });
    }
    let stop = Stop::default();
    let file = StoppingFile::new(file, stop.clone());
    let mut builder = builder(WRITER_CACHE);
    // Reads the whole file and verifies its checksums, as a repair does: what is damaged is found
    // before it is copied by commits.
    builder.set_check_integrity_on_open(true);
    let database = in_redb(path, || Ok(builder.create_with_backend(file)?))?;
    Ok((database, stop))
}

/// Opens the file for reading, beside a writer or not. After a crash without a writer since, it
/// takes the writer's place for the time of the repair.
///
/// # Errors
///
/// Those of the disk and of redb; [`IndexError::Locked`] if a writer repairs it for a minute.
pub(super) fn open_readable(
    disk: &dyn Disk,
    directory: &Path,
) -> Result<ReadOnlyDatabase, IndexError> {
    let path = &store_path(directory);
    let start = Instant::now();
    loop {
        let file = disk.database(path, Access::Read).map_err(IndexError::io(path))?;
        let file = StoppingFile::new(file, Stop::default());
        let opened =
            in_redb(path, || match builder(READER_CACHE).open_read_only_with_backend(file) {
                Ok(database) => Ok(Some(database)),
                Err(DatabaseError::RepairAborted) => Ok(None),
                Err(error) => Err(error.into()),
            })?;
        if let Some(database) = opened {
            return Ok(database);
        }
        match repair(disk, directory, path) {
            Ok(()) => {}
            // A writer is about to repair it.
            Err(IndexError::Locked { .. }) if start.elapsed() < REPAIR_TIME => {
                thread::sleep(Duration::from_millis(5));
            }
            Err(error) => return Err(error),
        }
    }
}

/// Repairs the file in the place of a writer.
fn repair(disk: &dyn Disk, directory: &Path, path: &Path) -> Result<(), IndexError> {
    let repaired = lock(disk, directory).and_then(|_guard| {
        let (database, _) = open_writable(disk, path, Access::Write)?;
        in_redb(path, || Ok(database.close()?))
    });
    repaired.map_err(|error| match error {
        IndexError::Io { reason, .. }
            if matches!(
                reason.kind(),
                io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem
            ) =>
        {
            let what = format!(
                "its writer was killed, so that it has to be repaired, which needs write \
                 permission; let its owner open it once ({reason})"
            );
            IndexError::Io { path: path.to_owned(), reason: io::Error::new(reason.kind(), what) }
        }
        error => error,
    })
}
