//! Verdicts: for every document whether it is kept, or removed by which rule.

use crate::collection::{Document, DocumentId};
use crate::try_sort::par_sort_cancellable;
use crate::{Approach, Collection, Edge, EngineError, MatchOptions, Matches, Progress, Units};
use lookalike_core::{SparseIndex, TextDigest, TokenDigest};
use lookalike_decide::{Identity, Rule};
use lookalike_join::{Linkage, SetId};
use lookalike_methods::Evidence;
use std::cmp::Ordering;

/// Why a document was removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Removal {
    /// Its witness: the kept document that it duplicates. With [`Rule::Dropped`] the first document
    /// that it represents, which is removed too.
    pub kept: DocumentId,
    /// The relation between the two.
    pub rule: Rule,
    /// The comparison of the two; `a` is the removed document.
    pub evidence: Evidence,
}

/// Result of [`crate::find`], with its documents and options: the input of [`Verdicts`].
#[derive(Debug, Clone, Copy)]
pub struct MatchResult<'a> {
    /// The documents.
    pub collection: &'a Collection,
    /// Their distinct sets.
    pub units: &'a Units,
    /// The leader of each set and the pairs.
    pub matches: &'a Matches,
    /// The approach of the run.
    pub approach: &'a Approach,
}

impl MatchResult<'_> {
    /// The unit of a removed document, and that of its witness.
    fn units_of(&self, document: DocumentId) -> Option<(SetId, SetId)> {
        let unit = self.units.of_document(document)?;
        Some((unit, self.matches.leader[unit.index()]))
    }

    /// Where documents match only across values: whether the cluster of each leading unit has all documents
    /// of the unit. They match documents of other units only: a component with other units has
    /// them, and with leaders each leads its own cluster.
    fn connecting(&self, linkage: Linkage) -> Option<Vec<bool>> {
        self.collection.matches_across().then(|| {
            let mut connects = vec![false; self.units.len() as usize];
            if linkage == Linkage::Components {
                for (unit, leader) in self.units.ids().zip(&self.matches.leader) {
                    connects[leader.index()] |= unit != *leader;
                }
            }
            connects
        })
    }

    /// Whether the sets of two units are equal, as far as sets were compared.
    fn have_equal_sets(&self, unit: SetId, leader: SetId) -> bool {
        let shared = self.matches.shared[unit.index()];
        shared > 0 && [unit, leader].iter().all(|&unit| self.units.size(unit) == shared)
    }
}

/// The verdict on every document, one byte each. The other parts of a [`Removal`] are computed from
/// the match result.
#[derive(Debug)]
pub struct Verdicts {
    /// Index in [`Rule::ALL`], with [`SURVIVES`] for a document that is kept although it has a
    /// witness; [`STAYS`] for a document without one.
    rules: Vec<u8>,
    /// Each leader that is removed, in the order of the collection, with the first document that it
    /// represents.
    dropped: Vec<(DocumentId, DocumentId)>,
}

const STAYS: u8 = u8::MAX;

/// Is among those of its cluster that are kept.
const SURVIVES: u8 = 0x40;

impl Verdicts {
    /// Computes the verdicts from the matches that [`crate::find`] found with these options. If
    /// only protected documents can be witnesses, other repeats are kept.
    ///
    /// Scans the documents twice: once for the witnesses, once for the others.
    ///
    /// # Errors
    /// Rows on disk that cannot be read.
    pub fn new(answer: &MatchResult<'_>, options: &MatchOptions) -> Result<Self, EngineError> {
        let MatchResult { collection, units, approach, .. } = *answer;
        let verify = approach.method.is_some().then_some(approach.verify);
        let by_match = Rule::by_match(options.linkage, verify);
        let connects = answer.connecting(options.linkage);
        // The witness, and the units of the document and of the witness.
        let stands = |document: DocumentId| {
            let (unit, leader) = answer.units_of(document)?;
            let kept = units.members(leader)[0];
            let stays = (options.only_protected && leader.0 >= units.protected())
                || connects.as_ref().is_some_and(|all| unit == leader && !all[leader.index()]);
            (!stays && document != kept).then_some((kept, unit, leader))
        };
        let mut leads = vec![false; collection.len() as usize];
        for (kept, ..) in collection.documents().filter_map(stands) {
            leads[kept.index()] = true;
        }
        let leaders = SparseIndex::new(collection.len(), |document| leads[document as usize]);
        drop(leads);
        let leads = |document: &DocumentId| leaders.place(document.0).is_some();
        let mut digests: Vec<(TextDigest, TokenDigest)> =
            Vec::with_capacity(leaders.len() as usize);
        collection.pass(
            |mut documents| documents.any(|document| leads(&document)),
            |documents, rows| -> Vec<_> {
                let rows = documents.zip(&rows.documents).filter(|(document, _)| leads(document));
                rows.map(|(_, row)| (row.text, row.sequence)).collect()
            },
            |more| digests.extend(more),
        )?;
        let rule = |document: DocumentId, row: &Document| {
            let Some((kept, unit, leader)) = stands(document) else { return STAYS };
            let place = leaders.place(kept.0).expect("every witness is one of the leaders");
            let (content, tokens) = digests[place as usize];
            let witness = Identity { content, tokens, set: leader };
            let own = Identity { content: row.text, tokens: row.sequence, set: unit };
            let rule = match connects {
                // Documents of one unit do not match each other: others connect them.
                Some(_) if unit == leader => by_match,
                Some(_) if options.templates.is_none() && answer.have_equal_sets(unit, leader) => {
                    Rule::of(&Identity { set: leader, ..own }, &witness, by_match)
                }
                _ => Rule::of(&own, &witness, by_match),
            };
            rule as u8
        };
        let mut rules: Vec<u8> = Vec::with_capacity(collection.len() as usize);
        collection.pass(
            |_| true,
            |documents, rows| -> Vec<u8> {
                documents.zip(&rows.documents).map(|(number, row)| rule(number, row)).collect()
            },
            |more| rules.extend(more),
        )?;
        Ok(Self { rules, dropped: Vec::new() })
    }

    /// Keeps the first `survivors` documents of each cluster, of a leader and the documents that it
    /// represents, in order of precedence: [`Units::new`] has the order, `compare` orders documents
    /// that are not protected and have sets of equal size, or any size for a symmetric measure. Of
    /// clusters whose leader is protected, the leader is among them whatever their number is.
    /// Verdicts from [`Verdicts::new`] keep one.
    ///
    /// # Errors
    /// Those of `compare`, a cancellation.
    pub fn keep_first(
        &mut self,
        answer: &MatchResult<'_>,
        survivors: u32,
        by_size: bool,
        compare: impl Fn(DocumentId, DocumentId) -> Result<Ordering, EngineError> + Sync,
        progress: &dyn Progress,
    ) -> Result<(), EngineError> {
        let MatchResult { collection, units, .. } = *answer;
        let leader = |document| {
            let (_, leader) = answer.units_of(document)?;
            Some(units.members(leader)[0])
        };
        let mut members: Vec<(DocumentId, DocumentId)> =
            self.with_witness().filter_map(|member| Some((leader(member)?, member))).collect();
        let size = |document| match units.of_document(document) {
            Some(unit) if by_size => units.size(unit),
            _ => 0,
        };
        par_sort_cancellable(&mut members, progress, |a, b| {
            let protected = collection.is_protected(b.1).cmp(&collection.is_protected(a.1));
            match a.0.cmp(&b.0).then(protected).then_with(|| size(b.1).cmp(&size(a.1))) {
                Ordering::Equal => compare(a.1, b.1),
                order => Ok(order),
            }
        })?;
        for cluster in members.chunk_by(|a, b| a.0 == b.0) {
            match survivors.checked_sub(1) {
                None if collection.is_protected(cluster[0].0) => {}
                None => self.dropped.push(cluster[0]),
                Some(more) => cluster.iter().take(more as usize).for_each(|(_, member)| {
                    self.rules[member.index()] |= SURVIVES;
                }),
            }
        }
        Ok(())
    }

    /// Whether a document is removed, unless it is protected.
    #[must_use]
    pub fn is_removed(&self, document: DocumentId) -> bool {
        match self.rules[document.index()] {
            STAYS => self.first_represented(document).is_some(),
            rule => rule & SURVIVES == 0,
        }
    }

    /// The first document that a removed leader represents.
    fn first_represented(&self, leader: DocumentId) -> Option<DocumentId> {
        let place = self.dropped.binary_search_by_key(&leader, |&(leader, _)| leader).ok()?;
        Some(self.dropped[place].1)
    }

    /// The leaders that are removed with the documents that they represent: the evidence is the
    /// first of these, with the counts of its own removal.
    pub fn dropped<'a>(
        &'a self,
        answer: &'a MatchResult<'_>,
    ) -> impl Iterator<Item = (DocumentId, Removal)> + 'a {
        self.dropped.iter().filter_map(|&(leader, first)| {
            let evidence = self.removal(answer, first)?.evidence.swapped();
            Some((leader, Removal { kept: first, rule: Rule::Dropped, evidence }))
        })
    }

    /// The witness of a document and how the two compare; `None` if it has none. Protected documents that match another
    /// one have a removal too: the caller must keep them. `answer` must be the result from which
    /// the verdicts were computed.
    #[must_use]
    pub fn removal(&self, answer: &MatchResult<'_>, document: DocumentId) -> Option<Removal> {
        let rule = *Rule::ALL.get(usize::from(self.rules[document.index()] & !SURVIVES))?;
        let (unit, leader) = answer.units_of(document)?;
        let edge =
            Edge { later: unit, earlier: leader, shared: answer.matches.shared[unit.index()] };
        let evidence = answer.approach.evidence(answer.collection, answer.units, edge);
        Some(Removal { kept: answer.units.members(leader)[0], rule, evidence })
    }

    /// Documents with a witness, in the order of the collection.
    pub fn with_witness(&self) -> impl Iterator<Item = DocumentId> + '_ {
        (0..)
            .map(DocumentId)
            .zip(&self.rules)
            .filter(|&(_, &rule)| rule != STAYS)
            .map(|(document, _)| document)
    }
}
