//! Random copies of a lexicon, as membership by hashing.
//!
//! Kołcz and Chowdhury 2008, section 4: "K different copies of the original lexicon are derived by
//! randomly eliminating a fraction p of terms". They drew the copies by bootstrap, |L| times with
//! replacement, each term counting once (section 7.1), and state that 67 % remain, with p = 0.33 in
//! their formulas; of such a draw 1 − (1 − 1/|L|)^|L| → 1 − 1/e = 63.2 % remain. Here a copy holds
//! a term with a fixed probability, independently of all others: with 1 − p for a given p, and with
//! 1 − 1/e as the bootstrap, which is the Poisson bootstrap (a term is drawn Poisson(1) times; the
//! limit of the drawing with replacement for a large lexicon). So membership is a function of the
//! term, the copy and the seed. No copy is stored, the secondary lexicon is sampled by the same
//! rule, and adding a term to the lexicon does not affect the others.

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
    /// Maximum number of copies of a lexicon.
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

    /// The copies that contain a term of the lexicon, as a bit mask: bit k for copy k, and bit 0,
    /// always set, for the lexicon itself. One hash decides four copies. The first copies are the
    /// same for every K.
    #[inline]
    #[must_use]
    pub fn holding(self, term: u64) -> u64 {
        let four = |group| (self.four(group, term) as u64) << (4 * group + 1);
        1 | (0..self.groups()).fold(0, |holding, group| holding | four(group))
    }

    /// Number of groups of four copies; the last may have fewer.
    #[inline]
    pub(super) fn groups(self) -> u32 {
        self.count.div_ceil(4)
    }

    /// Which of the copies 4·group + 1 to 4·group + 4 contain a term, one bit each, the first the
    /// lowest. Bits of copies beyond K are 0.
    #[inline]
    pub(super) fn four(self, group: u32, term: u64) -> usize {
        let number = u64::from(group) + 1;
        let hash = finalise(term ^ self.seed.wrapping_add(number.wrapping_mul(ODD)));
        let held = not_below(hash, u64::from(self.drop) * EACH) as usize;
        let there = (self.count - 4 * group).min(4);
        held & ((1 << there) - 1)
    }
}

/// 1 in each 16 bits of a word.
const EACH: u64 = 0x0001_0001_0001_0001;

/// Which of the four 16-bit numbers in `a` are at least those in `b`, one bit each, without a
/// branch: the highest bit decides if it differs, else a subtraction of the other bits, which
/// cannot borrow from the next number.
#[inline]
fn not_below(a: u64, b: u64) -> u64 {
    const HIGHEST: u64 = 0x8000 * EACH;
    // Brings bits 0, 16, 32 and 48 to 48, 49, 50 and 51; no two bits meet.
    const GATHER: u64 = 1 << 48 | 1 << 33 | 1 << 18 | 1 << 3;
    let rest = (a | HIGHEST) - (b & !HIGHEST);
    let decided = (a & !b | !(a ^ b) & rest) & HIGHEST;
    (decided >> 15).wrapping_mul(GATHER) >> 48 & 15
}

/// Odd, from the golden ratio: spreads the numbers of the hashes over all bits.
const ODD: u64 = 0x9E37_79B9_7F4A_7C15;

/// Formula (1): the probability that at least one of `copies` signatures is unchanged if `changes`
/// terms of the lexicon are added to or removed from a document, `1 − (1 − pⁿ)^K`.
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

/// Expected number of copies until one is unaffected by `changes` terms: `1 / pⁿ`.
///
/// Formula (6) and Table 4 of the paper have `1 / (1 − p)ⁿ`, the probability that a copy *contains*
/// all the terms; by the paper's section 4 it must lack them.
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

    /// The definition, copy by copy.
    #[test]
    fn a_copy_contains_the_terms_that_its_sixteen_bits_select() {
        for drop in [0, 1, 0x7FFF, 0x8000, 0x8001, 21_627, 65_535] {
            let copies = Copies { count: 63, drop, seed: finalise(3) };
            for term in (0..500).map(finalise) {
                let holding = copies.holding(term);
                for copy in 0..63u64 {
                    let number = (copy / 4 + 1).wrapping_mul(ODD);
                    let hash = finalise(term ^ copies.seed.wrapping_add(number));
                    let held = (hash >> (16 * (copy % 4))) as u16 >= drop;
                    assert_eq!(holding >> (copy + 1) & 1 == 1, held, "{drop} {copy}");
                }
            }
        }
    }

    #[test]
    fn sixteen_bit_numbers_compare_side_by_side() {
        let numbers = [0, 1, 2, 0x7FFF, 0x8000, 0x8001, 0xFFFE, 0xFFFF];
        for a in numbers {
            for b in numbers {
                for lane in 0..4 {
                    for around in [0, 0x8000 * EACH, u64::MAX] {
                        let of =
                            |number: u64| around & !(0xFFFF << (16 * lane)) | number << (16 * lane);
                        assert_eq!(not_below(of(a), of(b)), 15 & !(u64::from(a < b) << lane));
                    }
                }
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
