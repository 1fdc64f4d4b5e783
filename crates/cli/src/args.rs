//! Command-line arguments: definitions and `--help` texts, no behaviour.

mod about;
mod decontaminate;
mod documents;
mod evaluate;
mod filter;
mod index;
mod input;
mod lexicon;
mod matching;
#[cfg(feature = "service")]
mod milter;
mod options;
mod output;
mod passages;
mod plan;
mod recluster;
mod results;
mod run;
mod search;
#[cfg(feature = "service")]
mod serve;
mod values;
#[cfg(feature = "service")]
mod view;

pub(crate) use {
    about::*, decontaminate::*, documents::*, evaluate::*, filter::*, index::*, input::*,
    lexicon::*, matching::*, options::*, output::*, passages::*, plan::*, recluster::*, results::*,
    run::*, search::*,
};

#[cfg(feature = "service")]
pub(crate) use {milter::*, serve::*, view::*};

use clap::{Parser, Subcommand};
use std::path::PathBuf;

/// Finds the near-duplicate documents in any collection, and proves each one.
#[derive(Debug, Parser)]
#[command(
    name = "lookalike",
    version,
    max_term_width = 80,
    after_help = "\
Exit codes: 0 done; 1 failed, or not a single document could be read; 2 wrong
usage; 3 stopped by a guard (--strict, an input that changed, too many pairs);
101 internal error; 130 SIGINT; 143 SIGTERM. Results are written completely or
not at all. If not a single document could be read, they are written with the
reasons.

Examples:
  lookalike dedup docs.jsonl --output clean
  lookalike explain doc-17 doc-42 --run clean"
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    /// Read options from this TOML file: `threshold = 0.9`, and in a table such as [dedup] those of
    /// one command
    ///
    /// Keys are the names of options. The command line takes precedence over LOOKALIKE_* environment
    /// variables (LOOKALIKE_THRESHOLD), these over the file, and the file over --preset. Results
    /// have such a file, `config.toml`.
    #[arg(long, global = true, value_name = "FILE", help_heading = "Configuration")]
    pub(crate) config: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Remove near-duplicates: writes kept and removed documents and the evidence for every removal
    #[command(after_help = "\
Examples:
  lookalike dedup docs.jsonl --output clean
  lookalike dedup crawl/*.jsonl.zst --output clean --threshold 0.85 \\
      --keep newest --keep longest
  lookalike dedup new/ --against corpus.parquet --output fresh
  lookalike dedup mails.csv --text-field body --measure cosine \\
      --threshold 0.9 --output clean
  zcat docs.jsonl.gz | lookalike dedup - --output clean --tables tsv")]
    Dedup(Box<DedupArgs>),
    /// Find near-duplicates without removing any: writes all pairs and clusters
    #[command(after_help = "\
Examples:
  lookalike cluster docs.jsonl --output found --tables tsv
  lookalike cluster licences/ --measure containment --threshold 0.9 \\
      --output found
  lookalike cluster pages/ --linkage leaders --output found")]
    Cluster(ClusterArgs),
    /// Find the training documents that contain items of benchmarks, and remove them
    #[command(
        override_usage = "lookalike decontaminate [OPTIONS] --output <DIR> <INPUT>...\n       --against <BENCH>...",
        after_help = "\
Examples:
  lookalike decontaminate train.jsonl --against gsm8k.jsonl --output found
  lookalike decontaminate crawl/*.jsonl.zst --against bench/ \\
      --action remove --output clean
  lookalike decontaminate train.parquet --against mmlu.jsonl \\
      --item-fields question,choices --ngram 13 --output found"
    )]
    Decontaminate(DecontaminateArgs),
    /// Find the passages that stand twice in documents, and cut their later copies
    #[command(after_help = "\
Documents that come first take precedence: files in the order of their names.
Run dedup first: it removes copies of whole documents, each with its proof.

Examples:
  lookalike passages clean/kept.jsonl --output cut
  lookalike passages crawl/*.jsonl.zst --length 30 --whole line --output cut
  lookalike passages crawl/*.jsonl.zst --write spans --output spans
  lookalike passages docs.parquet --cut none --output found --tables tsv")]
    Passages(PassagesArgs),
    /// Predict from a sample what a long run will find and cost, and recommend a method
    #[command(after_help = "\
Reads a sample and writes no results. For each method it prints the expected
recall, time, memory and size of spill files on this machine.

Examples:
  lookalike plan crawl/*.jsonl.zst
  lookalike plan crawl/*.jsonl.zst --recall 0.95 --memory 8GiB --sample 256MiB
  lookalike plan docs.jsonl --format json > docs.plan
  lookalike dedup docs.jsonl --output clean --plan docs.plan")]
    Plan(PlanArgs),
    /// Recompute the clusters of a `cluster` run at a higher threshold, without reading the
    /// documents
    #[command(after_help = "\
Examples:
  lookalike cluster docs.jsonl --threshold 0.5 --output low
  lookalike recluster low --threshold 0.8 --output high
  lookalike recluster low --threshold 0.8 --linkage leaders --keep longest \\
      --output led")]
    Recluster(ReclusterArgs),
    /// Compare two documents: resemblance, containments, cosine, and differences
    #[command(after_help = "\
A document is a text, Markdown, HTML or eml file, or FILE#ID for a record of a
JSONL, CSV, Parquet, Arrow or mbox file.

Examples:
  lookalike compare old.html new.html
  lookalike compare docs.jsonl#17 docs.jsonl#42 --shingle 3
  lookalike compare a.txt b.txt --format json")]
    Compare(CompareArgs),
    /// Explain why two documents of a run were matched, or were not, or what was cut of a document
    #[command(after_help = "\
Examples:
  lookalike explain doc-17 doc-42 --run clean
  lookalike explain 'docs.jsonl:3' 'docs.jsonl:9' --run clean --format json
  lookalike explain doc-17 --run cut                  # a result of passages
  lookalike explain doc-17 1200..1390 --run cut")]
    Explain(ExplainArgs),
    /// Show clusters, documents, losses or texts of a finished run
    #[command(after_help = "\
Examples:
  lookalike show clean                                # the largest clusters
  lookalike show clean doc-17
  lookalike show clean --cluster 3 -n 100 --format json
  lookalike show clean --source crawl/part-7.jsonl.zst
  lookalike show clean --grep 'all rights reserved'")]
    Show(ShowArgs),
    /// Compare the results of two runs: what another threshold, version or rule changes
    #[command(after_help = "\
Reads the tables of the runs and no documents.

Examples:
  lookalike compare-runs strict loose
  lookalike compare-runs strict loose --list only-b -n 100
  lookalike compare-runs strict loose --list merged --format json
  lookalike compare-runs strict loose --output changes --tables tsv")]
    CompareRuns(CompareRunsArgs),
    /// Restore removed documents into a copy of a result
    #[command(after_help = "\
The restored documents are kept, and are in neither the ledger nor the clusters
of the new result.

Examples:
  lookalike undo clean doc-17 doc-42 --output better
  lookalike undo clean --cluster 3 --output better")]
    Undo(UndoArgs),
    /// Measure recall, precision, clusters and cost of methods against the exact pairs of a
    /// collection
    #[command(after_help = "\
A method is NAME:PARAMETER=VALUE,… (`lookalike methods` lists them), or `exact`
for the exact join. A suffix selects the verifier of its candidates: @sketch
(default), @exact or @none. One parameter may be a range, d=0..=8, or a list,
t=0.5|0.7|0.9; every value is measured.

Examples:
  lookalike evaluate docs.jsonl --output measured
  lookalike evaluate docs.jsonl \\
      --methods exact minhash-lsh@none 'simhash:d=0..=8' --output measured
  lookalike evaluate mails.jsonl --measure cosine --terms kolcz -t 0.9 \\
      --methods 'imatch-random:copies=0..=10' --lexicon news.lexicon \\
      --classes labels.tsv --output measured
  lookalike evaluate crawl/*.jsonl.zst --sample 1000 --output measured")]
    Evaluate(EvaluateArgs),
    /// Build, merge and inspect lexicons: the document frequencies of a collection
    #[command(
        subcommand,
        after_help = "\
Example:
  lookalike lexicon build news/*.jsonl.gz --output news.lexicon"
    )]
    Lexicon(LexiconCommand),
    /// Keep an index of documents that can be asked, added to and deleted from
    #[command(
        subcommand,
        after_help = "\
Examples:
  lookalike index create corpus.index
  lookalike index add corpus.index docs.jsonl.zst"
    )]
    Index(IndexCommand),
    /// Ask an index which documents resemble, contain or are contained in a document
    #[command(
        override_usage = "lookalike query [OPTIONS] <DIR> <TEXT>\n       lookalike query [OPTIONS] <DIR> --file|--id|--url|--cluster <VALUE>\n       lookalike query [OPTIONS] <DIR> --batch <FILE>",
        after_help = "\
Examples:
  lookalike query corpus.index 'the quick brown fox jumps over the lazy dog' \\
      --threshold 0.5
  lookalike query corpus.index --file page.html --ask containing --limit 10
  lookalike query corpus.index --url https://example.org/ --ask cluster
  lookalike query corpus.index --id doc-17 --passages --format json
  lookalike query corpus.index --batch questions.jsonl > answers.jsonl"
    )]
    Query(QueryArgs),
    /// Give verdicts on messages that match prototypes, which were reported as spam or as legitimate
    #[command(after_help = "\
Prints a verdict for each message and moves or deletes nothing: none (no
prototype matches), ham (a prototype that matches was reported as legitimate),
unsure (too few reports), spam, or error (it cannot be read), with the
prototype and the passages or terms that decided.

Examples:
  lookalike index create spam.index --ttl 90d
  lookalike filter report spam --prototypes spam.index \\
      --reporter honeypot honeypot.mbox
  lookalike filter --prototypes spam.index inbox.mbox
  tail -f messages.jsonl | lookalike filter --prototypes spam.index
  lookalike filter --prototypes spam.index --input-format eml - < message
  lookalike filter --prototypes spam.index --header < message > marked
  lookalike filter rule --prototypes spam.index --ask contained-in --reports 2
  lookalike filter list --prototypes spam.index")]
    Filter(FilterArgs),
    /// Group a ranked list of documents: one is shown, and its near-duplicates are put behind it
    #[command(after_help = "\
Examples:
  lookalike collapse results.jsonl
  search 'query' | lookalike collapse - --index corpus.index --format json")]
    Collapse(CollapseArgs),
    /// Serve an index over HTTP: questions, documents, verdicts and reports, as JSON
    #[cfg(feature = "service")]
    #[command(after_help = "\
GET /openapi.json describes all endpoints. Without --tokens it answers this
machine only. SIGTERM or Ctrl-C stops it once all requests are answered.

Examples:
  lookalike serve corpus.index
  curl localhost:7070/v1/query --json '{\"text\": \"a text\", \"threshold\": 0.5}'
  lookalike serve corpus.index --listen 0.0.0.0:7070 --tokens tokens.txt
  lookalike serve corpus.index --read-only --listen 127.0.0.1:7071")]
    Serve(ServeArgs),
    /// Answer for several `lookalike serve`, each with a part of the documents, as for one index
    #[cfg(feature = "service")]
    #[command(after_help = "\
The document with an id is at shard N, the first being 0: the first eight bytes
of the SHA-256 of the id, as a number, modulo the number of shards. All of them
answer a question, or none. GET /openapi.json describes what is answered.

Examples:
  lookalike front http://10.0.0.1:7070 http://10.0.0.2:7070
  lookalike front http://10.0.0.1:7070 http://10.0.0.2:7070 \\
      --shard-token-file shards.token --listen 0.0.0.0:7070 --tokens tokens.txt")]
    Front(FrontArgs),
    /// Give verdicts on the messages of a mail server (Postfix, Sendmail), over the milter protocol
    #[cfg(feature = "service")]
    #[command(after_help = "\
Each message is accepted with its verdict in the header field X-Lookalike; one
that cannot be judged in time, too. Reports count from the next message on.

Examples:
  lookalike milter spam.index
  postconf -e smtpd_milters=inet:127.0.0.1:7072 milter_default_action=accept
  lookalike milter spam.index --listen unix:/run/lookalike/milter.sock
  lookalike milter spam.index --quarantine --log json")]
    Milter(MilterArgs),
    /// Show the results of a run on a page: clusters, documents, and what differs
    #[cfg(feature = "service")]
    #[command(after_help = "\
It answers this machine only. Ctrl-C stops it.

Examples:
  lookalike view out
  lookalike view out --listen 127.0.0.1:0")]
    View(ViewArgs),
    /// List the methods of the papers, or the parameters of one
    #[command(after_help = "\
Examples:
  lookalike methods
  lookalike methods minhash-lsh
  lookalike methods minhash-lsh:t=0.7,recall=0.99")]
    Methods(MethodsArgs),
    /// List the presets, settings of well-known data sets and tools, or show one
    #[command(after_help = "\
Examples:
  lookalike presets
  lookalike presets fineweb
  lookalike dedup docs.jsonl --preset fineweb --threshold 0.8 --output clean")]
    Presets(PresetsArgs),
    /// Print the manual page, or write those of all commands to a directory
    #[command(after_help = "\
Examples:
  lookalike man | man -l -
  lookalike man ~/.local/share/man/man1")]
    Man(ManArgs),
    /// Print the completion script for a shell
    #[command(after_help = "\
Example:
  lookalike completions bash > \\
      ~/.local/share/bash-completion/completions/lookalike")]
    Completions {
        /// Shell
        shell: clap_complete::Shell,
    },
}

#[cfg(test)]
mod tests {
    use super::Cli;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    /// Every help has examples, and its text fits into 80 columns as it is written.
    #[test]
    fn every_help_has_examples_that_fit() {
        fn check(command: &clap::Command, path: &str) {
            let after = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(after.contains("Example"), "{path}: no examples");
            for line in after.lines() {
                assert!(line.chars().count() <= 80, "{path}: {line}");
            }
            for below in command.get_subcommands() {
                check(below, &format!("{path} {}", below.get_name()));
            }
        }
        check(&Cli::command(), "lookalike");
    }
}
