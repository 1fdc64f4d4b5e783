//! Finds verified pairs, clusters and survivors of documents.
//!
//! The steps in the order in which the data runs through them:
//!
//! 1. [`mod@ingest`]: every core parses, tokenises and fingerprints; the result is one
//!    [`Collection`], the same for any number of threads.
//! 2. [`units`]: documents with the same feature set become one *unit*; units are put in order of
//!    precedence.
//! 3. [`lookalike_join`] finds the matches and which units are kept, from the sets only. A method
//!    of the papers replaces the prefix keys by its own keys, and may verify candidates by its
//!    sketches.
//! 4. [`matching`] runs the join with its checkpoints; [`verdict`] decides about every document.

pub mod across;
pub mod approach;
mod block;
pub mod boilerplate;
pub mod checkpoints;
mod chunk_sets;
pub mod collection;
mod common_elements;
mod date;
pub mod differences;
pub mod distinctions;
mod document_sets;
mod elements;
pub mod error;
pub mod files;
mod heap;
pub mod ingest;
mod join_source;
mod keep_values;
pub mod limits;
pub mod matching;
pub mod memory_model;
mod near_words;
pub mod original;
mod passes;
pub mod pipeline;
pub mod poll;
pub mod problems;
pub mod reason_codes;
pub mod settings;
mod signature_index;
pub mod signatures;
pub mod signer;
pub mod site;
mod sketch_verifier;
mod sorted_sets;
pub mod stages;
pub mod store;
mod stored_sets;
pub mod templates;
pub mod try_sort;
mod uncompared;
mod unit_sets;
pub mod units;
pub mod verdict;
pub mod word_loss;

pub use across::Across;
pub use approach::Approach;
pub use checkpoints::Checkpoints;
pub use collection::{Collection, Document, DocumentId, DocumentRange, ReplacedDocuments};
pub use common_elements::common_elements;
pub use date::{seconds as date_seconds, written as written_date};
pub use differences::{
    DifferenceKind, DifferenceKinds, DifferenceProfile, DifferenceReader, DocumentParts,
};
pub use distinctions::{Described, Distinction, Distinctions};
pub use error::EngineError;
pub use ingest::{
    ChunkObserver, IngestOptions, Takes, TokenObserver, ingest, ingest_chunks, ingest_files,
    ingest_some,
};
pub use keep_values::{Valueless, keep_value};
pub use lookalike_decide::Verify;
pub use lookalike_join::{
    CandidateSearch, ChunkId, Edge, Linkage, PairList, Progress, SetId, Silent, WitnessRule,
    WitnessSearch, is_contained,
};
pub use matching::{MatchOptions, Matches, find, find_from};
pub use memory_model::{MemoryLimits, MemoryModel, MemoryUse};
pub use problems::Problems;
pub use settings::{MatchSettings, MinFeatures};
pub use signatures::SignatureBlock;
pub use signer::{Signer, SignerScratch, TextSet};
pub use sketch_verifier::SketchVerifier;
pub use stages::{Decided, Ingested, JoinPlan, Joined};
pub use store::ChunkStore;
pub use templates::Templates;
pub use unit_sets::UnitSets;
pub use units::Units;
pub use verdict::{MatchResult, Removal, Verdicts};
pub use word_loss::{MaxLost, WordLoss};
