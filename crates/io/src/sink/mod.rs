//! Writers of results: kept, removed and rejected documents in the formats of their inputs.
//!
//! A result is written in three steps. [`Staging`] is the directory that appears whole or not at
//! all. [`Chunk::route`](crate::source::Chunk::route) runs on every core: it sends each record of a
//! chunk, byte for byte, where a [`Fates`](crate::Fates) says. [`DocumentsWriter`] runs on one
//! thread: it appends the routed records, chunk by chunk in input order, to the files of the
//! result.
//!
//! Compression is the largest cost, so it is parallel: the writer collects blocks of some mebibytes
//! and compresses as many at a time as there are threads. Every block becomes a gzip member, zstd
//! frame, bzip2 stream or xz stream, and their concatenation is a valid file of the format. It
//! costs less than one per cent in size, and the bytes depend on the chunks only, not on the number
//! of threads.

pub(crate) mod arrow_file;
mod attributes;
mod conflict;
mod encode;
mod error;
mod layout;
pub(crate) mod mark;
mod one_stream;
mod output;
mod pack;
pub(crate) mod parquet_file;
pub(crate) mod replace;
mod role;
mod route;
mod staging;
pub(crate) mod table_file;
mod writer;

pub use attributes::{AttributeFile, AttributeFiles};
pub use conflict::{check_file, is_same_file};
pub use error::OutputError;
pub use mark::{MarkKind, MarkNames};
pub use one_stream::OneStream;
pub use role::Role;
pub use route::{RouteOptions, Routed};
pub use staging::Staging;
pub use writer::{DocumentsWriter, WrittenFile, WrittenFiles};

pub(crate) use output::OutputFile;
