//! Skipped files of directories and patterns: counted, named, and refused if the job is strict.

use crate::LookalikeError;
use lookalike_engine::Problems;
use lookalike_io::input::{ArgumentFiles, LeftOut, LeftOutReason, name, skipped_kind, why_skipped};
use lookalike_io::{Inputs, Problem, is_url};
use lookalike_report::{LeftOutNames, MostlySkipped};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

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

/// Most names of a summary that are no data, for each reason.
const NAMED: usize = 20;

/// What is no data in the inputs, by reason: results of runs first.
pub(crate) fn left_out(left_out: &[LeftOut]) -> Vec<LeftOutNames> {
    let of = |reason: LeftOutReason| {
        let names = || left_out.iter().filter(|out| out.reason == reason);
        LeftOutNames {
            reason: reason.words().to_owned(),
            count: names().count() as u64,
            names: names().take(NAMED).map(|out| readable(&out.path)).collect(),
            warn: matches!(reason, LeftOutReason::Result | LeftOutReason::Unfinished),
        }
    };
    LeftOutReason::ALL.map(of).into_iter().filter(|names| names.count > 0).collect()
}

/// The path on one line; a URL as it is.
fn readable(path: &Path) -> String {
    match path.to_str().filter(|text| is_url(text)) {
        Some(url) => url.to_owned(),
        None => name::readable(path),
    }
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
