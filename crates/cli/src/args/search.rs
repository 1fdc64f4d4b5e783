//! The arguments that searches in documents have in common: `decontaminate` and `passages`.

use super::options::{choice, table_format};
use super::values::{size, threads};
use super::{FormatArg, LogArgs};
use clap::Args;
use lookalike::results::TableFormat;
use lookalike::settings::{AnalysisSettings, Case, Normalize, Tokens};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct SearchArgs {
    /// Unicode normalisation
    #[arg(long, value_parser = choice::<Normalize>("normalize"), default_value = "nfc", help_heading = "Matching")]
    pub(crate) normalize: Normalize,
    /// What tokens are: words, or also each symbol and punctuation character [default: words; symbols
    /// if all inputs are source code]
    #[arg(long, value_parser = choice::<Tokens>("tokens"), help_heading = "Matching")]
    pub(crate) tokens: Option<Tokens>,
    /// Upper and lower case: fold to lower case, or keep
    #[arg(long, value_parser = choice::<Case>("case"), default_value = "fold", help_heading = "Matching")]
    pub(crate) case: Case,
    /// Directory for the results; it is created when they are complete. A URL (s3, gs, az) writes
    /// them into an object store
    #[arg(long, short = 'o', value_name = "DIR", help_heading = "Output")]
    pub(crate) output: PathBuf,
    /// Replace the results of an earlier run
    #[arg(long, help_heading = "Output")]
    pub(crate) force: bool,
    /// Format of the tables
    #[arg(long, value_parser = table_format(), default_value = "parquet", help_heading = "Output")]
    pub(crate) tables: TableFormat,
    /// Memory budget (approximate). `passages` spills what it finds beyond it to --scratch;
    /// `decontaminate` reads fewer texts at a time [default: three quarters of the memory available]
    #[arg(long, value_name = "SIZE", value_parser = size, help_heading = "Running")]
    pub(crate) memory: Option<usize>,
    /// Threads to use [default: all cores]
    #[arg(long, short = 'j', value_name = "N", value_parser = threads(), help_heading = "Running")]
    pub(crate) threads: Option<usize>,
    /// Directory for spill files, and for copies of standard input and of members of archives
    /// [default: the one of the output, and the system's for those copies]
    #[arg(long, alias = "tmp-dir", value_name = "DIR", help_heading = "Running")]
    pub(crate) scratch: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) log: LogArgs,
    /// Format of the printed summary
    #[arg(long, value_enum, default_value_t = FormatArg::Text, help_heading = "Running")]
    pub(crate) format: FormatArg,
    /// Print only errors
    #[arg(long, short = 'q', conflicts_with = "verbose", help_heading = "Running")]
    pub(crate) quiet: bool,
    /// Also print every bad record and skipped files
    #[arg(long, short = 'v', help_heading = "Running")]
    pub(crate) verbose: bool,
}

impl SearchArgs {
    /// What a word is.
    pub(crate) fn analysis(&self) -> AnalysisSettings {
        AnalysisSettings {
            normalize: self.normalize,
            tokens: self.tokens,
            case: self.case,
            ..AnalysisSettings::default()
        }
    }
}
