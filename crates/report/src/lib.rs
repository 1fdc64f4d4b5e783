//! Results in, evidence for people out.
//!
//! The primary types are [`Summary`] (what `summary.json` says). Nothing here knows an engine or a
//! reader: what is shown comes in as plain data, and texts are cut into tokens by whoever calls.

pub mod human;

mod exhibit;
mod histogram;
mod summary;

pub use exhibit::{ClusterExhibit, DocExhibit, Measures, MemberExhibit, PairExhibit};
pub use histogram::{SIMILARITY_BINS, SimilarityHistogram, SizeBin, SizeHistogram};
pub use summary::{
    Action, Features, InputSummary, Output, Pairs, Phase, Removed, Run, SettingsSummary, Summary,
    Tool, WithoutFeatures,
};
