//! The methods of the papers: from a document's tokens to its keys and its sketch.
//!
//! A [`Method`] signs one document at a time, independent of the rest of the collection: the
//! document frequencies that it needs are frozen ([`Statistics`]). Documents with a common key are
//! candidates, which are verified by comparing their sketches. Hence the result is the same in any
//! order, on any number of threads and in any engine.
//!
//! Methods are named in text, `name:parameter=value,…` ([`MethodSpec`]), and built by [`build`].
//! Each is one file and one entry of [`methods`].

mod about;
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

pub use about::{About, Build, NeedsStatistics, Parameter};
pub use method::{
    Agreement, CandidateSource, Document, Evidence, Field, FieldUse, Marks, Method, MethodScratch,
    Number, Signature, Sketch, Unsigned,
};
pub use registry::{build, methods};
pub use spec::{MethodSpec, Params, SpecError};
pub use statistics::Statistics;
