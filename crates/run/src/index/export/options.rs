//! How an index is exported.

use lookalike_engine::{Linkage, WitnessRule};
use lookalike_io::table::TableFormat;
use std::path::PathBuf;

/// How the tables of an index are written.
#[derive(Debug, Clone)]
pub struct ExportOptions {
    /// The directory.
    pub output: PathBuf,
    /// Replaces an earlier result.
    pub force: bool,
    /// Lists all pairs and clusters, as `cluster` does; otherwise writes the ledger, as `dedup`
    /// does.
    pub list: bool,
    /// Of documents, the kept ones alone, each with the number of those that it stands for and their
    /// sweeps: `duplicates` and `duplicates_by_source`, as [`Job::add_counts`](crate::Job::add_counts).
    pub add_counts: bool,
    /// How pairs become clusters; `None` for leaders, and for connected components with
    /// [`list`](Self::list).
    pub linkage: Option<Linkage>,
    /// Which kept match is named for a document that is not kept.
    pub witness: WitnessRule,
    /// Form of the tables.
    pub tables: TableFormat,
    /// Most pairs of documents that are listed.
    pub max_pairs: u64,
    /// Number of threads; 0 for as many as there are cores.
    pub threads: usize,
}

impl ExportOptions {
    /// The ledger, clusters and pairs, as `dedup` writes them.
    #[must_use]
    pub fn new(output: impl Into<PathBuf>) -> Self {
        Self {
            output: output.into(),
            force: false,
            list: false,
            add_counts: false,
            linkage: None,
            witness: WitnessRule::First,
            tables: TableFormat::default(),
            max_pairs: 10_000_000,
            threads: 0,
        }
    }
}
