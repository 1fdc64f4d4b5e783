//! Layout of a frame: location, header and checksums.

use std::io::{self, Read};
use xxhash_rust::xxh3::{Xxh3, xxh3_64_with_seed};

/// First bytes of a frame: the type and version of the format.
pub(super) const MAGIC: &[u8; 8] = b"LKFRAME3";

/// Bytes before the head: [`MAGIC`], lengths of the head (compressed, plain), words of the front
/// and of the back, checksums of the front, of the back, and of all this, the head and the offset
/// of the frame in the file.
pub(super) const HEADER: usize = 56;

/// Bytes of a word.
pub(super) const WORD: u64 = 8;

/// Location of a frame in its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frame {
    pub(super) start: u64,
    /// Bytes of the compressed head.
    pub(super) head: u32,
    /// Words of the front and of the back.
    pub(super) front: u64,
    pub(super) back: u64,
}

impl Frame {
    pub(super) fn front_start(self) -> u64 {
        self.start + HEADER as u64 + u64::from(self.head)
    }

    pub(super) fn back_start(self) -> u64 {
        self.front_start() + self.front * WORD
    }

    pub(super) fn end(self) -> u64 {
        self.back_start() + self.back * WORD
    }
}

/// Checksum of the header before it, the head, and the offset of the frame.
pub(super) fn head_sum(header: &[u8], head: &[u8], start: u64) -> u64 {
    xxh3_64_with_seed(head, xxh3_64_with_seed(&header[..48], start))
}

/// Length of the plain head, if the checksum of header, head and offset matches.
pub(super) fn plain_length(header: &[u8], head: &[u8], start: u64) -> Option<usize> {
    let word = |at: usize| Some(u64::from_le_bytes(header.get(at..at + 8)?.try_into().ok()?));
    let holds = header.starts_with(MAGIC) && word(48)? == head_sum(header, head, start);
    holds.then_some((word(8)? >> 32) as usize)
}

/// The frame at `start`, if it is complete and all checksums match.
pub(super) fn next_frame(
    reader: &mut impl Read,
    start: u64,
    length: u64,
) -> io::Result<Option<Frame>> {
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
