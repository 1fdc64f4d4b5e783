//! Pieces of data in, one behind the other in one file; each of them, when it is asked for, out.
//!
//! A *frame* is a head, a front and a back. The head is bytes, compressed, and read as a whole. Front and back
//! are words that lie there as they are, so that parts of them can be read; who needs only the one does not
//! read the other. All three have checksums, and the place of the frame in the file is part of one of
//! them: a frame that was lost, repeated or moved is damage, too. A file whose writer was killed ends in half a frame:
//! [`FrameFile::reopen`] keeps the whole ones before it.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;
use xxhash_rust::xxh3::{Xxh3, xxh3_64, xxh3_64_with_seed};
use zerocopy::IntoBytes;

/// How a frame begins: what it is, and the version of this form.
const MAGIC: &[u8; 8] = b"LKFRAME3";

/// Bytes before the head: [`MAGIC`], lengths of the head (compressed, plain), words of the front and of the back,
/// checksums of the front, of the back, and of all this, the head and the place of the frame in the file.
const HEADER: usize = 56;

/// Bytes of a word.
const WORD: u64 = 8;

/// The fastest level that still finds what repeats.
const LEVEL: i32 = 1;

/// Where a frame lies.
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

/// A file of frames.
///
/// ```
/// use lookalike_io::scratch::FrameFile;
///
/// let mut file = FrameFile::unnamed(&std::env::temp_dir())?;
/// let frame = file.append(b"what it is", &[1, 2, 3], &[4, 5, 6, 7])?;
/// assert_eq!(file.head(frame)?, b"what it is");
/// let mut part = [0; 2];
/// file.read_back(frame, 1, &mut part)?;
/// assert_eq!(part, [5, 6]);
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
        Ok(Reopened { file: Self { file, end }, frames, dropped: length - end })
    }

    /// Removes a frame and all behind it; what is appended next begins where it began.
    ///
    /// # Errors
    /// What the system says.
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

    /// Writes a frame.
    ///
    /// # Errors
    /// What the system says; a head beyond 4 GiB.
    pub fn append(&mut self, head: &[u8], front: &[u64], back: &[u64]) -> io::Result<Frame> {
        self.append_pieces(head, [front], [back])
    }

    /// The same of a front and a back that lie in several pieces.
    ///
    /// # Errors
    /// As [`FrameFile::append`].
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

    /// The head of a frame.
    ///
    /// # Errors
    /// What the system says, or that it is not what was written.
    pub fn head(&self, frame: Frame) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; HEADER + frame.head as usize];
        read_at(&self.file, &mut bytes, frame.start)?;
        let (header, head) = bytes.split_at(HEADER);
        match plain_length(header, head, frame.start) {
            Some(plain) => zstd::bulk::decompress(head, plain),
            None => Err(damaged()),
        }
    }

    /// The front of a frame, in place of what is in `words`.
    ///
    /// # Errors
    /// What the system says, or that it is not what was written.
    pub fn front(&self, frame: Frame, words: &mut Vec<u64>) -> io::Result<()> {
        self.whole(frame, (frame.front_start(), frame.front), 32, words)
    }

    /// The back of a frame, in place of what is in `words`.
    ///
    /// # Errors
    /// What the system says, or that it is not what was written.
    pub fn back(&self, frame: Frame, words: &mut Vec<u64>) -> io::Result<()> {
        self.whole(frame, (frame.back_start(), frame.back), 40, words)
    }

    /// So many words from `start` on, if they have the checksum at this place of the header.
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

    /// Words of the front of a frame, unchecked: whoever wrote them knows what they are.
    ///
    /// # Errors
    /// What the system says, or that the front ends before.
    pub fn read_front(&self, frame: Frame, from: u64, words: &mut [u64]) -> io::Result<()> {
        self.words((frame.front_start(), frame.front), from, words)
    }

    /// Words of the back of a frame, unchecked.
    ///
    /// # Errors
    /// What the system says, or that the back ends before.
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

/// Checksum of the header before it, the head, and the place of the frame.
fn head_sum(header: &[u8], head: &[u8], start: u64) -> u64 {
    xxh3_64_with_seed(head, xxh3_64_with_seed(&header[..48], start))
}

/// Length of the plain head, if the checksum of header, head and place holds.
fn plain_length(header: &[u8], head: &[u8], start: u64) -> Option<usize> {
    let word = |at: usize| Some(u64::from_le_bytes(header.get(at..at + 8)?.try_into().ok()?));
    let holds = header.starts_with(MAGIC) && word(48)? == head_sum(header, head, start);
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

/// Words as they are written.
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

/// Writes at an offset: where the file's own position is does not matter. On Windows, each read moves it.
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
        let mut file = FrameFile::reopen(path).unwrap().file;
        let append = |n| {
            let (head, [front, back]) = piece(n);
            file.append(&head, &front, &back).unwrap()
        };
        (0..pieces).map(append).collect()
    }

    #[test]
    fn frames_come_back_and_more_can_be_added() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("frames");
        let frames = written(&path, 9);
        let Reopened { mut file, frames: found, dropped } = FrameFile::reopen(&path).unwrap();
        assert_eq!((found, dropped), (frames, 0));
        let last = file.append(b"more", &[1, 2], &[]).unwrap();
        let found = FrameFile::reopen(&path).unwrap();
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
    fn a_frame_is_appended_wherever_the_file_was_read_last() {
        use std::io::{Seek, SeekFrom};
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("frames");
        let mut file = FrameFile::reopen(&path).unwrap().file;
        let mut frames = Vec::new();
        for number in 0..9 {
            let (head, [front, back]) = piece(number);
            frames.push(file.append(&head, &front, &back).unwrap());
            file.file.seek(SeekFrom::Start(u64::from(number) * 7)).unwrap();
        }
        let mut reopened = FrameFile::reopen(&path).unwrap();
        assert_eq!(reopened.frames, frames);
        reopened.file.file.rewind().unwrap();
        frames.push(reopened.file.append(b"more", &[1, 2], &[3]).unwrap());
        assert_eq!(FrameFile::reopen(&path).unwrap().frames, frames);
    }

    #[test]
    fn pieces_are_written_as_a_whole_would_be() {
        let folder = tempfile::tempdir().unwrap();
        let written = |name: &str, parts: bool| {
            let path = folder.path().join(name);
            let mut file = FrameFile::reopen(&path).unwrap().file;
            match parts {
                false => file.append(b"head", &[1, 2, 3], &[4, 5]),
                true => file.append_pieces(b"head", [&[1], &[2, 3]], [&[4, 5], &[]]),
            }
            .unwrap();
            std::fs::read(path).unwrap()
        };
        assert_eq!(written("whole", false), written("parts", true));
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

    /// Whole frames in another order: the frames before the first that is not in its place are there.
    #[test]
    fn frames_in_other_places_are_damage() {
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
            assert_eq!(FrameFile::reopen(&path).unwrap().frames, frames[..whole], "{order:?}");
        }
    }

    #[test]
    fn what_changed_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("frames");
        let frame = written(&path, 3)[2];
        let file = FrameFile::reopen(&path).unwrap().file;
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
