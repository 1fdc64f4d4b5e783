//! Pieces of data in, one behind the other in one file; each of them, when it is asked for, out.
//!
//! A *frame* is a head and a body. The head is compressed and read as a whole; the body lies there as it
//! is, and parts of it can be read. Both have checksums. A file whose writer was killed ends in half a
//! frame: [`FrameFile::reopen`] keeps the whole ones before it.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::Path;
use xxhash_rust::xxh3::{Xxh3, xxh3_64, xxh3_64_with_seed};

/// How a frame begins: what it is, and the version of this form.
const MAGIC: &[u8; 8] = b"LKFRAME1";

/// Bytes before the head: [`MAGIC`], lengths of the head (compressed, plain) and the body, checksum of the
/// body, checksum of all this and of the head.
const HEADER: usize = 40;

/// The fastest level that still finds what repeats.
const LEVEL: i32 = 1;

/// Where a frame lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frame {
    start: u64,
    /// Bytes of the compressed head.
    head: u32,
    body: u64,
}

impl Frame {
    fn body_start(self) -> u64 {
        self.start + HEADER as u64 + u64::from(self.head)
    }

    fn end(self) -> u64 {
        self.body_start() + self.body
    }
}

/// A file of frames.
///
/// ```
/// use lookalike_io::scratch::FrameFile;
///
/// let mut file = FrameFile::unnamed(&std::env::temp_dir())?;
/// let frame = file.append(b"what it is", b"a lot of data")?;
/// assert_eq!(file.head(frame)?, b"what it is");
/// let mut part = [0; 3];
/// file.read_body(frame, 5, &mut part)?;
/// assert_eq!(&part, b" of");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct FrameFile {
    file: File,
    end: u64,
}

/// What was in a file that was opened again.
#[derive(Debug)]
pub struct Reopened {
    /// The file, ready to be appended to.
    pub file: FrameFile,
    /// The frames that are whole.
    pub frames: Vec<Frame>,
    /// Bytes behind them that are not, and were dropped.
    pub dropped: u64,
}

impl FrameFile {
    /// A file without a name in a folder: whatever ends the process, nothing is left behind.
    ///
    /// # Errors
    /// What the system says.
    pub fn unnamed(folder: &Path) -> io::Result<Self> {
        Ok(Self { file: tempfile::tempfile_in(folder)?, end: 0 })
    }

    /// Opens a file, or makes it, and checks all of it: what comes behind the last whole frame is dropped.
    ///
    /// # Errors
    /// What the system says.
    pub fn reopen(path: &Path) -> io::Result<Reopened> {
        let mut options = File::options();
        let file = options.read(true).write(true).create(true).truncate(false).open(path)?;
        let length = file.metadata()?.len();
        let mut reader = BufReader::with_capacity(1 << 20, &file);
        let (mut frames, mut end) = (Vec::new(), 0);
        while let Some(frame) = next_frame(&mut reader, end, length)? {
            end = frame.end();
            frames.push(frame);
        }
        drop(reader);
        file.set_len(end)?;
        let mut file = Self { file, end };
        file.file.seek(SeekFrom::Start(end))?;
        Ok(Reopened { file, frames, dropped: length - end })
    }

    /// Bytes in the file.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.end
    }

    /// Writes a frame.
    ///
    /// # Errors
    /// What the system says; a head beyond 4 GiB.
    pub fn append(&mut self, head: &[u8], body: &[u8]) -> io::Result<Frame> {
        let too_long = || io::Error::new(io::ErrorKind::InvalidInput, "a frame's head over 4 GiB");
        let plain = u32::try_from(head.len()).map_err(|_| too_long())?;
        let head = zstd::bulk::compress(head, LEVEL)?;
        let length = u32::try_from(head.len()).map_err(|_| too_long())?;
        let frame = Frame { start: self.end, head: length, body: body.len() as u64 };
        let mut header = [0; HEADER];
        header[..8].copy_from_slice(MAGIC);
        header[8..12].copy_from_slice(&length.to_le_bytes());
        header[12..16].copy_from_slice(&plain.to_le_bytes());
        header[16..24].copy_from_slice(&frame.body.to_le_bytes());
        header[24..32].copy_from_slice(&xxh3_64(body).to_le_bytes());
        let sum = xxh3_64_with_seed(&head, xxh3_64(&header[..32]));
        header[32..].copy_from_slice(&sum.to_le_bytes());
        self.file.write_all(&header)?;
        self.file.write_all(&head)?;
        self.file.write_all(body)?;
        self.end = frame.end();
        Ok(frame)
    }

    /// The head of a frame.
    ///
    /// # Errors
    /// What the system says, or that it is not what was written.
    pub fn head(&self, frame: Frame) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; HEADER + frame.head as usize];
        read_at(&self.file, &mut bytes, frame.start)?;
        let (header, head) = bytes.split_at(HEADER);
        match plain_length(header, head) {
            Some(plain) => zstd::bulk::decompress(head, plain),
            None => Err(damaged()),
        }
    }

    /// The body of a frame, in place of what is in `body`.
    ///
    /// # Errors
    /// What the system says, or that it is not what was written.
    pub fn body(&self, frame: Frame, body: &mut Vec<u8>) -> io::Result<()> {
        let mut header = [0; HEADER];
        read_at(&self.file, &mut header, frame.start)?;
        body.resize(usize::try_from(frame.body).map_err(|_| damaged())?, 0);
        read_at(&self.file, body, frame.body_start())?;
        match header.starts_with(MAGIC) && xxh3_64(body).to_le_bytes() == header[24..32] {
            true => Ok(()),
            false => Err(damaged()),
        }
    }

    /// A part of the body of a frame, unchecked: whoever wrote it knows what its parts are.
    ///
    /// # Errors
    /// What the system says.
    pub fn read_body(&self, frame: Frame, from: u64, bytes: &mut [u8]) -> io::Result<()> {
        read_at(&self.file, bytes, frame.body_start() + from)
    }

    /// Brings all that was written to the disk.
    ///
    /// # Errors
    /// What the system says.
    pub fn sync(&self) -> io::Result<()> {
        self.file.sync_data()
    }
}

/// The error for bytes that are not what was written.
pub(super) fn damaged() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "it came back other than it was written")
}

/// Length of the plain head, if the checksum of header and head holds.
fn plain_length(header: &[u8], head: &[u8]) -> Option<usize> {
    let word = |at: usize| Some(u64::from_le_bytes(header.get(at..at + 8)?.try_into().ok()?));
    let holds =
        header.starts_with(MAGIC) && word(32)? == xxh3_64_with_seed(head, xxh3_64(&header[..32]));
    holds.then_some((word(8)? >> 32) as usize)
}

/// The frame at `start`, if it is whole.
fn next_frame(reader: &mut impl Read, start: u64, length: u64) -> io::Result<Option<Frame>> {
    let mut header = [0; HEADER];
    if length - start < HEADER as u64 {
        return Ok(None);
    }
    reader.read_exact(&mut header)?;
    let word = |at: usize| u64::from_le_bytes(header[at..at + 8].try_into().unwrap_or_default());
    let frame = Frame { start, head: word(8) as u32, body: word(16) };
    let fits = u128::from(start) + HEADER as u128 + u128::from(frame.head) + u128::from(frame.body)
        <= u128::from(length);
    if !header.starts_with(MAGIC) || !fits {
        return Ok(None);
    }
    let mut head = vec![0; frame.head as usize];
    reader.read_exact(&mut head)?;
    if plain_length(&header, &head).is_none() {
        return Ok(None);
    }
    let mut sum = Xxh3::new();
    let (mut buffer, mut left) = (vec![0; 1 << 16], frame.body);
    while left > 0 {
        let part = left.min(buffer.len() as u64) as usize;
        reader.read_exact(&mut buffer[..part])?;
        sum.update(&buffer[..part]);
        left -= part as u64;
    }
    Ok((sum.digest() == word(24)).then_some(frame))
}

#[cfg(unix)]
fn read_at(file: &File, bytes: &mut [u8], at: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, at)
}

#[cfg(windows)]
fn read_at(file: &File, mut bytes: &mut [u8], mut at: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        match std::os::windows::fs::FileExt::seek_read(file, bytes, at)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            read => {
                bytes = &mut bytes[read..];
                at += read as u64;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(number: u8) -> (Vec<u8>, Vec<u8>) {
        (vec![number; 50 + number as usize], (0..number).flat_map(|n| [n, number]).collect())
    }

    fn written(path: &Path, pieces: u8) -> Vec<Frame> {
        let mut file = FrameFile::reopen(path).unwrap().file;
        (0..pieces).map(|n| file.append(&piece(n).0, &piece(n).1).unwrap()).collect()
    }

    #[test]
    fn frames_come_back_and_more_can_be_added() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("frames");
        let frames = written(&path, 9);
        let Reopened { mut file, frames: found, dropped } = FrameFile::reopen(&path).unwrap();
        assert_eq!((found, dropped), (frames, 0));
        let last = file.append(b"more", b"0123456789").unwrap();
        let found = FrameFile::reopen(&path).unwrap();
        assert_eq!(found.frames[9], last);
        assert_eq!(found.file.bytes(), file.bytes());
        for (number, &frame) in found.frames[..9].iter().enumerate() {
            let (head, body) = piece(number as u8);
            assert_eq!(found.file.head(frame).unwrap(), head);
            let mut read = vec![0; body.len()];
            found.file.read_body(frame, 0, &mut read).unwrap();
            assert_eq!(read, body);
            read.push(1);
            found.file.body(frame, &mut read).unwrap();
            assert_eq!(read, body);
        }
    }

    /// Cut anywhere, or with any byte changed: the frames before that place are there, and no others.
    #[test]
    fn what_is_not_whole_is_dropped() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("frames");
        let frames = written(&path, 4);
        let bytes = std::fs::read(&path).unwrap();
        for at in 0..bytes.len() {
            let whole = frames.iter().take_while(|frame| frame.end() <= at as u64).count();
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x40;
            for content in [&bytes[..at], &damaged] {
                std::fs::write(&path, content).unwrap();
                let found = FrameFile::reopen(&path).unwrap();
                assert_eq!(found.frames, frames[..whole], "byte {at}");
                assert_eq!(found.file.bytes() + found.dropped, content.len() as u64);
            }
        }
    }

    #[test]
    fn a_head_that_changed_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("frames");
        let frame = written(&path, 3)[2];
        let file = FrameFile::reopen(&path).unwrap().file;
        let mut bytes = std::fs::read(&path).unwrap();
        bytes[frame.start as usize + HEADER + 3] ^= 1;
        std::fs::write(&path, bytes).unwrap();
        assert!(file.head(frame).is_err());
    }
}
