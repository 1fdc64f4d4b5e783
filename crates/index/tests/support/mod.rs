//! Stored sets in memory, for tests and measurements of the search.

use lookalike_core::{BitmapSignature, SetDigest, features};
use lookalike_index::search::{
    CommonShare, InvertedIndex, LONG_LIST, LOOKUP_BITS, PostingList, Postings,
};
use lookalike_index::{IndexError, Lean};
use std::ops::Range;

/// Elements of a bucket of the directory, on average.
const BUCKET: usize = 64;

/// The bits of a key below those of its bucket.
fn residue(key: u64, directory_bits: u32) -> u32 {
    (key & ((1 << (LOOKUP_BITS - directory_bits)) - 1)) as u32
}

/// Stored sets and their inverted index, in the layout of a segment: a directory of buckets of
/// keys, with the units beside them.
pub(crate) struct MemoryPostings {
    /// The units' sets, one after the other, and where each begins.
    elements: Vec<u64>,
    starts: Vec<usize>,
    /// (the bits of the key below the bucket's, unit), ascending in each bucket.
    residues: Vec<u32>,
    units: Vec<u32>,
    directory: Vec<u32>,
    directory_bits: u32,
    shares: Option<Vec<u8>>,
    lean: Option<Lean>,
    /// `make_set` fails for this unit.
    pub(crate) damaged: Option<u32>,
    /// `make_set` makes only so many elements.
    left: Option<usize>,
}

/// The key of an element.
fn key(element: u64) -> u64 {
    element >> (64 - LOOKUP_BITS)
}

impl MemoryPostings {
    /// Numbers the sets by size; sets of equal size keep their order.
    pub(crate) fn new(sets: &[Vec<u64>], with_shares: bool) -> Self {
        let mut new = Self::build(sets, None);
        new.shares = with_shares.then(|| new.make_shares());
        new
    }

    /// Posts only the first elements of each set.
    pub(crate) fn lean(sets: &[Vec<u64>], lean: Lean) -> Self {
        Self::build(sets, Some(lean))
    }

    fn build(sets: &[Vec<u64>], lean: Option<Lean>) -> Self {
        let mut order: Vec<&Vec<u64>> = sets.iter().collect();
        order.sort_by_key(|set| set.len());
        let (mut elements, mut starts, mut entries) = (Vec::new(), vec![0], Vec::new());
        let mut first = Vec::new();
        for (unit, set) in order.iter().enumerate() {
            assert!(!set.is_empty() && set.is_sorted_by(|a, b| a < b));
            elements.extend_from_slice(set);
            starts.push(elements.len());
            let posted = match &lean {
                None => set.as_slice(),
                Some(lean) => {
                    lean.first(set, lean.posted(set.len() as u32) as usize, &mut first);
                    &first
                }
            };
            entries.extend(posted.iter().map(|&element| (key(element), unit as u32)));
        }
        entries.sort_unstable();
        let directory_bits = (entries.len() / BUCKET).max(1).ilog2().max(LOOKUP_BITS - 32);
        let bucket = |key: u64| (key >> (LOOKUP_BITS - directory_bits)) as usize;
        let mut directory = vec![0u32; (1 << directory_bits) + 1];
        for &(key, _) in &entries {
            directory[bucket(key) + 1] += 1;
        }
        for at in 1..directory.len() {
            directory[at] += directory[at - 1];
        }
        let residue = |(key, unit)| (residue(key, directory_bits), unit);
        let (residues, units) = entries.into_iter().map(residue).unzip();
        Self {
            elements,
            starts,
            residues,
            units,
            directory,
            directory_bits,
            shares: None,
            lean,
            damaged: None,
            left: None,
        }
    }

    fn make_shares(&self) -> Vec<u8> {
        let mut common = vec![0u32; self.ids() as usize];
        for bucket in self.directory.windows(2) {
            let mut from = bucket[0] as usize;
            for list in self.residues[from..bucket[1] as usize].chunk_by(|a, b| a == b) {
                if list.len() >= LONG_LIST as usize {
                    for &unit in &self.units[from..from + list.len()] {
                        common[unit as usize] += 1;
                    }
                }
                from += list.len();
            }
        }
        let share = |(unit, &common)| CommonShare::new(common, self.size(unit as u32)).0;
        common.iter().enumerate().map(share).collect()
    }

    /// Where the bucket of a key is, and what is left of the key in it.
    fn bucket(&self, key: u64) -> (Range<usize>, u32) {
        let bucket = (key >> (LOOKUP_BITS - self.directory_bits)) as usize;
        let bucket = self.directory[bucket] as usize..self.directory[bucket + 1] as usize;
        (bucket, residue(key, self.directory_bits))
    }

    /// Puts units that do not exist at the beginning of lists of two entries.
    pub(crate) fn damage_lists(&mut self) {
        self.units.iter_mut().step_by(2).for_each(|unit| *unit = u32::MAX);
    }

    /// Makes a unit's set shorter than its size.
    pub(crate) fn cut_sets(&mut self, left: usize) {
        self.left = Some(left);
    }

    /// A unit's set.
    pub(crate) fn set(&self, unit: u32) -> &[u64] {
        &self.elements[self.starts[unit as usize]..self.starts[unit as usize + 1]]
    }
}

impl InvertedIndex for MemoryPostings {
    type List<'a> = MemoryList<'a>;

    fn ids(&self) -> u32 {
        self.starts.len() as u32 - 1
    }

    /// Reads what a lookup reads: independent loads overlap.
    fn prefetch(&self, values: &[u64]) {
        let read = |sum: u32, &value: &u64| {
            let (bucket, residue) = self.bucket(key(value));
            // Residues are uniform: about where this one is.
            let part = u64::from(residue) * bucket.len() as u64;
            let at = bucket.start + (part >> (LOOKUP_BITS - self.directory_bits)) as usize;
            sum.wrapping_add(*self.residues.get(at).unwrap_or(&0))
                .wrapping_add(*self.units.get(at).unwrap_or(&0))
        };
        std::hint::black_box(values.iter().fold(0, read));
    }

    fn lookup(&self, value: u64) -> MemoryList<'_> {
        let (bucket, residue) = self.bucket(key(value));
        let residues = &self.residues[bucket.clone()];
        let from = residues.partition_point(|&other| other < residue);
        let residues = &residues[from..];
        // Most lists are short.
        let mut bound = 1;
        while residues.get(bound).is_some_and(|&other| other == residue) {
            bound *= 2;
        }
        let near = &residues[..residues.len().min(bound)];
        let length = near.partition_point(|&other| other == residue);
        MemoryList(&self.units[bucket.start + from..][..length])
    }
}

impl Postings for MemoryPostings {
    fn size(&self, unit: u32) -> u32 {
        (self.starts[unit as usize + 1] - self.starts[unit as usize]) as u32
    }

    fn units_of_size(&self, low: u32, high: u32) -> Range<u32> {
        let first = |wanted: &dyn Fn(u32) -> bool| {
            let (mut from, mut until) = (0, self.ids());
            while from < until {
                let middle = (from + until) / 2;
                if wanted(self.size(middle)) { until = middle } else { from = middle + 1 }
            }
            from
        };
        let from = first(&|size| size >= low);
        from..first(&|size| size > high).max(from)
    }

    fn common_shares(&self) -> Option<&[u8]> {
        self.shares.as_deref()
    }

    fn lean(&self) -> Option<&Lean> {
        self.lean.as_ref()
    }

    fn bitmap(&self, unit: u32) -> Option<BitmapSignature> {
        Some(BitmapSignature::of(self.set(unit)))
    }

    /// With shares only: the answers are the same without.
    fn digest(&self, unit: u32) -> Option<SetDigest> {
        self.shares.as_ref().and_then(|_| features::digest(self.set(unit)))
    }

    fn make_set(&self, unit: u32, set: &mut Vec<u64>) -> Result<(), IndexError> {
        if self.damaged == Some(unit) {
            let what = format!("text of unit {unit}");
            return Err(IndexError::Damaged { path: "memory".into(), what });
        }
        set.clear();
        set.extend_from_slice(self.set(unit));
        set.truncate(self.left.unwrap_or(usize::MAX));
        Ok(())
    }
}

/// A posting list in memory.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MemoryList<'a>(&'a [u32]);

impl PostingList for MemoryList<'_> {
    fn len(self) -> u32 {
        self.0.len() as u32
    }

    fn within(self, ids: &Range<u32>) -> Self {
        let from = self.0.partition_point(|&id| id < ids.start);
        let until = self.0.partition_point(|&id| id < ids.end);
        Self(&self.0[from..until.max(from)])
    }

    fn contains(self, id: u32) -> bool {
        self.0.binary_search(&id).is_ok()
    }

    fn entries(self) -> impl Iterator<Item = u32> {
        self.0.iter().copied()
    }
}
