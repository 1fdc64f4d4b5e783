//! Near passages: pairs of stretches of two documents that are the same but for gaps.
//!
//! Runs of a shorter window are the *seeds*. Seeds of two documents that follow each other in both with no
//! more than a few units between them are chained, over all copies of each window and not only the first:
//! the first places of two seeds may be in different documents. Of a chain, the longest parts that agree
//! well enough are reported.
//!
//! *Sound:* the units of the seeds of a passage stand in the same order on both sides, so that two
//! stretches agree at least as well as is said. *Complete* for what is exact: a run of equal units of the
//! length that is asked for is part of a near passage of its two documents, if its seeds are not too common.

use crate::{Lengths, Place, Run};
use lookalike_core::Threshold;
use rayon::prelude::*;
use std::ops::Range;

/// What a near passage is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NearRule {
    /// The fewest units on either side.
    pub length: u32,
    /// The most units between two seeds, on either side.
    pub gap: u32,
    /// The least share of the units of the longer side that are in seeds.
    pub agreement: Threshold,
}

impl NearRule {
    fn holds(self, passage: &NearPassage) -> bool {
        let longer = passage.units.into_iter().max().unwrap_or_default();
        let product = |units: u32, of: u64| u128::from(units) * u128::from(of);
        passage.units.iter().all(|&units| units >= self.length)
            && product(passage.same, self.agreement.denominator())
                >= product(longer, self.agreement.numerator())
    }
}

/// Stretches of two documents that are nearly the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct NearPassage {
    /// Where it stands in the later document, and in the earlier one.
    pub places: [Place; 2],
    /// Its units in each.
    pub units: [u32; 2],
    /// Units that are in seeds: they are in both, in the same order.
    pub same: u32,
}

/// Equal units of two documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Seed {
    /// The later document and the earlier one.
    pub documents: [u32; 2],
    /// The first units, in the later document and in the earlier one.
    pub starts: [u32; 2],
    /// Number of units.
    pub units: u32,
}

/// The near passages of runs, which are in the order of their places: by the later document. Windows of
/// `lengths` are the seeds; runs that are left out, those of too many copies, are none.
///
/// O(s²) for s seeds of two documents that are as near to each other as a gap and a seed are long; the sum
/// of all pairs of copies.
///
/// ```
/// use lookalike_passages::near::{NearRule, near_passages};
/// use lookalike_passages::{Finder, Lengths};
///
/// let units = |text: &str| text.bytes().map(u64::from).collect::<Vec<u64>>();
/// let documents = [units("to be or not to be"), units("so to be xx not to be")];
/// let seeds = Lengths::of_window(5)?;
/// let rule = NearRule { length: 15, gap: 2, agreement: "0.8".parse()? };
/// let found = near_passages(&Finder::new(seeds).find(&documents), seeds, rule);
/// // "to be " and " not to be" of 18 units.
/// assert_eq!((found[0].units, found[0].same), ([18, 18], 16));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn near_passages(runs: &[Run], lengths: Lengths, rule: NearRule) -> Vec<NearPassage> {
    near_of_seeds(seeds(runs, lengths), lengths, rule)
}

/// The near passages of the seeds of some pairs of documents, in any order: all seeds of each pair.
#[must_use]
pub fn near_of_seeds(seeds: Vec<Seed>, lengths: Lengths, rule: NearRule) -> Vec<NearPassage> {
    let mut seeds = joined(seeds, lengths.window());
    seeds.par_sort_unstable();
    let of_pair = |seeds: &[Seed]| {
        let mut found = Vec::new();
        for chain in chains(seeds, rule.gap) {
            report(&chain, rule, &mut found);
        }
        found.sort_unstable();
        found
    };
    let pairs: Vec<&[Seed]> = seeds.chunk_by(|a, b| a.documents == b.documents).collect();
    pairs.into_par_iter().flat_map_iter(of_pair).collect()
}

/// The stretches of equal windows of each pair of documents, as far as their first places follow
/// each other. Runs may be given in several calls: those whose first places are in one document
/// together.
#[must_use]
pub fn seeds(runs: &[Run], lengths: Lengths) -> Vec<Seed> {
    // Windows are equal if their first places are: runs on one axis, that of first places.
    let mut by_first: Vec<&Run> = runs.iter().collect();
    by_first.par_sort_unstable_by_key(|run| (run.first, run.at));
    let end = |run: &Run| run.first.plus(run.windows);
    let (mut seeds, mut open): (Vec<Seed>, Vec<&Run>) = (Vec::new(), Vec::new());
    for run in by_first {
        open.retain(|other| end(other) > run.first && other.first.document == run.first.document);
        for other in &open {
            let windows = end(other).min(end(run)).unit - run.first.unit;
            let at_other = other.at.plus(run.first.unit - other.first.unit);
            let [later, earlier] = match run.at > at_other {
                true => [run.at, at_other],
                false => [at_other, run.at],
            };
            if later.document != earlier.document {
                seeds.push(Seed {
                    documents: [later.document, earlier.document],
                    starts: [later.unit, earlier.unit],
                    units: lengths.units(windows),
                });
            }
        }
        open.push(run);
    }
    seeds
}

/// Seeds whose windows follow each other in both documents become one: their first places need not.
fn joined(mut seeds: Vec<Seed>, window: u32) -> Vec<Seed> {
    let diagonal = |seed: &Seed| i64::from(seed.starts[0]) - i64::from(seed.starts[1]);
    seeds.par_sort_unstable_by_key(|seed| (seed.documents, diagonal(seed), seed.starts[0]));
    let mut joined: Vec<Seed> = Vec::with_capacity(seeds.len());
    for seed in seeds {
        match joined.last_mut() {
            Some(last)
                if (last.documents, diagonal(last)) == (seed.documents, diagonal(&seed))
                    && seed.starts[0] + window <= last.starts[0] + last.units + 1 =>
            {
                last.units = last.units.max(seed.starts[0] + seed.units - last.starts[0]);
            }
            _ => joined.push(seed),
        }
    }
    joined
}

/// Seeds of two documents as chains; each is in one.
fn chains(seeds: &[Seed], gap: u32) -> Vec<Vec<Seed>> {
    // The best chain that ends with each seed: its units, and the seed before.
    let mut best: Vec<(u32, Option<usize>)> = Vec::with_capacity(seeds.len());
    let mut reach = 0;
    let longest = seeds.iter().map(|seed| seed.units).max().unwrap_or_default();
    for (number, seed) in seeds.iter().enumerate() {
        // Seeds that begin farther back end too early.
        while seeds[reach].starts[0] + longest + gap < seed.starts[0] {
            reach += 1;
        }
        let before = (reach..number).filter_map(|other| {
            let new = follows(&seeds[other], seed, gap)?;
            Some((best[other].0 + new, Some(other)))
        });
        // Of equal ones the nearest.
        best.push(
            before
                .fold((seed.units, None), |one, other| if other.0 >= one.0 { other } else { one }),
        );
    }
    let mut order: Vec<usize> = (0..seeds.len()).collect();
    order.sort_by_key(|&number| (std::cmp::Reverse(best[number].0), number));
    let (mut used, mut found) = (vec![false; seeds.len()], Vec::new());
    for last in order {
        let mut chain = Vec::new();
        let mut next = Some(last);
        while let Some(number) = next.filter(|&number| !used[number]) {
            used[number] = true;
            chain.push(seeds[number]);
            next = best[number].1;
        }
        if !chain.is_empty() {
            chain.reverse();
            found.push(chain);
        }
    }
    found
}

/// The units that a seed adds to one before it, of the same documents; `None` if it is too far from it.
fn follows(before: &Seed, seed: &Seed, gap: u32) -> Option<u32> {
    let mut overlap = 0;
    for side in [0, 1] {
        let end = before.starts[side] + before.units;
        if seed.starts[side] <= before.starts[side] || seed.starts[side] > end + gap {
            return None;
        }
        overlap = overlap.max(end.saturating_sub(seed.starts[side]));
    }
    seed.units.checked_sub(overlap).filter(|&new| new > 0)
}

/// Reports the longest part of a chain that holds, and what holds on both sides of it.
fn report(chain: &[Seed], rule: NearRule, found: &mut Vec<NearPassage>) {
    // Start and end of each part.
    let mut left = vec![(0, chain.len())];
    while let Some((first, last)) = left.pop() {
        let mut best: Option<(NearPassage, Range<usize>)> = None;
        for start in first..last {
            let mut passage = alone(&chain[start]);
            for end in start + 1..=last {
                if end > start + 1 {
                    add(&mut passage, &chain[end - 2], &chain[end - 1]);
                }
                let longer = best.as_ref().is_none_or(|(best, _)| passage.same > best.same);
                if longer && rule.holds(&passage) {
                    best = Some((passage, start..end));
                }
            }
        }
        if let Some((passage, of)) = best {
            found.push(passage);
            left.extend([(first, of.start), (of.end, last)]);
        }
    }
}

fn alone(seed: &Seed) -> NearPassage {
    let place = |side: usize| Place { document: seed.documents[side], unit: seed.starts[side] };
    NearPassage { places: [place(0), place(1)], units: [seed.units; 2], same: seed.units }
}

/// Adds the seed that follows another one in a chain.
fn add(passage: &mut NearPassage, before: &Seed, seed: &Seed) {
    passage.same += follows(before, seed, u32::MAX / 2).unwrap_or_default();
    for side in [0, 1] {
        let end = seed.starts[side] + seed.units;
        passage.units[side] = end - passage.places[side].unit;
    }
}
