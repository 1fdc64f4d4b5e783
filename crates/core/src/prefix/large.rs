//! The prefix of a large set, without copies of the set.

use super::PrefixOrder;

impl PrefixOrder<'_> {
    /// Gives what [`PrefixOrder::prefix`] gives, of a set both of whose parts are in ascending order. Takes a
    /// bit for each element that is counted, and 16 bytes for each of the prefix that is common; common
    /// elements are looked up up to three times. O(|set|), plus sorting those of the prefix.
    pub fn prefix_of_ascending<'s>(
        &self,
        size: u32,
        counted: &[u64],
        above: impl FnOnce() -> &'s [u64],
        mut once: impl FnMut(u64) -> bool,
        mut emit: impl FnMut(u32, u64),
    ) {
        let length = self.measure.prefix_length(self.threshold, size) as usize;
        let (mut alone, mut count) = (vec![0u64; counted.len().div_ceil(64)], 0);
        for (at, &value) in counted.iter().enumerate() {
            let is_alone = once(value);
            alone[at / 64] |= u64::from(is_alone) << (at % 64);
            count += usize::from(is_alone);
        }
        if count >= length {
            return;
        }
        let is_shared = |at: usize| alone[at / 64] >> (at % 64) & 1 == 0;
        let low = || (0..).zip(counted).filter(|&(at, _)| is_shared(at)).map(|(_, value)| value);
        let (mut place, end) = (count as u32, length as u32);
        let mut take = |values: &mut dyn Iterator<Item = &u64>| {
            for &value in values.filter(|&&value| !self.rarity.is_common(value)) {
                emit(place, value);
                place += 1;
                if place == end {
                    return false;
                }
            }
            true
        };
        if !take(&mut low()) {
            return;
        }
        let above = above();
        if !take(&mut above.iter()) {
            return;
        }
        // The rest of the prefix: the least common ones, those of equal commonness in ascending order.
        let commons = || {
            let all = low().chain(above).filter(|&&value| self.rarity.is_common(value));
            all.map(|&value| (self.rarity.commonness(value), value))
        };
        let mut counts = [0u32; 1 << u8::BITS];
        commons().for_each(|(common, _)| counts[usize::from(common)] += 1);
        let (mut most, mut left) = (0, end - place);
        while counts[usize::from(most)] < left && most < u8::MAX {
            left -= counts[usize::from(most)];
            most += 1;
        }
        let mut ranked = Vec::with_capacity((end - place) as usize);
        ranked.extend(commons().filter(|&(common, _)| {
            let takes = common < most || (common == most && left > 0);
            left -= u32::from(takes && common == most);
            takes
        }));
        ranked.sort_unstable();
        for (place, (_, value)) in (place..end).zip(ranked) {
            emit(place, value);
        }
    }
}
