//! Arguments of `lookalike dedup --output -`.

use clap::Args;
use std::path::PathBuf;

/// Files beside the stream of kept documents.
#[derive(Debug, Args)]
pub(crate) struct StreamArgs {
    /// With `--output -`: write the ledger to this file, replacing it; .parquet, .tsv or .jsonl
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) ledger: Option<PathBuf>,
    /// With `--output -`: write summary.json to this file, replacing it
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) summary: Option<PathBuf>,
}
