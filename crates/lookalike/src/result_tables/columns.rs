//! Columns of the result tables, and which of them a run has.

use crate::analysis::Analysis;
use crate::document_columns::{A, B, DOCUMENT, KEPT, LEADER, REMOVED};
use crate::estimates;
use lookalike_core::{Measure, Overlap};
use lookalike_io::table::{Cell, Column, ColumnKind};
use lookalike_methods::Evidence;

/// Number of columns that compare two documents.
pub(super) const COLUMNS: usize = 11;

/// The columns that compare two documents; `a` is the first document of the row.
const COUNTS: [Column; COLUMNS] = [
    Column { name: "resemblance", kind: ColumnKind::Ratio },
    Column { name: "containment_a_in_b", kind: ColumnKind::Ratio },
    Column { name: "containment_b_in_a", kind: ColumnKind::Ratio },
    Column { name: "cosine", kind: ColumnKind::Ratio },
    Column { name: "shared", kind: ColumnKind::Count },
    Column { name: "size_a", kind: ColumnKind::Count },
    Column { name: "size_b", kind: ColumnKind::Count },
    Column { name: "distance", kind: ColumnKind::Count },
    Column { name: "resemblance_low", kind: ColumnKind::Ratio },
    Column { name: "resemblance_high", kind: ColumnKind::Ratio },
    Column { name: "whole_resemblance", kind: ColumnKind::Ratio },
];

/// Index of `cosine` in [`COUNTS`]: only written for the measure cosine.
const COSINE: usize = 3;

/// Index of `distance` in [`COUNTS`]: only written if simhashes were compared.
const DISTANCE: usize = 7;

/// Indices of the 95 % interval of the resemblance in [`COUNTS`]: only written if it was estimated.
const INTERVAL: [usize; 2] = [8, 9];

/// Index of `whole_resemblance` in [`COUNTS`]: only written if boilerplate was removed from sets.
const WHOLE: usize = 10;

/// Which of the optional columns are written.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Extra {
    cosine: bool,
    distance: bool,
    interval: bool,
    whole: bool,
}

impl Extra {
    /// All of them.
    pub(crate) const ALL: Self = Self { cosine: true, distance: true, interval: true, whole: true };

    /// Those of a run that compares samples of sets.
    pub(crate) const OF_SAMPLES: Self =
        Self { cosine: false, distance: false, interval: true, whole: false };

    /// Those of a run.
    pub(crate) fn of(analysis: &Analysis) -> Self {
        Self {
            cosine: analysis.settings.measure == Measure::Cosine && analysis.approach.keeps_sets(),
            distance: analysis.compares_words(),
            interval: estimates::are_made(&analysis.approach),
            whole: analysis.templates.is_some(),
        }
    }

    /// Those of a run that compares sets, by its measure.
    pub(crate) fn of_sets(measure: Measure) -> Self {
        Self { cosine: measure == Measure::Cosine, distance: false, interval: false, whole: false }
    }

    fn has(self, place: usize) -> bool {
        match place {
            COSINE => self.cosine,
            DISTANCE => self.distance,
            WHOLE => self.whole,
            place if INTERVAL.contains(&place) => self.interval,
            _ => true,
        }
    }
}

/// Columns of `clusters`: the document, its cluster, the cluster's kept document, their measure,
/// and in the row of the leader the size of the cluster and the files of the other documents.
pub(crate) fn cluster_columns() -> Vec<Column> {
    let (cluster, resemblance) = (Column::count("cluster"), Column::ratio("resemblance"));
    let represented = [Column::count("size"), Column::text("duplicates")];
    [&DOCUMENT[..], &[cluster], &LEADER, &[resemblance], &represented].concat()
}

/// Columns of `ledger`: the removed document, its witness, the rule, and the comparison of the two.
pub(crate) fn ledger_columns(extra: Extra) -> Vec<Column> {
    let names = [&REMOVED[..], &KEPT, &[Column::text("rule")]].concat();
    names.into_iter().chain(written(COUNTS, extra)).collect()
}

/// Columns of `pairs`: both documents, and their comparison.
pub(crate) fn pair_columns(extra: Extra) -> Vec<Column> {
    [A, B].concat().into_iter().chain(written(COUNTS, extra)).collect()
}

/// Drops the cells of columns that the run does not have.
pub(super) fn written<T>(cells: [T; COLUMNS], extra: Extra) -> impl Iterator<Item = T> {
    (0..).zip(cells).filter(move |(at, _)| extra.has(*at)).map(|(_, cell)| cell)
}

/// Cells of [`COUNTS`] for the evidence of a pair, and the resemblance of the complete documents;
/// null if the evidence does not contain a value.
pub(super) fn count_cells<'c>(evidence: Evidence, whole: Option<f64>) -> [Cell<'c>; COLUMNS] {
    let ratio = |value: Option<f64>| value.map_or(Cell::Null, Cell::Ratio);
    let count = |value: Option<u32>| value.map_or(Cell::Null, |n| Cell::Count(n.into()));
    let (counts, shared) = (evidence.counts(), evidence.shared());
    let (low, high) = estimates::interval(evidence).unzip();
    [
        ratio(evidence.resemblance()),
        ratio(counts.map(Overlap::containment_a_in_b)),
        ratio(counts.map(Overlap::containment_b_in_a)),
        ratio(counts.map(Overlap::cosine)),
        count(shared.map(|counts| counts.shared)),
        count(shared.map(|counts| counts.a)),
        count(shared.map(|counts| counts.b)),
        count(evidence.distance()),
        ratio(low),
        ratio(high),
        ratio(whole),
    ]
}
