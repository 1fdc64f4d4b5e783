//! Bytes of full and lean indexes, and microseconds of their answers:
//! `cargo bench -p lookalike-index --bench lean [-- DOCUMENTS [QUERIES]]` (100,000 and 2,000 by
//! default). Documents have texts of 2.75 kB and 445 elements, about; half of the queries are
//! edited copies of stored documents. Texts are stored, and the time of verifying from them is
//! included; that of making the query's set is not. One thread, hot.

#[allow(dead_code, reason = "the other measurement uses all of it")]
mod documents;

use documents::{Random, Shingles, Vocabulary};
use lookalike_core::{CommonElements, Measure, TokenDigest};
use lookalike_index::{
    Ask, AskOptions, Cost, Description, DocumentBatch, IndexWriter, LeanDescription, MakeSets,
    QueryScratch, QuerySet, Question, RealDisk, SetMaker,
};
use std::sync::Arc;
use std::time::Instant;

/// Documents in which common elements are counted.
const SAMPLE: u32 = 20_000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // `cargo test --benches` runs this too: then only briefly.
    let bench = std::env::args().any(|arg| arg == "--bench");
    let mut given = std::env::args().skip(1).filter_map(|arg| arg.parse::<u32>().ok());
    let documents = if bench { given.next().unwrap_or(100_000) } else { 300 };
    let queries = if bench { given.next().unwrap_or(2000) } else { 20 };
    let vocabulary = Vocabulary::new();
    let common = common(&vocabulary, documents.min(SAMPLE));
    println!("{documents} documents, {} common elements", common.elements().len());
    let mut batch = DocumentBatch::default();
    (0..documents).for_each(|document| vocabulary.push(document, &mut batch));
    let batches = [batch];
    let queries: Vec<Vec<u64>> = (0..queries)
        .map(|at| {
            let mut random = Random(u64::from(at) << 40 | 7);
            let stored = random.below(u64::from(documents));
            let text = match at % 2 {
                0 => vocabulary.text(stored, Some((&mut random, 100))),
                _ => vocabulary.text(u64::from(documents + at), None),
            };
            let mut set = Vec::new();
            Shingles.make(&text, &[], &mut set);
            set
        })
        .collect();
    let dir = tempfile::tempdir()?;
    let empty = CommonElements::new(Vec::new());
    let lean = |common: &CommonElements| Some(LeanDescription::new("0.8", common.clone()));
    for (name, lean) in [
        ("full", None),
        ("lean at 0.8", lean(&common)),
        ("lean at 0.8, without a table of common elements", lean(&empty)),
    ] {
        let new = Description::new(
            Measure::Resemblance,
            "0.8",
            &["first".to_owned()],
            serde_json::Value::Null,
        );
        let description = Description { lean, ..new };
        let makers: MakeSets = Arc::new(|| Box::new(Shingles));
        let path = dir.path().join(name);
        let mut writer = IndexWriter::create(Arc::new(RealDisk), &path, description, makers)?;
        let start = Instant::now();
        writer.stage(&batches)?;
        let staged = start.elapsed().as_secs_f64();
        let committed = writer.commit()?;
        let seconds = start.elapsed().as_secs_f64();
        println!("{name}: {staged:.1} s to build, {seconds:.1} s with the commit ({committed:?})");
        bytes(&writer);
        for asked in [Ask::Resembles, Ask::ContainedIn] {
            for threshold in ["0.8", "0.9"] {
                ask(&writer, asked, threshold, &queries)?;
            }
        }
    }
    Ok(())
}

/// The elements that more than one in 1,000 documents of a sample have.
fn common(vocabulary: &Vocabulary, sample: u32) -> CommonElements {
    let (mut all, mut set) = (Vec::new(), Vec::new());
    for document in 0..sample {
        Shingles.make(&vocabulary.text(document.into(), None), &[], &mut set);
        all.extend_from_slice(&set);
    }
    all.sort_unstable();
    let most = (sample / 1000).max(9) as usize;
    let lists = all.chunk_by(|a, b| a == b).filter(|list| list.len() > most);
    CommonElements::new(lists.map(|list| list[0]).collect())
}

fn bytes(writer: &IndexWriter) {
    let (mut all, mut texts, mut documents, mut elements, mut text_bytes) = (0, 0, 0, 0, 0);
    for live in writer.snapshot().segments() {
        let segment = live.segment();
        documents += u64::from(segment.documents());
        all += segment.bytes();
        let units = (0..segment.units()).map(|unit| u64::from(segment.unit_size(unit)));
        elements += units.sum::<u64>();
        let rows = (0..segment.documents()).map(|local| segment.row(local).text_bytes);
        text_bytes += rows.sum::<u64>();
        for (name, bytes) in segment.section_bytes().filter(|&(_, bytes)| bytes > 0) {
            texts += if name == "texts" { bytes } else { 0 };
            println!("  {name}: {:.1} bytes a document", per(bytes, segment.documents().into()));
        }
    }
    println!(
        "  {:.0} bytes a document, {:.0} without texts ({:.0} elements, {:.0} bytes of text)",
        per(all, documents),
        per(all - texts, documents),
        per(elements, documents),
        per(text_bytes, documents),
    );
}

fn per(bytes: u64, documents: u64) -> f64 {
    bytes as f64 / documents as f64
}

/// Asks each query and prints quantiles of the time and means of the cost.
fn ask(
    writer: &IndexWriter,
    ask: Ask,
    threshold: &str,
    queries: &[Vec<u64>],
) -> Result<(), Box<dyn std::error::Error>> {
    let question = Question { ask, threshold: threshold.parse()? };
    let snapshot = writer.snapshot();
    let mut scratch = QueryScratch::new((writer.makers())());
    let (mut micros, mut cost, mut found) = (Vec::new(), Cost::default(), 0);
    // The first time to warm up.
    for round in 0..2 {
        (cost, found) = (Cost::default(), 0);
        micros.clear();
        for set in queries {
            let sequence = TokenDigest::of(set);
            let query = QuerySet { set, few: false, sequence, value: 0 };
            let start = Instant::now();
            let answer = snapshot.ask(question, query, AskOptions::default(), &mut scratch)?;
            micros.push(start.elapsed().as_secs_f64() * 1e6);
            cost += answer.cost;
            found += answer.matches.len();
        }
        assert!(round == 0 || found > 0, "edited copies are found");
    }
    micros.sort_by(f64::total_cmp);
    let quantile = |part: f64| micros[((micros.len() - 1) as f64 * part) as usize];
    let mean = |sum: u64| sum as f64 / queries.len() as f64;
    println!(
        "  {ask:?} {threshold}: p50 {:.0} p90 {:.0} p99 {:.0} µs; lookups {:.0}, entries {:.0}, \
         candidates {:.2}, verified {:.2}, found {:.2}",
        quantile(0.5),
        quantile(0.9),
        quantile(0.99),
        mean(cost.lookups),
        mean(cost.entries),
        mean(cost.candidates),
        mean(cost.verified),
        mean(found as u64),
    );
    Ok(())
}
