//! The living index: documents that can be asked about, added, updated and deleted.

mod against;
mod ask;
mod asking;
mod changes;
mod check;
mod common;
mod copy;
mod copy_dir;
mod delete;
mod document;
pub mod edit;
mod expiry;
mod export;
pub mod extra;
pub mod filter;
mod filter_rule;
mod ignored_file;
pub mod lines;
pub mod open;
pub mod passage_keys;
mod passages;
pub mod prepare;
pub mod query;
mod question_lines;
mod questions;
mod repair;
pub mod reports;
mod review;
mod settings;
mod stats;
mod stream;
pub mod sweeps;
mod values;

pub(crate) use against::{
    append_all, append_matched, files, indexes, is_index, matched_records, no_resume, texts_of,
};
pub use ask::{Asked, AskedAll, ReadOptions};
pub use changes::{Applied, ApplyOptions, ChangeOutcome, DuplicateOf, IndexChange, Put};
pub use check::check_index;
pub use copy::{Copied, copy_index};
pub use delete::{DeleteWhat, FoundDocuments};
pub use document::{ClusterMember, IndexedCluster, IndexedDocument};
pub use edit::{AddOptions, AddSeconds, Added, IndexWriter};
pub use export::{ExportOptions, export_answer, export_documents, export_tables, write_documents};
pub use filter::Filter;
pub use filter_rule::FilterRule;
pub use open::Index;
pub use passages::{PassageAnswer, PassageInCommon, PassageMatch, PassageQuery};
pub use query::{Query, QueryAnswer, QueryMatch, QuerySubject, Wanted};
pub use question_lines::AnsweredLine;
pub use questions::{AnyAnswer, AnyQuery, Question, Reply};
pub use repair::{Repaired, repair_index};
pub use review::{ReviewOptions, ReviewPair, ReviewSample};
pub use settings::IndexSettings;
pub use stats::{IgnoredStats, IndexStats, SegmentStats};
pub use sweeps::SweepStats;
