//! The arguments of `lookalike index` and `lookalike query`.

use super::options::{choice, table_format};
use super::values::{
    KeepList, checksum, keep_list, long_count, ratio, seconds, size, threads, utf8,
};
use super::{
    AcrossArgs, AnalysisArgs, CriterionArgs, FieldArgs, FormatArg, IgnoredArgs, InputArgs,
    MinFeaturesArgs, SeparateArgs, WitnessArgs,
};
use clap::{Args, Subcommand};
use lookalike::{
    IndexWriter, LookalikeError,
    results::TableFormat,
    settings::{Linkage, Measure},
    sweeps::Holder,
};
use lookalike_options::{KeepItem, list_keep_rules};
use std::path::{Path, PathBuf};

#[derive(Debug, Subcommand)]
pub(crate) enum IndexCommand {
    /// Create an empty index
    #[command(after_help = "\
Examples:
  lookalike index create corpus.index
  lookalike index create pages.index --threshold 0.9 --keep newest --ttl 90d
  lookalike index create mail.index --method imatch-random \\
      --lexicon news.lexicon
  lookalike index create small.index --lean 0.8 --sample docs/part-1.jsonl.zst
  lookalike index create essays.index --passages 50")]
    Create(IndexCreateArgs),
    /// Add documents, or replace those with the same id
    #[command(after_help = "\
Prints the commit and the number of documents when they are durable. From
standard input, documents are committed in groups as they arrive; for each
commit it prints a line
{\"commit\": N, \"documents\": M}.

Examples:
  lookalike index add corpus.index docs.jsonl.zst
  lookalike index add corpus.index crawl/ --unless-duplicate 0.8
  lookalike index add pages.index crawl/2026-11/ --sweep november \\
      --date 2026-11-01
  crawler | lookalike index add pages.index -")]
    Add(OnIndex<IndexAddArgs>),
    /// Delete documents by id, URL, date or sweep
    #[command(after_help = "\
Examples:
  lookalike index delete corpus.index --id doc-17 --id doc-18
  lookalike index delete corpus.index --ids withdrawn.txt
  lookalike index delete pages.index --before 2025-01-01 --dry-run")]
    Delete(OnIndex<IndexDeleteArgs>),
    /// Add all documents of other indexes that were created with the same settings
    #[command(after_help = "\
Example:
  lookalike index merge all.index january.index february.index")]
    Merge(OnIndex<IndexMergeArgs>),
    /// Merge all segments into as few as possible, without deleted documents
    #[command(after_help = "\
Example:
  lookalike index compact corpus.index")]
    Compact(OnIndex),
    /// Show documents, segments, bytes and settings
    #[command(after_help = "\
Examples:
  lookalike index stats corpus.index
  lookalike index stats corpus.index --format json")]
    Stats(OnIndex<NoArgs, FormatArgs>),
    /// Check the files of an index: store, checksums, postings, rows; with --deep, texts and
    /// decisions too
    #[command(after_help = "\
Ends with exit code 1 if anything is wrong, and names each damaged file.

Examples:
  lookalike index check corpus.index
  lookalike index check corpus.index --deep")]
    Check(OnIndex<IndexCheckArgs>),
    /// Make a new index of all that can be read of a damaged one
    #[command(after_help = "\
Documents are taken as they were written, or not at all: those whose text has
its digest and whose row has its checksum. Postings, sets and which documents
are kept are made again. If the store cannot be read, documents that were
deleted may be there again; this is said.

The damaged index is only read. Without --output the new index takes its place,
and the damaged one is kept beside it as DIR.damaged.

Examples:
  lookalike index repair corpus.index
  lookalike index repair corpus.index --output repaired.index --format json")]
    Repair(IndexRepairArgs),
    /// Copy an index as it is after its last commit, also while it is written
    #[command(after_help = "\
The copy is an index of its own, with the same documents, decisions, sweeps and
reports: a backup, or what readers on other machines ask. Its commits count
from 1. It is there whole or not at all.

Example:
  lookalike index copy corpus.index backup/corpus-$(date +%F).index")]
    Copy(IndexCopyArgs),
    /// Write the tables of `dedup` or `cluster` over the documents of an index, or the documents
    #[command(after_help = "\
The tables are those of a run over the documents of the index, in the order in
which their ids were first added: the same bytes as `lookalike dedup
documents.jsonl` (or `cluster`) in the directory that --documents wrote to,
with the settings of the index.

Examples:
  lookalike index export corpus.index --output out
  lookalike index export corpus.index --output out --list --tables tsv
  lookalike index export corpus.index --output out --documents
  lookalike index export corpus.index --documents | zstd > documents.jsonl.zst")]
    Export(OnIndex<IndexExportArgs>),
    /// List or remove sweeps: the documents of one crawl
    #[command(
        subcommand,
        after_help = "\
Example:
  lookalike index sweep add pages.index november crawl/2026-11/"
    )]
    Sweep(SweepCommand),
    /// Show what became of every page from one sweep to another
    #[command(after_help = "\
same, same_words, slight and heavy: the page has its address, and its text is
the same, has the same words, resembles the earlier one (--slight) or does not.
moved: its content is at another address; moved_address_kept: the old address
is still there, with other content. gone, new.

Examples:
  lookalike index diff pages.index october november
  lookalike index diff pages.index october november --only moved \\
      --only gone --format json")]
    Diff(OnIndex<IndexDiffArgs>),
    /// Show the versions of a page, or the changes of a site, in all sweeps
    #[command(after_help = "\
Examples:
  lookalike index history pages.index https://example.org/
  lookalike index history pages.index --site example.org")]
    History(OnIndex<IndexHistoryArgs, FormatArgs>),
    /// List the sites that have the content of a page
    #[command(after_help = "\
Example:
  lookalike index holders pages.index https://example.org/")]
    Holders(OnIndex<IndexHoldersArgs, FormatArgs>),
    /// List pages in the order in which to visit them again
    #[command(after_help = "\
Example:
  lookalike index revisit pages.index --site example.org --limit 100")]
    Revisit(OnIndex<IndexRevisitArgs>),
}

#[derive(Debug, Subcommand)]
pub(crate) enum SweepCommand {
    /// Add the documents of a sweep: `index add` with --sweep
    #[command(after_help = "\
Example:
  lookalike index sweep add pages.index november crawl/2026-11/ \\
      --date 2026-11-01")]
    Add(Box<OnIndex<SweepAddArgs>>),
    /// List the sweeps with their dates and numbers of documents
    #[command(after_help = "\
Example:
  lookalike index sweep list pages.index")]
    List(OnIndex<NoArgs, FormatArgs>),
    /// Remove a sweep and its documents
    #[command(after_help = "\
Example:
  lookalike index sweep remove pages.index october")]
    Remove(OnIndex<SweepRemoveArgs>),
}

/// The arguments of a command on an index, around those of its own.
#[derive(Debug, Args)]
pub(crate) struct OnIndex<A: Args = NoArgs, R: Args = IndexRunningArgs> {
    /// Directory of the index
    #[arg(value_name = "DIR")]
    pub(crate) dir: PathBuf,
    #[command(flatten)]
    pub(crate) own: A,
    #[command(flatten)]
    pub(crate) running: R,
}

/// A command without arguments of its own.
#[derive(Debug, Args)]
pub(crate) struct NoArgs {}

/// The format of commands that only read.
#[derive(Debug, Args)]
pub(crate) struct FormatArgs {
    /// Format of what is printed
    #[arg(long, value_enum, default_value_t = FormatArg::Text)]
    pub(crate) format: FormatArg,
}

/// How documents are stored.
#[derive(Debug, Args)]
pub(crate) struct StoringArgs {
    /// Delete these documents so long after they were added [default: the --ttl of the index]
    #[arg(long, value_name = "TIME", value_parser = seconds, help_heading = "Adding")]
    pub(crate) ttl: Option<u64>,
    /// Memory for documents before they are written to a segment
    #[arg(long, value_name = "SIZE", value_parser = size, default_value = "1GiB", help_heading = "Running")]
    pub(crate) memory: usize,
}

#[derive(Debug, Args)]
pub(crate) struct SweepAddArgs {
    /// Name of the sweep
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
    #[command(flatten)]
    pub(crate) input: InputArgs,
    /// Date of the sweep, if it is new
    #[arg(long, value_name = "DATE", help_heading = "Adding")]
    pub(crate) date: Option<String>,
    #[command(flatten)]
    pub(crate) storing: StoringArgs,
}

#[derive(Debug, Args)]
pub(crate) struct SweepRemoveArgs {
    /// Name of the sweep
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
}

#[derive(Debug, Args)]
pub(crate) struct IndexDiffArgs {
    /// The earlier sweep
    #[arg(value_name = "FROM")]
    pub(crate) from: String,
    /// The later sweep
    #[arg(value_name = "TO")]
    pub(crate) to: String,
    /// Versions that resemble each other so much changed slightly
    #[arg(long, value_name = "RATIO", value_parser = ratio, default_value = "0.9")]
    pub(crate) slight: f64,
    /// A page moved if another one resembles it so much, or contains so much of it
    #[arg(long, short = 't', value_name = "RATIO", default_value = "0.5")]
    pub(crate) threshold: String,
    /// Only pages of this host, or of hosts below this domain
    #[arg(long, value_name = "HOST")]
    pub(crate) site: Option<String>,
    /// List only pages with this change (may be repeated) [default: all but same]
    #[arg(long, value_name = "CHANGE")]
    pub(crate) only: Vec<String>,
}

#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("of").required(true).args(["url", "site", "all"]))]
pub(crate) struct IndexHistoryArgs {
    /// URL of a page
    #[arg(value_name = "URL")]
    pub(crate) url: Option<String>,
    /// The pages of this host, or of hosts below this domain
    #[arg(long, value_name = "HOST")]
    pub(crate) site: Option<String>,
    /// All pages
    #[arg(long)]
    pub(crate) all: bool,
    /// Versions that resemble each other so much changed slightly
    #[arg(long, value_name = "RATIO", value_parser = ratio, default_value = "0.9")]
    pub(crate) slight: f64,
}

#[derive(Debug, Args)]
pub(crate) struct IndexHoldersArgs {
    /// URL of the page
    #[arg(value_name = "URL")]
    pub(crate) url: String,
    /// Documents that contain so much of the page
    #[arg(long, short = 't', value_name = "RATIO", default_value = Holder::USUAL_THRESHOLD)]
    pub(crate) threshold: String,
}

#[derive(Debug, Args)]
pub(crate) struct IndexRevisitArgs {
    /// Only pages of this host, or of hosts below this domain
    #[arg(long, value_name = "HOST")]
    pub(crate) site: Option<String>,
    /// Only the first N pages
    #[arg(long, short = 'n', value_name = "N")]
    pub(crate) limit: Option<usize>,
}

/// Options of every command that changes or checks an index.
#[derive(Debug, Args)]
pub(crate) struct IndexRunningArgs {
    /// Threads to use [default: all cores]
    #[arg(long, short = 'j', value_name = "N", value_parser = threads(), help_heading = "Running")]
    pub(crate) threads: Option<usize>,
    /// Format of what is printed
    #[arg(long, value_enum, default_value_t = FormatArg::Text, help_heading = "Running")]
    pub(crate) format: FormatArg,
    /// Print only errors
    #[arg(long, short = 'q', help_heading = "Running")]
    pub(crate) quiet: bool,
}

impl IndexRunningArgs {
    /// Number of threads; 0 for all cores.
    pub(crate) fn threads(&self) -> usize {
        self.threads.unwrap_or(0)
    }

    /// Opens an index to change it.
    pub(crate) fn open(&self, dir: &Path) -> Result<IndexWriter, LookalikeError> {
        IndexWriter::open(dir, self.threads())
    }
}

#[derive(Debug, Args)]
pub(crate) struct IndexCreateArgs {
    /// Directory to create
    #[arg(value_name = "DIR")]
    pub(crate) dir: PathBuf,
    #[command(flatten)]
    pub(crate) criterion: CriterionArgs,
    #[command(flatten)]
    pub(crate) analysis: AnalysisArgs,
    #[command(flatten)]
    pub(crate) least: MinFeaturesArgs,
    #[command(flatten)]
    pub(crate) separate: SeparateArgs,
    #[command(flatten)]
    pub(crate) across: AcrossArgs,
    #[command(flatten)]
    pub(crate) ignored: IgnoredArgs,
    #[arg(
        long,
        help = format!(
            "Which duplicate to keep: {}. Rules apply in order; `first` is the order in which ids were first added",
            list_keep_rules(|_| true, KeepItem::form, "or")
        ),
        value_name = "RULE",
        value_parser = keep_list,
        default_value = "first",
        help_heading = "Which duplicate to keep"
    )]
    pub(crate) keep: Vec<KeepList>,
    /// Also store the keys and sketches of this method, for `query --ask METHOD` (may be repeated)
    #[arg(long, value_name = "METHOD", help_heading = "Method")]
    pub(crate) method: Vec<String>,
    /// Lexicon of document frequencies for the methods, from `lookalike lexicon build`
    #[arg(long, value_name = "FILE", requires = "method", value_parser = utf8(), help_heading = "Method")]
    pub(crate) lexicon: Option<String>,
    /// Fail unless the lexicon has this checksum (printed by `lookalike lexicon show`)
    #[arg(long, value_name = "HEX", value_parser = checksum, requires = "lexicon", help_heading = "Method")]
    pub(crate) lexicon_checksum: Option<String>,
    /// Store feature sets in place of texts: no passages, and no export of documents
    #[arg(long, help_heading = "Storage")]
    pub(crate) no_text: bool,
    /// Also store what `query --ask passages` needs: which documents have a passage of at least N
    /// words of a text
    #[arg(
        long,
        value_name = "N",
        value_parser = clap::value_parser!(u32).range(1..),
        conflicts_with = "no_text",
        help_heading = "Storage",
        long_help = "Also store what `query --ask passages` needs: which documents have a passage of at least N words of a text. \
                     Shorter passages are not found; 50 words are usual. Of each word this takes about 0.8 bytes at 50 words, \
                     and more where passages may be shorter. Answers are verified on the stored texts."
    )]
    pub(crate) passages: Option<u32>,
    /// Post only what questions at this threshold and higher ones need, about 1 - RATIO of each
    /// feature set; other questions are refused
    #[arg(
        long,
        value_name = "RATIO",
        help_heading = "Storage",
        long_help = "Post only what questions at this threshold and higher ones need, about 1 - RATIO of each feature set. \
                     Such an index answers `query --ask resembles` and `contained-in` from this threshold on, and \
                     `cosine` where the square of the threshold is as high; it refuses `containing` and lower \
                     thresholds. Answers are exact: they are verified on the stored texts, or with --no-text on \
                     the stored feature sets. At most --threshold, with --measure cosine at most its square."
    )]
    pub(crate) lean: Option<String>,
    /// For --lean: documents like those that will be stored, some ten thousand are best. What is
    /// common in them is posted last; without it, questions about pages of a template are slow
    #[arg(long, value_name = "INPUT", requires = "lean", value_parser = utf8(), help_heading = "Storage")]
    pub(crate) sample: Vec<String>,
    /// Delete documents so long after they were added: 12h, 90d, 2w
    #[arg(long, value_name = "TIME", value_parser = seconds, help_heading = "Storage")]
    pub(crate) ttl: Option<u64>,
    #[command(flatten)]
    pub(crate) fields: FieldArgs,
    /// Threads to read the sample [default: all cores]
    #[arg(long, short = 'j', value_name = "N", value_parser = threads(), help_heading = "Running")]
    pub(crate) threads: Option<usize>,
    /// Print only errors
    #[arg(long, short = 'q', help_heading = "Running")]
    pub(crate) quiet: bool,
}

#[derive(Debug, Args)]
pub(crate) struct IndexAddArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    /// Add a document only if it matches no kept document at this threshold, by the measure of the
    /// index
    #[arg(long, value_name = "RATIO", help_heading = "Adding")]
    pub(crate) unless_duplicate: Option<String>,
    /// Put the documents into this sweep: ids are unique in a sweep, and earlier sweeps keep theirs
    #[arg(long, value_name = "NAME", help_heading = "Adding")]
    pub(crate) sweep: Option<String>,
    /// Date of the sweep, if it is new
    #[arg(long, value_name = "DATE", requires = "sweep", help_heading = "Adding")]
    pub(crate) date: Option<String>,
    /// Commit whenever exactly so many documents were read, and at the end, from standard input too;
    /// a line is printed for each commit [default: at the end; from standard input, as they arrive
    /// and at most 1000 at a time]
    #[arg(long, value_name = "N", value_parser = long_count(), help_heading = "Adding")]
    pub(crate) commit_every: Option<u64>,
    #[command(flatten)]
    pub(crate) storing: StoringArgs,
}

#[derive(Debug, Args)]
pub(crate) struct IndexDeleteArgs {
    /// Ids to delete, in every sweep
    #[arg(long, value_name = "ID", help_heading = "Documents")]
    pub(crate) id: Vec<String>,
    /// File with an id on each line
    #[arg(long, value_name = "FILE", help_heading = "Documents")]
    pub(crate) ids: Option<PathBuf>,
    /// URLs whose documents are deleted, in every sweep
    #[arg(long, value_name = "URL", help_heading = "Documents")]
    pub(crate) url: Vec<String>,
    /// Delete documents with an earlier date
    #[arg(long, value_name = "DATE", help_heading = "Documents")]
    pub(crate) before: Option<String>,
    /// Delete the documents of a site: a host, or a domain above it
    #[arg(long, value_name = "HOST", help_heading = "Documents")]
    pub(crate) site: Option<String>,
    /// Only say how many documents would be deleted
    #[arg(long, help_heading = "Running")]
    pub(crate) dry_run: bool,
}

#[derive(Debug, Args)]
pub(crate) struct IndexMergeArgs {
    /// Indexes whose documents are added; those of a later one replace those with the same id
    #[arg(value_name = "OTHER", required = true)]
    pub(crate) others: Vec<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct IndexCheckArgs {
    /// Also make every set from its text and compare it with the postings, and decide again which
    /// documents are kept
    #[arg(long)]
    pub(crate) deep: bool,
}

#[derive(Debug, Args)]
pub(crate) struct IndexRepairArgs {
    /// Directory of the damaged index
    #[arg(value_name = "DIR")]
    pub(crate) dir: PathBuf,
    /// Directory of the new index [default: the place of the damaged one, which is kept as
    /// DIR.damaged]
    #[arg(long, short = 'o', value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) running: IndexRunningArgs,
}

#[derive(Debug, Args)]
pub(crate) struct IndexCopyArgs {
    /// Directory of the index
    #[arg(value_name = "DIR")]
    pub(crate) dir: PathBuf,
    /// Directory of the copy, which must not exist
    #[arg(value_name = "TO")]
    pub(crate) to: PathBuf,
    #[command(flatten)]
    pub(crate) format: FormatArgs,
}

#[derive(Debug, Args)]
pub(crate) struct IndexExportArgs {
    /// Directory for the tables; with --documents also a file with the ending .jsonl, or `-` for
    /// standard output [default with --documents: -]
    #[arg(
        long,
        short = 'o',
        value_name = "OUT",
        required_unless_present = "documents",
        help_heading = "Output"
    )]
    pub(crate) output: Option<PathBuf>,
    /// Write the documents as documents.jsonl, in the order in which their ids were first added,
    /// and no tables
    #[arg(long, conflicts_with = "list", help_heading = "Output")]
    pub(crate) documents: bool,
    /// With --documents: kept documents alone, with fields `duplicates` (how many documents each stands
    /// for) and `duplicates_by_source` (by sweep)
    #[arg(long, requires = "documents", help_heading = "Output")]
    pub(crate) add_counts: bool,
    /// List all pairs and clusters, as `cluster` does, and no removals
    #[arg(long, help_heading = "Output")]
    pub(crate) list: bool,
    /// How pairs become clusters [default: leaders; with --list components]
    #[arg(long, value_parser = choice::<Linkage>("linkage"), help_heading = "Which duplicate to keep")]
    pub(crate) linkage: Option<Linkage>,
    #[command(flatten)]
    pub(crate) witness: WitnessArgs,
    /// Replace an earlier result
    #[arg(long, help_heading = "Output")]
    pub(crate) force: bool,
    /// Format of the tables
    #[arg(long, value_parser = table_format(), default_value = "parquet", help_heading = "Output")]
    pub(crate) tables: TableFormat,
    /// Maximum number of pairs to list
    #[arg(long, value_name = "N", default_value_t = 10_000_000, help_heading = "Output")]
    pub(crate) max_pairs: u64,
}

#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("about").required(true).args(["text", "file", "id", "url", "cluster", "batch"]))]
pub(crate) struct QueryArgs {
    /// Directory of the index
    #[arg(value_name = "DIR")]
    pub(crate) dir: PathBuf,
    /// Text to ask about; `-` for standard input
    #[arg(value_name = "TEXT")]
    pub(crate) text: Option<String>,
    /// Ask about the document in this file: text, Markdown, HTML or mail
    #[arg(long, value_name = "FILE", help_heading = "Document")]
    pub(crate) file: Option<PathBuf>,
    /// Ask about the stored document with this id
    #[arg(long, value_name = "ID", help_heading = "Document")]
    pub(crate) id: Option<String>,
    /// Ask about the document found last at this URL
    #[arg(long, value_name = "URL", help_heading = "Document")]
    pub(crate) url: Option<String>,
    /// List the cluster of the document with this id
    #[arg(long, value_name = "ID", conflicts_with = "ask", help_heading = "Document")]
    pub(crate) cluster: Option<String>,
    /// Answer the questions of this file, one JSON object a line ({"text": …, "ask": …}), as JSON, one
    /// answer a line in their order, all about the same commit; `-` for standard input. Other
    /// options are the defaults of what a question does not have
    #[arg(long, value_name = "FILE", help_heading = "Document")]
    pub(crate) batch: Option<PathBuf>,
    /// Stop at the first bad question of --batch (default: answer it with the problem and continue)
    #[arg(long, help_heading = "Document")]
    pub(crate) strict: bool,
    /// Which documents to find: resembles, containing (stored documents that contain the query),
    /// contained-in (stored documents that are contained in the query), cosine, cluster (those of
    /// its cluster), passages (those that have a passage of the query, where the index was created
    /// with --passages), or a method of the index
    #[arg(long, value_name = "ASK", default_value = "resembles", help_heading = "Question")]
    pub(crate) ask: String,
    /// Value that the measure has to reach [default: the threshold of the index]
    #[arg(long, short = 't', value_name = "RATIO", help_heading = "Question")]
    pub(crate) threshold: Option<String>,
    /// Only the best N documents
    #[arg(
        long,
        short = 'n',
        value_name = "N",
        value_parser = clap::value_parser!(u64).range(1..),
        help_heading = "Question"
    )]
    pub(crate) limit: Option<u64>,
    /// Only documents of this host, or of hosts below this domain
    #[arg(long, value_name = "HOST", help_heading = "Filters")]
    pub(crate) site: Option<String>,
    /// Only documents with this date or a later one
    #[arg(long, value_name = "DATE", help_heading = "Filters")]
    pub(crate) since: Option<String>,
    /// Only documents with an earlier date
    #[arg(long, value_name = "DATE", help_heading = "Filters")]
    pub(crate) before: Option<String>,
    /// Only documents of this sweep
    #[arg(long, value_name = "NAME", help_heading = "Filters")]
    pub(crate) sweep: Option<String>,
    /// Only documents that are kept: not those that duplicate a kept one
    #[arg(long, help_heading = "Filters")]
    pub(crate) kept: bool,
    /// Also show the passages in common
    #[arg(long, help_heading = "Output")]
    pub(crate) passages: bool,
    /// Format of the answer
    #[arg(long, value_enum, default_value_t = FormatArg::Text, help_heading = "Output")]
    pub(crate) format: FormatArg,
    /// Also show what the answer cost
    #[arg(long, short = 'v', help_heading = "Output")]
    pub(crate) verbose: bool,
    /// Threads to answer --batch [default: all cores]
    #[arg(
        long,
        short = 'j',
        value_name = "N",
        value_parser = threads(),
        help_heading = "Running"
    )]
    pub(crate) threads: Option<usize>,
}

#[derive(Debug, Args)]
pub(crate) struct CollapseArgs {
    /// Ranked list: JSONL records with texts, best first; with --index also lines {"id": …} or
    /// plain ids of stored documents. `-` for standard input
    #[arg(value_name = "LIST")]
    pub(crate) list: PathBuf,
    /// Index that holds the documents of the list
    #[arg(long, value_name = "DIR")]
    pub(crate) index: Option<PathBuf>,
    /// Documents are put behind one that --measure says they match at this value [default: that of
    /// the index, else 0.8]
    #[arg(long, short = 't', value_name = "RATIO")]
    pub(crate) threshold: Option<String>,
    /// Similarity measure [default: that of the index, else resemblance]. By containment, a
    /// document is put behind an earlier one that contains it: what counts is the share of the
    /// later document that is in the earlier one
    #[arg(long, value_parser = choice::<Measure>("measure"))]
    pub(crate) measure: Option<Measure>,
    /// Tokens per shingle, without --index
    #[arg(long, value_name = "N", conflicts_with = "index")]
    pub(crate) shingle: Option<u32>,
    /// Format of what is printed
    #[arg(long, value_enum, default_value_t = FormatArg::Text)]
    pub(crate) format: FormatArg,
}
