//! Questions to all segments of a snapshot.

use super::{DocAt, LiveSegment, Result, Snapshot};
use crate::precedence::Rank;
use crate::scratch::QueryScratch;
use crate::search::{Accepted, Found, KeyOptions, SearchOptions, Total, search, search_keys};
use crate::segment_postings::{SegmentKeys, SegmentPostings};
use crate::{Ask, Cost, DocNumber, QuerySet, Question, question::differ};
use lookalike_core::{Measure, Overlap};

/// Whether to stop: a deadline passed, or the request was cancelled. Called on any thread, and
/// often: between blocks of posting lists and between verifications.
pub type Stop<'a> = &'a (dyn Fn() -> bool + Sync);

/// Never.
pub const NEVER: Stop<'static> = &|| false;

/// Which documents an answer may have, and how many.
#[derive(Clone, Copy)]
pub struct AskOptions<'a> {
    /// Only the best so many are returned.
    pub limit: Option<usize>,
    /// Whether a live document is wanted, by its segment and its number there.
    pub wanted: &'a (dyn Fn(&LiveSegment, u32) -> bool + Sync),
    /// Whether to stop.
    pub stop: Stop<'a>,
}

impl Default for AskOptions<'_> {
    fn default() -> Self {
        Self { limit: None, wanted: &|_, _| true, stop: NEVER }
    }
}

/// A document that answers a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Match {
    /// The document.
    pub at: DocAt,
    /// Counts of the query (a) and the document (b).
    pub counts: Overlap,
}

/// The documents that answer a question.
#[derive(Debug, Clone, Default)]
pub struct Answer {
    /// The best first; of equal ones the one whose id was added first.
    pub matches: Vec<Match>,
    /// How many documents answer it.
    pub total: Total,
    /// What it cost.
    pub cost: Cost,
}

impl Snapshot {
    /// The documents that answer a question about a set. Exact, whatever was added and deleted.
    ///
    /// # Errors
    /// A damaged segment; [`IndexError::Lean`](crate::IndexError::Lean);
    /// [`IndexError::Interrupted`](crate::IndexError::Interrupted).
    pub fn ask(
        &self,
        question: Question,
        query: QuerySet<'_>,
        options: AskOptions<'_>,
        scratch: &mut QueryScratch,
    ) -> Result<Answer> {
        self.check_question(question)?;
        let mut answer = Answer::default();
        let mut ranked: Vec<(Match, (DocNumber, DocNumber))> = Vec::new();
        let QueryScratch { search: buffers, sets } = scratch;
        let mut found: Vec<Found> = Vec::new();
        for (number, live) in self.each() {
            let wanted = |local: u32| {
                let row = live.segment.row(local);
                let comparable = match query.few {
                    true => row.sequence == query.sequence,
                    false => !row.few,
                };
                let wanted = comparable && (options.wanted)(live, local);
                wanted.then_some((row.first, row.number))
            };
            let accept = |unit: u32| {
                // Those of a unit have one value.
                if query.value != 0
                    && !differ(
                        query.value,
                        live.segment.value(live.segment.unit_documents(unit).start),
                    )
                {
                    return None;
                }
                let documents = live.of_unit(unit).filter_map(wanted);
                documents.fold(None, |all: Option<Accepted>, (first, number)| {
                    let order = u64::from(first.0) << 32 | u64::from(number.0);
                    Some(match all {
                        None => Accepted { order, documents: 1 },
                        Some(all) => {
                            Accepted { order: all.order.min(order), documents: all.documents + 1 }
                        }
                    })
                })
            };
            let postings = SegmentPostings::new(&live.segment, sets);
            let search_options =
                SearchOptions { limit: options.limit, accept: &accept, stop: options.stop };
            answer.total += search(
                &postings,
                question,
                query.set,
                &search_options,
                buffers,
                &mut answer.cost,
                &mut found,
            )?;
            for &Found { unit, counts, .. } in &found {
                let documents = live.of_unit(unit);
                ranked.extend(documents.filter_map(|local| {
                    let order = wanted(local)?;
                    Some((Match { at: DocAt { segment: number, local }, counts }, order))
                }));
            }
        }
        ranked.sort_unstable_by(|a, b| {
            question.ask.compare(b.0.counts, a.0.counts).then(a.1.cmp(&b.1))
        });
        ranked.truncate(options.limit.unwrap_or(usize::MAX));
        answer.matches = ranked.into_iter().map(|(found, _)| found).collect();
        Ok(answer)
    }

    /// The documents that share a key of a method with these keys.
    ///
    /// # Errors
    /// As [`Snapshot::ask`].
    pub fn with_keys(
        &self,
        method: usize,
        keys: &[u64],
        stop: Stop<'_>,
        scratch: &mut QueryScratch,
        cost: &mut Cost,
    ) -> Result<Vec<DocAt>> {
        let mut all = Vec::new();
        let mut found = Vec::new();
        for (segment, live) in self.each() {
            let keys_of = SegmentKeys { segment: &live.segment, method };
            let options = KeyOptions { least: 1, accept: &|local| live.is_live(local), stop };
            search_keys(&keys_of, keys, options, &mut scratch.search, cost, &mut found)?;
            all.extend(found.iter().map(|found| DocAt { segment, local: found.id }));
        }
        Ok(all)
    }

    /// The set of a document, ascending; empty without features.
    ///
    /// # Errors
    /// A damaged segment.
    pub fn set(&self, at: DocAt, scratch: &mut QueryScratch) -> Result<Vec<u64>> {
        let segment = &self.segment(at).segment;
        let mut set = Vec::new();
        if let Some(unit) = segment.unit_of(at.local) {
            scratch.sets.make(segment, unit, &mut set)?;
        }
        Ok(set)
    }

    /// The first kept document in order of precedence that matches a document, by the measure and
    /// threshold of the index: its witness, if it is not kept. `None` for a kept document.
    ///
    /// # Errors
    /// As [`Snapshot::ask`].
    pub fn witness(
        &self,
        at: DocAt,
        stop: Stop<'_>,
        scratch: &mut QueryScratch,
    ) -> Result<Option<DocAt>> {
        if self.is_kept(at) {
            return Ok(None);
        }
        // It is this one or one that precedes it, and those are few: mostly none.
        let relied = self.relies_on(at).and_then(|number| self.numbered(number));
        let before = relied.map_or_else(|| self.rank(at), |relied| self.rank(relied));
        Ok(self.first_kept(at, &before, stop, scratch)?.or(relied))
    }

    /// The kept document that leads the cluster of a document: itself, or its witness.
    ///
    /// # Errors
    /// As [`Snapshot::ask`].
    pub fn leader(
        &self,
        at: DocAt,
        stop: Stop<'_>,
        scratch: &mut QueryScratch,
    ) -> Result<Option<DocAt>> {
        if self.is_kept(at) { Ok(Some(at)) } else { self.witness(at, stop, scratch) }
    }

    /// The first kept document in order of precedence that matches a document and precedes a rank.
    pub(super) fn first_kept(
        &self,
        at: DocAt,
        before: &Rank,
        stop: Stop<'_>,
        scratch: &mut QueryScratch,
    ) -> Result<Option<DocAt>> {
        let document = self.document(at);
        let set = self.set(at, scratch)?;
        let query = document.query(&set);
        let precedes = |live: &LiveSegment, local: u32| {
            self.at(live, local).is_some_and(|kept| self.rank(kept) < *before)
        };
        let kept = self.kept_matches(query, &precedes, stop, scratch)?;
        Ok(kept.into_iter().min_by_key(|&kept| self.rank(kept)))
    }

    /// The first kept document in order of precedence that matches a set: what would be the witness
    /// of a document that is added last.
    ///
    /// # Errors
    /// As [`Snapshot::ask`].
    pub fn witness_of(
        &self,
        query: QuerySet<'_>,
        stop: Stop<'_>,
        scratch: &mut QueryScratch,
    ) -> Result<Option<DocAt>> {
        let kept = self.kept_matches(query, &|_, _| true, stop, scratch)?;
        Ok(kept.into_iter().min_by_key(|&at| self.rank(at)))
    }

    fn kept_matches(
        &self,
        query: QuerySet<'_>,
        also: &(dyn Fn(&LiveSegment, u32) -> bool + Sync),
        stop: Stop<'_>,
        scratch: &mut QueryScratch,
    ) -> Result<Vec<DocAt>> {
        let criterion = self.rules.criterion;
        let ask = match criterion.measure {
            Measure::Resemblance => Ask::Resembles,
            Measure::Cosine => Ask::Cosine,
            Measure::Containment => Ask::Containing,
        };
        let question = Question { ask, threshold: criterion.threshold };
        let wanted = |live: &LiveSegment, local: u32| live.is_kept(local) && also(live, local);
        let options = AskOptions { wanted: &wanted, stop, ..AskOptions::default() };
        let answer = self.ask(question, query, options, scratch)?;
        Ok(answer.matches.into_iter().map(|found| found.at).collect())
    }

    /// The cluster of a kept document: itself, and the documents whose witness it is, in order of
    /// precedence.
    ///
    /// # Errors
    /// As [`Snapshot::ask`].
    pub fn cluster(
        &self,
        leader: DocAt,
        stop: Stop<'_>,
        scratch: &mut QueryScratch,
    ) -> Result<Vec<DocAt>> {
        let document = self.document(leader);
        let set = self.set(leader, scratch)?;
        let query = document.query(&set);
        let criterion = self.rules.criterion;
        let ask = match criterion.measure {
            Measure::Resemblance => Ask::Resembles,
            Measure::Cosine => Ask::Cosine,
            // What is contained in it.
            Measure::Containment => Ask::ContainedIn,
        };
        let question = Question { ask, threshold: criterion.threshold };
        let wanted = |live: &LiveSegment, local: u32| !live.is_kept(local);
        let options = AskOptions { wanted: &wanted, stop, ..AskOptions::default() };
        let mut members = vec![leader];
        for found in self.ask(question, query, options, scratch)?.matches {
            if self.witness(found.at, stop, scratch)? == Some(leader) {
                members.push(found.at);
            }
        }
        members.sort_by_cached_key(|&at| self.rank(at));
        Ok(members)
    }
}
