//! A living index of feature sets: exact queries at any threshold, adds, deletes and merges.
//!
//! The index stores documents with their rows, texts and feature sets. It knows no input formats,
//! analysis settings or methods: its caller makes sets and keys, and a [`SetMaker`] makes the set
//! of a stored text again. The data runs through the folders in this order:
//!
//! 1. `disk`: every write of the index, behind one trait.
//! 2. `segment`: immutable mapped files of documents that post every element, or of a [`Lean`]
//!    index the first ones.
//! 3. `search`: the stored sets that answer a [`Question`].
//! 4. `store`: the transactional file, the only commit point.

mod batch;
mod collapse;
mod copy;
mod description;
mod disk;
mod document;
mod elements_file;
mod error;
mod layout;
mod leaders;
mod lean;
mod precedence;
mod question;
mod reader;
mod salvage;
mod scratch;
pub mod search;
mod segment;
mod segment_postings;
mod snapshot;
mod store;
mod writer;

pub use batch::DocumentBatch;
pub use collapse::{Behind, Group, RankedItem, collapse};
pub use description::{Description, LeanDescription};
pub use disk::{Access, Disk, DiskFile, Lock, LockGuard, Mapped, RealDisk};
pub use document::{DocNumber, DocumentView, SignatureView};
pub use elements_file::ElementsFile;
pub use error::IndexError;
pub use layout::FORMAT;
pub use lean::Lean;
pub use precedence::{Precedence, Rank, Ranked};
pub use question::{Ask, Cost, QuerySet, Question, SetMaker};
pub use reader::IndexReader;
pub use salvage::{LostSegment, Salvage, Salvaged, check_files};
pub use scratch::{MakeSets, QueryScratch};
pub use search::Total;
pub use segment::{List, Row, Segment, StoredSignature, TextReader};
pub use snapshot::{
    Answer, AskOptions, DocAt, LiveSegment, Match, NEVER, Snapshot, Stop, StoredDocument,
};
pub use store::{
    Change, ChangedRows, Record, RecordRange, Records, SegmentEntry, State, Store, StoreReader,
};

pub use writer::{Committed, DuplicateLeftOut, IndexWriter, Staged};

/// For measurements.
#[doc(hidden)]
pub mod testing {
    pub use crate::segment::measure::{build_segment, dictionary, merge_segments};
}
