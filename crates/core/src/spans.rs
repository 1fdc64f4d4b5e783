//! Spans: the longest runs of words that ranges cover without a gap.

use std::ops::Range;

/// Unites ranges that overlap or meet.
///
/// ```
/// use lookalike_core::spans::Spans;
///
/// let mut spans = Spans::default();
/// for (range, counts) in [(0..4, false), (2..6, true), (6..8, false), (20..24, false)] {
///     spans.add(range, counts);
/// }
/// // No range that counts is in the last run.
/// assert_eq!(spans.finish(), [0..8]);
/// ```
#[derive(Debug, Default)]
pub struct Spans {
    found: Vec<Range<usize>>,
    /// The span that may go on, and whether it has a range that counts.
    open: Option<(Range<usize>, bool)>,
}

impl Spans {
    /// Adds a range, which begins at or behind the start of the ranges before it. A span has at least
    /// one range that counts.
    pub fn add(&mut self, range: Range<usize>, counts: bool) {
        match &mut self.open {
            Some((open, has_counted)) if range.start <= open.end => {
                debug_assert!(open.start <= range.start, "ranges are in order");
                open.end = open.end.max(range.end);
                *has_counted |= counts;
            }
            _ => {
                self.close();
                self.open = Some((range, counts));
            }
        }
    }

    fn close(&mut self) {
        self.found.extend(self.open.take().filter(|(_, counts)| *counts).map(|(span, _)| span));
    }

    /// The spans: ascending, with gaps between them.
    #[must_use]
    pub fn finish(mut self) -> Vec<Range<usize>> {
        self.close();
        self.found
    }
}

/// The union of ranges in any order: ascending, with gaps between them. O(n log n).
///
/// ```
/// assert_eq!(lookalike_core::spans::union(vec![4..9, 0..2, 2..3, 5..6]), [0..3, 4..9]);
/// ```
#[must_use]
pub fn union(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ranges.sort_unstable_by_key(|range| range.start);
    let mut spans = Spans::default();
    ranges.into_iter().for_each(|range| spans.add(range, true));
    spans.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn spans_are_the_covered_runs(
            mut ranges in prop::collection::vec((0usize..40, 1usize..6, any::<bool>()), 0..12),
        ) {
            ranges.sort_by_key(|range| range.0);
            let mut spans = Spans::default();
            let mut covered = [false; 50];
            for &(start, length, counts) in &ranges {
                spans.add(start..start + length, counts);
                covered[start..start + length].fill(true);
            }
            let mut expected = Vec::new();
            let mut start = None;
            for (at, &is_covered) in covered.iter().enumerate() {
                match (is_covered, start) {
                    (true, None) => start = Some(at),
                    (false, Some(first)) => {
                        let counts = ranges.iter().any(|&(of, _, counts)| {
                            counts && (first..at).contains(&of)
                        });
                        expected.extend(counts.then_some(first..at));
                        start = None;
                    }
                    _ => {}
                }
            }
            prop_assert_eq!(spans.finish(), expected);
        }
    }
}
