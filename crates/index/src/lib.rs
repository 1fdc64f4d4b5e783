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

mod document;
mod error;
mod question;
pub mod search;

pub use document::{DocNumber, DocumentView, SignatureView};
pub use error::IndexError;
pub use question::{Ask, Cost, Question, SetMaker};
