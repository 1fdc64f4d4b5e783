//! The arguments of `lookalike dedup` and `lookalike cluster`.

use super::dry_run::DryRunArgs;
use super::options::choice;
use super::values::utf8;
use super::{
    AttributesArgs, ContainedArgs, EarlierArgs, GuardArgs, InputArgs, LogArgs, MatchArgs,
    MemoryArgs, NearMissArgs, OutputArgs, ReportArgs, SeedArgs, StreamArgs, SurvivorArgs,
    WitnessArgs,
};
use clap::Args;
use lookalike::settings::Linkage;

#[derive(Debug, Args)]
pub(crate) struct DedupArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    #[command(flatten)]
    pub(crate) matching: MatchArgs,
    #[command(flatten)]
    pub(crate) seed: SeedArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    #[command(flatten)]
    pub(crate) report: ReportArgs,
    #[command(flatten)]
    pub(crate) log: LogArgs,
    #[command(flatten)]
    pub(crate) memory: MemoryArgs,
    #[command(flatten)]
    pub(crate) dry: DryRunArgs,
    #[command(flatten)]
    pub(crate) earlier: EarlierArgs,
    /// How pairs become clusters [default: leaders]
    #[arg(long, value_parser = choice::<Linkage>("linkage"), help_heading = "Which duplicate to keep")]
    pub(crate) linkage: Option<Linkage>,
    #[command(flatten)]
    pub(crate) witness: WitnessArgs,
    #[command(flatten)]
    pub(crate) survivors: SurvivorArgs,
    #[command(flatten)]
    pub(crate) contained: ContainedArgs,
    #[command(flatten)]
    pub(crate) attributes: AttributesArgs,
    #[command(flatten)]
    pub(crate) near: NearMissArgs,
    #[command(flatten)]
    pub(crate) guards: GuardArgs,
    /// Remove from INPUT the duplicates of documents in this collection, which is not changed: all
    /// names up to the next option (may be repeated; give INPUT first, or after --). --measure containment: of the INPUT document in the other, whichever is smaller
    #[arg(long, value_name = "OTHER", num_args = 1.., value_parser = utf8(), help_heading = "Which duplicate to keep")]
    pub(crate) against: Vec<String>,
    /// With --against: remove no other duplicates; repeats within INPUT are kept
    #[arg(long, requires = "against", help_heading = "Which duplicate to keep")]
    pub(crate) against_only: bool,
    /// Remove nothing; write all documents with the fields `duplicate_of`, `duplicate_of_file`,
    /// `duplicate_of_record`, `resemblance`, `cluster`, `is_duplicate` and `duplicates` added
    #[arg(long, help_heading = "Output")]
    pub(crate) mark: bool,
    /// Prefix of the field names that --mark adds
    #[arg(
        long,
        value_name = "PREFIX",
        default_value = "",
        hide_default_value = true,
        requires = "mark",
        help_heading = "Output"
    )]
    pub(crate) mark_prefix: String,
    /// Also copy the kept text, Markdown, HTML and mail files that are one document (otherwise they
    /// are only listed)
    #[arg(long, help_heading = "Output")]
    pub(crate) copy_files: bool,
    #[command(flatten)]
    pub(crate) stream: StreamArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ClusterArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    #[command(flatten)]
    pub(crate) matching: MatchArgs,
    #[command(flatten)]
    pub(crate) seed: SeedArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    #[command(flatten)]
    pub(crate) report: ReportArgs,
    #[command(flatten)]
    pub(crate) log: LogArgs,
    #[command(flatten)]
    pub(crate) memory: MemoryArgs,
    #[command(flatten)]
    pub(crate) dry: DryRunArgs,
    #[command(flatten)]
    pub(crate) earlier: EarlierArgs,
    /// How pairs become clusters [default: components; leaders with --contained-only]
    #[arg(long, value_parser = choice::<Linkage>("linkage"), help_heading = "Which duplicate to keep")]
    pub(crate) linkage: Option<Linkage>,
    #[command(flatten)]
    pub(crate) witness: WitnessArgs,
    #[command(flatten)]
    pub(crate) contained: ContainedArgs,
    #[command(flatten)]
    pub(crate) attributes: AttributesArgs,
    #[command(flatten)]
    pub(crate) near: NearMissArgs,
}
