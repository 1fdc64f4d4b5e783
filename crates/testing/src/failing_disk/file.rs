//! A file of the failing disk: its bytes, those that are durable, and the operations between.

use super::loss::Loss;
use crate::prng::{MILLION, Prng};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Bytes that a disk writes as a whole.
pub(super) const SECTOR: usize = 512;
/// Bytes that are allocated together.
pub(super) const BLOCK: usize = 4096;

#[derive(Debug, Clone, Default)]
pub(super) struct FileState {
    current: Vec<u8>,
    durable: Vec<u8>,
    pending: Vec<Pending>,
    /// Blocks as they were in memory when a sync failed, unless they were written and synced again
    /// since: each of their sectors may be on the disk or not, and no sync writes them.
    doubtful: BTreeMap<usize, Vec<u8>>,
    /// Blocks that take space; a gap takes none.
    blocks: BTreeSet<usize>,
}

#[derive(Debug, Clone)]
struct Pending {
    number: u64,
    /// Length of the file before.
    before: usize,
    change: Change,
}

#[derive(Debug, Clone)]
enum Change {
    Write { offset: usize, bytes: Vec<u8> },
    SetLength(usize),
}

impl Pending {
    /// The bytes whose content changes.
    fn touched(&self) -> Range<usize> {
        match &self.change {
            Change::Write { offset, bytes } => *offset..offset + bytes.len(),
            Change::SetLength(length) => *length..self.before.max(*length),
        }
    }

    /// The length of the file afterwards.
    fn after(&self) -> usize {
        match &self.change {
            Change::Write { offset, bytes } => self.before.max(offset + bytes.len()),
            Change::SetLength(length) => *length,
        }
    }

    /// Applies the change within some bytes of a file.
    fn apply_within(&self, file: &mut [u8], within: Range<usize>) {
        let touched = self.touched();
        let part = touched.start.max(within.start)..touched.end.min(within.end);
        if part.is_empty() {
            return;
        }
        match &self.change {
            Change::Write { offset, bytes } => {
                file[part.clone()].copy_from_slice(&bytes[part.start - offset..part.end - offset]);
            }
            Change::SetLength(_) => file[part].fill(0),
        }
    }
}

/// The numbers of the sectors or blocks in which there are bytes of a range.
fn units(bytes: &Range<usize>, size: usize) -> Range<usize> {
    if bytes.is_empty() { 0..0 } else { bytes.start / size..bytes.end.div_ceil(size) }
}

/// The bytes of a sector or block, up to the end of the file.
fn within(unit: usize, size: usize, end: usize) -> Range<usize> {
    (unit * size).min(end)..((unit + 1) * size).min(end)
}

impl FileState {
    pub(super) fn bytes(&self) -> &[u8] {
        &self.current
    }

    /// Bytes of disk space.
    pub(super) fn space(&self) -> usize {
        self.blocks.len() * BLOCK
    }

    /// How many of the bytes fit if only `free` bytes of space are left.
    pub(super) fn fitting(&self, offset: usize, length: usize, free: usize) -> usize {
        let mut left = free / BLOCK;
        for block in offset / BLOCK..(offset + length).div_ceil(BLOCK) {
            if !self.blocks.contains(&block) {
                if left == 0 {
                    return (block * BLOCK).saturating_sub(offset);
                }
                left -= 1;
            }
        }
        length
    }

    pub(super) fn write(&mut self, number: u64, offset: usize, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        self.blocks.extend(offset / BLOCK..(offset + bytes.len()).div_ceil(BLOCK));
        self.change(number, Change::Write { offset, bytes: bytes.to_vec() });
    }

    pub(super) fn set_length(&mut self, number: u64, length: usize) {
        self.blocks.retain(|&block| block * BLOCK < length);
        self.change(number, Change::SetLength(length));
    }

    fn change(&mut self, number: u64, change: Change) {
        let pending = Pending { number, before: self.current.len(), change };
        apply(&mut self.current, &pending);
        self.pending.push(pending);
    }

    pub(super) fn sync(&mut self) {
        let pending = std::mem::take(&mut self.pending);
        for pending in &pending {
            apply(&mut self.durable, pending);
        }
        // A block that is written again is written as it is in memory.
        for block in pending.iter().flat_map(|pending| units(&pending.touched(), BLOCK)) {
            if self.doubtful.remove(&block).is_some() {
                let bytes = within(block, BLOCK, self.durable.len());
                self.durable[bytes.clone()].copy_from_slice(&self.current[bytes]);
            }
        }
    }

    /// A sync fails: the system forgets that the blocks have to be written. Their length counts as
    /// durable.
    pub(super) fn fail_sync(&mut self) {
        let pending = std::mem::take(&mut self.pending);
        self.durable.resize(self.current.len(), 0);
        for block in pending.iter().flat_map(|pending| units(&pending.touched(), BLOCK)) {
            let bytes = within(block, BLOCK, self.current.len());
            self.doubtful.insert(block, self.current[bytes].to_vec());
        }
    }

    /// The numbers of the first and last operation that was not synced.
    pub(super) fn unsynced(&self) -> Option<(u64, u64)> {
        Some((self.pending.first()?.number, self.pending.last()?.number))
    }

    /// The file after a power cut: all of it durable.
    pub(super) fn after_crash(&self, loss: &Loss, random: &mut Prng) -> Self {
        let mut bytes = self.durable.clone();
        let longest = self.pending.iter().map(Pending::after).max().unwrap_or(0);
        bytes.resize(longest.max(bytes.len()), 0);
        let mut numbers: BTreeMap<usize, Vec<u64>> = BTreeMap::new();
        for pending in &self.pending {
            for sector in units(&pending.touched(), SECTOR) {
                numbers.entry(sector).or_default().push(pending.number);
            }
        }
        let mut left: BTreeMap<usize, usize> = BTreeMap::new();
        for (sector, numbers) in numbers {
            left.insert(sector, loss.cut(random, &numbers));
        }
        for (&block, content) in &self.doubtful {
            let first = block * BLOCK;
            for sector in units(&(first..first + content.len()), SECTOR) {
                // What is written later includes what is in memory.
                if left.get(&sector).is_some_and(|&left| left > 0) || random.happens(MILLION / 2) {
                    let part = within(sector, SECTOR, (first + content.len()).min(bytes.len()));
                    bytes[part.clone()]
                        .copy_from_slice(&content[part.start - first..part.end - first]);
                }
            }
        }
        for pending in &self.pending {
            for sector in units(&pending.touched(), SECTOR) {
                let left = left.get_mut(&sector).expect("each sector that was touched is counted");
                if *left > 0 {
                    *left -= 1;
                    pending.apply_within(&mut bytes, sector * SECTOR..(sector + 1) * SECTOR);
                }
            }
        }
        let lengths: Vec<&Pending> =
            self.pending.iter().filter(|pending| pending.after() != pending.before).collect();
        let numbers: Vec<u64> = lengths.iter().map(|pending| pending.number).collect();
        let length = match loss.cut(random, &numbers) {
            0 => self.durable.len(),
            happened => lengths[happened - 1].after(),
        };
        bytes.resize(length, 0);
        Self::durable(bytes)
    }

    /// A synced file.
    fn durable(bytes: Vec<u8>) -> Self {
        Self {
            blocks: (0..bytes.len().div_ceil(BLOCK)).collect(),
            current: bytes.clone(),
            durable: bytes,
            pending: Vec::new(),
            doubtful: BTreeMap::new(),
        }
    }
}

fn apply(file: &mut Vec<u8>, pending: &Pending) {
    let touched = pending.touched();
    if touched.end > file.len() {
        file.resize(touched.end, 0);
    }
    pending.apply_within(file, touched);
    file.resize(pending.after(), 0);
}
