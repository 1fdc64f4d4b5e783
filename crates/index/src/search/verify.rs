//! Decides about candidates on their whole sets, and keeps the best.

use super::candidates::{Candidate, Task};
use super::criterion::Criterion;
use super::options::{Found, Total};
use super::postings::Postings;
use crate::{Cost, IndexError};
use lookalike_core::{Overlap, features, overlap_at_least};
use std::cmp::Ordering;

/// Least number of candidates that are put in order together.
const LEAST_ORDERED: usize = 16;

impl<P: Postings> Task<'_, P> {
    /// Verifies the candidates; `found` gets the matches, the best first.
    ///
    /// With a limit, candidates are verified in the order of the best answers that they could be,
    /// until no other can be better than the last of `limit` matches.
    pub(super) fn verify(
        &self,
        candidates: &mut [Candidate],
        set: &mut Vec<u64>,
        cost: &mut Cost,
        found: &mut Vec<Found>,
    ) -> Result<Total, IndexError> {
        let rank = Rank { criterion: &self.criterion };
        let mut total = Total::default();
        let Some(limit) = self.options.limit else {
            for candidate in &*candidates {
                found.extend(self.verify_one(candidate, set, cost, &mut total)?);
            }
            found.sort_unstable_by(|left, right| rank.order(left, right));
            total.at_most = total.at_least;
            return Ok(total);
        };
        // Only a part is put in order: of many candidates, few are verified.
        let mut part = limit.max(LEAST_ORDERED);
        let mut rest = candidates;
        while !rest.is_empty() {
            part = part.min(rest.len());
            if part < rest.len() {
                rest.select_nth_unstable_by(part, |left, right| rank.candidates(left, right));
            }
            let (best, others) = rest.split_at_mut(part);
            best.sort_unstable_by(|left, right| rank.candidates(left, right));
            for at in 0..best.len() {
                let full = found.len() >= limit;
                if full && found.last().is_none_or(|last| !rank.could_precede(&best[at], last)) {
                    let unverified = best[at..].iter().chain(&*others);
                    let documents = unverified.map(|candidate| u64::from(candidate.documents));
                    total.at_most = total.at_least + documents.sum::<u64>();
                    return Ok(total);
                }
                if let Some(new) = self.verify_one(&best[at], set, cost, &mut total)? {
                    let place = found.partition_point(|other| rank.order(other, &new).is_lt());
                    found.insert(place, new);
                    found.truncate(limit);
                }
            }
            rest = others;
            part *= 2;
        }
        total.at_most = total.at_least;
        Ok(total)
    }

    /// Verifies a candidate on its whole set; an equal one by its digest, by which sets were told
    /// apart when they were stored.
    fn verify_one(
        &self,
        candidate: &Candidate,
        set: &mut Vec<u64>,
        cost: &mut Cost,
        total: &mut Total,
    ) -> Result<Option<Found>, IndexError> {
        self.check()?;
        let matching = |shared: u32, total: &mut Total| {
            let counts = self.criterion.counts(shared, candidate.size);
            self.criterion.reaches(counts).then(|| {
                total.at_least += u64::from(candidate.documents);
                Found { unit: candidate.unit, order: candidate.order, counts }
            })
        };
        let digest = || self.postings.digest(candidate.unit);
        if candidate.size == self.criterion.n()
            && digest().is_some_and(|digest| features::digest(self.query) == Some(digest))
        {
            cost.verified += 1;
            return Ok(matching(candidate.size, total));
        }
        self.postings.make_set(candidate.unit, set)?;
        if set.len() != candidate.size as usize {
            let what = format!(
                "unit {} has {} elements and not the {} that were posted",
                candidate.unit,
                set.len(),
                candidate.size
            );
            return Err(self.postings.damaged(&what));
        }
        cost.verified += 1;
        let shared = overlap_at_least(self.query, set, candidate.needed);
        Ok(shared.and_then(|shared| matching(shared, total)))
    }
}

/// The order of answers: by the value of the measure, the highest first; then by the order that the
/// caller gave; then by unit, if the caller gave the same to several.
struct Rank<'a> {
    criterion: &'a Criterion,
}

impl Rank<'_> {
    fn order(&self, left: &Found, right: &Found) -> Ordering {
        let key = |found: &Found| (found.counts, found.order, found.unit);
        self.compare(key(left), key(right))
    }

    /// Orders candidates as if each shared as much as it can.
    fn candidates(&self, left: &Candidate, right: &Candidate) -> Ordering {
        self.compare(self.best(left), self.best(right))
    }

    /// Whether a candidate could come before a match.
    fn could_precede(&self, candidate: &Candidate, found: &Found) -> bool {
        self.compare(self.best(candidate), (found.counts, found.order, found.unit)).is_lt()
    }

    fn best(&self, candidate: &Candidate) -> (Overlap, u64, u32) {
        let counts = self.criterion.counts(candidate.most, candidate.size);
        (counts, candidate.order, candidate.unit)
    }

    fn compare(&self, left: (Overlap, u64, u32), right: (Overlap, u64, u32)) -> Ordering {
        let by_value = self.criterion.compare(right.0, left.0);
        by_value.then_with(|| (left.1, left.2).cmp(&(right.1, right.2)))
    }
}
