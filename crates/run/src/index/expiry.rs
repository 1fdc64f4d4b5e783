//! Prototypes whose time has come.

use super::reports::{self, PROTOTYPES, REPORTS, prototype_key, report_key};
use crate::LookalikeError;
use lookalike_index::{DocAt, DocNumber, IndexWriter as Writer};
use std::collections::BTreeMap;

/// The documents whose time has come, of an index whose documents are deleted `ttl` seconds after
/// they were added. One that was reported stays until as long after its last report. Reports about
/// documents that are gone are removed with the next commit; returns whether there are any.
///
/// # Errors
/// Those of the disk and of redb.
pub(crate) fn expired(
    writer: &mut Writer,
    ttl: Option<u64>,
    now: u64,
) -> Result<(Vec<DocAt>, bool), LookalikeError> {
    let records = writer.records()?;
    let snapshot = std::sync::Arc::clone(writer.snapshot());
    let reported: BTreeMap<DocNumber, _> = reports::all_counts(&records)?.into_iter().collect();
    let mut documents = snapshot.expired(now);
    if ttl.is_some() {
        documents.retain(|&at| !reported.contains_key(&snapshot.document(at).number()));
    }
    let mut orphaned = false;
    for (&number, counts) in &reported {
        match (snapshot.numbered(number), ttl) {
            (None, _) => {
                forget(writer, number)?;
                orphaned = true;
            }
            (Some(at), Some(ttl)) if counts.last.saturating_add(ttl) <= now => documents.push(at),
            (Some(_), _) => {}
        }
    }
    // The reports about those that are deleted now go in the same commit.
    for &at in &documents {
        let number = snapshot.document(at).number();
        if reported.contains_key(&number) {
            forget(writer, number)?;
        }
    }
    Ok((documents, orphaned))
}

/// Removes all reports about a document with the next commit.
///
/// # Errors
/// Those of the disk and of redb.
pub(crate) fn forget(writer: &mut Writer, number: DocNumber) -> Result<(), LookalikeError> {
    for (reporter, _) in reports::rows(&writer.records()?, number)? {
        writer.put(REPORTS, &report_key(number, reporter), None);
    }
    writer.put(PROTOTYPES, &prototype_key(number), None);
    Ok(())
}
