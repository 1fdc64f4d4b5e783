//! Element order: the global order of elements that prefixes are taken from.

use super::codec::{self, DecodeError, Decoder, Kind};
use super::counter::counter;
use lookalike_core::fingerprint::finalise;

/// Order of elements by document frequency: a frozen [`DfSketch`](crate::DfSketch).
///
/// Elements with lower [levels](ElementOrder::level) come first, those of equal levels by value.
/// Levels are document frequencies in a sample: exact below 64, and eight to an octave beyond.
/// Immutable, and small when encoded ([`ElementOrder::to_bytes`]): all tasks of a run must use the
/// same one. The answer of a join never depends on it, only the number of candidates does.
///
/// ```
/// use lookalike_join::{DfSketch, ElementOrder};
///
/// let mut sketch = DfSketch::for_elements(1000, 0);
/// (0..500).for_each(|number| sketch.add(&[7, 1000 + number]));
/// (0..100).for_each(|_| sketch.add(&[8]));
/// let order = sketch.freeze();
/// assert!(order.level(7) > order.level(8) && order.level(8) > order.level(9));
/// assert_eq!(ElementOrder::from_bytes(&order.to_bytes())?, order);
/// # Ok::<(), lookalike_join::DecodeError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ElementOrder {
    /// Level of each counter.
    levels: Vec<u8>,
    shift: u32,
    /// The lowest level of a common counter.
    common_from: u8,
    /// A bit for one, two, four or more adjacent counters: whether any of them is common. Few are,
    /// so the bits of a large sketch stay in the processor's cache, where the levels do not.
    common: Vec<u64>,
    common_shift: u32,
}

/// Counts below this are chance, or elements that share a counter.
pub(crate) const COMMON: u8 = 4;

/// Elements that are counted so many times on average are a small vocabulary, as single words and
/// characters are: all of them are common then, and ordered by level.
const SMALL_VOCABULARY: usize = 8;

/// Bits for each common counter, at least: so that no more than one in so many of the other
/// elements passes for common by chance.
const BITS: usize = 8;

/// The most counters whose levels are kept: of more, the lowest levels become 0.
const MOST_LEVELS: usize = 1 << 22;

/// Bytes of an encoded order of so many counters at most: three for each level above 0, and more
/// for distances of 2⁷, of 2¹⁴ and of 2²¹ counters, of which there are only so many.
const fn longest(counters: usize, levels: usize) -> usize {
    HEADER + 3 * levels + (counters >> 7) + (counters >> 14) + (counters >> 21)
}

/// Bytes of an encoded order around its entries, at most.
const HEADER: usize = 128;

/// An encoded order can be broadcast.
const _: () = assert!(longest(1 << *COUNTER_BITS.end(), MOST_LEVELS) <= 16 << 20);

const KIND: Kind = Kind { magic: *b"LKORDER\n", version: 1, name: "an element order" };

/// Logarithms of the least and largest number of counters.
const COUNTER_BITS: std::ops::RangeInclusive<u32> = 10..=28;

/// The level of a count: exact below 64, then eight levels an octave, up to 2³⁰. Monotone.
fn level(count: u64) -> u8 {
    match count {
        0..64 => count as u8,
        _ if count >= 1 << 30 => u8::MAX,
        _ => {
            let octave = count.ilog2();
            let eighth = (count >> (octave - 3)) as u32 & 7;
            (64 + (octave - 6) * 8 + eighth) as u8
        }
    }
}

/// The level of a count below 256: without branches, for the compiler to vectorise.
#[inline(always)]
fn level_of_byte(count: u8) -> u8 {
    let octave_6 = 64 + (count.wrapping_sub(64) >> 3);
    let octave_7 = 72 + (count.wrapping_sub(128) >> 4);
    if count < 64 {
        count
    } else if count < 128 {
        octave_6
    } else {
        octave_7
    }
}

/// How many levels reach `least`.
fn reach(levels: &[u8], least: u8) -> usize {
    levels.iter().filter(|&&level| level >= least).count()
}

impl ElementOrder {
    /// The order by some counts: counts modulo 256, and what has to be added to those beyond.
    pub(crate) fn of_counts(
        mut counts: Vec<u8>,
        carries: impl Iterator<Item = (usize, u64)>,
    ) -> Self {
        let mut counted: u64 = counts.iter().map(|&count| u64::from(count)).sum();
        let carries = carries.inspect(|(_, carry)| counted += carry);
        let carried = |(counter, carry)| (counter, level(carry + u64::from(counts[counter])));
        let carried: Vec<(usize, u8)> = carries.map(carried).collect();
        for (counter, _) in &carried {
            counts[*counter] = 0;
        }
        counts.iter_mut().for_each(|count| *count = level_of_byte(*count));
        for &(counter, level) in &carried {
            counts[counter] = level;
        }
        let few = (reach(&counts, 1) * SMALL_VOCABULARY) as u64 <= counted;
        Self::of_levels(counts, if few { 1 } else { COMMON }, MOST_LEVELS)
    }

    /// The order by some levels, of which at most so many are above 0: the lowest others become 0.
    fn of_levels(mut levels: Vec<u8>, common_from: u8, most: usize) -> Self {
        // Found after a few steps: most counters have low counts.
        let least = (1..u8::MAX).find(|&least| reach(&levels, least) <= most).unwrap_or(u8::MAX);
        if least > 1 {
            levels.iter_mut().for_each(|level| *level = if *level < least { 0 } else { *level });
        }
        let common = reach(&levels, common_from);
        let bits = (common * BITS).next_power_of_two().clamp(64, levels.len());
        let adjacent = levels.len() / bits;
        // No early exit from a row: the compiler vectorises it.
        let is_common =
            |row: &[u8]| row.iter().fold(0, |most, &level| most.max(level)) >= common_from;
        let word = |rows: &[u8]| {
            let rows = rows.chunks(adjacent).rev();
            rows.fold(0, |word, row| word << 1 | u64::from(is_common(row)))
        };
        let common = levels.chunks(64 * adjacent).map(word).collect();
        let shift = 64 - levels.len().ilog2();
        Self { levels, shift, common_from, common, common_shift: 64 - bits.ilog2() }
    }

    /// Whether an element may be in several sampled sets: true for all whose [level](Self::level)
    /// is 4 or more, of small vocabularies 1 or more, and for a few others.
    #[inline]
    #[must_use]
    pub fn is_common(&self, element: u64) -> bool {
        let bit = finalise(element) >> self.common_shift;
        self.common[(bit / 64) as usize] >> (bit % 64) & 1 == 1
    }

    /// Whether elements are so few that all of them are common, as single words and characters are.
    #[inline]
    #[must_use]
    pub fn is_small_vocabulary(&self) -> bool {
        self.common_from < COMMON
    }

    /// Document frequency of an element in the sample, in logarithmic steps from 64 on.
    #[inline]
    #[must_use]
    pub fn level(&self, element: u64) -> u8 {
        self.levels[counter(element, self.shift) as usize]
    }

    /// The least document frequency in the sample that elements of the level of this one have.
    #[must_use]
    pub(crate) fn frequency(&self, element: u64) -> u64 {
        match u64::from(self.level(element)) {
            level @ 0..64 => level,
            level => (8 + (level - 64) % 8) << ((level - 64) / 8 + 3),
        }
    }

    /// Encodes the order, for all tasks of a distributed join: at most 16 MiB.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let levels = (0u32..).zip(&self.levels).filter(|&(_, &level)| level > 0);
        let levels = levels.map(|(counter, &level)| (counter, u64::from(level)));
        codec::encode(KIND, 64 - self.shift, &[self.common_from.into()], levels)
    }

    /// Decodes what [`ElementOrder::to_bytes`] gives.
    ///
    /// # Errors
    /// Bytes that are no order, damaged, of another version, or of elements of another hash family.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, DecodeError> {
        let decoder = Decoder::<1>::open(KIND, COUNTER_BITS, bytes)?;
        let mut levels = vec![0u8; 1 << decoder.counter_bits];
        let too_high = decoder.damaged("a level is out of range");
        let common_from = u8::try_from(decoder.fields[0]).unwrap_or(0);
        let mut in_range = common_from > 0 && decoder.entries <= MOST_LEVELS as u64;
        decoder.for_each(|counter, level| match u8::try_from(level) {
            Ok(level) => levels[counter] = level,
            Err(_) => in_range = false,
        })?;
        in_range.then(|| Self::of_levels(levels, common_from, MOST_LEVELS)).ok_or(too_high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DfSketch;
    use proptest::prelude::*;

    #[test]
    fn frequencies_are_the_least_of_their_levels() {
        for count in [1, 5, 63, 64, 71, 72, 127, 128, 300, 70_000] {
            let mut sketch = DfSketch::for_elements(1, 0);
            (0..count).for_each(|_| sketch.add(&[7]));
            let frequency = sketch.freeze().frequency(7);
            assert_eq!(level(frequency), level(count), "{count}");
            assert!(frequency <= count && (frequency == 0 || level(frequency - 1) < level(count)));
        }
    }

    #[test]
    fn levels_are_monotone_and_fine() {
        for count in 1..1u64 << 17 {
            assert!(level(count) >= level(count - 1));
            // Counts of one level differ by less than an eighth.
            assert!(level(count) < level(count + count / 8 + 1) || count >= 1 << 30, "{count}");
        }
        assert_eq!((level((1 << 30) - 1), level(1 << 30), level(u64::MAX)), (255, 255, 255));
        for count in 0..=255 {
            assert_eq!(level_of_byte(count), level(count.into()));
        }
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
        let ranks: Vec<u8> = (1..=8).map(|element| order.level(element)).collect();
        assert!(ranks.is_sorted() && ranks[0] < ranks[1] && ranks[2] < ranks[3], "{ranks:?}");
        assert!(ranks[4] < ranks[5] && ranks[5] < ranks[6] && ranks[6] < ranks[7], "{ranks:?}");
    }

    /// Of 50 elements in 2 to 51 of 51 sets, all are common; of many that are counted as rarely,
    /// those above 3 are.
    #[test]
    fn all_elements_of_small_vocabularies_are_common() {
        let set = |n: u64| Vec::from_iter((0..50).map(finalise).skip(n.saturating_sub(1) as usize));
        let mut sketch = DfSketch::for_elements(20_000, 0);
        (0..51).for_each(|n| sketch.add(&set(n)));
        let mut large = sketch.clone();
        large.add(&Vec::from_iter((1000..5000).map(finalise)));
        let order = sketch.freeze();
        assert!((0..50).map(finalise).all(|element| order.is_common(element)));
        assert!((0..49).all(|n| order.level(finalise(n)) <= order.level(finalise(n + 1))));
        let order = large.freeze();
        let common = (1000..5000).filter(|&element| order.is_common(finalise(element))).count();
        assert!(common < 4000 / BITS, "{common}");
    }

    /// One bit for eight counters or so: common elements are all known, and of the others no more
    /// than one in [`BITS`] passes for one.
    #[test]
    fn few_bits_tell_common_elements_from_others() {
        let common: Vec<u64> = (0..100).map(finalise).collect();
        let others: Vec<u64> = (1000..11_000).map(finalise).collect();
        let mut sketch = DfSketch::for_elements(8000, 0);
        sketch.add(&Vec::from_iter((20_000..21_000).map(finalise)));
        (0..COMMON).for_each(|_| sketch.add(&common));
        let order = sketch.freeze();
        assert_eq!((order.levels.len(), order.common.len()), (8192, 1024 / 64));
        assert!(common.iter().all(|&value| order.is_common(value) && order.level(value) >= COMMON));
        let taken = others.iter().filter(|&&value| order.is_common(value)).count();
        assert!((1..others.len() / BITS).contains(&taken), "{taken}");
    }

    #[test]
    fn the_lowest_counts_are_dropped_beyond_the_bound() {
        let levels: Vec<u8> = (0..1024).map(|at| (at % 256) as u8).collect();
        let order = ElementOrder::of_levels(levels.clone(), COMMON, 100);
        // 25 levels of 4 counters each.
        let expected: Vec<u8> = levels.iter().map(|&l| if l < 231 { 0 } else { l }).collect();
        assert_eq!(order.levels, expected);
        assert_eq!(ElementOrder::of_levels(levels.clone(), COMMON, 1020).levels, levels);
    }

    /// As many common counters as there may be, spread so that as many gaps as possible take two
    /// bytes.
    #[test]
    fn encoded_orders_stay_within_their_bound() {
        let (counters, most) = (1 << 18, 1 << 13);
        let mut levels = vec![0u8; counters];
        levels.iter_mut().step_by(128).for_each(|level| *level = u8::MAX);
        let common = levels.iter_mut().filter(|level| **level == 0).take(most - counters / 128);
        common.for_each(|level| *level = u8::MAX);
        let order = ElementOrder::of_levels(levels, COMMON, most);
        assert_eq!(order.levels.iter().filter(|&&level| level > 0).count(), most);
        let bytes = order.to_bytes().len();
        assert!(bytes > 3 * most && bytes <= longest(counters, most), "{bytes}");
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
                prop_assert!(order.level(element) >= level(times.into()));
                prop_assert!(order.is_common(element) || order.level(element) < COMMON);
            }
        }
    }
}
