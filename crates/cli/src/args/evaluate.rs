//! The arguments of `lookalike evaluate`.

use super::values::{count, utf8};
use super::{
    AnalysisArgs, CommonArgs, CriterionArgs, InputArgs, LogArgs, MinFeaturesArgs, OutputArgs,
    SeparateArgs,
};
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use lookalike::evaluation::TruthSource;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct EvaluateArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    /// Methods to measure [default: the exact join and one or two methods of each family]
    #[arg(long, value_name = "METHOD", num_args = 1.., help_heading = "Method")]
    pub(crate) methods: Vec<String>,
    /// Lexicon of document frequencies, from `lookalike lexicon build` (may be repeated; each
    /// method uses the first one that fits) [default: counted in INPUT]
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
    #[command(flatten)]
    pub(crate) separate: SeparateArgs,
    /// Ground truth: every pair that reaches the threshold
    #[arg(long, value_parser = truth(), value_name = "SOURCE", default_value = "exact")]
    #[arg(conflicts_with = "labels", help_heading = "Truth")]
    pub(crate) truth: TruthSource,
    /// Use labels as ground truth: a tab-separated file with the header `a_id`, `b_id` (one pair
    /// per line) or `id`, `cluster`
    #[arg(long, value_name = "FILE", help_heading = "Truth")]
    pub(crate) labels: Option<PathBuf>,
    /// Lowest similarity of the pairs that recall by similarity is computed from [default: 0.5 for
    /// resemblance, else the threshold]
    #[arg(long, value_name = "RATIO", conflicts_with = "labels", help_heading = "Truth")]
    pub(crate) list_from: Option<String>,
    /// Compute the ground truth for N random documents only: their pairs with all others
    #[arg(long, value_name = "N", value_parser = count(), help_heading = "Truth")]
    pub(crate) sample: Option<u32>,
    /// Random seed of the sample
    #[arg(
        long,
        value_name = "N",
        default_value_t = 1,
        requires = "sample",
        help_heading = "Truth"
    )]
    pub(crate) seed: u64,
    /// Classes of documents: a tab-separated file with a header, document name and class per line
    #[arg(long, value_name = "FILE", help_heading = "Classes")]
    pub(crate) classes: Option<PathBuf>,
    /// Class to filter out
    #[arg(
        long,
        value_name = "CLASS",
        default_value = "spam",
        requires = "classes",
        help_heading = "Classes"
    )]
    pub(crate) spam: String,
    /// Class that must not be lost
    #[arg(
        long,
        value_name = "CLASS",
        default_value = "ham",
        requires = "classes",
        help_heading = "Classes"
    )]
    pub(crate) legit: String,
    /// Cost of losing one legitimate document, in spam documents caught
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
    #[command(flatten)]
    pub(crate) log: LogArgs,
}

/// The parser of ground truths that no file has.
fn truth() -> impl TypedValueParser<Value = TruthSource> {
    PossibleValuesParser::new(["exact"]).map(|_| TruthSource::Exact)
}
