//! Records in partitions: in memory up to a budget, beyond it in a spill file.

use crate::{Frame, SpillFile};
use std::io;
use std::path::{Path, PathBuf};

/// Records in a block: what a partition grows by.
const BLOCK: usize = 256;

/// Records of N numbers each, in partitions, each in the order in which it was filled.
///
/// Whenever the records in memory exceed the budget, all of them are written, those of a partition as one
/// frame.
///
/// ```
/// use lookalike_spill::Partitions;
///
/// let mut of_parity = Partitions::new(2, 0, std::env::temp_dir());
/// (0..5).try_for_each(|number| of_parity.push(number as usize % 2, [number, number * number]))?;
/// let mut odd = Vec::new();
/// of_parity.read(1, |record| odd.push(record))?;
/// assert_eq!(odd, [[1, 1], [3, 9]]);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Partitions<const N: usize> {
    partitions: Vec<Partition<N>>,
    /// Records in memory, and the most of them.
    held: usize,
    most: usize,
    folder: PathBuf,
    file: Option<SpillFile>,
}

#[derive(Debug)]
struct Partition<const N: usize> {
    /// Full blocks and one that is not.
    blocks: Vec<Vec<[u32; N]>>,
    frames: Vec<Frame>,
    /// Records in both.
    len: u64,
}

impl<const N: usize> Partitions<N> {
    const NOT_EMPTY: () = assert!(N > 1, "a record has several numbers");

    /// Empty partitions, with at most these bytes of records in memory, and the rest in a file in the folder.
    #[must_use]
    pub fn new(partitions: usize, bytes: u64, folder: PathBuf) -> Self {
        let () = Self::NOT_EMPTY;
        let empty = || Partition { blocks: Vec::new(), frames: Vec::new(), len: 0 };
        let most = bytes / size_of::<[u32; N]>() as u64;
        Self {
            partitions: std::iter::repeat_with(empty).take(partitions).collect(),
            held: 0,
            most: usize::try_from(most).unwrap_or(usize::MAX),
            folder,
            file: None,
        }
    }

    /// The folder of the file.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Number of partitions.
    #[must_use]
    pub fn count(&self) -> usize {
        self.partitions.len()
    }

    /// Number of records of a partition.
    #[must_use]
    pub fn len(&self, partition: usize) -> u64 {
        self.partitions[partition].len
    }

    /// Whether no partition has a record.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.partitions.iter().all(|partition| partition.len == 0)
    }

    /// Bytes in the file.
    #[must_use]
    pub fn spilled(&self) -> u64 {
        self.file.as_ref().map_or(0, SpillFile::bytes)
    }

    /// Adds a record to a partition.
    ///
    /// # Errors
    /// The error of the operating system, if records are written.
    pub fn push(&mut self, partition: usize, record: [u32; N]) -> io::Result<()> {
        let Partition { blocks, len, .. } = &mut self.partitions[partition];
        match blocks.last_mut().filter(|block| block.len() < BLOCK) {
            Some(block) => block.push(record),
            None => {
                let mut block = Vec::with_capacity(BLOCK);
                block.push(record);
                blocks.push(block);
            }
        }
        *len += 1;
        self.held += 1;
        if self.held > self.most { self.spill() } else { Ok(()) }
    }

    /// Gives the records of a partition to `each`, in order.
    ///
    /// # Errors
    /// The error of the operating system, or a checksum that does not match.
    pub fn read(&self, partition: usize, mut each: impl FnMut([u32; N])) -> io::Result<()> {
        let Partition { blocks, frames, .. } = &self.partitions[partition];
        let (mut words, mut numbers) = (Vec::new(), Vec::new());
        for (frame, file) in frames.iter().flat_map(|frame| Some(*frame).zip(self.file.as_ref())) {
            file.front(frame, &mut words)?;
            numbers.clear();
            numbers.extend(words.iter().flat_map(|&word| [word as u32, (word >> 32) as u32]));
            // The last word may have half a number too many.
            let (records, _) = numbers.as_chunks::<N>();
            records.iter().copied().for_each(&mut each);
        }
        blocks.iter().flatten().copied().for_each(each);
        Ok(())
    }

    /// Frees the memory of a partition, which is empty from then on.
    pub fn clear(&mut self, partition: usize) {
        let Partition { blocks, frames, len } = &mut self.partitions[partition];
        self.held -= blocks.iter().map(Vec::len).sum::<usize>();
        (*blocks, *frames, *len) = (Vec::new(), Vec::new(), 0);
    }

    /// Writes all records that are in memory.
    fn spill(&mut self) -> io::Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            file => file.insert(SpillFile::unnamed(&self.folder)?),
        };
        let (mut numbers, mut words) = (Vec::new(), Vec::new());
        for Partition { blocks, frames, .. } in &mut self.partitions {
            numbers.clear();
            words.clear();
            // Each partition is freed before the next is copied.
            std::mem::take(blocks).iter().flatten().for_each(|record| numbers.extend(record));
            if numbers.is_empty() {
                continue;
            }
            let word = |pair: &[u32]| {
                u64::from(pair[0]) | u64::from(pair.get(1).copied().unwrap_or(0)) << 32
            };
            words.extend(numbers.chunks(2).map(word));
            frames.push(file.append(&[], &words, &[])?);
        }
        self.held = 0;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read<const N: usize>(partitions: &Partitions<N>, partition: usize) -> Vec<[u32; N]> {
        let mut found = Vec::new();
        partitions.read(partition, |record| found.push(record)).unwrap();
        found
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]
        #[test]
        fn a_budget_does_not_show(
            records in prop::collection::vec((0usize..4, any::<[u32; 7]>()), 0..2000),
            bytes in prop::sample::select(vec![0u64, 300, 9_000, u64::MAX]),
            cleared in 0usize..4,
        ) {
            let mut partitions = Partitions::new(4, bytes, std::env::temp_dir());
            let (before, behind) = records.split_at(records.len() / 2);
            for (partition, record) in before {
                partitions.push(*partition, *record).unwrap();
            }
            partitions.clear(cleared);
            for (partition, record) in behind {
                partitions.push(*partition, *record).unwrap();
            }
            for partition in 0..4 {
                let some = if partition == cleared { behind } else { &records[..] };
                let of: Vec<[u32; 7]> =
                    some.iter().filter(|one| one.0 == partition).map(|one| one.1).collect();
                prop_assert_eq!(partitions.len(partition), of.len() as u64);
                prop_assert_eq!(read(&partitions, partition), of);
            }
        }
    }

    #[test]
    fn what_exceeds_the_budget_is_in_a_file() {
        let mut partitions = Partitions::new(3, 8 * 10, std::env::temp_dir());
        for number in 0..10 {
            partitions.push(number as usize % 3, [number, 7]).unwrap();
        }
        assert_eq!(partitions.spilled(), 0);
        partitions.push(0, [10, 7]).unwrap();
        assert!(partitions.spilled() > 0 && partitions.held == 0 && !partitions.is_empty());
        assert_eq!(read(&partitions, 2), [[2, 7], [5, 7], [8, 7]]);
    }

    #[test]
    fn a_missing_folder_is_an_error() {
        let mut partitions = Partitions::new(1, 0, PathBuf::from("no/such/folder"));
        partitions.push(0, [1, 2]).unwrap_err();
    }
}
