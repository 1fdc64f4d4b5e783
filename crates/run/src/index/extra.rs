//! What is stored with a document of an index besides its columns.

use lookalike_io::Beside;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// What is stored with a document besides its columns.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Extra<'a> {
    /// The title.
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    pub title: Option<Cow<'a, str>>,
    /// What is compared beside the text ([`Beside::written`]).
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    pub(crate) message: Option<Cow<'a, str>>,
}

/// The title of a stored document.
pub(crate) fn title(extra: &[u8]) -> Option<String> {
    let extra: Extra<'_> = serde_json::from_slice(extra).ok()?;
    extra.title.map(Cow::into_owned)
}

/// What is compared beside the text of a stored document.
pub(crate) fn beside(extra: &[u8]) -> Beside {
    if extra.is_empty() {
        return Beside::default();
    }
    let extra: Extra<'_> = serde_json::from_slice(extra).unwrap_or_default();
    extra.message.and_then(|written| Beside::read(&written)).unwrap_or_default()
}
