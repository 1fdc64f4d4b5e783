//! Decisions: documents and matches → rules, and the tables that list them.
//!
//! The only crate that names a rule, a column of a result or a digest, for every producer of
//! results: runs over files or memory, the export of an index, `recluster`, `undo`, and the steps
//! of a run over several machines. A column is an item of its table's [`Layout`] in [`tables`]:
//! writers, readers, digests and the page of tables follow from it.

mod column;
mod contamination;
mod digest;
pub mod name;
mod passages;
mod read;
mod read_passages;
mod represented;
mod rule;
mod run_changes;
mod table;
pub mod tables;

pub use column::{Cells, Item, Layout, Measures, TableRow, Written};
pub use contamination::{
    BENCHMARKS, BenchmarkPart, BenchmarkRow, CONTAMINATION, Contaminated, ITEMS, SPANS, Span,
};
pub use digest::{TableDigest, row_hash, run_digest};
pub use name::DocumentName;
pub use passages::{
    CUTS, CutPassage, EDITS, Edit, NEAR, NearStretches, PASSAGES, Passage, PassagePlace,
};
pub use read::{DifferenceColumns, ReadDifference, ReadMember, ReadRemoval};
pub use read_passages::ReadPassage;
pub use represented::{Represented, RepresentedCells};
pub use rule::{Identity, Rule, Verify};
pub use run_changes::{CHANGED, Changed, ChangedRemoval, REGROUPED, Regrouped};
pub use table::{Table, TableFailure};
pub use tables::{
    CLUSTERS, Compared, DOCUMENTS, DifferenceCells, DocumentRow, LEDGER, Listed, Member,
    NEAR_MISSES, PAIRS, PROBLEMS, interval,
};
