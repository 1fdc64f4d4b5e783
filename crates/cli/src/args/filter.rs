//! The arguments of `lookalike filter`.

use super::values::{count, threads, utf8};
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
--threshold and --min-words as for verdicts, or set them with `filter rule`.
Prints what became of each report once it is durable.

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
    /// Report what is new in mail folders of spam and of legitimate mail, or was moved between them
    #[command(after_help = "\
Made for cron: a message counts once for a reporter, whatever its flags and
however often this runs. One that was moved to the other kind of folder is
reported as that, in place of what was reported before. A folder is a Maildir
(with the directories new and cur); its subfolders are folders of their own.

Example:
  lookalike filter folders --prototypes spam.index --reporter ann@example.org \\
      --spam ~/Maildir/.Junk --ham ~/Maildir/.NotJunk -q > /dev/null")]
    Folders(Box<FilterFoldersArgs>),
    /// Print the rule of the filter that is kept with the prototypes, after changing what is given
    #[command(after_help = "\
Verdicts and reports use this rule; what a call gives itself takes precedence.

Example:
  lookalike filter rule --prototypes spam.index --ask contained-in --reports 2")]
    Rule(FilterRuleArgs),
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
    /// [default: that of `filter rule`, else 3]
    #[arg(long, value_name = "N", value_parser = count(), help_heading = "Verdict")]
    pub(crate) reports: Option<u32>,
    /// How many terms or passages a verdict gives as its reasons; 0 for none
    #[arg(long, value_name = "N", default_value_t = 3, help_heading = "Verdict")]
    pub(crate) reasons: usize,
    /// Say the verdict by the exit code: 0 for none and ham, 10 for spam, 11 for unsure, 12 for error; of
    /// several messages the first of spam, unsure and error that occurs
    #[arg(long, help_heading = "Verdict")]
    pub(crate) exit_code: bool,
    /// Print the message of standard input instead of a verdict, byte for byte, with the verdict in a
    /// header field of this name before its own; fields of this name that it had are removed
    #[arg(
        long,
        value_name = "NAME",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = lookalike::filter::MAIL_FIELD,
        value_parser = header_name,
        conflicts_with = "format",
        help_heading = "Verdict"
    )]
    pub(crate) header: Option<String>,
    #[command(flatten)]
    pub(crate) running: FilterRunningArgs,
}

#[derive(Debug, Args)]
pub(crate) struct FilterRuleArgs {
    #[command(flatten)]
    pub(crate) prototypes: PrototypesArgs,
    #[command(flatten)]
    pub(crate) matching: MatchRuleArgs,
    /// How many different reporters have to call a prototype spam before messages that match it are
    #[arg(long, value_name = "N", value_parser = count(), help_heading = "Verdict")]
    pub(crate) reports: Option<u32>,
    /// Format of what is printed [default: text on a terminal, else json]
    #[arg(long, value_enum)]
    pub(crate) format: Option<FormatArg>,
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
pub(crate) struct FilterFoldersArgs {
    #[command(flatten)]
    pub(crate) prototypes: PrototypesArgs,
    /// Who reports: the owner of the folders. One reporter counts once for a prototype
    #[arg(long, value_name = "NAME", value_parser = utf8(), help_heading = "Verdict")]
    pub(crate) reporter: String,
    /// A folder of spam; may be repeated
    #[arg(long, value_name = "MAILDIR", help_heading = "Input", required_unless_present = "ham")]
    pub(crate) spam: Vec<PathBuf>,
    /// A folder of legitimate mail; may be repeated
    #[arg(long, value_name = "MAILDIR", help_heading = "Input")]
    pub(crate) ham: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) fields: FieldArgs,
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
    /// index [default: that of `filter rule`, else resembles]
    #[arg(long, value_name = "ASK", help_heading = "Matching")]
    pub(crate) ask: Option<String>,
    /// Value that the measure has to reach [default: that of `filter rule`, else resembles 0.4, contained-in
    /// 0.5, cosine 0.7, containing 0.8]
    #[arg(long, short = 't', value_name = "RATIO", help_heading = "Matching")]
    pub(crate) threshold: Option<String>,
    /// Messages and prototypes with fewer words match only the same words under the same title
    /// [default: that of `filter rule`, else 64]
    #[arg(long, value_name = "N", help_heading = "Matching")]
    pub(crate) min_words: Option<u32>,
}

#[derive(Debug, Args)]
pub(crate) struct FilterRunningArgs {
    /// Format of what is printed [default: text on a terminal, else json: one object per message]
    #[arg(long, value_enum, help_heading = "Running")]
    pub(crate) format: Option<FormatArg>,
    /// Threads to use [default: all cores]
    #[arg(long, short = 'j', value_name = "N", value_parser = threads(), help_heading = "Running")]
    pub(crate) threads: Option<usize>,
    /// Print only verdicts or reports, and errors
    #[arg(long, short = 'q', help_heading = "Running")]
    pub(crate) quiet: bool,
}

/// The name of a header field.
pub(super) fn header_name(name: &str) -> Result<String, String> {
    match lookalike::filter::can_be_mail_field(name) {
        true => Ok(name.to_owned()),
        false => Err("a header field has a name of letters, digits and hyphens".to_owned()),
    }
}
