//! Finds the near-duplicate documents in any collection, and proves each one.
//!
//! The library behind the `lookalike` command. A [`Job`] says what to read and where the results go,
//! its [`Settings`] what counts as a near-duplicate; [`dedup`] and [`cluster`] carry it out and write
//! a directory of results; [`compare`] and [`explain`] lay two documents side by side; [`evaluate()`]
//! measures methods against what is true; [`plan()`] says from a sample what a job will find and cost.
//!
//! The answer is exact: every pair that is reported was compared on whole feature sets, and no pair
//! that reaches the threshold is missed. It is also the same, byte for byte, for any number of
//! threads and any order of the inputs.
//!
//! The steps, in the order in which the data runs through them: `analysis` (inputs to verdicts, the
//! part that all jobs share), `decisions` (verdicts to what becomes of each record), `result_tables`,
//! `second_pass` (the inputs once more, each record to its place), `exhibits` and `summarise` (what
//! people look at).

mod aligned_pairs;
mod analysis;
mod approach;
mod common;
mod compare;
mod decisions;
mod document_columns;
mod documents;
mod error;
mod estimates;
mod evaluate;
mod evidence;
mod exhibits;
mod explain;
mod jobs;
mod keep_fields;
mod lexicon;
mod lookup;
mod machine;
mod memory;
mod panics;
mod plan;
mod recluster;
mod result_tables;
mod scratch_dir;
mod second_pass;
mod settings;
mod state;
mod summarise;

pub use compare::compare;
pub use error::{ErrorKind, LookalikeError, Unread};
pub use evaluate::{ClassSettings, EvaluateJob, Evaluated, TruthSource, default_methods, evaluate};
pub use evaluate::{SCurve, s_curve};
pub use evidence::Evidence;
pub use explain::explain;
pub use jobs::{Outcome, cluster, dedup};
pub use lexicon::{Built, LexiconJob, build_lexicon};
pub use plan::{DEFAULT_SAMPLE, PlanJob, Planned, plan};
pub use recluster::{ReclusterJob, recluster};
pub use scratch_dir::ScratchDirError;
pub use settings::{DEFAULT_MIN_TERMS, DEFAULT_SHINGLE, Job, MethodSettings, Settings};

pub use lookalike_core::{Measure, ShortDocuments};
pub use lookalike_engine::{Linkage, Progress, Silent, Verify, WitnessRule};
pub use lookalike_io::input::why_skipped;
pub use lookalike_io::{FieldNames, Format, Problem, TableFormat};
pub use lookalike_lexicon::{Lexicon, LexiconError, Rank, merge as merge_lexicons};
pub use lookalike_methods::imatch::Share;
pub use lookalike_methods::{About, NeedsStatistics, Parameter, Statistics, methods};
pub use lookalike_report::{
    Accuracy, Comparison, Evaluation, MethodResult, Plan, Summary, TextStyle,
};
pub use lookalike_text::{AnalysisSettings, Normalize, Terms, Unit};
