//! Web archives: WARC files (ISO 28500), with WET files as a special case.
//!
//! A WARC file is a sequence of records, each a header, a block of as many bytes as the header says,
//! and two line ends. Documents are HTML pages and plain texts of the records of type `response`,
//! `resource` and `conversion`; all other records are *skipped records*, which have a kind and are
//! counted by it. The block of a response is an HTTP message: its status is filtered
//! ([`StatusFilter`]), and its body is decoded: the chunked transfer coding, the content codings gzip,
//! deflate, br and zstd, and the charset.
//!
//! *Damage.* Crawlers record what servers send. A body that is not chunked or not compressed though its
//! header says so is read as it is, because many crawlers decode it and leave the header. A body that is
//! damaged inside of a compression is a bad record: a text is never cut off.

mod coding;
mod header;
mod http;
mod page;
mod status;
pub(crate) mod warc;

pub use status::StatusFilter;

pub(crate) use page::{Entry, Page, PageBuffers, classify, names};
