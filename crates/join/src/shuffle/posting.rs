//! Postings of sets, sorted into buckets and encoded.

use super::codec::{Numbers, ShuffleError, push};
use lookalike_core::fingerprint::finalise;

/// Bits of a key.
const KEY_BITS: u32 = 48;

/// The witness of a set that has none.
pub const NO_WITNESS: u64 = u64::MAX;

/// What a set is in a round of the join ([`Bucket::probe`](super::Bucket::probe)), or which sides
/// of a join of two collections have it ([`Bucket::pairs`](super::Bucket::pairs)): bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Role(pub u8);

impl Role {
    /// Kept in this round: probes are compared with it.
    pub const NEW: Self = Self(1);
    /// Kept before: only pending sets are compared with it.
    pub const KEPT: Self = Self(2);
    /// Is compared with sets that are kept.
    pub const PROBE: Self = Self(4);
    /// Its witness was removed: it is compared with all kept sets.
    pub const PENDING: Self = Self(8);

    /// Both roles.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether a set has any of the other roles.
    #[inline]
    #[must_use]
    pub const fn is(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

/// A posting: a set under one of its prefix keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ShuffledPosting {
    /// The first 48 bits of a hash of the element.
    pub key: u64,
    /// Rank of the set.
    pub rank: u64,
    /// Number of elements of the set.
    pub size: u32,
    /// Position of the element in the order of the set.
    pub position: u32,
    /// What the set is.
    pub role: Role,
    /// Rank of its witness so far, or [`NO_WITNESS`].
    pub witness: u64,
    /// Sets of the same value do not match, as with [`SetSource::may_match`](crate::SetSource::may_match);
    /// sets of value 0 match sets of any value.
    pub value: u64,
}

impl ShuffledPosting {
    /// The key of an element.
    #[inline]
    #[must_use]
    pub fn key_of(element: u64) -> u64 {
        finalise(element) >> (64 - KEY_BITS)
    }

    /// Whether two sets may match whatever their elements are.
    #[inline]
    #[must_use]
    pub fn may_match(&self, other: &Self) -> bool {
        self.value == 0 || self.value != other.value
    }

    /// The bucket of its key, of so many: consecutive ranges of keys.
    #[inline]
    #[must_use]
    pub fn bucket(&self, buckets: u32) -> u32 {
        ((u128::from(self.key) * u128::from(buckets)) >> KEY_BITS) as u32
    }
}

/// Sorts postings into buckets, and encodes those of each.
///
/// An encoded posting of a text takes about 10 bytes: the difference from the key before, the rank,
/// the size and the position; role and witness take one byte more where there are any, and the value 8.
///
/// ```
/// use lookalike_join::shuffle::{NO_WITNESS, PostingBuckets, Role, ShuffledPosting, decode_postings};
///
/// let posting = |key, rank| ShuffledPosting { key, rank, size: 9, position: 1, role: Role::default(), witness: NO_WITNESS, value: 0 };
/// let mut buckets = PostingBuckets::new(2);
/// [posting(1 << 47, 3), posting(5, 4), posting(5, 1)].map(|posting| buckets.push(posting));
/// let mut found = Vec::new();
/// buckets.drain(|bucket, bytes, count| found.push((bucket, bytes.to_vec(), count)));
/// assert_eq!(found.iter().map(|row| (row.0, row.2)).collect::<Vec<_>>(), [(0, 2), (1, 1)]);
/// let mut decoded = Vec::new();
/// decode_postings(&found[0].1, &mut decoded)?;
/// assert_eq!(decoded, [posting(5, 1), posting(5, 4)]);
/// # Ok::<(), lookalike_join::shuffle::ShuffleError>(())
/// ```
#[derive(Debug)]
pub struct PostingBuckets {
    buckets: u32,
    postings: Vec<ShuffledPosting>,
    bytes: Vec<u8>,
}

/// Postings that are encoded together: 40 MiB of them.
const TOGETHER: usize = 1 << 20;

impl PostingBuckets {
    /// No postings yet, for so many buckets (at least one).
    #[must_use]
    pub fn new(buckets: u32) -> Self {
        Self { buckets: buckets.max(1), postings: Vec::new(), bytes: Vec::new() }
    }

    /// Adds a posting.
    #[inline]
    pub fn push(&mut self, posting: ShuffledPosting) {
        self.postings.push(posting);
    }

    /// Whether it is time to [`drain`](Self::drain), as memory is bounded.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.postings.len() >= TOGETHER
    }

    /// Emits (bucket, encoded postings, number of them) for each bucket that has any, in order, and
    /// forgets them.
    pub fn drain(&mut self, mut emit: impl FnMut(u32, &[u8], u64)) {
        self.postings.sort_unstable();
        let buckets = self.buckets;
        for postings in self.postings.chunk_by(|a, b| a.bucket(buckets) == b.bucket(buckets)) {
            self.bytes.clear();
            encode(postings, &mut self.bytes);
            emit(postings[0].bucket(buckets), &self.bytes, postings.len() as u64);
        }
        self.postings.clear();
    }
}

/// Whether there are roles, and whether there are values: bits.
const ROLES: u64 = 1;
const VALUES: u64 = 2;

/// Layout: the least rank; whether there are roles and values; then for each posting the difference
/// from the key before, its rank above the least, size, position, with roles the role and the distance
/// of the witness before the rank (0 for none), and with values the value.
fn encode(postings: &[ShuffledPosting], out: &mut Vec<u8>) {
    let least = postings.iter().map(|posting| posting.rank).min().unwrap_or(0);
    let plain = |posting: &ShuffledPosting| {
        (posting.role, posting.witness) == (Role::default(), NO_WITNESS)
    };
    let has_roles = !postings.iter().all(plain);
    push(out, least);
    let has_values = postings.iter().any(|posting| posting.value != 0);
    push(out, u64::from(has_roles) * ROLES + u64::from(has_values) * VALUES);
    let mut key = 0;
    for posting in postings {
        push(out, posting.key - key);
        push(out, posting.rank - least);
        push(out, posting.size.into());
        push(out, posting.position.into());
        if has_roles {
            push(out, posting.role.0.into());
            // A witness comes before the set, so the distance is above 0.
            push(
                out,
                if posting.witness == NO_WITNESS { 0 } else { posting.rank - posting.witness },
            );
        }
        if has_values {
            push(out, posting.value);
        }
        key = posting.key;
    }
}

/// Appends the postings that [`PostingBuckets`] encoded.
///
/// # Errors
/// Bytes that it did not write.
pub fn decode_postings(bytes: &[u8], out: &mut Vec<ShuffledPosting>) -> Result<(), ShuffleError> {
    let mut numbers = Numbers(bytes);
    let least = numbers.next()?;
    let has = numbers.next()?;
    let mut key = 0;
    while !numbers.0.is_empty() {
        key = numbers.add_to(key)?;
        let rank = numbers.add_to(least)?;
        let (size, position) = (numbers.next_u32()?, numbers.next_u32()?);
        let (mut role, mut witness) = (Role::default(), NO_WITNESS);
        if has & ROLES != 0 {
            let out_of_range = ShuffleError("a role is out of range");
            role = Role(u8::try_from(numbers.next()?).map_err(|_| out_of_range)?);
            witness = match numbers.next()? {
                0 => NO_WITNESS,
                distance => {
                    let before = rank.checked_sub(distance);
                    before.ok_or(ShuffleError("a witness is out of range"))?
                }
            };
        }
        let value = if has & VALUES != 0 { numbers.next()? } else { 0 };
        out.push(ShuffledPosting { key, rank, size, position, role, witness, value });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn buckets_hold_all_postings_of_their_keys(
            postings in prop::collection::vec((0u64..20, any::<u32>(), 1u32..100, 0u8..16, any::<bool>(), 0u64..1 << 52), 0..60),
            buckets in 1u32..9,
            (roles, values) in any::<(bool, bool)>(),
        ) {
            let mut all: Vec<ShuffledPosting> = postings.into_iter().map(|(key, rank, size, role, has, value)| {
                let rank = u64::from(rank) + 1;
                let witness = if has && roles { rank / 2 } else { NO_WITNESS };
                let role = Role(if roles { role } else { 0 });
                let (key, position) = (ShuffledPosting::key_of(key), size / 3);
                let value = if values { value } else { 0 };
                ShuffledPosting { key, rank, size, position, role, witness, value }
            }).collect();
            let mut writer = PostingBuckets::new(buckets);
            all.iter().for_each(|&posting| writer.push(posting));
            let (mut found, mut last) = (Vec::new(), None);
            writer.drain(|bucket, bytes, count| {
                assert!(last.is_none_or(|last| last < bucket) && bucket < buckets);
                last = Some(bucket);
                let before = found.len();
                decode_postings(bytes, &mut found).unwrap();
                assert_eq!(found.len() - before, count as usize);
                assert!(found[before..].iter().all(|posting| posting.bucket(buckets) == bucket));
            });
            all.sort_unstable();
            prop_assert_eq!(found, all);
        }

        #[test]
        fn any_bytes_give_postings_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
            let _ = decode_postings(&bytes, &mut Vec::new());
        }
    }
}
