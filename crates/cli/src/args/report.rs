//! Arguments about the report.

use super::values::size;
use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct ReportArgs {
    /// Most data that report.html has in itself; larger lists of clusters are in report-data beside
    /// it
    #[arg(long, value_name = "SIZE", value_parser = size, default_value = "20MB", conflicts_with = "no_report", help_heading = "Output")]
    pub(crate) report_size: usize,
}
