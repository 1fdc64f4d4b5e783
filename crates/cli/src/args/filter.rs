//! The arguments of `lookalike filter`.

use super::values::{threads, utf8};
use super::{FieldArgs, FormatArg};
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct FilterArgs {
    #[command(subcommand)]
    pub(crate) command: Option<FilterCommand>,
    #[command(flatten)]
    pub(crate) verdicts: FilterVerdictArgs,
}

#[derive(Debug, Subcommand)]
pub(crate) enum FilterCommand {
    /// Report messages as spam or as legitimate, or take that back
    #[command(
        override_usage = "lookalike filter report [OPTIONS] --prototypes <DIR> \\\n             --reporter <NAME> <REPORT> [INPUT]...",
        after_help = "\
A report counts for the prototype that the message matches best, once for each
reporter; a message that matches none becomes one. Give the same --ask,
--threshold and --min-words as for verdicts. Prints what became of each report
once it is durable.

Examples:
  lookalike filter report spam --prototypes spam.index \\
      --reporter ann@example.org < message.jsonl
  lookalike filter report spam --prototypes spam.index \\
      --reporter honeypot Maildir/.Honeypot
  lookalike filter report ham --prototypes spam.index \\
      --reporter postmaster newsletter.eml
  lookalike filter report revoke --prototypes spam.index \\
      --reporter ann@example.org message.eml"
    )]
    Report(Box<FilterReportArgs>),
    /// List the prototypes, with what was reported about them and when they expire
    #[command(after_help = "\
Example:
  lookalike filter list --prototypes spam.index")]
    List(FilterListArgs),
}

/// What is said about a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportArg {
    /// It is spam
    Spam,
    /// It is legitimate: that wins over any number of reports as spam
    Ham,
    /// Take back what this reporter said before
    Revoke,
}

#[derive(Debug, Args)]
pub(crate) struct FilterVerdictArgs {
    /// Directory of the prototypes, an index that `lookalike index create` made
    // Required, but for the subcommands.
    #[arg(long, value_name = "DIR", required = true)]
    pub(crate) prototypes: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) input: MessageArgs,
    #[command(flatten)]
    pub(crate) matching: MatchRuleArgs,
    /// How many different reporters have to call a prototype spam before messages that match it are
    #[arg(
        long,
        value_name = "N",
        value_parser = clap::value_parser!(u32).range(1..),
        default_value_t = 3,
        help_heading = "Verdict"
    )]
    pub(crate) reports: u32,
    /// How many terms or passages a verdict gives as its reasons; 0 for none
    #[arg(long, value_name = "N", default_value_t = 3, help_heading = "Verdict")]
    pub(crate) reasons: usize,
    #[command(flatten)]
    pub(crate) running: FilterRunningArgs,
}

#[derive(Debug, Args)]
pub(crate) struct FilterReportArgs {
    /// What is reported
    #[arg(value_enum, value_name = "REPORT")]
    pub(crate) report: ReportArg,
    #[command(flatten)]
    pub(crate) prototypes: PrototypesArgs,
    /// Who reports: a name or address. One reporter counts once for a prototype
    #[arg(long, value_name = "NAME", value_parser = utf8(), help_heading = "Verdict")]
    pub(crate) reporter: String,
    #[command(flatten)]
    pub(crate) input: MessageArgs,
    #[command(flatten)]
    pub(crate) matching: MatchRuleArgs,
    #[command(flatten)]
    pub(crate) running: FilterRunningArgs,
}

#[derive(Debug, Args)]
pub(crate) struct FilterListArgs {
    #[command(flatten)]
    pub(crate) prototypes: PrototypesArgs,
    /// Format of what is printed [default: text on a terminal, else json: one object per line]
    #[arg(long, value_enum)]
    pub(crate) format: Option<FormatArg>,
}

#[derive(Debug, Args)]
pub(crate) struct PrototypesArgs {
    /// Directory of the prototypes, an index that `lookalike index create` made
    #[arg(long = "prototypes", value_name = "DIR", required = true)]
    pub(crate) dir: PathBuf,
}

/// Messages to read.
#[derive(Debug, Args)]
pub(crate) struct MessageArgs {
    /// Files, directories, globs; `-` for standard input (JSONL, or what --input-format says), which
    /// is also read without INPUT. JSONL from standard input is answered as it arrives
    #[arg(value_name = "INPUT", value_parser = utf8())]
    pub(crate) inputs: Vec<String>,
    #[command(flatten)]
    pub(crate) fields: FieldArgs,
    /// Stop at the first bad record (default: count it, name it and continue)
    #[arg(long, help_heading = "Input", conflicts_with = "skip_unreadable")]
    pub(crate) strict: bool,
    /// Continue when an input cannot be read to its end (damaged, truncated, no permission); it is
    /// counted and named (default: fail)
    #[arg(long, help_heading = "Input")]
    pub(crate) skip_unreadable: bool,
}

/// Which prototypes a message matches.
#[derive(Debug, Args)]
pub(crate) struct MatchRuleArgs {
    /// Which prototypes a message matches: those that it resembles (resembles), that contain it
    /// (containing), that it contains (contained-in), that are near it (cosine), or a method of the
    /// index
    #[arg(long, value_name = "ASK", default_value = "resembles", help_heading = "Matching")]
    pub(crate) ask: String,
    /// Value that the measure has to reach [default: resembles 0.4, contained-in
    /// 0.5, cosine 0.7, containing 0.8]
    #[arg(long, short = 't', value_name = "RATIO", help_heading = "Matching")]
    pub(crate) threshold: Option<String>,
    /// Messages and prototypes with fewer words match only the same words under the same title
    #[arg(long, value_name = "N", default_value_t = 64, help_heading = "Matching")]
    pub(crate) min_words: u32,
}

#[derive(Debug, Args)]
pub(crate) struct FilterRunningArgs {
    /// Format of what is printed [default: text on a terminal, else json: one object per message]
    #[arg(long, value_enum, help_heading = "Running")]
    pub(crate) format: Option<FormatArg>,
    /// Threads to use [default: all cores]
    #[arg(
        long,
        short = 'j',
        value_name = "N",
        value_parser = threads(),
        default_value_t = 0,
        hide_default_value = true,
        help_heading = "Running"
    )]
    pub(crate) threads: usize,
    /// Print only verdicts or reports, and errors
    #[arg(long, short = 'q', help_heading = "Running")]
    pub(crate) quiet: bool,
}
