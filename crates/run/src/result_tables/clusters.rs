//! The table `clusters`: every document that is in a cluster with another.

use super::Named;
use crate::LookalikeError;
use crate::analysis::Analysis;
use crate::decisions::Clusters;
use lookalike_decide::{Member, Table};
use lookalike_engine::try_sort::par_sort_cancellable;
use std::cmp::Ordering;

/// Adds the rows of the clusters, each with its leader first.
pub(crate) fn fill_clusters(
    analysis: &Analysis,
    clusters: &Clusters,
    table: &mut Table<'_, Member<'static>>,
) -> Result<(), LookalikeError> {
    let named = |document| Named::of(analysis, document);
    let mut rows: Vec<(u64, bool, Named, Option<f64>)> = clusters
        .in_order()
        .iter()
        .map(|&leader| {
            let number = clusters.number(leader).unwrap_or_default();
            (number, false, named(leader), Some(1.0))
        })
        .chain(analysis.removals().map(|(document, removal)| {
            let number = clusters.number(removal.kept).unwrap_or_default();
            (number, true, named(document), analysis.similarity(removal.evidence))
        }))
        .collect();
    let name = |document| analysis.collection.document_name(document);
    par_sort_cancellable(&mut rows, table.progress(), |a, b| match (a.0, a.1).cmp(&(b.0, b.1)) {
        Ordering::Equal => a.2.compare(b.2, &analysis.collection),
        order => Ok(order),
    })?;
    for cluster in rows.chunk_by(|a, b| a.0 == b.0) {
        let (number, _, leader, _) = cluster[0];
        let others = cluster[1..].iter();
        let files = others.map(|(_, _, one, _)| analysis.collection.file_name(one.a));
        let rows = cluster.iter().map(|&(_, _, one, value)| Ok((name(one.a)?, value)));
        table.add_cluster::<LookalikeError>(number, &name(leader.a)?, files, rows)?;
    }
    Ok(())
}
