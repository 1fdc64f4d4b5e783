//! Sets as bytes, with what is sent along with them.

use super::damaged;
use lookalike_run::{LookalikeError, Settings};

/// How sets are written: their elements, ascending, as 64-bit numbers. Where texts are ignored, those
/// that were removed follow, and their number.
#[derive(Debug, Clone, Copy)]
pub(super) struct SetFormat {
    removes: bool,
}

/// A set, as bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct SentSet<'b> {
    pub(super) elements: &'b [u8],
    /// Elements of the complete document that ignored texts have.
    pub(super) removed: &'b [u8],
}

/// Bytes of a number.
const NUMBER: usize = size_of::<u64>();

impl SetFormat {
    pub(super) fn new(settings: &Settings) -> Self {
        Self { removes: !settings.ignore_text.is_empty() }
    }

    /// Replaces `out` by a set with the elements that were removed from it.
    pub(super) fn write(self, elements: &[u64], removed: &[u64], out: &mut Vec<u8>) {
        out.clear();
        let mut write = |numbers: &[u64]| {
            numbers.iter().for_each(|number| out.extend(number.to_le_bytes()));
        };
        write(elements);
        if self.removes {
            write(removed);
            write(&[removed.len() as u64]);
        }
    }

    /// Reads a set.
    ///
    /// # Errors
    /// Bytes that are cut short.
    pub(super) fn read(self, bytes: &[u8]) -> Result<SentSet<'_>, LookalikeError> {
        if !self.removes {
            return Ok(SentSet { elements: bytes, removed: &[] });
        }
        let read = || {
            let (bytes, count) = bytes.split_last_chunk::<NUMBER>()?;
            let removed = usize::try_from(u64::from_le_bytes(*count)).ok()?.checked_mul(NUMBER)?;
            let (elements, removed) = bytes.split_at(bytes.len().checked_sub(removed)?);
            Some(SentSet { elements, removed })
        };
        read().ok_or_else(cut_short)
    }
}

/// Appends the numbers that bytes hold.
///
/// # Errors
/// Bytes that are cut short.
pub(super) fn numbers_of(bytes: &[u8], out: &mut Vec<u64>) -> Result<(), LookalikeError> {
    let (numbers, rest) = bytes.as_chunks::<NUMBER>();
    out.extend(numbers.iter().map(|bytes| u64::from_le_bytes(*bytes)));
    if rest.is_empty() { Ok(()) } else { Err(cut_short()) }
}

impl SentSet<'_> {
    /// Number of its elements.
    pub(super) fn len(&self) -> usize {
        self.elements.len() / NUMBER
    }
}

fn cut_short() -> LookalikeError {
    damaged("a set is cut short: remove the stages of this run and start again")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn sets_are_read_as_they_were_written(
            elements in prop::collection::vec(any::<u64>(), 0..9),
            removed in prop::collection::vec(any::<u64>(), 0..9),
            removes in any::<bool>(),
        ) {
            let (format, mut bytes) = (SetFormat { removes }, vec![7]);
            format.write(&elements, &removed, &mut bytes);
            let set = format.read(&bytes).unwrap();
            let (mut read, mut without) = (Vec::new(), Vec::new());
            numbers_of(set.elements, &mut read).unwrap();
            numbers_of(set.removed, &mut without).unwrap();
            prop_assert_eq!((&read, set.len()), (&elements, elements.len()));
            prop_assert_eq!(without, if removes { removed } else { Vec::new() });
        }

        #[test]
        fn any_bytes_are_a_set_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
            for removes in [false, true] {
                if let Ok(set) = (SetFormat { removes }).read(&bytes) {
                    let _ = numbers_of(set.elements, &mut Vec::new());
                }
            }
        }
    }
}
