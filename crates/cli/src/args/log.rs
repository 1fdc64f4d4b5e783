//! The argument about what is written on standard error.

use crate::log::Log;
use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct LogArgs {
    /// What is written on standard error: text, or one JSON object a line (phases, progress at most
    /// once a second, warnings, problems, the result)
    #[arg(long, value_enum, default_value_t, value_name = "FORM", help_heading = "Running")]
    pub(crate) log: Log,
}
