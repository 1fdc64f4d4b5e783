//! Numbers of a summary that depend on runs alone.

use super::settings::PassageSettings;
use super::stretches::sides_of_run;
use lookalike_core::spans::union;
use lookalike_passages::{Lengths, Run};
use serde::{Deserialize, Serialize};
use std::ops::{AddAssign, Range};

/// Counts over the runs of documents.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunTotals {
    /// Documents with a passage.
    pub with_passages: u64,
    /// Passages that stand at an earlier place as well.
    pub passages: u64,
    /// Their units.
    pub later_units: u64,
    /// Units of all passages.
    pub repeated_units: u64,
    /// Units of the longest passage.
    pub longest: u64,
    /// Places of the most frequent window.
    pub most_copies: u64,
    /// Documents with later copies that stay, as they cannot be cut.
    pub uncut: u64,
}

impl RunTotals {
    /// The counts of one document with these runs, one or more, in order.
    #[must_use]
    pub fn of_document(
        runs: &[Run],
        is_fixed: bool,
        lengths: Lengths,
        passages: &PassageSettings,
    ) -> Self {
        let scope = passages.scope.scope();
        let units = |run: &Run| sides_of_run(run, lengths)[0].range();
        let sum =
            |runs: Vec<Range<usize>>| union(runs).iter().map(Range::len).sum::<usize>() as u64;
        let later = || runs.iter().filter(|run| run.is_later(scope));
        let goes = passages.cuts() || passages.writes_spans();
        Self {
            with_passages: 1,
            passages: later().count() as u64,
            later_units: sum(later().map(units).collect()),
            repeated_units: sum(runs.iter().map(units).collect()),
            longest: runs.iter().map(|run| units(run).len() as u64).max().unwrap_or_default(),
            most_copies: runs.iter().map(|run| run.copies[1].into()).max().unwrap_or_default(),
            uncut: u64::from(goes && is_fixed && later().next().is_some()),
        }
    }
}

impl AddAssign for RunTotals {
    fn add_assign(&mut self, other: Self) {
        self.with_passages += other.with_passages;
        self.passages += other.passages;
        self.later_units += other.later_units;
        self.repeated_units += other.repeated_units;
        self.longest = self.longest.max(other.longest);
        self.most_copies = self.most_copies.max(other.most_copies);
        self.uncut += other.uncut;
    }
}
