//! The stages of a run over one collection: [`Ingested`], [`Joined`], [`Decided`].
//!
//! Each stage holds the input of the next one in memory, within one budget, and can only be made
//! from the previous stage. For another order (several joins, no verdicts) use [`Collection`] and
//! [`find_from`] directly.

use crate::matching::find_from;
use crate::poll::Poll;
use crate::{
    Approach, Checkpoints, Collection, EngineError, MatchOptions, MatchResult, MatchSettings,
    Matches, Progress, Units, Verdicts, heap,
};
use lookalike_cluster::KeepRule;
use std::time::Instant;

/// A collection that was read. Chunks beyond the memory budget are on disk.
#[derive(Debug)]
pub struct Ingested {
    collection: Collection,
    /// Memory budget of rows and sets, in bytes.
    budget: u64,
}

/// Everything that decides which documents match, and how much memory it takes.
#[derive(Debug, Clone, Copy)]
pub struct JoinPlan<'a> {
    /// Which of several matching documents takes precedence.
    pub keep: &'a [KeepRule],
    /// The approach of the run.
    pub settings: &'a MatchSettings,
    /// The exact join, or a method.
    pub approach: &'a Approach,
    /// Options of the join.
    pub options: &'a MatchOptions,
    /// Checkpoints of an earlier run of the same job.
    pub checkpoints: &'a Checkpoints,
}

/// A collection with its matches.
#[derive(Debug)]
pub struct Joined {
    collection: Collection,
    budget: u64,
    units: Units,
    matches: Matches,
    /// Seconds by phase.
    pub phases: Vec<(&'static str, f64)>,
}

/// A collection with the verdict on each document. Its sets are freed, and the names of the
/// documents that are in a pair are loaded and ranked.
#[derive(Debug)]
pub struct Decided {
    /// The documents.
    pub collection: Collection,
    /// Their distinct sets.
    pub units: Units,
    /// Which units match.
    pub matches: Matches,
    /// Verdicts.
    pub verdicts: Verdicts,
}

impl Ingested {
    /// A collection whose rows and sets may take `budget` bytes of memory; the rest is spilled.
    ///
    /// # Errors
    /// A temporary file that cannot be written.
    pub fn new(mut collection: Collection, budget: u64) -> Result<Self, EngineError> {
        collection.hold_at_most(budget)?;
        Ok(Self { collection, budget })
    }

    /// Collapses documents with equal sets and joins the sets. Runs on the rayon pool it is called
    /// in.
    ///
    /// # Errors
    /// Those of [`find_from`]; temporary files that cannot be read or written.
    pub fn join(self, plan: JoinPlan<'_>, progress: &dyn Progress) -> Result<Joined, EngineError> {
        let JoinPlan { settings, approach, options, checkpoints, .. } = plan;
        self.join_by(plan, progress, |collection, units| {
            find_from(checkpoints, collection, units, settings, approach, options, progress)
        })
    }

    /// The same, with matches from elsewhere: `find` returns those of the distinct sets.
    ///
    /// # Errors
    /// Those of `find`; temporary files that cannot be read or written.
    pub fn join_by<E: From<EngineError>>(
        self,
        plan: JoinPlan<'_>,
        progress: &dyn Progress,
        find: impl FnOnce(&Collection, &Units) -> Result<Matches, E>,
    ) -> Result<Joined, E> {
        let Self { mut collection, budget } = self;
        let JoinPlan { keep, settings, approach, checkpoints, .. } = plan;
        let started = Instant::now();
        progress.phase("collapsing", None);
        collection.load_names_for_ties(keep)?;
        let units = checkpoints
            .read_or_compute(|| Units::new(&collection, keep, settings.measure, progress))?;
        collection.load_names(|_| false)?;
        if approach.keeps_sets() {
            collection.spill_for_join()?;
        }
        let mut phases = vec![("collapsing", started.elapsed().as_secs_f64())];
        let matches = find(&collection, &units)?;
        phases.extend(matches.phases.iter().copied());
        Ok(Joined { collection, budget, units, matches, phases })
    }
}

impl Joined {
    /// Decides about every document: `plan` is that of the join. Frees the sets at the same time,
    /// and holds rows in their place.
    ///
    /// # Errors
    /// Rows on disk that cannot be read, or a cancellation.
    pub fn decide(
        self,
        plan: JoinPlan<'_>,
        progress: &dyn Progress,
    ) -> Result<Decided, EngineError> {
        let Self { mut collection, budget, units, matches, .. } = self;
        Poll::new(progress).now()?;
        let sets = collection.take_sets();
        let trim_heap = collection.trim_heap;
        let free = || {
            drop(sets);
            if trim_heap {
                heap::give_back();
            }
        };
        let decide = || {
            collection.hold_rows(budget)?;
            let (collection, units, matches) = (&collection, &units, &matches);
            Verdicts::new(
                &MatchResult { collection, units, matches, approach: plan.approach },
                plan.options,
            )
        };
        let (verdicts, ()) = rayon::join(decide, free);
        let verdicts = verdicts?;
        let poll = Poll::new(progress);
        poll.now()?;
        let listed = units.in_pairs(&collection, &matches);
        let wanted =
            |document| units.of_document(document).is_some_and(|unit| listed[unit.index()]);
        collection.load_names(wanted)?;
        poll.now()?;
        collection.rank_names(progress, wanted)?;
        Ok(Decided { collection, units, matches, verdicts })
    }
}
