//! `show --passages`: the passages of a finished search, from its table alone.

use crate::LookalikeError;
use crate::run_inputs::read_passage_summary;
use crate::shown::Shown;
use lookalike_decide::{DocumentName, ReadPassage};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::Path;

/// A passage by its first place: file, record, first unit, and units.
type FirstPlace = (String, u32, u64, u64);

/// What all later copies of a passage have in common.
struct Listed {
    copies: u64,
    documents: u64,
    first: ReadPassage,
}

/// The passages with the most copies; of equal ones the longest. A row for each passage, with the number of
/// documents that have it later on and its first place.
///
/// # Errors
/// A directory without a finished search; a table that cannot be read.
pub(crate) fn most_copied(run: &Path, limit: usize) -> Result<Shown, LookalikeError> {
    read_passage_summary(run)?;
    let mut found: BTreeMap<FirstPlace, (Listed, (String, u32))> = BTreeMap::new();
    for row in ReadPassage::passages(run)? {
        let row = row?;
        let DocumentName { file, record, .. } = &row.other;
        let first = (file.to_string(), *record, row.other_at.unit, row.units);
        let document = (row.document.file.to_string(), row.document.record);
        let copies = row.copies.unwrap_or_default();
        match found.get_mut(&first) {
            // Rows of a document follow each other.
            Some((listed, last)) => {
                listed.copies = listed.copies.max(copies);
                listed.documents += u64::from(*last != document);
                *last = document;
            }
            None => {
                let listed = Listed { copies, documents: 1, first: row };
                found.insert(first, (listed, document));
            }
        }
    }
    let mut listed: Vec<Listed> = found.into_values().map(|(listed, _)| listed).collect();
    listed.sort_by_key(|listed| (Reverse(listed.copies), Reverse(listed.first.units)));
    let columns = ["copies", "units", "documents", "first", "file", "record", "byte", "end_byte"];
    let mut shown = Shown::of(&columns);
    for Listed { copies, documents, first: ReadPassage { units, other, other_at, .. } } in listed {
        let DocumentName { id, file, record, .. } = other;
        let [byte, end] = other_at.bytes;
        shown.push(limit, (copies, units, documents, id, file, record, byte, end));
    }
    Ok(shown)
}

/// The passages of a document, which is named by its id or as `FILE:RECORD`, with the places where they
/// stand first.
///
/// # Errors
/// As of [`most_copied`]; a name of no document with later copies, or of several.
pub(crate) fn of_document(run: &Path, name: &str, limit: usize) -> Result<Shown, LookalikeError> {
    read_passage_summary(run)?;
    let rows = super::explain::named(name, ReadPassage::passages(run)?, "passages")?;
    let columns = ["byte", "end_byte", "units", "copies", "first", "file", "record", "first_byte"];
    let mut shown = Shown::of(&columns);
    for ReadPassage { at, other, other_at, units, copies, .. } in rows {
        let DocumentName { id, file, record, .. } = other;
        let ([byte, end], [first, _]) = (at.bytes, other_at.bytes);
        shown.push(limit, (byte, end, units, copies, id, file, record, first));
    }
    Ok(shown)
}
