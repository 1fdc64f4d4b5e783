//! Arguments of single input formats.

use clap::Args;
use lookalike::StatusFilter;

#[derive(Debug, Clone, Args)]
pub(crate) struct FormatArgs {
    /// Responses of WARC files that are documents, by HTTP status: 200, 2xx, 200-299, several with
    /// commas, or all
    #[arg(long, value_name = "STATUS", default_value = "2xx", help_heading = "Input")]
    pub(crate) warc_status: StatusFilter,
}
