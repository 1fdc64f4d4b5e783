//! Passages that two token sequences share.
//!
//! The primary function is [`shared_passages`]. A passage is a maximal run of equal tokens.
//! Repetitive texts have quadratically many; of those that begin with the same shingle of the left
//! document only the longest is returned, so that each shared shingle of the left document is in at
//! least one passage, and there are fewer passages than tokens.

use crate::Form;
use crate::windows::{hashes, sorted_windows};

/// Maximum number of positions in the right document that are tried for a shingle of the left.
const PLACES: usize = 64;

/// Bounds on the search for shared passages. They do not include the index of the right document's
/// shingles: 16 bytes per token, and the time to sort them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PassageBounds {
    /// Approximate number of comparisons of two tokens; after it, the rest of the left document is
    /// not searched.
    pub work: u64,
    /// Maximum number of returned passages; the longest are returned.
    pub passages: usize,
}

/// Enough for all passages of ordinary documents; at most some tenths of a second.
pub const PASSAGE_BOUNDS: PassageBounds = PassageBounds { work: 400_000_000, passages: 1000 };

/// Passages that two documents share.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Passages {
    /// The longest first, then in the order of the left document.
    pub longest: Vec<Passage>,
    /// Number of passages found, including those not returned.
    pub found: u64,
    /// Whether the left document was searched to its end.
    pub complete: bool,
}

/// A run of tokens that both documents have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Passage {
    /// Its first token in the left document.
    pub left: usize,
    /// Its first token in the right document.
    pub right: usize,
    /// Number of tokens.
    pub length: usize,
}

/// The passages that consist of shared shingles of `w` tokens.
///
/// Documents under `w` tokens are their own shingle: they share one passage if they are equal.
#[must_use]
pub fn shared_passages(left: &[Form], right: &[Form], w: usize, bounds: PassageBounds) -> Passages {
    let w = w.max(1);
    if left.len() < w || right.len() < w {
        let whole = !left.is_empty() && left == right;
        let longest: Vec<Passage> = whole
            .then_some(Passage { left: 0, right: 0, length: left.len() })
            .into_iter()
            .collect();
        return Passages { found: longest.len() as u64, longest, complete: true };
    }
    let index = sorted_windows(right, w);
    let starts = hashes(left, w);
    let mut passages = Passages { complete: true, ..Passages::default() };
    let mut work = 0;
    let mut from = 0;
    while from < starts.len() {
        if work > bounds.work {
            passages.complete = false;
            break;
        }
        let hash = starts[from];
        let first = index.partition_point(|window| window.0 < hash);
        let longest = index[first..]
            .iter()
            .take_while(|window| window.0 == hash)
            .map(|window| window.1 as usize)
            .filter(|&at| right[at..at + w] == left[from..from + w])
            .take(PLACES)
            .map(|at| grow(left, right, from, at, w))
            .inspect(|passage| work += passage.length as u64)
            // Of equally long ones the first.
            .reduce(|best, next| if next.length > best.length { next } else { best });
        match longest {
            None => from += 1,
            Some(passage) => {
                // All shingles within the passage are covered; the next one extends beyond it.
                from = passage.left + passage.length - w + 1;
                passages.add(passage, bounds.passages);
            }
        }
    }
    passages.keep_longest(bounds.passages);
    passages
}

impl Passages {
    /// Adds a passage, and from time to time drops those that are not among the `most` longest.
    fn add(&mut self, passage: Passage, most: usize) {
        self.found += 1;
        self.longest.push(passage);
        if self.longest.len() >= 2 * most + 1000 {
            self.keep_longest(most);
        }
    }

    fn keep_longest(&mut self, most: usize) {
        self.longest.sort_by_key(|passage| (usize::MAX - passage.length, passage.left));
        self.longest.truncate(most);
    }
}

/// The longest run of equal tokens around two equal shingles.
fn grow(left: &[Form], right: &[Form], at_left: usize, at_right: usize, w: usize) -> Passage {
    let ahead = left[at_left + w..].iter().zip(&right[at_right + w..]);
    let ahead = ahead.take_while(|(a, b)| a == b).count();
    let back = left[..at_left].iter().rev().zip(right[..at_right].iter().rev());
    let back = back.take_while(|(a, b)| a == b).count();
    Passage { left: at_left - back, right: at_right - back, length: back + w + ahead }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn forms(numbers: &[u32]) -> Vec<Form> {
        numbers.iter().copied().map(Form).collect()
    }

    /// All passages, of texts that need no bounds.
    fn all(left: &[Form], right: &[Form], w: usize) -> Vec<Passage> {
        let bounds = PassageBounds { passages: usize::MAX / 4, ..PASSAGE_BOUNDS };
        let passages = shared_passages(left, right, w, bounds);
        assert!(passages.complete && passages.found == passages.longest.len() as u64);
        passages.longest
    }

    #[test]
    fn passages_by_hand() {
        let left = forms(&[1, 2, 3, 4, 9, 5, 6, 7]);
        let right = forms(&[5, 6, 7, 0, 1, 2, 3, 4]);
        let passage = |left, right, length| Passage { left, right, length };
        assert_eq!(all(&left, &right, 3), [passage(0, 4, 4), passage(5, 0, 3)]);
        assert_eq!(all(&left, &right, 4), [passage(0, 4, 4)]);
        assert_eq!(all(&left, &right, 5), []);
    }

    #[test]
    fn overlapping_passages_are_both_shown() {
        let left = forms(&[1, 2, 3, 4, 5]);
        let right = forms(&[1, 2, 3, 0, 2, 3, 4, 5]);
        let passage = |left, right, length| Passage { left, right, length };
        assert_eq!(all(&left, &right, 3), [passage(1, 4, 4), passage(0, 0, 3)]);
    }

    #[test]
    fn documents_under_one_shingle_are_their_own() {
        let (left, right) = (forms(&[1, 2]), forms(&[1, 2, 3]));
        assert_eq!(all(&left, &left, 5), [Passage { left: 0, right: 0, length: 2 }]);
        assert_eq!(all(&left, &right, 5), []);
        assert_eq!(all(&[], &[], 5), []);
    }

    #[test]
    fn one_word_a_million_times_takes_no_time() {
        let left = vec![Form(0); 1_000_000];
        let right = vec![Form(0); 900_000];
        let found = all(&left, &right, 5);
        assert_eq!(found[0].length, 900_000);
        assert!(found.len() <= 3);
    }

    /// Repetitive texts in which every shingle has many positions to try.
    #[test]
    fn repetitive_texts_stop_at_the_bound_on_work() {
        let text = |n: u32| -> Vec<Form> {
            (0..300_000).map(|i| Form(if i % n == 0 { 1000 + i % 5 } else { i % 3 })).collect()
        };
        let bounds = PassageBounds { work: 1_000_000, passages: 10 };
        let (left, right) = (text(1003), text(997));
        let found = shared_passages(&left, &right, 5, bounds);
        assert!(!found.complete && found.longest.len() <= 10);
        for p in &found.longest {
            assert_eq!(left[p.left..][..p.length], right[p.right..][..p.length]);
        }
    }

    fn shingles(forms: &[Form], w: usize) -> BTreeSet<Vec<Form>> {
        forms.windows(w).map(<[Form]>::to_vec).collect()
    }

    proptest! {
        #[test]
        fn bounds_give_the_longest_and_count_the_others(
            left in prop::collection::vec(0u32..4, 0..200),
            right in prop::collection::vec(0u32..4, 0..200),
            most in 0usize..20,
        ) {
            let (left, right) = (forms(&left), forms(&right));
            let mut expected = all(&left, &right, 3);
            let bounds = PassageBounds { passages: most, ..PASSAGE_BOUNDS };
            let found = shared_passages(&left, &right, 3, bounds);
            prop_assert_eq!(found.found, expected.len() as u64);
            expected.truncate(most);
            prop_assert_eq!(found.longest, expected);
        }

        #[test]
        fn passages_show_the_shared_shingles_all_of_them_and_nothing_else(
            left in prop::collection::vec(0u32..4, 0..60),
            right in prop::collection::vec(0u32..4, 0..60),
            w in 1usize..6,
        ) {
            let (left, right) = (forms(&left), forms(&right));
            prop_assume!(left.len() >= w && right.len() >= w);
            let shared: BTreeSet<Vec<Form>> =
                shingles(&left, w).intersection(&shingles(&right, w)).cloned().collect();
            let passages = all(&left, &right, w);

            let mut covered = vec![false; left.len()];
            let mut shown = BTreeSet::new();
            for p in &passages {
                let (a, b) = (&left[p.left..p.left + p.length], &right[p.right..p.right + p.length]);
                prop_assert_eq!(a, b);
                shown.extend(shingles(a, w));
                covered[p.left..p.left + p.length].fill(true);
                // As long as they get.
                prop_assert!(p.left == 0 || p.right == 0 || left[p.left - 1] != right[p.right - 1]);
                let (l, r) = (p.left + p.length, p.right + p.length);
                prop_assert!(l == left.len() || r == right.len() || left[l] != right[r]);
            }
            prop_assert_eq!(&shown, &shared);

            let mut expected = vec![false; left.len()];
            for (at, window) in left.windows(w).enumerate() {
                if shared.contains(window) {
                    expected[at..at + w].fill(true);
                }
            }
            prop_assert_eq!(covered, expected);
            prop_assert!(passages.is_sorted_by_key(|p| (usize::MAX - p.length, p.left)));
        }
    }
}
