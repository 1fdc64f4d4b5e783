//! Options of reading a collection.

use super::TokenObserver;
use crate::site::SiteRule;
use lookalike_cluster::KeepRule;
use lookalike_io::RecordView;
use std::path::PathBuf;

/// Whether a document is taken into a collection.
pub type Takes<'a> = &'a (dyn Fn(&RecordView<'_>) -> bool + Sync);

/// Options of reading a collection.
#[derive(Debug, Clone)]
pub struct IngestOptions<'o> {
    /// Number of worker threads.
    pub threads: usize,
    /// Stop at the first bad record.
    pub strict: bool,
    /// Skip what cannot be read of an input instead of failing.
    pub skip_unreadable: bool,
    /// Keep rules, whose values are collected.
    pub keep: Vec<KeepRule>,
    /// The first protected file; the number of files if there is none.
    pub first_protected_file: u32,
    /// Memory budget of rows and feature sets, in bytes.
    pub memory: u64,
    /// Folder for the spill file.
    pub scratch: PathBuf,
    /// A named spill file that holds every chunk, so that a run can be resumed; chunks of an
    /// interrupted run in it are restored.
    pub kept: Option<PathBuf>,
    /// Bytes of input in flight; larger records are processed one at a time.
    pub in_flight: u64,
    /// Return freed memory to the system while the collection is joined, and set the thresholds of
    /// the allocator accordingly (glibc). Both hold for the whole process, so only a program that
    /// is a process of its own sets this.
    pub trim_heap: bool,
    /// Memory for the index of token sequences, in bytes (approximate): with less, more sets are
    /// stored twice.
    pub sequences: u64,
    /// Collect the site of each document by this rule. Checkpoints do not hold it.
    pub sites: Option<SiteRule>,
    /// Gets the tokens of the documents.
    pub observer: Option<&'o dyn TokenObserver>,
}

impl IngestOptions<'_> {
    /// Everything in memory, no protected files, bad records counted.
    #[must_use]
    pub fn in_memory(threads: usize) -> Self {
        Self {
            threads,
            strict: false,
            skip_unreadable: false,
            keep: Vec::new(),
            first_protected_file: u32::MAX,
            memory: u64::MAX,
            scratch: PathBuf::new(),
            kept: None,
            in_flight: u64::MAX,
            trim_heap: false,
            sequences: u64::MAX,
            sites: None,
            observer: None,
        }
    }
}
