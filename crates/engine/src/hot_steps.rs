//! Two steps of [`crate::postings`] by themselves, for whoever measures them: the census of elements, and
//! the sort of keys. Nothing else uses them.

use crate::EngineError;
use crate::buckets::{Emitted, Room, UNITS_PER_TASK, emit, for_each_bucket};
use crate::census::Census;
use crate::postings::{ANYWHERE, Posting};

/// Counts the elements of some sets, in one round, and reads them all back. Returns how many are known to
/// be in one set only: nearly all that are, and no other.
///
/// # Errors
/// More elements than 32 bits can number in one bucket.
///
/// ```
/// use lookalike_core::fingerprint::finalise;
/// use lookalike_engine::hot_steps::census;
///
/// // Elements are fingerprints: whichever of their bits are looked at, they are told apart.
/// let set = |values: &[u64]| values.iter().map(|&value| finalise(value)).collect();
/// assert_eq!(census(&[set(&[1, 2, 3]), set(&[3, 4]), set(&[3, 5])])?, 4);
/// # Ok::<(), lookalike_engine::EngineError>(())
/// ```
pub fn census(sets: &[Vec<u64>]) -> Result<u64, EngineError> {
    let elements = sets.iter().map(|set| set.len() as u64).sum();
    let tasks: Vec<&[Vec<u64>]> = sets.chunks(UNITS_PER_TASK as usize).collect();
    let pass = |task, (): &mut (), give: &mut dyn FnMut(&[u64])| {
        tasks[task as usize].iter().for_each(|set| give(set));
        Ok(())
    };
    let census = Census::new(tasks.len() as u32, u64::MAX, elements, u64::MAX, pass)?;
    let mut alone = 0;
    for (task, sets) in (0u32..).zip(&tasks) {
        let mut reader = census.reader(task);
        alone += sets.iter().flatten().map(|&value| u64::from(reader.once(value))).sum::<u64>();
    }
    Ok(alone)
}

/// Writes the keys of some units down and sorts them, bucket by bucket, in memory. Returns how many keys
/// there are.
///
/// # Errors
/// None, as nothing goes to disk.
///
/// ```
/// use lookalike_engine::hot_steps::sort_keys;
///
/// assert_eq!(sort_keys(&[vec![1, 2, 3], vec![3, 4], vec![3, 5]])?, 5);
/// # Ok::<(), lookalike_engine::EngineError>(())
/// ```
pub fn sort_keys(units: &[Vec<u64>]) -> Result<u64, EngineError> {
    let room = Room { bytes: u64::MAX, folder: std::env::temp_dir() };
    let emitted = emit(units.len() as u32, &room, |unit, out| {
        for &value in &units[unit as usize] {
            out.push(value, Posting { unit, position: ANYWHERE });
        }
    })?;
    let mut keys = 0;
    let count = |[bucket]: [Vec<Emitted>; 1]| bucket.chunk_by(|a, b| a.0 == b.0).count() as u64;
    for_each_bucket([emitted], count, |count| {
        keys += count;
        Ok(())
    })?;
    Ok(keys)
}
