//! Readers of documents and writers of results.
//!
//! Reading has two steps, so that the second can run on every core: [`Chunks`] splits the inputs,
//! in order and on one thread, into [`Chunk`]s of whole records; [`Chunk::visit`] parses one chunk
//! into documents on any thread. Writing visits the same chunks again: [`Chunk::route`] sends every
//! record, byte for byte, where a [`Fates`] says.
//!
//! [`Chunk`]: source::Chunk
//! [`Chunk::route`]: source::Chunk::route
//! [`Chunk::visit`]: source::Chunk::visit
//! [`Chunks`]: source::Chunks

mod beside;
mod features;
mod field_texts;
mod formats;
mod guard;
pub mod input;
pub mod mail;
#[cfg(feature = "office")]
mod office;
#[cfg(not(feature = "office"))]
#[path = "no_office.rs"]
mod office;
mod partitions;
pub mod record;
pub mod sink;
pub mod source;
pub mod table;
pub mod web;

pub use beside::Beside;
pub use features::FeatureList;
pub use field_texts::{FieldTexts, NO_FIELDS};
pub use guard::quiet_decoder_panics;
pub use input::{
    Compression, CsvChar, CsvDialect, CsvQuote, DiscoverOptions, Extractor, FieldNames, Format,
    FormatOptions, InputFile, Inputs, KeepOrDrop, MailAttachments,
};
pub use lookalike_store::{StoreError, is_url, recorded_url, shown_url};
pub use partitions::Partitions;
pub use record::{
    Content, Fate, Fates, FieldNumber, Item, Mark, MarkValue, Problem, ReadFailure, RecordView,
    Replacement,
};
pub use sink::{
    DocumentsWriter, MarkKind, MarkNames, OutputError, Role, RouteOptions, Routed, Staging,
    WrittenFile, WrittenFiles,
};
pub use source::sections::SECTION_BREAK;
pub use table::{
    Cell, Column, ColumnKind, TableError, TableFormat, TableReader, TableWriter, Value,
};
