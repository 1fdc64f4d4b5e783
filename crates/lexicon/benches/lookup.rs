//! Nanoseconds per lookup, and terms per second of building: `cargo bench -p lookalike-lexicon
//! --bench lookup [-- TERMS]`.
//!
//! Terms are not in the cache: each is new, or was last used millions of terms ago.
//!
//! In November 2026, processor time on a shared two-core virtual machine: 10 million terms are
//! built at 1.1 million per second and opened in 50 ms; a lookup of any of them takes 66 to 88 ns,
//! repeated lookups of the same 10 000 24 to 36. With a million terms 56 to 75 and 22 to 24.

use lookalike_core::fingerprint::{finalise, token};
use lookalike_lexicon::{Builder, Description, Lexicon, MemoryBudget};
use lookalike_methods::Statistics;
use std::hint::black_box;

mod clock;

const ROUNDS: usize = 5;

fn main() {
    // `cargo test --benches` runs this too: then only briefly.
    let bench = std::env::args().any(|arg| arg == "--bench");
    let asked = std::env::args().skip(1).find_map(|arg| arg.parse().ok());
    let terms: u64 = asked.unwrap_or(if bench { 10_000_000 } else { 10_000 });
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let description = Description { analysis: "bench".into(), term_filter: "all".into() };

    // Each term is in two documents of a thousand terms; the second time comes long after the
    // first.
    let begin = clock::seconds();
    let mut builder = Builder::new(description, MemoryBudget::default(), folder.path());
    let mut name = String::new();
    for round in 0..2u64 {
        for term in 0..terms {
            name.clear();
            std::fmt::Write::write_fmt(&mut name, format_args!("w{term:x}"))
                .expect("a string takes all");
            builder.push(finalise(token(name.as_bytes())), name.as_bytes());
            if (term + round) % 1000 == 999 {
                builder.end_document().expect("runs can be written");
            }
        }
    }
    let path = folder.path().join("bench.lexicon");
    let lexicon = builder.finish(&path).expect("the lexicon can be written");
    let time = clock::seconds() - begin;
    println!(
        "build: {terms} terms twice, {:.1} million terms a second; {:.1} bytes a term",
        2.0 * terms as f64 / time / 1e6,
        std::fs::metadata(&path).map_or(0, |data| data.len()) as f64 / terms as f64,
    );
    let begin = clock::seconds();
    drop(black_box(Lexicon::open(&path)));
    println!("open and check: {:.0} ms", 1e3 * (clock::seconds() - begin));

    let count = 1_000_000.min(terms);
    let of = |term: u64| finalise(token(format!("w{term:x}").as_bytes()));
    let random: Vec<u64> = (0..count).map(|i| of(finalise(i) % terms)).collect();
    let unknown: Vec<u64> = (0..count).map(|i| finalise(i ^ 1 << 40)).collect();
    let hot: Vec<u64> = (0..count).map(|i| of(finalise(i) % terms.min(10_000))).collect();
    for (what, asked) in [("known", &random), ("unknown", &unknown), ("10 000 common", &hot)] {
        one_by_one(what, &lexicon, asked);
        by_document(what, &lexicon, asked);
    }
}

fn best(count: usize, mut run: impl FnMut()) -> f64 {
    let times = (0..ROUNDS).map(|_| {
        let begin = clock::seconds();
        run();
        clock::seconds() - begin
    });
    times.fold(f64::INFINITY, f64::min) / count as f64 * 1e9
}

fn one_by_one(what: &str, lexicon: &Lexicon, asked: &[u64]) {
    let time = best(asked.len(), || {
        black_box(asked.iter().map(|&term| u64::from(lexicon.frequency(term))).sum::<u64>());
    });
    println!("{what}: {time:.1} ns a lookup");
}

fn by_document(what: &str, lexicon: &Lexicon, asked: &[u64]) {
    let mut out = Vec::new();
    let time = best(asked.len(), || {
        for terms in asked.chunks(200) {
            lexicon.frequencies(terms, &mut out);
            black_box(&out);
        }
    });
    println!("{what}: {time:.1} ns a lookup, 200 at a time");
}
