//! Index of the feature sets that earlier chunks store, by token sequence: a text whose tokens were
//! seen before stores no second set.
//!
//! Chunks are processed in any order and committed in the order of the input. Only committed sets
//! can be referred to, so references point backwards, and what a chunk stores depends on the input
//! and on the capacity of this index alone, never on the timing of threads: a checkpoint that ends
//! with any chunk contains every set that its documents refer to.

use crate::collection::SetRef;
use lookalike_core::TokenDigest;
use lookalike_join::ChunkId;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

type Shard = HashMap<TokenDigest, SetRef, foldhash::fast::FixedState>;

/// Token sequences and the places of their sets, shared by all threads.
pub(crate) struct StoredSets {
    shards: Vec<Mutex<Shard>>,
    /// Sequences that a shard holds at most; sets of others are stored again when they recur.
    capacity: usize,
}

/// Shards: threads wait for each other only if they access the same one.
const SHARDS: usize = 64;

/// Bytes for each sequence: digest, place and a control byte of the table, which is half full after
/// it grew and exists twice while it grows.
const SEQUENCE: u64 = 3 * (16 + 8 + 8 + 1);

/// A set of the chunk being committed that an earlier chunk stores already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Repeated {
    /// Its index in the chunk.
    pub(crate) index: u32,
    /// Its position in the earlier chunk.
    pub(crate) stored: SetRef,
}

impl StoredSets {
    /// An empty index of about `bytes` bytes at most.
    pub(crate) fn new(bytes: u64) -> Self {
        let capacity = usize::try_from(bytes / SEQUENCE / SHARDS as u64).unwrap_or(usize::MAX);
        Self { shards: (0..SHARDS).map(|_| Mutex::default()).collect(), capacity }
    }

    fn shard_of(sequence: TokenDigest) -> usize {
        (sequence.0 >> 122) as usize
    }

    fn shard(&self, shard: usize) -> MutexGuard<'_, Shard> {
        self.shards[shard].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The committed set of a token sequence.
    pub(crate) fn get(&self, sequence: TokenDigest) -> Option<SetRef> {
        self.shard(Self::shard_of(sequence)).get(&sequence).copied()
    }

    /// Commits the sets of the next chunk, given the distinct token sequences of its sets in order
    /// of index. Returns the sets that an earlier chunk stores, in order of index; the chunk must
    /// drop them and refer to the earlier ones, and the sets after them move up.
    ///
    /// Chunks have to be committed in their order. O(sets).
    pub(crate) fn commit(&self, chunk: ChunkId, sequences: &[TokenDigest]) -> Vec<Repeated> {
        // Shard by shard, so that each lock is taken once; by index within a shard, so that the
        // same sequences are remembered when the capacity is reached.
        let mut order: Vec<u32> = (0..sequences.len() as u32).collect();
        order.sort_by_key(|&index| Self::shard_of(sequences[index as usize]));
        let shard_of = |&index: &u32| Self::shard_of(sequences[index as usize]);
        let by_shard = || order.chunk_by(|a, b| shard_of(a) == shard_of(b));
        let mut repeated = Vec::new();
        for indices in by_shard() {
            let shard = self.shard(shard_of(&indices[0]));
            repeated.extend(indices.iter().filter_map(|&index| {
                let stored = *shard.get(&sequences[index as usize])?;
                Some(Repeated { index, stored })
            }));
        }
        repeated.sort_unstable_by_key(|repeated| repeated.index);
        // Other threads look up sequences at the same time, so each position is final when it is
        // inserted. The lookups above are still valid: no other thread inserts.
        for indices in by_shard() {
            let mut shard = self.shard(shard_of(&indices[0]));
            for &index in indices {
                if shard.len() >= self.capacity {
                    break;
                }
                if let Ok(index_after) = moved(index, &repeated) {
                    shard.insert(sequences[index as usize], SetRef { chunk, index: index_after });
                }
            }
        }
        repeated
    }
}

/// The index of a set of a chunk once the repeated ones, ordered by index, are dropped. An error if
/// it is one of those: its place in the list.
pub(crate) fn moved(index: u32, repeated: &[Repeated]) -> Result<u32, usize> {
    match repeated.binary_search_by_key(&index, |repeated| repeated.index) {
        Ok(at) => Err(at),
        Err(before) => Ok(index - before as u32),
    }
}

/// Removes the items of repeated sets, ordered by index, from a list with one item for each set.
pub(crate) fn retain<T>(items: &mut Vec<T>, repeated: &[Repeated]) {
    let mut index = 0;
    items.retain(|_| {
        index += 1;
        moved(index - 1, repeated).is_ok()
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sequence(number: u32) -> TokenDigest {
        TokenDigest(u128::from(number).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835))
    }

    fn sequences(numbers: &[u32]) -> Vec<TokenDigest> {
        numbers.iter().copied().map(sequence).collect()
    }

    #[test]
    fn repeated_sets_refer_backwards_and_the_others_move_up() {
        let stored = StoredSets::new(u64::MAX);
        assert!(stored.commit(ChunkId(0), &sequences(&[1, 2, 3])).is_empty());
        let at = |chunk, index| SetRef { chunk: ChunkId(chunk), index };
        let repeated = stored.commit(ChunkId(1), &sequences(&[3, 4, 1, 5]));
        let expected =
            [Repeated { index: 0, stored: at(0, 2) }, Repeated { index: 2, stored: at(0, 0) }];
        assert_eq!(repeated, expected);
        let places = [1, 2, 3, 4, 5, 6].map(|number| stored.get(sequence(number)));
        let expected = [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1)].map(|(b, i)| Some(at(b, i)));
        assert_eq!(places[..5], expected);
        assert_eq!(places[5], None);
    }

    /// The sets after a repeated one move up: no other thread may see their earlier positions.
    #[test]
    fn a_place_that_another_thread_sees_is_final() {
        use std::sync::atomic::{AtomicBool, Ordering};
        const SETS: u32 = 2000;
        // Each chunk begins with a set of the first one, so that all others of it move up by one.
        let chunks: Vec<Vec<TokenDigest>> = (1..60)
            .map(|chunk| {
                (0..SETS).map(|n| sequence(if n == 0 { 0 } else { chunk * SETS + n })).collect()
            })
            .collect();
        let (stored, done) = (StoredSets::new(u64::MAX), AtomicBool::new(false));
        stored.commit(ChunkId(0), &sequences(&[0]));
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    while !done.load(Ordering::Relaxed) {
                        for (chunk, sequences) in (1..).zip(&chunks) {
                            let place = stored.get(sequences[1]);
                            let expected = SetRef { chunk: ChunkId(chunk), index: 0 };
                            assert!(place.is_none_or(|place| place == expected), "{place:?}");
                        }
                    }
                });
            }
            for (chunk, sequences) in (1..).zip(&chunks) {
                stored.commit(ChunkId(chunk), sequences);
            }
            done.store(true, Ordering::Relaxed);
        });
    }

    /// Whatever the capacity, what is remembered is a function of the chunks.
    #[test]
    fn beyond_the_capacity_the_first_ones_are_remembered() {
        let numbers: Vec<u32> = (0..5000).collect();
        let stored = StoredSets::new(SEQUENCE * SHARDS as u64 * 10);
        for (block, numbers) in (0..).zip(numbers.chunks(700)) {
            stored.commit(ChunkId(block), &sequences(numbers));
        }
        let mut held = [0; SHARDS];
        for &number in &numbers {
            let shard = StoredSets::shard_of(sequence(number));
            let expected = held[shard] < 10;
            held[shard] += usize::from(expected);
            assert_eq!(stored.get(sequence(number)).is_some(), expected, "{number}");
        }
    }
}
