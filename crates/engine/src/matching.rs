//! Units in; who stands for whom, and the pairs that prove it, out.

use crate::leaders::leaders;
use crate::links::links;
use crate::pairs::{PairList, Tally, Verifier, all_pairs};
use crate::postings::Postings;
use crate::{Collection, EngineError, MatchSettings, Progress, Units};
use lookalike_cluster::Components;
use lookalike_core::overlap;
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
    /// Keys posted.
    pub keys: u64,
    /// Seconds by phase.
    pub phases: Vec<(&'static str, f64)>,
}

/// Finds the matches of a collection. Sorts the feature sets it compares, in place.
///
/// Runs on the rayon pool it is called in.
///
/// # Errors
/// Too many postings, or an interruption.
pub fn find(
    collection: &mut Collection,
    units: &Units,
    settings: &MatchSettings,
    options: &MatchOptions,
    progress: &dyn Progress,
) -> Result<Matches, EngineError> {
    let mut matches = Matches::default();
    let mut started = Instant::now();
    let mut lap = |matches: &mut Matches, name| {
        matches.phases.push((name, started.elapsed().as_secs_f64()));
        started = Instant::now();
        if progress.cancelled() { Err(EngineError::Cancelled) } else { Ok(()) }
    };
    progress.phase("indexing", None);
    let postings = Postings::build(collection, units, settings, options.threads)?;
    units.sort_sets(collection, |unit| postings.takes_part(unit));
    matches.keys = postings.len() as u64;
    lap(&mut matches, "indexing")?;

    let tally = Tally::default();
    let verifier = Verifier { collection, units, settings, tally: &tally };
    progress.phase("comparing", Some(u64::from(units.len())));
    let listed =
        options.list_pairs.and_then(|limit| all_pairs(&verifier, &postings, limit, progress));
    let itself = |unit: u32| (unit, units.size(unit));
    (matches.leader, matches.shared) = match options.linkage {
        Linkage::Leaders => {
            let chosen = leaders(&verifier, &postings, options.only_protected, progress);
            matches.pairs = PairList { edges: chosen.edges, complete: false };
            let stands = |(unit, best): (u32, &Option<crate::Edge>)| {
                best.map_or_else(|| itself(unit), |edge| (edge.with, edge.shared))
            };
            (0u32..).zip(&chosen.best).map(stands).unzip()
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
                    let (components, edges) = links(&verifier, &postings, progress);
                    matches.pairs = PairList { edges, complete: false };
                    components
                }
            };
            // The label is the least unit: the one that takes precedence over all of its component.
            let stands = |(unit, leader): (u32, u32)| match unit == leader {
                true => itself(unit),
                false => (leader, shared(collection, units, unit, leader)),
            };
            let labels = components.labels();
            (0..units.len()).into_par_iter().zip(labels).map(stands).unzip()
        }
    };
    if let Some(edges) = listed {
        matches.pairs = PairList { edges, complete: true };
    }
    matches.candidates = tally.candidates();
    matches.verified = tally.verified();
    lap(&mut matches, "comparing")?;
    Ok(matches)
}

/// Overlap of two units of one component; both took part in a match, so both are sorted.
fn shared(collection: &Collection, units: &Units, a: u32, b: u32) -> u32 {
    overlap(units.set(collection, a), units.set(collection, b))
}
