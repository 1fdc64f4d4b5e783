//! The living index: documents that can be asked about, added, updated and deleted.

mod against;
mod ask;
mod asking;
mod check;
mod common;
mod delete;
mod document;
mod edit;
mod export;
mod extra;
mod filter;
mod lines;
mod message_filter;
mod open;
mod prepare;
mod query;
mod repair;
mod settings;
mod stats;
mod stream;
mod sweeps;

pub(crate) use against::{append_matched, is_index, matched_records};
pub use ask::{Asked, AskedAll};
pub use check::check_index;
pub use delete::{DeleteWhat, FoundDocuments};
pub use edit::{AddOptions, AddSeconds, Added, IndexWriter};
pub use export::{ExportOptions, export_answer, export_documents, export_tables, write_documents};
pub use filter::Filter;
pub use message_filter::{
    FilterOptions, FilterRule, Filtered, MatchRule, MatchedPrototype, MessageFilter, Prototype,
    ReadOptions, Report, ReportCounts, ReportOptions, Reported, ReportsDone, SharedText, Verdict,
    VerdictKind, mail_record,
};
pub use open::Index;
pub use query::{Query, QueryAnswer, QueryMatch, QuerySubject, Wanted};
pub use repair::{Repaired, repair_index};
pub use settings::IndexSettings;
pub use stats::{IndexStats, SegmentStats};
pub use sweeps::{
    Change, DiffOptions, Holder, PageChange, PageVersion, Revisit, SiteVersion, SweepDiff,
    SweepStats,
};
