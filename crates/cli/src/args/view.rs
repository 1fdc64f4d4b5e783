//! Arguments of `view`.

use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct ViewArgs {
    /// Output directory of a run of dedup, cluster or recluster
    #[arg(value_name = "RUN")]
    pub(crate) run: PathBuf,
    /// Address of this machine and port to listen on; port 0 for a free one
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:7071")]
    pub(crate) listen: String,
    /// Print nothing but errors
    #[arg(long, short = 'q')]
    pub(crate) quiet: bool,
}
