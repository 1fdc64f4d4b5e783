//! What a power cut leaves of the operations that were not synced.

use crate::prng::{MILLION, Prng};

/// The rule of one power cut. Each operation that was not synced has a number in the order in which
/// it was made.
#[derive(Debug)]
pub(super) enum Loss {
    /// All are lost.
    Everything,
    /// None is lost.
    Nothing,
    /// Those up to this one happened, the last one perhaps in part; later ones are lost.
    After(u64),
    /// Any may be lost, each with this chance in a million, in any order that no sync forbids.
    Any(u32),
}

impl Loss {
    /// Chooses a rule. `first` and `last` are the numbers of the first and last operation that was
    /// not synced.
    pub(super) fn choose(random: &mut Prng, first: u64, last: u64) -> Self {
        match random.below(8) {
            0 => Self::Everything,
            1 => Self::Nothing,
            2 | 3 => Self::After(random.between(first as usize, last as usize) as u64),
            4 => Self::Any(MILLION / 10),
            5 => Self::Any(MILLION / 10 * 9),
            _ => Self::Any(MILLION / 2),
        }
    }

    /// Whether an operation that cannot happen in part happened.
    pub(super) fn survives(&self, random: &mut Prng, number: u64) -> bool {
        match *self {
            Self::Everything => false,
            Self::Nothing => true,
            Self::After(last) => number <= last,
            Self::Any(chance) => !random.happens(chance),
        }
    }

    /// How many of the operations on one sector, or on the length of one file, happened: a disk
    /// writes the sector as it is in memory at some moment, so the later ones include the earlier.
    pub(super) fn cut(&self, random: &mut Prng, numbers: &[u64]) -> usize {
        let count = numbers.len();
        match *self {
            Self::Everything => 0,
            Self::Nothing => count,
            Self::After(last) => {
                let whole = numbers.iter().take_while(|&&number| number < last).count();
                let torn = numbers.get(whole) == Some(&last) && random.happens(MILLION / 2);
                whole + usize::from(torn)
            }
            Self::Any(chance) if !random.happens(chance) => count,
            Self::Any(_) => random.between(0, count),
        }
    }
}
