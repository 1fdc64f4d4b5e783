//! Broder et al. 1997, "Status", at the paper's own size: thirty million pages of 5 kB in, made
//! while they are read; the time and the memory of each phase beside the paper's, out, as a page of
//! Markdown.
//!
//! The pages are those of [`lookalike_research::splice::Pages`]: no disk holds them. They go the
//! engine's own road, through method `dsc` with the paper's parameters: shingles of ten words, one
//! in 25 kept, keys of more than 1000 documents not looked up (`--key-limit`; Broder's own limit,
//! `--ignore-common`, takes one more reading of all pages), an estimated resemblance of a half,
//! connected components; or, asked for by `--exact`, by the whole sets of shingles, as many pages
//! as the disk has room for. Generating the pages is measured separately, by generating all of them
//! once more, and subtracted from the phase in which they are generated and signed. Processor time
//! and memory are measured by the system (Linux; elsewhere "–").

use anyhow::{Context, Result};
use clap::Parser;
use lookalike_core::{FeatureKind, ShortDocuments};
use lookalike_engine::{
    Approach, Collection, DocumentId, IngestOptions, Linkage, MatchOptions, MatchSettings,
    Progress, SetId, Signer, Silent, Units, Verify, find, ingest_chunks, pipeline,
};
use lookalike_io::source::{Body, Chunk, Piece};
use lookalike_io::{DiscoverOptions, Format, InputFile, Inputs};
use lookalike_methods::{MethodSpec, build};
use lookalike_research::splice::{Origin, Pages, Sources};
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::mpsc::sync_channel;
use std::time::Instant;

/// What the paper sketches by, and where it stops.
const METHOD: &str = "dsc:w=10,m=25,t=0.5";
/// Words in a shingle.
const WORDS: usize = 10;
/// Keys of more documents are not looked up: "shingles shared by more than 1000 documents" are
/// ignored.
const KEY_LIMIT: u32 = 1000;
/// Documents of the paper.
const PAPER: f64 = 30e6;
/// Pages made at a time: 2 MB, like the chunks of a file.
const PAGES_IN_CHUNK: u64 = 400;

/// Clusters millions of made web pages as Broder et al. did in 1997, and prints what it took.
#[derive(Debug, Parser)]
#[command(version)]
struct Arguments {
    /// Number of pages.
    #[arg(long, default_value_t = 1_000_000, value_parser = clap::value_parser!(u64).range(1..=2_000_000_000))]
    documents: u64,
    /// Number of threads that sign and compare (as many as there are cores).
    #[arg(long, short = 'j', value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
    /// Number of threads that make pages beside them.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    makers: u16,
    /// Median number of words in a page; 617 make 5 kB on the average.
    #[arg(long, default_value_t = 617, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    words: u32,
    /// Gigabytes of pages' descriptions, and an eighth of that of keys, to hold in memory; the
    /// others go to temporary files. Signatures stay.
    #[arg(long, default_value_t = 4)]
    memory: u64,
    /// Where the temporary files go.
    #[arg(long, default_value = ".")]
    scratch: PathBuf,
    /// Compare the whole sets of shingles, and estimate nothing: some 5 kB of temporary file for a
    /// page.
    #[arg(long)]
    exact: bool,
    /// Another seed gives other pages.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Files to take words from. The project's samples that put spaces between words, if none are
    /// given.
    #[arg(value_name = "SOURCE", default_values_t = SAMPLES.map(String::from))]
    sources: Vec<String>,
}

const SAMPLES: [&str; 4] = [
    "samples/crates.jsonl",
    "samples/documentation.jsonl.gz",
    "samples/apache.parquet",
    "samples/descriptions.csv",
];

/// What a phase took.
#[derive(Debug, Clone, Copy, Default)]
struct Cost {
    wall: f64,
    /// Seconds of all threads.
    cpu: Option<f64>,
    /// Bytes that the process holds at the end.
    held: Option<u64>,
    /// Bytes that it held at its most.
    peak: Option<u64>,
}

/// Measures one phase after the other.
struct Clock {
    started: Instant,
    cpu: Option<f64>,
}

impl Clock {
    fn start() -> Self {
        // From here on the system's peak is that of this phase.
        let _ = std::fs::write("/proc/self/clear_refs", "5");
        Self { started: Instant::now(), cpu: processor_seconds() }
    }

    fn stop(&self) -> Cost {
        let cpu = processor_seconds();
        Cost {
            wall: self.started.elapsed().as_secs_f64(),
            cpu: self.cpu.zip(cpu).map(|(before, now)| now - before),
            held: status("VmRSS:"),
            peak: status("VmHWM:"),
        }
    }
}

/// Seconds of processor time of this process, where the system says.
fn processor_seconds() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    // Behind the name, which may hold anything, are the state and then numbers; ticks are
    // hundredths.
    let mut fields = text.rsplit_once(')')?.1.split_whitespace().skip(11);
    let (user, system): (u64, u64) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
    Some((user + system) as f64 / 100.0)
}

/// Bytes that the system's account of this process says under a name.
fn status(name: &str) -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.trim().trim_end_matches("kB").trim().parse::<u64>().ok().map(|kibibytes| kibibytes * 1024)
}

/// Hears from the engine where a phase begins.
#[derive(Default)]
struct Phases {
    running: Mutex<Option<Clock>>,
    done: Mutex<Vec<Cost>>,
}

impl Progress for Phases {
    fn phase(&self, _: &'static str, _: Option<u64>) {
        let (Ok(mut running), Ok(mut done)) = (self.running.lock(), self.done.lock()) else {
            return;
        };
        done.extend(running.take().map(|clock| clock.stop()));
        *running = Some(Clock::start());
    }
}

/// Makes all pages, in order, on some threads; `take` says whether to go on.
fn make(pages: &Pages, documents: u64, makers: usize, take: impl FnMut(Chunk) -> bool) {
    let chunks = (0..documents).step_by(PAGES_IN_CHUNK as usize);
    let work = |_: &mut (), first: u64| {
        let mut data = Vec::with_capacity(PAGES_IN_CHUNK as usize * 6000);
        for number in first..documents.min(first + PAGES_IN_CHUNK) {
            pages.write(number, &mut data);
        }
        Chunk {
            file: 0,
            first_record: first as u32 + 1,
            first_line: first + 1,
            offset: 0,
            consumed: data.len() as u64,
            body: Body::Lines(data),
        }
    };
    pipeline::ordered(makers, chunks, || (), work, take);
}

/// A file that is nowhere: what the records say they are from.
fn inputs() -> Inputs {
    let file = InputFile {
        path: "pages.jsonl".into(),
        format: Format::JSONL,
        ..InputFile::in_memory("pages.jsonl")
    };
    Inputs::from_files(vec![file], DiscoverOptions::default())
}

/// Everything that was measured and found.
#[derive(Debug, Default)]
struct Run {
    /// Bytes of the pages.
    bytes: u64,
    making: Cost,
    /// Making and signing.
    reading: Cost,
    collapsing: Cost,
    indexing: Cost,
    comparing: Cost,
    /// Bytes of signatures.
    signatures: u64,
    /// Bytes of descriptions, and of whole sets, in a temporary file.
    scratch: u64,
    unsigned: u64,
    keys: u64,
    keys_ignored: u64,
    compared: u64,
    clusters: Clusters,
}

/// Clusters of more than one document, and how they fit what was planted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Clusters {
    clusters: u64,
    documents: u64,
    identical: u64,
    identical_documents: u64,
    planted: u64,
    /// Of the planted, those in one cluster with the page that they were made from.
    found: u64,
    /// Documents in one cluster with a page that they have nothing to do with.
    strangers: u64,
}

fn run(arguments: &Arguments, pages: &Pages) -> Result<Run> {
    let documents = arguments.documents;
    let makers = usize::from(arguments.makers);
    let threads = arguments.threads.map_or_else(
        || std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
        usize::from,
    );
    let mut run = Run::default();

    let clock = Clock::start();
    make(pages, documents, makers, |chunk| {
        run.bytes += chunk.consumed;
        true
    });
    run.making = clock.stop();

    let approach = match arguments.exact {
        true => Approach::default(),
        false => {
            let spec: MethodSpec = METHOD.parse()?;
            let method = Some(build(&spec, None)?.into());
            Approach { method, verify: Verify::Sketch, key_limit: Some(KEY_LIMIT), common: None }
        }
    };
    let mut settings = MatchSettings::resemblance("0.5".parse()?);
    settings.features = FeatureKind::Shingles { size: WORDS, short: ShortDocuments::Ignore };
    let signer = Signer::for_approach(&settings, &approach)?;
    let memory = arguments.memory << 30;
    let options = IngestOptions {
        strict: true,
        keep: vec!["first".parse()?],
        memory,
        sequences: memory / 2,
        scratch: arguments.scratch.clone(),
        ..IngestOptions::in_memory(threads)
    };
    let inputs = inputs();
    let clock = Clock::start();
    let collection = std::thread::scope(|scope| {
        let (sender, receiver) = sync_channel(2 * makers);
        scope.spawn(move || make(pages, documents, makers, |chunk| sender.send(chunk).is_ok()));
        let chunks = receiver.into_iter().map(Piece::Chunk);
        ingest_chunks(&inputs, chunks, &signer, &options, &Silent)
    });
    let mut collection = collection?;
    run.reading = clock.stop();
    for chunk in collection.chunk_ids() {
        let (keys, sketches) = collection.signatures(chunk).bytes();
        run.signatures += keys + sketches;
    }

    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    let clock = Clock::start();
    let units =
        pool.install(|| Units::new(&collection, &options.keep, settings.measure, &Silent))?;
    run.collapsing = clock.stop();
    if approach.keeps_sets() {
        collection.spill_for_join()?;
    }

    let matching = MatchOptions {
        memory: memory / 8,
        sets: memory,
        ..MatchOptions::in_memory(Linkage::Components)
    };
    let phases = Phases::default();
    let matches = pool
        .install(|| find(&collection, &units, &settings, &approach, &matching, &phases))
        .context("looking for matches")?;
    phases.phase("end", None);
    if let [indexing, comparing] = phases.done.into_inner().unwrap_or_default()[..] {
        (run.indexing, run.comparing) = (indexing, comparing);
    }
    run.scratch = collection.stored();
    (run.keys, run.keys_ignored) = (matches.keys, matches.keys_ignored);
    run.compared = matches.verified;
    collection
        .for_each(|_, row| run.unsigned += u64::from(collection.unsigned_row(row).is_some()))?;
    run.clusters = judge(&collection, &units, &matches.leader, pages)?;
    Ok(run)
}

/// Counts clusters, and holds them against what was planted.
fn judge(
    collection: &Collection,
    units: &Units,
    leaders: &[SetId],
    pages: &Pages,
) -> Result<Clusters> {
    let n = collection.len();
    let mut texts = Vec::with_capacity(n as usize);
    let mut signed = Vec::with_capacity(n as usize);
    collection.for_each(|_, row| {
        texts.push(row.text);
        signed.push(collection.unsigned_row(row).is_none());
    })?;
    // The cluster of a document, named by the document that leads it.
    let cluster = |document: u32| match units.of_document(DocumentId(document)) {
        Some(unit) if signed[document as usize] => units.members(leaders[unit.index()])[0].0,
        _ => document,
    };
    let family = |document: u32| match pages.origin(document.into()) {
        Origin::Own => document,
        Origin::Copy(original) | Origin::Revision(original) => original as u32,
    };
    let text = |document: u32| texts[document as usize];
    let mut sizes = vec![0u32; n as usize];
    let mut differ = vec![false; n as usize];
    let mut judged = Clusters::default();
    for document in 0..n {
        let (leader, original) = (cluster(document), family(document));
        sizes[leader as usize] += 1;
        differ[leader as usize] |= text(document) != text(leader);
        judged.strangers += u64::from(family(leader) != original);
        judged.planted += u64::from(original != document);
        judged.found += u64::from(original != document && cluster(original) == leader);
    }
    for (&size, differ) in sizes.iter().zip(differ).filter(|&(&size, _)| size > 1) {
        judged.clusters += 1;
        judged.documents += u64::from(size);
        judged.identical += u64::from(!differ);
        judged.identical_documents += if differ { 0 } else { u64::from(size) };
    }
    Ok(judged)
}

/// A number of seconds or of another unit; a dash where the system does not say.
fn shown(value: Option<f64>) -> String {
    value.map_or("–".into(), |value| format!("{value:.1}"))
}

fn show(arguments: &Arguments, run: &Run) {
    let n = arguments.documents as f64;
    println!("# Broder's web, made again\n");
    let way = match arguments.exact {
        true => format!("whole sets of shingles of {WORDS} words, a resemblance of 0.5"),
        false => format!("`{METHOD}`, keys of more than {KEY_LIMIT} documents not looked up"),
    };
    let kilobytes = run.bytes as f64 / n / 1e3;
    let gigabytes = run.bytes as f64 / 1e9;
    println!("{} pages of {kilobytes:.1} kB, {gigabytes:.1} GB; {way}.\n", arguments.documents);
    println!(
        "| phase | paper, CPU days | ours, CPU days for as many | CPU s | CPU µs a page | wall s | GB held after it | GB at its peak | bytes a page |"
    );
    println!("|---|--:|--:|--:|--:|--:|--:|--:|--:|");
    // The pages are generated while others are signed.
    let signing = Cost {
        cpu: run.reading.cpu.zip(run.making.cpu).map(|(both, making)| (both - making).max(0.0)),
        ..run.reading
    };
    let rows = [
        ("making the pages, alone", None, run.making),
        ("signing (and making them again)", Some(4.6), signing),
        ("collapsing equal ones", Some(0.3), run.collapsing),
        ("indexing: keys in order", Some(1.7), run.indexing),
        ("comparing, components", Some(0.7 + 2.6 + 0.5), run.comparing),
    ];
    let gigabytes = |bytes: Option<u64>| {
        bytes.map_or("–".into(), |bytes| format!("{:.2}", bytes as f64 / 1e9))
    };
    let line = |name: &str, paper: Option<f64>, cost: &Cost| {
        println!(
            "| {name} | {} | {} | {} | {} | {:.1} | {} | {} | {} |",
            shown(paper),
            cost.cpu.map_or("–".into(), |cpu| format!("{:.4}", cpu * PAPER / n / 86_400.0)),
            shown(cost.cpu),
            shown(cost.cpu.map(|cpu| cpu * 1e6 / n)),
            cost.wall,
            gigabytes(cost.held),
            gigabytes(cost.peak),
            cost.peak.map_or("–".into(), |bytes| format!("{:.0}", bytes as f64 / n)),
        );
    };
    let mut total = Cost { cpu: Some(0.0), ..Cost::default() };
    for (name, paper, cost) in &rows {
        line(name, *paper, cost);
        if paper.is_some() {
            total.wall += cost.wall;
            total.cpu = total.cpu.zip(cost.cpu).map(|(sum, cpu)| sum + cpu);
            total.held = cost.held;
            total.peak = total.peak.max(cost.peak);
        }
    }
    line("all but making", Some(10.5), &total);
    let days = total.cpu.map(|cpu| 10.5 * 86_400.0 / (cpu * PAPER / n));
    println!(
        "\nThe paper's machines took {} times as much processor time for a page.\n",
        shown(days)
    );
    println!("| | paper | ours |");
    println!("|---|--:|--:|");
    let found = &run.clusters;
    let share = |part: u64, of: f64| format!("{part} ({:.1} %)", 100.0 * part as f64 / of);
    let of_clusters = found.clusters.max(1) as f64;
    println!("| documents | 30 million | {} |", arguments.documents);
    println!("| in clusters | 12.3 million (41.0 %) | {} |", share(found.documents, n));
    println!("| clusters | 3.6 million | {} |", found.clusters);
    println!(
        "| … of identical documents only | 2.1 million (58.3 %) | {} |",
        share(found.identical, of_clusters)
    );
    println!("| documents in those | 5.3 million | {} |", found.identical_documents);
    println!("| too short for a shingle | – | {} |", run.unsigned);
    println!("| shingles of two documents or more | – | {} |", run.keys);
    if !arguments.exact {
        println!("| … of more than {KEY_LIMIT}, not looked up | – | {} |", run.keys_ignored);
    }
    println!("| pairs compared | – | {} |", run.compared);
    println!("| planted versions | – | {} |", found.planted);
    println!(
        "| … found with their original | – | {} |",
        share(found.found, found.planted.max(1) as f64)
    );
    println!("| documents clustered with a stranger | – | {} |", found.strangers);
    println!("| bytes of signatures, a page | – | {:.0} |", run.signatures as f64 / n);
    println!("| bytes in the temporary file, a page | – | {:.0} |", run.scratch as f64 / n);
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let sources = Sources::read(&arguments.sources)?;
    let pages = Pages::new(&sources, arguments.seed, arguments.words as usize)?;
    drop(sources);
    let measured = run(&arguments, &pages)?;
    show(&arguments, &measured);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(documents: u64, threads: &str, makers: &str) -> Run {
        let samples = SAMPLES.map(|path| format!("{}/../{path}", env!("CARGO_MANIFEST_DIR")));
        let arguments = Arguments::parse_from(
            ["web", "-j", threads, "--makers", makers, "--documents", &documents.to_string()]
                .into_iter()
                .map(String::from)
                .chain(samples),
        );
        let sources = Sources::read(&arguments.sources).unwrap();
        let pages = Pages::new(&sources, 1, arguments.words as usize).unwrap();
        run(&arguments, &pages).unwrap()
    }

    /// Ten thousand pages: nearly all that was planted is found, and nothing else; copies always,
    /// where anything of them is sampled.
    #[test]
    fn what_was_planted_is_found() {
        let run = found(10_000, "2", "1");
        let clusters = run.clusters;
        assert!((2_600..3_200).contains(&clusters.planted), "{clusters:?}");
        assert!(clusters.found * 100 >= clusters.planted * 97, "{clusters:?}");
        assert!(clusters.found < clusters.planted, "estimates of a few values cannot all be right");
        assert_eq!(clusters.strangers, 0);
        assert!(clusters.identical * 2 > clusters.clusters, "{clusters:?}");
        assert!((4_500.0..5_500.0).contains(&(run.bytes as f64 / 10_000.0)), "{}", run.bytes);
        assert!(run.keys > 0 && run.compared > 0);
    }

    #[test]
    fn threads_change_nothing() {
        let (one, many) = (found(3_000, "1", "1"), found(3_000, "3", "4"));
        assert_eq!(one.clusters, many.clusters);
        assert_eq!((one.bytes, one.keys, one.unsigned), (many.bytes, many.keys, many.unsigned));
    }

    #[test]
    fn the_account_of_the_system_is_read() {
        if std::path::Path::new("/proc/self/stat").exists() {
            let before = processor_seconds().unwrap();
            let end = Instant::now();
            while processor_seconds().unwrap() < before + 0.05 {
                assert!(end.elapsed().as_secs() < 60, "processor time stands still");
            }
            assert!(status("VmRSS:").unwrap() > 1 << 20);
        }
    }
}
