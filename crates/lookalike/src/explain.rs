//! `explain`: two documents of a finished run in; what the run decided about them and why, out.
//!
//! The texts are read once more from the inputs that the run's summary names, and compared with the
//! settings that it names; the decision comes from the run's own tables.

use crate::evidence::Evidence;
use crate::lookup::{Name, find};
use crate::result_tables::{CLUSTERS, ledger_columns};
use crate::settings::thread_count;
use crate::{LookalikeError, Settings};
use lookalike_io::{Inputs, TableReader, Value};
use lookalike_report::{Action, Summary};
use serde::Deserialize;
use std::path::Path;

/// The part of a summary that says how to do the run again.
#[derive(Deserialize)]
pub(crate) struct RunJob {
    pub(crate) settings: Settings,
    pub(crate) inputs: Vec<String>,
    pub(crate) against: Vec<String>,
}

/// Explains why two documents of a run were joined, or were not.
///
/// # Errors
/// A directory that holds no finished run, inputs that are gone, names that no document has.
pub fn explain(a: &str, b: &str, run: &Path) -> Result<Evidence, LookalikeError> {
    let (summary, job) = read_summary(run)?;
    if a == b {
        return Err(LookalikeError::Settings(format!(
            "`{a}` and `{b}` are one document; name two of the run"
        )));
    }
    let options = job.settings.reading(vec![run.to_path_buf()], None);
    if job.inputs.iter().chain(&job.against).any(|input| input == "-") {
        return Err(LookalikeError::StandardInput);
    }
    let mut inputs = Inputs::discover(&job.inputs, options.clone())?;
    if !job.against.is_empty() {
        inputs.append(Inputs::discover(&job.against, options)?)?;
    }
    let changed = changed_inputs(&inputs, &summary);
    let found = find(&inputs, &[Name::Id(a), Name::Id(b)], thread_count(0));
    let mut documents = found.documents.into_iter();
    let (a, b) = match (documents.next().flatten(), documents.next().flatten()) {
        (Some(a), Some(b)) => (a, b),
        (known, _) => {
            return Err(LookalikeError::NoSuchDocument {
                name: if known.is_none() { a.to_owned() } else { b.to_owned() },
                place: "the inputs of the run".to_owned(),
                advice: "ids are in the tables `clusters` and `ledger`, and documents without an id \
                         are named FILE:RECORD",
                unread: found.unread,
            });
        }
    };
    let decision = match summary.action {
        Action::List => in_clusters(run, &a.id, &b.id)?,
        action => in_ledger(run, action, &a.id, &b.id)?,
    };
    let decision = match crate::estimates::sentence(run, &a.id, &b.id)? {
        Some(estimate) => format!("{decision} {estimate}"),
        None => decision,
    };
    let decision = match changed {
        Some(change) => format!("{decision} {change}"),
        None => decision,
    };
    Evidence::new(a, b, &job.settings, Some(decision))
}

/// A sentence about inputs that are not as the run found them.
fn changed_inputs(inputs: &Inputs, summary: &Summary) -> Option<String> {
    let sizes = |name: &str| summary.inputs.iter().find(|input| input.name == name);
    let change = inputs.files.iter().find_map(|file| match sizes(&file.name) {
        None => Some(format!("{} was not there", file.name)),
        Some(known) if known.bytes != file.size => {
            Some(format!("{} had {} bytes and now has {}", file.name, known.bytes, file.size))
        }
        Some(_) => None,
    })?;
    Some(format!("The inputs have changed since the run: {change}; it may have seen other texts."))
}

pub(crate) fn read_summary(run: &Path) -> Result<(Summary, RunJob), LookalikeError> {
    let path = run.join("summary.json");
    let wrong = |reason: String| LookalikeError::Run { path: path.display().to_string(), reason };
    let text = std::fs::read_to_string(&path).map_err(|e| wrong(e.to_string()))?;
    let foreign = |e: serde_json::Error| {
        wrong(format!("not written by this version of lookalike, or changed since ({e})"))
    };
    let summary: Summary = serde_json::from_str(&text).map_err(foreign)?;
    if summary.settings.analysis != lookalike_text::ANALYSIS_NAME
        || summary.settings.hash != lookalike_core::HASH_NAME
    {
        return Err(wrong(format!(
            "made with analysis {} and hash {}, this program has {} and {}",
            summary.settings.analysis,
            summary.settings.hash,
            lookalike_text::ANALYSIS_NAME,
            lookalike_core::HASH_NAME
        )));
    }
    let job = summary.settings.other.get("job").cloned().unwrap_or_default();
    let job = serde_json::from_value(job).map_err(foreign)?;
    Ok((summary, job))
}

/// What the ledger says about the two.
fn in_ledger(run: &Path, action: Action, a: &str, b: &str) -> Result<String, LookalikeError> {
    let mut table = TableReader::open(run, "ledger", &ledger_columns())?;
    let removals = rows(&mut table, a, b, ["kept", "rule"])?;
    let participle = action.participle();
    let [of_a, of_b] =
        removals.map(|row| row.map(|[kept, rule]| (text(&kept), text(&rule).replace('_', " "))));
    Ok(match (of_a, of_b) {
        (Some((kept, rule)), _) if kept == b => {
            format!("The run {participle} {a} because {b} stands for it (rule: {rule}).")
        }
        (_, Some((kept, rule))) if kept == a => {
            format!("The run {participle} {b} because {a} stands for it (rule: {rule}).")
        }
        (Some((first, rule_a)), Some((second, rule_b))) if first == second => format!(
            "The run {participle} both: {first} stands for {a} (rule: {rule_a}) and for {b} (rule: {rule_b})."
        ),
        (Some((first, rule_a)), Some((second, rule_b))) => format!(
            "The run {participle} both: {first} stands for {a} (rule: {rule_a}), and {second} for {b} \
             (rule: {rule_b}), because each goes with the kept document that it is most similar to."
        ),
        (Some((kept, rule)), None) => format!(
            "The run {participle} {a}, because {kept} stands for it (rule: {rule}), and kept {b}."
        ),
        (None, Some((kept, rule))) => format!(
            "The run kept {a} and {participle} {b}, because {kept} stands for it (rule: {rule})."
        ),
        (None, None) => format!("The run kept both {a} and {b}."),
    })
}

/// What the table of clusters says about the two.
fn in_clusters(run: &Path, a: &str, b: &str) -> Result<String, LookalikeError> {
    let mut table = TableReader::open(run, "clusters", &CLUSTERS)?;
    let members = rows(&mut table, a, b, ["cluster", "leader"])?;
    let [of_a, of_b] = members.map(|row| {
        row.map(|[number, leader]| (number.as_count().unwrap_or_default(), text(&leader)))
    });
    Ok(match (of_a, of_b) {
        (Some((one, leader)), Some((other, _))) if one == other => {
            format!("The run put both into cluster {one}, which {leader} leads.")
        }
        (Some((one, first)), Some((other, second))) => format!(
            "The run put {a} into cluster {one}, which {first} leads, and {b} into cluster {other}, which \
             {second} leads."
        ),
        (Some((number, leader)), None) => {
            format!(
                "The run put {a} into cluster {number}, which {leader} leads, and {b} into none."
            )
        }
        (None, Some((number, leader))) => {
            format!(
                "The run put {b} into cluster {number}, which {leader} leads, and {a} into none."
            )
        }
        (None, None) => format!("The run put neither {a} nor {b} into a cluster."),
    })
}

fn text(value: &Value) -> String {
    value.as_text().unwrap_or_default().to_owned()
}

/// Two cells of the rows whose `id` is a, and b.
fn rows(
    table: &mut TableReader,
    a: &str,
    b: &str,
    wanted: [&str; 2],
) -> Result<[Option<[Value; 2]>; 2], LookalikeError> {
    let place = |name: &str| {
        TableReader::position(table, name).ok_or_else(|| LookalikeError::Run {
            path: table.path().display().to_string(),
            reason: format!("it has no column `{name}`"),
        })
    };
    let (id, wanted) = (place("id")?, [place(wanted[0])?, place(wanted[1])?]);
    let mut found = [None, None];
    for row in &mut *table {
        let row = row?;
        for (slot, name) in found.iter_mut().zip([a, b]) {
            if slot.is_none() && row[id].as_text() == Some(name) {
                *slot = Some(wanted.map(|at| row[at].clone()));
            }
        }
        if found.iter().all(Option::is_some) {
            break;
        }
    }
    Ok(found)
}
