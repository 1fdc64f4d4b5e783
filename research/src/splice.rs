//! Real text in, a collection of any size out: documents spliced from sentences, and
//! near-duplicates of them.
//!
//! The primary type is [`Generator`]. Chowdhury et al. 2002, section 5.2, make duplicates by
//! editing real documents at known rates; here the originals are made as well, because no real
//! collection is as large as the ones to be measured. An original is a run of sentences from here
//! and there in which every fourth word is replaced by another word of the sources, drawn as often
//! as it occurs in them: the vocabulary keeps its distribution, and two documents that happen to
//! hold the same sentence share few shingles (0.75¹⁰, 6 in 100 5-shingles, survive in both). A test
//! checks with the oracle that originals stay far below a resemblance of 0.5.
//!
//! The words of the sources are no more in a large collection than in a small one, and by chance
//! every run of five of them comes again: pairs that share something by chance grow with the square
//! of the number of documents. In real text new words never cease to appear (Heaps 1978).
//! `Options::fresh` makes some: then what documents share by chance stays as rare as it is in a
//! small collection.
//!
//! Real collections share more than that: quotations, agency reports, forms. With [`Mode::Shared`]
//! originals are made of whole sentences, each of which is in about as many originals as asked for.
//! The sentences come from a stock without end, each a function of the seed and its number, and
//! originals draw them from a window that moves on: what a document shares does not depend on the
//! size of the collection.
//!
//! Memory is the sources and a window of recent documents. The same options, seed and sources give
//! the same bytes on every machine.

mod edit;
mod generator;
mod pages;
mod render;
mod source;

pub use edit::{Case, Edit};
pub use generator::{Generator, Mode, Options};
pub use pages::{Origin, Pages};
pub use source::{SourceError, Sources};

/// A document: places of words in [`Sources`], and [`BREAK`] between paragraphs.
pub(crate) type Words = Vec<u32>;

/// Words from here on are in no source: each is made for one document, and only what is made from
/// that has it.
pub(crate) const FRESH: u32 = 1 << 31;

/// Not a word but the end of a paragraph.
pub(crate) const BREAK: u32 = u32::MAX;

/// Fewest words of a document: with fewer, two could be near-duplicates by chance.
pub(crate) const FEWEST_WORDS: usize = 20;
