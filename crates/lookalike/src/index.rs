//! The living index: documents that can be asked about, added, updated and deleted.

mod check;
mod delete;
mod edit;
mod export;
mod filter;
mod open;
mod prepare;
mod query;
mod settings;
mod signatures;
mod stats;
mod stream;
mod sweeps;

pub use check::check_index;
pub use delete::{DeleteWhat, FoundDocuments};
pub use edit::{AddOptions, Added, IndexWriter};
pub use export::{ExportOptions, export_documents, export_tables};
pub use filter::Filter;
pub use open::{Index, read_document};
pub use query::{Query, QueryAnswer, QueryMatch, QuerySubject, Wanted};
pub use settings::IndexSettings;
pub use stats::{IndexStats, SegmentStats};
