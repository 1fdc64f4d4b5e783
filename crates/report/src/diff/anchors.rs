//! Anchors: windows of tokens that occur exactly once in either sequence, as in patience diff.

use crate::Form;
use crate::windows::sampled_windows;

/// Approximate number of windows of a sequence that are sampled.
const SAMPLED: usize = 1 << 16;

/// The longest chain, ascending on both sides, of sampled windows that occur once in either
/// sequence. Windows have `k` tokens; the result holds their positions.
pub(super) fn anchors(left: &[Form], right: &[Form], k: usize) -> Vec<(usize, usize)> {
    // The same windows are sampled on both sides.
    let one_of = (left.len().max(right.len()) / SAMPLED).max(1).next_power_of_two();
    let (mut a, mut b) = (sampled_windows(left, k, one_of), sampled_windows(right, k, one_of));
    for windows in [&mut a, &mut b] {
        windows.sort_unstable();
        let mut at = 0;
        let mut single = 0;
        while at < windows.len() {
            let hash = windows[at].0;
            let run = windows[at..].iter().take_while(|window| window.0 == hash).count();
            if run == 1 {
                windows[single] = windows[at];
                single += 1;
            }
            at += run;
        }
        windows.truncate(single);
    }
    let mut common = Vec::new();
    let mut others = b.iter().peekable();
    for &(hash, at_left) in &a {
        while others.next_if(|other| other.0 < hash).is_some() {}
        if let Some(&&(other, at_right)) = others.peek()
            && other == hash
            && left[at_left as usize..][..k] == right[at_right as usize..][..k]
        {
            common.push((at_left as usize, at_right as usize));
        }
    }
    common.sort_unstable();
    longest_increasing(&common)
}

/// Patience sorting: the longest subsequence of pairs whose second members ascend.
fn longest_increasing(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    let mut piles: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    for (index, &(_, value)) in pairs.iter().enumerate() {
        let pile = piles.partition_point(|&top| pairs[top].1 < value);
        before.push(pile.checked_sub(1).map(|p| piles[p]));
        if pile == piles.len() {
            piles.push(index);
        } else {
            piles[pile] = index;
        }
    }
    let mut chain: Vec<(usize, usize)> =
        std::iter::successors(piles.last().copied(), |&index| before[index])
            .map(|index| pairs[index])
            .collect();
    chain.reverse();
    chain
}
