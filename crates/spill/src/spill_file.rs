//! Spill file: an append-only sequence of frames.
//!
//! A frame has a head, a front and a back. The head is bytes, compressed, and read as a whole.
//! Front and back are arrays of words stored uncompressed, so that ranges of them can be read. Each
//! of the three has a checksum, and one of the checksums covers the offset of the frame in the
//! file, so a frame that was lost, repeated or moved is detected as damage. A file whose writer was
//! killed may end in an incomplete frame: [`SpillFile::reopen`] keeps the complete ones before it.

mod frame;
mod positioned;
#[cfg(test)]
mod tests;

pub use frame::Frame;

use crate::damage::damaged;
use crate::regular_file;
use frame::{HEADER, MAGIC, WORD, head_sum, next_frame, plain_length};
use positioned::{read_at, write_at};
use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufReader};
use std::path::Path;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};
use zerocopy::IntoBytes;

/// Zstandard level: the fastest that still finds repetitions.
const LEVEL: i32 = 1;

/// An append-only file of frames.
///
/// ```
/// use lookalike_spill::SpillFile;
///
/// let mut file = SpillFile::unnamed(&std::env::temp_dir())?;
/// let frame = file.append(b"what it is", &[1, 2, 3], &[4, 5, 6, 7])?;
/// assert_eq!(file.head(frame)?, b"what it is");
/// let mut part = [0; 2];
/// file.read_back(frame, 1, &mut part)?;
/// assert_eq!(part, [5, 6]);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct SpillFile {
    file: File,
    end: u64,
}

/// The content of a reopened file.
#[derive(Debug)]
pub struct Reopened {
    /// The file; new frames are appended after the last complete one.
    pub file: SpillFile,
    /// The complete frames, in file order.
    pub frames: Vec<Frame>,
    /// Bytes after them that were incomplete or damaged, and were removed.
    pub dropped: u64,
}

impl SpillFile {
    /// Creates a file without a name in a folder; the system removes it when the process ends.
    ///
    /// # Errors
    /// The error of the operating system.
    pub fn unnamed(folder: &Path) -> io::Result<Self> {
        Ok(Self { file: tempfile::tempfile_in(folder)?, end: 0 })
    }

    /// Opens or creates a file and verifies all of it; what follows the last complete frame is
    /// removed. O(bytes).
    ///
    /// # Errors
    /// The error of the operating system.
    pub fn reopen(path: &Path) -> io::Result<Reopened> {
        let mut options = File::options();
        options.read(true).write(true).create(true).truncate(false);
        let file = regular_file::open_with(&mut options, path)?;
        let length = file.metadata()?.len();
        let mut reader = BufReader::with_capacity(1 << 20, &file);
        let (mut frames, mut end) = (Vec::new(), 0);
        while let Some(frame) = next_frame(&mut reader, end, length)? {
            end = frame.end();
            frames.push(frame);
        }
        drop(reader);
        file.set_len(end)?;
        Ok(Reopened { file: Self { file, end }, frames, dropped: length - end })
    }

    /// Removes a frame and all frames after it.
    ///
    /// # Errors
    /// The error of the operating system.
    pub fn cut(&mut self, frame: Frame) -> io::Result<()> {
        self.file.set_len(frame.start)?;
        self.end = frame.start;
        Ok(())
    }

    /// Bytes in the file.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.end
    }

    /// Appends a frame.
    ///
    /// # Errors
    /// The error of the operating system; a head beyond 4 GiB.
    pub fn append(&mut self, head: &[u8], front: &[u64], back: &[u64]) -> io::Result<Frame> {
        self.append_pieces(head, [front], [back])
    }

    /// Appends a frame whose front and back are given in several pieces.
    ///
    /// # Errors
    /// As [`SpillFile::append`].
    pub fn append_pieces<const N: usize>(
        &mut self,
        head: &[u8],
        front: [&[u64]; N],
        back: [&[u64]; N],
    ) -> io::Result<Frame> {
        let too_long = || io::Error::new(io::ErrorKind::InvalidInput, "a frame's head over 4 GiB");
        let plain = u32::try_from(head.len()).map_err(|_| too_long())?;
        let head = zstd::bulk::compress(head, LEVEL)?;
        let length = u32::try_from(head.len()).map_err(|_| too_long())?;
        let words = |pieces: [&[u64]; N]| pieces.iter().map(|piece| piece.len() as u64).sum();
        let (first, last) = (words(front), words(back));
        let frame = Frame { start: self.end, head: length, front: first, back: last };
        let (front, back) = (front.map(little_endian), back.map(little_endian));
        let sum = |pieces: &[Cow<'_, [u64]>; N]| {
            let mut sum = Xxh3::new();
            pieces.iter().for_each(|piece| sum.update(piece.as_bytes()));
            sum.digest()
        };
        let mut header = [0; HEADER];
        header[..8].copy_from_slice(MAGIC);
        header[8..12].copy_from_slice(&length.to_le_bytes());
        header[12..16].copy_from_slice(&plain.to_le_bytes());
        let words = [first, last, sum(&front), sum(&back)];
        for (bytes, word) in header[16..48].chunks_exact_mut(8).zip(words) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
        let sum = head_sum(&header, &head, frame.start);
        header[48..].copy_from_slice(&sum.to_le_bytes());
        let pieces = front.iter().chain(&back).map(|piece| piece.as_bytes());
        let mut at = self.end;
        for bytes in [&header, head.as_slice()].into_iter().chain(pieces) {
            write_at(&self.file, bytes, at)?;
            at += bytes.len() as u64;
        }
        self.end = frame.end();
        Ok(frame)
    }

    /// Reads the head of a frame.
    ///
    /// # Errors
    /// The error of the operating system, or a checksum that does not match.
    pub fn head(&self, frame: Frame) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; HEADER + frame.head as usize];
        read_at(&self.file, &mut bytes, frame.start)?;
        let (header, head) = bytes.split_at(HEADER);
        match plain_length(header, head, frame.start) {
            Some(plain) => zstd::bulk::decompress(head, plain),
            None => Err(damaged()),
        }
    }

    /// Reads the front of a frame; replaces the content of `words`.
    ///
    /// # Errors
    /// The error of the operating system, or a checksum that does not match.
    pub fn front(&self, frame: Frame, words: &mut Vec<u64>) -> io::Result<()> {
        self.whole(frame, (frame.front_start(), frame.front), 32, words)
    }

    /// Reads the back of a frame; replaces the content of `words`.
    ///
    /// # Errors
    /// The error of the operating system, or a checksum that does not match.
    pub fn back(&self, frame: Frame, words: &mut Vec<u64>) -> io::Result<()> {
        self.whole(frame, (frame.back_start(), frame.back), 40, words)
    }

    /// Reads `count` words at byte `start` and verifies the checksum at byte `sum` of the header.
    fn whole(
        &self,
        frame: Frame,
        (start, count): (u64, u64),
        sum: usize,
        words: &mut Vec<u64>,
    ) -> io::Result<()> {
        let mut header = [0; HEADER];
        read_at(&self.file, &mut header, frame.start)?;
        words.resize(usize::try_from(count).map_err(|_| damaged())?, 0);
        read_at(&self.file, words.as_mut_bytes(), start)?;
        let found = xxh3_64(words.as_bytes()).to_le_bytes();
        words.iter_mut().for_each(|word| *word = u64::from_le(*word));
        match header.starts_with(MAGIC) && found == header[sum..sum + 8] {
            true => Ok(()),
            false => Err(damaged()),
        }
    }

    /// Reads words of the front of a frame, from index `from` on. Not verified: the caller needs
    /// checksums of its own.
    ///
    /// # Errors
    /// The error of the operating system, or a range beyond the front.
    pub fn read_front(&self, frame: Frame, from: u64, words: &mut [u64]) -> io::Result<()> {
        self.words((frame.front_start(), frame.front), from, words)
    }

    /// Reads words of the back of a frame, as [`SpillFile::read_front`] does of the front.
    ///
    /// # Errors
    /// The error of the operating system, or a range beyond the back.
    pub fn read_back(&self, frame: Frame, from: u64, words: &mut [u64]) -> io::Result<()> {
        self.words((frame.back_start(), frame.back), from, words)
    }

    fn words(&self, (start, count): (u64, u64), from: u64, words: &mut [u64]) -> io::Result<()> {
        if from.checked_add(words.len() as u64).is_none_or(|end| end > count) {
            return Err(damaged());
        }
        read_at(&self.file, words.as_mut_bytes(), start + from * WORD)?;
        words.iter_mut().for_each(|word| *word = u64::from_le(*word));
        Ok(())
    }

    /// Flushes all writes to the disk.
    ///
    /// # Errors
    /// The error of the operating system.
    pub fn sync(&self) -> io::Result<()> {
        self.file.sync_data()
    }
}

/// Words in the byte order of the file.
fn little_endian(words: &[u64]) -> Cow<'_, [u64]> {
    match cfg!(target_endian = "little") {
        true => Cow::Borrowed(words),
        false => Cow::Owned(words.iter().map(|word| word.to_le()).collect()),
    }
}
