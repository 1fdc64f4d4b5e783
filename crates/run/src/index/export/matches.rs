//! The matches of the distinct sets of a run, as an index finds them.

use super::stored::StoredSets;
use crate::LookalikeError;
use crate::analysis::FindMatches;
use crate::index::open::Index;
use lookalike_cluster::Components;
use lookalike_core::Overlap;
use lookalike_engine::poll::Poll;
use lookalike_engine::signer::StoredDocuments;
use lookalike_engine::{
    Collection, DocumentId, Edge, Linkage, Matches, PairList, Progress, SetId, Units, WitnessRule,
    WitnessSearch,
};
use lookalike_index::{
    Ask, AskOptions, DocAt, DocNumber, IndexError, LiveSegment, QueryScratch, Question, Snapshot,
};
use rayon::prelude::*;
use std::sync::Arc;

/// Finds the matches of a run over the documents of an index.
pub(super) struct IndexMatches<'a> {
    pub(super) index: &'a Index,
    pub(super) snapshot: &'a Snapshot,
    /// The documents in the order of the run.
    pub(super) order: &'a [DocAt],
    /// The documents, if their texts are not stored.
    pub(super) stored: Option<Arc<StoredSets>>,
    pub(super) linkage: Linkage,
    pub(super) witness: WitnessRule,
    /// Most pairs of documents that are listed; `None` for only those that prove a removal.
    pub(super) list_pairs: Option<u64>,
    pub(super) progress: &'a dyn Progress,
}

/// The answers about one distinct set: the sets that precede and match it.
#[derive(Default)]
struct Found {
    /// Its witness, if it is not kept.
    witness: Option<Edge>,
    /// All matches, if they are listed.
    edges: Vec<Edge>,
}

impl FindMatches for IndexMatches<'_> {
    fn stored(&self) -> Option<Arc<dyn StoredDocuments>> {
        self.stored.clone().map(|stored| stored as Arc<dyn StoredDocuments>)
    }

    fn find(&self, collection: &Collection, units: &Units) -> Result<Matches, LookalikeError> {
        self.progress.phase("asking", Some(u64::from(units.len())));
        let by_number = self.by_number();
        let makers = self.index.analysis.makers();
        let found: Vec<Found> = units
            .ids()
            .collect::<Vec<SetId>>()
            .into_par_iter()
            .map_init(
                || QueryScratch::new(makers()),
                |scratch, unit| {
                    Poll::new(self.progress).now()?;
                    self.progress.advance(1, 0);
                    self.of_unit(unit, collection, units, &by_number, scratch)
                },
            )
            .collect::<Result<_, LookalikeError>>()?;
        let mut edges: Vec<Edge> = found.iter().flat_map(|found| found.edges.clone()).collect();
        edges.par_sort_unstable();
        let itself = |unit: SetId| (unit, units.size(unit));
        let (mut leader, mut shared): (Vec<SetId>, Vec<u32>) = units.ids().map(itself).unzip();
        let mut pairs = PairList { edges, complete: self.list_pairs.is_some() };
        match self.linkage {
            Linkage::Leaders => {
                let witnesses: Vec<Edge> = found.iter().filter_map(|found| found.witness).collect();
                for edge in &witnesses {
                    leader[edge.later.index()] = edge.earlier;
                    shared[edge.later.index()] = edge.shared;
                }
                if self.list_pairs.is_none() {
                    pairs.edges = witnesses;
                }
            }
            Linkage::Components => {
                let mut components = Components::new(units.len());
                for edge in &pairs.edges {
                    components.join(edge.later.0, edge.earlier.0);
                }
                let labels = components.labels();
                let counted: Vec<(SetId, u32)> = units
                    .ids()
                    .zip(labels)
                    .collect::<Vec<_>>()
                    .into_par_iter()
                    .map_init(
                        || QueryScratch::new(makers()),
                        |scratch, (unit, label)| {
                            let label = SetId(label);
                            if unit == label {
                                return Ok(itself(unit));
                            }
                            let sets = [unit, label]
                                .map(|unit| self.snapshot.set(self.first(units, unit), scratch));
                            let [own, other] = sets;
                            Ok((label, lookalike_core::overlap(&own?, &other?)))
                        },
                    )
                    .collect::<Result<_, IndexError>>()?;
                (leader, shared) = counted.into_iter().unzip();
            }
        }
        self.check_pairs(units, &pairs)?;
        Ok(Matches { leader, shared, pairs, ..Matches::default() })
    }
}

impl IndexMatches<'_> {
    /// Documents of the run by their number in the index.
    fn by_number(&self) -> Vec<(DocNumber, DocumentId)> {
        let numbered = (0..).map(DocumentId).zip(self.order);
        let mut all: Vec<(DocNumber, DocumentId)> = numbered
            .map(|(document, &at)| (self.snapshot.document(at).number(), document))
            .collect();
        all.par_sort_unstable();
        all
    }

    /// The first document of a set, in the index.
    fn first(&self, units: &Units, unit: SetId) -> DocAt {
        self.order[units.members(unit)[0].index()]
    }

    fn of_unit(
        &self,
        unit: SetId,
        collection: &Collection,
        units: &Units,
        by_number: &[(DocNumber, DocumentId)],
        scratch: &mut QueryScratch,
    ) -> Result<Found, LookalikeError> {
        let at = self.first(units, unit);
        let is_kept = self.snapshot.is_kept(at);
        let leaders = self.linkage == Linkage::Leaders;
        if self.list_pairs.is_none() && leaders && is_kept {
            return Ok(Found::default());
        }
        let matching = &self.index.analysis.matching;
        let document = self.snapshot.document(at);
        let set = self.snapshot.set(at, scratch)?;
        let query = document.query(&set);
        // A set is contained in one that precedes it.
        let ask = match matching.measure {
            lookalike_core::Measure::Resemblance => Ask::Resembles,
            lookalike_core::Measure::Cosine => Ask::Cosine,
            lookalike_core::Measure::Containment => Ask::Containing,
        };
        let question = Question { ask, threshold: matching.threshold };
        let only_kept = self.list_pairs.is_none();
        let wanted = |live: &LiveSegment, local: u32| !only_kept || live.is_kept(local);
        let options = AskOptions { wanted: &wanted, ..AskOptions::default() };
        let answer = self.snapshot.ask(question, query, options, scratch)?;
        // Matches by set; each document of a set is one.
        let mut earlier: Vec<(SetId, Overlap, bool)> = Vec::new();
        for found in answer.matches {
            let number = self.snapshot.document(found.at).number();
            let place = by_number.binary_search_by_key(&number, |&(number, _)| number);
            let document = place.ok().map(|place| by_number[place].1);
            let other = document.and_then(|document| units.of_document(document));
            if let Some(other) = other.filter(|&other| other < unit) {
                earlier.push((other, found.counts, self.snapshot.is_kept(found.at)));
            }
        }
        earlier.sort_unstable_by_key(|&(other, _, kept)| (other, !kept));
        earlier.dedup_by_key(|&mut (other, ..)| other);
        let edge = |(earlier, counts): (SetId, Overlap)| Edge {
            later: unit,
            earlier,
            shared: counts.shared,
        };
        let mut found = Found::default();
        if leaders && !is_kept {
            let mut search = WitnessSearch::new(self.witness);
            let kept = earlier.iter().filter(|(_, _, kept)| *kept);
            let _ = kept.into_iter().try_for_each(|&(other, counts, _)| {
                search.offer(|best: Option<(SetId, Overlap)>| {
                    let better =
                        best.is_none_or(|(_, best)| matching.measure.compare(counts, best).is_gt());
                    better.then_some((other, counts))
                })
            });
            found.witness = search.witness().map(edge);
            if found.witness.is_none() {
                let id = collection.name(units.members(unit)[0])?.into_owned();
                return Err(LookalikeError::from(IndexError::Damaged {
                    path: self.index.dir().to_owned(),
                    what: format!(
                        "it keeps no document that matches `{id}`, which is not kept either; \
                         checking the index with the setting deep says what is wrong, \
                         repairing it makes a new one"
                    ),
                }));
            }
        }
        if self.list_pairs.is_some() {
            found.edges = earlier.iter().map(|&(other, counts, _)| edge((other, counts))).collect();
        }
        Ok(found)
    }

    /// Refuses more pairs of documents than are to be listed.
    fn check_pairs(&self, units: &Units, pairs: &PairList) -> Result<(), LookalikeError> {
        let Some(most) = self.list_pairs else { return Ok(()) };
        let weight = |unit: SetId| units.members(unit).len() as u64;
        let within: u64 = match self.index.analysis.signer.matches_across() {
            true => 0,
            false => units.ids().map(|u| weight(u) * (weight(u) - 1) / 2).sum(),
        };
        let between: u64 =
            pairs.edges.iter().map(|edge| weight(edge.later) * weight(edge.earlier)).sum();
        let all = within + between;
        if all > most {
            return Err(LookalikeError::Limit(format!(
                "the documents of the index form {all} pairs, more than the setting \
                 max_pairs={most}; raise it, or raise the threshold of the index"
            )));
        }
        Ok(())
    }
}
