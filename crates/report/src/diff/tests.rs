use super::*;

use proptest::prelude::*;

fn forms(numbers: &[u32]) -> Vec<Form> {
    numbers.iter().copied().map(Form).collect()
}

fn aligned(left: &[Form], right: &[Form]) -> Diff {
    diff(left, right, DIFF_BOUNDS, &|| false).unwrap()
}

/// Asserts that the segments and the unaligned ranges cover both sequences and are correct; returns
/// the number of common tokens.
fn check(left: &[Form], right: &[Form], diff: &Diff) -> usize {
    let (mut l, mut r, mut common) = (0, 0, 0);
    let mut before = None;
    for segment in &diff.segments {
        assert_eq!((segment.left.start, segment.right.start), (l, r), "no gap, no overlap");
        match segment.side {
            Side::Both => {
                assert_eq!(left[segment.left.clone()], right[segment.right.clone()]);
                common += segment.left.len();
            }
            Side::Left => assert!(segment.right.is_empty() && !segment.left.is_empty()),
            Side::Right => assert!(segment.left.is_empty() && !segment.right.is_empty()),
        }
        assert_ne!(before.replace(segment.side), Some(segment.side), "neighbours are merged");
        (l, r) = (segment.left.end, segment.right.end);
    }
    assert_eq!(diff.unaligned, (l..left.len(), r..right.len()));
    assert_eq!(diff.is_complete(), (l, r) == (left.len(), right.len()));
    common
}

/// Length of the longest common subsequence, by the textbook's table.
fn longest_common(left: &[Form], right: &[Form]) -> usize {
    let mut table = vec![vec![0; right.len() + 1]; left.len() + 1];
    for i in 0..left.len() {
        for j in 0..right.len() {
            table[i + 1][j + 1] = if left[i] == right[j] {
                table[i][j] + 1
            } else {
                table[i][j + 1].max(table[i + 1][j])
            };
        }
    }
    table[left.len()][right.len()]
}

#[test]
fn a_replaced_word_by_hand() {
    let (left, right) = (forms(&[1, 2, 3, 4]), forms(&[1, 9, 3, 4, 5]));
    let found = aligned(&left, &right);
    let segment = |side, left, right| Segment { side, left, right };
    assert_eq!(
        found.segments,
        [
            segment(Side::Both, 0..1, 0..1),
            segment(Side::Left, 1..2, 1..1),
            segment(Side::Right, 2..2, 1..2),
            segment(Side::Both, 2..4, 2..4),
            segment(Side::Right, 4..4, 4..5),
        ]
    );
    assert!(!found.coarse);
}

#[test]
fn lone_common_words_between_large_changes_are_tidied_away() {
    let left = forms(&[1, 2, 3, 4, 5, 6, 7, 50, 8, 9, 10, 11, 60, 61, 62]);
    let right = forms(&[21, 22, 23, 24, 50, 28, 29, 30, 31, 60, 61, 62]);
    let rough = aligned(&left, &right);
    let tidy = rough.tidied();
    assert_eq!(check(&left, &right, &rough), 4);
    assert_eq!(check(&left, &right, &tidy), 3);
    assert_eq!(tidy.segments.len(), 3);
}

#[test]
fn a_million_tokens_with_edits_everywhere_are_aligned_in_full() {
    let left: Vec<Form> =
        (0..1_000_000u32).map(|i| Form(i.wrapping_mul(2_654_435_761) >> 12)).collect();
    let mut right = left.clone();
    right.iter_mut().step_by(500).for_each(|form| *form = Form(u32::MAX));
    right.drain(400_000..450_000);
    let found = aligned(&left, &right);
    assert_eq!(check(&left, &right, &found), 950_000 - 1_900);
    assert!(!found.coarse);
}

#[test]
fn long_repetitive_texts_are_aligned_by_position() {
    let text = |first: u32| -> Vec<Form> {
        (0..80_000).map(|i| Form(if i % 8 == 0 { first } else { i % 8 })).collect()
    };
    let (left, right) = (text(8), text(9));
    let found = aligned(&left, &right);
    assert_eq!(check(&left, &right, &found), 70_000);
    assert!(found.coarse, "it is not known that it could not be better");
}

#[test]
fn the_first_differences_of_many_are_aligned() {
    let left: Vec<Form> = (0..500_000).map(Form).collect();
    let mut right = left.clone();
    right.iter_mut().skip(7).step_by(10).for_each(|form| *form = Form(u32::MAX));
    let bounds = DiffBounds { differences: 100, ..DIFF_BOUNDS };
    let found = diff(&left, &right, bounds, &|| false).unwrap();
    assert_eq!(check(&left, &right, &found), 7 + 100 * 9);
    assert_eq!(found.unaligned, (1007..500_000, 1007..500_000));
    assert!(!found.coarse);
}

#[test]
fn a_long_alignment_can_be_cancelled() {
    let left: Vec<Form> = (0..300_000u32).map(|i| Form(i % 7)).collect();
    let right: Vec<Form> = (0..300_000u32).map(|i| Form(i % 11)).collect();
    let polls = std::cell::Cell::new(0);
    let poll = |most: u32| {
        polls.set(0);
        diff(&left, &right, DIFF_BOUNDS, &|| {
            polls.set(polls.get() + 1);
            polls.get() > most
        })
    };
    assert!(poll(u32::MAX).is_ok());
    let all = polls.get();
    assert!(all > 5, "{all} polls");
    for most in [0, 1, all / 2, all - 1] {
        assert_eq!(poll(most), Err(Cancelled));
        assert_eq!(polls.get(), most + 1, "nothing is done after the stop");
    }
}

#[test]
fn texts_without_anchors_or_common_tokens_end_early_as_coarse() {
    let left: Vec<Form> = (0..300_000u32).map(|i| Form(i % 7)).collect();
    let right: Vec<Form> = (0..300_000u32).map(|i| Form(i % 11)).collect();
    let found = aligned(&left, &right);
    check(&left, &right, &found);
    assert!(found.coarse);
}

proptest! {
    #[test]
    fn short_sequences_are_aligned_as_well_as_possible(
        left in prop::collection::vec(0u32..6, 0..40),
        right in prop::collection::vec(0u32..6, 0..40),
    ) {
        let (left, right) = (forms(&left), forms(&right));
        let found = aligned(&left, &right);
        prop_assert_eq!(check(&left, &right, &found), longest_common(&left, &right));
        check(&left, &right, &found.tidied());
    }

    #[test]
    fn alignments_are_correct_within_any_bounds(
        left in prop::collection::vec(0u32..30, 0..120),
        right in prop::collection::vec(0u32..30, 0..120),
        work in 0u64..3000,
        differences in prop_oneof![Just(usize::MAX), 0usize..20],
    ) {
        let (left, right) = (forms(&left), forms(&right));
        let found = diff(&left, &right, DiffBounds { work, differences }, &|| false).unwrap();
        let common = check(&left, &right, &found);
        prop_assert!(common <= longest_common(&left, &right));
        check(&left, &right, &found.tidied());
        let number = crate::hunks::differences(&found.segments);
        prop_assert!(number <= differences, "{} of {}", number, differences);
        prop_assert!(found.is_complete() || differences < usize::MAX);
    }

    /// A text and a copy with passages replaced, removed, added and reversed, from vocabularies of
    /// any size.
    #[test]
    fn edits_of_a_long_text_are_aligned_correctly(
        words in prop_oneof![2u32..20, 100u32..100_000],
        length in 0usize..40_000,
        edits in prop::collection::vec(
            (any::<prop::sample::Index>(), 0usize..300, 0usize..300, 0u8..4), 0..40),
        work in prop_oneof![Just(DIFF_BOUNDS.work), 0u64..10_000_000],
        seed in any::<u32>(),
    ) {
        let mut state = u64::from(seed);
        let mut word = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            Form((state >> 33) as u32 % words)
        };
        let left: Vec<Form> = (0..length).map(|_| word()).collect();
        let mut right = left.clone();
        for (at, removed, added, kind) in edits {
            if right.is_empty() {
                break;
            }
            let at = at.index(right.len());
            let end = (at + removed).min(right.len());
            let new: Vec<Form> = (0..added).map(|_| word()).collect();
            match kind {
                0 => drop(right.drain(at..end)),
                1 => drop(right.splice(at..at, new)),
                2 => drop(right.splice(at..end, new)),
                _ => right[at..end].reverse(),
            }
        }
        let bounds = DiffBounds { work, ..DIFF_BOUNDS };
        let found = diff(&left, &right, bounds, &|| false).unwrap();
        check(&left, &right, &found);
        check(&left, &right, &found.tidied());
        prop_assert!(found.is_complete());
        prop_assert_eq!(&found, &diff(&left, &right, bounds, &|| false).unwrap());
    }
}
