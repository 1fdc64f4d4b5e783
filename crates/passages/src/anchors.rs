//! Anchors: for each window the k-gram that it elects, and the runs of windows that elect the same one.

use crate::Place;
use crate::minima::minima;
use crate::window_hash::RunHashes;
use lookalike_core::batch;

/// The lengths that a search is made with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lengths {
    window: usize,
    gram: usize,
}

/// Why lengths cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum WrongLengths {
    /// The window is too short or too long.
    #[error("a passage has 1 to {} units", Lengths::MOST)]
    Window,
    /// The k-gram does not fit into the window.
    #[error("an anchor has at least one unit, and no more than a passage")]
    Gram,
}

impl Lengths {
    /// The longest window.
    pub const MOST: usize = 1 << 14;

    /// Windows of this length. The k-grams that they elect have two fifths of it: shorter ones repeat
    /// more often than windows do, of longer ones a window has few to choose from.
    ///
    /// # Errors
    /// A length of 0, or above [`Lengths::MOST`].
    pub fn of_window(window: usize) -> Result<Self, WrongLengths> {
        Self::new(window, (2 * window).div_ceil(5))
    }

    /// Windows of this length which elect k-grams of that: no result depends on the latter.
    ///
    /// # Errors
    /// A window of 0 units, or of more than [`Lengths::MOST`]; a k-gram of 0 units, or of more than the
    /// window.
    pub fn new(window: usize, gram: usize) -> Result<Self, WrongLengths> {
        match (window, gram) {
            (window, _) if !(1..=Self::MOST).contains(&window) => Err(WrongLengths::Window),
            (window, gram) if !(1..=window).contains(&gram) => Err(WrongLengths::Gram),
            (window, gram) => Ok(Self { window, gram }),
        }
    }

    /// Units of a window.
    #[must_use]
    pub fn window(self) -> u32 {
        self.window as u32
    }

    /// Units of a k-gram.
    pub(crate) fn gram(self) -> u32 {
        self.gram as u32
    }

    /// Units of consecutive windows.
    #[must_use]
    pub fn units(self, windows: u32) -> u32 {
        windows + self.window() - 1
    }
}

/// Consecutive windows of a document that elect the same k-gram.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Anchor {
    /// Hash of the k-gram. Its low bits are uniform, its high bits are not: it is a minimum.
    pub key: u64,
    /// Hash of all units of the windows, of 61 bits.
    pub context: u64,
    /// The first of the windows.
    pub place: Place,
    /// Number of windows.
    pub windows: u16,
    /// Units from the first window to the k-gram.
    pub offset: u16,
}

/// Buffers for one document at a time, reused.
#[derive(Debug, Default)]
pub struct AnchorScratch {
    hashes: Vec<u64>,
    suffixes: Vec<u32>,
    runs: RunHashes,
}

/// Calls `emit` with the anchors of a document in order: each of its windows is in one. O(units).
///
/// A document of 2³² units and more has windows that no place can name; its caller leaves it out.
///
/// ```
/// use lookalike_passages::anchors::{AnchorScratch, anchors};
/// use lookalike_passages::Lengths;
///
/// let mut windows = 0;
/// let units = [1, 2, 3, 4, 5, 6, 7];
/// let mut scratch = AnchorScratch::default();
/// anchors(0, &units, Lengths::new(4, 2)?, &mut scratch, |anchor| windows += anchor.windows);
/// assert_eq!(windows, 4);
/// # Ok::<(), lookalike_passages::anchors::WrongLengths>(())
/// ```
pub fn anchors(
    document: u32,
    units: &[u64],
    lengths: Lengths,
    scratch: &mut AnchorScratch,
    mut emit: impl FnMut(Anchor),
) {
    let Lengths { window, gram } = lengths;
    let AnchorScratch { hashes, suffixes, runs } = scratch;
    if units.len() < window {
        return;
    }
    hashes.clear();
    batch::shingles(units, gram, hashes);
    runs.read(units);
    // The windows that elect a k-gram have no more than two windows' units.
    runs.up_to(2 * window);
    // k-grams of a window.
    let choice = window - gram + 1;
    // The first window that elects the present k-gram, and its place.
    let mut present = (0, usize::MAX);
    let mut finish = |(first, elected): (usize, usize), end: usize| {
        let context = runs.of(first, end - 1 - first + window);
        emit(Anchor {
            key: hashes[elected],
            context,
            place: Place { document, unit: first as u32 },
            windows: (end - first) as u16,
            offset: (elected - first) as u16,
        });
    };
    // The last of equal ones is elected: a rule of the content alone.
    minima(hashes, choice, suffixes, |first, elected| {
        if elected != present.1 {
            if present.1 != usize::MAX {
                finish(present, first);
            }
            present = (first, elected);
        }
    });
    finish(present, units.len() - window + 1);
}

#[cfg(test)]
mod tests {
    use super::*;
    use lookalike_core::fingerprint;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn each_window_elects_the_last_of_its_smallest(
            units in prop::collection::vec(0u64..4, 0..40),
            window in 1usize..12,
            gram in 1usize..12,
        ) {
            let gram = gram.min(window);
            let lengths = Lengths::new(window, gram).unwrap();
            let mut found = Vec::new();
            anchors(7, &units, lengths, &mut AnchorScratch::default(), |anchor| found.push(anchor));
            let mut elected = Vec::new();
            let mut contexts = std::collections::HashMap::new();
            for anchor in &found {
                prop_assert_eq!(anchor.place.document, 7);
                let context = &units[anchor.place.unit as usize..][..usize::from(anchor.windows) - 1 + window];
                prop_assert_eq!(anchor.context, contexts.entry(context.to_vec()).or_insert(anchor.context).to_owned());
                for at in 0..u32::from(anchor.windows) {
                    elected.push((anchor.place.unit + at, anchor.place.unit + u32::from(anchor.offset), anchor.key));
                }
            }
            let expected: Vec<(u32, u32, u64)> = units
                .windows(window)
                .enumerate()
                .map(|(start, of_window)| {
                    let (at, key) = of_window
                        .windows(gram)
                        .map(|gram| {
                            let mut hash = 0;
                            fingerprint::shingles(gram, gram.len(), |value| hash = value);
                            hash
                        })
                        .enumerate()
                        .min_by_key(|&(at, hash)| (hash, std::cmp::Reverse(at)))
                        .unwrap();
                    (start as u32, (start + at) as u32, key)
                })
                .collect();
            prop_assert_eq!(elected, expected);
            let place = |anchor: &Anchor| anchor.place.unit + u32::from(anchor.offset);
            let differ = found.windows(2).all(|two| place(&two[0]) != place(&two[1]));
            prop_assert!(differ);
        }
    }

    #[test]
    fn lengths_that_cannot_be() {
        assert_eq!(Lengths::new(0, 1), Err(WrongLengths::Window));
        assert_eq!(Lengths::new(Lengths::MOST + 1, 1), Err(WrongLengths::Window));
        assert_eq!(Lengths::new(4, 5), Err(WrongLengths::Gram));
        assert_eq!(Lengths::of_window(50), Lengths::new(50, 20));
        assert_eq!(Lengths::of_window(1), Lengths::new(1, 1));
    }
}
