//! Sketch of document frequencies: approximately how many sets hold an element.
//!
//! One array of counters addressed by a hash of the element, as in a count-min sketch (Cormode &
//! Muthukrishnan 2005) with a single row: elements that share a counter are counted together, so a
//! count is never too low. It decides only the *order* of elements ([`ElementOrder`]), and every
//! order is valid; what matters is that elements of many sets come last, the most frequent ones at
//! the very end. Those are frequent in a sample, too, so of large collections a sample of the sets
//! is counted.
//!
//! Counts are exact sums: they do not depend on the order of adding, on threads, or on how sketches
//! are merged.

use super::codec::{self, DecodeError, Decoder, Kind};
use super::counter::counter;
use super::element_order::ElementOrder;
use lookalike_core::fingerprint::finalise;
use std::collections::BTreeMap;

/// Sketch of document frequencies.
///
/// Takes between one and two bytes for each element that the [sample](DfSketch::takes) is expected
/// to hold, and a few bytes more for every 256 times that a counter is counted up.
///
/// ```
/// use lookalike_join::DfSketch;
///
/// let sets: [&[u64]; 3] = [&[10, 20, 30], &[20, 30], &[30]];
/// let mut sketch = DfSketch::for_elements(6, 0);
/// sets.iter().for_each(|set| sketch.add(set));
/// assert_eq!([10, 20, 30].map(|element| sketch.count(element)), [1, 2, 3]);
/// // The same from two parts.
/// let mut parts = [DfSketch::for_elements(6, 0), DfSketch::for_elements(6, 0)];
/// parts[0].add(sets[2]);
/// parts[1].add(sets[0]);
/// parts[1].add(sets[1]);
/// let [mut merged, other] = parts;
/// merged.merge(&other)?;
/// assert_eq!(merged, sketch);
/// # Ok::<(), lookalike_join::SketchMismatch>(())
/// ```
#[derive(Debug, Clone)]
pub struct DfSketch {
    sample: Sample,
    /// 64 − log₂ of the number of counters.
    shift: u32,
    /// The counts modulo 256.
    low: Vec<u8>,
    /// How often each counter went from 255 to 0. Several maps, as each thread has its own; they
    /// add up.
    carries: Vec<Carries>,
}

/// Carries of counters that have any.
type Carries = BTreeMap<u32, u32>;

/// Which sets are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Sample {
    /// One set in so many.
    every: u32,
    seed: u64,
}

/// Two sketches that do not describe one sample in the same counters cannot be merged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "two df sketches cannot be merged: {0} and {1}; make all sketches of a run with the same arguments"
)]
pub struct SketchMismatch(String, String);

/// Elements up to which all sets are counted.
const COUNTED: u64 = 1 << 22;

/// Of larger collections, down to one set in so many is counted,
const SPARSEST: u64 = 16;

/// or fewer, so that there are at most so many counters.
const MOST_COUNTERS: u64 = 1 << 28;

/// The fewest counters.
const LEAST_COUNTERS: u64 = 1 << 10;

/// Sets with adjacent numbers that are sampled together: their data is mostly adjacent on disk.
const ADJACENT: u64 = 32;

/// Carries that are expected to be kept, for the memory that a sketch takes: one for 256 counts,
/// and bytes of each.
const CARRY_SHARE: u64 = 16;

const KIND: Kind = Kind { magic: *b"LKDFSKT\n", version: 1, name: "a df sketch" };

impl DfSketch {
    /// An empty sketch for sets of so many elements in all, with at most 256 MiB of counters.
    ///
    /// `seed` chooses the sample of a large collection; every seed gives the same answer.
    #[must_use]
    pub fn for_elements(elements: u64, seed: u64) -> Self {
        Self::within(elements, seed, MOST_COUNTERS)
    }

    /// An empty sketch as of [`DfSketch::for_elements`] with at most `bytes` bytes of counters (but
    /// at least 1 KiB): fewer sets are sampled instead. 4 MiB do where sketches and orders are sent
    /// over a network.
    #[must_use]
    pub fn within(elements: u64, seed: u64, bytes: u64) -> Self {
        let (every, bits) = sample(elements, bytes);
        let sample = Sample { every, seed };
        Self { sample, shift: 64 - bits, low: vec![0; 1 << bits], carries: Vec::new() }
    }

    /// Bytes of memory that a sketch for so many elements takes at most, its [`ElementOrder`]
    /// included.
    #[must_use]
    pub fn bytes_for(elements: u64) -> u64 {
        let counters = 1 << sample(elements, MOST_COUNTERS).1;
        counters + counters / 8 + counters / CARRY_SHARE
    }

    /// Whether the sample holds the set with this number: a few with adjacent numbers in every so
    /// many, chosen by the seed. The first few are always sampled, so that no sample of a
    /// collection is empty.
    #[inline]
    #[must_use]
    pub fn takes(&self, set: u64) -> bool {
        let Sample { every, seed } = self.sample;
        let (stratum, at) = (set / ADJACENT / u64::from(every), set / ADJACENT % u64::from(every));
        let chosen = match stratum {
            0 => 0,
            _ => finalise(finalise(seed) ^ stratum) % u64::from(every),
        };
        at == chosen
    }

    /// Counts the elements of one set, distinct ones, in any order. O(|set|).
    pub fn add(&mut self, set: &[u64]) {
        let Self { shift, low, carries, .. } = self;
        if carries.is_empty() {
            carries.push(Carries::new());
        }
        for &element in set {
            let counter = counter(element, *shift);
            count_up(&mut low[counter as usize], counter, &mut carries[0]);
        }
    }

    /// The number of sets added that hold an element: never too low, and too high where elements
    /// share a counter.
    #[must_use]
    pub fn count(&self, element: u64) -> u64 {
        let counter = counter(element, self.shift);
        let carries = self.carries.iter().filter_map(|carries| carries.get(&counter));
        carries.fold(u64::from(self.low[counter as usize]), |sum, &carry| {
            sum + (u64::from(carry) << 8)
        })
    }

    /// Adds the counts of another sketch made with the same arguments. Associative and commutative.
    /// O(counters).
    ///
    /// # Errors
    /// [`SketchMismatch`] if the other one was made with other arguments; nothing is added then.
    pub fn merge(&mut self, other: &Self) -> Result<(), SketchMismatch> {
        if (self.sample, self.shift) != (other.sample, other.shift) {
            return Err(SketchMismatch(self.describe(), other.describe()));
        }
        let mut carries = self.take_carries();
        for (counter, (low, &more)) in (0u32..).zip(self.low.iter_mut().zip(&other.low)) {
            let (sum, carry) = low.overflowing_add(more);
            *low = sum;
            if carry {
                *carries.entry(counter).or_default() += 1;
            }
        }
        for (&counter, &more) in other.carries.iter().flatten() {
            *carries.entry(counter).or_default() += more;
        }
        self.carries = vec![carries];
        Ok(())
    }

    /// The counter of an element, for [`DfSketch::parts`].
    #[inline]
    #[must_use]
    pub fn counter(&self, element: u64) -> u32 {
        counter(element, self.shift)
    }

    /// How many counters each of so many parts has.
    #[must_use]
    pub fn part(&self, parts: usize) -> usize {
        self.low.len().div_ceil(parts.max(1))
    }

    /// The counters in so many parts, so that each thread counts its own without locks.
    pub fn parts(&mut self, parts: usize) -> impl Iterator<Item = Counters<'_>> {
        let part = self.part(parts);
        let parts = self.low.len().div_ceil(part);
        self.carries.resize_with(parts.max(self.carries.len()), Carries::new);
        let parts = self.low.chunks_mut(part).zip(&mut self.carries).enumerate();
        parts.map(move |(at, (low, carries))| Counters { first: (at * part) as u32, low, carries })
    }

    /// The order of elements by their counts. O(counters).
    #[must_use]
    pub fn freeze(mut self) -> ElementOrder {
        let carries = self.take_carries();
        let carries =
            carries.into_iter().map(|(counter, carry)| (counter as usize, u64::from(carry) << 8));
        ElementOrder::of_counts(self.low, carries)
    }

    /// Encodes the sketch, to be merged in another process: a few bytes for each counter that is
    /// not 0.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let carries = self.clone_carries();
        let Sample { every, seed } = self.sample;
        let counts = (0u32..).zip(&self.low).filter_map(|(counter, &low)| {
            let carry = carries.get(&counter).copied().unwrap_or(0);
            let count = u64::from(low) | u64::from(carry) << 8;
            (count > 0).then_some((counter, count))
        });
        codec::encode(KIND, 64 - self.shift, &[every.into(), seed], counts)
    }

    /// Decodes what [`DfSketch::to_bytes`] gives.
    ///
    /// # Errors
    /// Bytes that are no sketch, damaged, of another version, or of elements of another hash
    /// family.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, DecodeError> {
        let bits = LEAST_COUNTERS.ilog2()..=MOST_COUNTERS.ilog2();
        let decoder = Decoder::<2>::open(KIND, bits, bytes)?;
        let [every, seed] = decoder.fields;
        let every = u32::try_from(every).ok().filter(|&every| every > 0);
        let every = every.ok_or_else(|| decoder.damaged("its sample is out of range"))?;
        let bits = decoder.counter_bits;
        let (mut low, mut carries) = (vec![0; 1 << bits], Carries::new());
        let too_high = decoder.damaged("a count is out of range");
        let mut in_range = true;
        decoder.for_each(|counter, count| {
            low[counter] = count as u8;
            match u32::try_from(count >> 8) {
                Ok(0) => {}
                Ok(carry) => {
                    carries.insert(counter as u32, carry);
                }
                Err(_) => in_range = false,
            }
        })?;
        let sample = Sample { every, seed };
        in_range
            .then_some(Self { sample, shift: 64 - bits, low, carries: vec![carries] })
            .ok_or(too_high)
    }

    /// All carries in one map.
    fn clone_carries(&self) -> Carries {
        let mut all = Carries::new();
        for (&counter, &carry) in self.carries.iter().flatten() {
            *all.entry(counter).or_default() += carry;
        }
        all
    }

    fn take_carries(&mut self) -> Carries {
        let all = self.clone_carries();
        self.carries.clear();
        all
    }

    fn describe(&self) -> String {
        let Sample { every, seed } = self.sample;
        format!("2^{} counters of one set in {every}, seed {seed}", 64 - self.shift)
    }
}

/// Equal samples and equal counts, however they were added up.
impl PartialEq for DfSketch {
    fn eq(&self, other: &Self) -> bool {
        (self.sample, self.shift, &self.low) == (other.sample, other.shift, &other.low)
            && self.clone_carries() == other.clone_carries()
    }
}

impl Eq for DfSketch {}

/// Some of the counters of a sketch: those that one thread counts.
#[derive(Debug)]
pub struct Counters<'a> {
    first: u32,
    low: &'a mut [u8],
    carries: &'a mut Carries,
}

impl Counters<'_> {
    /// Counts a counter up if it is one of these.
    #[inline]
    pub fn add(&mut self, counter: u32) {
        // Below the first one the difference wraps to an index out of range.
        if let Some(low) = self.low.get_mut(counter.wrapping_sub(self.first) as usize) {
            count_up(low, counter, self.carries);
        }
    }
}

#[inline]
fn count_up(low: &mut u8, counter: u32, carries: &mut Carries) {
    *low = low.wrapping_add(1);
    if *low == 0 {
        *carries.entry(counter).or_default() += 1;
    }
}

/// One set in how many is sampled, and log₂ of the number of counters.
fn sample(elements: u64, most_counters: u64) -> (u32, u32) {
    let most = most_counters.clamp(LEAST_COUNTERS, MOST_COUNTERS);
    // Rounded down to a power of two, as the number of counters is rounded up to one.
    let most_counted = 1 << (most.ilog2() - 1);
    let every = (elements / COUNTED).clamp(1, SPARSEST).max(elements.div_ceil(most_counted));
    let counted = elements / every;
    let bits = counted.max(LEAST_COUNTERS).next_power_of_two().ilog2();
    (u32::try_from(every).unwrap_or(u32::MAX), bits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    type Sets = Vec<Vec<u64>>;

    fn sets() -> impl Strategy<Value = Sets> {
        let set = prop::collection::btree_set(1u64..300, 0..40);
        let sets = prop::collection::vec((set, 1usize..700), 0..20);
        // Some of them many times, so that counters pass 255.
        sets.prop_map(|sets| {
            let sets = sets.into_iter().map(|(set, times)| (Vec::from_iter(set), times));
            sets.flat_map(|(set, times)| std::iter::repeat_n(set, times.saturating_sub(350).max(1)))
                .collect()
        })
    }

    fn sketch_of<'a>(sets: impl IntoIterator<Item = &'a Vec<u64>>) -> DfSketch {
        let mut sketch = DfSketch::for_elements(300, 7);
        sets.into_iter().for_each(|set| sketch.add(set));
        sketch
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn counts_are_exact_sums_of_the_elements_of_a_counter(sets in sets()) {
            let sketch = sketch_of(&sets);
            let mut sums: BTreeMap<u32, u64> = BTreeMap::new();
            for &element in sets.iter().flatten() {
                *sums.entry(sketch.counter(element)).or_default() += 1;
            }
            for element in 1..300 {
                let sum = sums.get(&sketch.counter(element)).copied().unwrap_or(0);
                prop_assert_eq!(sketch.count(element), sum);
            }
        }

        #[test]
        fn parts_orders_merges_and_bytes_make_no_difference(
            sets in sets(),
            batches in prop::collection::vec(any::<prop::sample::Index>(), 1..5),
            parts in 1usize..5,
            backwards in any::<bool>(),
        ) {
            let whole = sketch_of(&sets);
            let mut by_parts = DfSketch::for_elements(300, 7);
            let counters: Vec<u32> = sets.iter().flatten().map(|&value| by_parts.counter(value)).collect();
            for mut part in by_parts.parts(parts) {
                counters.iter().rev().for_each(|&counter| part.add(counter));
            }
            prop_assert_eq!(&by_parts, &whole);
            let mut cuts: Vec<usize> = batches.iter().map(|cut| cut.index(sets.len() + 1)).collect();
            cuts.extend([0, sets.len()]);
            cuts.sort_unstable();
            let mut sketches: Vec<DfSketch> =
                cuts.windows(2).map(|cut| sketch_of(&sets[cut[0]..cut[1]])).collect();
            if backwards {
                sketches.reverse();
            }
            // From the right: ((a + b) + c) and (a + (b + c)).
            let merge = |mut a: DfSketch, b: &DfSketch| {
                a.merge(b).unwrap();
                a
            };
            let left = sketches.iter().cloned().reduce(|a, b| merge(a, &b)).unwrap();
            let right = sketches.iter().rev().cloned().reduce(|a, b| merge(b, &a)).unwrap();
            prop_assert_eq!(&left, &whole);
            prop_assert_eq!(&right, &whole);
            prop_assert_eq!(&DfSketch::from_bytes(&left.to_bytes()).unwrap(), &whole);
            prop_assert_eq!(left.to_bytes(), by_parts.to_bytes());
            prop_assert_eq!(left.freeze(), by_parts.freeze());
        }
    }

    #[test]
    fn sketches_of_other_samples_are_not_merged() {
        let mut sketch = DfSketch::for_elements(100, 0);
        for other in [DfSketch::for_elements(100, 1), DfSketch::for_elements(10_000, 0)] {
            let error = sketch.merge(&other).unwrap_err().to_string();
            assert!(error.contains("same arguments") && error.contains("2^10"), "{error}");
        }
        assert_eq!(sketch, DfSketch::for_elements(100, 0));
    }

    #[test]
    fn damaged_and_foreign_bytes_are_refused() {
        let mut sketch = sketch_of(&vec![vec![1, 2, 3]; 300]);
        let bytes = sketch.to_bytes();
        assert!(bytes.len() < 100, "{}", bytes.len());
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x10;
            assert!(DfSketch::from_bytes(&damaged).is_err(), "{at}");
        }
        let order = sketch.clone().freeze().to_bytes();
        let error = DfSketch::from_bytes(&order).unwrap_err();
        assert_eq!(error, DecodeError::OtherKind("a df sketch"));
        sketch.merge(&DfSketch::from_bytes(&bytes).unwrap()).unwrap();
        assert_eq!(sketch.count(2), 600);
    }

    #[test]
    fn a_seeded_sample_holds_its_share_and_the_first_sets() {
        let every = 13;
        for seed in 0..20 {
            let sketch = DfSketch::for_elements(COUNTED * every, seed);
            assert!((0..ADJACENT).all(|set| sketch.takes(set)));
            let taken = (0..ADJACENT * every * 50).filter(|&set| sketch.takes(set)).count();
            assert_eq!(taken as u64, ADJACENT * 50);
        }
        let taken = |seed| {
            let sketch = DfSketch::for_elements(COUNTED * every, seed);
            (0..100_000).filter(|&set| sketch.takes(set)).collect::<Vec<_>>()
        };
        assert_eq!(taken(3), taken(3));
        assert_ne!(taken(3), taken(4));
        let all = DfSketch::for_elements(COUNTED, 5);
        assert!((0..100_000).all(|set| all.takes(set)));
    }

    #[test]
    fn memory_is_bounded() {
        assert_eq!(sample(0, MOST_COUNTERS), (1, 10));
        assert_eq!(sample(COUNTED * 20, MOST_COUNTERS), (16, 23));
        for elements in [0, 1, 1 << 30, 1 << 34, 1 << 40, u64::MAX] {
            for most in [1, 1 << 12, 3 << 20, MOST_COUNTERS, u64::MAX] {
                let (every, bits) = sample(elements, most);
                assert!(every > 0 && 1 << bits <= most.clamp(1 << 10, MOST_COUNTERS));
            }
            assert!(DfSketch::bytes_for(elements) <= MOST_COUNTERS * 19 / 16);
        }
    }
}
