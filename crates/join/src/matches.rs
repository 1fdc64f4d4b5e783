//! The result of a join.

use crate::SetId;
use lookalike_spill::{Checkpoint, Decoder, Encoder};
use std::io::{self, Read, Write};

/// Two sets that match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edge {
    /// The set that comes later in precedence (for containment: the one contained in the other).
    pub later: SetId,
    /// The set that takes precedence.
    pub earlier: SetId,
    /// Elements in both sets; 0 where the sets were not compared.
    pub shared: u32,
}

/// A list of matches.
#[derive(Debug, Clone, Default)]
pub struct PairList {
    /// The edges, in order.
    pub edges: Vec<Edge>,
    /// Whether all matches are listed. If not, the edges are those that caused a removal or
    /// connected two components.
    pub complete: bool,
}

/// Which sets are kept, the matches that prove it, and counters.
#[derive(Debug, Default)]
pub struct JoinResult {
    /// For each removed set its witness, or the first set of its component; for each kept set
    /// itself.
    pub leader: Vec<SetId>,
    /// Elements shared with the leader.
    pub shared: Vec<u32>,
    /// The matches.
    pub pairs: PairList,
    /// Distinct pairs of sets that share a key and pass the length and positional filters, or, of
    /// extended prefixes, share as many keys as sets that match. Where kept sets of long posting
    /// lists are looked up, positions are not known, and all pairs are counted.
    pub candidates: u64,
    /// Pairs that were decided by their sets: by bucket counts or by intersection.
    pub verified: u64,
    /// Pairs whose sets were intersected; `None` where a checkpoint was read.
    pub intersected: Option<u64>,
    /// Keys of two or more sets.
    pub keys: u64,
    /// How often sets have one of those.
    pub keys_written: u64,
    /// Sets that have one of those.
    pub sets_with_keys: u32,
    /// Keys that were left out because more sets have them than allowed
    /// ([`crate::InvertedIndex::of_keys`]).
    pub keys_ignored: u64,
    /// Seconds by phase.
    pub phases: Vec<(&'static str, f64)>,
}

impl Checkpoint for JoinResult {
    const NAME: &'static str = "matches";

    fn write(&self, out: &mut Encoder<&mut dyn Write>) -> io::Result<()> {
        out.array(&[
            self.candidates,
            self.verified,
            self.keys,
            self.keys_written,
            u64::from(self.sets_with_keys),
            self.keys_ignored,
            u64::from(self.pairs.complete),
        ])?;
        out.array(&self.leader)?;
        out.array(&self.shared)?;
        let edges = &self.pairs.edges;
        out.array(&edges.iter().map(|edge| edge.later).collect::<Vec<_>>())?;
        out.array(&edges.iter().map(|edge| edge.earlier).collect::<Vec<_>>())?;
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
        let (later, earlier) = (from.array::<SetId>(most)?, from.array::<SetId>(most)?);
        let both = from.array::<u32>(most)?;
        let edge = |((later, earlier), shared)| Edge { later, earlier, shared };
        let edges = later.into_iter().zip(earlier).zip(both).map(edge).collect();
        Ok(Self {
            leader,
            shared,
            pairs: PairList { edges, complete: complete == 1 },
            candidates,
            verified,
            intersected: None,
            keys,
            keys_written,
            sets_with_keys: with_keys as u32,
            keys_ignored,
            phases: Vec::new(),
        })
    }
}
