//! The outcome of a run as a file of test cases: one for the guards, one for each document that is
//! removed, or would be.

use crate::analysis::{Analysis, other_inputs};
use crate::result_tables::removals_by_name;
use crate::whole_file::{folder_of, replace_file};
use crate::{Job, LookalikeError};
use lookalike_engine::Progress;
use lookalike_io::Inputs;
use lookalike_io::sink::check_file;
use lookalike_methods::Evidence;
use lookalike_report::{JunitCase, JunitOutcome, JunitWriter};
use std::io;
use std::path::Path;

/// Refuses a file that cannot be written, before anything is read.
pub(crate) fn check(job: &Job, inputs: &Inputs) -> Result<(), LookalikeError> {
    let Some(path) = &job.junit else { return Ok(()) };
    check_file(path, "junit", inputs.paths().chain(other_inputs(job)))?;
    let wrong = match () {
        () if check_file(path, "junit", [&*job.output]).is_err() => {
            "lies in the directory of the results, which appears as a whole"
        }
        () if !folder_of(path).is_dir() => "its directory does not exist",
        () => return Ok(()),
    };
    Err(LookalikeError::Settings(format!(
        "{}: {wrong}; name another file with the setting junit",
        path.display()
    )))
}

/// Writes the file. `stopped`: why the guards stop the run; then the removals are failures, otherwise
/// they are allowed.
pub(crate) fn write(
    path: &Path,
    analysis: &Analysis,
    stopped: Option<&str>,
    progress: &dyn Progress,
) -> Result<(), LookalikeError> {
    let removals = removals_by_name(analysis, progress)?;
    let removed = removals.len() as u64;
    let (failures, skipped) = if stopped.is_some() { (removed + 1, 0) } else { (0, removed) };
    let mut failed = None;
    let written = replace_file(path, |out| {
        let mut suite = JunitWriter::new(out, "lookalike", [removed + 1, failures, skipped])?;
        let outcome = stopped.map_or(JunitOutcome::Passed, |message| JunitOutcome::Failed {
            kind: "guard",
            message,
        });
        suite.case(&JunitCase { class: "lookalike", name: "guards", file: None, outcome })?;
        for (document, removal) in removals {
            let name = |document| analysis.collection.document_name(document);
            let names = name(document).and_then(|removed| Ok((removed, name(removal.kept)?)));
            let (removed, kept) = names.map_err(|error| {
                failed = Some(error);
                io::Error::other("a name cannot be read")
            })?;
            let message =
                format!("duplicate of {}{}", kept.shown(true), measured(removal.evidence));
            let kind = removal.rule.name();
            let allowed = format!("{kind}: {message}");
            suite.case(&JunitCase {
                class: &removed.file,
                name: &removed.shown(true).to_string(),
                file: Some(&removed.file),
                outcome: match stopped {
                    Some(_) => JunitOutcome::Failed { kind, message: &message },
                    None => JunitOutcome::Skipped(&allowed),
                },
            })?;
        }
        suite.finish()
    });
    match failed {
        Some(error) => Err(error.into()),
        None => Ok(written?),
    }
}

/// How two documents compare, behind a comma.
fn measured(evidence: Evidence) -> String {
    let mut said = String::new();
    if let Some(resemblance) = evidence.resemblance() {
        said += &format!(", resemblance {resemblance:.4}");
    }
    if let Some(counts) = evidence.shared() {
        said += &format!(", {} of {} and {} features in common", counts.shared, counts.a, counts.b);
    }
    if let Some(bits) = evidence.distance() {
        said += &format!(", {bits} differing bits");
    }
    said
}
