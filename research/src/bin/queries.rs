//! Questions to an index in, the time of each out, as JSON: for `benchmarks/index.py`.
//!
//! One thread asks, as a service would for one request after the other: [`Index::ask`], from the
//! text of the query to the described matches. Questions are asked in the order of the file, as
//! often as `--passes` says; each pass has its own figures, so that the first one shows an index
//! that is not in memory where the caller emptied the system's cache.

use anyhow::{Context, Result, ensure};
use clap::Parser;
use lookalike::{
    Index,
    index::{CollapseItem, Cost, Query, QuerySubject, Wanted},
};
use serde_json::{Value, json};
use std::fs::{self, File};
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Asks an index and says how long each answer took.
#[derive(Debug, Parser)]
#[command(version)]
struct Arguments {
    /// The index.
    #[arg(long)]
    index: PathBuf,
    /// JSONL whose field `text` is what is asked about.
    #[arg(long)]
    queries: PathBuf,
    /// What is asked: resembles, containing, contained-in, cosine, or a method of the index.
    #[arg(long, default_value = "resembles")]
    ask: String,
    /// What the measure has to reach.
    #[arg(long, default_value = "0.8")]
    threshold: String,
    /// The best so many.
    #[arg(long)]
    limit: Option<usize>,
    /// How often all questions are asked.
    #[arg(long, default_value_t = 2)]
    passes: u32,
    /// Groups ranked lists of this many stored documents instead: the answers to questions, one
    /// after the other, so that a list has near-duplicates.
    #[arg(long, value_name = "DOCUMENTS")]
    collapse: Option<usize>,
    /// Writes every match here: the number of the question, a tab and the id.
    #[arg(long)]
    answers: Option<PathBuf>,
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let texts = texts(&arguments.queries)?;
    ensure!(!texts.is_empty(), "{}: no queries", arguments.queries.display());
    let opening = Instant::now();
    let index = Index::open(&arguments.index)?;
    let opened = micros(opening);
    let mut passes = Vec::new();
    let lists = arguments.collapse.map(|length| lists(&arguments, &index, &texts, length));
    let lists = lists.transpose()?;
    for _ in 0..arguments.passes {
        passes.push(match &lists {
            None => pass(&arguments, &index, &texts)?,
            Some(lists) => collapse(&index, lists)?,
        });
    }
    let (mapped, resident) = mapped_bytes(&arguments.index)?;
    if let Some(path) = &arguments.answers {
        write_answers(&arguments, &index, &texts, path)?;
    }
    let result = json!({
        "queries": texts.len(),
        "open_us": opened,
        "documents": index.stats()?.documents,
        "segments": index.snapshot()?.segments().len(),
        "passes": passes,
        "mapped_bytes": mapped,
        "resident_bytes": resident,
    });
    println!("{result}");
    Ok(())
}

/// Asks every question once.
fn pass(arguments: &Arguments, index: &Index, texts: &[String]) -> Result<Value> {
    let mut times = Vec::with_capacity(texts.len());
    let (mut answered, mut matches, mut cost) = (0u64, 0u64, Cost::default());
    for text in texts {
        let query = question(arguments, text);
        let asking = Instant::now();
        let answer = index.ask(&query)?;
        times.push(micros(asking));
        answered += u64::from(!answer.matches.is_empty());
        matches += answer.matches.len() as u64;
        cost += answer.cost;
    }
    let mean = |sum: u64| sum as f64 / texts.len() as f64;
    let mut figures = quantiles(times);
    figures["answered"] = json!(answered);
    for (name, sum) in [
        ("matches", matches),
        ("lookups", cost.lookups),
        ("entries", cost.entries),
        ("candidates", cost.candidates),
        ("verified", cost.verified),
    ] {
        figures[name] = json!(mean(sum));
    }
    Ok(figures)
}

/// Asks every question once more, for what it matches.
fn write_answers(arguments: &Arguments, index: &Index, texts: &[String], to: &Path) -> Result<()> {
    let mut file = BufWriter::new(File::create(to)?);
    for (number, text) in texts.iter().enumerate() {
        for found in index.ask(&question(arguments, text))?.matches {
            writeln!(file, "{number}\t{}", found.id)?;
        }
    }
    Ok(file.flush()?)
}

fn question(arguments: &Arguments, text: &str) -> Query {
    let mut query = Query::new(QuerySubject::Text(text.to_owned()));
    query.ask = match arguments.ask.parse::<Wanted>() {
        Ok(wanted) => wanted,
        Err(never) => match never {},
    };
    query.threshold = Some(arguments.threshold.clone());
    query.limit = arguments.limit;
    query
}

/// Ranked lists of stored documents: the answers to the questions, and of each question without
/// one the document that follows the last.
fn lists(
    arguments: &Arguments,
    index: &Index,
    texts: &[String],
    length: usize,
) -> Result<Vec<Vec<CollapseItem>>> {
    let snapshot = index.snapshot()?;
    let step = (snapshot.len() as usize / texts.len()).max(1);
    let others = snapshot.documents().step_by(step).map(|at| snapshot.document(at).id());
    let mut items: Vec<CollapseItem> = Vec::new();
    for (text, other) in texts.iter().zip(others) {
        let found = index.ask(&question(arguments, text))?.matches;
        let ids = found.into_iter().map(|found| found.id).chain([other.to_owned()]);
        items.extend(ids.map(|id| CollapseItem { id, text: None }));
    }
    Ok(items.chunks_exact(length).map(<[CollapseItem]>::to_vec).collect())
}

/// Groups every list once.
fn collapse(index: &Index, lists: &[Vec<CollapseItem>]) -> Result<Value> {
    ensure!(!lists.is_empty(), "too few questions for a list");
    let mut times = Vec::with_capacity(lists.len());
    let mut behind = 0;
    for list in lists {
        let grouping = Instant::now();
        let groups = lookalike::index::collapse_by_index(index, list, None, None)?;
        times.push(micros(grouping));
        behind += list.len() - groups.len();
    }
    let mut figures = quantiles(times);
    figures["lists"] = json!(lists.len());
    figures["behind"] = json!(behind as f64 / lists.len() as f64);
    Ok(figures)
}

fn quantiles(mut times: Vec<f64>) -> Value {
    times.sort_by(f64::total_cmp);
    json!({
        "p50_us": quantile(&times, 0.5),
        "p90_us": quantile(&times, 0.9),
        "p99_us": quantile(&times, 0.99),
        "max_us": quantile(&times, 1.0),
        "mean_us": times.iter().sum::<f64>() / times.len() as f64,
    })
}

/// The least time that a share of the answers did not exceed.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let at = (sorted.len() as f64 * share).ceil() as usize;
    sorted[at.clamp(1, sorted.len()) - 1]
}

fn micros(since: Instant) -> f64 {
    since.elapsed().as_nanos() as f64 / 1000.0
}

fn texts(path: &Path) -> Result<Vec<String>> {
    let file = File::open(path).with_context(|| path.display().to_string())?;
    let text = |line: std::io::Result<String>| {
        let record: Value = serde_json::from_str(&line?)?;
        let text = record["text"].as_str().context("a query without a text")?;
        Ok(text.to_owned())
    };
    BufReader::new(file).lines().map(text).collect()
}

/// Bytes of the files of a directory that this process has mapped, and those of them that it has
/// touched since (Linux; zeros elsewhere).
fn mapped_bytes(dir: &Path) -> Result<(u64, u64)> {
    let Ok(maps) = fs::read_to_string("/proc/self/smaps") else { return Ok((0, 0)) };
    let dir = fs::canonicalize(dir)?.display().to_string();
    let (mut mapped, mut resident, mut inside) = (0, 0, false);
    for line in maps.lines() {
        let mut words = line.split_whitespace();
        let (first, second) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let bytes = || second.parse::<u64>().unwrap_or(0) * 1024;
        match first {
            "Size:" if inside => mapped += bytes(),
            "Rss:" if inside => resident += bytes(),
            // The first line of a mapping begins with its addresses.
            _ if !first.ends_with(':') => inside = line.contains(&dir),
            _ => {}
        }
    }
    Ok((mapped, resident))
}
