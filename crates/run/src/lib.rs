//! Runs: files or sources to verdicts, and to a directory of results or an answer in memory.
//!
//! The steps, in the order in which the data runs through them: `analysis` (inputs to verdicts, the
//! part that all jobs share), `decisions` (verdicts to what becomes of each record),
//! `result_tables`, `second_pass` (the inputs once more, each record to its place), `exhibits` and
//! `summarise` (what people look at). `index` has the doors of the living index.

pub mod across;
mod aligned_pairs;
pub mod analysis;
mod answer;
pub mod approach;
mod attributes;
mod boilerplate;
pub mod common;
mod compare;
mod compare_runs;
mod decisions;
mod decontaminate;
pub mod differences;
pub mod document_comparison;
mod documents;
mod duplicate_counts;
mod embed;
pub mod error;
mod estimates;
mod exhibits;
mod explain;
pub mod feature_settings;
pub mod given_fields;
mod guards;
pub mod ignored_texts;
pub mod index;
pub mod input_fields;
mod job_steps;
mod jobs;
mod junit;
pub mod keep_fields;
mod kept_apart;
mod lexicon;
mod lookup;
mod machine;
pub mod memory;
mod memory_table;
pub mod method_signer;
mod near_miss_table;
mod near_misses;
pub mod no_statistics;
pub mod opened;
mod page_files;
pub mod panics;
pub mod passages;
mod piped;
mod plan_file;
mod read_table;
pub mod reading;
mod readings;
mod recluster;
mod recorded_run;
mod reread;
mod resources;
mod result_tables;
mod run_inputs;
mod run_tables;
mod scratch_dir;
mod search_job;
mod second_pass;
pub mod settings;
mod show;
mod shown;
mod skipped_files;
pub mod source;
mod source_losses;
pub mod state;
pub mod summarise;
mod symbols;
pub mod table_store;
mod template_sample;
mod term_counts;
pub mod tokens;
mod undo;
mod whole_file;
mod words;

pub use answer::{Answer, AnswerParts, Counts, Member, Named, Pair, Place, Removed};
pub use boilerplate::BoilerplateLimit;
pub use compare::{compare, compare_in, compare_texts};
pub use compare_runs::{
    ClusterChanges, CompareRunsJob, InputChanges, RemovalChanges, RunChange, RunComparison,
    SettingChange, compare_runs,
};
pub use decontaminate::{
    ContaminatedDocument, Contamination, ContaminationAction, ContaminationSettings, CountedNgrams,
    DecontaminateJob, Portion, PortionItems, PortionSearch, add_found, decontaminate,
    run_decontaminate,
};
pub use document_comparison::DocumentComparison;
pub use embed::{cluster, dedup, report_in};
pub use error::{ErrorKind, LookalikeError, SourceError, Unread};
pub use explain::explain;
pub use guards::{ClusterLimit, LossLimit};
pub use index::{Index, IndexWriter};
pub use jobs::{Outcome, run_cluster, run_dedup};
pub use lexicon::{Built, LexiconJob, build_lexicon, build_lexicon_from, merge_lexicons};
pub use memory_table::ResultTable;
pub use passages::{
    ExplainedDocument, ExplainedPassage, ExplainedPassages, ExplainedSide, NoPassageUnit,
    PassageScope, PassageSettings, PassageUnit, Passages, PassagesJob, WhatIsCut, WhatIsWritten,
    Whole, explain_passages, passages, run_passages,
};
pub use piped::{StreamFiles, run_dedup_into};
pub use read_table::read_table;
pub use recluster::{ReclusterJob, recluster};
pub use resources::Resources;
pub use run_inputs::passages_of;
pub use scratch_dir::ScratchDirError;
pub use search_job::{SearchOutcome, SearchRun};
pub use settings::{DEFAULT_MIN_TERMS, DEFAULT_SHINGLE, Job, MethodSettings, Settings, Shingle};
pub use show::{What, show, summary};
pub use shown::Shown;
pub use source::{Record, Source, record_batches};
pub use undo::{UndoJob, undo};
