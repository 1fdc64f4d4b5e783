//! `compare-runs`: what another threshold, version or rule changes, from the tables of two finished runs.
//!
//! The tables are streamed twice: for documents by file and record number, then for the ids of what is
//! listed. Memory is 32 bytes for each removed document of each run and 40 for each document of a
//! cluster, besides what is listed. Documents of the setting against are witnesses only: no run removes
//! them, and they do not count as members of clusters.

mod comparison;
mod groups;
mod places;
mod removals;

use crate::LookalikeError;
use crate::panics::caught;
use crate::run_inputs::read_any_summary;
use crate::run_tables::filled;
use crate::table_store::TableFiles;
pub use comparison::{
    ClusterChanges, InputChanges, RemovalChanges, RunChange, RunComparison, SettingChange,
};
use groups::Groups;
use lookalike_decide::{CHANGED, Measures, REGROUPED, Regrouped, Table, TableDigest};
use lookalike_engine::Progress;
use lookalike_io::sink::Staging;
use lookalike_io::table::TableFormat;
use lookalike_report::Summary;
use places::{Ids, Places};
use removals::{Change, Removals};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// Which runs are compared, and what is listed of it.
#[derive(Debug, Clone)]
pub struct CompareRunsJob {
    /// The directory of the first run.
    pub a: PathBuf,
    /// The directory of the second run.
    pub b: PathBuf,
    /// What is listed in [`RunComparison::listed`].
    pub list: Option<RunChange>,
    /// Rows listed at most.
    pub limit: usize,
    /// The directory that the tables `changed` and `regrouped` are written to.
    pub output: Option<PathBuf>,
    /// Replace an earlier result.
    pub force: bool,
    /// Format of the tables.
    pub tables: TableFormat,
}

impl CompareRunsJob {
    /// A comparison that lists nothing.
    pub fn new(a: impl Into<PathBuf>, b: impl Into<PathBuf>) -> Self {
        Self {
            a: a.into(),
            b: b.into(),
            list: None,
            limit: 20,
            output: None,
            force: false,
            tables: TableFormat::default(),
        }
    }
}

/// Compares two finished runs by their tables.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use lookalike::results::{CompareRunsJob, RunChange, compare_runs};
/// use lookalike::{Job, Silent, run_dedup};
///
/// # let folder = tempfile::tempdir()?;
/// # let docs = folder.path().join("docs.jsonl");
/// # let words = |last: &str| format!("one fish two fish red fish blue fish black fish old fish {last}");
/// # let lines = [("a", "new fish"), ("b", "wet shoe"), ("c", "new fish")]
/// #     .map(|(id, last)| format!("{{\"id\":\"{id}\",\"text\":\"{}\"}}\n", words(last)));
/// # std::fs::write(&docs, lines.concat())?;
/// let mut job = Job::new(vec![docs.display().to_string()], folder.path().join("strict"));
/// run_dedup(&job, &Silent)?;
/// (job.settings.threshold, job.output) = ("0.5".into(), folder.path().join("loose"));
/// run_dedup(&job, &Silent)?;
///
/// let question = CompareRunsJob::new(folder.path().join("strict"), folder.path().join("loose"));
/// let found = compare_runs(&CompareRunsJob { list: Some(RunChange::OnlyB), ..question }, &Silent)?;
/// let removed = found.removed.expect("both runs remove");
/// assert_eq!((removed.both, removed.only_a, removed.only_b), (1, 0, 1));
/// assert_eq!(found.listed.expect("it is asked for").rows[0][0], "b");
/// assert_eq!(found.settings[0].name, "threshold");
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// Directories without a finished run of `dedup` or `cluster`, runs without an input in common, tables
/// that cannot be read, results that cannot be written, a cancellation.
pub fn compare_runs(
    job: &CompareRunsJob,
    progress: &dyn Progress,
) -> Result<RunComparison, LookalikeError> {
    caught(|| compare(job, progress))
}

fn compare(job: &CompareRunsJob, progress: &dyn Progress) -> Result<RunComparison, LookalikeError> {
    let summaries = [read_any_summary(&job.a)?, read_any_summary(&job.b)?];
    let inputs = InputChanges::of(&summaries);
    let runs = [job.a.as_path(), job.b.as_path()];
    if inputs.both == 0 {
        return Err(LookalikeError::Settings(format!(
            "{} and {} have no input in common: the first has {}, the second {}; compare runs over the same files, \
             named in the same way",
            job.a.display(),
            job.b.display(),
            first_of(&inputs.only_a),
            first_of(&inputs.only_b)
        )));
    }
    let staging =
        job.output.as_ref().map(|output| Staging::create(output, job.force)).transpose()?;
    if let Some(staging) = &staging {
        let files = runs.map(|run| run.join("summary.json"));
        staging.conflicts_with(files.iter().map(PathBuf::as_path))?;
    }
    let mut places = Places::of(&summaries);
    progress.phase("reading tables", None);
    let removals = Removals::read(runs, &summaries, &mut places, progress)?;
    let groups = Groups::read(runs, &mut places, progress)?;
    let changes = removals.as_ref().map(Removals::changes).unwrap_or_default();
    let regrouped = if staging.is_some() { groups.regrouped() } else { Vec::new() };

    let (mut listed, mut clusters): (Vec<&Change>, _) = (Vec::new(), Vec::new());
    match job.list {
        None => {}
        Some(RunChange::Split) => clusters = groups.changes(0),
        Some(RunChange::Merged) => clusters = groups.changes(1),
        Some(_) if removals.is_none() => {
            return Err(LookalikeError::Settings(
                "one of the runs lists clusters and removes nothing; the setting list can be split or merged"
                    .into(),
            ));
        }
        Some(list) => listed.extend(changes.iter().filter(|change| change.is(list))),
    }
    let mut wanted = BTreeSet::new();
    wanted.extend(listed.iter().take(job.limit).flat_map(|change| change.documents()));
    wanted.extend(clusters.iter().take(job.limit).map(|cluster| cluster.leader));
    if staging.is_some() {
        wanted.extend(changes.iter().flat_map(Change::documents));
        wanted.extend(regrouped.iter().map(|row| row.document));
    }
    let ids = Ids::read(runs, &summaries, &wanted, &places, progress)?;

    let found = RunComparison {
        command: "compare-runs",
        a: job.a.display().to_string(),
        b: job.b.display().to_string(),
        settings: settings(&summaries)?,
        inputs,
        documents: summaries.each_ref().map(|summary| {
            let counted = summary.inputs.iter().filter(|input| places.is_input(&input.name));
            counted.map(|input| input.documents).sum()
        }),
        removed: removals.as_ref().map(Removals::counts),
        clusters: groups.counts(),
        listed: job.list.map(|list| match (&removals, list) {
            (_, RunChange::Split | RunChange::Merged) | (None, _) => {
                groups::show(&clusters, job.limit, &ids)
            }
            (Some(removals), _) => removals.show(list, &listed, job.limit, &ids),
        }),
    };
    let Some(staging) = staging else { return Ok(found) };
    progress.phase("tables", None);
    let store = TableFiles { staging: &staging, folder: "", format: job.tables };
    let (columns, mut digest) = (CHANGED.of(Measures::ALL), TableDigest::new(CHANGED.name));
    filled(&store, columns, &mut digest, progress, |table: &mut Table<'_, _>| match &removals {
        None => Ok(()),
        Some(removals) => changes.iter().try_for_each(|change| removals.add(change, &ids, table)),
    })?;
    let (columns, mut digest) = (REGROUPED.of(Measures::ALL), TableDigest::new(REGROUPED.name));
    filled(&store, columns, &mut digest, progress, |table: &mut Table<'_, _>| {
        regrouped.iter().try_for_each(|&groups::Row { document, clusters: [a, b] }| {
            Ok(table.add(&Regrouped { document: &ids.name(document), a, b })?)
        })
    })?;
    let mut json = serde_json::to_string_pretty(&found)?;
    json.push('\n');
    staging.write("summary.json", json.as_bytes())?;
    staging.commit_unless(&|| progress.cancelled())?;
    Ok(found)
}

impl InputChanges {
    fn of([a, b]: &[Summary; 2]) -> Self {
        let by_name = |summary: &Summary| -> BTreeMap<String, (u64, u64)> {
            let inputs = summary.inputs.iter();
            inputs.map(|input| (input.name.clone(), (input.bytes, input.documents))).collect()
        };
        let (a, b) = (by_name(a), by_name(b));
        let mut changes = Self::default();
        for (name, own) in &a {
            match b.get(name) {
                None => changes.only_a.push(name.clone()),
                Some(other) => {
                    changes.both += 1;
                    if own != other {
                        changes.changed.push(name.clone());
                    }
                }
            }
        }
        changes.only_b.extend(b.into_keys().filter(|name| !a.contains_key(name)));
        changes
    }
}

/// The first of some names.
fn first_of(names: &[String]) -> String {
    match names {
        [] => "none".into(),
        [only] => format!("`{only}`"),
        [first, ..] => format!("`{first}` and {} more", names.len() - 1),
    }
}

/// The settings that differ, by name.
fn settings(summaries: &[Summary; 2]) -> Result<Vec<SettingChange>, LookalikeError> {
    let [a, b] = summaries.each_ref().map(|summary| -> Result<_, serde_json::Error> {
        let Value::Object(mut named) = serde_json::to_value(&summary.settings)? else {
            return Ok(Map::new());
        };
        let job = named.remove("job").unwrap_or_default();
        let mut found = Map::new();
        add_leaves("", &job["settings"], &mut found);
        for name in ["against", "against_only"] {
            add_leaves(name, &job[name], &mut found);
        }
        // The others are as they were in effect, under names without a path.
        found.retain(|path, _| !named.contains_key(path.rsplit('.').next().unwrap_or(path)));
        found.extend(named);
        found.insert("command".into(), summary.command.clone().into());
        found.insert("version".into(), summary.tool.version.clone().into());
        Ok(found)
    });
    let (a, b) = (a?, b?);
    let names: BTreeSet<&String> = a.keys().chain(b.keys()).collect();
    let value = |of: &Map<String, Value>, name: &String| of.get(name).cloned().unwrap_or_default();
    let pairs = names.into_iter().map(|name| (name, value(&a, name), value(&b, name)));
    let differ = pairs.filter(|(_, a, b)| a != b);
    Ok(differ.map(|(name, a, b)| SettingChange { name: name.clone(), a, b }).collect())
}

/// Adds the values in an object by their paths, `fields.text`.
fn add_leaves(path: &str, value: &Value, to: &mut Map<String, Value>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                add_leaves(&path, value, to);
            }
        }
        value => _ = to.insert(path.to_owned(), value.clone()),
    }
}
