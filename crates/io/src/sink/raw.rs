//! The records of a chunk as they stand in their file.

use crate::source::{Body, Chunk};

/// Record numbers and raw bytes, line ends included. Blank lines belong to no record. Batches and
/// one-document files have no raw records and give none.
pub(super) fn raw_records(chunk: &Chunk) -> impl Iterator<Item = (u32, &[u8])> {
    let (lines, rows) = match &chunk.body {
        Body::Lines(data) => (Some(data.split_inclusive(|byte| *byte == b'\n')), None),
        Body::Rows { data, starts, .. } => {
            let ends = starts.iter().copied().skip(1).chain([data.len()]);
            (None, Some(starts.iter().zip(ends).map(|(start, end)| &data[*start..end])))
        }
        Body::Batch(_) | Body::Files(_) => (None, None),
    };
    let lines = lines.into_iter().flatten().filter(|line| !line.trim_ascii().is_empty());
    (chunk.first_record..).zip(lines.chain(rows.into_iter().flatten()))
}
