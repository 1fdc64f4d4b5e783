//! Units in; who stands for whom, and the pairs that prove it, out.

use crate::checkpoints::Checkpoints;
use crate::judge::{ComparedSets, Edge, ExactJudge, Judge, KeyJudge, SketchJudge, Tally};
use crate::leaders::{LeaderOptions, leaders};
use crate::links::links;
use crate::pairs::{Most, PairList, all_pairs};
use crate::postings::Postings;
use crate::{
    Approach, Collection, EngineError, MatchSettings, Progress, Units, Verify, WitnessRule,
};
use lookalike_cluster::Components;
use lookalike_spill::{Checkpoint, Decoder, Encoder};
use rayon::prelude::*;
use std::io::{self, Read, Write};
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
    /// Which kept match is the witness of a removed unit. Connected components have no such choice.
    pub witness: WitnessRule,
    /// List every pair that reaches the threshold, as long as there are at most so many pairs of
    /// documents. `None`: only the pairs that decide.
    pub list_pairs: Option<u64>,
    /// Only protected documents stand for others (`--against` alone).
    pub only_protected: bool,
    /// Bytes in which keys are sorted, and twice as many in which elements are counted before there are keys; less
    /// takes a temporary file for the keys, and more passes over the sets.
    pub memory: u64,
    /// Bytes of feature sets that may be at hand while they are compared, if chunks are on disk: the other
    /// sets are read whenever they are compared.
    pub sets: u64,
}

impl MatchOptions {
    /// The pairs that decide, in as much memory as it takes.
    #[must_use]
    pub fn in_memory(linkage: Linkage) -> Self {
        Self {
            linkage,
            witness: WitnessRule::default(),
            list_pairs: None,
            only_protected: false,
            memory: u64::MAX,
            sets: u64::MAX,
        }
    }
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
    /// Distinct pairs of units that share a key and pass the length and positional filters, or, of extended prefixes,
    /// share as many keys as units that match. Where kept units of long posting lists are looked for, positions are not
    /// known, and all are counted.
    pub candidates: u64,
    /// Pairs that were decided by their sets: by bucket counts or by intersection.
    pub verified: u64,
    /// Pairs whose sets were intersected; unknown where the matches are those of an earlier run.
    pub intersected: Option<u64>,
    /// Keys that two or more units have.
    pub keys: u64,
    /// How often units have one of those.
    pub keys_written: u64,
    /// Units that have one of those.
    pub units_with_keys: u32,
    /// Keys left out because more units have them than [`Approach::key_limit`] allows.
    pub keys_ignored: u64,
    /// Seconds by phase.
    pub phases: Vec<(&'static str, f64)>,
}

/// Finds the matches of a collection. May run several times, also at the same time, on one collection.
///
/// To save memory, sets that it compares are sorted where they are, and sets that are on disk as well
/// are released from memory once they were scanned ([`Collection::spill_for_join`]).
///
/// Runs on the rayon pool it is called in.
///
/// # Errors
/// Too many postings, a temporary file that cannot be read, or an interruption.
pub fn find(
    collection: &Collection,
    units: &Units,
    settings: &MatchSettings,
    approach: &Approach,
    options: &MatchOptions,
    progress: &dyn Progress,
) -> Result<Matches, EngineError> {
    find_from(&Checkpoints::none(), collection, units, settings, approach, options, progress)
}

/// The same, from the checkpoints of an earlier run of the same job.
///
/// # Errors
/// As [`find`]; checkpoints that cannot be written.
pub fn find_from(
    checkpoints: &Checkpoints,
    collection: &Collection,
    units: &Units,
    settings: &MatchSettings,
    approach: &Approach,
    options: &MatchOptions,
    progress: &dyn Progress,
) -> Result<Matches, EngineError> {
    if let Some(matches) = checkpoints.read() {
        return Ok(matches);
    }
    let mut matches = Matches::default();
    let mut clock = Clock { started: Instant::now(), progress };
    progress.phase("indexing", None);
    let postings = checkpoints.read_or_compute(|| match &approach.method {
        None => Postings::build(collection, units, settings, options.memory),
        Some(method) => {
            let (method, limit) = (method.as_ref(), approach.key_limit);
            Postings::of_signatures(collection, units, method, limit, options.memory)
        }
    })?;
    let takes_part = |unit| postings.takes_part(unit);
    matches.keys = postings.shared();
    matches.keys_written = postings.written();
    matches.keys_ignored = postings.ignored();
    matches.units_with_keys = (0..units.len()).filter(|&unit| takes_part(unit)).count() as u32;
    clock.lap(&mut matches, "indexing")?;

    let tally = Tally::default();
    progress.phase("comparing", Some(u64::from(units.len())));
    let search = Search { units, postings: &postings, options, tally: &tally, progress };
    match (&approach.method, approach.verify) {
        (Some(method), Verify::Sketch) => {
            let judge = SketchJudge::new(collection, units, method.as_ref(), &tally);
            search.run(&judge, &mut matches);
        }
        (Some(_), Verify::None) => {
            // A key in common has no measure: the first match is as good as any.
            let options = MatchOptions { witness: WitnessRule::First, ..options.clone() };
            Search { options: &options, ..search }.run(&KeyJudge, &mut matches);
        }
        (Some(_), Verify::Exact) | (None, _) => {
            let sets = ComparedSets::new(collection, units, settings, takes_part, options.sets)?;
            let judge = ExactJudge::new(collection, units, settings, sets, &tally);
            let progress = StopOnReadError { progress, judge: &judge };
            Search { progress: &progress, ..search }.run(&judge, &mut matches);
            judge.check()?;
        }
    }
    matches.candidates = tally.candidates();
    matches.verified = tally.verified();
    matches.intersected = Some(tally.intersected());
    clock.lap(&mut matches, "comparing")?;
    checkpoints.write(&matches)?;
    Ok(matches)
}

impl Matches {
    /// Whether each unit is in a pair, be it of its own documents.
    #[must_use]
    pub fn in_pairs(&self, units: &Units) -> Vec<bool> {
        let mut listed: Vec<bool> = (0..units.len()).map(|u| units.members(u).len() > 1).collect();
        for edge in &self.pairs.edges {
            listed[edge.unit as usize] = true;
            listed[edge.with as usize] = true;
        }
        listed
    }
}

impl Checkpoint for Matches {
    const NAME: &'static str = "matches";

    fn write(&self, out: &mut Encoder<&mut dyn Write>) -> io::Result<()> {
        out.array(&[
            self.candidates,
            self.verified,
            self.keys,
            self.keys_written,
            u64::from(self.units_with_keys),
            self.keys_ignored,
            u64::from(self.pairs.complete),
        ])?;
        out.array(&self.leader)?;
        out.array(&self.shared)?;
        let edges = &self.pairs.edges;
        out.array(&edges.iter().map(|edge| edge.unit).collect::<Vec<_>>())?;
        out.array(&edges.iter().map(|edge| edge.with).collect::<Vec<_>>())?;
        out.array(&edges.iter().map(|edge| edge.shared).collect::<Vec<_>>())
    }

    fn read(from: &mut Decoder<&mut dyn Read>, most: u64) -> io::Result<Self> {
        let counts = from.array::<u64>(most)?;
        let [candidates, verified, keys, keys_written, with_keys, keys_ignored, complete] =
            counts[..]
        else {
            return Err(io::ErrorKind::InvalidData.into());
        };
        let (leader, shared) = (from.array(most)?, from.array(most)?);
        let (units, with) = (from.array::<u32>(most)?, from.array::<u32>(most)?);
        let both = from.array::<u32>(most)?;
        let edge = |((unit, with), shared)| Edge { unit, with, shared };
        let edges = units.into_iter().zip(with).zip(both).map(edge).collect();
        Ok(Self {
            leader,
            shared,
            pairs: PairList { edges, complete: complete == 1 },
            candidates,
            verified,
            intersected: None,
            keys,
            keys_written,
            units_with_keys: with_keys as u32,
            keys_ignored,
            phases: Vec::new(),
        })
    }
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

/// Cancels the search as soon as a set cannot be read.
struct StopOnReadError<'a> {
    progress: &'a dyn Progress,
    judge: &'a ExactJudge<'a>,
}

impl Progress for StopOnReadError<'_> {
    fn phase(&self, name: &'static str, total: Option<u64>) {
        self.progress.phase(name, total);
    }

    fn advance(&self, amount: u64, documents: u64) {
        self.progress.advance(amount, documents);
    }

    fn cancelled(&self) -> bool {
        self.judge.has_failed() || self.progress.cancelled()
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
        let list = |most| all_pairs(units, judge, postings, most, tally, progress);
        let itself = |unit: u32| (unit, units.size(unit));
        (matches.leader, matches.shared) = match options.linkage {
            Linkage::Leaders => {
                let listed = options.list_pairs.and_then(|pairs| list(Most { pairs, edges: 0 }));
                let MatchOptions { witness, only_protected, .. } = *options;
                let options = LeaderOptions { witness, only_protected };
                let edges = leaders(units, judge, postings, options, tally, progress);
                let (mut leader, mut shared): (Vec<u32>, Vec<u32>) =
                    (0..units.len()).map(itself).unzip();
                for edge in &edges {
                    leader[edge.unit as usize] = edge.with;
                    shared[edge.unit as usize] = edge.shared;
                }
                matches.pairs = listed.unwrap_or(PairList { edges, complete: false });
                (leader, shared)
            }
            Linkage::Components => {
                // All threads find pairs, one grows components: as long as there is no more than a pair for
                // two units, all are found, listed or not.
                let pairs = options.list_pairs.unwrap_or_default();
                let edges = u64::from(units.len() / 2);
                let (components, pairs) = match list(Most { pairs, edges }) {
                    Some(mut listed) => {
                        let mut components = Components::new(units.len());
                        let mut joins = |edge: &Edge| components.join(edge.unit, edge.with);
                        match listed.complete && options.list_pairs.is_some() {
                            true => listed.edges.iter().for_each(|edge| _ = joins(edge)),
                            false => {
                                listed.edges.retain(joins);
                                listed.complete = false;
                            }
                        }
                        (components, listed)
                    }
                    None => {
                        let (components, edges) = links(units.len(), judge, postings, progress);
                        (components, PairList { edges, complete: false })
                    }
                };
                matches.pairs = pairs;
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
    }
}
