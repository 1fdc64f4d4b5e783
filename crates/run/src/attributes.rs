//! Attribute files: what a run says of each record, in files that are co-partitioned with the inputs.

use crate::LookalikeError;
use crate::analysis::Analysis;
use crate::decisions::Clusters;
use lookalike_engine::collection::Rows;
use lookalike_engine::{DocumentId, DocumentRange, Problems};
use lookalike_io::input::name::readable;
use lookalike_io::sink::{AttributeFile, AttributeFiles, Staging};
use lookalike_report::Output;
use std::io::Write;

/// The lines of the documents of a chunk: file and record of each, and where its line ends.
#[derive(Default)]
struct Lines {
    bytes: Vec<u8>,
    ends: Vec<((u32, u32), usize)>,
}

/// Writes the attribute files of a run's own inputs. O(documents) time; memory for a few chunks.
///
/// # Errors
/// Files that cannot be written, rows on disk that cannot be read.
pub(crate) fn write_attributes(
    analysis: &Analysis,
    clusters: &Clusters,
    staging: &Staging,
) -> Result<Vec<Output>, LookalikeError> {
    let collection = &analysis.collection;
    let own = collection.first_protected_file as usize;
    let documents = collection.file_starts.windows(2).map(|of| u64::from(of[1] - of[0]));
    let records = records_of_files(documents, &collection.problems);
    let records = |file: u32| records[file as usize];
    let mut files = AttributeFiles::new(&analysis.inputs.files[..own], staging, analysis.threads);
    let mut failed = Ok(());
    collection.pass(
        |mut documents| documents.any(|document| !collection.is_protected(document)),
        |documents, rows| lines_of(analysis, clusters, documents, rows),
        |lines| {
            let mut start = 0;
            for (place, end) in lines.ends {
                if failed.is_ok() {
                    failed = files.append(place, &lines.bytes[start..end], records);
                }
                start = end;
            }
        },
    )?;
    failed?;
    Ok(written_attributes(files.finish(records)?))
}

/// Number of records of each file, of its documents and its problems.
pub(crate) fn records_of_files(
    documents: impl Iterator<Item = u64>,
    problems: &Problems,
) -> Vec<u64> {
    let mut records: Vec<u64> = documents.collect();
    for (file, problems) in problems.counts() {
        records[file as usize] += problems;
    }
    // The rest of an unreadable file is no record.
    for file in problems.unreadable() {
        records[file as usize] -= 1;
    }
    records
}

/// Attribute files, as summaries list them.
pub(crate) fn written_attributes(files: Vec<AttributeFile>) -> Vec<Output> {
    let output = |file: AttributeFile| Output {
        name: readable(&file.path),
        rows: Some(file.records),
        bytes: Some(file.bytes),
    };
    files.into_iter().map(output).collect()
}

fn lines_of(
    analysis: &Analysis,
    clusters: &Clusters,
    documents: DocumentRange,
    rows: &Rows,
) -> Lines {
    let (collection, verdicts) = (&analysis.collection, &analysis.verdicts);
    let first = documents.start;
    let mut lines = Lines::default();
    collection.names_in(documents, rows, &mut |document: DocumentId, name| {
        if collection.is_protected(document) {
            return;
        }
        let row = &rows.documents[document.offset_from(first)];
        let removal = analysis.removal(document);
        let leader = removal.map_or(document, |removal| removal.kept);
        let cluster = clusters.number(leader);
        // Writing to memory does not fail.
        let _ = write!(lines.bytes, "{{\"id\":{}", serde_json::Value::from(name));
        let _ = match cluster {
            Some(cluster) => write!(lines.bytes, ",\"attributes\":{{\"dup_cluster_id\":{cluster}"),
            None => write!(lines.bytes, ",\"attributes\":{{\"dup_cluster_id\":null"),
        };
        let (canonical, removed) = (removal.is_none(), verdicts.is_removed(document));
        let _ = writeln!(
            lines.bytes,
            ",\"is_cluster_canonical\":{canonical},\"is_duplicate\":{removed}}}}}"
        );
        lines.ends.push(((row.file, row.record), lines.bytes.len()));
    });
    lines
}
