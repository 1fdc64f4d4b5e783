//! Minima of sliding windows, by prefix and suffix minima of blocks (van Herk 1992, Gil and Werman 1993).

/// Calls `each` with the first place of each window of `width` values and the place of its smallest value,
/// the last of equal ones. O(values), for any width and any order of the values.
pub(crate) fn minima(
    values: &[u64],
    width: usize,
    suffixes: &mut Vec<u32>,
    mut each: impl FnMut(usize, usize),
) {
    let Some(last) = values.len().checked_sub(width) else { return };
    suffixes.resize(width, 0);
    for start in (0..=last).step_by(width) {
        let (block, behind) = values[start..].split_at(width);
        let mut smallest = width - 1;
        for (at, suffix) in suffixes.iter_mut().enumerate().rev() {
            if block[at] < block[smallest] {
                smallest = at;
            }
            *suffix = smallest as u32;
        }
        each(start, start + suffixes[0] as usize);
        // The windows that begin in the block end in the next one.
        let (mut smallest, mut prefix) = (u64::MAX, 0);
        for (number, (&value, &suffix)) in behind.iter().zip(&suffixes[1..]).enumerate() {
            if value <= smallest {
                (smallest, prefix) = (value, number);
            }
            let suffix = suffix as usize;
            let at = if smallest <= block[suffix] { width + prefix } else { suffix };
            each(start + 1 + number, start + at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn minima_are_the_last_of_the_smallest(
            values in prop::collection::vec(prop_oneof![0u64..5, u64::MAX - 1..=u64::MAX], 0..80),
            width in 1usize..20,
        ) {
            let smallest = |start: usize| {
                (start..start + width).min_by_key(|&at| (values[at], std::cmp::Reverse(at))).unwrap()
            };
            let windows = (values.len() + 1).saturating_sub(width);
            let expected: Vec<_> = (0..windows).map(|start| (start, smallest(start))).collect();
            let mut found = Vec::new();
            minima(&values, width, &mut vec![7; 3], |start, at| found.push((start, at)));
            prop_assert_eq!(found, expected);
        }
    }
}
