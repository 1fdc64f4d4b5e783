//! An output file: counts its bytes, and names its path in every error.
//!
//! A result is synced to the disk before it gets its name ([`super::Staging::commit`]). Syncing
//! starts on another thread while the file is still growing, so that disk and processor work in
//! parallel.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;

use super::OutputError;
use lookalike_spill::regular_file;

/// A new file; missing folders are created.
#[derive(Debug)]
pub(crate) struct OutputFile {
    path: PathBuf,
    file: BufWriter<File>,
    bytes: u64,
    /// Bytes for which a sync was started.
    sent: u64,
    sending: Option<JoinHandle<io::Result<()>>>,
}

/// Fewest bytes per background sync.
const SENT: u64 = 32 << 20;

impl OutputFile {
    pub(crate) fn create(path: PathBuf) -> Result<Self, OutputError> {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)
                .map_err(|e| OutputError::io("make the folder", folder, e))?;
        }
        let file = regular_file::create(&path)
            .map_err(|e| OutputError::io("create the file", &path, e))?;
        Ok(Self {
            path,
            file: BufWriter::with_capacity(1 << 16, file),
            bytes: 0,
            sent: 0,
            sending: None,
        })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Bytes written so far.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    pub(crate) fn append(&mut self, data: &[u8]) -> Result<(), OutputError> {
        self.write_all(data)
            .and_then(|()| self.send())
            .map_err(|e| OutputError::io("write the file", &self.path, e))
    }

    /// Starts a background sync if enough bytes are unsynced and no sync is running.
    fn send(&mut self) -> io::Result<()> {
        if self.bytes - self.sent < SENT || self.sending.as_ref().is_some_and(|t| !t.is_finished())
        {
            return Ok(());
        }
        self.sent_well()?;
        self.sent = self.bytes;
        // Without further handles or threads, the commit syncs everything.
        if let Ok(file) = self.file.get_ref().try_clone() {
            let thread = std::thread::Builder::new().name("sync".into());
            self.sending = thread.spawn(move || file.sync_data()).ok();
        }
        Ok(())
    }

    /// Waits for the running sync. The system may report its failure only once, so it is kept.
    fn sent_well(&mut self) -> io::Result<()> {
        let died = |_| Err(io::Error::other("the thread that brings it to the disk has died"));
        self.sending.take().map_or(Ok(()), |thread| thread.join().unwrap_or_else(died))
    }

    /// Flushes the buffer and returns the file's size. [`super::Staging::commit`] syncs it.
    pub(crate) fn close(mut self) -> Result<u64, OutputError> {
        self.file
            .flush()
            .and_then(|()| self.sent_well())
            .map_err(|e| OutputError::io("write the file", &self.path, e))?;
        Ok(self.bytes)
    }
}

/// A running sync is never left behind: a file that is not finished is dropped when it has ended.
impl Drop for OutputFile {
    fn drop(&mut self) {
        let _ = self.sent_well();
    }
}

impl Write for OutputFile {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        let written = self.file.write(data)?;
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_file_is_sent_while_it_grows_and_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let mut file = OutputFile::create(path.clone()).unwrap();
        let block: Vec<u8> = (0..SENT / 4 + 1).map(|n| (n % 251) as u8).collect();
        let sent: Vec<u64> = (0..9)
            .map(|_| {
                file.append(&block).unwrap();
                file.sent
            })
            .collect();
        assert_eq!(sent[..3], [0; 3]);
        assert!(sent[3] == 4 * block.len() as u64 && file.sending.is_some(), "{sent:?}");
        assert_eq!(file.close().unwrap(), 9 * block.len() as u64);
        let read = std::fs::read(path).unwrap();
        assert!(read.chunks(block.len()).all(|chunk| chunk == block));
    }
}
