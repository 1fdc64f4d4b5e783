//! The sets of a chunk, each in two parts, from memory or from the [`ChunkStore`].
//!
//! Most steps need only the elements of a set up to the bound by which it is arranged. On disk they
//! are the front of the chunk and read by themselves; the back is read on demand.

use crate::ChunkStore;
use crate::block::{Block, FrontEnds, HeldSets, end_words};
use lookalike_core::Halves;
use lookalike_join::{HighElements, Part, SourceError};
use std::io;
use std::ops::Range;

/// Sets whose other elements are read one by one, before the whole back of the chunk is.
const MOST_ALONE: u32 = 64;

/// Buffers for the sets of a chunk.
#[derive(Debug, Default)]
pub(crate) struct ChunkBuffer {
    front: Vec<u64>,
    back: Back,
    run: Run,
}

/// Sets that were read by themselves, and the words that were read for them.
#[derive(Debug, Default)]
pub(crate) struct Run {
    words: Vec<u64>,
    sets: Vec<u64>,
}

/// The part of a chunk's back that was read.
#[derive(Debug, Default)]
pub(crate) struct Back {
    /// All of it, or nothing.
    words: Vec<u64>,
    whole: bool,
    /// How many sets were read by themselves.
    alone: u32,
}

/// The sets of a chunk.
#[derive(Debug)]
pub(crate) struct ChunkSets<'a> {
    block: &'a Block,
    /// The sets, if they are in memory.
    held: Option<&'a HeldSets>,
    store: &'a ChunkStore,
    buffer: &'a mut ChunkBuffer,
}

/// A set in two parts: together, in this order, the set as it was arranged.
#[derive(Debug)]
pub(crate) struct Set<'a> {
    /// The elements up to the bound; none where sets are not arranged.
    pub(crate) low: &'a [u64],
    /// The others.
    pub(crate) high: High<'a>,
}

/// The elements of a set above the bound, wherever they are.
#[derive(Debug)]
pub(crate) enum High<'a> {
    Held(&'a [u64]),
    Stored {
        block: &'a Block,
        store: &'a ChunkStore,
        index: u32,
        /// Elements up to the bound.
        low: usize,
        /// Ranges of the other elements in the back.
        range: Range<usize>,
        back: &'a mut Back,
        run: &'a mut Run,
    },
}

impl<'a> ChunkSets<'a> {
    /// Opens a chunk, whose sets in memory are `held`; otherwise reads it.
    pub(crate) fn open(
        block: &'a Block,
        held: Option<&'a HeldSets>,
        store: &'a ChunkStore,
        part: Part,
        buffer: &'a mut ChunkBuffer,
    ) -> io::Result<Self> {
        if held.is_none() {
            let ChunkBuffer { front, back, .. } = &mut *buffer;
            back.whole = part == Part::Whole;
            back.alone = 0;
            store.read_front(block, front)?;
            if back.whole {
                store.read_back(block, &mut back.words)?;
            }
        }
        Ok(Self { block, held, store, buffer })
    }

    /// The elements up to the bound of all sets, in their order.
    pub(crate) fn low(&self) -> &[u64] {
        match self.held {
            Some(held) => held.low(),
            None => self.buffer.front.get(end_words(self.block.ends.len())..).unwrap_or_default(),
        }
    }

    /// One of the sets.
    pub(crate) fn set(&mut self, index: u32) -> Set<'_> {
        let Self { block, held, store, buffer } = self;
        if let Some(held) = held {
            let Halves { low, high } = block.get(held, index);
            return Set { low, high: High::Held(high) };
        }
        let ChunkBuffer { front, back, run } = &mut **buffer;
        let (ends, lows) = front.split_at(end_words(block.ends.len()));
        let low = FrontEnds { words: ends, from: 0 }.range(index);
        let range = block.back_range(index, &low);
        let low = lows.get(low).unwrap_or_default();
        let high = High::Stored { block, store, index, low: low.len(), range, back, run };
        Set { low, high }
    }
}

impl<'a> High<'a> {
    /// The elements, which are read unless they are in memory.
    pub(crate) fn get(&mut self) -> io::Result<&[u64]> {
        match self {
            High::Held(high) => Ok(high),
            High::Stored { block, store, index, low, back, run, .. }
                if !back.whole && back.alone < MOST_ALONE && block.ends.len() > 1 =>
            {
                back.alone += 1;
                store.read_run(block, *index..*index + 1, &mut run.words, &mut run.sets)?;
                Ok(run.sets.get(*low..).unwrap_or_default())
            }
            High::Stored { block, store, range, back, .. } => {
                if !back.whole {
                    store.read_back(block, &mut back.words)?;
                    back.whole = true;
                }
                Ok(back.words.get(range.clone()).unwrap_or_default())
            }
        }
    }
}

impl HighElements for High<'_> {
    fn read(&mut self) -> Result<&[u64], SourceError> {
        let error = match self {
            High::Held(_) => None,
            High::Stored { store, .. } => Some(*store),
        };
        self.get().map_err(|source| match error {
            Some(store) => store.error(&source).into(),
            None => source.into(),
        })
    }
}

/// Visits some sets of a chunk, given by ascending indices, each in one piece or two. Adjacent ones
/// are read together, and no others are read.
pub(crate) fn for_each_run(
    block: &Block,
    held: Option<&HeldSets>,
    store: &ChunkStore,
    indices: &[u32],
    buffer: &mut ChunkBuffer,
    mut each: impl FnMut(u32, &[u64]),
) -> io::Result<()> {
    if let Some(held) = held {
        for &index in indices {
            let Halves { low, high } = block.get(held, index);
            each(index, low);
            each(index, high);
        }
        return Ok(());
    }
    let Run { words, sets } = &mut buffer.run;
    for indices in indices.chunk_by(|a, b| a + 1 == *b) {
        let (first, last) = (indices[0], indices[indices.len() - 1]);
        store.read_run(block, first..last + 1, words, sets)?;
        let start = block.range(first).start;
        for &index in indices {
            let range = block.range(index);
            each(index, &sets[range.start - start..range.end - start]);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::SharedSets;
    use crate::store::ChunkMetadata;
    use lookalike_core::features::digest;
    use lookalike_core::fingerprint::finalise;
    use proptest::prelude::*;

    const BOUND: u64 = u64::MAX / 5 * 2;

    /// A chunk of sets of these sizes, arranged or not, in memory and on disk.
    fn chunk(sizes: &[u64], bound: Option<u64>) -> (Block, Block, ChunkStore) {
        let make = || {
            let (mut block, mut elements) = (Block::default(), Vec::new());
            for (number, &size) in (0..).zip(sizes) {
                let set: Vec<u64> = (0..=size).map(|n| finalise(number << 20 | n)).collect();
                elements.extend_from_slice(&set);
                block.ends.push(elements.len() as u32);
                block.digests.push(digest(&set).unwrap());
            }
            block.sets = SharedSets::new(HeldSets::arranged(bound, &block.ends, &elements));
            block
        };
        let mut store = ChunkStore::new(0, std::env::temp_dir());
        store.arrange(bound, 0);
        let (held, mut stored) = (make(), make());
        store.take(&mut stored, &ChunkMetadata::default()).unwrap();
        assert!(!stored.sets.is_held());
        (held, stored, store)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]
        /// Any request in any order: by parts, as a whole, by runs.
        #[test]
        fn a_chunk_on_disk_says_what_one_in_memory_says(
            sizes in prop::collection::vec(0u64..60, 1..200),
            arranged in any::<bool>(),
            ask in prop::collection::vec((any::<prop::sample::Index>(), any::<bool>()), 0..200),
        ) {
            let bound = arranged.then_some(BOUND);
            let (held, stored, store) = chunk(&sizes, bound);
            let in_memory = held.sets.get().unwrap();
            let mut buffers = [ChunkBuffer::default(), ChunkBuffer::default()];
            let [mine, its] = &mut buffers;
            for part in [Part::Front, Part::Whole, Part::Front] {
                let mut truth = ChunkSets::open(&held, Some(&in_memory), &store, part, mine).unwrap();
                let mut sets = ChunkSets::open(&stored, None, &store, part, its).unwrap();
                let low: Vec<u64> = (0..sizes.len() as u32).flat_map(|n| truth.set(n).low.to_vec()).collect();
                prop_assert_eq!((truth.low(), sets.low()), (&*low, &*low));
                for (index, with_high) in &ask {
                    let index = index.index(sizes.len()) as u32;
                    let (mut truth, mut set) = (truth.set(index), sets.set(index));
                    prop_assert_eq!(set.low, truth.low);
                    prop_assert!(truth.low.iter().all(|&value| value <= BOUND));
                    if *with_high {
                        prop_assert_eq!(set.high.get().unwrap(), truth.high.get().unwrap());
                    }
                }
            }
            let mut indices: Vec<u32> = ask.iter().map(|(at, _)| at.index(sizes.len()) as u32).collect();
            indices.sort_unstable();
            indices.dedup();
            let mut found = Vec::new();
            for_each_run(&stored, None, &store, &indices, its, |index, set| found.push((index, set.to_vec()))).unwrap();
            let truth = indices.iter().map(|&at| (at, held.get(&in_memory, at).iter().collect::<Vec<_>>()));
            prop_assert_eq!(found, truth.collect::<Vec<_>>());
            let mut found: Vec<Vec<u64>> = vec![Vec::new(); sizes.len()];
            for_each_run(&held, Some(&in_memory), &store, &indices, mine, |index, part| found[index as usize].extend(part)).unwrap();
            for index in indices {
                prop_assert!(found[index as usize].iter().eq(&held.get(&in_memory, index).iter().collect::<Vec<_>>()));
            }
        }
    }
}
