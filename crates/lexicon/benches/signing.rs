//! Nanoseconds a word of signing by I-Match and its relatives, beside those of tokenising:
//! `cargo bench -p lookalike-lexicon --bench signing [-- FILE]`, every line of the file a document.
//!
//! Without a file, on documents made here.
//!
//! In November 2026, processor time on a crowded two-core virtual machine, 24 712 news, mails and pages of
//! 187 words: tokenising and hashing 26 ns a word; syntactic 17, imatch 24 (nidf=0.2..0.8) to 38
//! (doc-l-90), imatch-random with ten copies 59. Of these 17 go into telling the distinct terms.

use lookalike_core::fingerprint::{finalise, token};
use lookalike_lexicon::{Builder, Description, Memory};
use lookalike_methods::{Document, Scratch, Signature, Statistics, build};
use lookalike_text::{AnalysisSettings, Analyzer, FilterScratch, TermFilter};
use std::hint::black_box;
use std::sync::Arc;

mod clock;

const ROUNDS: usize = 5;

const METHODS: [&str; 9] = [
    "syntactic",
    "imatch:filter=baseline",
    "imatch:filter=idf-l-10",
    "imatch:filter=doc-l-90",
    "imatch:nidf=0.2..0.8",
    "imatch:nidf=0.2..0.8,min=5,share=0.5,fill=1",
    "imatch-random:copies=0",
    "imatch-random:copies=10",
    "imatch-random:copies=10,share=0.5,fill=1",
];

fn main() {
    let bench = std::env::args().any(|arg| arg == "--bench");
    let file = std::env::args().skip(1).find(|arg| !arg.starts_with("--"));
    let text = match &file {
        Some(path) => std::fs::read_to_string(path).expect("the file can be read"),
        None => made(if bench { 20_000 } else { 200 }),
    };
    let analyzer = Analyzer::new(&AnalysisSettings::default());
    let mut scratch = FilterScratch::default();
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let description = Description { analysis: "bench".into(), term_filter: "all".into() };
    let mut builder = Builder::new(description, Memory::default(), folder.path());
    let mut tokens: Vec<u64> = Vec::new();
    let mut ends = Vec::new();
    for document in text.lines() {
        TermFilter::ALL.terms(&analyzer, document, &mut scratch, |word| {
            let hash = token(word);
            tokens.push(hash);
            builder.push(finalise(hash), word);
        });
        ends.push(tokens.len());
        builder.end_document().expect("runs can be written");
    }
    let words = tokens.len();
    let lexicon: Arc<dyn Statistics> =
        Arc::new(builder.finish(&folder.path().join("l")).expect("the lexicon can be written"));
    println!("{} documents, {words} words", ends.len());

    for filter in ["all", "stop", "stop+tg5+tl25+nosc+stem", "kolcz"] {
        let terms: TermFilter = filter.parse().expect("a term filter");
        let time = best(words, || {
            let mut sum = 0;
            for document in text.lines() {
                terms.terms(&analyzer, document, &mut scratch, |word| sum ^= token(word));
            }
            black_box(sum);
        });
        println!("tokenise and hash, {filter}: {time:.1} ns a word");
    }
    for spec in METHODS {
        let parsed = spec.parse().expect("a method");
        let method = build(&parsed, Some(lexicon.clone())).expect("a method");
        let (mut scratch, mut out) = (Scratch::default(), Signature::default());
        let time = best(words, || {
            let mut begin = 0;
            for &end in &ends {
                let document = Document { tokens: &tokens[begin..end], ..Document::default() };
                begin = end;
                out.clear();
                let _ = black_box(method.sign(&document, &mut scratch, &mut out));
            }
        });
        println!("{spec}: {time:.1} ns a word");
    }
}

/// Documents of 300 words, a word of rank r about as common as 1/r.
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

fn best(words: usize, mut run: impl FnMut()) -> f64 {
    let times = (0..ROUNDS).map(|_| {
        let begin = clock::seconds();
        run();
        clock::seconds() - begin
    });
    times.fold(f64::INFINITY, f64::min) / words as f64 * 1e9
}
