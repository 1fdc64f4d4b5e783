//! What is found of passages, as records that are spilled beyond the memory budget: anchors by their keys,
//! pieces by their documents.

use crate::LookalikeError;
use crate::memory::Memory;
use lookalike_engine::EngineError;
use lookalike_passages::classes::Piece;
use lookalike_passages::{Anchor, Record};
use lookalike_spill::{Decoder, Encoder, Partitions};
use std::io::{self, Read, Write};
use std::path::PathBuf;

/// Partitions of anchors and of pieces: few enough for frames of some kilobytes.
const PARTITIONS: usize = 256;

/// The most bytes of anchors that are grouped at a time, where there is memory for more: what is grouped
/// is in memory several times.
const GROUPED: u64 = 8 << 20;

/// Bytes that grouping takes for each anchor: the anchor, twice, and its class.
const GROUPING: u64 = 80;

/// Records that are written to a checkpoint, or read from it, at a time.
const AT_A_TIME: usize = 4096;

/// How much of what is found is in memory, and where the rest is spilled.
#[derive(Debug, Clone)]
pub(super) struct SpillLimits {
    memory: Memory,
    folder: PathBuf,
}

impl SpillLimits {
    pub(super) fn new(memory: Option<u64>, folder: PathBuf) -> Self {
        Self { memory: Memory::of(memory), folder }
    }

    /// Partitions of which a share of the budget is in memory.
    fn partitions<const N: usize>(&self, count: usize, bytes: u64) -> Partitions<N> {
        Partitions::new(count, bytes, self.folder.clone())
    }

    /// For anchors and for pieces: a quarter, and twice an eighth.
    pub(super) fn anchors(&self) -> AnchorStore {
        AnchorStore { records: self.partitions(PARTITIONS, self.memory.0 / 4) }
    }

    /// For anchors beside the sets and the texts of a run of `dedup`, which have three quarters: a sixteenth.
    pub(super) fn anchors_beside_sets(&self) -> AnchorStore {
        AnchorStore { records: self.partitions(PARTITIONS, self.memory.0 / 16) }
    }

    /// The anchors of each part whose windows are compared.
    pub(super) fn open(&self, parts: usize) -> AnchorStore {
        AnchorStore { records: self.partitions(parts, self.memory.0 / 8) }
    }

    /// The hashes of the windows of each part.
    pub(super) fn hashes(&self, parts: usize) -> HashStore {
        HashStore { records: self.partitions(parts, self.memory.0 / 8) }
    }

    pub(super) fn pieces(&self, documents: u32) -> PieceStore {
        let records = self.partitions(PARTITIONS, self.memory.0 / 8);
        PieceStore { records, documents: documents.into() }
    }

    /// The most anchors that are grouped at a time: an eighth of the budget.
    pub(super) fn grouped(&self) -> u64 {
        ((self.memory.0 / 8).min(GROUPED) / GROUPING).max(1)
    }

    /// The most windows' questions that are answered in one reading: a sixteenth of the budget.
    pub(super) fn questions(&self) -> usize {
        usize::try_from(self.memory.0 / 16 / 16).unwrap_or(usize::MAX).max(1)
    }
}

/// What became of a spill file of these partitions.
fn spilled<const N: usize, T>(
    done: io::Result<T>,
    partitions: &Partitions<N>,
) -> Result<T, EngineError> {
    done.map_err(|error| EngineError::scratch(partitions.folder(), &error))
}

/// Anchors in partitions.
#[derive(Debug)]
pub(super) struct AnchorStore {
    records: Partitions<7>,
}

/// Anchors that are grouped at a time: of whole partitions, or some of the keys of one partition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Part {
    partitions: std::ops::Range<usize>,
    /// Of the keys of each partition, one in so many, and which ones.
    one_in: u64,
    which: u64,
}

impl AnchorStore {
    /// Adds an anchor to the partition of its key.
    ///
    /// # Errors
    /// A spill file that cannot be written.
    pub(super) fn add(&mut self, anchor: &Anchor) -> Result<(), EngineError> {
        // Minima have uniform low bits.
        self.add_to((anchor.key % PARTITIONS as u64) as usize, anchor)
    }

    /// Adds an anchor to a partition.
    ///
    /// # Errors
    /// As [`AnchorStore::add`].
    pub(super) fn add_to(&mut self, partition: usize, anchor: &Anchor) -> Result<(), EngineError> {
        spilled(self.records.push(partition, anchor.to_record()), &self.records)
    }

    /// Parts of at most `most` anchors; of more where a single key has them.
    pub(super) fn parts(&self, most: u64) -> Vec<Part> {
        let mut parts: Vec<Part> = Vec::new();
        let mut anchors = 0;
        for partition in 0..self.records.count() {
            let of_partition = self.records.len(partition);
            let one_in = of_partition.div_ceil(most).next_power_of_two().min(1 << 7);
            anchors += of_partition;
            match parts.last_mut() {
                Some(last) if anchors <= most && last.one_in == 1 => {
                    last.partitions.end = partition + 1;
                }
                _ => {
                    let partitions = partition..partition + 1;
                    let part = |which| Part { partitions: partitions.clone(), one_in, which };
                    parts.extend((0..one_in).map(part));
                    anchors = of_partition;
                }
            }
        }
        parts
    }

    /// The anchors of a part, which are freed with the last part of their partitions.
    ///
    /// # Errors
    /// A spill file that cannot be read.
    pub(super) fn take(&mut self, part: &Part) -> Result<Vec<Anchor>, LookalikeError> {
        let partitions = part.partitions.clone();
        let of_all: u64 = partitions.clone().map(|partition| self.records.len(partition)).sum();
        let mut anchors = Vec::with_capacity((of_all / part.one_in) as usize);
        for partition in partitions {
            let each = |record| {
                let anchor = Anchor::of_record(record);
                if anchor.key / PARTITIONS as u64 % part.one_in == part.which {
                    anchors.push(anchor);
                }
            };
            spilled(self.records.read(partition, each), &self.records)?;
            if part.which + 1 == part.one_in {
                self.records.clear(partition);
            }
        }
        Ok(anchors)
    }

    /// The anchors of a partition, which are freed.
    ///
    /// # Errors
    /// As [`AnchorStore::take`].
    pub(super) fn take_partition(&mut self, number: usize) -> Result<Vec<Anchor>, LookalikeError> {
        self.take(&Part { partitions: number..number + 1, one_in: 1, which: 0 })
    }

    /// Writes all of them, for a run that is resumed.
    ///
    /// # Errors
    /// A spill file that cannot be read; the error of the writer.
    pub(super) fn write(&self, out: &mut Encoder<impl Write>) -> io::Result<()> {
        let mut numbers = Vec::with_capacity(AT_A_TIME * 7);
        for partition in 0..self.records.count() {
            out.numbers(&[self.records.len(partition)])?;
            let mut written = Ok(());
            self.records.read(partition, |record| {
                numbers.extend(record);
                if numbers.len() == AT_A_TIME * 7 && written.is_ok() {
                    written = out.numbers(&numbers);
                    numbers.clear();
                }
            })?;
            written?;
            out.numbers(&numbers)?;
            numbers.clear();
        }
        Ok(())
    }

    /// Reads what [`AnchorStore::write`] wrote into an empty store.
    ///
    /// # Errors
    /// The error of the reader; a spill file that cannot be written.
    pub(super) fn restore(mut self, from: &mut Decoder<impl Read>) -> io::Result<Self> {
        let mut numbers = Vec::new();
        for partition in 0..self.records.count() {
            let mut left: u64 = from.number()?;
            while left > 0 {
                let records = left.min(AT_A_TIME as u64);
                numbers.clear();
                from.numbers::<u32>(records * 7, &mut numbers)?;
                numbers
                    .as_chunks()
                    .0
                    .iter()
                    .try_for_each(|&one| self.records.push(partition, one))?;
                left -= records;
            }
        }
        Ok(self)
    }

    /// Bytes in the spill file.
    pub(super) fn spilled(&self) -> u64 {
        self.records.spilled()
    }
}

/// Hashes of windows, by part.
pub(super) struct HashStore {
    records: Partitions<2>,
}

impl HashStore {
    /// Adds a hash to those of a part.
    ///
    /// # Errors
    /// A spill file that cannot be written.
    pub(super) fn add(&mut self, part: usize, hash: u64) -> Result<(), EngineError> {
        let record = [hash as u32, (hash >> 32) as u32];
        spilled(self.records.push(part, record), &self.records)
    }

    /// The hashes of a part in the order in which they were added. They are freed.
    ///
    /// # Errors
    /// A spill file that cannot be read.
    pub(super) fn take(&mut self, part: usize) -> Result<Vec<u64>, LookalikeError> {
        let mut hashes = Vec::with_capacity(self.records.len(part) as usize);
        let each = |[low, top]: [u32; 2]| hashes.push(u64::from(low) | u64::from(top) << 32);
        spilled(self.records.read(part, each), &self.records)?;
        self.records.clear(part);
        Ok(hashes)
    }

    /// Bytes in the spill file.
    pub(super) fn spilled(&self) -> u64 {
        self.records.spilled()
    }
}

/// Pieces by ranges of documents.
pub(super) struct PieceStore {
    records: Partitions<6>,
    /// Number of documents.
    documents: u64,
}

impl PieceStore {
    /// Adds pieces, in any order.
    ///
    /// # Errors
    /// A spill file that cannot be written.
    pub(super) fn add(&mut self, pieces: &[Piece]) -> Result<(), LookalikeError> {
        for piece in pieces {
            let range = u64::from(piece.at.document) * PARTITIONS as u64 / self.documents.max(1);
            spilled(self.records.push(range as usize, piece.to_record()), &self.records)?;
        }
        Ok(())
    }

    /// Gives the pieces of each range of documents to `each`, the ranges in order. They are freed.
    ///
    /// # Errors
    /// A spill file that cannot be read.
    pub(super) fn take(mut self, mut each: impl FnMut(Vec<Piece>)) -> Result<(), LookalikeError> {
        for range in 0..PARTITIONS {
            let mut pieces = Vec::with_capacity(self.records.len(range) as usize);
            let add = |record| pieces.push(Piece::of_record(record));
            spilled(self.records.read(range, add), &self.records)?;
            self.records.clear(range);
            each(pieces);
        }
        Ok(())
    }

    /// Bytes in the spill file.
    pub(super) fn spilled(&self) -> u64 {
        self.records.spilled()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lookalike_passages::Place;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]
        #[test]
        fn anchors_come_back_from_a_checkpoint(
            keys in prop::collection::vec(0u64..600, 0..300),
            of_one in prop::sample::select(vec![0, 1, AT_A_TIME - 1, AT_A_TIME, 2 * AT_A_TIME + 5]),
            [before, behind] in any::<[bool; 2]>(),
        ) {
            let limits = |is_small: bool| {
                SpillLimits::new(is_small.then_some(20_000), std::env::temp_dir())
            };
            let mut store = limits(before).anchors();
            for (unit, key) in (0..).zip(keys.into_iter().chain(vec![7; of_one])) {
                let place = Place { document: unit / 3, unit };
                let anchor = Anchor { key, context: key << 40 | 5, place, windows: 3, offset: 2 };
                store.add(&anchor).unwrap();
            }
            let mut written = Vec::new();
            store.write(&mut Encoder(&mut written)).unwrap();
            let most = written.len() as u64;
            let mut content: &[u8] = &written;
            let mut restored =
                limits(behind).anchors().restore(&mut Decoder(&mut content)).unwrap();
            prop_assert!(content.is_empty());
            for number in 0..PARTITIONS {
                let [one, other] = [&mut store, &mut restored]
                    .map(|store| store.take_partition(number).unwrap());
                prop_assert_eq!(one, other);
            }
            // What is cut off is an error.
            let mut cut = &written[..most as usize - 1];
            prop_assert!(limits(false).anchors().restore(&mut Decoder(&mut cut)).is_err());
        }
    }
}
