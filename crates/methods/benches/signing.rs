//! Nanoseconds a token to sign a document: `cargo bench -p lookalike-methods [-- METHOD…]`.
//!
//! Documents of distinct random tokens: nothing is repeated, every shingle is new. A figure is the
//! best of several rounds over the same documents, hashing and shingling included, tokenising not.
//!
//! For times relative to tokenising, on texts, see the lexicon's bench of the same name and
//! `benchmarks/README.md`.

use lookalike_core::fingerprint::finalise;
use lookalike_methods::{Document, MethodScratch, Signature, build, methods};
use std::hint::black_box;
use std::time::Instant;

/// Many short rounds: on a shared machine some of them are not interrupted.
const ROUNDS: u32 = 99;
const TOKENS: usize = 1 << 14;

fn main() {
    // `cargo test --benches` runs this too: then only briefly.
    let total = if std::env::args().any(|arg| arg == "--bench") { TOKENS } else { 1 << 13 };
    let mut specs: Vec<String> =
        std::env::args().skip(1).filter(|arg| !arg.starts_with("--")).collect();
    if specs.is_empty() {
        let free = methods().filter(|about| !about.needs_statistics.by_default());
        specs.extend(free.map(|about| about.name.to_owned()));
        specs.push("simhash:weights=tf".to_owned());
        specs.push("minhash-lsh:slots=kfold".to_owned());
    }
    let lengths = [50, 500, 5000];
    println!("ns a token, documents of {lengths:?} tokens");
    let tokens: Vec<u64> = (0..total as u64).map(|i| finalise(i + 1)).collect();
    for spec in specs {
        let method = match spec.parse().and_then(|spec| build(&spec, None)) {
            Ok(method) => method,
            Err(error) => {
                eprintln!("{error}");
                continue;
            }
        };
        let (mut scratch, mut out) = (MethodScratch::default(), Signature::default());
        let mut line = format!("{spec:32}");
        for length in lengths {
            let best = (0..ROUNDS)
                .map(|_| {
                    let start = Instant::now();
                    for tokens in tokens.chunks_exact(length) {
                        out.clear();
                        let document = Document { tokens, ..Document::default() };
                        let _ = black_box(method.sign(&document, &mut scratch, &mut out));
                        black_box(&out);
                    }
                    start.elapsed().as_secs_f64()
                })
                .fold(f64::INFINITY, f64::min);
            let signed = (total / length * length).max(1) as f64;
            line += &format!("{:9.1}", best * 1e9 / signed);
        }
        println!("{line}");
    }
}
