//! Finds the near-duplicate documents in any collection, and proves each one.
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
//! [`run_dedup`] and [`run_cluster`] write a directory of results; [`results`] has the questions about
//! them, [`evaluation`] measures methods against what is true, [`planning`] says from a sample what a
//! job will find and cost, and [`lexicon`] counts document frequencies.
//!
//! # Inside documents
//!
//! [`passages`] finds every run of words that stands twice in texts in memory, and cuts later copies of
//! which the same words stand in what is kept.
//!
//! # An index that lives
//!
//! [`IndexWriter`] adds, replaces and deletes documents; [`Index`] answers questions about them, in
//! any number of processes, exactly and at any threshold ([`Index::ask`]). [`index::export_tables`] writes
//! what a run over its documents would write, [`Job::against`] takes an index, and [`sweeps::diff`]
//! says what became of pages from one crawl to the next. [`index::collapse`] groups a ranked list.
//!
//! # A filter of messages
//!
//! [`filter::MessageFilter`] gives verdicts on messages by the documents of an index, which people report
//! as spam or as legitimate with [`filter::report`].
//!
//! # Cargo features
//!
//! * `files` (default): all but the modules [`texts`], the exact join over texts in memory, and [`passages`].
//! * `office` (default): word processor documents and books (DOCX, ODT, EPUB). Without it, each of
//!   these is a problem that says so.
//! * `object-stores`: inputs and results in object stores and on web servers. Without it, a URL is an
//!   error that says so.
//!
//! The answer is exact: every pair that is reported was compared on whole feature sets, and no pair
//! that reaches the threshold is missed. It is also the same, byte for byte, for any number of
//! threads and any order of the inputs.

pub mod passages;
pub mod texts;

#[cfg(feature = "files")]
mod contamination_presets;
#[cfg(feature = "files")]
mod method_knobs;
#[cfg(feature = "files")]
mod presets;

#[cfg(feature = "files")]
pub use lookalike_engine::{Progress, Silent};
#[cfg(feature = "files")]
pub use lookalike_io::quiet_decoder_panics;
#[cfg(feature = "files")]
pub use lookalike_run::{
    Answer, ErrorKind, Index, IndexWriter, Job, LookalikeError, Outcome, Record, Resources,
    ScratchDirError, Settings, Source, SourceError, StreamFiles, Unread, cluster, compare_texts,
    dedup, record_batches, run_cluster, run_dedup, run_dedup_into,
};

#[cfg(feature = "files")]
pub mod answer {
    //! What an [`Answer`](crate::Answer) holds.
    pub use lookalike_run::{AnswerParts, Counts, Member, Named, Pair, Place, Removed};
}

#[cfg(feature = "files")]
pub mod settings {
    //! The types of the fields of [`Settings`](crate::Settings), and settings by name.
    pub use crate::presets::{Preset, preset, presets};
    pub use lookalike_cluster::{KeepRule, KeepRuleError, keep_rules};
    pub use lookalike_core::{Measure, ShortDocuments};
    pub use lookalike_engine::{Distinction, Distinctions, Linkage, MaxLost, Verify, WitnessRule};
    pub use lookalike_run::{
        BoilerplateLimit, ClusterLimit, DEFAULT_MIN_TERMS, DEFAULT_SHINGLE, LossLimit, Shingle,
    };
    pub use lookalike_text::{AnalysisSettings, Case, Normalize, Terms, Tokens, Unit};
}

#[cfg(feature = "files")]
pub mod methods {
    //! The methods of the literature, which [`Settings`](crate::Settings) may name in place of the exact join.
    pub use crate::method_knobs::MethodKnobs;
    pub use lookalike_methods::imatch::Share;
    pub use lookalike_methods::minhash::lsh::{bands_for, least_for};
    pub use lookalike_methods::minhash::{Bands, MinHash, NotComparable};
    pub use lookalike_methods::{About, NeedsStatistics, Parameter, Statistics, methods};
    pub use lookalike_run::MethodSettings;
}

#[cfg(feature = "files")]
pub mod input {
    //! How inputs are read, and what is said about those that are not.
    pub use lookalike_io::input::{LeftOut, LeftOutReason, TextEncoding, is_result, why_skipped};
    pub use lookalike_io::source::has_field;
    pub use lookalike_io::web::StatusFilter;
    pub use lookalike_io::{
        CsvChar, CsvQuote, Extractor, FieldNames, Format, FormatOptions, KeepOrDrop,
        MailAttachments, Problem, recorded_url, shown_url,
    };
}

#[cfg(feature = "files")]
pub mod results {
    //! Questions about finished runs: two documents side by side, tables, other thresholds, what to restore,
    //! how two runs differ.
    pub use lookalike_engine::{DifferenceKind, DifferenceKinds, DifferenceProfile};
    pub use lookalike_io::TableFormat;
    pub use lookalike_report::{
        Comparison, Page, PageFile, SettingsSummary, Summary, TextStyle, human,
    };
    pub use lookalike_run::{
        ClusterChanges, CompareRunsJob, DocumentComparison, ExplainedDocument, ExplainedPassage,
        ExplainedPassages, ExplainedSide, InputChanges, ReclusterJob, RemovalChanges, ResultTable,
        RunChange, RunComparison, SettingChange, Shown, UndoJob, What, compare, compare_in,
        compare_runs, explain, explain_passages, passages_of, read_table, recluster, report_in,
        show, summary, undo,
    };
}

#[cfg(feature = "files")]
pub mod contamination {
    //! Training documents that contain items of benchmarks.
    pub use crate::contamination_presets::{
        ContaminationPreset, contamination_preset, contamination_presets,
    };
    pub use lookalike_report::{BenchmarkSummary, ContaminationSummary};
    pub use lookalike_run::{
        ContaminatedDocument, Contamination, ContaminationAction, ContaminationSettings,
        CountedNgrams, DecontaminateJob, Portion, PortionItems, PortionSearch, add_found,
        decontaminate, run_decontaminate,
    };
}

#[cfg(feature = "files")]
pub mod evaluation {
    //! Methods measured against what is true.
    pub use lookalike_measure::{
        ClassSettings, EvaluateJob, EvaluateOptions, Evaluated, LabelColumns, LabelSource, SCurve,
        TruthSource, default_methods, escaped, evaluate, evaluate_in, evaluated_fields, s_curve,
        unescaped,
    };
    pub use lookalike_report::{Accuracy, Evaluation, MethodResult};
}

#[cfg(feature = "files")]
pub mod planning {
    //! What a job will find and cost, said from a sample.
    pub use lookalike_measure::{
        DEFAULT_SAMPLE, FormatFiles, PlanJob, Planned, Preview, plan, preview,
    };
    pub use lookalike_report::Plan;
}

#[cfg(feature = "files")]
pub mod lexicon {
    //! Document frequencies of a collection.
    pub use lookalike_lexicon::{Lexicon, LexiconError, Rank};
    pub use lookalike_run::{Built, LexiconJob, build_lexicon, build_lexicon_from, merge_lexicons};
}

#[cfg(feature = "files")]
pub mod index {
    //! Questions to an [`Index`](crate::Index), changes by an [`IndexWriter`](crate::IndexWriter), and their answers.
    pub use lookalike_index::{Committed, Cost, LostSegment, Salvaged};
    pub use lookalike_monitor::{
        CollapseItem, CollapseOptions, CollapsedGroup, CollapsedItem, collapse, collapse_by_index,
    };
    pub use lookalike_run::index::{
        AddOptions, AddSeconds, Added, AnsweredLine, AnyAnswer, AnyQuery, Applied, ApplyOptions,
        Asked, AskedAll, ChangeOutcome, ClusterMember, Copied, DeleteWhat, DuplicateOf,
        ExportOptions, Filter, FoundDocuments, IndexChange, IndexSettings, IndexStats,
        IndexedCluster, IndexedDocument, PassageAnswer, PassageInCommon, PassageMatch,
        PassageQuery, Put, Query, QueryAnswer, QueryMatch, QuerySubject, Question, ReadOptions,
        Repaired, Reply, ReviewOptions, ReviewPair, ReviewSample, SegmentStats, Wanted,
        check_index, copy_index, export_answer, export_documents, export_tables, repair_index,
        write_documents,
    };
}

#[cfg(feature = "files")]
pub mod sweeps {
    //! Sweeps of an index: what changed from one crawl to the next.
    pub use lookalike_monitor::{
        Change, DiffOptions, Holder, PageChange, PageVersion, Revisit, SharedText, SiteVersion,
        SweepDiff, diff, history, holders, revisit, site_history,
    };
    pub use lookalike_run::index::SweepStats;
}

#[cfg(feature = "files")]
pub mod filter {
    //! A filter of messages, and reports about the documents of an index.
    pub use lookalike_monitor::{
        FilterOptions, Filtered, FoldersDone, MAIL_FIELD, MailFolders, MatchRule, MatchedPrototype,
        MessageFilter, NotJudged, Prototype, Report, ReportCounts, ReportOptions, Reported,
        ReportsDone, Verdict, VerdictKind, can_be_mail_field, is_mail_field, mail_record,
        prototypes, report, report_all, report_folders, set_filter_rule,
    };
    pub use lookalike_run::index::FilterRule;
}

#[cfg(feature = "files")]
pub mod distributed {
    //! The steps between the shuffles of a cluster, and signatures of texts.
    pub use lookalike_distributed::{Lists, SignedTexts, TextSigner, Wants, steps};
}

/// The crates of Arrow whose types are in signatures of this one, by their names in the crate `arrow`.
#[cfg(feature = "files")]
pub mod arrow {
    pub use arrow_array as array;
    pub use arrow_schema as datatypes;
}
