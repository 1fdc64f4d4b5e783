//! The steps of a run that another engine shuffles between: Spark, Ray, processes.
//!
//! A [`Step`] reads the rows of one task as Arrow record batches and makes others; [`step()`] makes
//! one from its description. An engine moves rows: it brings those with the same key to one task,
//! sorted by the columns that the step names. Steps decide, with the code of a run on one machine,
//! so that the answer is the same.
//!
//! Every step is a function of its rows as a set: an engine may repeat a task, and give equal keys
//! in any order. In the order in which a run uses them: `sign` (documents to digests and sets),
//! `units` (equal sets are one), `keys` (prefix keys to buckets), `candidates` (pairs of a bucket,
//! and their verification), `routes` (sets to those that they are compared with), `graph`
//! (components and leaders) or `rounds` (the same without forming all pairs), `results` (the rows of
//! the result tables), `values` (matches by pair of values). `passages` has the steps of a search for
//! repeated passages.

mod candidates;
mod description;
mod graph;
mod ignored;
mod keys;
mod passages;
mod records;
mod results;
mod rounds;
mod routes;
mod rows;
mod sent_set;
mod sign;
mod step;
mod summed;
mod tables;
mod units;
mod values;

pub use description::step;
pub use ignored::ignored_shingles;
pub use passages::{near_digest, passage_columns, passage_digest};
pub use results::digest_of_sums;
pub use sign::check_given;
pub use step::{Step, StepContext, StepOptions};
pub use tables::result_columns;
pub use values::{across_summary, value_keys};

use lookalike_run::LookalikeError;
use tables::{Message, MessageWriter, message};

/// Adds what a task counted.
fn counts(out: &mut MessageWriter, counts: &serde_json::Value) -> Result<(), LookalikeError> {
    let blob = counts.to_string();
    out.push(Message { kind: message::COUNTS, blob: blob.as_bytes(), ..Message::default() })
}

/// The error of rows of another version, damaged rows, or rows in another order.
fn damaged(error: impl std::fmt::Display) -> LookalikeError {
    LookalikeError::Settings(error.to_string())
}
