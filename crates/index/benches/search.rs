//! Microseconds and cost of a query in one segment in memory:
//! `cargo bench -p lookalike-index --bench search [-- DOCUMENTS [QUERIES]]` (250,000 and 1,000 by
//! default). Sets are made by copying them: the time of making them from texts is not included.

#[allow(dead_code, reason = "the tests use all of it")]
#[path = "../tests/support/mod.rs"]
mod support;

use lookalike_core::fingerprint::finalise;
use lookalike_index::search::{Accepted, InvertedIndex, SearchOptions, SearchScratch, search};
use lookalike_index::{Ask, Cost, Question};
use std::time::Instant;
use support::MemoryPostings;

/// Elements of a document, about.
const SIZE: u64 = 445;

fn main() {
    // `cargo test --benches` runs this too: then only briefly.
    let bench = std::env::args().any(|arg| arg == "--bench");
    let mut given = std::env::args().skip(1).filter_map(|arg| arg.parse::<usize>().ok());
    let documents = if bench { given.next().unwrap_or(250_000) } else { 500 };
    let queries = if bench { given.next().unwrap_or(1000) } else { 20 };
    natural(documents, queries);
    templates(if bench { 40_000 } else { 1000 }, queries);
}

/// Random numbers from a seed.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        finalise(self.0)
    }

    fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(bound)) >> 64) as u64
    }
}

fn sorted(mut set: Vec<u64>) -> Vec<u64> {
    set.sort_unstable();
    set.dedup();
    set
}

/// Documents as in the measurements of the design: 2 % of the elements from a pool with a skewed
/// distribution, the others rare; one in five is an edited copy of an earlier one.
fn natural(documents: usize, queries: usize) {
    let mut random = Random(1);
    let mut sets: Vec<Vec<u64>> = Vec::with_capacity(documents);
    for _ in 0..documents {
        let set = if !sets.is_empty() && random.below(5) == 0 {
            let copied = random.below(sets.len() as u64) as usize;
            edited(&sets[copied], &mut random)
        } else {
            let size = SIZE / 3 + random.below(SIZE * 4 / 3);
            fresh(size, &mut random)
        };
        sets.push(set);
    }
    println!("{documents} documents of {SIZE} elements");
    let postings = MemoryPostings::new(&sets, true);
    let related = |random: &mut Random, at: usize| -> Vec<u64> {
        let stored = &sets[random.below(sets.len() as u64) as usize];
        if at.is_multiple_of(2) { edited(stored, random) } else { fresh(SIZE, random) }
    };
    for (ask, threshold) in [
        (Ask::Resembles, "0.95"),
        (Ask::Resembles, "0.8"),
        (Ask::Resembles, "0.7"),
        (Ask::Resembles, "0.6"),
        (Ask::Resembles, "0.5"),
        (Ask::Cosine, "0.9"),
    ] {
        let mut random = Random(2);
        let queries: Vec<_> = (0..queries).map(|at| related(&mut random, at)).collect();
        measure("", &postings, ask, threshold, None, &queries);
    }
    let mut random = Random(3);
    let paragraphs: Vec<_> = (0..queries)
        .map(|at| {
            let mut set = related(&mut random, at);
            // Elements of a paragraph are spread over all values.
            set.sort_unstable_by_key(|&element| finalise(element));
            set.truncate(70);
            sorted(set)
        })
        .collect();
    let three: Vec<_> = (0..queries)
        .map(|at| sorted((0..3).flat_map(|part| related(&mut random, at + part)).collect()))
        .collect();
    for threshold in ["0.9", "0.5"] {
        measure("a paragraph, ", &postings, Ask::Containing, threshold, None, &paragraphs);
    }
    for threshold in ["0.9", "0.6"] {
        measure("three documents, ", &postings, Ask::ContainedIn, threshold, None, &three);
    }
}

/// A document of its own.
fn fresh(size: u64, random: &mut Random) -> Vec<u64> {
    let element = |_| {
        if random.below(50) == 0 {
            // Zipf's law, about: uniform in the logarithm of the rank.
            let uniform = random.next() as f64 / u64::MAX as f64;
            finalise(1 << 40 | 100_000f64.powf(uniform) as u64)
        } else {
            random.next()
        }
    };
    sorted((0..size).map(element).collect())
}

/// A copy of which up to a fifth of the elements is replaced.
fn edited(set: &[u64], random: &mut Random) -> Vec<u64> {
    let replaced = 1 + random.below(200);
    let edit = |&element: &u64| if random.below(1000) < replaced { random.next() } else { element };
    sorted(set.iter().map(edit).collect())
}

/// Pages of which half is one of four templates.
fn templates(pages: usize, queries: usize) {
    let mut random = Random(5);
    let half = SIZE / 2;
    let template = |number: u64| (0..half).map(move |at| finalise(2 << 40 | number << 20 | at));
    let page = |random: &mut Random, copied: Option<&Vec<u64>>| match copied {
        Some(copied) => edited(copied, random),
        None => {
            let own = half / 2 + random.below(half);
            let number = random.below(4);
            sorted(template(number).chain((0..own).map(|_| random.next())).collect())
        }
    };
    let mut sets: Vec<Vec<u64>> = Vec::with_capacity(pages);
    for at in 0..pages {
        let copied = random.below(at.max(1) as u64) as usize;
        let copied = (random.below(5) == 0).then(|| sets.get(copied)).flatten();
        sets.push(page(&mut random, copied));
    }
    let mut random = Random(6);
    let mut related: Vec<Vec<u64>> = Vec::new();
    for at in 0..queries {
        let stored = &sets[random.below(sets.len() as u64) as usize];
        related.push(page(&mut random, at.is_multiple_of(2).then_some(stored)));
    }
    let paragraphs: Vec<_> = (0..queries as u64)
        .map(|at| sorted(template(at % 4).skip(at as usize % 100).take(70).collect()))
        .collect();
    let three: Vec<_> = (0..queries)
        .map(|at| {
            let part = |part: usize| related[(at + part * 7) % queries].iter().copied();
            sorted((0..3).flat_map(part).collect())
        })
        .collect();
    for shares in [true, false] {
        let name = if shares { "with shares" } else { "without shares" };
        println!("{pages} pages, half of each one of four templates, {name}");
        let postings = MemoryPostings::new(&sets, shares);
        for threshold in ["0.95", "0.8", "0.5"] {
            measure("", &postings, Ask::Resembles, threshold, None, &related);
        }
        for limit in [Some(100), None] {
            measure("a paragraph, ", &postings, Ask::Containing, "0.9", limit, &paragraphs);
        }
        for (threshold, limit) in [("0.9", None), ("0.6", None), ("0.5", Some(100))] {
            measure("three pages, ", &postings, Ask::ContainedIn, threshold, limit, &three);
        }
    }
}

/// Asks each query and prints quantiles of the time and means of the cost.
fn measure(
    name: &str,
    postings: &MemoryPostings,
    ask: Ask,
    threshold: &str,
    limit: Option<usize>,
    queries: &[Vec<u64>],
) {
    let question = Question { ask, threshold: threshold.parse().expect("a threshold") };
    let accept = |unit| Some(Accepted { order: finalise(u64::from(unit)), documents: 1 });
    let options = SearchOptions { limit, accept: &accept, stop: &|| false };
    let (mut scratch, mut found, mut cost) =
        (SearchScratch::default(), Vec::new(), Cost::default());
    let (mut micros, mut matches) = (Vec::with_capacity(queries.len()), 0);
    // The first tenth again, to warm up.
    for (at, query) in queries.iter().take(queries.len() / 10).chain(queries).enumerate() {
        if at == queries.len() / 10 {
            micros.clear();
            (cost, matches) = (Cost::default(), 0);
        }
        let start = Instant::now();
        search(postings, question, query, &options, &mut scratch, &mut cost, &mut found)
            .expect("sets in memory are read");
        micros.push(start.elapsed().as_secs_f64() * 1e6);
        matches += found.len();
    }
    micros.sort_by(f64::total_cmp);
    let quantile = |part: f64| micros[((micros.len() - 1) as f64 * part) as usize];
    let n = queries.len() as f64;
    let mean = |sum: u64| sum as f64 / n;
    let elements = queries.iter().map(Vec::len).sum::<usize>() as f64 / n;
    let limit = limit.map_or(String::new(), |limit| format!(", limit {limit}"));
    println!(
        "  {ask:?} {threshold} ({name}{elements:.0} elements{limit}): p50 {:.0} p90 {:.0} \
         p99 {:.0} µs; lookups {:.0}, entries {:.0}, candidates {:.2}, verified {:.2}, \
         found {:.2} of {}",
        quantile(0.5),
        quantile(0.9),
        quantile(0.99),
        mean(cost.lookups),
        mean(cost.entries),
        mean(cost.candidates),
        mean(cost.verified),
        matches as f64 / n,
        postings.ids(),
    );
}
