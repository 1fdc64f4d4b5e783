//! Description of a lexicon: the settings that define its terms. Only lexicons with equal
//! descriptions can be merged or compared.

use crate::LexiconError;
use std::path::Path;

/// How the terms were made from the documents.
///
/// The names of the hashes ([`lookalike_core::HASH_NAME`]) and the version of the file are part of
/// it as well, and are checked when the file is opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Description {
    /// The analysis, with all settings that change a token. At most 65535 bytes.
    pub analysis: String,
    /// The term filter, in its text form. At most 65535 bytes.
    pub term_filter: String,
}

/// Fails if two descriptions differ.
pub(crate) fn differs(
    path: &Path,
    found: &Description,
    wanted: &Description,
) -> Result<(), LexiconError> {
    let pairs = [
        ("the analysis", &found.analysis, &wanted.analysis),
        ("the term filter", &found.term_filter, &wanted.term_filter),
    ];
    match pairs.into_iter().find(|(_, found, wanted)| found != wanted) {
        None => Ok(()),
        Some((what, found, wanted)) => Err(LexiconError::Differs {
            path: path.to_owned(),
            what,
            found: found.clone(),
            wanted: wanted.clone(),
        }),
    }
}
