//! Skipped files of directories and patterns: counted, named, and refused if the job is strict.

use crate::LookalikeError;
use lookalike_engine::Problems;
use lookalike_io::input::{ArgumentFiles, skipped_kind, why_skipped};
use lookalike_io::{Inputs, Problem};
use lookalike_report::MostlySkipped;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// # Errors
/// A skipped file, if the job is `strict`.
pub(crate) fn refuse(inputs: &Inputs, strict: bool) -> Result<(), LookalikeError> {
    match inputs.skipped.first().filter(|_| strict) {
        None => Ok(()),
        Some(first) => Err(LookalikeError::Skipped {
            files: inputs.skipped.len() as u64,
            first: first.display().to_string(),
            reason: why_skipped(first),
        }),
    }
}

/// Number of skipped files by kind.
pub(crate) fn kinds(skipped: &[PathBuf]) -> BTreeMap<String, u64> {
    let mut kinds = BTreeMap::new();
    for path in skipped {
        *kinds.entry(skipped_kind(path)).or_default() += 1;
    }
    kinds
}

/// The inputs as given, of which more files were skipped than read.
pub(crate) fn mostly_skipped(inputs: &Inputs) -> Vec<MostlySkipped> {
    let described = |one: &ArgumentFiles| MostlySkipped {
        input: one.argument.clone(),
        skipped: one.skipped,
        read: one.read,
    };
    inputs.mostly_skipped.iter().map(described).collect()
}

/// Rows for the table `problems`, the first of very many. They are no bad records and are not counted
/// as such.
pub(crate) fn rows(skipped: &[PathBuf]) -> Vec<Problem> {
    let row = |path: &PathBuf| Problem {
        file: 0,
        path: path.display().to_string(),
        record: 0,
        line: 0,
        offset: None,
        message: format!("skipped: {}", why_skipped(path)),
        unreadable: false,
    };
    skipped.iter().take(Problems::LISTED).map(row).collect()
}
