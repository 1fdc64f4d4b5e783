//! Sets in two arrays, as an Arrow list array stores them.

use super::{HighElements, Part, SetScan, SetSource, SortedSets, SourceError};
use crate::{ChunkId, SetId, TaskId};
use lookalike_core::{Halves, SparseIndex, SpreadSort, overlap_at_least};
use rayon::prelude::*;

/// Sets in memory, in one [array](InMemorySets::new) or each in [its own](InMemorySets::of_slices).
///
/// Borrows the arrays. Sets that are not ascending are copied when they are compared. A set with
/// an element twice is an error when it is compared.
#[derive(Debug, Clone, Copy)]
pub struct InMemorySets<A> {
    arrays: A,
}

/// Arrays that hold sets, by number.
pub trait SetArrays: Copy + Sync {
    /// Number of sets.
    fn count(self) -> usize;
    /// The elements of a set.
    fn get(&self, set: usize) -> &[u64];
    /// [`SetSource::may_match`].
    fn may_match(&self, a: usize, b: usize) -> bool {
        let _ = (a, b);
        true
    }
}

/// Sets that lie anywhere in memory, each with a value: those of one value do not match.
#[derive(Debug, Clone, Copy)]
pub struct ValuedSets<'a> {
    sets: &'a [&'a [u64]],
    values: &'a [u64],
}

impl SetArrays for ValuedSets<'_> {
    fn count(self) -> usize {
        self.sets.len()
    }

    #[inline]
    fn get(&self, set: usize) -> &[u64] {
        self.sets[set]
    }

    #[inline]
    fn may_match(&self, a: usize, b: usize) -> bool {
        self.values.is_empty() || self.values[a] != self.values[b]
    }
}

impl SetArrays for &[&[u64]] {
    fn count(self) -> usize {
        self.len()
    }

    #[inline]
    fn get(&self, set: usize) -> &[u64] {
        self[set]
    }
}

/// One array of elements: set *n* has those from `offsets[n]` to `offsets[n + 1]`.
#[derive(Debug, Clone, Copy)]
pub struct OffsetArrays<'a, O> {
    offsets: &'a [O],
    elements: &'a [u64],
}

impl<O: Copy + TryInto<usize> + Sync> SetArrays for OffsetArrays<'_, O> {
    fn count(self) -> usize {
        self.offsets.len() - 1
    }

    #[inline]
    fn get(&self, set: usize) -> &[u64] {
        // All offsets were converted once.
        let offset = |at: usize| self.offsets[at].try_into().unwrap_or_default();
        &self.elements[offset(set)..offset(set + 1)]
    }
}

/// Most sets, and most elements of a set.
const MOST: usize = u32::MAX as usize - 1;

/// Arrays that are no sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidSets {
    /// Offsets must begin, increase, and end within the elements.
    #[error(
        "offset {0} of the sets is missing, smaller than the one before, or beyond the {1} elements"
    )]
    Offset(usize, usize),
    /// More sets, or more elements of one set, than 32 bits can number.
    #[error("{0} {1} are more than one join can number, 4294967294; split the collection")]
    TooMany(usize, &'static str),
}

/// Sets in a chunk.
const IN_CHUNK: u32 = 1 << 12;

/// Index of a set among those of its chunk.
fn place_in_chunk(set: SetId) -> usize {
    (set.0 % IN_CHUNK) as usize
}

impl<'a, O: Copy + TryInto<usize> + Sync> InMemorySets<OffsetArrays<'a, O>> {
    /// Sets from one more offset than sets, and the elements of all sets. O(sets).
    ///
    /// # Errors
    /// Offsets that are not ascending or lie outside the elements; too many sets or elements.
    pub fn new(offsets: &'a [O], elements: &'a [u64]) -> Result<Self, InvalidSets> {
        let invalid = |at| InvalidSets::Offset(at, elements.len());
        if offsets.len().saturating_sub(1) > MOST {
            return Err(InvalidSets::TooMany(offsets.len() - 1, "sets"));
        }
        let offset = |at: usize| {
            let offset: Option<usize> = offsets.get(at).and_then(|&offset| offset.try_into().ok());
            offset.filter(|&offset| offset <= elements.len()).ok_or(invalid(at))
        };
        let mut before = offset(0)?;
        for at in 1..offsets.len() {
            let end = offset(at)?;
            let size = end.checked_sub(before).ok_or(invalid(at))?;
            if size > MOST {
                return Err(InvalidSets::TooMany(size, "elements of one set"));
            }
            before = end;
        }
        Ok(Self { arrays: OffsetArrays { offsets, elements } })
    }
}

impl<'a> InMemorySets<&'a [&'a [u64]]> {
    /// Sets that lie anywhere in memory. O(sets).
    ///
    /// # Errors
    /// Too many sets or elements.
    pub fn of_slices(sets: &'a [&'a [u64]]) -> Result<Self, InvalidSets> {
        if sets.len() > MOST {
            return Err(InvalidSets::TooMany(sets.len(), "sets"));
        }
        match sets.iter().find(|set| set.len() > MOST) {
            Some(set) => Err(InvalidSets::TooMany(set.len(), "elements of one set")),
            None => Ok(Self { arrays: sets }),
        }
    }
}

impl<'a> InMemorySets<ValuedSets<'a>> {
    /// As [`InMemorySets::of_slices`], where sets of the same value do not match: a value for each set, or
    /// no values if all sets may match.
    /// O(sets).
    ///
    /// # Errors
    /// Too many sets or elements.
    pub fn of_values(sets: &'a [&'a [u64]], values: &'a [u64]) -> Result<Self, InvalidSets> {
        debug_assert!(values.is_empty() || values.len() == sets.len());
        InMemorySets::of_slices(sets)?;
        Ok(Self { arrays: ValuedSets { sets, values } })
    }
}

impl<A: SetArrays> InMemorySets<A> {
    /// The elements of a set.
    #[must_use]
    pub fn get(&self, set: SetId) -> &[u64] {
        self.arrays.get(set.index())
    }

    /// The sets of a chunk.
    fn chunk(&self, chunk: ChunkId) -> impl ExactSizeIterator<Item = SetId> + use<A> {
        let start = chunk.0 * IN_CHUNK;
        (start..self.len().min(start.saturating_add(IN_CHUNK))).map(SetId)
    }
}

impl<A: SetArrays> SetSource for InMemorySets<A> {
    type Scan<'a>
        = Self
    where
        Self: 'a;
    type Sorted<'a>
        = InMemorySorted<'a, A>
    where
        Self: 'a;

    fn len(&self) -> u32 {
        self.arrays.count() as u32
    }

    #[inline]
    fn size(&self, set: SetId) -> u32 {
        self.get(set).len() as u32
    }

    #[inline]
    fn may_match(&self, a: SetId, b: SetId) -> bool {
        self.arrays.may_match(a.index(), b.index())
    }

    fn chunks(&self) -> u32 {
        self.len().div_ceil(IN_CHUNK)
    }

    fn chunk_of(&self, set: SetId) -> ChunkId {
        ChunkId(set.0 / IN_CHUNK)
    }

    fn scan(&self) -> Self {
        *self
    }

    fn sorted<S: Send>(
        &self,
        wanted: &SparseIndex,
        _limit: u64,
        states: Vec<S>,
        visit: impl Fn(&mut S, SetId, Halves<'_>) -> Result<(), SourceError> + Sync,
        done: impl FnMut(S),
    ) -> Result<InMemorySorted<'_, A>, SourceError> {
        let each = |sort: &mut SpreadSort, (chunk, mut state): (ChunkId, S)| {
            let sets = || self.chunk(chunk).filter(|set| wanted.place(set.0).is_some());
            let mut copies = Copies::default();
            if sets().any(|set| !self.get(set).is_sorted()) {
                let sizes = sets().map(|set| self.get(set).len());
                copies.elements.reserve_exact(sizes.sum());
                copies.starts.resize(self.chunk(chunk).len(), 0);
            }
            for set in sets() {
                let mut elements = self.get(set);
                if !copies.starts.is_empty() {
                    let start = copies.elements.len();
                    copies.starts[place_in_chunk(set)] = start;
                    copies.elements.extend_from_slice(elements);
                    sort.sort(&mut copies.elements[start..]);
                    elements = &copies.elements[start..];
                }
                if let Some(twice) = elements.windows(2).find(|pair| pair[0] == pair[1]) {
                    return Err(format!("set {set} has the element {} twice", twice[0]).into());
                }
                visit(&mut state, set, Halves::whole(elements))?;
            }
            Ok((copies, state))
        };
        let chunks = (0..self.chunks()).into_par_iter().map(ChunkId).zip(states).with_max_len(1);
        let chunks: Vec<_> =
            chunks.map_init(SpreadSort::default, each).collect::<Result<_, SourceError>>()?;
        let (copies, states): (Vec<Copies>, Vec<S>) = chunks.into_iter().unzip();
        states.into_iter().for_each(done);
        Ok(InMemorySorted { sets: self, copies })
    }
}

/// One task for each chunk.
impl<A: SetArrays> SetScan for InMemorySets<A> {
    fn bound(&self) -> Option<u64> {
        None
    }

    fn tasks(&self) -> u32 {
        self.chunks()
    }

    fn elements(&self, task: TaskId) -> usize {
        self.chunk(ChunkId(task.0)).map(|set| self.get(set).len()).sum()
    }

    fn is_large(&self, _task: TaskId) -> bool {
        false
    }

    fn visit(
        &self,
        task: TaskId,
        _part: Part,
        mut visit: impl FnMut(SetId, &[u64], &mut dyn HighElements) -> Result<(), SourceError>,
    ) -> Result<(), SourceError> {
        self.chunk(ChunkId(task.0)).try_for_each(|set| visit(set, &[], &mut self.get(set)))
    }

    fn visit_low(&self, _task: TaskId, _visit: impl FnMut(&[u64])) -> Result<(), SourceError> {
        Ok(())
    }

    fn visit_some(
        &self,
        task: TaskId,
        wanted: impl Fn(SetId) -> bool,
        mut visit: impl FnMut(&[u64]),
    ) -> Result<(), SourceError> {
        self.chunk(ChunkId(task.0)).filter(|&set| wanted(set)).for_each(|set| visit(self.get(set)));
        Ok(())
    }
}

/// Sorted sets: those of the source, or copies in chunks where one is not ascending.
#[derive(Debug)]
pub struct InMemorySorted<'a, A> {
    sets: &'a InMemorySets<A>,
    copies: Vec<Copies>,
}

/// Sorted copies of the wanted sets of a chunk.
#[derive(Debug, Default)]
struct Copies {
    /// Where each set starts; empty where nothing is copied.
    starts: Vec<usize>,
    elements: Vec<u64>,
}

impl<A: SetArrays> InMemorySorted<'_, A> {
    fn get(&self, set: SetId) -> &[u64] {
        let copies = &self.copies[self.sets.chunk_of(set).index()];
        match copies.starts.get(place_in_chunk(set)) {
            Some(&start) => &copies.elements[start..start + self.sets.get(set).len()],
            None => self.sets.get(set),
        }
    }
}

impl<A: SetArrays> SortedSets for InMemorySorted<'_, A> {
    fn overlap_at_least(
        &self,
        a: SetId,
        b: SetId,
        needed: u32,
    ) -> Result<Option<u32>, SourceError> {
        Ok(overlap_at_least(self.get(a), self.get(b), needed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_that_are_no_sets_are_errors() {
        let elements = [7, 8, 9];
        assert_eq!(InMemorySets::new(&[0i32, 2, 2, 3], &elements).unwrap().get(SetId(2)), [9]);
        assert!(InMemorySets::new(&[1u32], &elements).unwrap().is_empty());
        for (offsets, at) in
            [(&[][..], 0), (&[-1], 0), (&[0, -1], 1), (&[0, 2, 1], 2), (&[0, 3, 4], 2)]
        {
            let error = InMemorySets::new(offsets, &elements).unwrap_err();
            assert_eq!(error, InvalidSets::Offset(at, 3), "{offsets:?}");
        }
    }
}
