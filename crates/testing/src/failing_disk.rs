//! A disk of an index in memory that can lose power, run full or fail to sync.

mod directory;
mod file;
mod handles;
mod locks;
mod loss;
mod machine;

use handles::{DatabaseHandle, FileHandle, Opening};
use locks::Span;
use lookalike_index::{Access, Disk, DiskFile, Lock, LockGuard, Mapped};
pub use machine::Moment;
use machine::{Machine, SharedMachine, Watcher};
use std::io;
use std::ops::Bound;
use std::path::Path;
use std::sync::MutexGuard;

/// A disk in memory that keeps operations apart until they are synced. Clones are the same disk.
///
/// Each call that changes something or syncs is an *operation*. Its assumptions about a disk:
///
/// * A sector of 512 bytes is written whole or not at all. Sectors of one write, and of several
///   writes that no sync separates, reach the disk in any order; a sector has the content that it
///   had in memory at some moment since the last sync.
/// * Bytes outside of a write do not change (powersafe overwrite).
/// * The length of a file is one of those that it had since the last sync, whatever of its content
///   is there; what is missing reads as zeros.
/// * A sync of a file makes its content and length durable, and nothing else: not its name.
/// * Creations, renames and removals in a directory happen each or not, independently of each
///   other and of the content of the files, until the directory is synced. A rename is never half
///   done. Files are renamed within their directory only.
/// * When a sync of a file fails, some of its unsynced sectors may have reached the disk. The
///   system takes all of them for written (as Linux does), so that a later sync writes only blocks
///   that were written again.
/// * Nothing that was synced is damaged.
#[derive(Debug, Clone, Default)]
pub struct FailingDisk(SharedMachine);

impl FailingDisk {
    /// An empty disk that does not fail. Its root directory is `/`.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Cuts the power after this many operations, counted from the first one of the disk: the next
    /// one fails and may or may not have happened, and so does every further call.
    pub fn crash_after(&self, operations: u64) {
        self.machine().crash_after = Some(operations);
    }

    /// Operations so far.
    #[must_use]
    pub fn operations(&self) -> u64 {
        self.machine().operations
    }

    /// The disk after a power cut at this moment: what was synced, and a random part of what was
    /// not. Open files and locks are gone. This disk stays as it is, so that many seeds can be
    /// tried.
    #[must_use]
    pub fn crash(&self, seed: u64) -> Self {
        Self(SharedMachine::new(self.machine().after_crash(seed)))
    }

    /// Calls a function after each operation, with what a power cut at that moment gives. The
    /// function must not use this disk.
    pub fn watch(&self, watcher: impl FnMut(&Moment<'_>) + Send + 'static) {
        self.machine().watcher = Some(Watcher(Box::new(watcher)));
    }

    /// Limits the space of all files, in blocks of 4,096 bytes that were written. A write that does
    /// not fit is done as far as it fits and fails with `StorageFull`. `None`: no limit.
    pub fn limit_space(&self, bytes: Option<usize>) {
        self.machine().space = bytes;
    }

    /// Lets one sync fail: the next one with 0, the one after it with 1, and so on.
    pub fn fail_sync(&self, after: u64) {
        self.machine().fail_sync_after = Some(after);
    }

    /// How often a file was written or synced through a handle on which a sync had failed before:
    /// a mistake of the writer.
    #[must_use]
    pub fn retries_after_failed_sync(&self) -> u64 {
        self.machine().retries
    }

    fn machine(&self) -> MutexGuard<'_, Machine> {
        self.0.lock()
    }

    fn opening(&self, node: usize) -> Opening {
        Opening::new(self.0.clone(), node)
    }
}

impl Moment<'_> {
    /// Operations so far.
    #[must_use]
    pub fn operations(&self) -> u64 {
        self.0.operations
    }

    /// The disk after a power cut at this moment, as [`FailingDisk::crash`].
    #[must_use]
    pub fn crash(&self, seed: u64) -> FailingDisk {
        FailingDisk(SharedMachine::new(self.0.after_crash(seed)))
    }
}

impl Disk for FailingDisk {
    fn create_dir(&self, path: &Path) -> io::Result<()> {
        self.machine().create_dir(path)
    }

    fn create(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        let node = self.machine().create_file(path)?;
        Ok(Box::new(FileHandle::new(self.opening(node))))
    }

    fn database(&self, path: &Path, access: Access) -> io::Result<Box<dyn redb::StorageBackend>> {
        let node = match access {
            Access::Create => self.machine().create_file(path)?,
            Access::Read | Access::Write => self.machine().file_at(path)?,
        };
        Ok(Box::new(DatabaseHandle::new(self.opening(node), access != Access::Read)))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.machine().rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.machine().remove(path)
    }

    fn list(&self, path: &Path) -> io::Result<Vec<String>> {
        self.machine().list(path)
    }

    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let machine = self.machine();
        let node = machine.file_at(path)?;
        Ok(machine.file(node).bytes().to_vec())
    }

    fn map(&self, path: &Path) -> io::Result<Mapped> {
        self.read(path).map(Mapped::owned)
    }

    fn sync_dir(&self, path: &Path) -> io::Result<()> {
        self.machine().sync_dir(path)
    }

    fn lock(&self, path: &Path) -> io::Result<Lock> {
        let node = self.machine().file_or_new(path)?;
        let opening = self.opening(node);
        if !opening.try_lock(Span::new(Bound::Unbounded, Bound::Unbounded), true) {
            let machine = self.machine();
            let pid = str::from_utf8(machine.file(node).bytes()).ok();
            return Ok(Lock::Held { pid: pid.and_then(|pid| pid.trim().parse().ok()) });
        }
        let pid = format!("{}\n", std::process::id());
        let mut machine = self.machine();
        machine.set_length(node, 0)?;
        machine.write(node, 0, pid.as_bytes())?;
        drop(machine);
        Ok(Lock::Acquired(LockGuard::new(opening)))
    }
}

#[cfg(test)]
mod tests;
