//! A document's tokens in; the keys it is found by and its sketch out: every method of the papers.
//!
//! A [`Method`] signs one document at a time and never learns what else is in the collection: what
//! it has to know of a collection (document frequencies) comes frozen, as [`Statistics`]. Two
//! documents are candidates when they have a key in common, and their sketches say by how much they
//! agree. From this alone follow the same answer in any order, on any number of threads and on any
//! engine.
//!
//! Methods are named in text, `name:parameter=value,…` ([`MethodSpec`]), and built by [`build`].
//! Each lives in one file that ends up as one line of what [`methods`] lists.

pub mod broder;
pub mod hamming;
pub mod imatch;
mod method;
pub mod minhash;
mod registry;
pub mod simhash;
mod spec;
mod statistics;
pub mod syntactic;

pub use method::{
    CandidateSource, Document, Evidence, Field, Marks, Method, MethodScratch, Signature, Sketch,
    Unsigned,
};
pub use registry::{About, Build, NeedsStatistics, Parameter, build, methods};
pub use spec::{MethodSpec, Params, SpecError};
pub use statistics::Statistics;
