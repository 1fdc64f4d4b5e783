//! Repeated passages: which runs of words stand twice in a collection, and the documents without them.
//!
//! The documents are read three times. The first reading (`search`) keeps the anchors of each document;
//! a second one visits the documents that have windows to compare, and hashes those. Then all runs are
//! known, and so is what is cut. The last reading (`placing`) finds the bytes of the passages, compares the
//! words of each cut with those of its witness, and writes each record, some with another text, or the
//! places of what would be cut (`spans`). A run of `dedup` finds the anchors in its own reading
//! (`observer`), and the last reading is the one that writes what it keeps (`of_kept`).
//!
//! Memory: anchors (28 bytes each, one for 18 words at a length of 50) and all that is found of them
//! (`anchor_store`) are in memory as far as the budget goes, and spilled beyond it; they are grouped part
//! by part (`grouping`). What the budget does not bound: the runs and the cuts, the names and places of
//! the documents that have some, and the copies of a single anchor.

mod anchor_store;
mod answer;
pub mod cutting;
pub mod documents;
mod excerpts;
mod exhibits;
mod explain;
mod grouping;
mod job;
mod kept_chunks;
pub(crate) mod listing;
mod near;
mod numbers;
pub(crate) mod observer;
pub(crate) mod of_kept;
mod placing;
pub(crate) mod search;
pub mod settings;
mod spans;
pub mod stretches;
mod tables;
pub mod totals;
pub mod units;
mod whole;

pub use answer::{Passages, passages};
pub use explain::{
    ExplainedDocument, ExplainedPassage, ExplainedPassages, ExplainedSide, explain_passages,
};
pub use job::{PassagesJob, run_passages};
pub use settings::{
    NearSearch, NoPassageUnit, PassageScope, PassageSettings, PassageUnit, WhatIsCut,
    WhatIsWritten, Whole,
};
