//! The data of one chunk of the input: rows, feature sets, signatures.

use crate::SignatureBlock;
use crate::collection::{Rows, SetRef};
use crate::elements::Elements;
use crate::stored_sets::{Repeated, moved, retain};
use lookalike_core::features::MANY;
use lookalike_core::{Halves, SetDigest, divide};
use lookalike_join::ChunkId;
use lookalike_spill::{Decoder, Encoder, Frame};
use std::io::{self, Read, Write};
use std::ops::Range;
use std::sync::{Arc, PoisonError, RwLock};

/// One chunk. Parts beyond the memory budget are in the [`crate::ChunkStore`] only.
#[derive(Debug, Default)]
pub(crate) struct Block {
    /// The documents; empty if they are in the store only.
    pub(crate) rows: Rows,
    /// The elements of all sets, unless they are only in the store.
    pub(crate) sets: SharedSets,
    /// Digest of each set, or if no sets are stored, of the input of the signature. In memory if
    /// the rows are.
    pub(crate) digests: Vec<SetDigest>,
    /// End of each set if all sets were concatenated.
    pub(crate) ends: Vec<u32>,
    /// The signatures of a method, if one is used.
    pub(crate) signatures: SignatureBlock,
    /// Its frame in the store, if it was written; it may be in memory as well.
    pub(crate) frame: Option<Frame>,
    /// Whether the rows are in memory.
    pub(crate) rows_held: bool,
}

/// The sets of a chunk in memory, or nothing if they are only in the store.
///
/// Shared and immutable, with two exceptions that need no exclusive access to the collection: a
/// join releases the sets that it has finished scanning ([`SharedSets::release`]), and sorts the
/// sets that it is going to intersect ([`SharedSets::edit_unshared`]). A user holds its own [`Arc`]
/// for as long as it depends on the order of the elements, so neither affects another join.
#[derive(Debug, Default)]
pub(crate) struct SharedSets(RwLock<Option<Arc<HeldSets>>>);

impl SharedSets {
    pub(crate) fn new(sets: HeldSets) -> Self {
        Self(RwLock::new(Some(Arc::new(sets))))
    }

    /// The sets, if they are in memory.
    pub(crate) fn get(&self) -> Option<Arc<HeldSets>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The sets, if they are in memory, to be changed: a copy of them while another join uses them.
    fn make_mut(&mut self) -> Option<&mut HeldSets> {
        let held = self.0.get_mut().unwrap_or_else(PoisonError::into_inner).as_mut()?;
        if Arc::get_mut(held).is_none() {
            *held = Arc::new(held.copy());
        }
        Arc::get_mut(held)
    }

    /// Whether the sets are in memory.
    pub(crate) fn is_held(&self) -> bool {
        self.0.read().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// Drops the sets from the collection, and returns them to be freed.
    pub(crate) fn release(&self) -> Option<Arc<HeldSets>> {
        self.0.write().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Calls `edit`, which may reorder the elements within a set, if nothing else uses the sets.
    /// Returns the edited sets, or `None` without calling it.
    pub(crate) fn edit_unshared<T>(
        &self,
        edit: impl FnOnce(&mut HeldSets) -> T,
    ) -> Option<(Arc<HeldSets>, T)> {
        let mut held = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let held = held.as_mut()?;
        let edited = edit(Arc::get_mut(held)?);
        Some((held.clone(), edited))
    }

    fn bytes(&self) -> usize {
        self.get().map_or(0, |sets| sets.bytes())
    }
}

/// The elements of the sets of a chunk: first those up to the bound by which sets are partitioned,
/// of all sets, then the others. Most scans need the first part only, which is contiguous.
#[derive(Debug, Default)]
pub(crate) struct HeldSets {
    elements: Elements,
    /// End of the elements up to the bound of each set; empty if sets are not partitioned.
    low_ends: Vec<u32>,
}

impl HeldSets {
    /// Elements up to the bound, where those of each set end, and the others.
    pub(crate) fn new(low: &[u64], low_ends: Vec<u32>, high: &[u64]) -> Self {
        Self { elements: Elements::of(low, high), low_ends }
    }

    /// One set alone, ascending, with its elements up to the bound in front: nothing is copied.
    pub(crate) fn large(set: Vec<u64>, low: Option<usize>) -> Self {
        let low_ends = low.map(|low| low as u32).into_iter().collect();
        Self { elements: Elements::Heap(set), low_ends }
    }

    /// Concatenated sets, each with its elements up to the bound first, if there is a bound.
    pub(crate) fn arranged(bound: Option<u64>, ends: &[u32], elements: &[u64]) -> Self {
        let Some(bound) = bound else { return Self::new(&[], Vec::new(), elements) };
        let (mut low, mut low_ends, mut high) = (Vec::new(), Vec::new(), Vec::new());
        let mut start = 0;
        for &end in ends {
            divide(bound, &elements[start..end as usize], &mut low, &mut high);
            low_ends.push(low.len() as u32);
            start = end as usize;
        }
        Self::new(&low, low_ends, &high)
    }

    /// The elements up to the bound, of all sets.
    pub(crate) fn low(&self) -> &[u64] {
        &self.elements[..self.low_end()]
    }

    /// Index of the first element above the bound.
    fn low_end(&self) -> usize {
        self.low_ends.last().map_or(0, |&end| end as usize)
    }

    fn low_range(&self, index: u32) -> Range<usize> {
        let end = |index: usize| self.low_ends.get(index).map_or(0, |&end| end as usize);
        let index = index as usize;
        index.checked_sub(1).map_or(0, end)..end(index)
    }

    /// Ranges of both parts of a set, whose range among the concatenated sets is `whole`.
    fn parts(&self, index: u32, whole: Range<usize>) -> (Range<usize>, Range<usize>) {
        let low = self.low_range(index);
        let start = self.low_end() + whole.start - low.start;
        let high = start..start + whole.len() - low.len();
        (low, high)
    }

    /// Keeps the sets with these ascending indices, whose ranges among the concatenated sets are
    /// `ranges`, and drops the others. O(elements).
    fn keep(&mut self, kept: &[u32], ranges: &[Range<usize>]) {
        let parts = kept.iter().zip(ranges).map(|(&index, whole)| self.parts(index, whole.clone()));
        let (low, high): (Vec<_>, Vec<_>) = parts.unzip();
        let has_bound = !self.low_ends.is_empty();
        self.low_ends = if has_bound { ends(&low) } else { Vec::new() };
        self.elements.keep(low.into_iter().chain(high));
    }

    fn copy(&self) -> Self {
        Self { elements: Elements::of(&self.elements, &[]), low_ends: self.low_ends.clone() }
    }

    fn bytes(&self) -> usize {
        size_of_val(&*self.elements) + size_of_val(&*self.low_ends)
    }
}

/// Ends of the ranges after concatenation.
fn ends(ranges: &[Range<usize>]) -> Vec<u32> {
    let end = |sum: &mut usize, range: &Range<usize>| {
        *sum += range.len();
        Some(*sum as u32)
    };
    ranges.iter().scan(0, end).collect()
}

/// Bytes of an element.
pub(crate) const ELEMENT: usize = 8;

/// Words of the digest before the back part of each set.
pub(crate) const DIGEST: usize = 2;

impl Block {
    /// Range of a set among the concatenated sets.
    pub(crate) fn range(&self, index: u32) -> Range<usize> {
        let index = index as usize;
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        start as usize..self.ends[index] as usize
    }

    /// Number of elements of a set; if no sets are stored, the size in the signature.
    pub(crate) fn size(&self, index: u32) -> u32 {
        let size = self.range(index).len() as u32;
        if size == 0 && !self.signatures.is_empty() && self.elements() == 0 {
            return self.signatures.size(index);
        }
        size
    }

    /// Ranges of the two parts of a set among the elements of `sets`, the sets of this chunk.
    fn parts(&self, sets: &HeldSets, index: u32) -> (Range<usize>, Range<usize>) {
        sets.parts(index, self.range(index))
    }

    /// A set of `sets`, the sets of this chunk.
    pub(crate) fn get<'s>(&self, sets: &'s HeldSets, index: u32) -> Halves<'s> {
        let (low, high) = self.parts(sets, index);
        Halves { low: &sets.elements[low], high: &sets.elements[high] }
    }

    /// Calls `each` for both parts of a set of `sets`, the sets of this chunk.
    pub(crate) fn for_both(
        &self,
        sets: &mut HeldSets,
        index: u32,
        mut each: impl FnMut(&mut [u64]),
    ) {
        let (low, high) = self.parts(sets, index);
        each(&mut sets.elements[low]);
        each(&mut sets.elements[high]);
    }

    /// Edits the sets, in memory, of this chunk: in place, or in a copy if something else uses
    /// them. Returns the edited sets.
    pub(crate) fn edited_sets<T>(
        &self,
        mut edit: impl FnMut(&mut HeldSets) -> T,
    ) -> (Arc<HeldSets>, T) {
        if let Some(edited) = self.sets.edit_unshared(&mut edit) {
            return edited;
        }
        let mut copy = self.sets.get().map(|sets| sets.copy()).unwrap_or_default();
        let edited = edit(&mut copy);
        (Arc::new(copy), edited)
    }

    /// Bytes in memory that can be in the store instead.
    pub(crate) fn bytes(&self) -> u64 {
        self.rows.bytes() + (self.sets.bytes() + size_of_val(&*self.digests)) as u64
    }

    /// Range in the back of a set's other elements, given the bounds of its front part.
    pub(crate) fn back_range(&self, index: u32, low: &Range<usize>) -> Range<usize> {
        let range = self.range(index);
        let digests = DIGEST * (index as usize + 1);
        let start = range.start.saturating_sub(low.start) + digests;
        start..(range.end.saturating_sub(low.end) + digests).max(start)
    }

    /// Front and back of the frame. If sets are partitioned, the front has the elements up to the
    /// bound: the ends of each set, two to a word, then the elements. The back has for each set its
    /// digest and the other elements.
    pub(crate) fn write_parts(&self, sets: &HeldSets, front: &mut Vec<u64>, back: &mut Vec<u64>) {
        front.clear();
        back.clear();
        front.resize(end_words(self.ends.len()), 0);
        front.extend_from_slice(sets.low());
        for (index, digest) in self.digests.iter().enumerate() {
            let (low, high) = self.parts(sets, index as u32);
            front[index / 2] |= (low.end as u64) << (32 * (index % 2));
            back.extend([digest.0 as u64, (digest.0 >> 64) as u64]);
            back.extend_from_slice(&sets.elements[high]);
        }
    }

    /// Drops the sets that earlier chunks store, ordered by index, and refers to the earlier ones;
    /// `own` is the number of this chunk, whose sets are in memory. O(elements).
    pub(crate) fn drop_repeated(&mut self, own: ChunkId, repeated: &[Repeated]) {
        for place in self.rows.documents.iter_mut().filter_map(|row| row.set.as_mut().ok()) {
            if place.chunk == own {
                *place = match moved(place.index, repeated) {
                    Ok(index) => SetRef { chunk: own, index },
                    Err(at) => repeated[at].stored,
                };
            }
        }
        let kept: Vec<u32> =
            (0..self.ends.len() as u32).filter(|&index| moved(index, repeated).is_ok()).collect();
        self.keep_sets(&kept);
        retain(&mut self.digests, repeated);
        if !self.signatures.is_empty() {
            self.signatures = self.signatures.select(&kept);
        }
    }

    /// Keeps the sets with these ascending indices and drops the others. O(elements).
    fn keep_sets(&mut self, kept: &[u32]) {
        let ranges: Vec<Range<usize>> = kept.iter().map(|&index| self.range(index)).collect();
        if let Some(sets) = self.sets.make_mut() {
            sets.keep(kept, &ranges);
        }
        self.ends = ends(&ranges);
    }

    /// Front and back of a frame of one large set: the words before the elements, and the elements
    /// without a copy.
    pub(crate) fn large_parts<'s>(
        &self,
        sets: &'s HeldSets,
        front: &mut Vec<u64>,
        back: &mut Vec<u64>,
    ) -> Option<[&'s [u64]; 2]> {
        let ([digest], true) = (&*self.digests, self.elements() > MANY) else { return None };
        let (low, high) = self.parts(sets, 0);
        front.clear();
        front.push(low.end as u64);
        back.clear();
        back.extend([digest.0 as u64, (digest.0 >> 64) as u64]);
        Some([&sets.elements[low], &sets.elements[high]])
    }

    /// Elements of all sets together.
    pub(crate) fn elements(&self) -> usize {
        self.ends.last().map_or(0, |&end| end as usize)
    }

    /// All but the elements.
    pub(crate) fn write_head(&self, out: &mut Encoder<impl Write>) -> io::Result<()> {
        self.rows.write(out)?;
        out.array(&self.ends)?;
        out.array(&self.digests.iter().map(|digest| digest.0).collect::<Vec<_>>())?;
        self.signatures.write(out)
    }

    /// Reads a head; parts beyond the memory budget are dropped.
    pub(crate) fn read_head(from: &mut Decoder<impl Read>, most: u64) -> io::Result<Self> {
        let rows = Rows::read(from, most)?;
        let ends = from.array::<u32>(most)?;
        let digests: Vec<SetDigest> =
            from.array::<u128>(most)?.into_iter().map(SetDigest).collect();
        let signatures = SignatureBlock::read(from, most)?;
        if digests.len() != ends.len() || ends.windows(2).any(|pair| pair[0] > pair[1]) {
            return Err(io::Error::other("sets that do not fit their digests"));
        }
        Ok(Self { rows, ends, digests, signatures, ..Self::default() })
    }

    /// Frees the parts that are in the store as well.
    pub(crate) fn release(&mut self) {
        self.release_rows();
        self.sets = SharedSets::default();
    }

    /// Frees the rows and digests, which the store has as well.
    pub(crate) fn release_rows(&mut self) {
        self.rows = Rows::default();
        self.digests = Vec::new();
        self.rows_held = false;
    }
}

/// Number of words for the ends of the front parts of `sets` sets.
pub(crate) fn end_words(sets: usize) -> usize {
    sets.div_ceil(2)
}

/// Ends of the front parts of sets, as stored at the beginning of a front.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FrontEnds<'a> {
    /// From word `from` on.
    pub(crate) words: &'a [u64],
    pub(crate) from: usize,
}

impl FrontEnds<'_> {
    /// Range of the front part of a set; empty for invalid values.
    pub(crate) fn range(self, index: u32) -> Range<usize> {
        let end = |index: usize| {
            let word = (index / 2).checked_sub(self.from).and_then(|at| self.words.get(at));
            word.map_or(0, |word| (word >> (32 * (index % 2))) as u32 as usize)
        };
        let index = index as usize;
        let start = if index == 0 { 0 } else { end(index - 1) };
        start..end(index).max(start)
    }
}
