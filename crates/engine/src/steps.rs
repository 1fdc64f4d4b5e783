//! Two steps of [`crate::postings`] by themselves, for whoever measures them: the census of elements, and
//! the sort of keys. Nothing else uses them.

use crate::buckets::{SortedBuckets, UNITS_PER_TASK, emit};
use crate::census::Census;
use crate::postings::{ANYWHERE, Posting};

/// Counts the elements of some sets, in one round, and reads them all back. Returns how many are known to
/// be in one set only: nearly all that are, and no other.
///
/// ```
/// use lookalike_engine::steps::census;
///
/// // Elements are told apart by their upper halves: they are fingerprints.
/// let set = |values: &[u64]| values.iter().map(|value| value << 32).collect();
/// assert_eq!(census(&[set(&[1, 2, 3]), set(&[3, 4]), set(&[3, 5])]), 4);
/// ```
#[must_use]
pub fn census(sets: &[Vec<u64>]) -> u64 {
    let elements = sets.iter().map(|set| set.len() as u64).sum();
    let each = |unit, (): &mut (), give: &mut dyn FnMut(&[u64])| give(&sets[unit as usize]);
    let units = sets.len() as u32;
    let census = Census::new(units, UNITS_PER_TASK, u64::MAX, elements, u64::MAX, each);
    let mut alone = 0;
    for task in 0..census.tasks() {
        let mut reader = census.reader(task);
        for &value in census.units(task).flat_map(|unit| &sets[unit as usize]) {
            alone += u64::from(reader.once(value));
        }
    }
    alone
}

/// Writes the keys of some units down and sorts them, bucket by bucket. Returns how many keys there are.
///
/// ```
/// use lookalike_engine::steps::sort_keys;
///
/// assert_eq!(sort_keys(&[vec![1, 2, 3], vec![3, 4], vec![3, 5]]), 5);
/// ```
#[must_use]
pub fn sort_keys(units: &[Vec<u64>]) -> u64 {
    let emitted = emit(units.len() as u32, |unit, out, (): &mut ()| {
        for &value in &units[unit as usize] {
            out.push(value, Posting { unit, position: ANYWHERE });
        }
    });
    SortedBuckets::new(emitted)
        .map(|bucket| bucket.chunk_by(|a, b| a.0 == b.0).count() as u64)
        .sum()
}
