//! Decides what tokens are, where the settings leave it open.
//!
//! A run has one kind of tokens for all its documents, so that any two of them can be compared. In
//! this order: the setting `tokens` (also of a preset); that of the index that documents are compared
//! with; symbols if *all* inputs are source code ([`Inputs::are_source_code`]); else words. No file
//! decides more than another, so the order of files does not matter.

use crate::index::indexes;
use crate::readings::first::Admitted;
use crate::{Index, Job, LookalikeError, Settings};
use lookalike_io::Inputs;
use lookalike_text::AnalysisSettings;

/// The job with its tokens decided.
///
/// # Errors
/// An index to compare with that cannot be opened; an input that cannot be read.
pub fn decide(job: &Job, inputs: &Inputs) -> Result<Job, LookalikeError> {
    let mut settings = job.settings.clone();
    settings.analysis = match of_index(&settings, &job.against)? {
        Some(analysis) => analysis,
        None => {
            let Job { strict, skip_unreadable, .. } = *job;
            Admitted { strict, skip_unreadable }.analysis(&settings, inputs)?
        }
    };
    Ok(Job { settings, ..job.clone() })
}

/// The analysis of a comparison with the first index among these names, if the settings leave it open.
///
/// # Errors
/// An index that cannot be opened.
pub(crate) fn of_index(
    settings: &Settings,
    against: &[String],
) -> Result<Option<AnalysisSettings>, LookalikeError> {
    let is_open = settings.analysis.tokens.is_none();
    let index = indexes(against).next().filter(|_| is_open).map(Index::open).transpose()?;
    Ok(index.map(|index| decide_by_index(settings, &index)))
}

/// The analysis of a comparison with an index.
pub(crate) fn decide_by_index(settings: &Settings, index: &Index) -> AnalysisSettings {
    let tokens = settings.analysis.tokens.or(index.settings().documents.analysis.tokens);
    AnalysisSettings { tokens, ..settings.analysis.clone() }.decided()
}
