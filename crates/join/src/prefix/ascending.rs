//! The prefix of a large set, without copies of the set.

use super::PrefixFilter;

impl PrefixFilter<'_> {
    /// Emits what [`PrefixFilter::prefix`] emits, of a set both of whose parts are in ascending
    /// order.
    ///
    /// Takes a bit for each element of `low`, and 16 bytes for each common element of the prefix;
    /// common elements are looked up up to three times. O(|set|), plus sorting those of the prefix.
    pub fn prefix_of_ascending<'s>(
        &self,
        size: u32,
        low: &[u64],
        high: impl FnOnce() -> &'s [u64],
        mut is_singleton: impl FnMut(u64) -> bool,
        mut emit: impl FnMut(u32, u64),
    ) {
        let length = self.length(size) as usize;
        let (mut singletons, mut count) = (vec![0u64; low.len().div_ceil(64)], 0);
        for (at, &element) in low.iter().enumerate() {
            let single = is_singleton(element);
            singletons[at / 64] |= u64::from(single) << (at % 64);
            count += usize::from(single);
        }
        if count >= length {
            return;
        }
        let is_shared = |at: usize| singletons[at / 64] >> (at % 64) & 1 == 0;
        let shared = || (0..).zip(low).filter(|&(at, _)| is_shared(at)).map(|(_, element)| element);
        let (mut position, end) = (count as u32, length as u32);
        let mut take = |elements: &mut dyn Iterator<Item = &u64>| {
            for &element in elements.filter(|&&element| !self.order.is_common(element)) {
                emit(position, element);
                position += 1;
                if position == end {
                    return false;
                }
            }
            true
        };
        if !take(&mut shared()) {
            return;
        }
        let high = high();
        if !take(&mut high.iter()) {
            return;
        }
        // The rest of the prefix: the least frequent of the common elements, those of equal
        // frequency by value.
        let common = || {
            let all = shared().chain(high).filter(|&&element| self.order.is_common(element));
            all.map(|&element| (self.order.level(element), element))
        };
        let mut counts = [0u32; 1 << u8::BITS];
        common().for_each(|(level, _)| counts[usize::from(level)] += 1);
        let (mut most, mut left) = (0, end - position);
        while counts[usize::from(most)] < left && most < u8::MAX {
            left -= counts[usize::from(most)];
            most += 1;
        }
        let mut ranked = Vec::with_capacity((end - position) as usize);
        ranked.extend(common().filter(|&(level, _)| {
            let takes = level < most || (level == most && left > 0);
            left -= u32::from(takes && level == most);
            takes
        }));
        ranked.sort_unstable();
        for (position, (_, element)) in (position..end).zip(ranked) {
            emit(position, element);
        }
    }
}
