//! A JSONL file in, the time of the bare loop over it out: the yardstick that the command is laid
//! against.
//!
//! Four steps, each with the ones before it: read the bytes; cut lines and parse JSON; tokenise;
//! fingerprint the tokens and their 5-shingles. Nothing is kept, sorted or compared, so no program
//! that uses these parts can be faster. Work is distributed as in `lookalike-engine`.

use clap::{Parser, ValueEnum};
use lookalike_core::batch;
use lookalike_engine::pipeline;
use lookalike_io::source::VisitScratch;
use lookalike_io::{Content, DiscoverOptions, Inputs, Item};
use lookalike_text::{
    AnalysisSettings, Analyzer, Batch, Scratch, decode_html, decode_text, extract,
};
use std::borrow::Cow;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

/// Bytes read at a time; that of the chunks of `lookalike-io`.
const BLOCK: u64 = 2 << 20;

/// Measures reading, parsing, tokenising and fingerprinting of a collection, and nothing else.
#[derive(Debug, Parser)]
#[command(
    version,
    after_help = "Examples:\n  \
    lookalike-baseline collection.jsonl\n  \
    lookalike-baseline --threads 2 --repeat 5 --format json collection.jsonl"
)]
struct Arguments {
    /// Number of worker threads (one more reads).
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    threads: u16,
    /// Measure each step this many times; the best time is shown.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..))]
    repeat: u16,
    /// Tokens in a shingle.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..=1000))]
    shingle: u16,
    /// How the figures are shown.
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
    /// The collection.
    file: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Table,
    Json,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd)]
enum Step {
    Read,
    Parse,
    Tokenise,
    Fingerprint,
}

const STEPS: [(Step, &str); 4] = [
    (Step::Read, "read"),
    (Step::Parse, "parse"),
    (Step::Tokenise, "tokenise"),
    (Step::Fingerprint, "fingerprint"),
];

/// Counters of a step: printed, so that steps can be compared and the compiler cannot remove work.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Counts {
    bytes: u64,
    documents: u64,
    text_bytes: u64,
    tokens: u64,
    shingles: u64,
    /// Sum over all fingerprints.
    check: u64,
}

impl Counts {
    fn add(&mut self, other: Self) {
        self.bytes += other.bytes;
        self.documents += other.documents;
        self.text_bytes += other.text_bytes;
        self.tokens += other.tokens;
        self.shingles += other.shingles;
        self.check = self.check.wrapping_add(other.check);
    }
}

/// Working space of one thread.
#[derive(Default)]
struct State {
    block: Vec<u8>,
    visit: VisitScratch,
    tokens: Scratch,
    hashes: [Vec<u64>; 2],
}

struct Baseline<'a> {
    inputs: &'a Inputs,
    analyzer: Analyzer,
    shingle: usize,
    threads: usize,
}

impl Baseline<'_> {
    fn run(&self, step: Step) -> Result<Counts, String> {
        if step == Step::Read { self.read() } else { self.parse(step) }
    }

    /// Reads the files block by block.
    fn read(&self) -> Result<Counts, String> {
        let mut total = Ok(Counts::default());
        let blocks = self.inputs.files.iter().flat_map(|file| {
            (0..file.size.div_ceil(BLOCK)).map(move |block| (&file.path, block * BLOCK))
        });
        // Opening once for a block costs microseconds in milliseconds.
        let work = |state: &mut State, (path, offset): (&std::path::PathBuf, u64)| {
            read_block(path, offset, &mut state.block)
        };
        pipeline::ordered(self.threads, blocks, State::default, work, |result| {
            collect(&mut total, result)
        });
        total
    }

    /// Cuts and parses, and runs the further work of the step.
    fn parse(&self, step: Step) -> Result<Counts, String> {
        let mut total = Ok(Counts::default());
        let work = |state: &mut State, piece: lookalike_io::source::Piece| {
            let chunk = piece.whole().map_err(|problem| problem.to_string())?;
            let mut counts = Counts { bytes: chunk.consumed, ..Counts::default() };
            let State { visit, tokens, hashes, .. } = state;
            chunk.visit(self.inputs, visit, &mut |item| {
                if let Item::Record(record) = item {
                    counts.documents += 1;
                    self.document(step, &record.content, tokens, hashes, &mut counts);
                }
            });
            Ok(counts)
        };
        pipeline::ordered(self.threads, self.inputs.chunks(), State::default, work, |result| {
            collect(&mut total, result)
        });
        total
    }

    fn document(
        &self,
        step: Step,
        content: &Content<'_>,
        scratch: &mut Scratch,
        [hashes, shingles]: &mut [Vec<u64>; 2],
        counts: &mut Counts,
    ) {
        let text = match content {
            Content::Text(text) => Cow::Borrowed(text.as_ref()),
            Content::TextBytes(bytes) => decode_text(bytes).text,
            Content::Html(html) => Cow::Owned(extract(html).text),
            Content::HtmlBytes(bytes) => Cow::Owned(extract(&decode_html(bytes).text).text),
            Content::Features(list) => Cow::Owned(list.to_string()),
        };
        counts.text_bytes += text.len() as u64;
        match step {
            Step::Read | Step::Parse => {}
            Step::Tokenise => self.analyzer.tokens(&text, scratch, |token| {
                counts.tokens += 1;
                counts.check = counts.check.wrapping_add(token.len() as u64);
            }),
            Step::Fingerprint => {
                hashes.clear();
                self.analyzer.batches(&text, scratch, |found| match found {
                    Batch::Ranges(bytes, places) => batch::tokens(bytes, places, hashes),
                    Batch::Bytes(bytes) => batch::bytes(bytes, hashes),
                });
                counts.tokens += hashes.len() as u64;
                shingles.clear();
                batch::shingles(hashes, self.shingle, shingles);
                counts.shingles += shingles.len() as u64;
                let sum = |sum: u64, value: &u64| sum.wrapping_add(*value);
                counts.check = shingles.iter().fold(counts.check, sum);
            }
        }
    }
}

fn read_block(path: &Path, offset: u64, block: &mut Vec<u8>) -> Result<Counts, String> {
    let mut read = || {
        let mut file = File::open(path)?;
        std::io::Seek::seek(&mut file, std::io::SeekFrom::Start(offset))?;
        block.clear();
        file.take(BLOCK).read_to_end(block)
    };
    let bytes = read().map_err(|error| format!("{}: {error}", path.display()))? as u64;
    let check = u64::from(block.last().copied().unwrap_or_default());
    Ok(Counts { bytes, check, ..Counts::default() })
}

/// Adds a result; returns whether to continue.
fn collect(total: &mut Result<Counts, String>, result: Result<Counts, String>) -> bool {
    match (&mut *total, result) {
        (Ok(sum), Ok(counts)) => sum.add(counts),
        (Ok(_), Err(error)) => *total = Err(error),
        (Err(_), _) => {}
    }
    total.is_ok()
}

/// The times of a step, in seconds.
struct Measured {
    name: &'static str,
    best: f64,
    worst: f64,
    counts: Counts,
}

impl Measured {
    fn rate(&self) -> f64 {
        self.counts.bytes as f64 / 1e6 / self.best
    }
}

fn measure(arguments: &Arguments) -> Result<Vec<Measured>, String> {
    let discovered =
        Inputs::discover(std::slice::from_ref(&arguments.file), DiscoverOptions::default());
    let inputs = discovered.map_err(|error| error.to_string())?;
    let baseline = Baseline {
        inputs: &inputs,
        analyzer: Analyzer::new(&AnalysisSettings::default()),
        shingle: arguments.shingle.into(),
        threads: arguments.threads.into(),
    };
    // Once for nothing: then the file is in memory for all steps alike.
    baseline.run(Step::Read)?;
    let measured = STEPS.map(|(step, name)| {
        let (mut best, mut worst, mut counts) = (f64::INFINITY, 0.0f64, Counts::default());
        for _ in 0..arguments.repeat {
            let started = Instant::now();
            counts = std::hint::black_box(baseline.run(step)?);
            let seconds = started.elapsed().as_secs_f64();
            (best, worst) = (best.min(seconds), worst.max(seconds));
        }
        Ok(Measured { name, best, worst, counts })
    });
    measured.into_iter().collect()
}

fn show(arguments: &Arguments, measured: &[Measured]) {
    if arguments.format == Format::Json {
        let steps = measured.iter().map(|m| {
            let Counts { bytes, documents, text_bytes, tokens, shingles, check } = m.counts;
            serde_json::json!({
                "name": m.name,
                "seconds": m.best,
                "seconds_worst": m.worst,
                "megabytes_per_second": m.rate(),
                "bytes": bytes,
                "documents": documents,
                "text_bytes": text_bytes,
                "tokens": tokens,
                "shingles": shingles,
                "check": format!("{check:016x}"),
            })
        });
        let steps: Vec<serde_json::Value> = steps.collect();
        let value = serde_json::json!({
            "threads": arguments.threads,
            "repeat": arguments.repeat,
            "steps": steps,
        });
        println!("{value:#}");
        return;
    }
    let last = measured.last().map(|m| m.counts).unwrap_or_default();
    println!(
        "{:.1} MB, {} documents, {} tokens, {} shingles; threads: {}, best of {}",
        last.bytes as f64 / 1e6,
        last.documents,
        last.tokens,
        last.shingles,
        arguments.threads,
        arguments.repeat,
    );
    println!("{:<12} {:>9} {:>9} {:>9}", "up to", "seconds", "worst", "MB/s");
    for m in measured {
        println!("{:<12} {:>9.3} {:>9.3} {:>9.1}", m.name, m.best, m.worst, m.rate());
    }
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match measure(&arguments) {
        Ok(measured) => {
            show(&arguments, &measured);
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("lookalike-baseline: {error}");
            ExitCode::FAILURE
        }
    }
}
