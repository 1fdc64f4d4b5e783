//! Presentation of results: summary, report page, explanations.
//!
//! The primary types are [`Summary`] (`summary.json`), [`Report`] (`report.html`), [`Evaluation`]
//! (results of `evaluate`) and [`Explanation`] (output of `compare` and `explain`). The crate is
//! independent of the engine and of readers: its inputs are plain data, and callers tokenise the
//! texts. It computes no part of a result.

pub mod clean;
pub mod human;

mod accuracy;
mod across;
mod boilerplate;
mod boilerplate_lines;
mod cluster_data;
mod contamination;
mod diff;
mod error;
mod evaluation;
mod exhibit;
mod explain;
mod histogram;
mod html;
mod hunks;
mod junit;
mod passage_exhibits;
mod passage_summary;
mod passages;
mod plan;
mod skipped;
mod summary;
mod table;
mod tokens;
mod warnings;
mod windows;

pub use accuracy::{Accuracy, Compared};
pub use across::{AcrossPair, AcrossSummary, AcrossValue, CountedBy};
pub use boilerplate::{
    BoilerplatePassage, BoilerplateSummary, IgnoredSummary, SiteBoilerplate, TemplateSite,
};
pub use evaluation::{
    ClassResult, ClassesSummary, ClusterResult, Decile, Evaluation, EvaluationReport,
    EvaluationRun, Ignored, MethodResult, MethodTimes, SampleSummary, SeriesPlace, TruthSummary,
};

pub use cluster_data::ClusterData;
pub use contamination::{BenchmarkSummary, ContaminationSummary};
pub use diff::{Cancelled, DIFF_BOUNDS, Diff, DiffBounds, Segment, Side, diff};
pub use error::ReportError;
pub use explain::{
    ComparedDocument, Comparison, Difference, Explanation, Question, SharedPassage, TextStyle,
};
pub use html::{
    AlignedPair, Page, PageFile, PairRoom, PassageReport, Report, STYLE, around_chart,
    similarity_chart, sizes_chart,
};
pub use passage_exhibits::{
    ChangedDocument, CopiedDocuments, CutExample, FrequentPassage, LengthBin, LongPassage,
    PassageExcerpt, PassageExhibits, ShownPassage,
};
pub use passage_summary::{NearCounts, PassageSummary, SpanCounts};
pub use passages::{PASSAGE_BOUNDS, Passage, PassageBounds, Passages, shared_passages};
pub use plan::{
    Plan, PlanCost, PlanGrowth, PlanPhase, PlanRecall, PlanRemoval, PlanRun, PlanSample, PlanSpark,
    PlanStep,
};
pub use tokens::{Form, Tokenize, Tokens, Vocabulary};

pub use exhibit::{
    ClusterExhibit, DocExhibit, DocPlace, Measures, MemberExhibit, PairDifference, PairExhibit,
    ResemblanceEstimate, SourceLoss,
};
pub use junit::{JunitCase, JunitOutcome, JunitWriter};

pub use histogram::{SIMILARITY_BINS, SimilarityHistogram, SizeBin, SizeHistogram};
pub use summary::{
    Action, Confusables, CutPassages, DifferenceExample, DifferenceSummary, Differing, Features,
    FewTerms, FoundRule, InputSummary, JudgedRemovals, KeepValues, LeftOutNames, MostlySkipped,
    NearMissSummary, Output, Pairs, Phase, Removed, Run, SettingsSummary, Summary,
    SymbolDifferences, SymbolExample, Tool, WithoutFeatures,
};
