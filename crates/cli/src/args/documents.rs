//! The arguments of `lookalike compare` and `lookalike explain`.

use super::values::utf8;
use super::{
    AcrossArgs, AnalysisArgs, CriterionArgs, FieldArgs, FormatArg, IgnoredArgs, SeparateArgs,
};
use clap::Args;
use lookalike::input::Extractor;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct CompareArgs {
    /// First document
    #[arg(value_parser = utf8())]
    pub(crate) a: String,
    /// Second document
    #[arg(value_parser = utf8())]
    pub(crate) b: String,
    #[command(flatten)]
    pub(crate) fields: FieldArgs,
    #[command(flatten)]
    pub(crate) criterion: CriterionArgs,
    #[command(flatten)]
    pub(crate) analysis: AnalysisArgs,
    #[command(flatten)]
    pub(crate) separate: SeparateArgs,
    #[command(flatten)]
    pub(crate) across: AcrossArgs,
    #[command(flatten)]
    pub(crate) ignored: IgnoredArgs,
    /// Output format
    #[arg(long, value_enum, default_value_t = FormatArg::Text)]
    pub(crate) format: FormatArg,
}

#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    /// First document: its id, or FILE:RECORD
    pub(crate) a: String,
    /// Second document; of a result of `passages`, the bytes that are asked about: 1200..1390 [default:
    /// all that was cut]
    pub(crate) b: Option<String>,
    /// Output directory of the run
    #[arg(long, value_name = "DIR")]
    pub(crate) run: PathBuf,
    /// Start this command of the run's --extract again (repeatable)
    #[arg(long, value_name = "EXT=COMMAND")]
    pub(crate) extract: Vec<Extractor>,
    /// Output format
    #[arg(long, value_enum, default_value_t = FormatArg::Text)]
    pub(crate) format: FormatArg,
}
