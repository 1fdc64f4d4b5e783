//! The arguments of `lookalike evaluate`.

use super::{
    AnalysisArgs, CommonArgs, CriterionArgs, InputArgs, MinFeaturesArgs, OutputArgs, TruthArg, utf8,
};
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct EvaluateArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    /// Methods to measure [default: the exact join and one or two of each family]
    #[arg(long, value_name = "METHOD", num_args = 1.., help_heading = "Method")]
    pub(crate) methods: Vec<String>,
    /// Document frequencies, made by `lookalike lexicon build`; may be repeated, and each method takes
    /// the first that fits [default: those of INPUT]
    #[arg(long, value_name = "FILE", value_parser = utf8(), help_heading = "Method")]
    pub(crate) lexicon: Vec<String>,
    #[command(flatten)]
    pub(crate) criterion: CriterionArgs,
    #[command(flatten)]
    pub(crate) analysis: AnalysisArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
    #[command(flatten)]
    pub(crate) least: MinFeaturesArgs,
    /// What methods are measured against: every pair that reaches the threshold
    #[arg(
        long,
        value_enum,
        value_name = "SOURCE",
        default_value_t = TruthArg::Exact,
        conflicts_with = "labels",
        help_heading = "Truth"
    )]
    pub(crate) truth: TruthArg,
    /// Measure against labels instead: tab-separated, with a header of `a_id` and `b_id` (two
    /// documents a line) or of `id` and `cluster`
    #[arg(long, value_name = "FILE", help_heading = "Truth")]
    pub(crate) labels: Option<PathBuf>,
    /// List known pairs from this similarity on, for recall by similarity [default: 0.5 for
    /// resemblance, else the threshold]
    #[arg(long, value_name = "RATIO", conflicts_with = "labels", help_heading = "Truth")]
    pub(crate) list_from: Option<String>,
    /// Make the truth for N documents drawn at random: their pairs with all others
    #[arg(
        long,
        value_name = "N",
        value_parser = clap::value_parser!(u32).range(1..),
        help_heading = "Truth"
    )]
    pub(crate) sample: Option<u32>,
    /// Number that the sample is drawn by
    #[arg(
        long,
        value_name = "N",
        default_value_t = 1,
        requires = "sample",
        help_heading = "Truth"
    )]
    pub(crate) seed: u64,
    /// Classes of documents, tab-separated with a header: a document's name and its class
    #[arg(long, value_name = "FILE", help_heading = "Classes")]
    pub(crate) classes: Option<PathBuf>,
    /// The class to be filtered out
    #[arg(
        long,
        value_name = "CLASS",
        default_value = "spam",
        requires = "classes",
        help_heading = "Classes"
    )]
    pub(crate) spam: String,
    /// The class that must not be lost
    #[arg(
        long,
        value_name = "CLASS",
        default_value = "ham",
        requires = "classes",
        help_heading = "Classes"
    )]
    pub(crate) legit: String,
    /// What losing a legitimate document costs, in spam documents caught
    #[arg(
        long,
        value_name = "N",
        value_parser = clap::value_parser!(u64).range(..=1_000_000),
        default_value_t = 100,
        requires = "classes",
        help_heading = "Classes"
    )]
    pub(crate) cost: u64,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}
