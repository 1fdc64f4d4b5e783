//! The arguments of `lookalike lexicon`.

use super::options::choice;
use super::values::{size, threads};
use super::{FormatArg, InputArgs};
use clap::{Args, Subcommand};
use lookalike::settings::{Case, Normalize, Tokens};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct LexiconBuildArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    /// File to write; an existing one is replaced once the new one is complete
    #[arg(long, short = 'o', value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// Term filter: `all`, or rules joined by +: stop, tg5, tl25, nosc, stem, kolcz, no-numbers,
    /// no-dates
    #[arg(long, value_name = "RULES", default_value = "all")]
    pub(crate) terms: String,
    /// Unicode normalisation
    #[arg(long, value_parser = choice::<Normalize>("normalize"), default_value = "nfc")]
    pub(crate) normalize: Normalize,
    /// What tokens are: words, or also each symbol and punctuation character [default: words; symbols
    /// if all inputs are source code]
    #[arg(long, value_parser = choice::<Tokens>("tokens"))]
    pub(crate) tokens: Option<Tokens>,
    /// Upper and lower case: fold to lower case, or keep
    #[arg(long, value_parser = choice::<Case>("case"), default_value = "fold")]
    pub(crate) case: Case,
    /// Memory budget for terms; terms beyond it are spilled to temporary files beside the output
    #[arg(long, value_name = "SIZE", value_parser = size, default_value = "256MiB")]
    pub(crate) memory: usize,
    /// Threads to use [default: all cores]
    #[arg(long, short = 'j', value_name = "N", value_parser = threads())]
    pub(crate) threads: Option<usize>,
    /// Print only errors
    #[arg(long, short = 'q')]
    pub(crate) quiet: bool,
}

#[derive(Debug, Args)]
pub(crate) struct LexiconMergeArgs {
    /// Lexicons of disjoint parts of a collection, built with the same settings
    #[arg(required = true, value_name = "LEXICON")]
    pub(crate) parts: Vec<PathBuf>,
    /// File to write; an existing one is replaced once the new one is complete
    #[arg(long, short = 'o', value_name = "FILE")]
    pub(crate) output: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct LexiconShowArgs {
    /// Lexicon file
    pub(crate) lexicon: PathBuf,
    /// Number of terms to show
    #[arg(long, short = 'n', value_name = "N", default_value_t = 20)]
    pub(crate) count: usize,
    /// Show the terms of lowest document frequency (default: of highest)
    #[arg(long)]
    pub(crate) rarest: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t = FormatArg::Text)]
    pub(crate) format: FormatArg,
}

#[derive(Debug, Args)]
pub(crate) struct LexiconWindowArgs {
    /// Lexicon file
    pub(crate) lexicon: PathBuf,
    /// Range of the normalised idf, both ends included
    #[arg(long, value_name = "LOW..HIGH", default_value = "0.2..0.8")]
    pub(crate) nidf: String,
    /// Print only the number of terms
    #[arg(long)]
    pub(crate) count: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum LexiconCommand {
    /// Count the document frequency of every term, and write a lexicon
    #[command(after_help = "\
Examples:
  lookalike lexicon build news/*.jsonl.gz --output news.lexicon
  lookalike lexicon build mails.csv --text-field body --terms kolcz \\
      --output mails.lexicon")]
    Build(Box<LexiconBuildArgs>),
    /// Merge the lexicons of parts of a collection (the result equals the lexicon of the whole)
    #[command(after_help = "\
Example:
  lookalike lexicon merge january.lexicon february.lexicon \\
      --output both.lexicon")]
    Merge(LexiconMergeArgs),
    /// Show sizes, settings and checksum of a lexicon, and its most or least frequent terms
    #[command(after_help = "\
Example:
  lookalike lexicon show news.lexicon --rarest --count 50")]
    Show(LexiconShowArgs),
    /// List the terms in a range of normalised idf, as I-Match selects them
    #[command(after_help = "\
Example:
  lookalike lexicon window news.lexicon --nidf 0.2..0.8 --count")]
    Window(LexiconWindowArgs),
}
