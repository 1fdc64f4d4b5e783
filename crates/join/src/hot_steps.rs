//! Two steps of the index by themselves, for measurements: singleton counting, and the sort of
//! keys.

use crate::index::key_buckets::{SETS_PER_TASK, emit, for_each_bucket};
use crate::index::singletons::Singletons;
use crate::index::{Entry, Key, UNKNOWN};
use crate::{JoinError, Silent, SpillBudget, TaskId};

/// Finds the singletons of some sets, in one round. Returns their number: nearly all that there
/// are.
///
/// # Errors
/// More elements than 32 bits can number in one bucket.
///
/// ```
/// use lookalike_core::fingerprint::finalise;
/// use lookalike_join::hot_steps::singletons;
///
/// // Elements are fingerprints, which differ in any of their bits.
/// let set = |values: &[u64]| values.iter().map(|&value| finalise(value)).collect();
/// assert_eq!(singletons(&[set(&[1, 2, 3]), set(&[3, 4]), set(&[3, 5])])?, 4);
/// # Ok::<(), lookalike_join::JoinError>(())
/// ```
pub fn singletons(sets: &[Vec<u64>]) -> Result<u64, JoinError> {
    let elements = sets.iter().map(|set| set.len() as u64).sum();
    let tasks: Vec<&[Vec<u64>]> = sets.chunks(SETS_PER_TASK as usize).collect();
    let scan = |task: TaskId, (): &mut (), give: &mut dyn FnMut(&[u64])| {
        tasks[task.index()].iter().for_each(|set| give(set));
        Ok(())
    };
    let (tasks_of_sets, bound, memory) = (tasks.len() as u32, u64::MAX, u64::MAX);
    let singletons = Singletons::new(tasks_of_sets, bound, elements, memory, &Silent, scan)?;
    let mut found = 0;
    for (task, sets) in (0..).map(TaskId).zip(&tasks) {
        let mut reader = singletons.reader(task);
        let each = |&value| u64::from(reader.is_singleton(value));
        found += sets.iter().flatten().map(each).sum::<u64>();
    }
    Ok(found)
}

/// Emits the keys of some sets and sorts them, bucket by bucket, in memory. Returns the number of
/// distinct keys.
///
/// # Errors
/// None, as nothing is spilled.
///
/// ```
/// use lookalike_join::hot_steps::sort_keys;
///
/// assert_eq!(sort_keys(&[vec![1, 2, 3], vec![3, 4], vec![3, 5]])?, 5);
/// # Ok::<(), lookalike_join::JoinError>(())
/// ```
pub fn sort_keys(sets: &[Vec<u64>]) -> Result<u64, JoinError> {
    let budget = SpillBudget::unlimited();
    let emitted = emit(sets.len() as u32, &budget, &Silent, |set, out| {
        for &value in &sets[set.index()] {
            out.push(value, Entry { set, position: UNKNOWN });
        }
    })?;
    let mut keys = 0;
    let count = |[bucket]: [Vec<Key>; 1]| bucket.chunk_by(|a, b| a.0 == b.0).count() as u64;
    for_each_bucket([emitted], &Silent, count, |count| {
        keys += count;
        Ok(())
    })?;
    Ok(keys)
}
