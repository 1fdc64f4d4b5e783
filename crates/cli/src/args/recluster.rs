//! The arguments of `lookalike recluster`.

use super::options::{choice, table_format};
use super::values::{KeepList, keep_list};
use super::{ContainedArgs, FormatArg, LogArgs, ReportArgs};
use clap::Args;
use lookalike::{
    results::TableFormat,
    settings::{Linkage, Measure, WitnessRule},
};
use lookalike_options::{KeepItem, list_keep_rules};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct ReclusterArgs {
    /// Directory of a finished `cluster` or `recluster` run
    #[arg(value_name = "RUN")]
    pub(crate) run: PathBuf,
    /// Documents are near-duplicates if --measure reaches this value; at least the threshold of the
    /// run
    #[arg(long, short = 't', value_name = "RATIO", help_heading = "Matching")]
    pub(crate) threshold: String,
    /// Similarity measure [default: as in the run]
    ///
    /// A run by containment lists the pairs for every measure, a run by cosine those for
    /// resemblance too, and a run by resemblance at threshold t those for cosine thresholds of at
    /// least √t.
    #[arg(long, value_parser = choice::<Measure>("measure"), help_heading = "Matching")]
    pub(crate) measure: Option<Measure>,
    /// How pairs become clusters [default: as in the run]
    #[arg(long, value_parser = choice::<Linkage>("linkage"), help_heading = "Which duplicate to keep")]
    pub(crate) linkage: Option<Linkage>,
    /// With --linkage leaders: the kept document named for a duplicate, the first match in order of
    /// precedence or the best by --measure (ties by precedence) [default: as in the run]
    #[arg(long, value_parser = choice::<WitnessRule>("witness"), value_name = "RULE", help_heading = "Which duplicate to keep")]
    pub(crate) witness: Option<WitnessRule>,
    #[arg(
        long,
        help = format!(
            "Which duplicate leads its cluster: {} [default: the rules of the run]",
            list_keep_rules(|rule| rule.needs.is_in_tables(), KeepItem::form, "or")
        ),
        value_name = "RULE",
        value_parser = keep_list,
        help_heading = "Which duplicate to keep"
    )]
    pub(crate) keep: Option<Vec<KeepList>>,
    #[command(flatten)]
    pub(crate) contained: ContainedArgs,
    /// Directory for the results; it is created when they are complete
    #[arg(long, short = 'o', value_name = "DIR", help_heading = "Output")]
    pub(crate) output: PathBuf,
    /// Replace the results of an earlier run
    #[arg(long, help_heading = "Output")]
    pub(crate) force: bool,
    /// Format of the tables
    #[arg(long, value_parser = table_format(), default_value = "parquet", help_heading = "Output")]
    pub(crate) tables: TableFormat,
    /// Do not write report.html
    #[arg(long, help_heading = "Output")]
    pub(crate) no_report: bool,
    #[command(flatten)]
    pub(crate) report: ReportArgs,
    #[command(flatten)]
    pub(crate) log: LogArgs,
    /// Format of the printed summary
    #[arg(long, value_enum, default_value_t = FormatArg::Text, help_heading = "Running")]
    pub(crate) format: FormatArg,
    /// Print only errors
    #[arg(long, short = 'q', help_heading = "Running")]
    pub(crate) quiet: bool,
}
