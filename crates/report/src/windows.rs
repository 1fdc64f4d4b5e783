//! A sequence in, one hash for each window of `k` elements out, in time independent of `k`.
//!
//! Polynomials modulo 2⁶⁴ over mixed elements. They collide if somebody wants them to, so whoever
//! uses them compares the windows themselves before believing in an equality.

use crate::Form;

const BASE: u64 = 0x9e37_79b9_7f4a_7c15;

/// Hashes and positions of all windows, sorted by hash, then position.
pub(crate) fn sorted_windows(forms: &[Form], k: usize) -> Vec<(u64, u32)> {
    let mut windows: Vec<(u64, u32)> = hashes(forms, k).into_iter().zip(0u32..).collect();
    windows.sort_unstable();
    windows
}

/// The hash of each window, in order of position.
pub(crate) fn hashes(forms: &[Form], k: usize) -> Vec<u64> {
    if k == 0 || forms.len() < k {
        return Vec::new();
    }
    let leaving = (1..k).fold(1u64, |power, _| power.wrapping_mul(BASE));
    let append = |hash: u64, form: Form| hash.wrapping_mul(BASE).wrapping_add(mix(form));
    let mut hash = forms[..k].iter().fold(0, |hash, &form| append(hash, form));
    let mut out = Vec::with_capacity(forms.len() - k + 1);
    out.push(hash);
    for (&old, &new) in forms.iter().zip(&forms[k..]) {
        hash = append(hash.wrapping_sub(leaving.wrapping_mul(mix(old))), new);
        out.push(hash);
    }
    out
}

/// The finaliser of SplitMix64.
fn mix(form: Form) -> u64 {
    let mut x = u64::from(form.0).wrapping_add(BASE);
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
}
