//! The name of a step and a number in; that step done so many times on fixed input, and nothing
//! else; how much there was to do each time, out, as JSON.
//!
//! Made for counting instructions (`benchmarks/instructions.py`): run with n and with 2n
//! repetitions, what the second run took more is the step and nothing of what prepares it. So
//! everything is on one thread, the input is always the project's sample `crates.jsonl`, and no
//! hash has a random seed. The first repetition fills buffers and is in both.

use anyhow::{Context, Result};
use clap::Parser;
use lookalike_core::features::DistinctScratch;
use lookalike_core::{
    BitmapSignature, FeatureKind, Measure, ShortDocuments, Threshold, divide, fingerprint,
    overlap_at_least,
};
use lookalike_io::source::{Chunk, Piece, VisitScratch};
use lookalike_io::table::{Cell, Column, TableFormat, TableWriter};
use lookalike_io::{Content, DiscoverOptions, Inputs, Item};
use lookalike_join::hot_steps;
use lookalike_join::{Criterion, DfSketch, PrefixFilter, PrefixScratch};
use lookalike_lexicon::{Builder, Description, MemoryBudget};
use lookalike_methods::{Document, Method, MethodScratch, Signature, Statistics, build};
use lookalike_text::{AnalysisSettings, Analyzer};
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Does one step of the road again and again.
#[derive(Debug, Parser)]
#[command(version)]
struct Arguments {
    /// Which step; without it, all are listed.
    #[arg(long, value_name = "NAME")]
    step: Option<String>,
    /// How many times.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    times: u32,
    /// The samples.
    #[arg(long, default_value = "samples")]
    samples: PathBuf,
}

/// Does a step once and returns how many units that were.
type Work<'a> = Box<dyn FnMut() -> u64 + 'a>;

/// A step, and what its work is counted in.
struct Step {
    name: &'static str,
    unit: &'static str,
    about: &'static str,
    /// Makes all that the step needs.
    prepare: fn(&Input) -> Result<Work<'_>>,
}

/// All steps, in the order of the road. Tables of Parquet are not among them: their library hashes
/// with a new seed every time, and its counts differ by three in a thousand.
const STEPS: &[Step] = &[
    Step {
        name: "gzip",
        unit: "byte",
        about: "unpacking gzip, cutting into chunks",
        prepare: gzip,
    },
    Step {
        name: "zstd",
        unit: "byte",
        about: "unpacking zstd, cutting into chunks",
        prepare: zstd,
    },
    Step { name: "json", unit: "byte", about: "parsing records of JSON", prepare: json },
    Step { name: "tokenise", unit: "token", about: "text to tokens", prepare: tokenise },
    Step {
        name: "shingle",
        unit: "shingle",
        about: "hashes of tokens to fingerprints of 5",
        prepare: shingle,
    },
    Step {
        name: "set",
        unit: "shingle",
        about: "the same, the distinct ones, their digest",
        prepare: set,
    },
    Step {
        name: "census",
        unit: "element",
        about: "which elements one set alone has",
        prepare: census,
    },
    Step {
        name: "prefix",
        unit: "element",
        about: "choosing the keys of a set at 0.8",
        prepare: prefix,
    },
    Step { name: "keys", unit: "key", about: "sorting keys", prepare: keys },
    Step { name: "parity", unit: "element", about: "the parity of a set", prepare: parity },
    Step {
        name: "bound",
        unit: "pair",
        about: "two parities to the most that sets share",
        prepare: bound,
    },
    Step {
        name: "intersect",
        unit: "element",
        about: "intersecting sorted sets at 0.8",
        prepare: intersect,
    },
    Step { name: "dsc", unit: "token", about: "signing: Broder's sketch, m = 25", prepare: dsc },
    Step {
        name: "simhash",
        unit: "token",
        about: "signing: simhash by term frequency",
        prepare: simhash,
    },
    Step {
        name: "minhash-lsh",
        unit: "token",
        about: "signing: 128 minima of one hash",
        prepare: minhash,
    },
    Step {
        name: "imatch",
        unit: "token",
        about: "signing: I-Match, nidf from 0.2 to 0.8",
        prepare: imatch,
    },
    Step { name: "tsv", unit: "row", about: "writing a table as TSV", prepare: tsv },
    Step { name: "jsonl", unit: "row", about: "writing a table as JSONL", prepare: jsonl },
];

/// What steps are done on.
struct Input {
    samples: PathBuf,
    folder: tempfile::TempDir,
    texts: Vec<String>,
    /// Hashes of each text's tokens.
    tokens: Vec<Vec<u64>>,
    /// The distinct shingles of each text, sorted.
    sets: Vec<Vec<u64>>,
}

const SHINGLES: FeatureKind = FeatureKind::Shingles { size: 5, short: ShortDocuments::Whole };

fn inputs(path: &Path) -> Result<Inputs> {
    Ok(Inputs::discover(&[path.display().to_string()], DiscoverOptions::default())?)
}

fn chunks(inputs: &Inputs) -> Result<Vec<Chunk>> {
    Ok(inputs.chunks().map(Piece::whole).collect::<Result<_, _>>()?)
}

impl Input {
    fn read(samples: &Path) -> Result<Self> {
        let inputs = inputs(&samples.join("crates.jsonl"))?;
        let mut texts = Vec::new();
        let mut scratch = VisitScratch::default();
        for chunk in chunks(&inputs)? {
            chunk.visit(&inputs, &mut scratch, &mut |item| {
                if let Item::Record(record) = item
                    && let Content::Text(text) = record.content
                {
                    texts.push(text.into_owned());
                }
            });
        }
        let analyzer = Analyzer::new(&AnalysisSettings::default());
        let mut scratch = lookalike_text::Scratch::default();
        let (mut tokens, mut sets) = (Vec::new(), Vec::new());
        for text in &texts {
            let (mut hashes, mut seen) = (Vec::new(), DistinctScratch::default());
            analyzer.tokens(text, &mut scratch, |token| hashes.push(fingerprint::token(token)));
            let mut set = lookalike_core::features::distinct(&hashes, SHINGLES, &mut seen).to_vec();
            set.sort_unstable();
            tokens.push(hashes);
            sets.push(set);
        }
        let folder = tempfile::tempdir()?;
        Ok(Self { samples: samples.to_owned(), folder, texts, tokens, sets })
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Elements of all sets.
    fn elements(&self) -> u64 {
        self.sets.iter().map(|set| set.len() as u64).sum()
    }
}

/// Unpacks a file and cuts it into chunks.
fn unpack(path: &Path) -> Result<Work<'static>> {
    let inputs = inputs(path)?;
    Ok(Box::new(move || {
        let chunks = inputs.chunks().filter_map(|piece| piece.into_parts().0);
        chunks.map(|chunk| chunk.raw_records().map(|(_, raw)| raw.len() as u64).sum::<u64>()).sum()
    }))
}

fn gzip(input: &Input) -> Result<Work<'_>> {
    unpack(&input.samples.join("documentation.jsonl.gz"))
}

fn zstd(input: &Input) -> Result<Work<'_>> {
    let path = input.path("crates.jsonl.zst");
    std::fs::write(
        &path,
        zstd::encode_all(&*std::fs::read(input.samples.join("crates.jsonl"))?, 3)?,
    )?;
    unpack(&path)
}

fn json(input: &Input) -> Result<Work<'_>> {
    let inputs = inputs(&input.samples.join("crates.jsonl"))?;
    let chunks = chunks(&inputs)?;
    let mut scratch = VisitScratch::default();
    Ok(Box::new(move || {
        for chunk in &chunks {
            chunk.visit(&inputs, &mut scratch, &mut |item| {
                black_box(&item);
            });
        }
        chunks.iter().map(|chunk| chunk.consumed).sum()
    }))
}

fn tokenise(input: &Input) -> Result<Work<'_>> {
    let analyzer = Analyzer::new(&AnalysisSettings::default());
    let mut scratch = lookalike_text::Scratch::default();
    Ok(Box::new(move || {
        let mut count = 0;
        for text in &input.texts {
            analyzer.tokens(text, &mut scratch, |token| {
                black_box(token);
                count += 1;
            });
        }
        count
    }))
}

fn shingle(input: &Input) -> Result<Work<'_>> {
    Ok(Box::new(move || {
        let mut count = 0;
        for tokens in &input.tokens {
            fingerprint::shingles(tokens, 5, |value| {
                black_box(value);
                count += 1;
            });
        }
        count
    }))
}

fn set(input: &Input) -> Result<Work<'_>> {
    // Hashing the tokens is no part of this step: their documents are in buffers already.
    let mut seen = DistinctScratch::default();
    Ok(Box::new(move || {
        let mut count = 0;
        for tokens in &input.tokens {
            let set = lookalike_core::features::distinct(tokens, SHINGLES, &mut seen);
            black_box(lookalike_core::features::digest(set));
            count += tokens.len().saturating_sub(4).max(1) as u64;
        }
        count
    }))
}

fn census(input: &Input) -> Result<Work<'_>> {
    Ok(Box::new(move || {
        black_box(hot_steps::singletons(&input.sets).ok());
        input.elements()
    }))
}

fn prefix(input: &Input) -> Result<Work<'_>> {
    let mut sketch = DfSketch::for_elements(input.elements(), 0);
    input.sets.iter().for_each(|set| sketch.add(set));
    let order = sketch.freeze();
    let criterion = Criterion { measure: Measure::Resemblance, threshold: "0.8".parse()? };
    let mut scratch = PrefixScratch::default();
    let bound = lookalike_join::prefix::bound(criterion);
    let halves = |set: &Vec<u64>| {
        let (mut low, mut high) = (Vec::new(), Vec::new());
        divide(bound, set, &mut low, &mut high);
        (low, high)
    };
    let sets: Vec<_> = input.sets.iter().map(halves).collect();
    Ok(Box::new(move || {
        let filter = PrefixFilter::new(criterion, &order);
        for (low, high) in &sets {
            filter.prefix(
                (low.len() + high.len()) as u32,
                low,
                || high,
                &mut scratch,
                |_| false,
                |place, value| {
                    black_box((place, value));
                },
            );
        }
        input.elements()
    }))
}

fn keys(input: &Input) -> Result<Work<'_>> {
    Ok(Box::new(move || {
        black_box(hot_steps::sort_keys(&input.sets).ok());
        input.elements()
    }))
}

fn parity(input: &Input) -> Result<Work<'_>> {
    Ok(Box::new(move || {
        for set in &input.sets {
            black_box(BitmapSignature::of(set));
        }
        input.elements()
    }))
}

/// Each document with those behind it, up to this many.
const NEIGHBOURS: usize = 50;

fn pairs(sets: &[Vec<u64>]) -> impl Iterator<Item = (usize, usize)> {
    let last = sets.len();
    (0..last).flat_map(move |a| (a + 1..last.min(a + 1 + NEIGHBOURS)).map(move |b| (a, b)))
}

fn bound(input: &Input) -> Result<Work<'_>> {
    let parities: Vec<(BitmapSignature, u32)> =
        input.sets.iter().map(|set| (BitmapSignature::of(set), set.len() as u32)).collect();
    Ok(Box::new(move || {
        let mut count = 0;
        for (a, b) in pairs(&input.sets) {
            let ((x, size_x), (y, size_y)) = (parities[a], parities[b]);
            black_box(x.most_shared(y, size_x, size_y));
            count += 1;
        }
        count
    }))
}

fn intersect(input: &Input) -> Result<Work<'_>> {
    let threshold: Threshold = "0.8".parse()?;
    Ok(Box::new(move || {
        let mut count = 0;
        for (a, b) in pairs(&input.sets) {
            let (a, b) = (&input.sets[a], &input.sets[b]);
            let sizes = (a.len() as u32, b.len() as u32);
            let needed = Measure::Resemblance.needed_overlap(threshold, sizes.0, sizes.1);
            black_box(overlap_at_least(a, b, needed));
            count += u64::from(sizes.0 + sizes.1);
        }
        count
    }))
}

fn sign<'a>(
    input: &'a Input,
    spec: &str,
    statistics: Option<Arc<dyn Statistics>>,
) -> Result<Work<'a>> {
    let method: Box<dyn Method> = build(&spec.parse()?, statistics)?;
    let (mut scratch, mut out) = (MethodScratch::default(), Signature::default());
    Ok(Box::new(move || {
        let mut count = 0;
        for tokens in &input.tokens {
            out.clear();
            let document = Document { tokens, ..Document::default() };
            let _ = black_box(method.sign(&document, &mut scratch, &mut out));
            black_box(&out);
            count += tokens.len() as u64;
        }
        count
    }))
}

fn dsc(input: &Input) -> Result<Work<'_>> {
    sign(input, "dsc", None)
}

fn simhash(input: &Input) -> Result<Work<'_>> {
    sign(input, "simhash:weights=tf", None)
}

fn minhash(input: &Input) -> Result<Work<'_>> {
    sign(input, "minhash-lsh", None)
}

fn imatch(input: &Input) -> Result<Work<'_>> {
    let description = Description { analysis: "step".into(), term_filter: "all".into() };
    let mut builder = Builder::new(description, MemoryBudget::default(), input.folder.path());
    let analyzer = Analyzer::new(&AnalysisSettings::default());
    let mut scratch = lookalike_text::Scratch::default();
    for text in &input.texts {
        analyzer.tokens(text, &mut scratch, |token| {
            builder.push(fingerprint::finalise(fingerprint::token(token)), token);
        });
        builder.end_document()?;
    }
    let lexicon = builder.finish(&input.path("lexicon"))?;
    sign(input, "imatch:nidf=0.2..0.8", Some(Arc::new(lexicon)))
}

/// The columns of a table of pairs.
const COLUMNS: [Column; 5] = [
    Column::text("document"),
    Column::text("other"),
    Column::ratio("resemblance"),
    Column::count("shared"),
    Column::count("total"),
];

/// Writes all pairs of neighbours, with their exact counts, over the table written before.
fn table<'a>(input: &'a Input, format: TableFormat) -> Result<Work<'a>> {
    let names: Vec<String> = (0..input.sets.len()).map(|at| format!("document-{at:06}")).collect();
    let path = input.path("pairs");
    let rows: Vec<(usize, usize, u64, u64)> = pairs(&input.sets)
        .map(|(a, b)| {
            let shared = lookalike_core::overlap(&input.sets[a], &input.sets[b]);
            let total = input.sets[a].len() + input.sets[b].len() - shared as usize;
            (a, b, shared.into(), total as u64)
        })
        .collect();
    // Whether it can be written at all shows here; no later repetition is different.
    let write = move || -> Result<u64> {
        let mut table = TableWriter::create(&path, format, &COLUMNS)?;
        for &(a, b, shared, total) in &rows {
            table.row(&[
                Cell::Text(&names[a]),
                Cell::Text(&names[b]),
                Cell::Ratio(shared as f64 / total as f64),
                Cell::Count(shared),
                Cell::Count(total),
            ])?;
        }
        Ok(table.finish()?.rows)
    };
    write()?;
    Ok(Box::new(move || write().unwrap_or_default()))
}

fn tsv(input: &Input) -> Result<Work<'_>> {
    table(input, TableFormat::Tsv)
}

fn jsonl(input: &Input) -> Result<Work<'_>> {
    table(input, TableFormat::Jsonl)
}

/// Does a step so many times; how many units there were each time.
fn run(step: &Step, input: &Input, times: u32) -> Result<u64> {
    let mut once = (step.prepare)(input)?;
    let units = once();
    for _ in 0..times {
        anyhow::ensure!(black_box(once()) == units, "{} differs from time to time", step.name);
    }
    anyhow::ensure!(units > 0, "{} did nothing", step.name);
    Ok(units)
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let described = |step: &Step| serde_json::json!({ "step": step.name, "unit": step.unit, "about": step.about });
    let Some(name) = &arguments.step else {
        let all: Vec<_> = STEPS.iter().map(described).collect();
        println!("{:#}", serde_json::Value::from(all));
        return Ok(());
    };
    let step = STEPS.iter().find(|step| step.name == name);
    let step =
        step.with_context(|| format!("{name}: no such step; without --step all are listed"))?;
    // On this thread: no other one may wait, which would take a different number of instructions
    // each time.
    rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build_global()?;
    let input = Input::read(&arguments.samples)?;
    let units = run(step, &input, arguments.times)?;
    let mut said = described(step);
    said["units"] = units.into();
    said["text_bytes"] = input.texts.iter().map(String::len).sum::<usize>().into();
    println!("{said}");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every step does something, the same each time, and what it is counted in is what there is.
    #[test]
    fn every_step_can_be_repeated() {
        let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../samples");
        let input = Input::read(&samples).unwrap();
        assert_eq!((input.texts.len(), input.sets.len()), (380, 380));
        let tokens: usize = input.tokens.iter().map(Vec::len).sum();
        for step in STEPS {
            let units = run(step, &input, 2).unwrap();
            match step.unit {
                "token" => assert_eq!(units, tokens as u64, "{}", step.name),
                "element" if step.name != "intersect" => assert_eq!(units, input.elements()),
                "shingle" => assert!(units < tokens as u64 && units > input.elements()),
                _ => {}
            }
        }
        let mut names: Vec<&str> = STEPS.iter().map(|step| step.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), STEPS.len());
    }
}
