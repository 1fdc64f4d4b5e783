//! Units in; who stands for whom, and the pairs that prove it, out.

use crate::judge::{Edge, ExactJudge, Judge, KeyJudge, SketchJudge, Tally};
use crate::leaders::leaders;
use crate::links::links;
use crate::pairs::{PairList, all_pairs};
use crate::postings::Postings;
use crate::{Approach, Collection, EngineError, MatchSettings, Progress, Units, Verify};
use lookalike_cluster::Components;
use rayon::prelude::*;
use std::time::Instant;

/// How pairs become clusters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Linkage {
    /// A unit belongs to a kept one that it reaches the threshold with: stars, no chains.
    #[default]
    Leaders,
    /// Connected components (Broder 1997): chains included.
    Components,
}

/// What is asked of the match.
#[derive(Debug, Clone)]
pub struct MatchOptions {
    /// How pairs become clusters.
    pub linkage: Linkage,
    /// List every pair that reaches the threshold, as long as there are at most so many pairs of
    /// documents. `None`: only the pairs that decide.
    pub list_pairs: Option<u64>,
    /// Only protected documents stand for others (`--against` alone).
    pub only_protected: bool,
    /// Number of threads.
    pub threads: usize,
    /// Bytes in which elements are counted; less takes more passes over the sets.
    pub memory: u64,
}

/// The answer, by unit.
#[derive(Debug, Default)]
pub struct Matches {
    /// The unit that stands for each unit; itself where it stands for itself.
    pub leader: Vec<u32>,
    /// Elements shared with the leader.
    pub shared: Vec<u32>,
    /// The pairs.
    pub pairs: PairList,
    /// Distinct pairs of units that met under a key.
    pub candidates: u64,
    /// Pairs whose sets were intersected.
    pub verified: u64,
    /// Keys that two or more units have.
    pub keys: u64,
    /// How often units have one of those.
    pub keys_written: u64,
    /// Keys left out because more units have them than [`Approach::key_limit`] allows.
    pub keys_ignored: u64,
    /// Seconds by phase.
    pub phases: Vec<(&'static str, f64)>,
}

/// Finds the matches of a collection. Sorts the feature sets it compares, in place.
///
/// Runs on the rayon pool it is called in.
///
/// # Errors
/// Too many postings, a temporary file that cannot be read, or an interruption.
pub fn find(
    collection: &mut Collection,
    units: &Units,
    settings: &MatchSettings,
    approach: &Approach,
    options: &MatchOptions,
    progress: &dyn Progress,
) -> Result<Matches, EngineError> {
    let mut matches = Matches::default();
    let mut clock = Clock { started: Instant::now(), progress };
    progress.phase("indexing", None);
    let postings = match &approach.method {
        None => Postings::build(collection, units, settings, options.threads, options.memory)?,
        Some(method) => {
            Postings::of_signatures(collection, units, method.as_ref(), approach.key_limit)?
        }
    };
    let takes_part = |unit| postings.takes_part(unit);
    if approach.keeps_sets() {
        units.sort_sets(collection, takes_part);
    }
    matches.keys = postings.shared();
    matches.keys_written = postings.written();
    matches.keys_ignored = postings.ignored();
    collection.overflow.check()?;
    clock.lap(&mut matches, "indexing")?;

    let tally = Tally::default();
    progress.phase("comparing", Some(u64::from(units.len())));
    let search = Search { units, postings: &postings, options, tally: &tally, progress };
    match (&approach.method, approach.verify) {
        (Some(method), Verify::Sketch) => {
            let judge = SketchJudge::new(collection, units, method.as_ref(), &tally);
            search.run(&judge, &mut matches);
        }
        (Some(_), Verify::None) => search.run(&KeyJudge, &mut matches),
        (Some(_), Verify::Exact) | (None, _) => {
            let judge = ExactJudge::new(collection, units, settings, takes_part, &tally);
            search.run(&judge, &mut matches);
        }
    }
    collection.overflow.check()?;
    matches.candidates = tally.candidates();
    matches.verified = tally.verified();
    clock.lap(&mut matches, "comparing")?;
    Ok(matches)
}

/// Measures phases.
struct Clock<'a> {
    started: Instant,
    progress: &'a dyn Progress,
}

impl Clock<'_> {
    fn lap(&mut self, matches: &mut Matches, name: &'static str) -> Result<(), EngineError> {
        matches.phases.push((name, self.started.elapsed().as_secs_f64()));
        self.started = Instant::now();
        if self.progress.cancelled() { Err(EngineError::Cancelled) } else { Ok(()) }
    }
}

/// Everything that looking for matches needs, but the judge.
struct Search<'a> {
    units: &'a Units,
    postings: &'a Postings,
    options: &'a MatchOptions,
    tally: &'a Tally,
    progress: &'a dyn Progress,
}

impl Search<'_> {
    fn run(&self, judge: &impl Judge, matches: &mut Matches) {
        let Self { units, postings, options, tally, progress } = *self;
        let listed = options
            .list_pairs
            .and_then(|limit| all_pairs(units, judge, postings, limit, tally, progress));
        let itself = |unit: u32| (unit, units.size(unit));
        (matches.leader, matches.shared) = match options.linkage {
            Linkage::Leaders => {
                let best = leaders(units, judge, postings, options.only_protected, tally, progress);
                let edges = best.iter().copied().flatten().collect();
                matches.pairs = PairList { edges, complete: false };
                let stands = |(unit, best): (u32, &Option<Edge>)| {
                    best.map_or_else(|| itself(unit), |edge| (edge.with, edge.shared))
                };
                (0u32..).zip(&best).map(stands).unzip()
            }
            Linkage::Components => {
                let components = match &listed {
                    Some(edges) => {
                        let mut components = Components::new(units.len());
                        for edge in edges {
                            components.join(edge.unit, edge.with);
                        }
                        components
                    }
                    None => {
                        let (components, edges) = links(units.len(), judge, postings, progress);
                        matches.pairs = PairList { edges, complete: false };
                        components
                    }
                };
                // The label is the least unit: the one that takes precedence over all of its
                // component. Both took part in a match, so both sets are sorted.
                let stands = |(unit, leader): (u32, u32)| match unit == leader {
                    true => itself(unit),
                    false => (leader, judge.shared(unit, leader)),
                };
                let labels = components.labels();
                (0..units.len()).into_par_iter().zip(labels).map(stands).unzip()
            }
        };
        if let Some(edges) = listed {
            matches.pairs = PairList { edges, complete: true };
        }
    }
}
