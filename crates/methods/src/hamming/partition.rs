//! Partitions words into buckets by a block.
//!
//! Words that agree in the block share a bucket; a bucket may contain others (the block's value is
//! hashed to a number of buckets that suits the number of words), which the comparison rejects. One
//! stable counting sort, for any length of the block.

use rayon::prelude::*;

/// Maximum number of buckets, as a power of two: with more, writes miss the cache.
pub(super) const MOST_BITS: u32 = 14;

/// Number of words from which buckets are filled by several threads.
const PARALLEL: usize = 1 << 16;

/// Words in buckets, with their positions; buffers are reused.
#[derive(Debug, Default)]
pub(super) struct Buckets {
    words: Vec<u64>,
    positions: Vec<u32>,
    ends: Vec<u32>,
}

/// The mapping from words to buckets.
#[derive(Debug, Clone, Copy)]
struct Key {
    mask: u64,
    low: u32,
    factor: u64,
    shift: u32,
}

/// Bits of the bucket number for a number of words and the width of the block.
pub(super) fn bucket_bits(words: usize, width: u32) -> u32 {
    width.min(words.max(2).ilog2()).min(MOST_BITS)
}

impl Key {
    /// If the block has at most as many values as there are buckets, its value is the bucket; a
    /// longer block is hashed (Fibonacci hashing: the highest bits of a product).
    fn new(mask: u64, words: usize) -> Self {
        let width = mask.count_ones();
        let bits = bucket_bits(words, width);
        let factor = if bits == width { 1 << (64 - width) } else { 0x9E37_79B9_7F4A_7C15 };
        Self { mask, low: mask.trailing_zeros(), factor, shift: 64 - bits }
    }

    #[inline(always)]
    fn bucket(self, word: u64) -> usize {
        (((word & self.mask) >> self.low).wrapping_mul(self.factor) >> self.shift) as usize
    }

    fn buckets(self) -> usize {
        1 << (64 - self.shift)
    }
}

/// End of a share of words that begins at `from`, saturating: the sum may exceed 2³², although no
/// position does.
fn share_end(from: usize, share: usize) -> u32 {
    u32::try_from(from.saturating_add(share)).unwrap_or(u32::MAX)
}

impl Buckets {
    /// Partitions the words into buckets by the bits of `mask`, unless `worth` rejects the number
    /// of ordered pairs of words (pairs of a word with itself included) that would share a bucket.
    /// O(words); does not allocate once buffers have grown.
    pub(super) fn fill(
        &mut self,
        words: &[u64],
        positions: impl Iterator<Item = u32>,
        mask: u64,
        worth: impl FnOnce(u64) -> bool,
    ) -> bool {
        let key = self.begin(words.len(), mask);
        for &word in words {
            self.ends[key.bucket(word)] += 1;
        }
        if !worth(self.ends.iter().map(|&count| u64::from(count) * u64::from(count)).sum()) {
            return false;
        }
        starts(&mut self.ends);
        for (&word, position) in words.iter().zip(positions) {
            let end = &mut self.ends[key.bucket(word)];
            self.words[*end as usize] = word;
            self.positions[*end as usize] = position;
            *end += 1;
        }
        true
    }

    /// The same for all words at once, `words[i]` having position i, on all of rayon's threads:
    /// each owns a range of the buckets and reads all words, so no locks are needed and the result
    /// is the same for any number of threads.
    pub(super) fn fill_all(&mut self, words: &[u64], mask: u64) {
        if words.len() < PARALLEL {
            self.fill(words, 0.., mask, |_| true);
            return;
        }
        let key = self.begin(words.len(), mask);
        let share = words.len().div_ceil(rayon::current_num_threads());
        let counts: Vec<Vec<u32>> = words
            .par_chunks(share)
            .map(|chunk| {
                let mut counts = vec![0; key.buckets()];
                chunk.iter().for_each(|&word| counts[key.bucket(word)] += 1);
                counts
            })
            .collect();
        for counts in &counts {
            self.ends.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        }
        starts(&mut self.ends);
        let ranges = self.ranges(share, words.len());
        ranges.into_par_iter().for_each(|mut range| range.fill(words, key));
    }

    fn begin(&mut self, words: usize, mask: u64) -> Key {
        let key = Key::new(mask, words);
        if self.words.len() < words {
            self.words.resize(words, 0);
            self.positions.resize(words, 0);
        }
        self.ends.clear();
        self.ends.resize(key.buckets(), 0);
        key
    }

    /// Cuts the buckets, whose starts are in `ends`, into ranges of about `share` words.
    fn ranges(&mut self, share: usize, total: usize) -> Vec<Range<'_>> {
        let mut out = Vec::new();
        let (mut ends, mut first, mut from) = (self.ends.as_mut_slice(), 0, 0);
        let mut words = &mut self.words[..total];
        let mut positions = &mut self.positions[..total];
        while !ends.is_empty() {
            let wanted = share_end(from, share);
            let count = ends.partition_point(|&start| start < wanted).max(1);
            let until = ends.get(count).map_or(total, |&start| start as usize);
            let (range_ends, ends_after) = ends.split_at_mut(count);
            let (range_words, words_after) = words.split_at_mut(until - from);
            let (range_positions, positions_after) = positions.split_at_mut(until - from);
            out.push(Range {
                first,
                from: from as u32,
                ends: range_ends,
                words: range_words,
                positions: range_positions,
            });
            (ends, words, positions) = (ends_after, words_after, positions_after);
            first += count;
            from = until;
        }
        out
    }

    /// Number of buckets.
    pub(super) fn count(&self) -> usize {
        self.ends.len()
    }

    /// Index of a bucket's first word.
    pub(super) fn start(&self, bucket: usize) -> usize {
        if bucket == 0 { 0 } else { self.ends[bucket - 1] as usize }
    }

    /// A bucket's words and their positions.
    #[inline]
    pub(super) fn bucket(&self, bucket: usize) -> (&[u64], &[u32]) {
        let range = self.start(bucket)..self.ends[bucket] as usize;
        (&self.words[range.clone()], &self.positions[range])
    }
}

/// Adjacent buckets.
struct Range<'a> {
    /// Number of the first of them.
    first: usize,
    /// Words before them.
    from: u32,
    ends: &'a mut [u32],
    words: &'a mut [u64],
    positions: &'a mut [u32],
}

impl Range<'_> {
    fn fill(&mut self, words: &[u64], key: Key) {
        for (position, &word) in words.iter().enumerate() {
            // Below the first bucket the difference wraps to a large number.
            let bucket = key.bucket(word).wrapping_sub(self.first);
            if let Some(end) = self.ends.get_mut(bucket) {
                let at = (*end - self.from) as usize;
                self.words[at] = word;
                self.positions[at] = position as u32;
                *end += 1;
            }
        }
    }
}

/// Converts counts to start indexes; filling advances each start to its end.
fn starts(counts: &mut [u32]) {
    let mut sum = 0;
    for count in counts {
        sum += std::mem::replace(count, sum);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    #[test]
    fn shares_end_with_the_last_position_at_the_latest() {
        let all = u32::MAX as usize;
        assert_eq!(share_end(3, 4), 7);
        assert_eq!(share_end(all - 1, 1), u32::MAX);
        // Without saturation, a third share of half the words each would begin again at the front.
        assert_eq!(share_end(all - 1, all / 2), u32::MAX);
    }

    fn check(buckets: &Buckets, words: &[u64], mask: u64) {
        let mut home = BTreeMap::new();
        let mut seen = Vec::new();
        for bucket in 0..buckets.count() {
            let (inside, positions) = buckets.bucket(bucket);
            assert!(positions.is_sorted());
            for (word, &position) in inside.iter().zip(positions) {
                assert_eq!(words[position as usize], *word);
                assert_eq!(*home.entry(word & mask).or_insert(bucket), bucket);
                seen.push(position);
            }
        }
        seen.sort_unstable();
        assert_eq!(seen, (0..words.len() as u32).collect::<Vec<_>>());
    }

    proptest! {
        #[test]
        fn every_word_is_in_the_one_bucket_of_its_block(
            words in prop::collection::vec(prop_oneof![any::<u64>(), 0u64..4], 0..300),
            from in 0u32..63,
            width in 1u32..64,
        ) {
            let mask = (u64::MAX >> from) & (u64::MAX << (64 - (from + width).min(64)));
            let mut buckets = Buckets::default();
            buckets.fill(&[7; 400], 0.., u64::MAX, |_| true);
            buckets.fill(&words, 0.., mask, |_| false);
            buckets.fill(&words, 0.., mask, |_| true);
            check(&buckets, &words, mask);
            buckets.fill_all(&words, mask);
            check(&buckets, &words, mask);
        }
    }

    #[test]
    fn several_threads_fill_the_same_buckets() {
        let words: Vec<u64> =
            (0..PARALLEL as u64 * 2).map(lookalike_core::fingerprint::finalise).collect();
        for mask in [u64::MAX << 51, 0xFF, 1] {
            let mut buckets = Buckets::default();
            rayon::ThreadPoolBuilder::new()
                .num_threads(3)
                .build()
                .unwrap()
                .install(|| buckets.fill_all(&words, mask));
            check(&buckets, &words, mask);
        }
    }
}
