//! What can be typed, and nothing of what it means.

mod evaluate;
mod plan;
mod recluster;

pub(crate) use evaluate::EvaluateArgs;
pub(crate) use plan::PlanArgs;
pub(crate) use recluster::ReclusterArgs;

use clap::builder::{OsStringValueParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Finds the near-duplicate documents in any collection, and proves each one.
#[derive(Debug, Parser)]
#[command(
    name = "lookalike",
    version,
    max_term_width = 100,
    after_help = "\
Exit codes: 0 done; 1 failed, or not a single document could be read; 2 wrong usage; 3 stopped by a
guard (--strict, an input that changed, too many pairs); 101 internal error; 130 SIGINT; 143 SIGTERM.
Results are written whole or not at all; without any document they say what was wrong.
Start with: lookalike dedup docs.jsonl --output clean"
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Remove near-duplicates: kept documents, removed documents and the proof of every decision
    #[command(after_help = "\
Examples:
  lookalike dedup docs.jsonl --output clean
  lookalike dedup crawl/*.jsonl.zst --output clean --threshold 0.85 --keep newest --keep longest
  lookalike dedup new/ --against corpus.parquet --output fresh
  lookalike dedup mails.csv --text-field body --measure cosine --threshold 0.9 --output clean
  zcat docs.jsonl.gz | lookalike dedup - --output clean --tables tsv")]
    Dedup(DedupArgs),
    /// Find near-duplicates and remove nothing: all pairs and clusters
    #[command(after_help = "\
Examples:
  lookalike cluster docs.jsonl --output found --tables tsv
  lookalike cluster licences/ --measure containment --threshold 0.9 --output found
  lookalike cluster pages/ --linkage leaders --output found")]
    Cluster(ClusterArgs),
    /// Say from a sample what a long run will find and cost, and which method to take
    #[command(after_help = "\
Reads a sample and writes nothing. Methods are shown with the recall that they will have, the time, the
memory and the temporary files that they will take on this machine.

Examples:
  lookalike plan crawl/*.jsonl.zst
  lookalike plan crawl/*.jsonl.zst --recall 0.95 --memory 8GiB --sample 256MiB
  lookalike plan docs.jsonl --format json > docs.plan
  lookalike dedup docs.jsonl --output clean --plan docs.plan     # and how far off it was")]
    Plan(PlanArgs),
    /// Cluster a finished `cluster` run anew at another threshold, without reading the documents
    #[command(after_help = "\
Examples:
  lookalike cluster docs.jsonl --threshold 0.5 --output low
  lookalike recluster low --threshold 0.8 --output high
  lookalike recluster low --threshold 0.8 --linkage leaders --keep longest --output led")]
    Recluster(ReclusterArgs),
    /// Compare two documents: resemblance, containments, cosine, and where they differ
    #[command(after_help = "\
A document is a text, Markdown or HTML file, or FILE#ID for a record of a JSONL, CSV or Parquet file.

Examples:
  lookalike compare old.html new.html
  lookalike compare docs.jsonl#17 docs.jsonl#42 --shingle 3
  lookalike compare a.txt b.txt --format json")]
    Compare(CompareArgs),
    /// Explain why two documents of a run were joined, or were not
    #[command(after_help = "\
Examples:
  lookalike explain doc-17 doc-42 --run clean
  lookalike explain 'docs.jsonl:3' 'docs.jsonl:9' --run clean --format json")]
    Explain(ExplainArgs),
    /// Measure methods against exact truth on a collection: recall, precision, clusters, cost
    #[command(after_help = "\
A method is NAME:PARAMETER=VALUE,… (`lookalike methods` lists them), or `exact` for the exact join. Behind
an @ stands what decides about its candidates: @sketch (default), @exact or @none. One parameter may be a
range, d=0..=8, or a list, t=0.5|0.7|0.9: the values become a series.

Examples:
  lookalike evaluate docs.jsonl --output measured
  lookalike evaluate docs.jsonl --methods exact minhash-lsh@none 'simhash:d=0..=8' --output measured
  lookalike evaluate mails.jsonl --measure cosine --terms kolcz -t 0.9 --methods 'imatch-random:copies=0..=10' \\
      --lexicon news.lexicon --classes labels.tsv --output measured
  lookalike evaluate crawl/*.jsonl.zst --sample 1000 --output measured")]
    Evaluate(EvaluateArgs),
    /// Document frequencies of a collection: build them once, use them with any method
    #[command(subcommand)]
    Lexicon(LexiconCommand),
    /// List the methods of the papers and their parameters
    #[command(after_help = "\
Examples:
  lookalike methods
  lookalike methods minhash-lsh
  lookalike methods minhash-lsh:t=0.7,recall=0.99")]
    Methods(MethodsArgs),
    /// Print the completion script of a shell
    #[command(after_help = "\
Example:
  lookalike completions bash > ~/.local/share/bash-completion/completions/lookalike")]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}

/// What a command takes of the machine, whatever it does.
#[derive(Debug, Args)]
pub(crate) struct RunningArgs {
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
    /// Directory for temporary files, and for what a stopped run is resumed from [default: beside the output,
    /// else the system's]
    #[arg(long, alias = "tmp-dir", value_name = "DIR", help_heading = "Running")]
    pub(crate) scratch: Option<PathBuf>,
}

/// How much a run may take.
#[derive(Debug, Args)]
pub(crate) struct MemoryArgs {
    /// Memory to take, about; documents and feature sets that have no room in half of it go to a file in
    /// --scratch, or beside the output [default: three quarters of the machine's]
    #[arg(long, value_name = "SIZE", value_parser = size, help_heading = "Running")]
    pub(crate) memory: Option<usize>,
}

/// What was said and done before.
#[derive(Debug, Args)]
pub(crate) struct EarlierArgs {
    /// Go on from where an earlier run of the same job was stopped, if it was; its state is in OUT.scratch, in
    /// --scratch or beside the output. Kept without being asked where --scratch is given, or where the
    /// inputs may not fit into memory
    #[arg(long, help_heading = "Running")]
    pub(crate) resume: bool,
    /// What `lookalike plan --format json` said of this run: the summary then tells how far off it was
    #[arg(long, value_name = "FILE", help_heading = "Running")]
    pub(crate) plan: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct DedupArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    #[command(flatten)]
    pub(crate) matching: MatchArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    #[command(flatten)]
    pub(crate) memory: MemoryArgs,
    #[command(flatten)]
    pub(crate) earlier: EarlierArgs,
    /// How pairs become clusters [default: leaders]
    #[arg(long, value_enum, default_value_t = LinkageArg::Leaders, hide_default_value = true, help_heading = "Survivors")]
    pub(crate) linkage: LinkageArg,
    #[command(flatten)]
    pub(crate) witness: WitnessArgs,
    /// Remove from INPUT what is in this collection, and leave it untouched (may be repeated)
    #[arg(long, value_name = "OTHER", value_parser = utf8(), help_heading = "Survivors")]
    pub(crate) against: Vec<String>,
    /// With --against: remove nothing else, even where INPUT repeats itself
    #[arg(long, requires = "against", help_heading = "Survivors")]
    pub(crate) against_only: bool,
    /// Remove nothing: write all documents with `duplicate_of`, `duplicate_of_file`, `duplicate_of_record`,
    /// `resemblance` and `cluster` added
    #[arg(long, help_heading = "Output")]
    pub(crate) mark: bool,
    /// Put this before the names that --mark adds
    #[arg(
        long,
        value_name = "PREFIX",
        default_value = "",
        hide_default_value = true,
        requires = "mark",
        help_heading = "Output"
    )]
    pub(crate) mark_prefix: String,
    /// Copy the kept text, Markdown and HTML files besides listing them
    #[arg(long, help_heading = "Output")]
    pub(crate) copy_files: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ClusterArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    #[command(flatten)]
    pub(crate) matching: MatchArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    #[command(flatten)]
    pub(crate) memory: MemoryArgs,
    #[command(flatten)]
    pub(crate) earlier: EarlierArgs,
    /// How pairs become clusters [default: components]
    #[arg(long, value_enum, default_value_t = LinkageArg::Components, hide_default_value = true, help_heading = "Survivors")]
    pub(crate) linkage: LinkageArg,
    #[command(flatten)]
    pub(crate) witness: WitnessArgs,
}

/// Which kept match is named.
#[derive(Debug, Args)]
pub(crate) struct WitnessArgs {
    /// With --linkage leaders: which kept match of a removed document is named, the first in order of
    /// precedence or the best by --measure (of equals the first) [default: first]
    ///
    /// The same documents are removed. `best` compares every kept match and not only those up to the first:
    /// on large families of versions of one text this takes several times as long.
    #[arg(long, value_enum, value_name = "RULE", help_heading = "Survivors")]
    pub(crate) witness: Option<WitnessArg>,
}

#[derive(Debug, Args)]
pub(crate) struct CompareArgs {
    /// The first document
    #[arg(value_parser = utf8())]
    pub(crate) a: String,
    /// The second document
    #[arg(value_parser = utf8())]
    pub(crate) b: String,
    #[command(flatten)]
    pub(crate) fields: FieldArgs,
    #[command(flatten)]
    pub(crate) criterion: CriterionArgs,
    #[command(flatten)]
    pub(crate) analysis: AnalysisArgs,
    /// Form of the answer
    #[arg(long, value_enum, default_value_t = FormatArg::Text)]
    pub(crate) format: FormatArg,
}

#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    /// The first document: its id, or FILE:RECORD
    pub(crate) a: String,
    /// The second document: its id, or FILE:RECORD
    pub(crate) b: String,
    /// Directory of the run
    #[arg(long, value_name = "DIR")]
    pub(crate) run: PathBuf,
    /// Form of the answer
    #[arg(long, value_enum, default_value_t = FormatArg::Text)]
    pub(crate) format: FormatArg,
}

#[derive(Debug, Args)]
pub(crate) struct InputArgs {
    /// Files, directories, globs; `-` for JSONL on standard input.
    ///
    /// JSONL, CSV, TSV and Parquet files hold many documents; text, Markdown and HTML files one
    /// each. gzip, zstd, bzip2 and xz around them are taken off.
    #[arg(required = true, value_name = "INPUT", value_parser = utf8())]
    pub(crate) inputs: Vec<String>,
    #[command(flatten)]
    pub(crate) fields: FieldArgs,
    /// Stop at the first bad record instead of counting it and going on
    #[arg(long, help_heading = "Input", conflicts_with = "skip_unreadable")]
    pub(crate) strict: bool,
    /// Go on without what cannot be read of an input (damaged, cut off, no permission) instead of
    /// failing; the input is counted and named
    #[arg(long, help_heading = "Input")]
    pub(crate) skip_unreadable: bool,
}

#[derive(Debug, Args)]
pub(crate) struct FieldArgs {
    /// Field, column or key that holds the text
    #[arg(
        long,
        alias = "text-column",
        alias = "text-key",
        value_name = "NAME",
        default_value = "text",
        help_heading = "Input"
    )]
    pub(crate) text_field: String,
    /// Field that holds the document's id; without one it is named FILE:RECORD
    #[arg(
        long,
        alias = "id-column",
        value_name = "NAME",
        default_value = "id",
        help_heading = "Input"
    )]
    pub(crate) id_field: String,
    /// Field that holds the HTML, used where a record has no text
    #[arg(long, value_name = "NAME", default_value = "html", help_heading = "Input")]
    pub(crate) html_field: String,
    /// Field that holds the address
    #[arg(long, value_name = "NAME", default_value = "url", help_heading = "Input")]
    pub(crate) url_field: String,
    /// Field that holds the title
    #[arg(long, value_name = "NAME", default_value = "title", help_heading = "Input")]
    pub(crate) title_field: String,
    /// Field that holds the date, for --keep newest and oldest
    #[arg(long, value_name = "NAME", default_value = "date", help_heading = "Input")]
    pub(crate) date_field: String,
    /// Form of every input, whatever its name says
    #[arg(long, value_enum, value_name = "FORM", help_heading = "Input")]
    pub(crate) input_format: Option<InputFormatArg>,
    /// Records longer than this are reported and left out
    #[arg(long, value_name = "SIZE", value_parser = size, default_value = "256MiB", help_heading = "Input")]
    pub(crate) max_record: usize,
}

/// What makes two documents near-duplicates.
#[derive(Debug, Args)]
pub(crate) struct CriterionArgs {
    /// Documents that reach this are near-duplicates (above 0, at most 1)
    #[arg(
        long,
        short = 't',
        value_name = "RATIO",
        default_value = "0.8",
        help_heading = "Matching"
    )]
    pub(crate) threshold: String,
    /// What is measured
    #[arg(long, value_enum, default_value_t = MeasureArg::Resemblance, help_heading = "Matching")]
    pub(crate) measure: MeasureArg,
}

#[derive(Debug, Args)]
pub(crate) struct MatchArgs {
    #[command(flatten)]
    pub(crate) criterion: CriterionArgs,
    #[command(flatten)]
    pub(crate) analysis: AnalysisArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
    #[command(flatten)]
    pub(crate) least: MinFeaturesArgs,
    #[command(flatten)]
    pub(crate) method: MethodArgs,
    /// Who survives; several rules apply in their order, ties go by id
    #[arg(
        long,
        value_name = "RULE",
        value_delimiter = ',',
        default_value = "first",
        help_heading = "Survivors",
        long_help = "Who survives: first (in the order of file names and records), longest, shortest, newest, oldest, \
                     max:FIELD or min:FIELD. Several rules apply in their order, ties go by id. With --measure \
                     containment the larger document always survives, and the rules decide between equals."
    )]
    pub(crate) keep: Vec<String>,
}

/// What is removed from feature sets.
#[derive(Debug, Args)]
pub(crate) struct CommonArgs {
    /// Remove shingles that more than N distinct documents have from all sets and sketches
    #[arg(
        long,
        value_name = "N",
        value_parser = clap::value_parser!(u32).range(1..),
        help_heading = "Matching",
        long_help = "Remove the shingles (terms, for --measure cosine) that are in more than N distinct feature sets, \
                     INPUT and --against together, from every set and sketch before documents are compared: \
                     headers, footers and licences that many documents share then make no two of them alike. \
                     Documents with nothing else match nothing, and are counted. All documents are read once more, \
                     first."
    )]
    pub(crate) ignore_common: Option<u32>,
}

/// Which documents are compared.
#[derive(Debug, Args)]
pub(crate) struct MinFeaturesArgs {
    /// Documents with fewer features (shingles or terms) than this are in a pair only with documents of the same
    /// words [default: 10 where terms are compared (--measure cosine without --shingle), else 1]
    #[arg(
        long,
        value_name = "N",
        value_parser = clap::value_parser!(u32).range(1..),
        help_heading = "Matching"
    )]
    pub(crate) min_features: Option<u32>,
}

/// How candidates are found, where not by the exact join.
#[derive(Debug, Args)]
pub(crate) struct MethodArgs {
    /// Find candidates by a method of the papers instead of the exact join: NAME:PARAMETER=VALUE,…
    /// (`lookalike methods` lists them)
    #[arg(long, value_name = "METHOD", help_heading = "Method")]
    pub(crate) method: Option<String>,
    /// What decides about a method's candidates: their whole feature sets, the method's own sketches,
    /// or nothing more than a key in common
    #[arg(
        long,
        value_enum,
        value_name = "BY",
        default_value_t = VerifyArg::Exact,
        requires = "method",
        help_heading = "Method"
    )]
    pub(crate) verify: VerifyArg,
    /// Document frequencies for the method, made by `lookalike lexicon build` [default: those of INPUT]
    #[arg(long, value_name = "FILE", requires = "method", value_parser = utf8(), help_heading = "Method")]
    pub(crate) lexicon: Option<String>,
    /// Refuse a lexicon with another checksum (`lookalike lexicon show` and a run's summary name it)
    #[arg(long, value_name = "HEX", value_parser = checksum, requires = "lexicon", help_heading = "Method")]
    pub(crate) lexicon_checksum: Option<String>,
    /// Do not look up keys that more than N distinct documents have, and count them (sets and sketches
    /// keep them: --ignore-common removes shingles)
    #[arg(long, value_name = "N", requires = "method", help_heading = "Method")]
    pub(crate) key_limit: Option<u32>,
}

#[derive(Debug, Args)]
pub(crate) struct LexiconBuildArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    /// The file to write; one that is there is replaced when the new one is whole
    #[arg(long, short = 'o', value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// Which tokens count as terms, rules joined by +: stop, tg5, tl25, nosc, stem, kolcz, no-numbers,
    /// no-dates
    #[arg(long, value_name = "RULES", default_value = "all")]
    pub(crate) terms: String,
    /// Unicode normalisation
    #[arg(long, value_enum, default_value_t = NormalizeArg::Nfc)]
    pub(crate) normalize: NormalizeArg,
    /// Memory for terms; more go to temporary files beside the output
    #[arg(long, value_name = "SIZE", value_parser = size, default_value = "256MiB")]
    pub(crate) memory: usize,
    /// Threads to use [default: all cores]
    #[arg(
        long,
        short = 'j',
        value_name = "N",
        value_parser = threads(),
        default_value_t = 0,
        hide_default_value = true
    )]
    pub(crate) threads: usize,
    /// Print nothing but errors
    #[arg(long, short = 'q')]
    pub(crate) quiet: bool,
}

#[derive(Debug, Args)]
pub(crate) struct LexiconMergeArgs {
    /// Lexicons of different documents, made with the same settings
    #[arg(required = true, value_name = "LEXICON")]
    pub(crate) parts: Vec<PathBuf>,
    /// The file to write; one that is there is replaced when the new one is whole
    #[arg(long, short = 'o', value_name = "FILE")]
    pub(crate) output: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct LexiconShowArgs {
    /// The lexicon
    pub(crate) lexicon: PathBuf,
    /// Terms to show
    #[arg(long, short = 'n', value_name = "N", default_value_t = 20)]
    pub(crate) count: usize,
    /// The rarest terms instead of the commonest
    #[arg(long)]
    pub(crate) rarest: bool,
    /// Form of the answer
    #[arg(long, value_enum, default_value_t = FormatArg::Text)]
    pub(crate) format: FormatArg,
}

#[derive(Debug, Args)]
pub(crate) struct LexiconWindowArgs {
    /// The lexicon
    pub(crate) lexicon: PathBuf,
    /// Bounds of the normalised idf, both included
    #[arg(long, value_name = "LOW..HIGH", default_value = "0.2..0.8")]
    pub(crate) nidf: String,
    /// Only count the terms
    #[arg(long)]
    pub(crate) count: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum LexiconCommand {
    /// Count in how many documents each term is, into one frozen file
    #[command(after_help = "\
Examples:
  lookalike lexicon build news/*.jsonl.gz --output news.lexicon
  lookalike lexicon build mails.csv --text-field body --terms kolcz --output mails.lexicon")]
    Build(Box<LexiconBuildArgs>),
    /// Put the lexicons of parts of a collection together: the same bytes as of the whole
    #[command(after_help = "\
Example:
  lookalike lexicon merge january.lexicon february.lexicon --output both.lexicon")]
    Merge(LexiconMergeArgs),
    /// Show what a lexicon holds: sizes, settings, checksum, commonest or rarest terms
    #[command(after_help = "\
Example:
  lookalike lexicon show news.lexicon --rarest --count 50")]
    Show(LexiconShowArgs),
    /// List the terms in a window of normalised idf: what I-Match would take for its lexicon
    #[command(after_help = "\
Example:
  lookalike lexicon window news.lexicon --nidf 0.2..0.8 --count")]
    Window(LexiconWindowArgs),
}

#[derive(Debug, Args)]
pub(crate) struct MethodsArgs {
    /// Only this one, with its parameters and, where it has one, its S-curve
    #[arg(value_name = "NAME[:PARAMETER=VALUE,…]")]
    pub(crate) name: Option<String>,
    /// Form of the answer
    #[arg(long, value_enum, default_value_t = FormatArg::Text)]
    pub(crate) format: FormatArg,
}

#[derive(Debug, Args)]
pub(crate) struct AnalysisArgs {
    /// Tokens in a shingle [default: 5; --measure cosine compares terms instead]
    #[arg(
        long,
        alias = "ngram",
        alias = "ngram-size",
        value_name = "N",
        help_heading = "Matching"
    )]
    pub(crate) shingle: Option<u32>,
    /// What a token is: a word, or a character
    #[arg(long, value_enum, default_value_t = UnitArg::Word, help_heading = "Matching")]
    pub(crate) shingle_unit: UnitArg,
    /// Which terms count for --measure cosine; kolcz: at least four characters, at most one digit
    #[arg(long, value_enum, default_value_t = TermsArg::All, help_heading = "Matching")]
    pub(crate) terms: TermsArg,
    /// Unicode normalisation; zero-width and other default-ignorable characters never count
    #[arg(long, value_enum, default_value_t = NormalizeArg::Nfc, help_heading = "Matching")]
    pub(crate) normalize: NormalizeArg,
    /// A text under one shingle is its own shingle, or resembles nothing
    #[arg(long, value_enum, default_value_t = ShortArg::Whole, help_heading = "Matching")]
    pub(crate) short_documents: ShortArg,
}

#[derive(Debug, Args)]
pub(crate) struct OutputArgs {
    /// Directory for the results; it appears when they are whole
    #[arg(long, short = 'o', value_name = "DIR", help_heading = "Output")]
    pub(crate) output: PathBuf,
    /// Replace the results of an earlier run
    #[arg(long, help_heading = "Output")]
    pub(crate) force: bool,
    /// Form of the tables
    #[arg(long, value_enum, default_value_t = TablesArg::Parquet, help_heading = "Output")]
    pub(crate) tables: TablesArg,
    /// Write no report.html, and read no texts for it
    #[arg(long, help_heading = "Output")]
    pub(crate) no_report: bool,
    /// List at most so many pairs; beyond that only those that decide (`evaluate` stops)
    #[arg(long, value_name = "N", default_value_t = 10_000_000, help_heading = "Output")]
    pub(crate) max_pairs: u64,
    #[command(flatten)]
    pub(crate) running: RunningArgs,
    /// Form of what is printed at the end
    #[arg(long, value_enum, default_value_t = FormatArg::Text, help_heading = "Running")]
    pub(crate) format: FormatArg,
    /// Print nothing but errors
    #[arg(long, short = 'q', conflicts_with = "verbose", help_heading = "Running")]
    pub(crate) quiet: bool,
    /// Also print every bad record and the time of every phase
    #[arg(long, short = 'v', help_heading = "Running")]
    pub(crate) verbose: bool,
}

macro_rules! choices {
    ($(#[$doc:meta] $name:ident { $($variant:ident),+ $(,)? })+) => {
        $(#[$doc]
        #[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
        pub(crate) enum $name { $($variant),+ })+
    };
}

choices! {
    /// Measures.
    MeasureArg { Resemblance, Containment, Cosine }
    /// Units of shingles.
    UnitArg { Word, Char }
    /// Term filters.
    TermsArg { All, Kolcz }
    /// Normalisations.
    NormalizeArg { None, Nfc, Nfkc }
    /// What becomes of short documents.
    ShortArg { Whole, Ignore }
    /// Linkages.
    LinkageArg { Leaders, Components }
    /// Witness rules.
    WitnessArg { First, Best }
    /// What decides about candidates.
    VerifyArg { Exact, Sketch, None }
    /// Sources of truth.
    TruthArg { Exact }
    /// Forms of tables.
    TablesArg { Parquet, Tsv, Jsonl }
    /// Forms of answers.
    FormatArg { Text, Json }
    /// Commands that can be planned.
    PlannedArg { Dedup, Cluster }
    /// Forms of inputs.
    InputFormatArg { Jsonl, Csv, Tsv, Parquet, Text, Markdown, Html }
}

/// Takes names of inputs, which are written into results and therefore have to be text.
fn utf8() -> impl TypedValueParser<Value = String> {
    OsStringValueParser::new().try_map(|name| match name.into_string() {
        Ok(name) if name.is_empty() => Err("an empty name; is a variable not set?"),
        Ok(name) => Ok(name),
        Err(_) => Err("this name is not UTF-8; rename it, or give the directory that it lies in: \
                       such names are read there"),
    })
}

/// Reads a number of threads: more than this do nothing but fill the memory. 0 stands for all cores.
fn threads() -> clap::builder::RangedU64ValueParser<usize> {
    clap::builder::RangedU64ValueParser::new().range(0..=1024)
}

/// Reads a checksum as `lexicon show` writes it.
fn checksum(text: &str) -> Result<String, String> {
    let ok = text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    if ok { Ok(text.to_ascii_lowercase()) } else { Err("use 32 hexadecimal digits".into()) }
}

/// Reads a size such as `64MiB`, `1GB` or `500000`.
fn size(text: &str) -> Result<usize, String> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at(digits);
    let factor: usize = match unit.trim().to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" | "kib" => 1 << 10,
        "m" | "mib" => 1 << 20,
        "g" | "gib" => 1 << 30,
        "kb" => 1_000,
        "mb" => 1_000_000,
        "gb" => 1_000_000_000,
        _ => return Err("use a number with B, KiB, MiB, GiB, kB, MB or GB".into()),
    };
    let number: usize = number.parse().map_err(|_| "use a number such as 256MiB".to_owned())?;
    number.checked_mul(factor).filter(|&size| size > 0).ok_or_else(|| "out of range".into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn sizes_are_read() {
        assert_eq!(size("256MiB"), Ok(256 << 20));
        assert_eq!(size("1GB"), Ok(1_000_000_000));
        assert_eq!(size("4096"), Ok(4096));
        for bad in ["", "MiB", "0", "-1", "1.5GiB", "1TB!", "99999999999999999999"] {
            assert!(size(bad).is_err(), "{bad}");
        }
    }
}
