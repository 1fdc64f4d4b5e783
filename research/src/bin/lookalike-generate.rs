//! Text files in, a collection of any size out, on standard output.
//!
//! The work is done by [`lookalike_research::splice`]; this is what can be typed.

use clap::Parser;
use lookalike_research::splice::{Generator, Mode, Options, Sources};
use std::io::Write;
use std::process::ExitCode;

/// Bytes that are written at a time.
const BLOCK: usize = 1 << 20;

/// Makes a collection of JSONL documents out of real text, the same for the same options.
///
/// New documents are spliced from the sentences of the sources, with every fourth word replaced by
/// another one of them (with --shared, the same words in all documents); the others are
/// near-duplicates of earlier documents. Each line has `id`, `text`, `url` and `source`;
/// near-duplicates also say what they were made `from` and by which `edit`.
#[derive(Debug, Parser)]
#[command(
    version,
    after_help = "Examples:\n  \
    lookalike-generate --documents 200000 samples > mixed.jsonl\n  \
    lookalike-generate --documents 20000000 --words 60 --fresh 0.1 samples > short.jsonl\n  \
    lookalike-generate --bytes 10GB --duplicates 0.3 --words 600 news.jsonl.zst books/ > large.jsonl\n  \
    lookalike-generate --documents 1000000 --copies samples > copies.jsonl\n  \
    lookalike-generate --documents 1000000 --variants --texts 10 samples > variants.jsonl\n  \
    lookalike-generate --documents 100000 --templates 50 samples > pages.jsonl\n  \
    lookalike-generate --documents 10000 --chain --edits 0.02 samples > chain.jsonl\n  \
    lookalike-generate --documents 200000 --half samples > half.jsonl\n  \
    lookalike-generate --documents 200000 --boilerplate samples > boilerplate.jsonl\n  \
    lookalike-generate --documents 200000 --forms 1000 samples > forms.jsonl\n  \
    lookalike-generate --documents 200000 --shared 12 samples > shared.jsonl"
)]
struct Arguments {
    /// Number of documents.
    #[arg(long, required_unless_present = "bytes")]
    documents: Option<u64>,
    /// Stop behind this many bytes (with KB, MB or GB).
    #[arg(long, value_parser = bytes)]
    bytes: Option<u64>,
    /// Another seed gives another collection.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Median number of words in a document.
    #[arg(long, default_value_t = 250, value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    words: u32,
    /// Share of documents that are near-duplicates of earlier ones.
    #[arg(long, default_value = "0.2", value_parser = share)]
    duplicates: u32,
    /// Share of words changed in each document of --variants and --chain, and in each variant of
    /// --half.
    #[arg(long, default_value = "0.01", value_parser = share)]
    edits: u32,
    /// Share of words of originals that no other original has: what is alike by chance is then as
    /// rare in a large collection as in a small one. Not for --forms, which have no text of their
    /// own.
    #[arg(long, default_value = "0", value_parser = share)]
    fresh: u32,
    /// Copies of one text.
    #[arg(long, group = "mode")]
    copies: bool,
    /// Edited variants of a few texts.
    #[arg(long, group = "mode")]
    variants: bool,
    /// Number of texts for --variants.
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    texts: u32,
    /// Pages that share this many beginnings and ends.
    #[arg(long, group = "mode", value_name = "T", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    templates: Option<u32>,
    /// Words of a beginning or end for --templates; a quarter of --words by default.
    #[arg(long, requires = "templates", value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    template_words: Option<u32>,
    /// Each document is the one before, edited.
    #[arg(long, group = "mode")]
    chain: bool,
    /// Half of all documents are edited variants of one.
    #[arg(long, group = "mode")]
    half: bool,
    /// One paragraph is a third of every page.
    #[arg(long, group = "mode")]
    boilerplate: bool,
    /// Fillings of this many forms with a few gaps.
    #[arg(long, group = "mode", value_name = "F", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    forms: Option<u32>,
    /// Originals are made of whole sentences, each of which is in about N of them. With --fresh,
    /// single words of these sentences differ.
    #[arg(long, group = "mode", value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    shared: Option<u32>,
    /// Files and directories to take text from: JSONL (field `text`), text, HTML, CSV, Parquet.
    #[arg(required = true, value_name = "SOURCE")]
    sources: Vec<String>,
}

/// A share as millionths.
fn share(text: &str) -> Result<u32, String> {
    match text.parse::<f64>() {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok((share * 1e6).round() as u32),
        _ => Err("give a number from 0 to 1, such as 0.2".into()),
    }
}

/// A size in bytes.
fn bytes(text: &str) -> Result<u64, String> {
    let units = [("GB", 1_000_000_000), ("MB", 1_000_000), ("KB", 1000), ("", 1)];
    let found = units.iter().find_map(|(unit, size)| Some((text.strip_suffix(unit)?, size)));
    found
        .and_then(|(number, size)| number.trim().parse::<u64>().ok()?.checked_mul(*size))
        .ok_or_else(|| "give a number of bytes, such as 500MB".into())
}

impl Arguments {
    fn options(&self) -> Options {
        let mode = match (self.templates, self.forms, self.shared) {
            (Some(templates), ..) => Mode::Templates {
                templates: templates as usize,
                words: self.template_words.unwrap_or(self.words / 4) as usize,
            },
            (_, Some(forms), _) => Mode::Forms { forms: forms as usize },
            (.., Some(documents)) => Mode::Shared { documents: documents as usize },
            _ if self.half => Mode::Half,
            _ if self.boilerplate => Mode::Boilerplate,
            _ if self.copies => Mode::Copies,
            _ if self.variants => Mode::Variants { texts: self.texts as usize },
            _ if self.chain => Mode::Chain,
            _ => Mode::Mixed,
        };
        Options {
            seed: self.seed,
            words: self.words as usize,
            duplicates: self.duplicates,
            edits: self.edits,
            fresh: self.fresh,
            mode,
        }
    }
}

fn generate(arguments: &Arguments, out: &mut impl Write) -> std::io::Result<()> {
    let sources = Sources::read(&arguments.sources).map_err(std::io::Error::other)?;
    let mut generator = Generator::new(&sources, arguments.options());
    let documents = arguments.documents.unwrap_or(u64::MAX);
    let bytes = arguments.bytes.unwrap_or(u64::MAX);
    let (mut written, mut count) = (0u64, 0u64);
    let mut block = Vec::with_capacity(BLOCK * 2);
    while count < documents && written + (block.len() as u64) < bytes {
        generator.write_next(&mut block);
        count += 1;
        if block.len() >= BLOCK {
            out.write_all(&block)?;
            written += block.len() as u64;
            block.clear();
        }
    }
    out.write_all(&block)?;
    out.flush()
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match generate(&arguments, &mut std::io::stdout().lock()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("lookalike-generate: {error}");
            ExitCode::FAILURE
        }
    }
}
