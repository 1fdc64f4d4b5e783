//! Checked file: complete and verified, or absent.

use crate::damage::damaged;
use crate::{Decoder, Encoder, regular_file};
use std::fs;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::Path;
use xxhash_rust::xxh3::Xxh3;

/// Bytes of the checksum at the end.
const SUM: u64 = 8;

/// Computes the checksum of all bytes that pass through.
struct Summing<T> {
    inner: T,
    sum: Xxh3,
}

impl<W: Write> Write for Summing<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.sum.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

impl<R: Read> Read for Summing<R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(bytes)?;
        self.sum.update(&bytes[..read]);
        Ok(read)
    }
}

/// Writes a file under a temporary name, flushes it to the disk, and renames it.
///
/// # Errors
/// The error of the operating system or of `write`.
pub fn write_checked_file(
    path: &Path,
    write: impl FnOnce(&mut Encoder<&mut dyn Write>) -> io::Result<()>,
) -> io::Result<()> {
    let partial = path.with_extension("partial");
    let file = regular_file::create(&partial)?;
    let mut out = Summing { inner: BufWriter::with_capacity(1 << 18, file), sum: Xxh3::new() };
    write(&mut Encoder(&mut out))?;
    out.inner.write_all(&out.sum.digest().to_le_bytes())?;
    out.inner.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()?;
    fs::rename(partial, path)
}

/// Reads what [`write_checked_file`] wrote; `None` if the file does not exist. `read` is also given
/// the number of bytes.
///
/// # Errors
/// The error of the operating system, or a checksum that does not match.
pub fn read_checked_file<T>(
    path: &Path,
    read: impl FnOnce(&mut Decoder<&mut dyn Read>, u64) -> io::Result<T>,
) -> io::Result<Option<T>> {
    let file = match regular_file::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        file => file?,
    };
    let length = file.metadata()?.len().checked_sub(SUM).ok_or_else(damaged)?;
    let mut file = BufReader::with_capacity(1 << 18, file);
    let mut content = Summing { inner: file.by_ref().take(length), sum: Xxh3::new() };
    let value = read(&mut Decoder(&mut content), length).map_err(|_| damaged())?;
    io::copy(&mut content, &mut io::sink())?;
    let found = content.sum.digest();
    let mut sum = [0; SUM as usize];
    file.read_exact(&mut sum)?;
    if found.to_le_bytes() == sum { Ok(Some(value)) } else { Err(damaged()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn complete_or_damaged_or_absent() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("units");
        let read = || {
            read_checked_file(&path, |decoder, most| {
                Ok((decoder.array::<u32>(most)?, decoder.array::<u64>(most)?))
            })
        };
        assert!(read().unwrap().is_none());
        let (small, large) = (vec![1u32, 2, 3], vec![u64::MAX; 40]);
        write_checked_file(&path, |encoder| {
            encoder.array(&small)?;
            encoder.array(&large)
        })
        .unwrap();
        assert_eq!(read().unwrap(), Some((small, large)));
        let bytes = std::fs::read(&path).unwrap();
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1;
            for content in [&bytes[..at], &damaged] {
                std::fs::write(&path, content).unwrap();
                assert!(read().is_err(), "byte {at}");
            }
        }
    }

    #[test]
    fn an_unfinished_file_is_absent() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("units");
        let fails = |_: &mut Encoder<&mut dyn Write>| Err(io::ErrorKind::StorageFull.into());
        assert!(write_checked_file(&path, fails).is_err());
        assert!(!path.exists());
    }
}
