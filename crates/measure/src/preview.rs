//! What a job would read, write and find, without doing it.

use crate::plan::{self, plan_inputs};
use crate::{PlanJob, Planned};
use lookalike_engine::Progress;
use lookalike_io::input::LeftOut;
use lookalike_io::sink::Staging;
use lookalike_io::{InputFile, is_url};
use lookalike_report::SettingsSummary;
use lookalike_run::analysis::discover;
use lookalike_run::panics::caught;
use lookalike_run::summarise::settings_summary;
use lookalike_run::{Job, LookalikeError, tokens};
use serde_json::json;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Files of one format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormatFiles {
    /// Name of the format: `jsonl`.
    pub format: String,
    /// Number of files.
    pub files: u64,
    /// Their bytes, compressed where they are.
    pub bytes: u64,
}

/// What a job would do.
#[derive(Debug)]
pub struct Preview {
    /// The input files, by format.
    pub inputs: Vec<FormatFiles>,
    /// Files of the collection that is compared with, by format.
    pub against: Vec<FormatFiles>,
    /// Files of input directories that would be skipped.
    pub skipped: Vec<PathBuf>,
    /// Files and directories in the inputs that are no data.
    pub left_out: Vec<LeftOut>,
    /// Settings, as a summary states them.
    pub settings: SettingsSummary,
    /// Why the output cannot be written, if it is known already: results of an earlier run.
    pub output_problem: Option<String>,
    /// The prediction from a sample; `None` where plans do not know a setting, which
    /// [`Preview::not_planned`] names.
    pub planned: Option<Planned>,
    /// Why there is no prediction.
    pub not_planned: Option<String>,
}

/// Lists what a run of the job would read and where it would write, and predicts its result from a
/// sample. `cluster` for a run of [`run_cluster`](lookalike_run::run_cluster). Writes temporary files only.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let folder = tempfile::tempdir()?;
/// let docs = folder.path().join("docs.jsonl");
/// std::fs::write(&docs, "{\"id\":\"a\",\"text\":\"one fish two fish red fish blue fish\"}\n")?;
/// let job = lookalike::Job::new(vec![docs.display().to_string()], folder.path().join("clean"));
/// let preview = lookalike::planning::preview(&job, false, &lookalike::Silent)?;
/// assert_eq!((preview.inputs[0].format.as_str(), preview.inputs[0].files), ("jsonl", 1));
/// assert_eq!(preview.planned.map(|planned| planned.plan.documents), Some(1));
/// assert!(!job.output.exists());
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// As [`plan`](crate::plan()).
pub fn preview(
    job: &Job,
    cluster: bool,
    progress: &dyn Progress,
) -> Result<Preview, LookalikeError> {
    caught(|| carry_out(job, cluster, progress))
}

fn carry_out(job: &Job, cluster: bool, progress: &dyn Progress) -> Result<Preview, LookalikeError> {
    job.settings.check()?;
    // Without a directory of its own, temporary files are where the system has them.
    let settings = job.settings.resolved(cluster);
    let job = Job { scratch: None, settings, ..job.clone() };
    let (inputs, first_protected) = discover(&job, &job.settings.keep_rules()?)?;
    let job = tokens::decide(&job, &inputs)?;
    let (own, others) = inputs.files.split_at(first_protected as usize);
    let (own, others, skipped) = (by_format(own), by_format(others), inputs.skipped.clone());
    let left_out = inputs.left_out.clone();
    let local = !job.output.to_str().is_some_and(|output| output == "-" || is_url(output));
    let output_problem = match local {
        true => Staging::check(&job.output, job.force).err().map(|error| error.to_string()),
        false => None,
    };
    let settings = settings_summary(&job.settings);
    let not_planned = match job.against.is_empty() {
        false => Some("a plan does not know the setting against".to_owned()),
        true => plan::check(&job.settings, cluster).err().map(|error| error.to_string()),
    };
    let planned = match &not_planned {
        Some(_) => None,
        None => {
            Some(plan_inputs(&PlanJob { cluster, ..PlanJob::new(job) }, Some(inputs), progress)?)
        }
    };
    Ok(Preview {
        inputs: own,
        against: others,
        skipped,
        left_out,
        settings,
        output_problem,
        planned,
        not_planned,
    })
}

fn by_format(files: &[InputFile]) -> Vec<FormatFiles> {
    let mut formats: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    for file in files {
        let name = json!(file.format).as_str().unwrap_or_default().to_owned();
        let (count, bytes) = formats.entry(name).or_default();
        *count += 1;
        *bytes += file.size;
    }
    let row = |(format, (files, bytes))| FormatFiles { format, files, bytes };
    formats.into_iter().map(row).collect()
}
