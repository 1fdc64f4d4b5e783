//! The arguments of `lookalike dedup` and `lookalike cluster`.

use super::options::choice;
use super::values::utf8;
use super::{
    AcrossArgs, ContainedArgs, IgnoredArgs, InputArgs, KeepNArgs, LabelArgs, LogArgs, LostArgs,
    MatchArgs, MemoryArgs, OutputArgs, ReportArgs, ResumeArgs, SeedArgs, WitnessArgs,
};
use clap::Args;
use lookalike::settings::Linkage;
use std::path::PathBuf;

/// Arguments of both.
#[derive(Debug, Args)]
pub(crate) struct RunArgs {
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
    /// Write nothing: print which files would be read, the settings, where results would go, and
    /// what `lookalike plan` predicts from a sample
    #[arg(long, help_heading = "Running")]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) resume: ResumeArgs,
    /// Output of `lookalike plan --format json` for this run; the summary compares the prediction
    /// with the outcome
    #[arg(long, value_name = "FILE", help_heading = "Running")]
    pub(crate) plan: Option<PathBuf>,
}

/// Results of both beside the usual ones.
#[derive(Debug, Args)]
pub(crate) struct ExtraArgs {
    /// Also write attributes/, a JSONL file for each input with one line for each of its records, in
    /// order: id, cluster, whether it leads the cluster, whether it is removed
    #[arg(long, help_heading = "Output")]
    pub(crate) attributes: bool,
    /// Also write near_misses, the pairs that miss --threshold by at most this: of kept documents
    /// (`dedup`), or all (`cluster`)
    #[arg(long, value_name = "DISTANCE", help_heading = "Output")]
    pub(crate) near_misses: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct DedupArgs {
    #[command(flatten)]
    pub(crate) run: RunArgs,
    /// How pairs become clusters [default: leaders]
    #[arg(long, value_parser = choice::<Linkage>("linkage"), help_heading = "Which duplicate to keep")]
    pub(crate) linkage: Option<Linkage>,
    #[command(flatten)]
    pub(crate) witness: WitnessArgs,
    #[command(flatten)]
    pub(crate) keep_n: KeepNArgs,
    /// Keep no document of a cluster: only documents without a duplicate are left
    #[arg(long, conflicts_with = "keep-n", help_heading = "Which duplicate to keep")]
    pub(crate) drop_all: bool,
    #[command(flatten)]
    pub(crate) contained: ContainedArgs,
    #[command(flatten)]
    pub(crate) lost: LostArgs,
    #[command(flatten)]
    pub(crate) label: LabelArgs,
    #[command(flatten)]
    pub(crate) across: AcrossArgs,
    #[command(flatten)]
    pub(crate) ignored: IgnoredArgs,
    #[command(flatten)]
    pub(crate) extra: ExtraArgs,
    /// Stop (exit code 3) before more than this share is removed, of all documents or of an input
    /// with at least 100 documents; 0: if there is any duplicate [default: 98% of all, if there are
    /// more than 1000]
    #[arg(long, value_name = "PERCENT", help_heading = "Guards")]
    pub(crate) max_loss: Option<String>,
    /// Stop (exit code 3) if a cluster is larger: a number of documents, or a percentage of all
    #[arg(long, value_name = "N|PERCENT", help_heading = "Guards")]
    pub(crate) max_cluster: Option<String>,
    /// Write the outcome to this file as JUnit XML, replacing it, also if a guard stops the run: a test
    /// case for the guards and one for each removed document, with its witness
    #[arg(long, value_name = "FILE", help_heading = "Guards")]
    pub(crate) junit: Option<PathBuf>,
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
    /// Add the fields `duplicates` and `duplicates_by_source` to kept documents: how many documents were
    /// removed for each, in all and by input file (a JSON object as text)
    #[arg(long, conflicts_with = "mark", help_heading = "Output")]
    pub(crate) add_counts: bool,
    /// Then cut every run of at least N words that stands twice out of what is kept, but for its first copy,
    /// as the command passages does: its tables and its report are in OUT/passages
    #[arg(long, value_name = "N", conflicts_with_all = ["mark", "add_counts"], value_parser = clap::value_parser!(u32).range(1..), help_heading = "Output")]
    pub(crate) passages: Option<u32>,
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
    pub(crate) run: RunArgs,
    /// How pairs become clusters [default: components; leaders with --contained-only and --max-lost]
    #[arg(long, value_parser = choice::<Linkage>("linkage"), help_heading = "Which duplicate to keep")]
    pub(crate) linkage: Option<Linkage>,
    #[command(flatten)]
    pub(crate) witness: WitnessArgs,
    #[command(flatten)]
    pub(crate) contained: ContainedArgs,
    #[command(flatten)]
    pub(crate) lost: LostArgs,
    #[command(flatten)]
    pub(crate) across: AcrossArgs,
    #[command(flatten)]
    pub(crate) ignored: IgnoredArgs,
    #[command(flatten)]
    pub(crate) extra: ExtraArgs,
}

/// Files beside the stream of kept documents of `dedup --output -`.
#[derive(Debug, Args)]
pub(crate) struct StreamArgs {
    /// With `--output -`: write the ledger to this file, replacing it; .parquet, .tsv or .jsonl
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) ledger: Option<PathBuf>,
    /// With `--output -`: write summary.json to this file, replacing it
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) summary: Option<PathBuf>,
}
