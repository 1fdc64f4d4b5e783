//! A living index of feature sets: exact queries at any threshold, adds, deletes and merges.
//!
//! The index stores documents with their rows, texts and feature sets. It knows no input formats,
//! analysis settings or methods: its caller makes sets and keys, and a [`SetMaker`] makes the set
//! of a stored text again. The data runs through the folders in this order:
//!
//! 1. `disk`: every write of the index, behind one trait.
//! 2. `segment`: immutable mapped files of documents that post every element.
//! 3. `search`: the stored sets that answer a [`Question`].
//! 4. `store`: the transactional file, the only commit point.

mod batch;
mod collapse;
mod description;
mod disk;
mod document;
mod error;
mod leaders;
mod precedence;
mod question;
mod store;

pub use batch::DocumentBatch;
pub use collapse::{Behind, Group, RankedItem, collapse};
pub use description::{Description, FORMAT};
pub use disk::{Access, Disk, DiskFile, Lock, LockGuard, Mapped, RealDisk};
pub use document::{DocNumber, DocumentView, SignatureView};
pub use error::IndexError;
pub use precedence::{Precedence, Rank, Ranked};
pub use question::{Ask, Cost, Question, SetMaker};
pub use store::{
    Change, ChangedRows, Record, RecordRange, Records, SegmentEntry, State, Store, StoreReader,
};

/// Disks for tests of this crate and of its callers.
#[doc(hidden)]
pub mod testing {
    pub use crate::disk::failing::{FailingDisk, Moment};
}
