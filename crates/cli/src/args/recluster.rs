//! What can be typed behind `recluster`.

use super::{FormatArg, LinkageArg, MeasureArg, TablesArg, WitnessArg};
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct ReclusterArgs {
    /// Directory of a finished `cluster` or `recluster` run
    #[arg(value_name = "RUN")]
    pub(crate) run: PathBuf,
    /// Documents that reach this are near-duplicates: at least what the run asked for
    #[arg(long, short = 't', value_name = "RATIO", help_heading = "Matching")]
    pub(crate) threshold: String,
    /// What is measured [default: what the run measured]
    ///
    /// A run by containment holds the pairs by all measures, one by cosine those by resemblance too, one
    /// by resemblance those by cosine c where c² is its threshold or more.
    #[arg(long, value_enum, help_heading = "Matching")]
    pub(crate) measure: Option<MeasureArg>,
    /// How pairs become clusters [default: as in the run]
    #[arg(long, value_enum, help_heading = "Survivors")]
    pub(crate) linkage: Option<LinkageArg>,
    /// With --linkage leaders: which kept match of a removed document is named, the first in order of
    /// precedence or the best by --measure (of equals the first) [default: as in the run]
    #[arg(long, value_enum, value_name = "RULE", help_heading = "Survivors")]
    pub(crate) witness: Option<WitnessArg>,
    /// Who leads: the run's own rules, or first, longest, shortest [default: the run's own rules]
    #[arg(long, value_name = "RULE", value_delimiter = ',', help_heading = "Survivors")]
    pub(crate) keep: Option<Vec<String>>,
    /// Directory for the results; it appears when they are whole
    #[arg(long, short = 'o', value_name = "DIR", help_heading = "Output")]
    pub(crate) output: PathBuf,
    /// Replace the results of an earlier run
    #[arg(long, help_heading = "Output")]
    pub(crate) force: bool,
    /// Form of the tables
    #[arg(long, value_enum, default_value_t = TablesArg::Parquet, help_heading = "Output")]
    pub(crate) tables: TablesArg,
    /// Write no report.html
    #[arg(long, help_heading = "Output")]
    pub(crate) no_report: bool,
    /// Form of what is printed at the end
    #[arg(long, value_enum, default_value_t = FormatArg::Text, help_heading = "Running")]
    pub(crate) format: FormatArg,
    /// Print nothing but errors
    #[arg(long, short = 'q', help_heading = "Running")]
    pub(crate) quiet: bool,
}
