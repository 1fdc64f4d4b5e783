//! Open files of the failing disk.

use super::directory::Node;
use super::locks::Span;
use super::machine::SharedMachine;
use lookalike_index::DiskFile;
use redb::{BackendError, StorageBackend};
use std::io::{self, Write};
use std::ops::Bound;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// An opening of a file. Its locks end when it is dropped.
#[derive(Debug)]
pub(super) struct Opening {
    disk: SharedMachine,
    node: Node,
    number: u64,
    sync_failed: AtomicBool,
}

impl Opening {
    pub(super) fn new(disk: SharedMachine, node: Node) -> Self {
        let mut machine = disk.lock();
        machine.openings += 1;
        let number = machine.openings;
        drop(machine);
        Self { disk, node, number, sync_failed: AtomicBool::new(false) }
    }

    pub(super) fn try_lock(&self, range: Span, exclusive: bool) -> bool {
        self.disk.lock().locks.take(self.node, self.number, range, exclusive)
    }

    fn len(&self) -> usize {
        self.disk.lock().file(self.node).bytes().len()
    }

    /// Fails, and counts it, if a sync has failed on this opening.
    fn usable(&self) -> io::Result<()> {
        if self.sync_failed.load(Ordering::Relaxed) {
            self.disk.lock().retries += 1;
            return Err(io::Error::other("a sync of this file has failed before"));
        }
        Ok(())
    }

    fn write(&self, offset: usize, bytes: &[u8]) -> io::Result<()> {
        self.usable()?;
        self.disk.lock().write(self.node, offset, bytes)
    }

    fn set_length(&self, length: u64) -> io::Result<()> {
        self.usable()?;
        self.disk.lock().set_length(self.node, place(length)?)
    }

    fn sync(&self) -> io::Result<()> {
        self.usable()?;
        let result = self.disk.lock().sync_file(self.node);
        self.sync_failed.store(result.is_err(), Ordering::Relaxed);
        result
    }
}

impl Drop for Opening {
    fn drop(&mut self) {
        self.disk.lock().locks.release_all(self.number);
    }
}

fn place(offset: u64) -> io::Result<usize> {
    usize::try_from(offset).map_err(|_| io::ErrorKind::FileTooLarge.into())
}

/// A file that is being written.
#[derive(Debug)]
pub(super) struct FileHandle(Opening);

impl FileHandle {
    pub(super) fn new(opening: Opening) -> Self {
        Self(opening)
    }
}

impl Write for FileHandle {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let end = self.0.len();
        self.0.write(end, bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl DiskFile for FileHandle {
    fn write_at(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.0.write(place(offset)?, bytes)
    }

    fn set_len(&mut self, length: u64) -> io::Result<()> {
        self.0.set_length(length)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.0.sync()
    }
}

/// A file of redb.
#[derive(Debug)]
pub(super) struct DatabaseHandle {
    opening: Opening,
    writable: bool,
}

impl DatabaseHandle {
    pub(super) fn new(opening: Opening, writable: bool) -> Self {
        Self { opening, writable }
    }

    fn writable(&self) -> io::Result<()> {
        if self.writable { Ok(()) } else { Err(io::ErrorKind::PermissionDenied.into()) }
    }

    fn wait_for(&self, range: Span, exclusive: bool) {
        while !self.opening.try_lock(range, exclusive) {
            thread::sleep(Duration::from_micros(50));
        }
    }
}

impl StorageBackend for DatabaseHandle {
    fn len(&self) -> io::Result<u64> {
        Ok(self.opening.len() as u64)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let machine = self.opening.disk.lock();
        machine.powered()?;
        let offset = place(offset)?;
        let bytes = machine.file(self.opening.node).bytes().get(offset..offset + out.len());
        out.copy_from_slice(bytes.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }

    fn set_len(&self, length: u64) -> io::Result<()> {
        self.writable()?;
        self.opening.set_length(length)
    }

    fn sync_data(&self) -> io::Result<()> {
        self.writable()?;
        self.opening.sync()
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.writable()?;
        self.opening.write(place(offset)?, data)
    }

    fn close(&self) -> io::Result<()> {
        self.opening.disk.lock().locks.release_all(self.opening.number);
        Ok(())
    }

    fn try_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        Ok(self.opening.try_lock(Span::new(start, end), true))
    }

    fn try_lock_shared_range(
        &self,
        start: Bound<u64>,
        end: Bound<u64>,
    ) -> Result<bool, BackendError> {
        Ok(self.opening.try_lock(Span::new(start, end), false))
    }

    fn lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.wait_for(Span::new(start, end), true);
        Ok(())
    }

    fn lock_shared_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.wait_for(Span::new(start, end), false);
        Ok(())
    }

    fn unlock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.opening.disk.lock().locks.release(self.opening.number, Span::new(start, end));
        Ok(())
    }

    fn query_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        let range = Span::new(start, end);
        let machine = self.opening.disk.lock();
        Ok(machine.locks.conflict(self.opening.node, self.opening.number, range, true))
    }
}
