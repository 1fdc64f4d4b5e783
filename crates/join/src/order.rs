//! Element order: the global order of elements that prefixes are taken from.

use crate::codec::{self, DecodeError, Decoder, Kind};
use crate::df::counter;
use lookalike_core::fingerprint::finalise;

/// Order of elements by document frequency: a frozen [`DfSketch`](crate::DfSketch).
///
/// Elements that are not known to be in several sampled sets come first, by value; then the common ones by
/// frequency (exact up to 4095, beyond in steps of 1/2048) and by value. Immutable, and small when encoded
/// ([`ElementOrder::to_bytes`]): all tasks of a run must use the same one. The answer of a join never depends on
/// it, only the number of candidates does.
///
/// Takes at most three bits for each counter of the sketch, and two bytes for each common one.
///
/// ```
/// use lookalike_join::{DfSketch, ElementOrder};
///
/// let mut sketch = DfSketch::for_elements(1000, 0);
/// (0..500).for_each(|number| sketch.add(&[7, 1000 + number]));
/// (0..100).for_each(|_| sketch.add(&[8]));
/// let order = sketch.freeze();
/// assert!(order.rank(7) > order.rank(8) && order.rank(8) > order.rank(9));
/// assert_eq!(ElementOrder::from_bytes(&order.to_bytes())?, order);
/// # Ok::<(), lookalike_join::DecodeError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ElementOrder {
    /// A bit for one, two, four or more adjacent counters: whether any of them is common. Few are, so these bits
    /// stay in the processor's cache.
    common: Vec<u64>,
    common_shift: u32,
    /// For each 64 counters, a bit for each that is common, and the number of common ones before.
    counters: Vec<(u64, u32)>,
    shift: u32,
    /// Level of each common counter.
    levels: Vec<u16>,
}

/// Counts below this are chance, or elements that share a counter.
pub(crate) const COMMON: u8 = 4;

/// Bits for each common counter, at least: so that no more than one in so many of the other elements passes for
/// common by chance.
const BITS: usize = 8;

/// The most common counters: beyond, those with the lowest counts are dropped.
const MOST_COMMON: usize = 3 << 20;

/// Bytes of an encoded order of so many counters at most: four for each that is common, one for its distance and
/// three for its level, and more for distances of 2⁷, of 2¹⁴ and of 2²¹ counters, of which there are only so many.
const fn longest(counters: usize, common: usize) -> usize {
    HEADER + 4 * common + (counters >> 7) + (counters >> 14) + (counters >> 21)
}

/// Bytes of an encoded order around its entries, at most.
const HEADER: usize = 128;

/// An encoded order can be broadcast.
const _: () = assert!(longest(1 << *COUNTER_BITS.end(), MOST_COMMON) <= 16 << 20);

const KIND: Kind = Kind { magic: *b"LKORDER\n", version: 1, name: "an element order" };

/// Logarithms of the least and largest number of counters.
const COUNTER_BITS: std::ops::RangeInclusive<u32> = 10..=28;

/// Bits of a count that a level keeps below the leading one.
const MANTISSA: u32 = 11;

/// The level of a count: exact below 2¹², then 2¹¹ levels an octave, up to the count of 2⁴². Monotone.
fn level(count: u64) -> u16 {
    let octave = count.max(1).ilog2().saturating_sub(MANTISSA);
    let level = u64::from(octave << MANTISSA) + (count >> octave);
    u16::try_from(level).unwrap_or(u16::MAX)
}

impl ElementOrder {
    /// The order by some counts: counts modulo 256, and what has to be added to some of them, by counter.
    pub(crate) fn of_counts(low: &[u8], mut carries: impl Iterator<Item = (usize, u64)>) -> Self {
        let mut next = carries.next();
        let mut entries = Vec::new();
        for (word, low) in low.chunks(u64::BITS as usize).enumerate() {
            let first = word * u64::BITS as usize;
            // Mostly there are none: a comparison without branches.
            let any = low.iter().fold(0, |most, &count| most.max(count)) >= COMMON;
            let carried = next.is_some_and(|(counter, _)| counter < first + low.len());
            if !any && !carried {
                continue;
            }
            for (counter, &count) in (first..).zip(low) {
                let carry = next.filter(|carry| carry.0 == counter).map_or(0, |carry| carry.1);
                if carry > 0 {
                    next = carries.next();
                }
                if carry > 0 || count >= COMMON {
                    entries.push((counter as u32, level(carry + u64::from(count))));
                }
            }
        }
        Self::of_levels(low.len(), entries, MOST_COMMON)
    }

    /// The order by the levels of common counters, sorted, of which at most so many stay: those with the lowest are
    /// dropped.
    fn of_levels(counters: usize, mut entries: Vec<(u32, u16)>, most: usize) -> Self {
        if entries.len() > most {
            let mut numbers = vec![0usize; 1 << u16::BITS];
            entries.iter().for_each(|&(_, level)| numbers[usize::from(level)] += 1);
            let (mut left, mut least) = (entries.len(), 0);
            while left > most {
                left -= numbers[least];
                least += 1;
            }
            entries.retain(|&(_, level)| usize::from(level) >= least);
        }
        let bits = (entries.len() * BITS).next_power_of_two().clamp(64, counters);
        let all_bits = counters.ilog2();
        let coarser = all_bits - bits.ilog2();
        let mut common = vec![0u64; bits / 64];
        let mut words = vec![(0u64, 0u32); counters / 64];
        for &(counter, _) in &entries {
            let bit = counter >> coarser;
            common[bit as usize / 64] |= 1 << (bit % 64);
            words[counter as usize / 64].0 |= 1 << (counter % 64);
        }
        let mut before = 0;
        for (word, rank) in &mut words {
            *rank = before;
            before += word.count_ones();
        }
        Self {
            common,
            common_shift: 64 - bits.ilog2(),
            counters: words,
            shift: 64 - all_bits,
            levels: entries.into_iter().map(|(_, level)| level).collect(),
        }
    }

    /// Whether an element is among the common ones: true for all whose [level](Self::level) is above 0,
    /// and for a few others.
    #[inline]
    #[must_use]
    pub fn is_common(&self, element: u64) -> bool {
        let bit = finalise(element) >> self.common_shift;
        self.common[(bit / 64) as usize] >> (bit % 64) & 1 == 1
    }

    /// Document frequency of an element, in logarithmic steps beyond 4095: 0 for elements that are not common.
    #[inline]
    #[must_use]
    pub fn level(&self, element: u64) -> u16 {
        let counter = counter(element, self.shift);
        let (word, rank) = self.counters[(counter / 64) as usize];
        let bit = 1u64 << (counter % 64);
        if word & bit == 0 {
            return 0;
        }
        self.levels[(rank + (word & (bit - 1)).count_ones()) as usize]
    }

    /// The sort key of an element in this order, ahead of its value.
    #[inline]
    #[must_use]
    pub fn rank(&self, element: u64) -> u32 {
        if self.is_common(element) { 1 + u32::from(self.level(element)) } else { 0 }
    }

    /// Encodes the order, for all tasks of a distributed join: at most 16 MiB.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let bits = |(word, _): &(u64, u32)| {
            let word = *word;
            std::iter::successors(Some(word), |word| Some(word & word.wrapping_sub(1)))
                .take_while(|&word| word > 0)
                .map(u64::trailing_zeros)
        };
        let counters = (0u32..).zip(&self.counters);
        let counters = counters.flat_map(|(at, word)| bits(word).map(move |bit| at * 64 + bit));
        let levels = self.levels.iter().map(|&level| u64::from(level));
        codec::encode(KIND, 64 - self.shift, &[], counters.zip(levels))
    }

    /// Decodes what [`ElementOrder::to_bytes`] gives.
    ///
    /// # Errors
    /// Bytes that are no order, damaged, of another version, or of elements of another hash family.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, DecodeError> {
        let decoder = Decoder::<0>::open(KIND, COUNTER_BITS, bytes)?;
        let counters = 1 << decoder.counter_bits;
        let too_high = decoder.damaged("a level is out of range");
        let mut in_range = decoder.entries <= MOST_COMMON as u64;
        let mut entries = Vec::new();
        decoder.for_each(|counter, level| match u16::try_from(level) {
            Ok(level) => entries.push((counter as u32, level)),
            Err(_) => in_range = false,
        })?;
        in_range.then(|| Self::of_levels(counters, entries, MOST_COMMON)).ok_or(too_high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DfSketch;
    use proptest::prelude::*;

    #[test]
    fn levels_are_monotone_and_fine() {
        for count in 1..1u64 << 17 {
            assert!(level(count) >= level(count - 1));
            // Counts of one level differ by less than 1/2048.
            assert!(level(count) < level(count + count / 2048 + 1), "{count}");
        }
        assert!((0..4096).all(|count| u64::from(level(count)) == count));
        assert!(level(1 << 40) < level((1 << 40) + (1 << 30)));
        assert_eq!((level(1 << 42), level(u64::MAX)), (u16::MAX, u16::MAX));
    }

    /// Frequencies far apart: beyond 255, elements of small vocabularies differ by this alone.
    #[test]
    fn counts_beyond_a_byte_are_ordered() {
        let mut sketch = DfSketch::for_elements(1, 0);
        let counts =
            [(1, 3), (2, 4), (3, 200), (4, 255), (5, 256), (6, 300), (7, 5000), (8, 70_000)];
        for (element, count) in counts {
            (0..count).for_each(|_| sketch.add(&[element]));
        }
        let order = sketch.freeze();
        let ranks: Vec<u32> = (1..=8).map(|element| order.rank(element)).collect();
        assert!(ranks.is_sorted() && ranks[0] < ranks[1] && ranks[2] < ranks[3], "{ranks:?}");
        assert!(ranks[4] < ranks[5] && ranks[5] < ranks[6] && ranks[6] < ranks[7], "{ranks:?}");
    }

    /// One bit for eight counters or so: common elements are all known, and of the others no more than one in
    /// [`BITS`] passes for one.
    #[test]
    fn few_bits_tell_common_elements_from_others() {
        let common: Vec<u64> = (0..100).map(finalise).collect();
        let others: Vec<u64> = (1000..11_000).map(finalise).collect();
        let mut sketch = DfSketch::for_elements(8000, 0);
        (0..COMMON).for_each(|_| sketch.add(&common));
        let order = sketch.freeze();
        assert_eq!((order.counters.len(), order.common.len()), (8192 / 64, 1024 / 64));
        assert!(
            common
                .iter()
                .all(|&value| order.is_common(value) && order.level(value) >= u16::from(COMMON))
        );
        let taken = others.iter().filter(|&&value| order.is_common(value)).count();
        assert!((1..others.len() / BITS).contains(&taken), "{taken}");
    }

    #[test]
    fn the_lowest_counts_are_dropped_beyond_the_bound() {
        let entries: Vec<(u32, u16)> = (0..1024).map(|at| (at, 1 + (at % 256) as u16)).collect();
        let order = ElementOrder::of_levels(1024, entries.clone(), 100);
        // 25 levels of 4 counters each.
        let expected: Vec<u16> = entries.iter().map(|entry| entry.1).filter(|&l| l > 231).collect();
        assert_eq!(order.levels, expected);
        assert_eq!(ElementOrder::of_levels(1024, entries, 1024).levels.len(), 1024);
    }

    /// As many common counters as there may be, spread so that as many distances as possible take two bytes.
    #[test]
    fn encoded_orders_stay_within_their_bound() {
        let (counters, most) = (1u32 << 18, 1 << 13);
        let mut entries: Vec<(u32, u16)> =
            (0..counters).step_by(128).map(|counter| (counter, u16::MAX)).collect();
        let others = (0..counters).filter(|counter| counter % 128 != 0);
        entries.extend(others.take(most - entries.len()).map(|counter| (counter, u16::MAX)));
        entries.sort_unstable();
        let order = ElementOrder::of_levels(counters as usize, entries, most);
        assert_eq!(order.levels.len(), most);
        let bytes = order.to_bytes().len();
        assert!(bytes > 4 * most && bytes <= longest(counters as usize, most), "{bytes}");
    }

    #[test]
    fn damaged_and_foreign_bytes_are_refused() {
        let mut sketch = DfSketch::for_elements(100, 0);
        (0..300).for_each(|number| sketch.add(&[1, 2 + number % 3]));
        let order = sketch.clone().freeze();
        let bytes = order.to_bytes();
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x40;
            assert!(ElementOrder::from_bytes(&damaged).is_err(), "{at}");
            assert!(ElementOrder::from_bytes(&bytes[..at]).is_err(), "{at}");
        }
        let error = ElementOrder::from_bytes(&sketch.to_bytes()).unwrap_err();
        assert_eq!(error.to_string(), "these bytes are not an element order");
        assert_eq!(ElementOrder::from_bytes(&bytes), Ok(order));
    }

    proptest! {
        #[test]
        fn orders_come_back_from_bytes(counts in prop::collection::vec((any::<u64>(), 1u32..600), 0..60)) {
            let mut sketch = DfSketch::for_elements(2000, 0);
            for &(element, times) in &counts {
                (0..times).for_each(|_| sketch.add(&[element]));
            }
            let order = sketch.freeze();
            let decoded = ElementOrder::from_bytes(&order.to_bytes()).unwrap();
            prop_assert_eq!(&decoded, &order);
            for (element, times) in counts {
                let least = if times < u32::from(COMMON) { 0 } else { times };
                prop_assert!(u32::from(order.level(element)) >= least);
                prop_assert!(order.is_common(element) || order.level(element) == 0);
            }
        }
    }
}
