//! Weight factors by position in the document (Seshasai 2009, sections 5.2 and 5.3).

use super::fixed::{FRACTION, ONE, cosine_wave, half_wave, log2};
use super::points::Points;

/// Computes the factors of all positions x, from 1, of a document of `length` words into `factors`,
/// in fixed point ([`ONE`] is 1; at most 2⁴⁰). All positions are computed in one call, so that
/// common parts are computed once.
pub type PositionFunction = fn(length: u64, factors: &mut Vec<u64>);

/// A position function: a named one, or the caller's own.
#[derive(Debug, Clone)]
pub enum Position {
    /// One of [`NAMED`].
    Named(PositionFunction),
    /// Factors at given places.
    Points(Points),
}

impl Position {
    /// Reads the name of a function, or points.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        named(text).map(Self::Named).or_else(|| Points::parse(text).map(Self::Points))
    }

    /// The factors of all positions of a document of `length` words.
    pub(super) fn factors(&self, length: u64, factors: &mut Vec<u64>) {
        match self {
            Self::Named(function) => function(length, factors),
            Self::Points(points) => points.factors(length, factors),
        }
    }
}

/// The named functions. Logarithms are those of x + 1, "shifted so that the result for small x is
/// positive" (section 6.4.5), to base 2: a constant factor changes no simhash.
pub const NAMED: &[(&str, PositionFunction)] = &[
    ("log", logarithms),
    ("cosine", cosines),
    ("inverse", |length, factors| each(length, factors, |x| ONE / x)),
    ("inverse-log", |length, factors| {
        each(length, factors, |x| (ONE << FRACTION) / log2(x + 1));
    }),
];

fn each(length: u64, factors: &mut Vec<u64>, factor: impl Fn(u64) -> u64) {
    factors.clear();
    factors.extend((1..=length).map(factor));
}

/// log(x + 1) / (x + 1).
fn logarithms(length: u64, factors: &mut Vec<u64>) {
    let known = &LOGARITHMS[..LOGARITHMS.len().min(length as usize)];
    factors.clear();
    factors.extend_from_slice(known);
    factors.extend((known.len() as u64 + 1..=length).map(logarithm));
}

const fn logarithm(x: u64) -> u64 {
    (log2(x + 1) << (32 - FRACTION)) / (x + 1)
}

/// The factors of the first positions, which suffice for most documents.
static LOGARITHMS: [u64; 1 << 12] = {
    let mut table = [0; 1 << 12];
    let mut at = 0;
    while at < table.len() {
        table[at] = logarithm(at as u64 + 1);
        at += 1;
    }
    table
};

/// cos(2πx/L) + 1. The second half of the wave is the first, backwards.
fn cosines(length: u64, factors: &mut Vec<u64>) {
    let first = (length / 2) as usize;
    factors.clear();
    let mut x = [1.0, 2.0, 3.0, 4.0];
    while factors.len() < first {
        factors.extend(x.map(|x| half_wave(x, length as f64)));
        x = x.map(|x| x + 4.0);
    }
    factors.truncate(first);
    factors.extend((first as u64 + 1..length).map(|_| 0));
    let (forth, back) = factors.split_at_mut(first);
    // For an even length the middle occurs once.
    let mirrored = &forth[..back.len()];
    back.iter_mut().rev().zip(mirrored).for_each(|(back, &factor)| *back = factor);
    factors.extend((0..length.min(1)).map(|_| cosine_wave(0, length)));
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
        let at = |name, x: usize, length| {
            let mut factors = vec![7];
            named(name)?(length, &mut factors);
            assert_eq!(factors.len() as u64, length);
            factors.get(x - 1).copied()
        };
        // log₂(2)/2, log₂(4)/4, log₂(16)/16.
        assert_eq!(
            [at("log", 1, 9), at("log", 3, 9), at("log", 15, 99)],
            [Some(ONE / 2), Some(ONE / 2), Some(ONE / 4),]
        );
        assert_eq!(at("inverse", 4, 9), Some(ONE / 4));
        assert_eq!(at("inverse-log", 15, 99), Some(ONE / 4));
        // Both ends have weight, the middle has none.
        assert_eq!([at("cosine", 4, 8), at("cosine", 8, 8)], [Some(0), Some(2 * ONE)]);
        assert_eq!(at("sine", 1, 1), None);
    }

    #[test]
    fn all_positions_equal_single_positions() {
        let mut factors = Vec::new();
        for length in (0..70).chain([4095, 4096, 4097, 5000]) {
            cosines(length, &mut factors);
            assert_eq!(factors, (1..=length).map(|x| cosine_wave(x, length)).collect::<Vec<_>>());
            logarithms(length, &mut factors);
            assert_eq!(factors, (1..=length).map(logarithm).collect::<Vec<_>>());
        }
    }
}
