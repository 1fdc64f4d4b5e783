//! Settings of an index.

use crate::{LookalikeError, MethodSettings, Settings};
use serde::{Deserialize, Serialize};

/// Settings of an index, fixed when it is created.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IndexSettings {
    /// From text to features, and by what documents are kept: as in a run over the live documents.
    pub documents: Settings,
    /// Methods whose keys and sketches are stored beside the exact postings.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub methods: Vec<MethodSettings>,
    /// Whether texts are stored. Without them, their feature sets are stored.
    pub texts: bool,
    /// Seconds after which a document is deleted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ttl: Option<u64>,
}

impl Default for IndexSettings {
    fn default() -> Self {
        let documents = Settings::default();
        Self { documents, methods: Vec::new(), texts: true, ttl: None }
    }
}

impl IndexSettings {
    /// Refuses settings that an index cannot have.
    ///
    /// # Errors
    /// What the result of a document would depend on all others for, invalid values.
    pub(crate) fn check(&self) -> Result<(), LookalikeError> {
        self.documents.matching()?;
        self.documents.keep_rules()?;
        if self.documents.ignore_common.is_some() {
            return Err(LookalikeError::Settings(
                "the setting ignore_common depends on all documents of a collection; an index, \
                 whose documents come and go, cannot have it"
                    .into(),
            ));
        }
        if self.documents.method.is_some() {
            return Err(LookalikeError::Settings(
                "an index keeps documents by the exact measure; give the setting method to store \
                 the keys of a method beside it"
                    .into(),
            ));
        }
        Ok(())
    }
}
