//! The arguments of `lookalike passages`.

use super::{InputArgs, PassageArgs, SearchArgs};
use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct PassagesArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    #[command(flatten)]
    pub(crate) passages: PassageArgs,
    /// Stop (exit code 3) before more than this share of the words is cut
    #[arg(long, value_name = "PERCENT", help_heading = "Guards")]
    pub(crate) max_loss: Option<String>,
    #[command(flatten)]
    pub(crate) search: SearchArgs,
}
