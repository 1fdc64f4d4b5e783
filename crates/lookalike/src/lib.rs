//! Finds the near-duplicate documents in any collection, and proves each one.
//!
//! Without the feature `files`, which is on by default, the module [`texts`] is all that there is:
//! the exact join over texts in memory.
//!
//! # In memory
//!
//! [`dedup`] and [`cluster`] take a [`Source`] (records, Arrow record batches or files) and return
//! an [`Answer`]: the kept documents, the ledger of the removed ones, the pairs and the clusters.
//! Nothing is written, and no signal handler, panic hook, environment variable, current directory
//! or allocator setting of the process is touched. (A damaged Parquet file can make its decoder
//! panic, which is returned as an error of the file; a program that does not want its panic hook to
//! run for that calls [`quiet_decoder_panics`] when it starts.)
//!
//! ```
//! use lookalike::{Record, Resources, Settings, Silent, Source, dedup};
//!
//! # fn main() -> Result<(), lookalike::LookalikeError> {
//! let records = [
//!     Record::new("one fish two fish red fish blue fish black fish").id("a"),
//!     Record::new("One fish, two fish, red fish, blue fish, black fish!").id("b"),
//! ];
//! let settings = Settings { threshold: "0.8".into(), ..Settings::default() };
//! let answer = dedup(Source::records(records), &settings, &Resources::default(), &Silent)?;
//! let row = answer.removals().next().expect("b is removed");
//! assert_eq!((row.removed.id, row.kept.id, row.rule), ("b", "a", "lexically_equivalent"));
//! # Ok(())
//! # }
//! ```
//!
//! A source of records or batches is any iterator, which is read once, or one that is *repeatable*
//! (what is held in memory, or a function that makes the iterator again), which settings that read
//! the documents several times need: see [`Source`].
//!
//! # What can be chosen
//!
//! [`Settings`] say what a near-duplicate is: `threshold` and `measure` (resemblance, containment
//! or cosine), `shingle` (tokens in a feature), `method` (a method of the literature in place of
//! the exact join), `linkage` (leaders, where each removed document matches a kept one, or
//! connected components), `keep` (which duplicate to keep) and `witness` (which kept match of a
//! removed document is named). [`Resources`] say what a call may take: threads, memory and a
//! directory for temporary files. They change no answer.
//!
//! # Evidence, progress and errors
//!
//! [`Answer::removals`] names for each removed document the kept one, the rule, and the exact
//! counts of shared features; [`compare_texts`] shows how any two texts compare. [`Progress`]
//! receives progress and can cancel. [`LookalikeError::kind`] says what to do about an error: after
//! one there is no answer at all, never one about a part of the source.
//!
//! # Result directories
//!
//! The `lookalike` command works on a [`Job`], which says what to read and where the results go:
//! [`run_dedup`] and [`run_cluster`] write a directory of results; [`compare`] and [`explain`] lay
//! two documents side by side; [`evaluate()`] measures methods against what is true; [`plan()`]
//! says from a sample what a job will find and cost; [`build_lexicon`] counts document frequencies.
//! [`evaluate_in`] and [`build_lexicon_from`] do so with a [`Source`].
//!
//! # An index that lives
//!
//! [`IndexWriter`] adds, replaces and deletes documents; [`Index`] answers questions about them, in
//! any number of processes, exactly and at any threshold ([`Index::ask`]). [`export_tables`] writes
//! what a run over its documents would write, [`Job::against`] takes an index, and [`Index::diff`]
//! says what became of pages from one crawl to the next. [`collapse()`] groups a ranked list.
//!
//! # A filter of messages
//!
//! [`MessageFilter`] gives verdicts on messages by the documents of an index, which people report
//! as spam or as legitimate with [`IndexWriter::report`].
//!
//! The answer is exact: every pair that is reported was compared on whole feature sets, and no pair
//! that reaches the threshold is missed. It is also the same, byte for byte, for any number of
//! threads and any order of the inputs.
//!
//! The steps, in the order in which the data runs through them: `analysis` (inputs to verdicts, the
//! part that all jobs share), `decisions` (verdicts to what becomes of each record),
//! `result_tables`, `second_pass` (the inputs once more, each record to its place), `exhibits` and
//! `summarise` (what people look at).

pub mod texts;

/// Declares items that a build without files does not have. By this name, rustfmt finds the modules.
macro_rules! cfg_if {
    (if #[cfg($condition:meta)] { $($item:item)* }) => { $(#[cfg($condition)] $item)* };
}

cfg_if! { if #[cfg(feature = "files")] {
mod aligned_pairs;
mod analysis;
mod answer;
mod approach;
mod attributes;
mod boilerplate;
mod collapse;
mod common;
mod compare;
mod decisions;
mod document_comparison;
mod documents;
mod embed;
mod error;
mod estimates;
mod evaluate;
mod exhibits;
mod explain;
mod feature_settings;
mod given_fields;
mod guards;
mod index;
mod input_fields;
mod job_steps;
mod jobs;
mod keep_fields;
mod lexicon;
mod lookup;
mod machine;
mod memory;
mod memory_table;
mod method_knobs;
mod method_signer;
mod near_miss_table;
mod near_misses;
mod no_statistics;
mod opened;
mod page_files;
mod panics;
mod piped;
mod plan;
mod presets;
mod preview;
mod read_table;
mod reading;
mod recluster;
mod resources;
mod result_tables;
mod run_inputs;
mod run_tables;
mod scratch_dir;
mod second_pass;
mod settings;
mod show;
mod skipped_files;
mod source;
mod source_losses;
mod state;
pub mod steps;
mod summarise;
mod symbols;
mod table_store;
mod template_sample;
mod term_counts;
mod text_signer;
mod tokens;
mod undo;

pub use answer::{Answer, AnswerParts, Counts, Member, Named, Pair, Place, Removed};
pub use boilerplate::BoilerplateLimit;
pub use collapse::{CollapseItem, CollapseOptions, CollapsedGroup, CollapsedItem, collapse};
pub use compare::{compare, compare_in, compare_texts};
pub use document_comparison::DocumentComparison;
pub use embed::{cluster, dedup};
pub use error::{ErrorKind, LookalikeError, SourceError, Unread};
pub use evaluate::{
    ClassSettings, EvaluateJob, EvaluateOptions, Evaluated, LabelColumns, LabelSource, TruthSource,
    default_methods, evaluate, evaluate_in,
};
pub use evaluate::{SCurve, s_curve};
pub use explain::explain;
pub use guards::{ClusterLimit, LossLimit};
pub use index::{
    AddOptions, AddSeconds, Added, Asked, AskedAll, Change, DeleteWhat, DiffOptions, ExportOptions,
    Filter, FilterOptions, FilterRule, Filtered, FoundDocuments, Holder, Index, IndexSettings,
    IndexStats, IndexWriter, MatchRule, MatchedPrototype, MessageFilter, PageChange, PageVersion,
    Prototype, Query, QueryAnswer, QueryMatch, QuerySubject, ReadOptions, Repaired, Report,
    ReportCounts, ReportOptions, Reported, ReportsDone, Revisit, SegmentStats, SharedText,
    SiteVersion, SweepDiff, SweepStats, Verdict, VerdictKind, Wanted, check_index, export_answer,
    export_documents, export_tables, mail_record, repair_index, write_documents,
};
pub use jobs::{Outcome, run_cluster, run_dedup};
pub use lexicon::{Built, LexiconJob, build_lexicon, build_lexicon_from, merge_lexicons};
pub use lookalike_index::{LostSegment, Salvaged};
pub use memory_table::ResultTable;
pub use method_knobs::MethodKnobs;
pub use piped::{StreamFiles, run_dedup_into};
pub use plan::{DEFAULT_SAMPLE, PlanJob, Planned, plan};
pub use presets::{Preset, preset, presets};
pub use preview::{FormatFiles, Preview, preview};
pub use read_table::read_table;
pub use recluster::{ReclusterJob, recluster};
pub use resources::Resources;
pub use scratch_dir::ScratchDirError;
pub use settings::{DEFAULT_MIN_TERMS, DEFAULT_SHINGLE, Job, MethodSettings, Settings, Shingle};
pub use show::{Shown, What, show};
pub use source::{Record, Source, record_batches};
pub use text_signer::{Lists, SignedTexts, TextSigner, Wants};
pub use undo::{UndoJob, undo};

pub use lookalike_cluster::{KeepRule, KeepRuleError, keep_rules};
pub use lookalike_core::{Measure, ShortDocuments};
pub use lookalike_engine::{Linkage, Progress, Silent, Verify, WitnessRule};
pub use lookalike_index::{Committed, Cost};
pub use lookalike_io::input::{LeftOut, LeftOutReason, is_result, why_skipped};
pub use lookalike_io::quiet_decoder_panics;
pub use lookalike_io::source::has_field;
pub use lookalike_io::web::StatusFilter;
pub use lookalike_io::{
    CsvChar, CsvQuote, Extractor, FieldNames, Format, FormatOptions, KeepOrDrop, MailAttachments,
    Problem, TableFormat, recorded_url, shown_url,
};
pub use lookalike_lexicon::{Lexicon, LexiconError, Rank};
pub use lookalike_methods::imatch::Share;
pub use lookalike_methods::minhash::lsh::{bands_for, least_for};
pub use lookalike_methods::minhash::{Bands, MinHash, NotComparable};
pub use lookalike_methods::{About, NeedsStatistics, Parameter, Statistics, methods};
pub use lookalike_report::{
    Accuracy, Comparison, Evaluation, MethodResult, Plan, SettingsSummary, Summary, TextStyle,
};
pub use lookalike_text::{AnalysisSettings, Case, Normalize, Terms, Tokens, Unit};

pub use lookalike_report::human;
}}
