//! The transactional file of an index, its only commit point.
//!
//! `store.redb` says which segments exist, which of their documents are dead, and what else has
//! changed since the segments were written; it also has small tables of records for the caller. One
//! process writes ([`Store`]); any number of threads and processes read and follow its commits
//! ([`StoreReader`]). A commit is one durable transaction of redb, with two syncs.
//!
//! 1. [`Change`] is what one commit changes; [`State`] what all commits together say.
//! 2. `tables`: how both are laid out in redb (FORMAT.md, *Index store*).
//! 3. `delta`: what a commit changed, so that a reader need not load everything again.
//! 4. `database`: opening the file, repair, locks, errors.

mod change;
mod changed;
mod database;
mod delta;
mod load;
mod overlay;
mod reader;
mod records;
mod salvage;
mod state;
mod stop;
mod tables;
mod writer;

pub use change::{Change, Record};
pub use changed::ChangedRows;
pub use reader::StoreReader;
pub use records::{RecordRange, Records};
pub use state::{SegmentEntry, State};
pub use writer::Store;

pub(crate) use database::{lock, no_store};
pub(crate) use salvage::{StoreContents, read_store};
