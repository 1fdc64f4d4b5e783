//! A term in, the random copies of the lexicon that hold it out.
//!
//! Kołcz and Chowdhury 2008, section 4: "K different copies of the original lexicon are derived by
//! randomly eliminating a fraction p of terms". They drew the copies by bootstrap, |L| times with
//! replacement, each term counting once (section 7.1), and give 67 % as what is left and p = 0.33 in
//! their formulas; of such a draw 1 − (1 − 1/|L|)^|L| → 1 − 1/e = 63.2 % is left. Here a copy holds a
//! term with a fixed probability, independently of all others: with 1 − p for a given p, and with
//! 1 − 1/e as the bootstrap, which is the Poisson bootstrap (a term is drawn Poisson(1) times; the limit
//! of the drawing with replacement for a large lexicon). It makes membership a function of the term, the
//! copy and the seed alone. No copy is stored, the secondary lexicon is sampled by the same rule, and a
//! lexicon that grows by one term changes nothing for the others.

use lookalike_core::fingerprint::finalise;

/// K random copies of a lexicon.
///
/// ```
/// use lookalike_methods::imatch::Copies;
///
/// let copies = Copies::new(10, 0.33, 1);
/// let kept: u32 = (0..10_000u64).map(|term| copies.holding(term).count_ones()).sum();
/// assert!((66_000..68_000).contains(&(kept - 10_000))); // of 100 000, and the lexicon itself
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Copies {
    count: u32,
    /// p in 1/65536.
    drop: u16,
    seed: u64,
}

impl Copies {
    /// Most copies of one lexicon.
    pub const MOST: u32 = 63;
    /// p of the bootstrap, 1/e.
    pub const BOOTSTRAP: f64 = 0.367_879_441_171_442_3;

    /// `count` copies (at most [`Copies::MOST`]), each without a fraction `drop` in `[0, 1)` of the
    /// terms, which is rounded to 1/65536.
    #[must_use]
    pub fn new(count: u32, drop: f64, seed: u64) -> Self {
        let drop = (drop.clamp(0.0, 1.0) * 65536.0).round().min(65535.0) as u16;
        Self { count: count.min(Self::MOST), drop, seed: finalise(seed) }
    }

    /// K.
    #[must_use]
    pub fn count(self) -> u32 {
        self.count
    }

    /// Which copies hold a term of the lexicon: bit k for copy k, and bit 0, always set, for the lexicon
    /// itself. One hash for four copies. The first copies are the same for every K.
    #[inline]
    #[must_use]
    pub fn holding(self, term: u64) -> u64 {
        let mut holding = 1;
        let mut hash = 0u64;
        for copy in 0..self.count {
            if copy % 4 == 0 {
                let number = u64::from(copy / 4 + 1);
                hash = finalise(term ^ self.seed.wrapping_add(number.wrapping_mul(ODD)));
            }
            holding |= u64::from(hash as u16 >= self.drop) << (copy + 1);
            hash >>= 16;
        }
        holding
    }
}

/// Odd, from the golden ratio: spreads the numbers of the hashes over all bits.
const ODD: u64 = 0x9E37_79B9_7F4A_7C15;

/// Formula (1): the probability that at least one of `copies` signatures outlives `changes` terms of the
/// lexicon put into or taken out of a document, `1 − (1 − pⁿ)^K`.
///
/// ```
/// use lookalike_methods::imatch::stability;
///
/// assert_eq!(stability(0.33, 1, 0), 0.0); // any change of a term alters plain I-Match
/// assert!((stability(0.33, 1, 10) - 0.982).abs() < 0.001);
/// ```
#[must_use]
pub fn stability(drop: f64, changes: i32, copies: i32) -> f64 {
    1.0 - (1.0 - drop.powi(changes)).powi(copies)
}

/// Copies needed until one outlives `changes` terms, on average: `1 / pⁿ`.
///
/// Formula (6) and Table 4 of the paper have `1 / (1 − p)ⁿ`, the chance that a copy *holds* all the
/// terms, where by its own section 4 it has to lack them.
#[must_use]
pub fn expected_copies(drop: f64, changes: i32) -> f64 {
    1.0 / drop.powi(changes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_copies_do_not_depend_on_how_many_there_are() {
        for term in (0..1000).map(finalise) {
            let many = Copies::new(63, 0.33, 9).holding(term);
            for count in [0, 1, 3, 4, 5, 10] {
                let few = Copies::new(count, 0.33, 9).holding(term);
                assert_eq!(few, many & ((1 << (count + 1)) - 1));
            }
        }
    }

    /// Frequencies of single copies and of pairs of copies, each within five standard deviations.
    #[test]
    fn copies_are_independent() {
        const TERMS: u64 = 100_000;
        for drop in [0.33, Copies::BOOTSTRAP] {
            let copies = Copies::new(9, drop, 1);
            let held: Vec<u64> = (0..TERMS).map(|term| copies.holding(finalise(term))).collect();
            assert!(held.iter().all(|held| held & 1 == 1));
            let share = |mask: u64| {
                held.iter().filter(|&held| held & mask == mask).count() as f64 / TERMS as f64
            };
            for a in 1..=9 {
                for b in a..=9 {
                    let expected = (1.0 - drop).powi(if a == b { 1 } else { 2 });
                    let found = share(1 << a | 1 << b);
                    let deviation = (expected * (1.0 - expected) / TERMS as f64).sqrt();
                    assert!((found - expected).abs() < 5.0 * deviation, "{a} {b}: {found}");
                }
            }
        }
    }

    #[test]
    fn extremes() {
        assert_eq!(Copies::new(3, 0.0, 1).holding(5), 0b1111);
        assert_eq!(Copies::new(99, 0.5, 1).count(), 63);
        assert_eq!(Copies::new(0, 0.5, 1).holding(5), 1);
        assert_ne!(Copies::new(63, 0.5, 1).holding(5), Copies::new(63, 0.5, 2).holding(5));
    }

    /// Figure 2, and 1/p² = 9.18 where Table 4 prints 1/(1 − p)² = 2.23.
    #[test]
    fn formulas_by_hand() {
        assert!((stability(0.33, 1, 1) - 0.33).abs() < 1e-12);
        assert!((stability(0.5, 2, 2) - 0.4375).abs() < 1e-12); // 1 − (3/4)²
        assert!((expected_copies(0.33, 2) - 9.1827).abs() < 1e-4);
    }
}
