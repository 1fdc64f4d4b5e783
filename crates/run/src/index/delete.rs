//! Which documents are deleted.

use super::edit::IndexWriter;
use super::filter::{host_is_of, is_date};
use crate::LookalikeError;
use lookalike_engine::date_seconds;
use lookalike_index::DocAt;
use std::collections::BTreeSet;

/// Documents to delete: those of any of these.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DeleteWhat {
    /// Ids, in every sweep.
    pub ids: Vec<String>,
    /// Addresses, in every sweep.
    pub urls: Vec<String>,
    /// Documents with a date before this one.
    pub before: Option<String>,
    /// Documents of a host, or of hosts below a domain.
    pub site: Option<String>,
}

/// Documents that were found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FoundDocuments {
    /// Their places, in the snapshot of the writer.
    pub documents: Vec<DocAt>,
    /// Ids and addresses that are not in the index.
    pub unknown: Vec<String>,
}

impl DeleteWhat {
    /// Whether it names nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty() && self.urls.is_empty() && self.before.is_none() && self.site.is_none()
    }
}

impl IndexWriter {
    /// The documents of the last commit that are named.
    ///
    /// # Errors
    /// A date that is none.
    pub fn find(&self, what: &DeleteWhat) -> Result<FoundDocuments, LookalikeError> {
        let snapshot = self.snapshot();
        let mut found = FoundDocuments::default();
        let mut all: BTreeSet<DocAt> = BTreeSet::new();
        for id in &what.ids {
            let documents = snapshot.with_id(id);
            if documents.is_empty() {
                found.unknown.push(id.clone());
            }
            all.extend(documents);
        }
        for url in &what.urls {
            let documents = snapshot.with_url(url);
            if documents.is_empty() {
                found.unknown.push(url.clone());
            }
            all.extend(documents);
        }
        if let Some(before) = &what.before {
            let before = is_date(before)?;
            let earlier = |at: &DocAt| date_seconds(snapshot.document(*at).date()) < before;
            all.extend(snapshot.documents().filter(earlier));
        }
        if let Some(site) = &what.site {
            let site = site.to_ascii_lowercase();
            let of_site = |at: &DocAt| host_is_of(snapshot.document(*at).url(), &site);
            all.extend(snapshot.documents().filter(of_site));
        }
        found.documents = all.into_iter().collect();
        Ok(found)
    }
}
