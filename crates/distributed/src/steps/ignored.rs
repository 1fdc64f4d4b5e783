//! Texts whose shingles are ignored: they are read once, where a run is started, and given to the
//! tasks that sign documents.

use super::damaged;
use super::sent_set::numbers_of;
use lookalike_core::CommonElements;
use lookalike_run::ignored_texts::IgnoredTexts;
use lookalike_run::{LookalikeError, Settings};
use std::sync::Arc;

/// The shingles of the texts of [`Settings::ignore_text`], for the step `sign`; empty without such
/// texts. Their files are read here.
///
/// # Errors
/// A file that cannot be read as a whole, texts without a shingle.
pub fn ignored_shingles(settings: &Settings) -> Result<Vec<u8>, LookalikeError> {
    let analysis = settings.analysis.decided();
    let found = IgnoredTexts::of(&Settings { analysis, ..settings.clone() })?;
    let elements = found.iter().flat_map(|found| found.elements.elements());
    Ok(elements.flat_map(|element| element.to_le_bytes()).collect())
}

/// The shingles that [`ignored_shingles`] found for a run of these settings.
///
/// # Errors
/// There are none, and the settings ignore texts; damaged bytes.
pub(super) fn ignored_elements(
    settings: &Settings,
    found: &[u8],
) -> Result<Option<Arc<CommonElements>>, LookalikeError> {
    if settings.ignore_text.is_empty() {
        return Ok(None);
    }
    let mut elements = Vec::new();
    numbers_of(found, &mut elements)?;
    match elements.is_empty() {
        false => Ok(Some(Arc::new(CommonElements::new(elements)))),
        true => Err(damaged("the shingles of the setting ignore_text did not come to the task")),
    }
}
