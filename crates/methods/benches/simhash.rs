//! Nanoseconds a word and a feature: `cargo bench -p lookalike-methods --bench simhash`.
//!
//! Documents of 1000 words, drawn so that some are frequent and most are rare, as in text. A figure
//! is the best of many short rounds, some of which are not interrupted on a shared machine.

use lookalike_core::fingerprint::finalise;
use lookalike_methods::simhash::BitSums;
use lookalike_methods::{Document, Method, MethodScratch, Signature, Statistics, build};
use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

const ROUNDS: u32 = 300;
const LENGTH: usize = 1000;

/// Document frequencies by arithmetic, so that the cost of lookups is not measured.
#[derive(Debug)]
struct Arithmetic;

impl Statistics for Arithmetic {
    fn documents(&self) -> u64 {
        1 << 20
    }
    fn frequency(&self, term: u64) -> u32 {
        1 + (term >> 44) as u32
    }
    fn frequency_range(&self) -> (u32, u32) {
        (1, 1 << 20)
    }
    fn checksum(&self) -> u128 {
        0
    }
}

fn main() {
    // `cargo test --benches` runs this too: then only briefly.
    let documents = if std::env::args().any(|arg| arg == "--bench") { 50 } else { 2 };
    let texts: Vec<Vec<u64>> = (0..documents).map(text).collect();
    let words = (documents as usize * LENGTH) as f64;
    let mut features = 0.0;
    for spec in [
        "simhash:weights=tf",
        "simhash",
        "simhash:variant=low",
        "simhash:variant=position",
        "simhash:variant=function",
        "simhash:top=20",
        "simhash:variant=capped+middle",
    ] {
        let method = spec.parse().and_then(|spec| build(&spec, Some(Arc::new(Arithmetic))));
        match method {
            Ok(method) => {
                let nanoseconds = best(|| features = sign_all(&*method, &texts));
                println!(
                    "{spec}: {:.1} ns a word, {:.1} ns a distinct one",
                    nanoseconds / words,
                    nanoseconds / features
                );
            }
            Err(error) => eprintln!("{error}"),
        }
    }
    let hashes: Vec<u64> = (0..4096).map(finalise).collect();
    let nanoseconds = best(|| {
        let mut sums = BitSums::new();
        for &hash in &hashes {
            sums.add(hash, (hash & 0xF_FFFF) + 1);
        }
        black_box(sums.word());
    });
    println!("sums alone: {:.1} ns a feature", nanoseconds / hashes.len() as f64);
}

/// A text of words whose ranks follow a power law.
fn text(document: u64) -> Vec<u64> {
    (0..LENGTH as u64)
        .map(|at| {
            let random = finalise(document << 20 | at);
            let magnitude = random % 16;
            finalise((random >> 8) & ((1 << magnitude) - 1) | 1 << magnitude)
        })
        .collect()
}

/// Signs all texts and returns the number of features.
fn sign_all(method: &dyn Method, texts: &[Vec<u64>]) -> f64 {
    let (mut scratch, mut out) = (MethodScratch::default(), Signature::default());
    let mut features = 0.0;
    for tokens in texts {
        out.clear();
        let document = Document { tokens, ..Document::default() };
        if method.sign(&document, &mut scratch, &mut out).is_ok() {
            features += f64::from(out.size);
        }
        black_box(&out);
    }
    features
}

fn best(mut work: impl FnMut()) -> f64 {
    (0..ROUNDS)
        .map(|_| {
            let start = Instant::now();
            work();
            start.elapsed().as_secs_f64() * 1e9
        })
        .fold(f64::INFINITY, f64::min)
}
