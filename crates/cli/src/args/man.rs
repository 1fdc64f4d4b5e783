//! The arguments of `lookalike man`.

use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct ManArgs {
    /// Write a page for each command to this directory, which is created
    #[arg(value_name = "DIR")]
    pub(crate) dir: Option<PathBuf>,
}
