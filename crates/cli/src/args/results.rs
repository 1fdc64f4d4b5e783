//! The arguments of `lookalike show`, `lookalike compare-runs` and `lookalike undo`.

use super::FormatArg;
use super::options::table_format;
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use lookalike::input::Extractor;
use lookalike::results::{DifferenceKind, RunChange, TableFormat};
use std::path::PathBuf;

fn difference_kind() -> impl TypedValueParser<Value = DifferenceKind> {
    let names = DifferenceKind::ALL.map(DifferenceKind::name);
    PossibleValuesParser::new(names)
        .try_map(|name| DifferenceKind::named(&name).ok_or("no kind of difference"))
}

#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    /// Output directory of the run
    #[arg(value_name = "RUN")]
    pub(crate) run: PathBuf,
    /// Show the cluster of this document: its id, or FILE:RECORD
    #[arg(value_name = "ID", group = "what")]
    pub(crate) id: Option<String>,
    /// Show the documents of this cluster
    #[arg(long, value_name = "NUMBER", group = "what")]
    pub(crate) cluster: Option<u64>,
    /// Show how many documents this input lost, and of which inputs they are duplicates
    #[arg(long, value_name = "INPUT", group = "what")]
    pub(crate) source: Option<String>,
    /// Show the removed documents that differ from the kept ones in this
    #[arg(long, value_name = "KIND", value_parser = difference_kind(), group = "what")]
    pub(crate) differs: Option<DifferenceKind>,
    /// Show the removed documents that have N words or more that the kept ones lack
    #[arg(long, value_name = "N", group = "what")]
    pub(crate) lost: Option<u64>,
    /// Show the documents whose text contains TEXT; reads the inputs again
    #[arg(long, value_name = "TEXT", group = "what")]
    pub(crate) grep: Option<String>,
    /// Of a result of `passages`: show the passages with the most copies, or with ID those of a document
    #[arg(long, conflicts_with_all = ["cluster", "source", "differs", "lost", "grep"])]
    pub(crate) passages: bool,
    /// With --grep: start this command of the run's --extract again (repeatable)
    #[arg(long, value_name = "EXT=COMMAND")]
    pub(crate) extract: Vec<Extractor>,
    /// Show at most N rows
    #[arg(long, short = 'n', value_name = "N", default_value_t = 20)]
    pub(crate) limit: usize,
    /// Output format
    #[arg(long, value_enum, default_value_t = FormatArg::Text)]
    pub(crate) format: FormatArg,
}

fn run_change() -> impl TypedValueParser<Value = RunChange> {
    PossibleValuesParser::new(RunChange::ALL.map(RunChange::name))
        .try_map(|name| RunChange::named(&name).ok_or("nothing that is listed"))
}

#[derive(Debug, Args)]
pub(crate) struct CompareRunsArgs {
    /// Output directory of a run of `dedup` or `cluster`
    #[arg(value_name = "A")]
    pub(crate) a: PathBuf,
    /// Output directory of another run over the same inputs
    #[arg(value_name = "B")]
    pub(crate) b: PathBuf,
    /// List documents that only A or only B removed, or both for another witness or by another rule,
    /// or clusters of A that are split in B, or clusters of B that are merged from several of A
    #[arg(long, value_name = "WHAT", value_parser = run_change())]
    pub(crate) list: Option<RunChange>,
    /// List at most N rows
    #[arg(long, short = 'n', value_name = "N", default_value_t = 20)]
    pub(crate) limit: usize,
    /// Directory for the tables `changed` and `regrouped`, which have all rows
    #[arg(long, short = 'o', value_name = "DIR", help_heading = "Output")]
    pub(crate) output: Option<PathBuf>,
    /// Replace an earlier result
    #[arg(long, requires = "output", help_heading = "Output")]
    pub(crate) force: bool,
    /// Format of the tables
    #[arg(long, value_parser = table_format(), default_value = "parquet", help_heading = "Output")]
    pub(crate) tables: TableFormat,
    /// Output format
    #[arg(long, value_enum, default_value_t = FormatArg::Text)]
    pub(crate) format: FormatArg,
}

#[derive(Debug, Args)]
pub(crate) struct UndoArgs {
    /// Output directory of the run
    #[arg(value_name = "RUN")]
    pub(crate) run: PathBuf,
    /// Removed documents to restore: ids, or FILE:RECORD
    #[arg(value_name = "ID", required_unless_present = "cluster")]
    pub(crate) documents: Vec<String>,
    /// Restore all removed documents of this cluster (may be repeated)
    #[arg(long, value_name = "NUMBER")]
    pub(crate) cluster: Vec<u64>,
    /// Directory for the results; it is created when they are complete
    #[arg(long, short = 'o', value_name = "DIR", help_heading = "Output")]
    pub(crate) output: PathBuf,
    /// Replace the results of an earlier run
    #[arg(long, help_heading = "Output")]
    pub(crate) force: bool,
    /// Format of the printed summary
    #[arg(long, value_enum, default_value_t = FormatArg::Text, help_heading = "Running")]
    pub(crate) format: FormatArg,
    /// Print only errors
    #[arg(long, short = 'q', help_heading = "Running")]
    pub(crate) quiet: bool,
}
