//! The minima of a set that grows.

use super::Bands;
use super::slots::one_permutation::OnePermutation;
use super::slots::{self, MOST_SLOTS};
use lookalike_core::fingerprint::{finalise, token};

/// A min-hash sketch: k minima of a set of 64-bit fingerprints, to which elements are added one at a
/// time or many at once, in any order and any number of times.
///
/// With [`MinHash::SEED`] the minima are those of method `minhash-lsh` (with its default slots) for
/// a document with these features.
///
/// ```
/// use lookalike_methods::minhash::MinHash;
///
/// let (mut a, mut b) = (MinHash::new(256, MinHash::SEED), MinHash::new(256, MinHash::SEED));
/// a.extend(&(0..80).map(|n: u64| MinHash::element(&n.to_le_bytes())).collect::<Vec<_>>());
/// (20..100).for_each(|n: u64| b.insert(MinHash::element(&n.to_le_bytes())));
/// let equal = a.equal(&b).expect("both have 256 minima and the same seed");
/// assert!((f64::from(equal) / 256.0 - 60.0 / 100.0).abs() < 0.1);
/// assert!((a.count() - 80.0).abs() < 20.0);
/// ```
#[derive(Debug, Clone)]
pub struct MinHash {
    slots: OnePermutation,
    seed: u64,
    /// Empty for an empty set.
    minima: Vec<u64>,
    /// Minima of what is being added.
    added: Vec<u64>,
}

/// Sketches of other numbers of minima, or of another seed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the sketches have {} and {} minima, and the seeds {} and {}", k[0], k[1], seeds[0], seeds[1])]
pub struct NotComparable {
    /// Number of minima of each.
    pub k: [u32; 2],
    /// Seed of each.
    pub seeds: [u64; 2],
}

impl MinHash {
    /// The seed of the methods.
    pub const SEED: u64 = 1;

    /// An empty set, with room for `k` minima: 1 to [`MOST_SLOTS`].
    #[must_use]
    pub fn new(k: u32, seed: u64) -> Self {
        let slots = OnePermutation::new(k.min(MOST_SLOTS));
        Self { slots, seed, minima: Vec::new(), added: Vec::new() }
    }

    /// A set of these minima, in the order of [`MinHash::minima`]; `None` if there are more or less
    /// than `k`, and not none.
    #[must_use]
    pub fn of_minima(k: u32, seed: u64, minima: Vec<u64>) -> Option<Self> {
        let empty = Self::new(k, seed);
        let fits = minima.is_empty() || minima.len() == empty.k() as usize;
        fits.then_some(Self { minima, ..empty })
    }

    /// The fingerprint of the bytes of an element.
    #[must_use]
    pub fn element(bytes: &[u8]) -> u64 {
        finalise(token(bytes))
    }

    /// Adds an element, given by its fingerprint. O(k).
    pub fn insert(&mut self, element: u64) {
        self.extend(&[element]);
    }

    /// Adds elements, given by their fingerprints. O(n + k·log k) expected.
    pub fn extend(&mut self, elements: &[u64]) {
        self.added.clear();
        if self.seed == Self::SEED {
            self.slots.fill(elements, &mut self.added);
        } else {
            // A bijection, which is another random order of the elements.
            let salt = finalise(self.seed);
            let elements: Vec<u64> = elements.iter().map(|e| finalise(e ^ salt)).collect();
            self.slots.fill(&elements, &mut self.added);
        }
        self.slots.merge(&mut self.minima, &self.added);
    }

    /// Adds the elements of another set.
    ///
    /// # Errors
    /// Another number of minima, or another seed.
    pub fn merge(&mut self, other: &Self) -> Result<(), NotComparable> {
        self.check(other)?;
        self.slots.merge(&mut self.minima, &other.minima);
        Ok(())
    }

    /// How many minima two sets have in common: of k, a share that estimates their resemblance. Two
    /// empty sets are equal, and have all in common.
    ///
    /// # Errors
    /// Another number of minima, or another seed.
    pub fn equal(&self, other: &Self) -> Result<u32, NotComparable> {
        self.check(other)?;
        Ok(match self.is_empty() && other.is_empty() {
            true => self.k(),
            false => slots::equal(&self.minima, &other.minima),
        })
    }

    fn check(&self, other: &Self) -> Result<(), NotComparable> {
        let differ = NotComparable { k: [self.k(), other.k()], seeds: [self.seed, other.seed] };
        match self.k() == other.k() && self.seed == other.seed {
            true => Ok(()),
            false => Err(differ),
        }
    }

    /// An estimate of the number of distinct elements.
    #[must_use]
    pub fn count(&self) -> f64 {
        self.slots.count(&self.minima)
    }

    /// Appends a key for each band; nothing for an empty set.
    pub fn keys(&self, bands: Bands, out: &mut Vec<u64>) {
        bands.keys(&self.minima, out);
    }

    /// Number of minima.
    #[must_use]
    pub fn k(&self) -> u32 {
        self.slots.len()
    }

    /// The seed.
    #[must_use]
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The k minima; none for an empty set.
    #[must_use]
    pub fn minima(&self) -> &[u64] {
        &self.minima
    }

    /// Whether nothing was added.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.minima.is_empty()
    }
}

impl PartialEq for MinHash {
    fn eq(&self, other: &Self) -> bool {
        self.check(other).is_ok() && self.minima == other.minima
    }
}

impl Eq for MinHash {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::broder::planted::{Random, method, sign, tokens};
    use lookalike_core::Overlap;
    use proptest::prelude::*;

    fn of(elements: &[u64], seed: u64) -> MinHash {
        let mut sketch = MinHash::new(64, seed);
        sketch.extend(elements);
        sketch
    }

    proptest! {
        #[test]
        fn order_repeats_and_parts_do_not_matter(
            elements in prop::collection::vec(any::<u64>(), 0..40), cut in 0usize..40, seed in 0u64..4,
        ) {
            let whole = of(&elements, seed);
            let mut single = MinHash::new(64, seed);
            elements.iter().rev().chain(&elements).for_each(|&element| single.insert(element));
            let (head, tail) = elements.split_at(cut.min(elements.len()));
            let mut parts = of(head, seed);
            parts.merge(&of(tail, seed)).unwrap();
            prop_assert_eq!(whole.minima(), single.minima());
            prop_assert_eq!(whole.minima(), parts.minima());
            prop_assert_eq!(whole.is_empty(), elements.is_empty());
            let again = MinHash::of_minima(64, seed, whole.minima().to_vec()).unwrap();
            prop_assert_eq!(&again, &whole);
            prop_assert!(again != of(&elements, seed + 1));
        }
    }

    #[test]
    fn minima_are_those_of_the_method() {
        let text = tokens("one fish two fish red fish blue fish");
        let signed = sign(&*method("minhash-lsh:w=1,k=64,t=0.9"), &text).unwrap();
        // Its shingles are of one token, whose polynomial is its hash.
        let elements: Vec<u64> = text.iter().map(|&hash| finalise(hash)).collect();
        assert_eq!(of(&elements, MinHash::SEED).minima(), signed.sketch);
    }

    /// Each seed is another order: the estimates of one pair under many seeds have the mean and the
    /// variance of those of so many pairs under one.
    #[test]
    fn seeds_are_independent_orders() {
        let (counts, rounds) = (Overlap { shared: 60, a: 80, b: 80 }, 1500);
        let mut random = Random(16);
        let share =
            |a: &[u64], b: &[u64], seed| f64::from(of(a, seed).equal(&of(b, seed)).unwrap()) / 64.0;
        let (a, b) = random.pair(counts);
        let seeds: Vec<f64> = (0..rounds).map(|seed| share(&a, &b, seed)).collect();
        let pairs: Vec<f64> = (0..rounds)
            .map(|_| {
                let (a, b) = random.pair(counts);
                share(&a, &b, MinHash::SEED)
            })
            .collect();
        let [(of_seeds, error), (of_pairs, other)] =
            [seeds, pairs].map(|values| crate::broder::planted::mean(&values));
        for mean in [of_seeds, of_pairs] {
            assert!((mean - 0.6).abs() < 4.0 * error, "{mean} ± {error}");
        }
        assert!((0.88..1.13).contains(&(error / other)), "{error}, {other}");
    }

    #[test]
    fn other_sketches_are_refused() {
        let a = of(&[1, 2], 1);
        let error = a.equal(&of(&[1, 2], 2)).unwrap_err();
        assert_eq!(error, NotComparable { k: [64, 64], seeds: [1, 2] });
        assert!(
            a.clone().merge(&MinHash::new(128, 1)).unwrap_err().to_string().contains("64 and 128")
        );
        assert_eq!(MinHash::of_minima(64, 1, vec![1; 63]), None);
        assert_eq!(
            (MinHash::new(9, 1).equal(&MinHash::new(9, 1)), MinHash::new(0, 1).k()),
            (Ok(9), 1)
        );
        assert_eq!(MinHash::new(u32::MAX, 1).k(), MOST_SLOTS);
    }
}
