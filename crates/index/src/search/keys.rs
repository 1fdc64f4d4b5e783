//! Documents that share keys of a method with a query.

use super::options::KeyMatch;
use super::postings::{InvertedIndex, LOOKUP_BLOCK};
use super::scratch::SearchScratch;
use crate::{Cost, IndexError};

/// What [`search_keys`] is asked for.
#[derive(Clone, Copy)]
pub struct KeyOptions<'a> {
    /// The least number of shared keys; 0 is the same as 1.
    pub least: u32,
    /// Whether an id may be in the answer. Called once for each that shares enough keys.
    pub accept: &'a dyn Fn(u32) -> bool,
    /// Whether to stop. Called between blocks of lists.
    pub stop: &'a dyn Fn() -> bool,
}

/// Replaces the content of `found` by the ids that share at least [`KeyOptions::least`] of these
/// keys, in ascending order, with the number of shared keys. O(entries of the lists).
///
/// The keys are distinct. They are looked up by their top bits: no id is missed, and an id may be
/// found, or counted too high, for a key that agrees in these bits only. The caller compares the
/// stored keys or sketches. Keys that are not hashes must be hashed before they are stored.
///
/// # Errors
/// [`IndexError::Interrupted`].
pub fn search_keys<I: InvertedIndex>(
    index: &I,
    keys: &[u64],
    options: KeyOptions<'_>,
    scratch: &mut SearchScratch,
    cost: &mut Cost,
    found: &mut Vec<KeyMatch>,
) -> Result<(), IndexError> {
    found.clear();
    let mut lists = Vec::with_capacity(keys.len());
    for block in keys.chunks(LOOKUP_BLOCK) {
        if (options.stop)() {
            return Err(IndexError::Interrupted);
        }
        index.prefetch(block);
        lists.extend(block.iter().map(|&key| index.lookup(key)));
    }
    let counters = &mut scratch.wide;
    let entries =
        lists.iter().map(|list| u64::from(super::postings::PostingList::len(*list))).sum();
    cost.lookups += keys.len() as u64;
    cost.entries += entries;
    counters.begin(0..index.ids(), entries);
    for block in lists.chunks(LOOKUP_BLOCK) {
        if (options.stop)() {
            counters.clear();
            return Err(IndexError::Interrupted);
        }
        block.iter().for_each(|&list| counters.count(list));
    }
    let outside = counters.outside();
    counters.mark(options.least, |id, shared| {
        let accepted = (options.accept)(id);
        if accepted {
            found.push(KeyMatch { id, shared });
        }
        accepted
    });
    counters.clear();
    if outside {
        return Err(index.damaged("a posting list names what does not exist"));
    }
    found.sort_unstable_by_key(|found| found.id);
    cost.candidates += found.len() as u64;
    Ok(())
}
