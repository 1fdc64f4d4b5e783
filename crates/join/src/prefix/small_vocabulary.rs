//! The prefix of a set of which nearly all elements are common.

use super::{PrefixFilter, Sorting};
use std::ops::Range;

impl PrefixFilter<'_> {
    /// Emits the elements of a set at `positions` of the order, where those before are singletons.
    ///
    /// `low` are the elements up to the bound that are no singletons, in any order, `high` gives
    /// the others. Only the elements of the prefix are sorted. O(|set| + p log p) for a prefix of p
    /// elements.
    pub(super) fn least_common<'s>(
        &self,
        positions: Range<u32>,
        low: &[u64],
        high: impl FnOnce() -> &'s [u64],
        (rare, common, levels): (&mut Vec<u64>, &mut Vec<u64>, &mut Vec<u8>),
        sorting: &mut Sorting,
        mut emit: impl FnMut(u32, u64),
    ) {
        let Range { start: mut position, end } = positions;
        let mut take = |elements: &[u64], common: &mut Vec<u64>| {
            let (mut rare_end, mut common_end) = (0, common.len());
            rare.resize(rare.len().max(elements.len()), 0);
            common.resize(common_end + elements.len(), 0);
            for &element in elements {
                let is_common = self.order.is_common(element);
                (rare[rare_end], common[common_end]) = (element, element);
                rare_end += usize::from(!is_common);
                common_end += usize::from(is_common);
            }
            common.truncate(common_end);
            let rare = &mut rare[..rare_end];
            sorting.spread.sort(rare);
            for &element in rare.iter().take((end - position) as usize) {
                emit(position, element);
                position += 1;
            }
            position < end
        };
        if !take(low, common) || !take(high(), common) {
            return;
        }
        // The rest of the prefix: the least frequent of the common elements, those of equal
        // frequency by value. They are distributed by their levels, up to the level with which the
        // prefix is complete.
        levels.clear();
        levels.extend(common.iter().map(|&element| self.order.level(element)));
        let mut starts = [0u32; 1 << u8::BITS];
        levels.iter().for_each(|&level| starts[usize::from(level)] += 1);
        let (mut first, mut most) = (0, u8::MAX);
        for (level, start) in (0..=u8::MAX).zip(&mut starts) {
            let count = std::mem::replace(start, first);
            first += count;
            if first >= end - position {
                most = level;
                break;
            }
        }
        rare.resize(rare.len().max(first as usize), 0);
        for (&element, &level) in common.iter().zip(&*levels).filter(|&(_, &level)| level <= most) {
            let next = &mut starts[usize::from(level)];
            rare[*next as usize] = element;
            *next += 1;
        }
        // By now, each level ends where the next one began.
        let mut from = 0;
        for &to in &starts[..=usize::from(most)] {
            let of_level = &mut rare[from as usize..to as usize];
            sorting.spread.sort(of_level);
            for &element in of_level.iter().take((end - position) as usize) {
                emit(position, element);
                position += 1;
            }
            from = to;
        }
    }
}
