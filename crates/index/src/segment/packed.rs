//! Numbers of a fixed width in bits, one after the other.

use std::io::{self, Write};

/// Most bits of a number: it is read with one load from the byte in which it begins.
pub(super) const MOST_BITS: u32 = 57;

/// Zero bytes behind packed numbers, so that the load of the last one stays inside.
const PADDING: u64 = 8;

/// Bytes of so many numbers, with the padding.
pub(super) fn bytes(width: u32, numbers: u64) -> u64 {
    (numbers * u64::from(width)).div_ceil(8) + PADDING
}

/// Whether all bits behind so many numbers are 0.
pub(super) fn is_padded(packed: &[u8], width: u32, numbers: u64) -> bool {
    let bits = numbers * u64::from(width);
    let Some(rest) = packed.get((bits / 8) as usize..) else { return false };
    let mut rest = rest.iter().copied();
    rest.next().is_some_and(|byte| byte >> (bits % 8) == 0) && rest.all(|byte| byte == 0)
}

/// The number at an index; 0 outside of the bytes.
#[inline]
pub(super) fn get(bytes: &[u8], width: u32, index: u64) -> u64 {
    let bit = index * u64::from(width);
    let start = (bit / 8) as usize;
    let word = bytes.get(start..start + 8).and_then(|bytes| bytes.try_into().ok());
    let word = u64::from_le_bytes(word.unwrap_or([0; 8]));
    word >> (bit % 8) & ((1 << width) - 1)
}

/// Packs numbers into a writer.
pub(super) struct Packer {
    width: u32,
    word: u64,
    bits: u32,
    buffer: Vec<u8>,
}

impl Packer {
    /// Packs numbers of `width` bits, at most [`MOST_BITS`].
    pub(super) fn new(width: u32) -> Self {
        Self { width, word: 0, bits: 0, buffer: Vec::with_capacity(BUFFER + 16) }
    }

    #[inline]
    pub(super) fn push(&mut self, value: u64, out: &mut dyn Write) -> io::Result<()> {
        self.word |= value << self.bits;
        let filled = self.bits + self.width;
        if filled >= 64 {
            self.buffer.extend_from_slice(&self.word.to_le_bytes());
            let used = 64 - self.bits;
            // All of it may be used.
            self.word = if used == 64 { 0 } else { value >> used };
            self.bits = filled - 64;
            if self.buffer.len() >= BUFFER {
                out.write_all(&self.buffer)?;
                self.buffer.clear();
            }
        } else {
            self.bits = filled;
        }
        Ok(())
    }

    /// Writes what is left, and the padding.
    pub(super) fn finish(mut self, out: &mut dyn Write) -> io::Result<()> {
        let rest = self.bits.div_ceil(8) as usize;
        self.buffer.extend_from_slice(&self.word.to_le_bytes()[..rest]);
        self.buffer.extend_from_slice(&[0; PADDING as usize]);
        out.write_all(&self.buffer)
    }
}

const BUFFER: usize = 1 << 16;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn numbers_come_back(width in 1u32..=MOST_BITS, values in prop::collection::vec(any::<u64>(), 0..200)) {
            let values: Vec<u64> = values.into_iter().map(|value| value & ((1 << width) - 1)).collect();
            let (mut packer, mut out) = (Packer::new(width), Vec::new());
            for &value in &values {
                packer.push(value, &mut out).unwrap();
            }
            packer.finish(&mut out).unwrap();
            let bits = values.len() as u64 * u64::from(width);
            prop_assert_eq!(out.len() as u64, bits.div_ceil(8) + PADDING);
            for (index, &value) in (0..).zip(&values) {
                prop_assert_eq!(get(&out, width, index), value);
            }
        }
    }
}
