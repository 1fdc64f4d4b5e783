//! Opens inputs, files and objects: the only place that does, so that every failure names its path.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;
use lookalike_store::{ObjectReader, StoreError};
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, Length};

use crate::InputFile;

/// An open input.
#[derive(Debug)]
pub(crate) enum Opened {
    /// A file.
    File(File),
    /// An object in a store, and its size.
    Object(ObjectReader, u64),
}

/// Opens an input for reading from its beginning.
pub(crate) fn open(input: &InputFile) -> io::Result<Opened> {
    open_columns(input, 1)
}

/// Opens an input of which so many parts are read in turns, as the columns of a Parquet file.
pub(crate) fn open_columns(input: &InputFile, columns: usize) -> io::Result<Opened> {
    match &input.object {
        None => File::open(&input.path).map(Opened::File),
        Some(object) => {
            Ok(Opened::Object(ObjectReader::new(Arc::clone(object), columns), object.size))
        }
    }
}

/// The first bytes of a file; fewer if it is shorter.
pub(crate) fn head(path: &Path, length: usize) -> io::Result<Vec<u8>> {
    let mut head = Vec::with_capacity(length);
    File::open(path)?.take(length as u64).read_to_end(&mut head)?;
    Ok(head)
}

/// The message of a [`Problem`](crate::Problem) for a failure to open; the problem names the path.
pub(crate) fn explain(error: &io::Error) -> String {
    if let Some(error) = error.get_ref().and_then(|inner| inner.downcast_ref::<StoreError>()) {
        return error.message();
    }
    let remedy = match error.kind() {
        io::ErrorKind::NotFound => "leave the inputs alone during a run",
        io::ErrorKind::PermissionDenied => "check its permissions",
        _ => "check the file and its disk",
    };
    format!("cannot be opened: {error}; {remedy}")
}

/// The message of a [`Problem`](crate::Problem) for a failure to read the first bytes.
pub(crate) fn explain_head(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied => explain(error),
        _ => format!("cannot be read: {error}; check its disk"),
    }
}

impl Opened {
    /// Another handle. It may share the position.
    pub(crate) fn try_clone(&self) -> io::Result<Self> {
        match self {
            Self::File(file) => file.try_clone().map(Self::File),
            Self::Object(reader, size) => Ok(Self::Object(reader.clone(), *size)),
        }
    }

    /// The message for the last request to a store that failed.
    pub(crate) fn failure(&self) -> Option<String> {
        match self {
            Self::File(_) => None,
            Self::Object(reader, _) => reader.failure().map(|error| error.message()),
        }
    }
}

impl Read for Opened {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::File(file) => file.read(out),
            Self::Object(reader, _) => reader.read(out),
        }
    }

    // A file reads into uninitialised memory.
    fn read_to_end(&mut self, out: &mut Vec<u8>) -> io::Result<usize> {
        match self {
            Self::File(file) => file.read_to_end(out),
            Self::Object(reader, _) => reader.read_to_end(out),
        }
    }
}

impl Seek for Opened {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match self {
            Self::File(file) => file.seek(to),
            Self::Object(reader, _) => reader.seek(to),
        }
    }
}

impl Length for Opened {
    fn len(&self) -> u64 {
        match self {
            Self::File(file) => file.len(),
            Self::Object(_, size) => *size,
        }
    }
}

impl ChunkReader for Opened {
    type T = BufReader<Self>;

    fn get_read(&self, start: u64) -> Result<Self::T, ParquetError> {
        let mut opened = self.try_clone()?;
        opened.seek(SeekFrom::Start(start))?;
        Ok(BufReader::new(opened))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes, ParquetError> {
        let bytes = match self {
            Self::File(file) => return file.get_bytes(start, length),
            Self::Object(reader, _) => reader.range(start, length).map_err(io::Error::from)?,
        };
        match bytes.len() == length {
            true => Ok(bytes),
            false => Err(ParquetError::EOF(format!("expected {length} bytes at {start}"))),
        }
    }
}
