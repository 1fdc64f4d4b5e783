//! Two token sequences in, the passages that both contain out: the evidence behind a resemblance.
//!
//! The primary function is [`shared_passages`]. A passage is a run of equal tokens that cannot be
//! made longer on either end. Repetitive texts have quadratically many; of those that begin with the
//! same shingle of the left document only the longest is given, so that each of its shingles that
//! the right one shares lies in at least one passage, and their number stays below that of tokens.

use crate::Form;
use crate::windows::{hashes, sorted_windows};

/// Places in the right document that are tried for one shingle of the left.
const PLACES: usize = 64;

/// A run of tokens that both documents have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Passage {
    /// Its first token in the left document.
    pub left: usize,
    /// Its first token in the right document.
    pub right: usize,
    /// Number of tokens.
    pub length: usize,
}

/// The passages that consist of shared shingles of `w` tokens, longest first, then in the order of
/// the left document.
///
/// Documents under `w` tokens are their own shingle: they share one passage if they are equal.
#[must_use]
pub fn shared_passages(left: &[Form], right: &[Form], w: usize) -> Vec<Passage> {
    let w = w.max(1);
    if left.len() < w || right.len() < w {
        let whole = !left.is_empty() && left == right;
        return if whole {
            vec![Passage { left: 0, right: 0, length: left.len() }]
        } else {
            Vec::new()
        };
    }
    let index = sorted_windows(right, w);
    let mut passages = Vec::new();
    let starts = hashes(left, w);
    let mut from = 0;
    while from < starts.len() {
        let hash = starts[from];
        let first = index.partition_point(|window| window.0 < hash);
        let longest = index[first..]
            .iter()
            .take_while(|window| window.0 == hash)
            .map(|window| window.1 as usize)
            .filter(|&at| right[at..at + w] == left[from..from + w])
            .take(PLACES)
            .map(|at| grow(left, right, from, at, w))
            // Of equally long ones the first.
            .reduce(|best, next| if next.length > best.length { next } else { best });
        match longest {
            None => from += 1,
            Some(passage) => {
                // The shingles up to the passage's end are shown; the next one sticks out of it.
                from = passage.left + passage.length - w + 1;
                passages.push(passage);
            }
        }
    }
    passages.sort_by_key(|passage| (usize::MAX - passage.length, passage.left));
    passages
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

    #[test]
    fn passages_by_hand() {
        let left = forms(&[1, 2, 3, 4, 9, 5, 6, 7]);
        let right = forms(&[5, 6, 7, 0, 1, 2, 3, 4]);
        let passage = |left, right, length| Passage { left, right, length };
        assert_eq!(shared_passages(&left, &right, 3), [passage(0, 4, 4), passage(5, 0, 3)]);
        assert_eq!(shared_passages(&left, &right, 4), [passage(0, 4, 4)]);
        assert_eq!(shared_passages(&left, &right, 5), []);
    }

    #[test]
    fn overlapping_passages_are_both_shown() {
        let left = forms(&[1, 2, 3, 4, 5]);
        let right = forms(&[1, 2, 3, 0, 2, 3, 4, 5]);
        let passage = |left, right, length| Passage { left, right, length };
        assert_eq!(shared_passages(&left, &right, 3), [passage(1, 4, 4), passage(0, 0, 3)]);
    }

    #[test]
    fn documents_under_one_shingle_are_their_own() {
        let (left, right) = (forms(&[1, 2]), forms(&[1, 2, 3]));
        assert_eq!(shared_passages(&left, &left, 5), [Passage { left: 0, right: 0, length: 2 }]);
        assert_eq!(shared_passages(&left, &right, 5), []);
        assert_eq!(shared_passages(&[], &[], 5), []);
    }

    #[test]
    fn one_word_a_million_times_takes_no_time() {
        let left = vec![Form(0); 1_000_000];
        let right = vec![Form(0); 900_000];
        let found = shared_passages(&left, &right, 5);
        assert_eq!(found[0].length, 900_000);
        assert!(found.len() <= 3);
    }

    fn shingles(forms: &[Form], w: usize) -> BTreeSet<Vec<Form>> {
        forms.windows(w).map(<[Form]>::to_vec).collect()
    }

    proptest! {
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
            let passages = shared_passages(&left, &right, w);

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
