//! Writes the tables of a run, as `result_tables`, with documents numbered as in the table
//! `documents`.

use super::answer::Answer;
use super::criterion::Criterion;
use super::pairs::{Pairs, edge};
use crate::LookalikeError;
use lookalike_decide::{
    CLUSTERS, Compared, DOCUMENTS, DocumentRow, Listed, Measures, PAIRS, Table, TableDigest,
    run_digest,
};
use lookalike_engine::Progress;
use lookalike_io::sink::Staging;
use lookalike_io::table::WrittenTable;
use lookalike_methods::Evidence;

/// The written tables.
pub(super) struct Written {
    pub(super) tables: Vec<WrittenTable>,
    pub(super) digest: String,
    pub(super) documents_digest: String,
    /// Rows in the table of pairs.
    pub(super) pairs: u64,
}

pub(super) fn write(
    answer: &Answer<'_>,
    staging: &Staging,
    progress: &dyn Progress,
) -> Result<Written, LookalikeError> {
    let mut of_documents = TableDigest::new(DOCUMENTS.name);
    let (mut of_clusters, mut of_pairs) =
        (TableDigest::new(CLUSTERS.name), TableDigest::new(PAIRS.name));
    let documents = write_documents(answer, staging, &mut of_documents, progress)?;
    let clusters = write_clusters(answer, staging, &mut of_clusters, progress)?;
    let pairs = write_pairs(answer, staging, &mut of_pairs, progress)?;
    Ok(Written {
        digest: run_digest(&[&of_clusters, &of_pairs]),
        documents_digest: run_digest(&[&of_documents]),
        pairs: pairs.rows,
        tables: vec![documents, clusters, pairs],
    })
}

/// Writes the documents that are still in a pair.
fn write_documents(
    answer: &Answer<'_>,
    staging: &Staging,
    digest: &mut TableDigest,
    progress: &dyn Progress,
) -> Result<WrittenTable, LookalikeError> {
    let Answer { documents, units, edges, criterion, .. } = answer;
    let within = |unit| !units.across && units.members(unit).len() > 1;
    let mut listed: Vec<bool> = units.ids().map(within).collect();
    for edge in edges.all.iter().filter(|edge| criterion.reaches(edge.counts)) {
        listed[edge.unit.index()] = true;
        listed[edge.with.index()] = true;
    }
    let listed = |document: &u32| listed[units.of_document(*document).index()];
    let mut order: Vec<u32> = (0..documents.len()).filter(listed).collect();
    order.sort_unstable_by_key(|&document| units.order[document as usize]);
    let mut precedence = vec![0; documents.rows.len()];
    (1u32..).zip(order).for_each(|(place, document)| precedence[document as usize] = place);

    let (columns, format) = (DOCUMENTS.of(Measures::ALL), answer.job.tables);
    let mut table = Table::create(staging, format, columns, digest, progress)?;
    for document in (0..documents.len()).filter(listed) {
        let at = document as usize;
        let row = DocumentRow { precedence: precedence[at], ..documents.rows[at] };
        table.add(&Listed { name: &documents.name(document), row })?;
    }
    Ok(table.finish()?)
}

fn write_clusters(
    answer: &Answer<'_>,
    staging: &Staging,
    digest: &mut TableDigest,
    progress: &dyn Progress,
) -> Result<WrittenTable, LookalikeError> {
    let Answer { documents, standing, .. } = answer;
    let mut rows: Vec<(u64, bool, u32, Option<f64>)> = (0u64..)
        .zip(&standing.leading)
        .map(|(number, &leader)| (number, false, leader, Some(1.0)))
        .chain(standing.removals().map(|(document, removal)| {
            (standing.number(removal.kept), true, document, removal.value)
        }))
        .collect();
    rows.sort_unstable_by_key(|&(number, removed, document, _)| (number, removed, document));
    let (columns, format) = (CLUSTERS.of(Measures::ALL), answer.job.tables);
    let mut table = Table::create(staging, format, columns, digest, progress)?;
    for cluster in rows.chunk_by(|a, b| a.0 == b.0) {
        let (number, _, leader, _) = cluster[0];
        let names = cluster[1..].iter().map(|row| documents.file(row.2));
        let rows = cluster.iter().map(|row| Ok((documents.name(row.2), row.3)));
        table.add_cluster::<LookalikeError>(number, &documents.name(leader), names, rows)?;
    }
    Ok(table.finish()?)
}

/// Writes the rows that reach the threshold, in the same order.
fn write_pairs(
    answer: &Answer<'_>,
    staging: &Staging,
    digest: &mut TableDigest,
    progress: &dyn Progress,
) -> Result<WrittenTable, LookalikeError> {
    let Answer { documents, units, criterion, settings, .. } = *answer;
    let whole = matches!(criterion, Criterion::Exact(..));
    let measures = if whole { Measures::of_sets(settings.measure) } else { Measures::OF_SAMPLES };
    let (columns, format) = (PAIRS.of(measures), answer.job.tables);
    let mut table = Table::create(staging, format, columns, digest, progress)?;
    let pairs = Pairs::open(&answer.job.run, documents, None, whole)?;
    pairs.for_each(progress, |pair| {
        if edge(units, pair).is_none_or(|edge| criterion.reaches(edge.counts)) {
            let (a, b) = (&documents.name(pair.a), &documents.name(pair.b));
            let evidence =
                pair.counts.map_or(Evidence::SameKey, |counts| criterion.evidence(counts));
            let (rule, whole, difference) = (None, None, None);
            table.add(&Compared { a, b, rule, evidence, whole, difference })?;
        }
        Ok(())
    })?;
    Ok(table.finish()?)
}
