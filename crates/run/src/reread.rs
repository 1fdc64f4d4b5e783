//! Reads some documents of an analysis again, after it.

use crate::LookalikeError;
use crate::reading::{Documents, Reading};
use lookalike_engine::{Collection, DocumentId, EngineError, original};
use lookalike_io::source::{Chunk, Piece, VisitScratch};
use lookalike_io::{Inputs, Item, Problem, RecordView};
use std::collections::BTreeMap;

fn fail(problem: Problem) -> Result<(), EngineError> {
    Err(EngineError::Unreadable(problem))
}

/// The documents of some pairs, ascending and distinct.
pub(crate) fn members(pairs: impl Iterator<Item = [DocumentId; 2]>) -> Vec<DocumentId> {
    let mut members: Vec<DocumentId> = pairs.flatten().collect();
    members.sort_unstable();
    members.dedup();
    members
}

/// Reads some documents, ascending and distinct, again: of files only their chunks. Documents that have
/// changed, or are not found, are left out.
pub(crate) fn read_some(
    collection: &Collection,
    documents: Documents<'_>,
    wanted: &[DocumentId],
    visit: &mut dyn FnMut(DocumentId, &RecordView<'_>),
) -> Result<(), LookalikeError> {
    let inputs = documents.inputs;
    match documents.reading {
        Reading::Files => {
            let chunks = wanted.chunk_by(|a, b| collection.chunk_of(*a) == collection.chunk_of(*b));
            let places =
                chunks.map(|of_chunk| collection.chunk_place(collection.chunk_of(of_chunk[0])));
            read_in(collection, inputs, inputs.chunks_at(places), wanted, visit)
        }
        Reading::Caller(caller) => read_in(collection, inputs, caller.chunks()?, wanted, visit),
    }
}

/// As [`read_some`], of these pieces of the inputs, which have the documents in their order: only as far
/// as needed.
pub(crate) fn read_in(
    collection: &Collection,
    inputs: &Inputs,
    pieces: impl Iterator<Item = Piece>,
    wanted: &[DocumentId],
    visit: &mut dyn FnMut(DocumentId, &RecordView<'_>),
) -> Result<(), LookalikeError> {
    // By file and record: the document, and the digest of its content.
    let mut places = BTreeMap::new();
    for of_chunk in wanted.chunk_by(|a, b| collection.chunk_of(*a) == collection.chunk_of(*b)) {
        let chunk = collection.chunk_of(of_chunk[0]);
        let first = collection.chunk_documents(chunk).start;
        let rows = collection.rows(chunk)?;
        for &document in of_chunk {
            let row = &rows.documents[document.offset_from(first)];
            places.insert((row.file, row.record), (document, row.text));
        }
    }
    let mut scratch = VisitScratch::default();
    let is_wanted = |file, record| places.contains_key(&(file, record));
    let read = |piece: Piece| -> Result<(), EngineError> {
        let (chunk, problem) = piece.into_parts();
        let mut failed = problem.filter(|problem| problem.unreadable);
        let Some(chunk) = chunk else { return failed.map_or(Ok(()), fail) };
        chunk.visit_some(inputs, &mut scratch, &is_wanted, &mut |item| {
            let record = match item {
                Item::Record(record) => record,
                // These are no documents.
                Item::Bad(_) => return,
                Item::Failed(failure) => {
                    failed.get_or_insert_with(|| failure.problem().clone());
                    return;
                }
            };
            let known = places.get(&(record.file, record.record));
            if let Some((document, digest)) = known
                && original::digest(&record.content, record.beside) == *digest
            {
                visit(*document, &record);
            }
        });
        failed.map_or(Ok(()), fail)
    };
    let last = places.keys().next_back().copied().unwrap_or_default();
    let place = |chunk: &Chunk| (chunk.file, chunk.first_record);
    let is_needed = |piece: &Piece| piece.records().is_none_or(|chunk| place(chunk) <= last);
    Ok(pieces.take_while(is_needed).try_for_each(read)?)
}
