//! The arguments of `lookalike decontaminate`.

use super::options::{choice, table_format};
use super::values::{size, threads, utf8};
use super::{ContaminationArgs, FormatArg, InputArgs, LogArgs};
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use lookalike::contamination::ContaminationAction;
use lookalike::results::TableFormat;
use lookalike::settings::{Case, Normalize, Tokens};
use std::path::PathBuf;

fn action() -> impl TypedValueParser<Value = ContaminationAction> {
    PossibleValuesParser::new(ContaminationAction::ALL.map(ContaminationAction::name))
        .try_map(|name| ContaminationAction::named(&name).ok_or("no action"))
}

#[derive(Debug, Args)]
pub(crate) struct DecontaminateArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    /// Items of benchmarks: all names up to the next option (may be repeated; give INPUT first, or
    /// after --). A file with many records is a benchmark, and so is a directory of text files
    #[arg(long, required = true, value_name = "BENCH", num_args = 1.., value_parser = utf8(), help_heading = "Items of benchmarks")]
    pub(crate) against: Vec<String>,
    #[command(flatten)]
    pub(crate) contamination: ContaminationArgs,
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
    /// What becomes of documents that contain items: list (write no documents), remove, mark (write
    /// all with the fields `contaminated`, `contaminated_items`, `contaminated_item`,
    /// `contaminated_benchmark` and `contaminated_share` added) or cut (write them without the items;
    /// those whose text is not a field, and those of nothing else, are removed)
    #[arg(long, value_name = "ACTION", value_parser = action(), default_value = "list", help_heading = "Output")]
    pub(crate) action: ContaminationAction,
    /// Prefix of the field names that --action mark adds
    #[arg(
        long,
        value_name = "PREFIX",
        default_value = "",
        hide_default_value = true,
        help_heading = "Output"
    )]
    pub(crate) mark_prefix: String,
    /// Stop (exit code 3) before more than this share of the documents is removed or cut
    #[arg(long, value_name = "PERCENT", help_heading = "Guards")]
    pub(crate) max_loss: Option<String>,
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
    /// Memory budget for texts that are read at a time [default: three quarters of the memory
    /// available]; the items and what is found are in memory besides
    #[arg(long, value_name = "SIZE", value_parser = size, help_heading = "Running")]
    pub(crate) memory: Option<usize>,
    /// Threads to use [default: all cores]
    #[arg(long, short = 'j', value_name = "N", value_parser = threads(), help_heading = "Running")]
    pub(crate) threads: Option<usize>,
    /// Directory for copies of standard input and of members of archives [default: the system's for
    /// temporary files]
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
