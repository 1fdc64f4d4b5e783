//! Decisions: documents and matches → rules, and the tables that list them.
//!
//! The only crate that names a rule, for every producer of results: runs over files or memory, the
//! export of an index, `recluster`, `undo`, and the steps of a run over several machines.

mod rule;

pub use rule::{Identity, Rule, Verify};
