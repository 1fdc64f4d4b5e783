//! Arguments about results and resources: output, memory, threads, spill files and checkpoints.

use super::options::table_format;
use super::values::{size, threads};
use crate::log::Log;
use clap::{Args, ValueEnum};
use lookalike::results::TableFormat;
use std::path::PathBuf;

/// Threads and temporary files: options of every command that runs on a collection.
#[derive(Debug, Args)]
pub(crate) struct RunningArgs {
    /// Threads to use [default: all cores]
    #[arg(long, short = 'j', value_name = "N", value_parser = threads(), help_heading = "Running")]
    pub(crate) threads: Option<usize>,
    /// Directory for spill files and checkpoints [default: the directory of the output, or the
    /// system's for temporary files]
    #[arg(long, alias = "tmp-dir", value_name = "DIR", help_heading = "Running")]
    pub(crate) scratch: Option<PathBuf>,
}

/// The memory budget.
#[derive(Debug, Args)]
pub(crate) struct MemoryArgs {
    /// Memory budget (approximate). Data beyond half of it is spilled to --scratch [default: three
    /// quarters of the memory available, and spilling beyond half of the inputs' size]
    #[arg(long, value_name = "SIZE", value_parser = size, help_heading = "Running")]
    pub(crate) memory: Option<usize>,
}

/// Runs that can be continued.
#[derive(Debug, Args)]
pub(crate) struct ResumeArgs {
    /// Write checkpoints to OUT.scratch (in --scratch, or beside the output), and continue from the
    /// checkpoints of an earlier run of the same job. They are also written if --scratch is given or
    /// if the inputs may not fit into memory
    #[arg(long, help_heading = "Running")]
    pub(crate) resume: bool,
}

#[derive(Debug, Args)]
pub(crate) struct OutputArgs {
    /// Directory for the results; it is created when they are complete. A URL (s3, gs, az) writes
    /// them into an object store; `dedup --output -` writes the kept documents to standard output
    #[arg(long, short = 'o', value_name = "DIR", help_heading = "Output")]
    pub(crate) output: PathBuf,
    /// Replace the results of an earlier run
    #[arg(long, help_heading = "Output")]
    pub(crate) force: bool,
    /// Format of the tables
    #[arg(long, value_parser = table_format(), default_value = "parquet", help_heading = "Output")]
    pub(crate) tables: TableFormat,
    /// Do not write report.html, and do not read the texts for it
    #[arg(long, help_heading = "Output")]
    pub(crate) no_report: bool,
    /// Maximum number of pairs to list; beyond it, only pairs that caused a removal are listed
    /// (`evaluate` stops)
    #[arg(long, value_name = "N", default_value_t = 10_000_000, help_heading = "Output")]
    pub(crate) max_pairs: u64,
    #[command(flatten)]
    pub(crate) running: RunningArgs,
    /// Format of the printed summary
    #[arg(long, value_enum, default_value_t = FormatArg::Text, help_heading = "Running")]
    pub(crate) format: FormatArg,
    /// Print only errors
    #[arg(long, short = 'q', conflicts_with = "verbose", help_heading = "Running")]
    pub(crate) quiet: bool,
    /// Also print every bad record, skipped files and the time of every phase
    #[arg(long, short = 'v', help_heading = "Running")]
    pub(crate) verbose: bool,
}

/// The report.
#[derive(Debug, Args)]
pub(crate) struct ReportArgs {
    /// Most data that report.html has in itself; larger lists of clusters are in report-data beside
    /// it
    #[arg(long, value_name = "SIZE", value_parser = size, default_value = "20MB", conflicts_with = "no_report", help_heading = "Output")]
    pub(crate) report_size: usize,
}

/// Messages on standard error.
#[derive(Debug, Args)]
pub(crate) struct LogArgs {
    /// What is written on standard error: text, or one JSON object a line (phases, progress at most
    /// once a second, warnings, problems, the result)
    #[arg(long, value_enum, default_value_t, value_name = "FORM", help_heading = "Running")]
    pub(crate) log: Log,
}

/// Output formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FormatArg {
    Text,
    Json,
}
