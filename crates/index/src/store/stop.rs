//! No write after a failed one.

use redb::{BackendError, StorageBackend};
use std::io;
use std::ops::Bound;
use std::sync::{Arc, OnceLock};

/// Why writing has stopped, once it has.
#[derive(Debug, Clone, Default)]
pub(super) struct Stop(Arc<OnceLock<String>>);

impl Stop {
    /// Stops all writing. The first reason is kept.
    pub(super) fn set(&self, reason: impl Into<String>) {
        self.0.get_or_init(|| reason.into());
    }

    pub(super) fn reason(&self) -> Option<&str> {
        self.0.get().map(String::as_str)
    }
}

/// A file of redb that is not written any more after an error of writing or syncing it: what it
/// holds is unknown then, and a second sync that succeeds proves nothing.
#[derive(Debug)]
pub(super) struct StoppingFile {
    file: Box<dyn StorageBackend>,
    stop: Stop,
}

impl StoppingFile {
    pub(super) fn new(file: Box<dyn StorageBackend>, stop: Stop) -> Self {
        Self { file, stop }
    }

    fn unless_stopped(&self, write: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
        if let Some(reason) = self.stop.reason() {
            return Err(io::Error::other(format!("an earlier write failed ({reason})")));
        }
        write().inspect_err(|error| self.stop.set(error.to_string()))
    }
}

impl StorageBackend for StoppingFile {
    fn len(&self) -> io::Result<u64> {
        self.file.len()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.file.read(offset, out)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.unless_stopped(|| self.file.set_len(len))
    }

    fn sync_data(&self) -> io::Result<()> {
        self.unless_stopped(|| self.file.sync_data())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.unless_stopped(|| self.file.write(offset, data))
    }

    fn close(&self) -> io::Result<()> {
        self.file.close()
    }

    fn try_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.file.try_lock_range(start, end)
    }

    fn try_lock_shared_range(
        &self,
        start: Bound<u64>,
        end: Bound<u64>,
    ) -> Result<bool, BackendError> {
        self.file.try_lock_shared_range(start, end)
    }

    fn lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.file.lock_range(start, end)
    }

    fn lock_shared_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.file.lock_shared_range(start, end)
    }

    fn unlock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.file.unlock_range(start, end)
    }

    fn query_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.file.query_lock_range(start, end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU32, Ordering};

    /// Counts the calls that write or sync; a sync fails.
    #[derive(Debug, Default)]
    struct FailingSync(Arc<AtomicU32>);

    impl StorageBackend for FailingSync {
        fn len(&self) -> io::Result<u64> {
            Ok(1)
        }

        fn read(&self, _: u64, out: &mut [u8]) -> io::Result<()> {
            out.fill(b'1');
            Ok(())
        }

        fn set_len(&self, _: u64) -> io::Result<()> {
            self.0.fetch_add(1, Ordering::Relaxed);
            Ok(())
        }

        fn sync_data(&self) -> io::Result<()> {
            self.0.fetch_add(1, Ordering::Relaxed);
            Err(io::Error::other("input/output error"))
        }

        fn write(&self, _: u64, _: &[u8]) -> io::Result<()> {
            self.0.fetch_add(1, Ordering::Relaxed);
            Ok(())
        }
    }

    #[test]
    fn after_a_failed_sync_the_disk_is_left_alone() {
        let (calls, stop) = (Arc::default(), Stop::default());
        let file = StoppingFile::new(Box::new(FailingSync(Arc::clone(&calls))), stop.clone());
        file.set_len(4096).unwrap();
        file.write(0, b"1").unwrap();
        file.sync_data().unwrap_err();
        assert_eq!(stop.reason(), Some("input/output error"));
        file.sync_data().unwrap_err();
        file.set_len(0).unwrap_err();
        let error = file.write(0, b"2").unwrap_err();
        assert_eq!(error.to_string(), "an earlier write failed (input/output error)");
        assert_eq!(calls.load(Ordering::Relaxed), 3);
        let mut byte = [0];
        file.read(0, &mut byte).unwrap();
        assert_eq!(byte, *b"1");
    }
}
