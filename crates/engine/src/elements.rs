//! Memory that holds the elements of a chunk.
//!
//! A chunk of ordinary text has two or three megabytes of elements, and the sets of a collection in
//! memory consist of such arrays. On the heap they would be in pages of four kilobytes, each of
//! which the system allocates and clears at the first write: that took a twelfth of a whole run. So
//! they are mapped, with pages of two megabytes if the system has them.

use memmap2::MmapMut;
use std::ops::{Deref, DerefMut, Range};
use zerocopy::FromBytes;

/// Bytes of a huge page on most machines. On others, its multiples are those of smaller pages, too.
const HUGE: usize = 2 << 20;

/// Elements that were gathered elsewhere.
#[derive(Debug)]
pub(crate) enum Elements {
    /// Too few to be worth a page.
    Heap(Vec<u64>),
    /// As many bytes, from the byte on that begins a huge page.
    Mapped { map: MmapMut, start: usize, bytes: usize },
}

impl Default for Elements {
    fn default() -> Self {
        Self::Heap(Vec::new())
    }
}

impl Elements {
    /// Copies two slices of elements, concatenated. O(elements).
    pub(crate) fn of(first: &[u64], second: &[u64]) -> Self {
        let mapped = Self::mapped(first.len() + second.len());
        let Some(mut elements) = mapped else { return Self::Heap([first, second].concat()) };
        let (front, back) = elements.split_at_mut(first.len());
        front.copy_from_slice(first);
        back.copy_from_slice(second);
        elements
    }

    /// Keeps the elements of these ascending ranges and drops the others. In place where that
    /// leaves less than an eighth of the memory unused: fresh pages cost more than the move.
    /// O(elements).
    pub(crate) fn keep(&mut self, ranges: impl Iterator<Item = Range<usize>> + Clone) {
        let len: usize = ranges.clone().map(|range| range.len()).sum();
        if len < self.len() - self.len() / 8 {
            let kept: Vec<u64> = ranges.flat_map(|range| &self[range]).copied().collect();
            *self = Self::of(&kept, &[]);
            return;
        }
        let mut end = 0;
        for range in ranges {
            let next = end + range.len();
            if range.start != end {
                self.copy_within(range, end);
            }
            end = next;
        }
        match self {
            Self::Heap(elements) => elements.truncate(len),
            Self::Mapped { bytes, .. } => *bytes = len * size_of::<u64>(),
        }
    }

    /// Maps memory for `length` elements; `None` if they are few, or if mapping fails.
    fn mapped(elements: usize) -> Option<Self> {
        let bytes = elements * size_of::<u64>();
        if bytes < HUGE {
            return None;
        }
        // With room to begin where a huge page does: what is never written to takes no memory.
        let map = MmapMut::map_anon(bytes.next_multiple_of(HUGE) + HUGE).ok()?;
        let start = map.as_ptr().align_offset(HUGE);
        let start = if start < HUGE { start } else { 0 };
        // The last part would waste most of a large page, and uses small pages. This is advice
        // only: without large pages, all pages are small.
        #[cfg(target_os = "linux")]
        {
            use memmap2::Advice;
            let _ = map.advise_range(Advice::HugePage, start, bytes - bytes % HUGE);
            let _ = map.advise_range(Advice::PopulateWrite, start, bytes);
        }
        Some(Self::Mapped { map, start, bytes })
    }
}

impl Deref for Elements {
    type Target = [u64];

    fn deref(&self) -> &[u64] {
        match self {
            Self::Heap(elements) => elements,
            // A page begins where a number may, and holds a whole number of them.
            Self::Mapped { map, start, bytes } => {
                FromBytes::ref_from_bytes(&map[*start..start + bytes]).unwrap_or_default()
            }
        }
    }
}

impl DerefMut for Elements {
    fn deref_mut(&mut self) -> &mut [u64] {
        match self {
            Self::Heap(elements) => elements,
            Self::Mapped { map, start, bytes } => {
                FromBytes::mut_from_bytes(&mut map[*start..*start + *bytes]).unwrap_or_default()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_and_many_are_what_they_were() {
        for (first, second) in [(0, 0), (3, 5), (0, 1 << 18), (1 << 18, 0), (300_000, 700_001)] {
            let first: Vec<u64> = (0..first).collect();
            let second: Vec<u64> = (1 << 40..(1 << 40) + second).collect();
            let mut elements = Elements::of(&first, &second);
            assert_eq!(elements.len() < 1 << 18, matches!(elements, Elements::Heap(_)));
            assert!(elements[..] == [first, second].concat());
            elements.reverse();
            assert!(elements.is_sorted_by(|a, b| a >= b));
        }
    }

    /// Few and many elements, of which few or many are kept.
    #[test]
    fn what_is_kept_moves_to_the_front() {
        for len in [0u64, 1, 1000, 1 << 18, 700_001] {
            for every in [1, 2, 7, 100, usize::MAX] {
                let all: Vec<u64> = (0..len).collect();
                let mut elements = Elements::of(&all[..all.len() / 3], &all[all.len() / 3..]);
                // Pieces of 31, of which one in `every` is dropped.
                let pieces = (0..all.len()).step_by(31).map(|at| at..all.len().min(at + 31));
                let kept: Vec<Range<usize>> = pieces
                    .enumerate()
                    .filter(|(n, _)| n % every != every - 1)
                    .map(|(_, r)| r)
                    .collect();
                let expected: Vec<u64> =
                    kept.iter().flat_map(|range| &all[range.clone()]).copied().collect();
                elements.keep(kept.into_iter());
                assert!(elements[..] == expected, "{len} {every}");
            }
        }
    }
}
