//! Lexicons: document frequencies of a collection's terms in a frozen file.
//!
//! I-Match and its relatives (Chowdhury et al. 2002, section 3; Kołcz & Chowdhury 2008, section 3)
//! need document frequencies of a collection that, once counted, never change and can be used for
//! another collection. [`Builder`] counts in bounded memory and writes the file; [`Lexicon`] maps
//! it and looks terms up. The bytes of the file depend on the documents only, not on their order,
//! the number of builders or the memory; [`merge`] of the files of parts is the file of the whole.
//!
//! Why a sorted array: a minimal perfect hash would find a term in the same two memory accesses,
//! for some 3 bits per term, but could not recognise unknown terms without their fingerprints. With
//! fingerprints, which are uniform, a sorted array and a directory of leading bits ([`mod@format`])
//! does the same for 16 to 32 bits per term, is built sequentially, and is in the order that
//! merging needs.
//!
//! ```
//! use lookalike_core::fingerprint::{finalise, token};
//! use lookalike_lexicon::{Builder, Description, MemoryBudget};
//! use lookalike_methods::Statistics;
//!
//! let folder = tempfile::tempdir()?;
//! let description = Description { analysis: "words/1".into(), term_filter: "all".into() };
//! let mut builder = Builder::new(description.clone(), MemoryBudget::default(), folder.path());
//! for document in ["to be or not to be", "to do is to be"] {
//!     for word in document.split(' ') {
//!         builder.push(finalise(token(word.as_bytes())), word.as_bytes());
//!     }
//!     builder.end_document()?;
//! }
//! let lexicon = builder.finish(&folder.path().join("hamlet.lexicon"))?;
//! lexicon.expect(&description)?;
//! assert_eq!((lexicon.documents(), lexicon.len()), (2, 6));
//! assert_eq!(lexicon.frequency(finalise(token(b"be"))), 2);
//! assert_eq!(lexicon.frequency(finalise(token(b"question"))), 0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod builder;
mod check;
mod description;
mod error;
pub mod format;
mod lexicon;
mod map;
mod merge;
mod rank;
mod run;
mod staging;
mod table;
mod write;

pub use builder::{Builder, MemoryBudget};
pub use description::Description;
pub use error::LexiconError;
pub use lexicon::{Lexicon, Term, Terms};
pub use merge::merge;
pub use rank::Rank;
