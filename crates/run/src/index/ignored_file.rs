//! The shingles of ignored texts as a file of an index: `files/DIGEST.ignored`, written once when it is
//! created, so that later calls need no texts and use no other ones.

use super::settings::IndexSettings;
use crate::LookalikeError;
use crate::ignored_texts::IgnoredTexts;
use lookalike_index::{Disk, ElementsFile, IndexError};
use std::path::Path;
use std::sync::Arc;

/// How the name of the file ends.
const ENDING: &str = ".ignored";

/// The name and the bytes of the file. The name is that of the setting `ignore_text` in the settings of
/// an index, and has the digest of the bytes.
pub(super) fn encode(ignored: &IgnoredTexts) -> (String, Vec<u8>) {
    let bytes = ElementsFile::IGNORED.encode(&ignored.elements, &[ignored.texts]);
    (ElementsFile::digest(&bytes) + ENDING, bytes)
}

/// What an index in a directory ignores; `None` if it ignores nothing.
///
/// # Errors
/// A file that cannot be read, or is not the one that was written.
pub(super) fn read(
    disk: &dyn Disk,
    dir: &Path,
    settings: &IndexSettings,
) -> Result<Option<IgnoredTexts>, LookalikeError> {
    let Some(name) = settings.documents.ignore_text.first() else { return Ok(None) };
    let path = dir.join("files").join(name);
    let bytes = disk.read(&path).map_err(|reason| IndexError::Io { path: path.clone(), reason })?;
    let digest = name.strip_suffix(ENDING).unwrap_or(name);
    let (elements, more) = ElementsFile::IGNORED.decode(&path, &bytes, digest)?;
    let texts = more.first().copied().unwrap_or(0);
    Ok(Some(IgnoredTexts { elements: Arc::new(elements), texts }))
}
