//! One file being written: counts its bytes, names its path in every error.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::OutputError;

/// A new file; its folder is made on the way.
#[derive(Debug)]
pub(crate) struct OutputFile {
    path: PathBuf,
    file: BufWriter<File>,
    bytes: u64,
}

impl OutputFile {
    pub(crate) fn create(path: PathBuf) -> Result<Self, OutputError> {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)
                .map_err(|e| OutputError::io("make the folder", folder, e))?;
        }
        let file = File::create(&path).map_err(|e| OutputError::io("create the file", &path, e))?;
        Ok(Self { path, file: BufWriter::with_capacity(1 << 16, file), bytes: 0 })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Bytes written so far.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    pub(crate) fn append(&mut self, data: &[u8]) -> Result<(), OutputError> {
        self.write_all(data).map_err(|e| OutputError::io("write the file", &self.path, e))
    }

    /// Hands everything to the system and gives the file's size. Reaching the disk is the concern of
    /// [`super::Staging::commit`].
    pub(crate) fn close(mut self) -> Result<u64, OutputError> {
        self.file.flush().map_err(|e| OutputError::io("write the file", &self.path, e))?;
        Ok(self.bytes)
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
