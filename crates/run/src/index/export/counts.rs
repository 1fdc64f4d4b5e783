//! How many documents each kept document of an index stands for.

use crate::index::open::Index;
use crate::{LookalikeError, duplicate_counts};
use lookalike_engine::Progress;
use lookalike_engine::poll::Poll;
use lookalike_index::{DocAt, NEVER, QueryScratch, Snapshot};
use rayon::prelude::*;
use std::collections::{BTreeMap, HashMap};

/// The documents that are not kept, by the kept one that each is found with first.
pub(super) struct Counts {
    /// By kept document and sweep.
    of_kept: HashMap<DocAt, BTreeMap<String, u64>>,
}

impl Counts {
    /// Finds the witness of each of these documents that is not kept, on the rayon pool that this is
    /// called in: one search for each.
    ///
    /// # Errors
    /// Files that cannot be read; a cancellation.
    pub(super) fn new(
        index: &Index,
        snapshot: &Snapshot,
        documents: &[DocAt],
        progress: &dyn Progress,
    ) -> Result<Self, LookalikeError> {
        let names = index.sweep_names()?;
        let makers = index.analysis.makers();
        progress.phase("counting", None);
        let witness = |scratch: &mut QueryScratch, &at: &DocAt| -> Result<_, LookalikeError> {
            Poll::new(progress).now()?;
            Ok(snapshot
                .witness(at, NEVER, scratch)?
                .map(|kept| (kept, snapshot.document(at).sweep())))
        };
        let found: Vec<Option<(DocAt, u32)>> = documents
            .par_iter()
            .map_init(|| QueryScratch::new(makers()), witness)
            .collect::<Result<_, LookalikeError>>()?;
        let mut of_kept: HashMap<DocAt, BTreeMap<String, u64>> = HashMap::new();
        for (kept, sweep) in found.into_iter().flatten() {
            let name = names.get(&sweep).cloned().unwrap_or_default();
            *of_kept.entry(kept).or_default().entry(name).or_default() += 1;
        }
        Ok(Self { of_kept })
    }

    /// The number of documents for which one stands, and by sweep as a JSON object: `""` for those of
    /// none.
    pub(super) fn of(&self, kept: DocAt) -> (u64, String) {
        let by_sweep = self.of_kept.get(&kept).into_iter().flatten();
        duplicate_counts::values(by_sweep.map(|(name, &count)| (name.clone(), count)))
    }
}
