//! Decontamination: which training documents contain which items of benchmarks, and where.
//!
//! The items are read into memory, with an index of their n-grams (`items`). The training documents
//! are read once on all threads and their n-grams looked up (`scan`); then it is decided which
//! document contains which part of which item (`matching`). A second reading (`second_reading`) finds
//! the places (`locating`) and writes each record where it belongs (`fates`), some with another text
//! (`cutting`); the texts of documents that contain nothing are not parsed again.
//!
//! A part is contained if the share of its distinct n-grams that the document has reaches the
//! threshold: of the part, whatever the length of the document. N-grams in more than a number of documents, or of
//! items, do not count. Everything is a function of the documents, the items and the settings: n-grams
//! are compared word by word, by 64-bit hashes of words as elsewhere.

mod answer;
mod fates;
mod items;
mod job;
mod locating;
mod matching;
mod portions;
mod scan;
mod search;
mod searched;
mod second_reading;
mod settings;
mod tables;

pub use answer::{Contamination, decontaminate};
pub use fates::ContaminatedDocument;
pub use job::{DecontaminateJob, run_decontaminate};
pub use portions::{CountedNgrams, Portion, PortionItems, PortionSearch, add_found};
pub use settings::{ContaminationAction, ContaminationSettings};
