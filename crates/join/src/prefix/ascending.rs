//! The prefix of a large set, without copies of the set.

use super::PrefixFilter;

impl PrefixFilter<'_> {
    /// Emits what [`PrefixFilter::prefix`] emits, of a set both of whose parts are in ascending
    /// order.
    ///
    /// Takes a bit for each element of `low`, a byte for each common element, and 8 bytes for each
    /// element of the prefix. O(|set|).
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
        // frequency by value, which is the order in which they come.
        let common =
            || shared().chain(high).copied().filter(|&element| self.order.is_common(element));
        // Each lookup is likely to miss the cache: one for each element.
        let levels: Vec<u8> = common().map(|element| self.order.level(element)).collect();
        let mut places = [0u32; 1 << u8::BITS];
        levels.iter().for_each(|&level| places[usize::from(level)] += 1);
        let mut start = 0;
        for place in &mut places {
            start += std::mem::replace(place, start);
        }
        let mut ranked = vec![0u64; (end - position) as usize];
        for (element, &level) in common().zip(&levels) {
            let place = &mut places[usize::from(level)];
            if let Some(ranked) = ranked.get_mut(*place as usize) {
                *ranked = element;
                *place += 1;
            }
        }
        let found = levels.len().min(ranked.len());
        for (position, &element) in (position..end).zip(&ranked[..found]) {
            emit(position, element);
        }
    }
}
