//! The arguments of `lookalike plan`.

use super::options::choice;
use super::values::size;
use super::{
    AcrossArgs, FormatArg, IgnoredArgs, InputArgs, LabelArgs, LogArgs, MatchArgs, MemoryArgs,
    RunningArgs, WitnessArgs,
};
use clap::Args;
use lookalike::settings::Linkage;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct PlanArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    #[command(flatten)]
    pub(crate) matching: MatchArgs,
    /// How pairs become clusters [default: as --command does]
    #[arg(long, value_parser = choice::<Linkage>("linkage"), help_heading = "Which duplicate to keep")]
    pub(crate) linkage: Option<Linkage>,
    #[command(flatten)]
    pub(crate) witness: WitnessArgs,
    #[command(flatten)]
    pub(crate) label: LabelArgs,
    #[command(flatten)]
    pub(crate) across: AcrossArgs,
    #[command(flatten)]
    pub(crate) ignored: IgnoredArgs,
    /// Recommend rules by the labels of this file, as for `evaluate`: pairs or clusters, or the pairs that were
    /// judged in a report
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with = "label-field",
        help_heading = "Which duplicate to keep"
    )]
    pub(crate) labels: Option<PathBuf>,
    /// Command to plan
    #[arg(long, value_parser = ["dedup", "cluster"], default_value = "dedup", help_heading = "Plan")]
    pub(crate) command: String,
    /// Size of the sample; it is read several times [default: one in 96 of the inputs, 4 to 64 MiB]
    #[arg(long, value_name = "SIZE", value_parser = size, help_heading = "Plan")]
    pub(crate) sample: Option<usize>,
    /// Read the sample only, and not all documents once to count copies and to estimate removal: in
    /// less time, and with a wider range
    #[arg(long, help_heading = "Plan")]
    pub(crate) quick: bool,
    /// Random seed of the sample
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = "Plan")]
    pub(crate) seed: u64,
    /// Minimum recall of the recommended method (above 0, at most 1)
    #[arg(long, value_name = "RATIO", default_value_t = 1.0, help_heading = "Plan")]
    pub(crate) recall: f64,
    #[command(flatten)]
    pub(crate) memory: MemoryArgs,
    #[command(flatten)]
    pub(crate) running: RunningArgs,
    #[command(flatten)]
    pub(crate) log: LogArgs,
    /// Output format; `dedup --plan` and `cluster --plan` read json
    #[arg(long, value_enum, default_value_t = FormatArg::Text, help_heading = "Running")]
    pub(crate) format: FormatArg,
    /// Print only errors and, with --format json, the plan
    #[arg(long, short = 'q', conflicts_with = "verbose", help_heading = "Running")]
    pub(crate) quiet: bool,
    /// Also print every bad record of the sample and the time of every phase
    #[arg(long, short = 'v', help_heading = "Running")]
    pub(crate) verbose: bool,
}
