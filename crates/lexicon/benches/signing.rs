//! Nanoseconds per word of signing for every method, and of reading and tokenising: `cargo bench -p
//! lookalike-lexicon --bench signing [-- FILE] [METHOD…]`, every line of the file is a document;
//! without a file, documents are generated.
//!
//! All steps run in one process, in turn, over the whole text in every round: reading is from the
//! system's cache, with a check for UTF-8; tokenising hashes every word and keeps the hashes, as
//! the engine does. A figure is the sum, over short pieces of the text, of each piece's best round:
//! on a shared machine some rounds of a piece are not interrupted. Frequencies are those of the
//! text itself. The table is in `benchmarks/README.md`.

use lookalike_core::fingerprint::{finalise, token};
use lookalike_lexicon::{Builder, Description, MemoryBudget};
use lookalike_methods::{
    Document, Field, Marks, Method, MethodScratch, Signature, Statistics, build, methods, simhash,
};
use lookalike_text::{AnalysisSettings, Analyzer};
use std::fs::File;
use std::hint::black_box;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

const ROUNDS: usize = 15;
/// Bytes of a piece: some ten documents, a fraction of a millisecond.
const PIECE: usize = 1 << 15;

const SPECS: &[&str] = &[
    "syntactic",
    "imatch:filter=baseline",
    "imatch:filter=idf-l-10",
    "imatch:filter=idf-l-50",
    "imatch:filter=idf-h-10",
    "imatch:filter=idfr-i-10-90",
    "imatch:filter=idfr-o-10-90",
    "imatch:filter=doc-l-90",
    "imatch:filter=doc-l-50",
    "imatch:filter=doc-h-10",
    "imatch:filter=docr-i-10-90",
    "imatch:filter=docr-o-10-90",
    "imatch:nidf=0.2..0.8",
    "imatch:nidf=0.2..0.8,min=5,share=0.5,fill=1",
    "imatch-random:copies=0",
    "imatch-random:copies=10",
    "imatch-random:copies=63",
    "imatch-random:copies=10,share=0.5,fill=1",
    "simhash:weights=tf",
    "simhash:weights=tfinverse",
    "minhash-lsh",
    "minhash-lsh:slots=kfold",
];

/// The documents to sign.
#[derive(Default)]
struct Collection {
    tokens: Vec<u64>,
    marks: Vec<Marks>,
    /// End of each document's tokens.
    ends: Vec<usize>,
    /// For each piece, its bytes and its number of documents.
    pieces: Vec<(usize, usize)>,
}

fn main() {
    // `cargo test --benches` runs this too: then only briefly.
    let bench = std::env::args().any(|arg| arg == "--bench");
    let given: Vec<String> =
        std::env::args().skip(1).filter(|arg| !arg.starts_with("--")).collect();
    let (files, mut specs): (Vec<String>, Vec<String>) =
        given.into_iter().partition(|arg| Path::new(arg).exists());
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let path = files.first().map_or_else(
        || {
            let path = folder.path().join("made.txt");
            std::fs::write(&path, made(if bench { 10_000 } else { 20 })).expect("disk is left");
            path
        },
        Into::into,
    );
    if specs.is_empty() {
        specs.extend(SPECS.iter().map(|&spec| spec.to_owned()));
        specs.extend(simhash::VARIANTS.iter().map(|(name, _)| format!("simhash:variant={name}")));
    }
    let analyzer = Analyzer::new(&AnalysisSettings::default());
    let (collection, statistics) = collect(&path, folder.path(), &analyzer);
    let words = collection.tokens.len() as f64;
    let signers: Vec<Box<dyn Method>> = specs
        .iter()
        .map(|spec| {
            spec.parse()
                .and_then(|spec| build(&spec, Some(statistics.clone())))
                .unwrap_or_else(|error| panic!("{error}; known are {:?}", names()))
        })
        .collect();

    let rounds = if bench { ROUNDS } else { 1 };
    let mut best = vec![vec![f64::INFINITY; collection.pieces.len()]; signers.len() + 1];
    for _ in 0..rounds {
        read(&path, &collection, &analyzer, &mut best[0]);
        for (signer, best) in signers.iter().zip(&mut best[1..]) {
            sign(&**signer, &collection, best);
        }
    }
    let figures: Vec<f64> =
        best.iter().map(|best| best.iter().sum::<f64>() * 1e9 / words).collect();
    println!(
        "{} documents, {} words, {:.0} a document\n",
        collection.ends.len(),
        collection.tokens.len(),
        words / collection.ends.len().max(1) as f64,
    );
    println!("| method | signing, ns a word | reading and tokenising | ratio |");
    println!("|---|--:|--:|--:|");
    for (spec, &figure) in specs.iter().zip(&figures[1..]) {
        println!("| `{spec}` | {figure:.1} | {:.1} | {:.2} |", figures[0], figure / figures[0]);
    }
}

fn names() -> Vec<&'static str> {
    methods().map(|about| about.name).collect()
}

/// Tokenises the file, cuts it into pieces and counts its terms.
fn collect(path: &Path, folder: &Path, analyzer: &Analyzer) -> (Collection, Arc<dyn Statistics>) {
    let text = std::fs::read_to_string(path).expect("the file is text and can be read");
    let description = Description { analysis: "bench".into(), term_filter: "all".into() };
    let mut builder = Builder::new(description, MemoryBudget::default(), folder);
    let mut collection = Collection::default();
    let mut scratch = lookalike_text::Scratch::default();
    let mut piece = (0, 0);
    for line in text.split_inclusive('\n') {
        analyzer.tokens(line, &mut scratch, |word| {
            let hash = token(word);
            collection.tokens.push(hash);
            builder.push(finalise(hash), word);
        });
        builder.end_document().expect("runs can be written");
        collection.ends.push(collection.tokens.len());
        piece = (piece.0 + line.len(), piece.1 + 1);
        if piece.0 >= PIECE {
            collection.pieces.push(std::mem::take(&mut piece));
        }
    }
    collection.pieces.push(piece);
    // One word in sixteen is in a heading.
    collection.marks =
        (0..collection.tokens.len()).map(|at| Marks(u8::from(at % 16 == 0))).collect();
    let lexicon = builder.finish(&folder.join("l")).expect("the lexicon can be written");
    (collection, Arc::new(lexicon))
}

/// Reads and tokenises all documents.
fn read(path: &Path, collection: &Collection, analyzer: &Analyzer, best: &mut [f64]) {
    let mut file = File::open(path).expect("the file can be read");
    let (mut bytes, mut tokens) = (Vec::new(), Vec::new());
    let mut scratch = lookalike_text::Scratch::default();
    for (&(length, _), best) in collection.pieces.iter().zip(best) {
        let start = Instant::now();
        bytes.resize(length, 0);
        file.read_exact(&mut bytes).expect("the file has not changed");
        let text = std::str::from_utf8(&bytes).expect("the file has not changed");
        for line in text.split_inclusive('\n') {
            tokens.clear();
            analyzer.tokens(line, &mut scratch, |word| tokens.push(token(word)));
            black_box(&tokens);
        }
        *best = best.min(start.elapsed().as_secs_f64());
    }
}

/// Signs all documents.
fn sign(method: &dyn Method, collection: &Collection, best: &mut [f64]) {
    let (mut scratch, mut out) = (MethodScratch::default(), Signature::default());
    let fields = [Field(1), Field(2)];
    let mut ends = collection.ends.iter();
    let mut begin = 0;
    for (&(_, documents), best) in collection.pieces.iter().zip(best) {
        let start = Instant::now();
        for &end in ends.by_ref().take(documents) {
            let (tokens, marks) = (&collection.tokens[begin..end], &collection.marks[begin..end]);
            begin = end;
            out.clear();
            let document = Document { tokens, marks, fields: &fields, ..Document::default() };
            let _ = black_box(method.sign(&document, &mut scratch, &mut out));
            black_box(&out);
        }
        *best = best.min(start.elapsed().as_secs_f64());
    }
}

/// Documents of 300 words, with word frequencies of about 1/r at rank r.
fn made(documents: u64) -> String {
    let mut text = String::new();
    for document in 0..documents {
        for word in 0..300 {
            let uniform = (finalise(document << 20 | word) >> 11) as f64 / (1u64 << 53) as f64;
            let rank = (uniform * 500_000f64.ln()).exp() as u64;
            text.push_str(&format!("w{rank:x} "));
        }
        text.push('\n');
    }
    text
}
