//! The option that shows what a command would do.

use clap::Args;

/// Showing a run in place of running.
#[derive(Debug, Args)]
pub(crate) struct DryRunArgs {
    /// Write nothing: print which files would be read, the settings, where results would go, and
    /// what `lookalike plan` predicts from a sample
    #[arg(long, help_heading = "Running")]
    pub(crate) dry_run: bool,
}
