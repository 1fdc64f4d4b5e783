//! The arguments of `lookalike passages`.

use super::values::utf8;
use super::{InputArgs, KeepArgs, PassageArgs, ResumeArgs, SearchArgs, SeparateByArgs};
use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct PassagesArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    /// Another collection, or an index of one (DIR of `lookalike index`), that keeps its text: passages that it
    /// has are cut out of INPUT, and it is not written. All names up to the next option (may be repeated;
    /// give INPUT first, or after --)
    #[arg(long, value_name = "PATH", num_args = 1.., value_parser = utf8(), help_heading = "Passages")]
    pub(crate) against: Vec<String>,
    #[command(flatten)]
    pub(crate) passages: PassageArgs,
    /// Compare each document with itself alone: what it says twice
    #[arg(long, help_heading = "Passages")]
    pub(crate) within: bool,
    /// Compare documents with others alone: what one says twice by itself stays
    #[arg(long, conflicts_with = "within", help_heading = "Passages")]
    pub(crate) across: bool,
    #[command(flatten)]
    pub(crate) separate_by: SeparateByArgs,
    #[command(flatten)]
    pub(crate) keep: KeepArgs,
    /// Stop (exit code 3) before more than this share of the words is cut: of all, or of those of an input
    /// file with at least 100 documents
    #[arg(long, value_name = "PERCENT", help_heading = "Guards")]
    pub(crate) max_loss: Option<String>,
    /// Do not write report.html, and do not keep texts for it
    #[arg(long, help_heading = "Output")]
    pub(crate) no_report: bool,
    #[command(flatten)]
    pub(crate) resume: ResumeArgs,
    #[command(flatten)]
    pub(crate) search: SearchArgs,
}
