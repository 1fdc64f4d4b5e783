//! The arguments of `lookalike decontaminate`.

use super::values::utf8;
use super::{ContaminationArgs, InputArgs, SearchArgs};
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use lookalike::contamination::ContaminationAction;

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
    #[command(flatten)]
    pub(crate) search: SearchArgs,
}
