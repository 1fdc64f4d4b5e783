//! The prototypes of an index, with what was reported about them.

use super::verdict::ReportCounts;
use lookalike_index::DocNumber;
use lookalike_run::LookalikeError;
use lookalike_run::index::open::Index;
use lookalike_run::index::reports;
use serde::Serialize;
use std::collections::BTreeMap;

/// A prototype.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Prototype {
    /// Its id.
    pub id: String,
    /// What was reported about it.
    pub reports: ReportCounts,
    /// When it is deleted, unless it is reported again, in seconds since 1970; `None` for never.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires: Option<u64>,
}

/// All documents as prototypes, in the order in which they were added. O(n log n).
///
/// # Errors
/// Files that cannot be read.
pub fn prototypes(index: &Index) -> Result<Vec<Prototype>, LookalikeError> {
    let snapshot = index.snapshot()?;
    let counts: BTreeMap<DocNumber, _> =
        reports::all_counts(&index.reader.records()?)?.into_iter().collect();
    let prototype = |at| {
        let document = snapshot.document(at);
        let counts = counts.get(&document.number()).copied().unwrap_or_default();
        let own = Some(document.expires()).filter(|&time| time != 0);
        let reported = index.settings().ttl.filter(|_| !counts.is_empty());
        Prototype {
            id: document.id().to_owned(),
            reports: ReportCounts::of(counts),
            expires: reported.map(|ttl| counts.last.saturating_add(ttl)).or(own),
        }
    };
    Ok(snapshot.in_order().into_iter().map(prototype).collect())
}
