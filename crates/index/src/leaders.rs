//! Leader clustering that is kept up to date.
//!
//! A document is kept if and only if no kept document that precedes it matches it. This is a
//! function of the documents that are there: the first maximal independent set of the match graph
//! in order of precedence, whatever the history of adds and deletes. [`redecide`] restores it after
//! a change, and evaluates only the documents that the change can reach.

use crate::precedence::Rank;
use rayon::prelude::*;
use std::collections::BTreeMap;

/// Whether a document is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Standing<N> {
    /// It is new.
    Undecided,
    /// No kept document that precedes it matches it.
    Kept,
    /// It matches this kept document, which precedes it.
    ReliesOn(N),
}

/// The documents, the matches among them, and what was decided.
pub(crate) trait MatchGraph: Sync {
    /// A document.
    type Document: Copy + Eq + Send + Sync;
    /// A document with its set.
    type Loaded: Send + Sync;
    /// Why documents could not be read.
    type Error: Send;

    /// Reads a document's set.
    fn load(&self, document: Self::Document) -> Result<Self::Loaded, Self::Error>;
    /// The documents that are kept now and match this one; not the document itself.
    fn kept_matches(
        &self,
        document: Self::Document,
        loaded: &Self::Loaded,
    ) -> Result<Vec<Self::Document>, Self::Error>;
    /// The documents that rely on this one now.
    fn reliant(
        &self,
        document: Self::Document,
        loaded: &Self::Loaded,
    ) -> Result<Vec<Self::Document>, Self::Error>;
    /// Whether the later document in order of precedence matches the earlier one.
    fn matches(&self, later: &Self::Loaded, earlier: &Self::Loaded) -> bool;
    /// The place of a document in the order of precedence. No two have the same.
    fn rank(&self, document: Self::Document) -> Rank;
    /// What was decided about a document.
    fn standing(&self, document: Self::Document) -> Standing<Self::Document>;
    /// Decides.
    fn decide(&mut self, document: Self::Document, standing: Standing<Self::Document>);
}

/// Documents whose matches are searched in parallel. The number has no effect on the result.
pub(crate) const BLOCK: usize = 256;

/// Decides about the given documents, and about all others that change with them. `dirty` has every
/// undecided document, every document that relied on one that is gone, and of each two kept
/// documents that match at least one. Returns the number of evaluations.
///
/// Documents are taken in order of precedence, so that all that precede one are final when it is
/// decided. A document is queued again if the one that it relies on is no longer kept, or if a
/// document that precedes it is kept and matches it; both queue later documents only. In the end
/// each document that is not kept relies on a kept one that precedes it, and no two kept ones match:
/// by induction over the order of precedence, that is leader clustering of all documents.
///
/// The kept matches of a block of documents are searched in parallel. Until the end of the block
/// only documents of the block become kept, because it ends early where a queued document precedes
/// the rest of it.
///
/// `decided` is called after each block with the number of its evaluations, and ends all if it
/// fails.
pub(crate) fn redecide<G: MatchGraph>(
    graph: &mut G,
    dirty: impl IntoIterator<Item = G::Document>,
    block: usize,
    mut decided: impl FnMut(u64) -> Result<(), G::Error>,
) -> Result<u64, G::Error> {
    let mut queue: BTreeMap<Rank, G::Document> =
        dirty.into_iter().map(|document| (graph.rank(document), document)).collect();
    let mut evaluations = 0;
    while !queue.is_empty() {
        let documents: Vec<(Rank, G::Document)> =
            std::iter::from_fn(|| queue.pop_first()).take(block).collect();
        let search = |(rank, document): (Rank, G::Document)| {
            let loaded = graph.load(document)?;
            let kept = graph.kept_matches(document, &loaded)?;
            let kept = kept.into_iter().map(|kept| (graph.rank(kept), kept)).collect();
            Ok(Candidate { rank, document, loaded, kept })
        };
        let candidates: Vec<Candidate<G>> =
            documents.into_par_iter().map(search).collect::<Result<_, G::Error>>()?;
        let mut became_kept: Vec<&Candidate<G>> = Vec::new();
        let before = evaluations;
        for (at, candidate) in candidates.iter().enumerate() {
            if queue.first_key_value().is_some_and(|(first, _)| *first < candidate.rank) {
                let rest = candidates[at..].iter();
                queue.extend(rest.map(|rest| (rest.rank.clone(), rest.document)));
                break;
            }
            evaluations += 1;
            decide(graph, candidate, &mut became_kept, &mut queue)?;
        }
        decided(evaluations - before)?;
    }
    Ok(evaluations)
}

/// A document of a block.
struct Candidate<G: MatchGraph> {
    rank: Rank,
    document: G::Document,
    loaded: G::Loaded,
    /// The documents that were kept at the beginning of the block and match it.
    kept: Vec<(Rank, G::Document)>,
}

/// Decides about one document; all that precede it are final.
fn decide<'c, G: MatchGraph>(
    graph: &mut G,
    candidate: &'c Candidate<G>,
    became_kept: &mut Vec<&'c Candidate<G>>,
    queue: &mut BTreeMap<Rank, G::Document>,
) -> Result<(), G::Error> {
    let Candidate { rank, document, loaded, kept } = candidate;
    let was = graph.standing(*document);
    let still_kept: Vec<&(Rank, G::Document)> =
        kept.iter().filter(|(_, kept)| graph.standing(*kept) == Standing::Kept).collect();
    let earlier =
        still_kept.iter().filter(|(other, _)| other < rank).min_by_key(|(other, _)| other);
    let earlier = earlier.map(|(_, kept)| *kept).or_else(|| {
        let of_block = became_kept.iter().find(|kept| graph.matches(loaded, &kept.loaded));
        of_block.map(|kept| kept.document)
    });
    match earlier {
        Some(kept) => {
            graph.decide(*document, Standing::ReliesOn(kept));
            if was == Standing::Kept {
                for reliant in graph.reliant(*document, loaded)? {
                    queue.insert(graph.rank(reliant), reliant);
                }
            }
        }
        None => {
            if was != Standing::Kept {
                graph.decide(*document, Standing::Kept);
                became_kept.push(candidate);
            }
            queue.extend(still_kept.into_iter().filter(|(other, _)| other > rank).cloned());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::convert::Infallible;

    /// A graph of at most 64 documents; `adjacent` has a bit for each match.
    struct Graph {
        adjacent: Vec<u64>,
        ranks: Vec<u32>,
        alive: u64,
        standing: Vec<Standing<u32>>,
    }

    impl Graph {
        fn alive(&self) -> impl Iterator<Item = u32> + '_ {
            (0..self.adjacent.len() as u32).filter(|&d| self.alive >> d & 1 == 1)
        }

        fn matched(&self, a: u32, b: u32) -> bool {
            self.adjacent[a as usize] >> b & 1 == 1
        }

        /// Greedy over the documents that are alive.
        fn truth(&self) -> Vec<u32> {
            let mut order: Vec<u32> = self.alive().collect();
            order.sort_by_key(|&d| (self.ranks[d as usize], d));
            let mut kept: Vec<u32> = Vec::new();
            for document in order {
                if kept.iter().all(|&other| !self.matched(document, other)) {
                    kept.push(document);
                }
            }
            kept.sort_unstable();
            kept
        }
    }

    impl MatchGraph for Graph {
        type Document = u32;
        type Loaded = u32;
        type Error = Infallible;

        fn load(&self, document: u32) -> Result<u32, Infallible> {
            Ok(document)
        }

        fn kept_matches(&self, document: u32, _: &u32) -> Result<Vec<u32>, Infallible> {
            let kept = |&other: &u32| {
                other != document
                    && self.matched(document, other)
                    && self.standing(other) == Standing::Kept
            };
            Ok(self.alive().filter(kept).collect())
        }

        fn reliant(&self, document: u32, _: &u32) -> Result<Vec<u32>, Infallible> {
            let relies = |&other: &u32| self.standing(other) == Standing::ReliesOn(document);
            Ok(self.alive().filter(relies).collect())
        }

        fn matches(&self, later: &u32, earlier: &u32) -> bool {
            self.matched(*later, *earlier)
        }

        fn rank(&self, document: u32) -> Rank {
            let precedence = crate::Precedence {
                measure: lookalike_core::Measure::Resemblance,
                keep: vec!["first".parse().unwrap()],
            };
            precedence.rank(crate::Ranked {
                size: 1,
                keep: &[0.0],
                id: &document.to_string(),
                first: crate::DocNumber(self.ranks[document as usize] * 64 + document),
            })
        }

        fn standing(&self, document: u32) -> Standing<u32> {
            self.standing[document as usize]
        }

        fn decide(&mut self, document: u32, standing: Standing<u32>) {
            self.standing[document as usize] = standing;
        }
    }

    #[derive(Debug, Clone)]
    enum Change {
        Add(Vec<u32>),
        /// As [`Change::Add`], with what is decided about these documents alone.
        AddDecided(Vec<u32>),
        Delete(Vec<u32>),
    }

    fn changes() -> impl Strategy<Value = Vec<Change>> {
        let documents = || prop::collection::vec(0u32..24, 1..9);
        let change = prop_oneof![
            documents().prop_map(Change::Add),
            documents().prop_map(Change::AddDecided),
            documents().prop_map(Change::Delete),
        ];
        prop::collection::vec(change, 1..30)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]
        #[test]
        fn equals_leader_clustering_of_what_is_there(
            edges in prop::collection::vec((0u32..24, 0u32..24), 0..90),
            ranks in prop::collection::vec(0u32..6, 24),
            changes in changes(),
            block in prop::sample::select(&[1usize, 2, 3, 7, 256][..]),
        ) {
            let mut adjacent = vec![0u64; 24];
            for (a, b) in edges.into_iter().filter(|(a, b)| a != b) {
                adjacent[a as usize] |= 1 << b;
                adjacent[b as usize] |= 1 << a;
            }
            let standing = vec![Standing::Undecided; 24];
            let mut graph = Graph { adjacent, ranks, alive: 0, standing };
            for change in changes {
                let mut dirty = Vec::new();
                match change {
                    Change::Add(added) => for document in added {
                        if graph.alive >> document & 1 == 0 {
                            graph.alive |= 1 << document;
                            graph.decide(document, Standing::Undecided);
                            dirty.push(document);
                        }
                    },
                    Change::AddDecided(mut added) => {
                        added.sort_by_key(|&d| (graph.ranks[d as usize], d));
                        added.dedup();
                        added.retain(|&document| graph.alive >> document & 1 == 0);
                        for document in added {
                            let kept = dirty.iter().find(|&&kept| graph.matched(document, kept));
                            let standing = kept.map_or(Standing::Kept, |&kept| Standing::ReliesOn(kept));
                            graph.alive |= 1 << document;
                            graph.decide(document, standing);
                            if standing == Standing::Kept {
                                dirty.push(document);
                            }
                        }
                    }
                    Change::Delete(deleted) => {
                        for document in &deleted {
                            graph.alive &= !(1 << document);
                        }
                        for document in deleted {
                            dirty.extend(graph.reliant(document, &document).unwrap());
                        }
                    }
                }
                redecide(&mut graph, dirty, block, |_| Ok(())).unwrap();
                let kept: Vec<u32> =
                    graph.alive().filter(|&d| graph.standing(d) == Standing::Kept).collect();
                prop_assert_eq!(kept, graph.truth());
                for document in graph.alive() {
                    if let Standing::ReliesOn(kept) = graph.standing(document) {
                        prop_assert!(graph.alive >> kept & 1 == 1 && graph.matched(document, kept));
                        prop_assert_eq!(graph.standing(kept), Standing::Kept);
                        prop_assert!(graph.rank(kept) < graph.rank(document));
                    }
                }
            }
        }
    }
}
