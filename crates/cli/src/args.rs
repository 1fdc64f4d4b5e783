//! Command-line arguments: definitions and `--help` texts, no behaviour.

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
Exit codes: 0 done; 1 failed, or not a single document could be read; 2 wrong usage; 3 stopped by
a guard (--strict, an input that changed, too many pairs); 101 internal error; 130 SIGINT;
143 SIGTERM. Results are written completely or not at all. If not a single document could be
read, they are written with the reasons.
Start with: lookalike dedup docs.jsonl --output clean"
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Remove near-duplicates: writes kept and removed documents and the evidence for every removal
    #[command(after_help = "\
Examples:
  lookalike dedup docs.jsonl --output clean
  lookalike dedup crawl/*.jsonl.zst --output clean --threshold 0.85 --keep newest --keep longest
  lookalike dedup new/ --against corpus.parquet --output fresh
  lookalike dedup mails.csv --text-field body --measure cosine --threshold 0.9 --output clean
  zcat docs.jsonl.gz | lookalike dedup - --output clean --tables tsv")]
    Dedup(DedupArgs),
    /// Find near-duplicates without removing any: writes all pairs and clusters
    #[command(after_help = "\
Examples:
  lookalike cluster docs.jsonl --output found --tables tsv
  lookalike cluster licences/ --measure containment --threshold 0.9 --output found
  lookalike cluster pages/ --linkage leaders --output found")]
    Cluster(ClusterArgs),
    /// Predict from a sample what a long run will find and cost, and recommend a method
    #[command(after_help = "\
Reads a sample and writes no results. For each method it prints the expected recall, time,
memory and size of spill files on this machine.

Examples:
  lookalike plan crawl/*.jsonl.zst
  lookalike plan crawl/*.jsonl.zst --recall 0.95 --memory 8GiB --sample 256MiB
  lookalike plan docs.jsonl --format json > docs.plan
  lookalike dedup docs.jsonl --output clean --plan docs.plan     # prediction and outcome")]
    Plan(PlanArgs),
    /// Recompute the clusters of a `cluster` run at a higher threshold, without reading the documents
    #[command(after_help = "\
Examples:
  lookalike cluster docs.jsonl --threshold 0.5 --output low
  lookalike recluster low --threshold 0.8 --output high
  lookalike recluster low --threshold 0.8 --linkage leaders --keep longest --output led")]
    Recluster(ReclusterArgs),
    /// Compare two documents: resemblance, containments, cosine, and differences
    #[command(after_help = "\
A document is a text, Markdown or HTML file, or FILE#ID for a record of a JSONL, CSV or Parquet file.

Examples:
  lookalike compare old.html new.html
  lookalike compare docs.jsonl#17 docs.jsonl#42 --shingle 3
  lookalike compare a.txt b.txt --format json")]
    Compare(CompareArgs),
    /// Explain why two documents of a run were matched, or were not
    #[command(after_help = "\
Examples:
  lookalike explain doc-17 doc-42 --run clean
  lookalike explain 'docs.jsonl:3' 'docs.jsonl:9' --run clean --format json")]
    Explain(ExplainArgs),
    /// Measure recall, precision, clusters and cost of methods against the exact pairs of a collection
    #[command(after_help = "\
A method is NAME:PARAMETER=VALUE,… (`lookalike methods` lists them), or `exact` for the exact
join. A suffix selects the verifier of its candidates: @sketch (default), @exact or @none. One
parameter may be a range, d=0..=8, or a list, t=0.5|0.7|0.9; every value is measured.

Examples:
  lookalike evaluate docs.jsonl --output measured
  lookalike evaluate docs.jsonl --methods exact minhash-lsh@none 'simhash:d=0..=8' --output measured
  lookalike evaluate mails.jsonl --measure cosine --terms kolcz -t 0.9 --methods 'imatch-random:copies=0..=10' \\
      --lexicon news.lexicon --classes labels.tsv --output measured
  lookalike evaluate crawl/*.jsonl.zst --sample 1000 --output measured")]
    Evaluate(EvaluateArgs),
    /// Build, merge and inspect lexicons: the document frequencies of a collection
    #[command(subcommand)]
    Lexicon(LexiconCommand),
    /// List the methods of the papers, or the parameters of one
    #[command(after_help = "\
Examples:
  lookalike methods
  lookalike methods minhash-lsh
  lookalike methods minhash-lsh:t=0.7,recall=0.99")]
    Methods(MethodsArgs),
    /// Print the completion script for a shell
    #[command(after_help = "\
Example:
  lookalike completions bash > ~/.local/share/bash-completion/completions/lookalike")]
    Completions {
        /// Shell
        shell: clap_complete::Shell,
    },
}

/// Threads and temporary files: options of every command that runs on a collection.
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
    /// Directory for spill files and checkpoints [default: the directory of the output, or the
    /// system's for temporary files]
    #[arg(long, alias = "tmp-dir", value_name = "DIR", help_heading = "Running")]
    pub(crate) scratch: Option<PathBuf>,
}

/// The memory budget.
#[derive(Debug, Args)]
pub(crate) struct MemoryArgs {
    /// Memory budget (approximate). Data beyond half of it is spilled to --scratch [default: three
    /// quarters of the memory available]
    #[arg(long, value_name = "SIZE", value_parser = size, help_heading = "Running")]
    pub(crate) memory: Option<usize>,
}

/// Checkpoints and plans of earlier runs.
#[derive(Debug, Args)]
pub(crate) struct EarlierArgs {
    /// Write checkpoints to OUT.scratch (in --scratch, or beside the output), and continue from those
    /// of an earlier run of the same job. Checkpoints are also written if --scratch is given or if the
    /// inputs may not fit into memory
    #[arg(long, help_heading = "Running")]
    pub(crate) resume: bool,
    /// Output of `lookalike plan --format json` for this run; the summary compares the prediction with
    /// the outcome
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
    #[arg(long, value_enum, default_value_t = LinkageArg::Leaders, hide_default_value = true, help_heading = "Which duplicate to keep")]
    pub(crate) linkage: LinkageArg,
    #[command(flatten)]
    pub(crate) witness: WitnessArgs,
    /// Remove from INPUT the duplicates of documents in this collection, which is not changed (may be
    /// repeated)
    #[arg(long, value_name = "OTHER", value_parser = utf8(), help_heading = "Which duplicate to keep")]
    pub(crate) against: Vec<String>,
    /// With --against: remove no other duplicates; repeats within INPUT are kept
    #[arg(long, requires = "against", help_heading = "Which duplicate to keep")]
    pub(crate) against_only: bool,
    /// Remove nothing; write all documents with the fields `duplicate_of`, `duplicate_of_file`,
    /// `duplicate_of_record`, `resemblance` and `cluster` added
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
    /// Also copy the kept text, Markdown and HTML files (otherwise they are only listed)
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
    #[arg(long, value_enum, default_value_t = LinkageArg::Components, hide_default_value = true, help_heading = "Which duplicate to keep")]
    pub(crate) linkage: LinkageArg,
    #[command(flatten)]
    pub(crate) witness: WitnessArgs,
}

/// The witness rule.
#[derive(Debug, Args)]
pub(crate) struct WitnessArgs {
    /// With --linkage leaders: the kept document named for a removed one, the first match in order of
    /// precedence or the best by --measure (ties by precedence) [default: first]
    ///
    /// Both rules remove the same documents. `best` verifies every kept match instead of stopping at the
    /// first: on collections with many versions of one text it takes several times as long.
    #[arg(long, value_enum, value_name = "RULE", help_heading = "Which duplicate to keep")]
    pub(crate) witness: Option<WitnessArg>,
}

#[derive(Debug, Args)]
pub(crate) struct CompareArgs {
    /// First document
    #[arg(value_parser = utf8())]
    pub(crate) a: String,
    /// Second document
    #[arg(value_parser = utf8())]
    pub(crate) b: String,
    #[command(flatten)]
    pub(crate) fields: FieldArgs,
    #[command(flatten)]
    pub(crate) criterion: CriterionArgs,
    #[command(flatten)]
    pub(crate) analysis: AnalysisArgs,
    /// Output format
    #[arg(long, value_enum, default_value_t = FormatArg::Text)]
    pub(crate) format: FormatArg,
}

#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    /// First document: its id, or FILE:RECORD
    pub(crate) a: String,
    /// Second document: its id, or FILE:RECORD
    pub(crate) b: String,
    /// Output directory of the run
    #[arg(long, value_name = "DIR")]
    pub(crate) run: PathBuf,
    /// Output format
    #[arg(long, value_enum, default_value_t = FormatArg::Text)]
    pub(crate) format: FormatArg,
}

#[derive(Debug, Args)]
pub(crate) struct InputArgs {
    /// Files, directories, globs; `-` for JSONL on standard input.
    ///
    /// A JSONL, CSV, TSV or Parquet file holds many documents; a text, Markdown or HTML file is one
    /// document. Files compressed with gzip, zstd, bzip2 or xz are decompressed.
    #[arg(required = true, value_name = "INPUT", value_parser = utf8())]
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

#[derive(Debug, Args)]
pub(crate) struct FieldArgs {
    /// Field or column that holds the text
    #[arg(
        long,
        alias = "text-column",
        alias = "text-key",
        value_name = "NAME",
        default_value = "text",
        help_heading = "Input"
    )]
    pub(crate) text_field: String,
    /// Field that holds the id of the document; a document without an id is named FILE:RECORD
    #[arg(
        long,
        alias = "id-column",
        value_name = "NAME",
        default_value = "id",
        help_heading = "Input"
    )]
    pub(crate) id_field: String,
    /// Field that holds HTML, read if a record has no text field
    #[arg(long, value_name = "NAME", default_value = "html", help_heading = "Input")]
    pub(crate) html_field: String,
    /// Field that holds the URL
    #[arg(long, value_name = "NAME", default_value = "url", help_heading = "Input")]
    pub(crate) url_field: String,
    /// Field that holds the title
    #[arg(long, value_name = "NAME", default_value = "title", help_heading = "Input")]
    pub(crate) title_field: String,
    /// Field that holds the date, for --keep newest and oldest
    #[arg(long, value_name = "NAME", default_value = "date", help_heading = "Input")]
    pub(crate) date_field: String,
    /// Format of all inputs (default: by file name)
    #[arg(long, value_enum, value_name = "FORMAT", help_heading = "Input")]
    pub(crate) input_format: Option<InputFormatArg>,
    /// Skip records longer than this, and list them in `problems`
    #[arg(long, value_name = "SIZE", value_parser = size, default_value = "256MiB", help_heading = "Input")]
    pub(crate) max_record: usize,
}

/// What makes two documents near-duplicates.
#[derive(Debug, Args)]
pub(crate) struct CriterionArgs {
    /// Documents are near-duplicates if --measure reaches this value (above 0, at most 1)
    #[arg(
        long,
        short = 't',
        value_name = "RATIO",
        default_value = "0.8",
        help_heading = "Matching"
    )]
    pub(crate) threshold: String,
    /// Similarity measure
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
    /// Which duplicate to keep. Rules apply in order; ties are broken by id
    #[arg(
        long,
        value_name = "RULE",
        value_delimiter = ',',
        default_value = "first",
        help_heading = "Which duplicate to keep",
        long_help = "Which duplicate to keep: first (in the order of file names and records), longest, shortest, \
                     newest, oldest, max:FIELD or min:FIELD. Rules apply in order; ties are broken by id. With \
                     --measure containment the document with the larger feature set is always kept, and the \
                     rules decide between sets of equal size."
    )]
    pub(crate) keep: Vec<String>,
}

/// The filter of common features.
#[derive(Debug, Args)]
pub(crate) struct CommonArgs {
    /// Ignore shingles that occur in more than N distinct documents
    #[arg(
        long,
        value_name = "N",
        value_parser = clap::value_parser!(u32).range(1..),
        help_heading = "Matching",
        long_help = "Ignore shingles (terms, for --measure cosine) that occur in more than N distinct feature sets of \
                     INPUT and --against together. They are removed from every set and sketch before documents \
                     are compared, so that shared headers, footers and licences make no two documents similar. \
                     Documents without any other shingle match nothing, and are counted. The inputs are read one \
                     more time to count."
    )]
    pub(crate) ignore_common: Option<u32>,
}

/// The minimum size of a feature set.
#[derive(Debug, Args)]
pub(crate) struct MinFeaturesArgs {
    /// Match documents with fewer than N features (shingles or terms) only with documents of the same
    /// words [default: 10 if terms are compared (--measure cosine without --shingle), else 1]
    #[arg(
        long,
        value_name = "N",
        value_parser = clap::value_parser!(u32).range(1..),
        help_heading = "Matching"
    )]
    pub(crate) min_features: Option<u32>,
}

/// Candidate generation by a method, and the verifier.
#[derive(Debug, Args)]
pub(crate) struct MethodArgs {
    /// Generate candidates by a method of the papers instead of the exact join: NAME:PARAMETER=VALUE,…
    /// (`lookalike methods` lists them)
    #[arg(long, value_name = "METHOD", help_heading = "Method")]
    pub(crate) method: Option<String>,
    /// Verifier of the method's candidates: exact (complete feature sets), sketch (the method's
    /// sketches) or none (a common key suffices)
    #[arg(
        long,
        value_enum,
        value_name = "BY",
        default_value_t = VerifyArg::Exact,
        requires = "method",
        help_heading = "Method"
    )]
    pub(crate) verify: VerifyArg,
    /// Lexicon of document frequencies for the method, from `lookalike lexicon build` [default: counted
    /// in INPUT]
    #[arg(long, value_name = "FILE", requires = "method", value_parser = utf8(), help_heading = "Method")]
    pub(crate) lexicon: Option<String>,
    /// Fail unless the lexicon has this checksum (printed by `lookalike lexicon show`)
    #[arg(long, value_name = "HEX", value_parser = checksum, requires = "lexicon", help_heading = "Method")]
    pub(crate) lexicon_checksum: Option<String>,
    /// Ignore keys that more than N distinct documents have, and count them. Feature sets and sketches
    /// are not changed (--ignore-common changes them)
    #[arg(long, value_name = "N", requires = "method", help_heading = "Method")]
    pub(crate) key_limit: Option<u32>,
}

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
    #[arg(long, value_enum, default_value_t = NormalizeArg::Nfc)]
    pub(crate) normalize: NormalizeArg,
    /// Memory budget for terms; terms beyond it are spilled to temporary files beside the output
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
  lookalike lexicon build mails.csv --text-field body --terms kolcz --output mails.lexicon")]
    Build(Box<LexiconBuildArgs>),
    /// Merge the lexicons of parts of a collection (the result equals the lexicon of the whole)
    #[command(after_help = "\
Example:
  lookalike lexicon merge january.lexicon february.lexicon --output both.lexicon")]
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

#[derive(Debug, Args)]
pub(crate) struct MethodsArgs {
    /// Show one method: its parameters and, if it has one, its S-curve
    #[arg(value_name = "NAME[:PARAMETER=VALUE,…]")]
    pub(crate) name: Option<String>,
    /// Output format
    #[arg(long, value_enum, default_value_t = FormatArg::Text)]
    pub(crate) format: FormatArg,
}

#[derive(Debug, Args)]
pub(crate) struct AnalysisArgs {
    /// Tokens per shingle [default: 5; --measure cosine compares terms instead]
    #[arg(
        long,
        alias = "ngram",
        alias = "ngram-size",
        value_name = "N",
        help_heading = "Matching"
    )]
    pub(crate) shingle: Option<u32>,
    /// Token unit
    #[arg(long, value_enum, default_value_t = UnitArg::Word, help_heading = "Matching")]
    pub(crate) shingle_unit: UnitArg,
    /// Terms compared by --measure cosine; kolcz: at least four characters and at most one digit
    #[arg(long, value_enum, default_value_t = TermsArg::All, help_heading = "Matching")]
    pub(crate) terms: TermsArg,
    /// Unicode normalisation; zero-width and other default-ignorable characters are always ignored
    #[arg(long, value_enum, default_value_t = NormalizeArg::Nfc, help_heading = "Matching")]
    pub(crate) normalize: NormalizeArg,
    /// Texts with fewer tokens than one shingle: use the whole text as the shingle, or match nothing
    #[arg(long, value_enum, default_value_t = ShortArg::Whole, help_heading = "Matching")]
    pub(crate) short_documents: ShortArg,
}

#[derive(Debug, Args)]
pub(crate) struct OutputArgs {
    /// Directory for the results; it is created when they are complete
    #[arg(long, short = 'o', value_name = "DIR", help_heading = "Output")]
    pub(crate) output: PathBuf,
    /// Replace the results of an earlier run
    #[arg(long, help_heading = "Output")]
    pub(crate) force: bool,
    /// Format of the tables
    #[arg(long, value_enum, default_value_t = TablesArg::Parquet, help_heading = "Output")]
    pub(crate) tables: TablesArg,
    /// Do not write report.html, and do not read the texts for it
    #[arg(long, help_heading = "Output")]
    pub(crate) no_report: bool,
    /// Maximum number of pairs to list; beyond it, only pairs that caused a removal are listed (`evaluate`
    /// stops)
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
    /// Treatment of short documents.
    ShortArg { Whole, Ignore }
    /// Linkages.
    LinkageArg { Leaders, Components }
    /// Witness rules.
    WitnessArg { First, Best }
    /// Verifiers.
    VerifyArg { Exact, Sketch, None }
    /// Sources of truth.
    TruthArg { Exact }
    /// Table formats.
    TablesArg { Parquet, Tsv, Jsonl }
    /// Output formats.
    FormatArg { Text, Json }
    /// Commands that can be planned.
    PlannedArg { Dedup, Cluster }
    /// Input formats.
    InputFormatArg { Jsonl, Csv, Tsv, Parquet, Text, Markdown, Html }
}

/// Parses names of inputs. They are written into results, so they must be UTF-8.
fn utf8() -> impl TypedValueParser<Value = String> {
    OsStringValueParser::new().try_map(|name| match name.into_string() {
        Ok(name) if name.is_empty() => Err("an empty name; is a variable not set?"),
        Ok(name) => Ok(name),
        Err(_) => {
            Err("this name is not UTF-8; rename the file, or pass its directory: files with such \
                       names are read there")
        }
    })
}

/// Parses a number of threads, at most 1024: each takes memory. 0 means all cores.
fn threads() -> clap::builder::RangedU64ValueParser<usize> {
    clap::builder::RangedU64ValueParser::new().range(0..=1024)
}

/// Parses a checksum as `lexicon show` prints it.
fn checksum(text: &str) -> Result<String, String> {
    let ok = text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    if ok { Ok(text.to_ascii_lowercase()) } else { Err("use 32 hexadecimal digits".into()) }
}

/// Parses a size such as `64MiB`, `1GB` or `500000`.
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
