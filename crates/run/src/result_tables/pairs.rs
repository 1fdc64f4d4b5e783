//! The table `pairs`: pairs of documents that match.

use super::{Named, add_compared};
use crate::LookalikeError;
use crate::analysis::Analysis;
use lookalike_decide::{Compared, Table};
use lookalike_engine::poll::Poll;
use lookalike_engine::try_sort::par_sort_cancellable;
use lookalike_engine::{DocumentId, Edge, EngineError, Progress};
use lookalike_methods::Evidence;
use std::cmp::Ordering;

/// A pair of documents as a row.
#[derive(Clone, Copy)]
struct PairRow {
    documents: Named,
    evidence: Evidence,
}

/// Adds the rows of the pairs, a before b by name.
pub(crate) fn fill_pairs(
    analysis: &Analysis,
    table: &mut Table<'_, Compared<'static>>,
) -> Result<(), LookalikeError> {
    let progress = table.progress();
    let mut rows = pair_rows(analysis, progress)?;
    let compare = |x: &PairRow, y: &PairRow| x.documents.compare(y.documents, &analysis.collection);
    par_sort_cancellable(&mut rows, progress, compare)?;
    for PairRow { documents: Named { a, b, .. }, evidence } in rows {
        add_compared(analysis, table, [a, b], None, evidence, None)?;
    }
    Ok(())
}

/// Matches between units as pairs of documents: all pairs if the list is complete, else each
/// document with the first of its own or of the other unit.
fn pair_rows(analysis: &Analysis, progress: &dyn Progress) -> Result<Vec<PairRow>, EngineError> {
    let poll = Poll::new(progress);
    let Analysis { collection, units, matches, approach, .. } = analysis;
    let complete = matches.pairs.complete;
    let mut rows = Vec::new();
    let mut add = |x: DocumentId, y: DocumentId, evidence: Evidence| {
        poll.step()?;
        if analysis.is_of_others(x, y) {
            return Ok(());
        }
        let (a, b, evidence) = match collection.compare_names(x, y)? {
            Ordering::Greater => (y, x, evidence.swapped()),
            _ => (x, y, evidence),
        };
        rows.push(PairRow { documents: Named::pair(analysis, a, b), evidence });
        Ok::<(), EngineError>(())
    };
    for unit in units.ids() {
        let members = units.members(unit);
        if members.len() == 1 || collection.matches_across() {
            continue;
        }
        let itself = Edge { later: unit, earlier: unit, shared: units.size(unit) };
        let same = approach.evidence(collection, units, itself);
        for (at, &member) in members.iter().enumerate().skip(1) {
            let partners = if complete { &members[..at] } else { &members[..1] };
            partners.iter().try_for_each(|&partner| add(member, partner, same))?;
        }
    }
    for &edge in &matches.pairs.edges {
        let evidence = approach.evidence(collection, units, edge);
        let partners = units.members(edge.earlier);
        let partners = if complete { partners } else { &partners[..1] };
        for &member in units.members(edge.later) {
            partners.iter().try_for_each(|&partner| add(member, partner, evidence))?;
        }
    }
    Ok(rows)
}
