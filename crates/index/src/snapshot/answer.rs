//! Questions to all segments of a snapshot.

use super::{DocAt, LiveSegment, Result, Snapshot};
use crate::scratch::QueryScratch;
use crate::search::{Found, SearchOptions, Total, search};
use crate::segment_postings::SegmentPostings;
use crate::{Ask, Cost, Question};
use lookalike_core::{Measure, Overlap, TokenDigest};
use std::cmp::Ordering;

/// The document of a question.
#[derive(Debug, Clone, Copy)]
pub struct QuerySet<'a> {
    /// Its feature set, strictly ascending.
    pub set: &'a [u64],
    /// Whether the set is too small to be compared.
    pub few: bool,
    /// Digest of its tokens: what a document with too few features is compared by.
    pub sequence: TokenDigest,
}

/// Which documents an answer may have, and how many.
#[derive(Clone, Copy)]
pub struct AskOptions<'a> {
    /// Only the best so many are returned.
    pub limit: Option<usize>,
    /// Whether a live document is wanted, by its segment and its number there.
    pub wanted: &'a (dyn Fn(&LiveSegment, u32) -> bool + Sync),
}

impl Default for AskOptions<'_> {
    fn default() -> Self {
        Self { limit: None, wanted: &|_, _| true }
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
    /// The best first; of equal ones the one that was first added.
    pub matches: Vec<Match>,
    /// How many documents answer it.
    pub total: Total,
    /// What it cost.
    pub cost: Cost,
}

impl Snapshot {
    /// The documents that answer a question about a set. Exact, whatever was added and deleted.
    ///
    /// With a limit, the documents that come first in the order of the answer.
    ///
    /// # Errors
    /// A damaged segment; a question that an index which does not post every element cannot answer.
    pub fn ask(
        &self,
        question: Question,
        query: QuerySet<'_>,
        options: AskOptions<'_>,
        scratch: &mut QueryScratch,
    ) -> Result<Answer> {
        let mut answer = Answer::default();
        let mut found = Vec::new();
        for (number, live) in self.each() {
            found.clear();
            let wanted = |local: u32| {
                let row = live.segment.row(local);
                let comparable = match query.few {
                    true => row.sequence == query.sequence,
                    false => !row.few,
                };
                comparable && (options.wanted)(live, local)
            };
            let total = self.search(live, question, query.set, &wanted, options.limit, scratch, &mut answer.cost, &mut found)?;
            answer.total += total;
            for Found { unit, counts } in &found {
                let documents = live.of_unit(*unit).filter(|&local| wanted(local));
                answer.matches.extend(documents.map(|local| Match {
                    at: DocAt { segment: number, local },
                    counts: *counts,
                }));
            }
        }
        let best = |a: &Match, b: &Match| {
            let first = |found: &Match| {
                let document = self.document(found.at);
                (document.first(), document.number())
            };
            compare(question, b.counts, a.counts).then_with(|| first(a).cmp(&first(b)))
        };
        answer.matches.sort_unstable_by(best);
        if let Some(limit) = options.limit {
            answer.matches.truncate(limit);
        }
        Ok(answer)
    }

    #[allow(clippy::too_many_arguments)]
    fn search(
        &self,
        live: &LiveSegment,
        question: Question,
        set: &[u64],
        wanted: &dyn Fn(u32) -> bool,
        limit: Option<usize>,
        scratch: &mut QueryScratch,
        cost: &mut Cost,
        found: &mut Vec<Found>,
    ) -> Result<Total> {
        let accept = |unit: u32| live.of_unit(unit).any(wanted);
        let postings = SegmentPostings::new(&live.segment, &mut scratch.sets);
        let options = SearchOptions { limit, accept: &accept };
        search(&postings, question, set, options, &mut scratch.search, cost, found)
    }
}

/// Orders two answers to a question, the better one last.
fn compare(question: Question, a: Overlap, b: Overlap) -> Ordering {
    // For containment the contained side comes first.
    let sides = |counts: Overlap| match question.ask {
        Ask::ContainedIn => counts.swapped(),
        _ => counts,
    };
    let (a, b) = (sides(a), sides(b));
    match question.measure() {
        // Of different sets: cross-multiplied.
        Measure::Containment => {
            let wide = |value: u32| u64::from(value);
            (wide(a.shared) * wide(b.a)).cmp(&(wide(b.shared) * wide(a.a)))
        }
        measure => measure.compare(a, b),
    }
}
