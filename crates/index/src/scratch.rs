//! Buffers of a thread that asks.

use crate::SetMaker;
use crate::search::SearchScratch;
use crate::segment::TextReader;
use std::sync::Arc;

/// Makes a [`SetMaker`] for each thread.
pub type MakeSets = Arc<dyn Fn() -> Box<dyn SetMaker + Send> + Send + Sync>;

/// Buffers of a thread that asks, and how it makes the sets of stored texts again.
pub struct QueryScratch {
    pub(crate) search: SearchScratch,
    pub(crate) sets: SetReader,
}

/// Makes stored sets again.
pub(crate) struct SetReader {
    pub(crate) texts: TextReader,
    pub(crate) maker: Box<dyn SetMaker + Send>,
}

impl QueryScratch {
    /// Buffers for one thread.
    #[must_use]
    pub fn new(maker: Box<dyn SetMaker + Send>) -> Self {
        let sets = SetReader { texts: TextReader::default(), maker };
        Self { search: SearchScratch::default(), sets }
    }
}

impl std::fmt::Debug for QueryScratch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("QueryScratch").finish_non_exhaustive()
    }
}
