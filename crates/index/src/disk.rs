//! Every write of the index, behind one trait.
//!
//! * [`Disk`]: files and directories; [`DiskFile`]: a file that is being written.
//! * [`RealDisk`]: the file system.
//!
//! What a disk promises, and no more: bytes of a file are durable when [`DiskFile::sync`] has
//! returned; that a file exists under a name, or no longer does, is durable when
//! [`Disk::sync_dir`] of its directory has returned; a rename replaces its target in one step.
//! After a failed sync the state of the file is unknown, and a second sync that succeeds proves
//! nothing (Rebello et al., *Can Applications Recover from fsync Failures?*, 2020): nothing more
//! may be written to it.

mod map;
mod real;

pub use map::Mapped;
pub(crate) use map::ReadOrder;
pub use real::RealDisk;

use std::any::Any;
use std::fmt::Debug;
use std::io;
use std::path::Path;

/// The files of an index. All errors are those of the call, without the path.
pub trait Disk: Debug + Send + Sync {
    /// Makes a directory in an existing one. Not durable before [`Disk::sync_dir`] of the parent.
    ///
    /// # Errors
    ///
    /// `AlreadyExists` if there is anything under this name.
    fn create_dir(&self, path: &Path) -> io::Result<()>;

    /// Creates an empty file for writing. Its name is not durable before [`Disk::sync_dir`].
    ///
    /// # Errors
    ///
    /// `AlreadyExists` if there is anything under this name.
    fn create(&self, path: &Path) -> io::Result<Box<dyn DiskFile>>;

    /// Opens a file of redb, with byte-range locks that conflict with those of all other openings
    /// in this and in other processes. Does not read or lock yet.
    ///
    /// # Errors
    ///
    /// `NotFound`; `AlreadyExists` with [`Access::Create`].
    fn database(&self, path: &Path, access: Access) -> io::Result<Box<dyn redb::StorageBackend>>;

    /// Gives a file another name in the same directory; a file of that name is replaced. Not
    /// durable before [`Disk::sync_dir`].
    ///
    /// # Errors
    ///
    /// Those of the file system.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Removes a file. Mappings of it stay valid. Not durable before [`Disk::sync_dir`].
    ///
    /// # Errors
    ///
    /// `NotFound` if there is none.
    fn remove(&self, path: &Path) -> io::Result<()>;

    /// The names of all entries of a directory, in ascending order. Names that are not UTF-8 are
    /// left out: the index makes none.
    ///
    /// # Errors
    ///
    /// Those of the file system.
    fn list(&self, path: &Path) -> io::Result<Vec<String>>;

    /// Reads a whole file.
    ///
    /// # Errors
    ///
    /// Those of the file system.
    fn read(&self, path: &Path) -> io::Result<Vec<u8>>;

    /// Maps a whole file for reading. The file must not change any more: the index maps only files
    /// that it has renamed into place.
    ///
    /// # Errors
    ///
    /// Those of the file system.
    fn map(&self, path: &Path) -> io::Result<Mapped>;

    /// Makes creations, renames and removals in a directory durable.
    ///
    /// # Errors
    ///
    /// Those of the file system. What is durable then is unknown.
    fn sync_dir(&self, path: &Path) -> io::Result<()>;

    /// Takes an exclusive lock on a file, which is created if it is missing and then holds the
    /// process id of the owner in decimal. The lock ends with the guard or with the process.
    ///
    /// # Errors
    ///
    /// Those of the file system. A lock that is held elsewhere is no error.
    fn lock(&self, path: &Path) -> io::Result<Lock>;
}

/// A file that is being written. [`io::Write`] appends; it is not buffered.
///
/// After a failed sync every further call fails.
pub trait DiskFile: io::Write + Debug + Send {
    /// Writes all bytes at an offset. A gap before it is filled with zeros.
    ///
    /// # Errors
    ///
    /// Those of the file system. A part may have been written.
    fn write_at(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()>;

    /// Cuts the file, or extends it with zeros. The next append is at the new end.
    ///
    /// # Errors
    ///
    /// Those of the file system.
    fn set_len(&mut self, length: u64) -> io::Result<()>;

    /// Makes the bytes and the length of the file durable.
    ///
    /// # Errors
    ///
    /// Those of the file system. What is durable then is unknown.
    fn sync(&mut self) -> io::Result<()>;
}

/// What a file of redb is opened for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Reading only.
    Read,
    /// Reading and writing.
    Write,
    /// Reading and writing a file that does not exist yet.
    Create,
}

/// The answer to [`Disk::lock`].
#[derive(Debug)]
pub enum Lock {
    /// The lock is held as long as the guard exists.
    Acquired(LockGuard),
    /// Another owner has it.
    Held {
        /// Its process id, unless the owner has not written it yet.
        pid: Option<u32>,
    },
}

/// Releases a lock when it is dropped.
#[derive(Debug)]
pub struct LockGuard {
    _owner: Box<dyn Owner>,
}

trait Owner: Any + Debug + Send + Sync {}
impl<T: Any + Debug + Send + Sync> Owner for T {}

impl LockGuard {
    /// A guard whose lock ends when `owner` is dropped.
    pub fn new(owner: impl Any + Debug + Send + Sync) -> Self {
        Self { _owner: Box::new(owner) }
    }
}
