//! Rolling hashes of the windows of a token sequence, in time independent of the window's length.
//!
//! Polynomials modulo 2⁶⁴ over mixed elements. Collisions can be provoked, so callers compare the
//! windows themselves before they take them for equal.

use crate::Form;

const BASE: u64 = 0x9e37_79b9_7f4a_7c15;

/// Hashes and positions of all windows, sorted by hash, then position.
pub(crate) fn sorted_windows(forms: &[Form], k: usize) -> Vec<(u64, u32)> {
    let mut windows = sampled_windows(forms, k, 1);
    windows.sort_unstable();
    windows
}

/// Hashes and positions of one window in `one_of`, a power of two, in order of position. Windows
/// are chosen by their hashes: of equal windows all or none are.
pub(crate) fn sampled_windows(forms: &[Form], k: usize, one_of: usize) -> Vec<(u64, u32)> {
    let mask = one_of as u64 - 1;
    let mut out = Vec::with_capacity(forms.len() / one_of);
    each_window(forms, k, |position, hash| {
        if mixed(hash) & mask == 0 {
            out.push((hash, position as u32));
        }
    });
    out
}

/// The hash of each window, in order of position.
pub(crate) fn hashes(forms: &[Form], k: usize) -> Vec<u64> {
    let mut out = Vec::with_capacity(forms.len());
    each_window(forms, k, |_, hash| out.push(hash));
    out
}

/// Calls `visit` with the position and the hash of each window.
fn each_window(forms: &[Form], k: usize, mut visit: impl FnMut(usize, u64)) {
    if k == 0 || forms.len() < k {
        return;
    }
    let leaving = (1..k).fold(1u64, |power, _| power.wrapping_mul(BASE));
    let element = |form: Form| mixed(u64::from(form.0).wrapping_add(BASE));
    let append = |hash: u64, form: Form| hash.wrapping_mul(BASE).wrapping_add(element(form));
    let mut hash = forms[..k].iter().fold(0, |hash, &form| append(hash, form));
    visit(0, hash);
    for (position, (&old, &new)) in (1..).zip(forms.iter().zip(&forms[k..])) {
        hash = append(hash.wrapping_sub(leaving.wrapping_mul(element(old))), new);
        visit(position, hash);
    }
}

/// The finaliser of SplitMix64.
fn mixed(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_windows_hash_alike_wherever_they_stand() {
        let forms: Vec<Form> = [1, 2, 3, 9, 1, 2, 3].map(Form).to_vec();
        let all = hashes(&forms, 3);
        assert_eq!(all.len(), 5);
        assert_eq!(all[0], all[4]);
        assert_eq!(all.iter().filter(|&&hash| hash == all[0]).count(), 2);
        assert!(hashes(&forms, 8).is_empty());
        assert_eq!(hashes(&forms, 1).len(), 7);
    }

    #[test]
    fn of_equal_windows_all_or_none_are_sampled() {
        let forms: Vec<Form> = (0..4000u32).map(|n| Form(n % 1000 * 7)).collect();
        let all = sampled_windows(&forms, 4, 1);
        assert_eq!(all.len(), 3997);
        let sampled = sampled_windows(&forms, 4, 16);
        assert!((100..600).contains(&sampled.len()), "{}", sampled.len());
        for (hash, _) in &sampled {
            let count = |windows: &[(u64, u32)]| windows.iter().filter(|w| w.0 == *hash).count();
            assert_eq!(count(&sampled), count(&all));
        }
    }
}
