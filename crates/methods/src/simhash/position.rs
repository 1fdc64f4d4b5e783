//! A word's place in the document in, what its weight is multiplied with out (Seshasai 2009, sections
//! 5.2 and 5.3).

use super::fixed::{FRACTION, cosine_wave, log2};

/// The factor 1.
pub const ONE: u64 = 1 << 32;

/// Gives a factor in fixed point ([`ONE`] is 1; at most 2⁴⁰) for the word at place x, counted from 1,
/// of a document of so many words. An arbitrary function is one of these.
pub type PositionFunction = fn(x: u64, length: u64) -> u64;

/// The named functions. Logarithms are those of x + 1, "shifted so that the result for small x is
/// positive" (section 6.4.5), to base 2: a constant factor changes no simhash.
pub const NAMED: &[(&str, PositionFunction)] = &[
    ("log", logarithm),
    ("cosine", cosine_wave),
    ("inverse", |x, _| ONE / x),
    ("inverse-log", |x, _| (ONE << FRACTION) / log2(x + 1)),
];

/// log(x) / x.
fn logarithm(x: u64, _length: u64) -> u64 {
    (log2(x + 1) << (32 - FRACTION)) / (x + 1)
}

/// The function of that name.
#[must_use]
pub fn named(name: &str) -> Option<PositionFunction> {
    NAMED.iter().find(|(known, _)| *known == name).map(|&(_, function)| function)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_by_hand() {
        let at = |name, x, length| named(name).map(|function| function(x, length));
        // log₂(2)/2, log₂(4)/4, log₂(16)/16.
        assert_eq!(
            [at("log", 1, 9), at("log", 3, 9), at("log", 15, 99)],
            [Some(ONE / 2), Some(ONE / 2), Some(ONE / 4),]
        );
        assert_eq!(at("inverse", 4, 9), Some(ONE / 4));
        assert_eq!(at("inverse-log", 15, 99), Some(ONE / 4));
        // Both ends count, the middle does not.
        assert_eq!([at("cosine", 4, 8), at("cosine", 8, 8)], [Some(0), Some(2 * ONE)]);
        assert_eq!(at("sine", 1, 1), None);
    }
}
