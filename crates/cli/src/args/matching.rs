//! Arguments that decide which documents match: criterion, analysis, filters and method.

use super::knobs::{KnobArgs, PresetArgs};
use super::values::{checksum, utf8};
use super::{
    AnalysisArgs, BoilerplateArgs, CommonArgs, CriterionArgs, KeepArgs, MinFeaturesArgs,
    SeparateArgs, VerifyArg,
};
use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct MatchArgs {
    #[command(flatten)]
    pub(crate) preset: PresetArgs,
    #[command(flatten)]
    pub(crate) criterion: CriterionArgs,
    #[command(flatten)]
    pub(crate) analysis: AnalysisArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
    #[command(flatten)]
    pub(crate) boilerplate: BoilerplateArgs,
    #[command(flatten)]
    pub(crate) least: MinFeaturesArgs,
    #[command(flatten)]
    pub(crate) separate: SeparateArgs,
    #[command(flatten)]
    pub(crate) method: MethodArgs,
    #[command(flatten)]
    pub(crate) keep: KeepArgs,
}

/// Candidate generation by a method, and the verifier.
#[derive(Debug, Args)]
pub(crate) struct MethodArgs {
    /// Generate candidates by a method of the papers, NAME:PARAMETER=VALUE,… (`lookalike methods`
    /// lists them) [default: exact, the exact join]
    #[arg(long, value_name = "METHOD", help_heading = "Method")]
    pub(crate) method: Option<String>,
    #[command(flatten)]
    pub(crate) knobs: KnobArgs,
    /// Verifier of the method's candidates: exact (complete feature sets), sketch (the method's
    /// sketches) or none (a common key suffices)
    #[arg(
        long,
        value_enum,
        value_name = "BY",
        default_value_t = VerifyArg::Exact,
        requires = "method",
        help_heading = "Method"
    )]
    pub(crate) verify: VerifyArg,
    /// Lexicon of document frequencies for the method, from `lookalike lexicon build` [default:
    /// counted in INPUT]
    #[arg(long, value_name = "FILE", requires = "method", value_parser = utf8(), help_heading = "Method")]
    pub(crate) lexicon: Option<String>,
    /// Fail unless the lexicon has this checksum (printed by `lookalike lexicon show`)
    #[arg(long, value_name = "HEX", value_parser = checksum, requires = "lexicon", help_heading = "Method")]
    pub(crate) lexicon_checksum: Option<String>,
    /// Ignore keys that more than N distinct documents have, and count them. Feature sets and
    /// sketches are not changed (--ignore-common changes them)
    #[arg(long, value_name = "N", requires = "method", help_heading = "Method")]
    pub(crate) key_limit: Option<u32>,
}
