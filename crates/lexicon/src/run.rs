//! Sorted runs: counts in order of fingerprints in a temporary file.

use crate::LexiconError;
use crate::format::number;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::Path;
use tempfile::{NamedTempFile, TempPath};

/// A term and its count.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Record {
    pub(crate) fingerprint: u64,
    pub(crate) frequency: u32,
    pub(crate) name: Vec<u8>,
}

/// A sorted run on disk; removed when dropped.
#[derive(Debug)]
pub(crate) struct Run {
    path: TempPath,
}

/// Writes a run.
#[derive(Debug)]
pub(crate) struct RunWriter {
    file: BufWriter<NamedTempFile>,
}

/// Reads a run.
#[derive(Debug)]
pub(crate) struct RunReader<'a> {
    path: &'a Path,
    file: BufReader<File>,
}

const BUFFER: usize = 256 * 1024;
/// Fingerprint, frequency, length of the name.
const FIXED: usize = 13;

impl RunWriter {
    pub(crate) fn new(folder: &Path) -> Result<Self, LexiconError> {
        let file = tempfile::Builder::new()
            .prefix(".lexicon-run-")
            .tempfile_in(folder)
            .map_err(LexiconError::io(folder))?;
        Ok(Self { file: BufWriter::with_capacity(BUFFER, file) })
    }

    pub(crate) fn push(&mut self, record: &Record) -> Result<(), LexiconError> {
        let mut fixed = [0; FIXED];
        fixed[..8].copy_from_slice(&record.fingerprint.to_le_bytes());
        fixed[8..12].copy_from_slice(&record.frequency.to_le_bytes());
        fixed[12] = record.name.len() as u8;
        let written = self.file.write_all(&fixed).and_then(|()| self.file.write_all(&record.name));
        written.map_err(|source| LexiconError::io(self.file.get_ref().path())(source))
    }

    pub(crate) fn finish(self) -> Result<Run, LexiconError> {
        let path = self.file.get_ref().path().to_owned();
        let file =
            self.file.into_inner().map_err(|error| LexiconError::io(&path)(error.into_error()))?;
        Ok(Run { path: file.into_temp_path() })
    }
}

impl Run {
    pub(crate) fn read(&self) -> Result<RunReader<'_>, LexiconError> {
        let path: &Path = &self.path;
        let file = File::open(path).map_err(LexiconError::io(path))?;
        Ok(RunReader { path, file: BufReader::with_capacity(BUFFER, file) })
    }
}

impl RunReader<'_> {
    /// Reads the next record; false after the last.
    pub(crate) fn read(&mut self, record: &mut Record) -> Result<bool, LexiconError> {
        self.try_read(record).map_err(LexiconError::io(self.path))
    }

    fn try_read(&mut self, record: &mut Record) -> io::Result<bool> {
        let mut fixed = [0; FIXED];
        if self.file.read(&mut fixed[..1])? == 0 {
            return Ok(false);
        }
        self.file.read_exact(&mut fixed[1..])?;
        record.fingerprint = number::<8>(&fixed, 0).unwrap_or_default();
        record.frequency = number::<4>(&fixed, 8).unwrap_or_default() as u32;
        record.name.resize(usize::from(fixed[12]), 0);
        self.file.read_exact(&mut record.name)?;
        Ok(true)
    }
}
