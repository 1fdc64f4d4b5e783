//! Spill file: an append-only sequence of frames.
//!
//! A frame has a head, a front and a back. The head is bytes, compressed, and read as a whole.
//! Front and back are arrays of words stored uncompressed, so that ranges of them can be read. Each
//! of the three has a checksum, and one of the checksums covers the offset of the frame in the
//! file, so a frame that was lost, repeated or moved is detected as damage. A file whose writer was
//! killed may end in an incomplete frame: [`SpillFile::reopen`] keeps the complete ones before it.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;
use xxhash_rust::xxh3::{Xxh3, xxh3_64, xxh3_64_with_seed};
use zerocopy::IntoBytes;

/// First bytes of a frame: the type and version of the format.
const MAGIC: &[u8; 8] = b"LKFRAME3";

/// Bytes before the head: [`MAGIC`], lengths of the head (compressed, plain), words of the front
/// and of the back, checksums of the front, of the back, and of all this, the head and the offset
/// of the frame in the file.
const HEADER: usize = 56;

/// Bytes of a word.
const WORD: u64 = 8;

/// Zstandard level: the fastest that still finds repetitions.
const LEVEL: i32 = 1;

/// Location of a frame in its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frame {
    start: u64,
    /// Bytes of the compressed head.
    head: u32,
    /// Words of the front and of the back.
    front: u64,
    back: u64,
}

impl Frame {
    fn front_start(self) -> u64 {
        self.start + HEADER as u64 + u64::from(self.head)
    }

    fn back_start(self) -> u64 {
        self.front_start() + self.front * WORD
    }

    fn end(self) -> u64 {
        self.back_start() + self.back * WORD
    }
}

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

/// The error for data that differs from what was written.
pub(crate) fn damaged() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "damaged: the data differs from what was written")
}

/// Checksum of the header before it, the head, and the offset of the frame.
fn head_sum(header: &[u8], head: &[u8], start: u64) -> u64 {
    xxh3_64_with_seed(head, xxh3_64_with_seed(&header[..48], start))
}

/// Length of the plain head, if the checksum of header, head and offset matches.
fn plain_length(header: &[u8], head: &[u8], start: u64) -> Option<usize> {
    let word = |at: usize| Some(u64::from_le_bytes(header.get(at..at + 8)?.try_into().ok()?));
    let holds = header.starts_with(MAGIC) && word(48)? == head_sum(header, head, start);
    holds.then_some((word(8)? >> 32) as usize)
}

/// The frame at `start`, if it is complete and all checksums match.
fn next_frame(reader: &mut impl Read, start: u64, length: u64) -> io::Result<Option<Frame>> {
    let mut header = [0; HEADER];
    if length - start < HEADER as u64 {
        return Ok(None);
    }
    reader.read_exact(&mut header)?;
    let word = |at: usize| u64::from_le_bytes(header[at..at + 8].try_into().unwrap_or_default());
    let frame = Frame { start, head: word(8) as u32, front: word(16), back: word(24) };
    let words = u128::from(frame.front) + u128::from(frame.back);
    let end = u128::from(start) + HEADER as u128 + u128::from(frame.head) + words * 8;
    if !header.starts_with(MAGIC) || end > u128::from(length) {
        return Ok(None);
    }
    let mut head = vec![0; frame.head as usize];
    reader.read_exact(&mut head)?;
    if plain_length(&header, &head, start).is_none() {
        return Ok(None);
    }
    let mut buffer = vec![0; 1 << 16];
    for (count, sum) in [(frame.front, word(32)), (frame.back, word(40))] {
        let (mut found, mut left) = (Xxh3::new(), count * WORD);
        while left > 0 {
            let part = left.min(buffer.len() as u64) as usize;
            reader.read_exact(&mut buffer[..part])?;
            found.update(&buffer[..part]);
            left -= part as u64;
        }
        if found.digest() != sum {
            return Ok(None);
        }
    }
    Ok(Some(frame))
}

/// Words in the byte order of the file.
fn little_endian(words: &[u64]) -> Cow<'_, [u64]> {
    match cfg!(target_endian = "little") {
        true => Cow::Borrowed(words),
        false => Cow::Owned(words.iter().map(|word| word.to_le()).collect()),
    }
}

#[cfg(unix)]
fn read_at(file: &File, bytes: &mut [u8], at: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, at)
}

/// Writes at an offset, independent of the file's own position, which reads move on Windows.
#[cfg(unix)]
fn write_at(file: &File, bytes: &[u8], at: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, at)
}

#[cfg(windows)]
fn write_at(file: &File, mut bytes: &[u8], mut at: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        match std::os::windows::fs::FileExt::seek_write(file, bytes, at)? {
            0 => return Err(io::ErrorKind::WriteZero.into()),
            written => {
                bytes = &bytes[written..];
                at += written as u64;
            }
        }
    }
    Ok(())
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

    type Piece = (Vec<u8>, [Vec<u64>; 2]);

    fn piece(number: u8) -> Piece {
        let words =
            |count: u8| (0..count).map(|n| u64::from(n) << 60 | u64::from(number)).collect();
        (vec![number; 50 + number as usize], [words(number), words(2 * number)])
    }

    fn written(path: &Path, pieces: u8) -> Vec<Frame> {
        let mut file = SpillFile::reopen(path).unwrap().file;
        let append = |n| {
            let (head, [front, back]) = piece(n);
            file.append(&head, &front, &back).unwrap()
        };
        (0..pieces).map(append).collect()
    }

    #[test]
    fn frames_round_trip_and_more_can_be_appended() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("frames");
        let frames = written(&path, 9);
        let Reopened { mut file, frames: found, dropped } = SpillFile::reopen(&path).unwrap();
        assert_eq!((found, dropped), (frames, 0));
        let last = file.append(b"more", &[1, 2], &[]).unwrap();
        let found = SpillFile::reopen(&path).unwrap();
        assert_eq!(found.frames[9], last);
        assert_eq!(found.file.bytes(), file.bytes());
        for (number, &frame) in found.frames[..9].iter().enumerate() {
            let (head, [front, back]) = piece(number as u8);
            assert_eq!(found.file.head(frame).unwrap(), head);
            let mut read = vec![77];
            found.file.front(frame, &mut read).unwrap();
            assert_eq!(read, front);
            found.file.back(frame, &mut read).unwrap();
            assert_eq!(read, back);
            for (at, (one, other)) in (0u64..).zip(front.iter().zip(&back)) {
                let mut word = [0];
                found.file.read_front(frame, at, &mut word).unwrap();
                assert_eq!(word, [*one]);
                found.file.read_back(frame, at, &mut word).unwrap();
                assert_eq!(word, [*other]);
            }
            assert!(found.file.read_front(frame, 1, &mut vec![0; front.len()]).is_err());
        }
    }

    /// On Windows, a read at an offset moves the file's position; here, something else does.
    #[test]
    fn append_is_independent_of_the_file_position() {
        use std::io::{Seek, SeekFrom};
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("frames");
        let mut file = SpillFile::reopen(&path).unwrap().file;
        let mut frames = Vec::new();
        for number in 0..9 {
            let (head, [front, back]) = piece(number);
            frames.push(file.append(&head, &front, &back).unwrap());
            file.file.seek(SeekFrom::Start(u64::from(number) * 7)).unwrap();
        }
        let mut reopened = SpillFile::reopen(&path).unwrap();
        assert_eq!(reopened.frames, frames);
        reopened.file.file.rewind().unwrap();
        frames.push(reopened.file.append(b"more", &[1, 2], &[3]).unwrap());
        assert_eq!(SpillFile::reopen(&path).unwrap().frames, frames);
    }

    #[test]
    fn pieces_are_written_like_one_array() {
        let folder = tempfile::tempdir().unwrap();
        let written = |name: &str, parts: bool| {
            let path = folder.path().join(name);
            let mut file = SpillFile::reopen(&path).unwrap().file;
            match parts {
                false => file.append(b"head", &[1, 2, 3], &[4, 5]),
                true => file.append_pieces(b"head", [&[1], &[2, 3]], [&[4, 5], &[]]),
            }
            .unwrap();
            std::fs::read(path).unwrap()
        };
        assert_eq!(written("whole", false), written("parts", true));
    }

    /// Truncated anywhere, or with any byte changed: exactly the frames before that byte are kept.
    #[test]
    fn incomplete_frames_are_dropped() {
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
                let found = SpillFile::reopen(&path).unwrap();
                assert_eq!(found.frames, frames[..whole], "byte {at}");
                assert_eq!(found.file.bytes() + found.dropped, content.len() as u64);
            }
        }
    }

    /// Complete frames in another order: the frames before the first moved one are kept.
    #[test]
    fn moved_frames_are_damage() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("frames");
        let frames = written(&path, 4);
        let bytes = std::fs::read(&path).unwrap();
        let piece = |n: usize| &bytes[frames[n].start as usize..frames[n].end() as usize];
        for (order, whole) in [
            (&[0, 2, 3][..], 1),
            (&[1, 2, 3], 0),
            (&[0, 0, 1, 2, 3], 1),
            (&[0, 2, 1, 3], 1),
            (&[0, 1, 3], 2),
            (&[0, 1, 2, 3, 3], 4),
        ] {
            let moved: Vec<u8> = order.iter().flat_map(|&n| piece(n)).copied().collect();
            std::fs::write(&path, moved).unwrap();
            assert_eq!(SpillFile::reopen(&path).unwrap().frames, frames[..whole], "{order:?}");
        }
    }

    #[test]
    fn changed_bytes_are_detected() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("frames");
        let frame = written(&path, 3)[2];
        let file = SpillFile::reopen(&path).unwrap().file;
        let bytes = std::fs::read(&path).unwrap();
        let places = [frame.start + HEADER as u64 + 3, frame.front_start(), frame.back_start()];
        for (changed, at) in places.into_iter().enumerate() {
            let mut damaged = bytes.clone();
            damaged[at as usize] ^= 1;
            std::fs::write(&path, damaged).unwrap();
            let mut words = Vec::new();
            let reads = [
                file.head(frame).is_ok(),
                file.front(frame, &mut words).is_ok(),
                file.back(frame, &mut words).is_ok(),
            ];
            assert_eq!(reads, [0, 1, 2].map(|part| part != changed));
        }
    }
}
