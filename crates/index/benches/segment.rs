//! Building and merging segment files: seconds, postings a second, bytes a document.
//! `cargo bench -p lookalike-index --bench segment [-- DOCUMENTS [SEGMENTS]]` (100,000 in each of 4
//! by default). Files are written to a temporary directory and not synced. Documents have texts of
//! 2.75 kB and 445 elements, about; making them is not included.

mod documents;

use documents::{Shingles, Vocabulary};
use lookalike_core::fingerprint::finalise;
use lookalike_index::testing::{build_segment, dictionary, merge_segments};
use lookalike_index::{DocumentBatch, Segment};
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // `cargo test --benches` runs this too: then only briefly.
    let bench = std::env::args().any(|arg| arg == "--bench");
    let mut given = std::env::args().skip(1).filter_map(|arg| arg.parse::<u32>().ok());
    let documents = if bench { given.next().unwrap_or(100_000) } else { 300 };
    let segments = if bench { given.next().unwrap_or(4) } else { 2 };
    let dir = tempfile::tempdir()?;
    let vocabulary = Vocabulary::new();
    let mut made: Vec<Segment> = Vec::new();
    let mut words = Vec::new();
    for number in 0..segments {
        let first = number * documents;
        let mut batch = DocumentBatch::default();
        (first..first + documents).for_each(|document| vocabulary.push(document, &mut batch));
        if number == 0 {
            words = dictionary(&batch);
        }
        let start = (Instant::now(), cpu_seconds());
        let path = dir.path().join(format!("{number}.seg"));
        made.push(build_segment(&path, &batch, first, &words)?);
        report("build", start, &made[made.len() - 1..]);
    }
    // One in fifty is dead.
    let dead =
        (0..documents).filter(|local| finalise(u64::from(*local)).is_multiple_of(50)).collect();
    let start = (Instant::now(), cpu_seconds());
    let merged = merge_segments(&dir.path().join("merged.seg"), &made, &dead)?;
    report(&format!("merge of {segments}, 2 % dead"), start, &made);
    drop(made);
    for (name, bytes) in merged.section_bytes().filter(|&(_, bytes)| bytes > 0) {
        println!("  {name}: {:.1} bytes a document", per(bytes, &merged));
    }
    println!(
        "  {:.0} bytes a document, postings with their directory {:.2} bytes each",
        per(merged.bytes(), &merged),
        posting_bytes(&merged)
    );
    let start = Instant::now();
    assert!(merged.check(None).is_empty());
    println!("check: {:.1} s", start.elapsed().as_secs_f64());
    if !bench {
        assert!(merged.check(Some(&mut Shingles)).is_empty());
    }
    Ok(())
}

fn per(bytes: u64, segment: &Segment) -> f64 {
    bytes as f64 / f64::from(segment.documents())
}

fn posting_bytes(segment: &Segment) -> f64 {
    let is_posting = |name: &str| name == "postings" || name == "directory";
    let bytes: u64 =
        segment.section_bytes().filter(|(name, _)| is_posting(name)).map(|(_, bytes)| bytes).sum();
    bytes as f64 / segment.posting_count() as f64
}

/// Seconds of CPU of all threads so far, where the system has `/proc`.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
    // Ticks in user and in system mode, of a hundredth of a second.
    fields.skip(11).take(2).filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / 100.0
}

fn report(what: &str, (start, cpu): (Instant, f64), segments: &[Segment]) {
    let (seconds, cpu) = (start.elapsed().as_secs_f64(), cpu_seconds() - cpu);
    let documents: f64 = segments.iter().map(|segment| f64::from(segment.documents())).sum();
    let postings: u64 = segments.iter().map(Segment::posting_count).sum();
    println!(
        "{what}: {seconds:.2} s ({cpu:.2} of CPU), {documents} documents, {postings} postings: {:.0} documents/s, \
         {:.1} M postings/s",
        documents / seconds,
        postings as f64 / seconds / 1e6
    );
}
