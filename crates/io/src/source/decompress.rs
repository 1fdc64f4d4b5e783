//! Decompresses a file as a stream of bounded memory.
//!
//! Consecutive members, frames and streams are read as one, as their formats define. gzip members
//! are read one by one here, because bytes after the last one (zeros, or garbage that `gzip` itself
//! only warns of) must be distinguished from damage.

use std::fmt;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::{Compression, InputFile};

use super::open::{self, Opened};

const BUFFER: usize = 1 << 18;
/// The largest window that `zstd` accepts without an extra option: 128 MiB.
const ZSTD_WINDOW_LOG: u32 = 27;
/// Enough for `xz -9`, which needs 65 MiB.
const XZ_MEMORY_KIB: u32 = 256 << 10;

/// Decompressed bytes of one file.
pub(crate) struct Decompressed {
    reader: Reader,
    /// Bytes of the compressed file that were read.
    used: Arc<AtomicU64>,
    compression: Compression,
    /// Another handle of an object, which knows why a request failed.
    object: Option<Opened>,
    /// See [`InputFile::damage`].
    damage: Option<String>,
    /// The last error of the file below the decoder.
    failed: LastError,
}

/// The last error of reading a file: not every decoder tells it from the end of its data.
#[derive(Clone, Default)]
struct LastError(Arc<Mutex<Option<io::Error>>>);

impl LastError {
    fn put(&self, error: &io::Error) {
        let kept = match error.raw_os_error() {
            Some(code) => io::Error::from_raw_os_error(code),
            None => io::Error::new(error.kind(), error.to_string()),
        };
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(kept);
    }

    /// Fails if there was an error.
    fn check(&self) -> io::Result<()> {
        let last = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        last.map_or(Ok(()), Err)
    }
}

enum Reader {
    Plain(Counted),
    Packed(Box<dyn Read + Send>),
}

impl Decompressed {
    /// Starts reading.
    pub(crate) fn open(input: &InputFile) -> io::Result<Self> {
        let (compression, damage) = (input.compression, input.damage.clone());
        let file = open::open(input)?;
        let object = input.object.is_some().then(|| file.try_clone()).transpose()?;
        let used = Arc::new(AtomicU64::new(0));
        let failed = LastError::default();
        let file = Counted { file, used: Arc::clone(&used), failed: failed.clone() };
        let buffered = |file| BufReader::with_capacity(BUFFER, file);
        let reader: Box<dyn Read + Send> = match compression {
            Compression::None => {
                let reader = Reader::Plain(file);
                return Ok(Self { reader, used, compression, object, damage, failed });
            }
            Compression::Gzip => Box::new(GzipMembers::new(buffered(file))?),
            Compression::Zstd => {
                let mut decoder = zstd::stream::read::Decoder::with_buffer(buffered(file))?;
                decoder.window_log_max(ZSTD_WINDOW_LOG)?;
                Box::new(decoder)
            }
            Compression::Bzip2 => Box::new(bzip2::bufread::MultiBzDecoder::new(buffered(file))),
            Compression::Xz => {
                Box::new(lzma_rust2::XzReader::new_mem_limit(buffered(file), true, XZ_MEMORY_KIB))
            }
        };
        Ok(Self { reader: Reader::Packed(reader), used, compression, object, damage, failed })
    }

    /// Appends the next `most` bytes, or all that are left.
    pub(crate) fn read_up_to(&mut self, most: usize, out: &mut Vec<u8>) -> io::Result<usize> {
        let read = self.append(most, out)?;
        match read < most && self.damage.is_some() {
            true => Err(io::ErrorKind::UnexpectedEof.into()),
            false => Ok(read),
        }
    }

    fn append(&mut self, most: usize, out: &mut Vec<u8>) -> io::Result<usize> {
        match &mut self.reader {
            // Reads into uninitialised memory: with `dyn Read`, the buffer would be zeroed first.
            Reader::Plain(counted) => {
                let before = out.len();
                let read = match &mut counted.file {
                    Opened::File(file) => file.take(most as u64).read_to_end(out),
                    Opened::Object(object, _) => object.take(most as u64).read_to_end(out),
                };
                counted.used.fetch_add((out.len() - before) as u64, Ordering::Relaxed);
                read
            }
            Reader::Packed(reader) => {
                let read = reader.take(most as u64).read_to_end(out)?;
                self.failed.check()?;
                Ok(read)
            }
        }
    }

    /// Seeks in an uncompressed file; skipped bytes count as used.
    pub(crate) fn seek(&mut self, offset: u64) -> io::Result<()> {
        let Reader::Plain(counted) = &mut self.reader else {
            return Err(io::Error::from(io::ErrorKind::Unsupported));
        };
        counted.file.seek(SeekFrom::Start(offset))?;
        counted.used.store(offset, Ordering::Relaxed);
        Ok(())
    }

    /// Bytes of the compressed file that were read so far.
    pub(crate) fn used(&self) -> u64 {
        self.used.load(Ordering::Relaxed)
    }

    /// Classifies an error.
    pub(crate) fn explain(&self, error: &io::Error) -> Failure {
        if error.get_ref().is_some_and(|inner| inner.is::<Trailing>()) {
            return Failure::Trailing;
        }
        if let Some(damage) = &self.damage {
            return Failure::damage(damage.clone());
        }
        if let Some(failure) = self.object.as_ref().and_then(Opened::failure) {
            return Failure::damage(failure);
        }
        let name = match self.compression {
            Compression::None => {
                return Failure::damage(format!("cannot be read: {error}; check its disk"));
            }
            Compression::Gzip => "gzip",
            Compression::Zstd => "zstd",
            Compression::Bzip2 => "bzip2",
            Compression::Xz => "xz",
        };
        let words = error.to_string();
        Failure::damage(if error.raw_os_error().is_some() {
            format!("cannot be read: {error}; check its disk")
        } else if words.contains("too much memory") || error.kind() == io::ErrorKind::OutOfMemory {
            let (room, remedy) = match self.compression {
                Compression::Xz => ("more than 256 MiB", "with xz -9 or less"),
                _ => ("a larger window than 128 MiB", "with zstd --long=27 or less"),
            };
            format!(
                "unpacking the {name} data needs {room}; compress it again {remedy}, or give it unpacked"
            )
        } else if error.kind() == io::ErrorKind::UnexpectedEof {
            format!("the {name} data is cut off; get the whole file")
        } else {
            format!("the {name} data is damaged: {words}; get a good copy")
        })
    }
}

impl Read for Decompressed {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        match &mut self.reader {
            Reader::Plain(counted) => counted.read(out),
            Reader::Packed(reader) => {
                let read = reader.read(out)?;
                self.failed.check()?;
                Ok(read)
            }
        }
    }
}

/// Why reading ended early.
#[derive(Debug)]
pub(crate) enum Failure {
    /// All compressed data was read and is valid; other bytes follow it.
    Trailing,
    /// The rest cannot be read.
    Damage(String),
}

impl Failure {
    fn damage(message: String) -> Self {
        Self::Damage(message)
    }

    /// The message, if data was lost.
    pub(crate) fn fatal(self) -> Option<String> {
        match self {
            Self::Trailing => None,
            Self::Damage(message) => Some(message),
        }
    }

    /// The message.
    pub(crate) fn message(&self) -> &str {
        match self {
            Self::Trailing => {
                "something that is not gzip data follows the gzip data; it is ignored, as gzip does"
            }
            Self::Damage(message) => message,
        }
    }
}

/// Counts the bytes read of a file.
struct Counted {
    file: Opened,
    used: Arc<AtomicU64>,
    failed: LastError,
}

impl Read for Counted {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(out);
        match &read {
            Ok(read) => _ = self.used.fetch_add(*read as u64, Ordering::Relaxed),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => self.failed.put(error),
        }
        read
    }
}

/// Marks the error for trailing data after the last member.
#[derive(Debug)]
struct Trailing;

impl fmt::Display for Trailing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("trailing garbage after the data")
    }
}

impl std::error::Error for Trailing {}

/// Members of a gzip file (RFC 1952, section 2.2), one after the other.
struct GzipMembers<R> {
    member: Option<flate2::bufread::GzDecoder<R>>,
}

impl<R: BufRead> GzipMembers<R> {
    fn new(mut rest: R) -> io::Result<Self> {
        let empty = rest.fill_buf()?.is_empty();
        Ok(Self { member: (!empty).then(|| flate2::bufread::GzDecoder::new(rest)) })
    }

    /// The next member, if there is one.
    fn following(mut rest: R) -> io::Result<Option<flate2::bufread::GzDecoder<R>>> {
        loop {
            let seen = rest.fill_buf()?;
            // Tapes are padded with zeros.
            let zeros = seen.iter().take_while(|byte| **byte == 0).count();
            match seen.get(zeros..) {
                _ if seen.is_empty() => return Ok(None),
                Some([]) => rest.consume(zeros),
                Some([0x1f] | [0x1f, 0x8b, ..]) => {
                    rest.consume(zeros);
                    return Ok(Some(flate2::bufread::GzDecoder::new(rest)));
                }
                _ => return Err(io::Error::other(Trailing)),
            }
        }
    }
}

impl<R: BufRead> Read for GzipMembers<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while let Some(member) = &mut self.member {
            let read = member.read(out)?;
            if read > 0 || out.is_empty() {
                return Ok(read);
            }
            if let Some(ended) = self.member.take() {
                self.member = Self::following(ended.into_inner())?;
            }
        }
        Ok(0)
    }
}
