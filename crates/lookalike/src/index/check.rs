//! What is wrong with an index, if anything.

use super::open::Index;
use crate::LookalikeError;
use crate::analysis::pool;
use crate::panics::caught;
use crate::settings::thread_count;
use std::path::Path;

/// Checks an index: checksums, order and numbers of all segments, and that what the store says of
/// them is true. `deep` also makes every set from its text and compares it with the postings, and
/// decides again which documents are kept. Returns what is wrong.
///
/// Reads all files. The index may be written to at the same time: the last commit is checked.
///
/// # Errors
/// A directory without an index, an index of another version.
pub fn check_index(dir: &Path, deep: bool, threads: usize) -> Result<Vec<String>, LookalikeError> {
    let pool = pool(thread_count(threads))?;
    caught(|| {
        pool.install(|| {
            let index = Index::open(dir)?;
            let snapshot = index.snapshot()?;
            let makers = index.analysis.makers();
            Ok(snapshot.check(deep.then_some(&makers)))
        })
    })
}
