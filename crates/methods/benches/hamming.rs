//! Seconds for the pairs, and microseconds for a query, among random words with planted neighbours:
//! `cargo bench -p lookalike-methods --bench hamming [-- WORDS [D]]` (10 million by default; with a
//! D, only the join at that distance; with `joins`, only a comparison of the two joins).

use lookalike_core::fingerprint::finalise;
use lookalike_methods::hamming::{HammingPlan, Index, Search, join, join_as_planned};
use std::hint::black_box;
use std::ops::RangeInclusive;
use std::time::Instant;

const WORDS: usize = 10_000_000;
/// Number of words for the measurement of the quadratic join.
const ONES: usize = 200_000;
const QUERIES: usize = 20_000;

fn main() {
    // `cargo test --benches` runs this too: then only briefly.
    let bench = std::env::args().any(|arg| arg == "--bench");
    let mut given = std::env::args().skip(1).filter_map(|arg| arg.parse::<usize>().ok());
    let n = if bench { given.next().unwrap_or(WORDS) } else { 2_000 };
    if std::env::args().any(|arg| arg == "joins") {
        return ones(&planted(n.min(ONES)));
    }
    if let Some(d) = given.next() {
        return joins("random with planted neighbours", &planted(n), d as u32..=d as u32);
    }
    println!("{} threads", rayon::current_num_threads());
    let words = planted(n);
    joins("random, one in ten with a neighbour at distance 0 to 9", &words, 0..=8);
    plans(&words);
    joins("skewed: half of the words begin with the same 20 bits", &skewed(n / 4), 0..=8);
    queries(&words);
    ones(&words[n - n.min(ONES)..]);
}

/// Random words; every tenth has a neighbour at distance 0 to 9.
fn planted(n: usize) -> Vec<u64> {
    let word = |i: usize| finalise(i as u64 + 1);
    let near = |i: usize| {
        let flips = finalise(word(i) ^ 1);
        (0..i / 10 % 10).fold(word(i), |near, bit| near ^ 1 << (flips >> (6 * bit) & 63))
    };
    (0..n).map(|i| if i % 10 == 9 { near(i - 1) } else { word(i) }).collect()
}

fn skewed(n: usize) -> Vec<u64> {
    planted(n).into_iter().map(|word| if word & 1 == 0 { word } else { word >> 20 }).collect()
}

fn joins(name: &str, words: &[u64], distances: RangeInclusive<u32>) {
    println!("join of {} words, {name}", words.len());
    for d in distances {
        let start = Instant::now();
        let mut found = 0;
        join(words, d, |pairs| found += pairs.len());
        let plan = HammingPlan::for_words(words, d);
        println!(
            "  d={d}: {:7.2} s, {found} pairs, {} of {} blocks; the model says {:.1} s on one core",
            start.elapsed().as_secs_f64(),
            plan.matched,
            plan.blocks(),
            plan.cost(words.len()) / 1e9,
        );
    }
}

/// The plans that the cost model chooses from, at d = 3.
fn plans(words: &[u64]) {
    println!("plans for d=3");
    for matched in 1..=5 {
        let plan = HammingPlan { distance: 3, matched };
        let start = Instant::now();
        join_as_planned(words, plan, |pairs| {
            black_box(pairs);
        });
        println!(
            "  {matched} of {} blocks: {:7.2} s; the model says {:.1} s on one core",
            plan.blocks(),
            start.elapsed().as_secs_f64(),
            plan.cost(words.len()) / 1e9,
        );
    }
}

fn queries(words: &[u64]) {
    // Queries of every kind: some are in the index, some are near, most are neither.
    let queries: Vec<u64> = (0..QUERIES.min(words.len()))
        .map(|i| if i % 2 == 0 { words[i] ^ (i as u64 & 7) } else { finalise(i as u64) ^ 3 })
        .collect();
    println!("queries among {} words", words.len());
    for d in [0, 1, 2, 3, 4, 6, 8] {
        let start = Instant::now();
        let index = Index::new(words, d);
        let built = start.elapsed().as_secs_f64();
        let start = Instant::now();
        let mut found = 0;
        for &query in &queries {
            index.query(query, d, |_, _| found += 1);
        }
        let each = start.elapsed().as_secs_f64() / queries.len() as f64 * 1e6;
        println!(
            "  d={d}: {each:8.2} µs each, {found} found, {} tables made in {built:.1} s; the model says {:.2} µs",
            index.plan().tables(),
            index.plan().query_cost(words.len()) / 1e3,
        );
    }
}

/// Compares the two joins.
fn ones(words: &[u64]) {
    for words in [&words[..words.len() / 10], words] {
        println!("join of {} words, by tables and by numbers of ones", words.len());
        for d in [1, 3, 6, 8, 10, 12, 16] {
            let seconds = |search: Search| {
                let start = Instant::now();
                let found = search.pairs(words, d).len();
                (start.elapsed().as_secs_f64(), found)
            };
            let ((tables, found), (ones, same)) = (seconds(Search::Tables), seconds(Search::Ones));
            assert_eq!(found, same);
            println!("  d={d}: {tables:.3} s and {ones:.3} s, {found} pairs");
        }
    }
}
