//! Sets as bytes, with what is sent along with them.

use super::damaged;
use lookalike_run::{LookalikeError, Settings};

/// How sets are written: their elements, ascending, as 64-bit numbers. Where texts are ignored, or
/// values count, the elements that were removed follow, then their number, the value, and of how many
/// elements the words of the document are the only one.
#[derive(Debug, Clone, Copy)]
pub(super) struct SetFormat {
    has_more: bool,
}

/// A set with what is sent along. `N` are numbers, or their bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct SentSet<N> {
    pub(super) elements: N,
    /// Elements of the complete document that ignored texts have.
    pub(super) removed: N,
    /// The key of the value by which a document differs from those that it may match; 0 if it may match
    /// any.
    pub(super) value: u64,
    /// Number of elements of a document that has too few of them: it matches documents of the same
    /// words, which are its only element here. 0 of other documents.
    pub(super) few: u64,
}

/// Bytes of a number.
const NUMBER: usize = size_of::<u64>();

impl SetFormat {
    pub(super) fn new(settings: &Settings) -> Self {
        Self { has_more: !settings.ignore_text.is_empty() || settings.across.is_some() }
    }

    /// Replaces `out` by a set.
    pub(super) fn write(self, set: SentSet<&[u64]>, out: &mut Vec<u8>) {
        out.clear();
        let mut write = |numbers: &[u64]| {
            numbers.iter().for_each(|number| out.extend(number.to_le_bytes()));
        };
        write(set.elements);
        if self.has_more {
            write(set.removed);
            write(&[set.removed.len() as u64, set.value, set.few]);
        }
    }

    /// Reads a set.
    ///
    /// # Errors
    /// Bytes that are cut short.
    pub(super) fn read(self, bytes: &[u8]) -> Result<SentSet<&[u8]>, LookalikeError> {
        if !self.has_more {
            return Ok(SentSet { elements: bytes, ..SentSet::default() });
        }
        let read = || {
            let (bytes, more) = bytes.split_last_chunk::<{ 3 * NUMBER }>()?;
            let (more, _) = more.as_chunks::<NUMBER>();
            let [removed, value, few] =
                [0, 1, 2].map(|number| more.get(number).map(|bytes| u64::from_le_bytes(*bytes)));
            let removed = usize::try_from(removed?).ok()?.checked_mul(NUMBER)?;
            let (elements, removed) = bytes.split_at(bytes.len().checked_sub(removed)?);
            Some(SentSet { elements, removed, value: value?, few: few? })
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

impl SentSet<&[u8]> {
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
            (value, few) in any::<(u64, u64)>(),
            has_more in any::<bool>(),
        ) {
            let (format, mut bytes) = (SetFormat { has_more }, vec![7]);
            let set = SentSet { elements: &*elements, removed: &*removed, value, few };
            format.write(set, &mut bytes);
            let set = format.read(&bytes).unwrap();
            let (mut read, mut without) = (Vec::new(), Vec::new());
            numbers_of(set.elements, &mut read).unwrap();
            numbers_of(set.removed, &mut without).unwrap();
            prop_assert_eq!((&read, set.len()), (&elements, elements.len()));
            prop_assert_eq!(without, if has_more { removed } else { Vec::new() });
            prop_assert_eq!((set.value, set.few), if has_more { (value, few) } else { (0, 0) });
        }

        #[test]
        fn any_bytes_are_a_set_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
            for has_more in [false, true] {
                if let Ok(set) = (SetFormat { has_more }).read(&bytes) {
                    let _ = numbers_of(set.elements, &mut Vec::new());
                }
            }
        }
    }
}
