//! Stored sets, in place of texts: the elements above the upper bits that their number gives.
//!
//! The elements of a set of m are hashes in ascending order, so the i-th has about i/m in its upper
//! bits. A set is stored as Elias and Fano do (Elias 1974; Fano 1971): the lower bits as they are,
//! and of the upper ones for each element how far it is behind the one before, in unary. That takes
//! 64 − log₂ m + 2 bits for an element.

use super::Segment;
use crate::IndexError;
use lookalike_core::{SetDigest, features};

/// Lower bits of an element that are stored as they are, in a set of `m`.
fn low_bits(m: usize) -> u32 {
    64 - (usize::BITS - m.leading_zeros()).min(16)
}

/// The bytes of a set, strictly ascending.
pub(super) fn encode(set: &[u64], out: &mut Vec<u8>) {
    let low = low_bits(set.len());
    let low_bytes = set.len() * low as usize;
    let start = out.len();
    // Unary parts first: a bit for each element, and one for each step of the upper bits.
    let steps = set.last().map_or(0, |last| (last >> low) as usize);
    out.resize(start + (set.len() + steps).div_ceil(8), 0);
    let mut at = 0;
    let mut upper = 0;
    for &element in set {
        at += ((element >> low) - upper) as usize;
        upper = element >> low;
        out[start + at / 8] |= 1 << (at % 8);
        at += 1;
    }
    let start = out.len();
    out.resize(start + low_bytes.div_ceil(8), 0);
    let lows = &mut out[start..];
    let mut bit = 0;
    for &element in set {
        let value = u128::from(element & ((1u128 << low) - 1) as u64) << (bit % 8);
        for (place, byte) in lows[bit / 8..].iter_mut().zip(value.to_le_bytes()) {
            *place |= byte;
        }
        bit += low as usize;
    }
}

/// Appends the set of `m` elements in these bytes; `None` if they are none.
pub(super) fn decode(bytes: &[u8], m: usize, set: &mut Vec<u64>) -> Option<()> {
    let low = low_bits(m);
    let low_bytes = (m.checked_mul(low as usize)?).div_ceil(8);
    let (unary, lows) = bytes.split_at_checked(bytes.len().checked_sub(low_bytes)?)?;
    let mut places = unary.iter().enumerate().flat_map(|(at, byte)| {
        (0..8).filter(move |bit| byte >> bit & 1 == 1).map(move |bit| at * 8 + bit)
    });
    let mut bit = 0;
    for index in 0..m {
        let upper = places.next()?.checked_sub(index)? as u64;
        let mut wide = [0; 16];
        let from = &lows[bit / 8..lows.len().min(bit / 8 + 16)];
        wide[..from.len()].copy_from_slice(from);
        let value = (u128::from_le_bytes(wide) >> (bit % 8)) as u64;
        let below = if low == 64 { value } else { value & ((1 << low) - 1) };
        set.push(if low == 64 { below } else { upper << low | below });
        bit += low as usize;
    }
    (places.next().is_none()).then_some(())
}

/// Whether a unit has this set: the low half of its digest is that of the set, and the high half may tell
/// of more by which the caller groups documents.
pub(super) fn is_of(unit: SetDigest, set: &[u64]) -> bool {
    features::digest(set).is_some_and(|own| own.0 as u64 == unit.0 as u64)
}

impl Segment {
    /// Replaces `set` by the stored set of a document, ascending.
    ///
    /// # Errors
    /// A segment with texts; damage.
    pub(crate) fn stored_set(&self, local: u32, set: &mut Vec<u64>) -> Result<(), IndexError> {
        set.clear();
        let Some(unit) = self.unit_of(local) else { return Ok(()) };
        let damaged = || self.damaged(format!("the set of `{}`", self.id(local)));
        let bytes = self.stored(local).filter(|_| !self.settings.texts).ok_or_else(damaged)?;
        decode(bytes, self.unit_size(unit) as usize, set).ok_or_else(damaged)?;
        // The unit of a set that is too small to be compared is named by its words.
        let is_right = self.row(local).few || is_of(self.unit_digest(unit), set);
        is_right.then_some(()).ok_or_else(damaged)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn sets_come_back(values in prop::collection::vec(any::<u64>(), 1..300), small in any::<bool>()) {
            let shift = if small { 50 } else { 0 };
            let mut set: Vec<u64> = values.into_iter().map(|value| value >> shift).collect();
            set.sort_unstable();
            set.dedup();
            let (mut bytes, mut back) = (Vec::new(), Vec::new());
            encode(&set, &mut bytes);
            prop_assert_eq!(decode(&bytes, set.len(), &mut back), Some(()));
            prop_assert_eq!(&back, &set);
        }

        #[test]
        fn damage_is_no_panic(bytes in prop::collection::vec(any::<u8>(), 0..100), m in 0usize..40) {
            decode(&bytes, m, &mut Vec::new());
        }
    }

    #[test]
    fn a_set_takes_about_seven_bytes_an_element() {
        let mut set: Vec<u64> = (0..445).map(lookalike_core::fingerprint::finalise).collect();
        set.sort_unstable();
        let mut bytes = Vec::new();
        encode(&set, &mut bytes);
        assert!(bytes.len() < 445 * 73 / 10, "{}", bytes.len());
    }
}
