//! Numbers, ranks and pairs of ranks as bytes: ascending, as differences in LEB128.

/// Bytes that a step was given and cannot use.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "a shuffled row is damaged ({0}): all tasks must run the same version of lookalike; remove the \
     stages of this run and start again"
)]
pub struct ShuffleError(pub(super) &'static str);

/// Appends a number: seven bits a byte, least significant first.
pub(super) fn push(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Reads numbers that [`push`] wrote.
pub(super) struct Numbers<'a>(pub(super) &'a [u8]);

impl Numbers<'_> {
    pub(super) fn next(&mut self) -> Result<u64, ShuffleError> {
        let mut number = 0u64;
        for shift in (0..64).step_by(7) {
            let (&byte, rest) = self.0.split_first().ok_or(ShuffleError("cut short"))?;
            self.0 = rest;
            let bits = u64::from(byte & 0x7f);
            if shift == 63 && bits > 1 {
                break;
            }
            number |= bits << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(ShuffleError("a number is too long"))
    }

    /// A number that adds to another one.
    pub(super) fn add_to(&mut self, before: u64) -> Result<u64, ShuffleError> {
        let sum = before.checked_add(self.next()?);
        sum.ok_or(ShuffleError("a number is out of range"))
    }

    pub(super) fn next_u32(&mut self) -> Result<u32, ShuffleError> {
        let number = self.next()?;
        u32::try_from(number).map_err(|_| ShuffleError("a number is out of range"))
    }
}

/// Encodes ranks that ascend strictly.
pub fn encode_ranks(ranks: &[u64], out: &mut Vec<u8>) {
    let mut before = 0;
    for &rank in ranks {
        push(out, rank - before);
        before = rank;
    }
}

/// Appends the ranks that [`encode_ranks`] encoded.
///
/// # Errors
/// Bytes that it did not write.
pub fn decode_ranks(bytes: &[u8], out: &mut Vec<u64>) -> Result<(), ShuffleError> {
    let (mut numbers, mut rank) = (Numbers(bytes), 0);
    while !numbers.0.is_empty() {
        rank = numbers.add_to(rank)?;
        out.push(rank);
    }
    Ok(())
}

/// Encodes pairs (later, earlier), sorted and distinct.
///
/// ```
/// use lookalike_join::shuffle::{decode_pairs, encode_pairs};
///
/// let pairs = [(7, 2), (7, 5), (900, 5)];
/// let (mut bytes, mut decoded) = (Vec::new(), Vec::new());
/// encode_pairs(&pairs, &mut bytes);
/// assert_eq!(bytes.len(), 7);
/// decode_pairs(&bytes, &mut decoded)?;
/// assert_eq!(decoded, pairs);
/// # Ok::<(), lookalike_join::shuffle::ShuffleError>(())
/// ```
pub fn encode_pairs(pairs: &[(u64, u64)], out: &mut Vec<u8>) {
    let (mut later, mut earlier) = (0, 0);
    for &(a, b) in pairs {
        push(out, a - later);
        push(out, b - if a == later { earlier } else { 0 });
        (later, earlier) = (a, b);
    }
}

/// Appends the pairs that [`encode_pairs`] encoded.
///
/// # Errors
/// Bytes that it did not write.
pub fn decode_pairs(bytes: &[u8], out: &mut Vec<(u64, u64)>) -> Result<(), ShuffleError> {
    let (mut numbers, mut later, mut earlier) = (Numbers(bytes), 0, 0);
    while !numbers.0.is_empty() {
        let a = numbers.add_to(later)?;
        let b = numbers.add_to(if a == later { earlier } else { 0 })?;
        out.push((a, b));
        (later, earlier) = (a, b);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_encoded_is_decoded(
            pairs in prop::collection::btree_set((any::<u64>(), any::<u64>()), 0..50),
            small in prop::collection::btree_set((0u64..40, 0u64..40), 0..50),
            bytes in prop::collection::vec(any::<u8>(), 0..60),
        ) {
            for pairs in [pairs, small] {
                let pairs = Vec::from_iter(pairs);
                let (mut encoded, mut decoded) = (Vec::new(), Vec::new());
                encode_pairs(&pairs, &mut encoded);
                decode_pairs(&encoded, &mut decoded).unwrap();
                prop_assert_eq!(decoded, pairs.clone());
                let ranks: Vec<u64> = pairs.iter().map(|pair| pair.0).collect::<std::collections::BTreeSet<_>>().into_iter().collect();
                let (mut encoded, mut decoded) = (Vec::new(), Vec::new());
                encode_ranks(&ranks, &mut encoded);
                decode_ranks(&encoded, &mut decoded).unwrap();
                prop_assert_eq!(decoded, ranks);
            }
            // Any bytes give numbers or an error.
            let _ = decode_pairs(&bytes, &mut Vec::new());
            let _ = decode_ranks(&bytes, &mut Vec::new());
        }
    }
}
