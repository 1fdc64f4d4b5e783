//! Documents in; verified pairs, clusters and survivors out.
//!
//! The steps in the order in which the data runs through them:
//!
//! 1. [`mod@ingest`]: every core parses, tokenises and fingerprints; one [`Collection`] comes out, the
//!    same whatever the number of threads.
//! 2. [`units`]: documents with the same feature set become one *unit*; units are put in order of
//!    precedence.
//! 3. [`postings`]: document frequencies counted, prefixes chosen, keys sorted: which units might match.
//! 4. [`pairs`] (every pair that reaches the threshold), `leaders` (leader clustering: kept units chosen
//!    greedily, and for each removed one its witness, by a [`WitnessRule`]) or `links` (components
//!    without listing the pairs): each verifies its
//!    candidates exactly, on whole feature sets.
//! 5. [`matching`] puts them together; [`verdict`] says what becomes of every document.

pub mod approach;
mod block;
mod buckets;
mod census;
pub mod checkpoints;
mod chunk_sets;
pub mod collection;
mod common_elements;
mod date;
mod elements;
pub mod error;
pub mod files;
mod gather;
mod groups;
mod heap;
pub mod hot_steps;
mod in_memory_sets;
pub mod ingest;
pub mod judge;
mod keep_values;
mod kept;
mod leaders;
pub mod limits;
mod links;
pub mod matching;
pub mod memory_model;
mod near_words;
pub mod original;
pub mod pairs;
mod passes;
pub mod pipeline;
pub mod postings;
mod prefixes;
pub mod problems;
pub mod progress;
pub mod settings;
pub mod signatures;
pub mod signer;
mod sparse;
pub mod stages;
pub mod store;
mod stored_sets;
pub mod try_sort;
pub mod units;
pub mod verdict;
mod witness;

pub use approach::{Approach, Verify};
pub use checkpoints::Checkpoints;
pub use collection::{Collection, Document};
pub use common_elements::common_elements;
pub use error::EngineError;
pub use in_memory_sets::InMemorySets;
pub use ingest::{IngestOptions, ingest, ingest_chunks, ingest_files};
pub use judge::{Edge, SketchJudge};
pub use keep_values::Valueless;
pub use matching::{Linkage, MatchOptions, Matches, find, find_from};
pub use memory_model::{MemoryLimits, MemoryModel, MemoryUse};
pub use pairs::PairList;
pub use problems::Problems;
pub use progress::{Progress, Silent};
pub use settings::{MatchSettings, MinFeatures};
pub use signatures::SignatureBlock;
pub use signer::{Signer, SignerScratch};
pub use stages::{Decided, Ingested, JoinPlan, Joined};
pub use store::ChunkStore;
pub use units::Units;
pub use verdict::{Answer, Removal, Rule, Verdicts};
pub use witness::{WitnessRule, WitnessSearch};
