//! What the next commit will change.

use crate::DocNumber;
use crate::disk::DiskFile;
use crate::leaders::Standing;
use crate::segment::{Built, Segment};
use crate::store::Record;
use roaring::RoaringBitmap;
use std::collections::{BTreeMap, HashMap};
use std::io::BufWriter;
use std::sync::Arc;

/// What the next commit will change.
#[derive(Default)]
pub(super) struct Pending {
    pub(super) segments: Vec<StagedSegment>,
    /// Deleted and replaced documents, by segment.
    pub(super) dead: BTreeMap<u64, RoaringBitmap>,
    pub(super) records: Vec<Record>,
    /// What was decided about staged documents, each group as if there were no others. Documents of
    /// another index are not here.
    pub(super) decided: HashMap<DocNumber, Standing<DocNumber>>,
    /// Groups of documents that were staged.
    pub(super) groups: u32,
    pub(super) next_number: u32,
    pub(super) next_segment: u64,
    pub(super) added: u64,
    pub(super) updated: u64,
    pub(super) deleted: u64,
}

/// A segment file without its states.
pub(super) struct StagedSegment {
    pub(super) id: u64,
    pub(super) built: Built,
    pub(super) segment: Arc<Segment>,
    pub(super) file: BufWriter<Box<dyn DiskFile>>,
}

impl Pending {
    pub(super) fn at(next_number: u32, next_segment: u64) -> Self {
        Self { next_number, next_segment, ..Self::default() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.segments.is_empty() && self.dead.is_empty() && self.records.is_empty()
    }
}
