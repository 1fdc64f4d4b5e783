//! Input files: discovery from arguments, in a deterministic order.
//!
//! [`Inputs::discover`] finds the files; [`Inputs::chunks`](crate::Inputs::chunks) reads them.
//! Files are listed and checked before anything is read, so that the order of arguments does not
//! matter and mistakes are reported before hours of work.

mod archive;
mod archive_bytes;
pub(crate) mod compression;
mod csv_dialect;
mod discover;
mod earlier_result;
mod error;
mod extract;
mod fields;
mod files;
mod foreign;
pub(crate) mod format;
mod format_options;
mod left_out;
mod left_out_reason;
mod maildir;
pub mod name;
mod pattern;
mod remote;
mod skipped;
mod spool;
mod tally;

pub use compression::Compression;
pub use csv_dialect::{CsvChar, CsvDialect, CsvQuote};
pub use error::InputError;
pub use extract::Extractor;
pub use fields::FieldNames;
pub use files::{DiscoverOptions, InputFile, Inputs};
pub use foreign::why_skipped;
pub use format::Format;
pub use format_options::*;
pub use left_out_reason::{LeftOut, LeftOutReason};
pub use skipped::skipped_kind;
pub use tally::ArgumentFiles;

pub(crate) use discover::real as real_path;
pub(crate) use earlier_result::MARKS_OF_A_RESULT;
pub use earlier_result::is_result;
