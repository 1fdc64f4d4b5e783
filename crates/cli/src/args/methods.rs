//! The arguments of `lookalike methods`.

use super::FormatArg;
use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct MethodsArgs {
    /// Show one method: its parameters and, if it has one, its S-curve
    #[arg(value_name = "NAME[:PARAMETER=VALUE,…]")]
    pub(crate) name: Option<String>,
    /// Output format
    #[arg(long, value_enum, default_value_t = FormatArg::Text)]
    pub(crate) format: FormatArg,
}
