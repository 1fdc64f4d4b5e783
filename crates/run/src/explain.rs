//! `explain`: why two documents of a finished run were matched, or were not.
//!
//! The texts are read again from the inputs in the run's summary, and compared with its settings;
//! the decision comes from the run's tables.

mod estimate;

use crate::analysis::pool;
use crate::boilerplate::Boilerplate;
use crate::common::CommonCounts;
use crate::document_comparison::{DocumentComparison, RemovedElements};
use crate::ignored_texts::IgnoredTexts;
use crate::lookup::{Ids, Name, find};
use crate::panics::caught;
use crate::reading::Documents;
use crate::run_inputs::{RunInputs, RunJob};
use crate::settings::thread_count;
use crate::{Job, LookalikeError, Settings};
use lookalike_decide::{DocumentName, ReadMember, ReadRemoval};
use lookalike_engine::Silent;
use lookalike_io::table::TableError;
use lookalike_io::{Extractor, Inputs};
use lookalike_report::Action;
use std::path::Path;

/// Explains why two documents of a run were matched, or were not. Each is named by its id or as
/// `FILE:RECORD`. If the run extracted texts with commands, they are started again only if they are
/// given: a result directory does not start programs by itself.
///
/// # Errors
/// A directory without a finished run, missing inputs, names of no document, ids of several
/// documents, commands of the run that are not given.
pub fn explain(
    a: &str,
    b: &str,
    run: &Path,
    commands: &[Extractor],
) -> Result<DocumentComparison, LookalikeError> {
    caught(|| explained(a, b, run, commands))
}

fn explained(
    a: &str,
    b: &str,
    run: &Path,
    commands: &[Extractor],
) -> Result<DocumentComparison, LookalikeError> {
    let mut found = RunInputs::find(run)?;
    found.take_commands(commands)?;
    let unreadable = found.unreadable();
    let RunInputs { summary, job, inputs, changed, .. } = found;
    let ids = match summary.duplicate_ids == 0 && changed.is_none() && job.against.is_empty() {
        true => Ids::AreUnique,
        false => Ids::MayRepeat,
    };
    let named = [Name::Id(a), Name::Id(b)];
    let documents = Documents::of_files(&inputs);
    let found = find(documents, &named, ids, &unreadable, thread_count(0))?;
    let mut documents = Vec::new();
    for (name, candidates) in [a, b].into_iter().zip(found.candidates) {
        if candidates.count > 1 {
            return Err(candidates.repeated(name, "name one of them as FILE:RECORD"));
        }
        match candidates.first {
            Some(document) => documents.push(document),
            None => {
                return Err(LookalikeError::NoSuchDocument {
                    name: name.to_owned(),
                    place: "the inputs of the run".to_owned(),
                    advice: "ids are in the tables `clusters` and `ledger`, and any document can be \
                             named FILE:RECORD",
                    unread: found.unread,
                });
            }
        }
    }
    let names = match documents.as_slice() {
        [a, b] if !a.name.is(&b.name) => [&a.name, &b.name],
        _ => {
            return Err(LookalikeError::Settings(format!(
                "`{a}` and `{b}` are one document; name two of the run"
            )));
        }
    };
    let ids_repeat = summary.duplicate_ids > 0;
    let decision = match summary.action {
        Action::List => in_clusters(run, names, ids_repeat)?,
        action => in_ledger(run, action, names, ids_repeat)?,
    };
    let estimate = estimate::sentence(run, names)?;
    let survivors = about_survivors(&job.settings);
    let separated = job.settings.separate_by.as_ref().map(|field| {
        format!("Only documents with the same value of `{field}` were compared (separate_by).")
    });
    let distinct = (!job.settings.distinct_by.is_empty()).then(|| {
        let named = job.settings.distinct_by.join(", ");
        format!("Only documents of the same {named} were compared (distinct_by).")
    });
    let across = job.settings.across.as_ref().map(|value| match value.as_str() {
        "inputs" => "Only documents of different inputs were compared (across).".to_owned(),
        field => {
            format!("Only documents with different values of `{field}` were compared (across).")
        }
    });
    let changed = changed.map(|changed| changed.to_string());
    let decision = [Some(decision), separated, distinct, across, survivors, estimate, changed]
        .into_iter()
        .flatten();
    let decision = decision.collect::<Vec<_>>().join(" ");
    let mut read = documents.into_iter().map(|mut document| {
        document.read.exhibit.id = document.name.shown(ids_repeat).to_string();
        document.read
    });
    let (a, b) = (read.next().unwrap_or_default(), read.next().unwrap_or_default());
    let removed = removed_elements(&job, &inputs)?;
    DocumentComparison::new([a, b], &job.settings, removed, Some(decision))
}

/// A sentence about settings with which not every match removes a document.
fn about_survivors(settings: &Settings) -> Option<String> {
    match settings {
        Settings { contained_only: Some(least), .. } => Some(format!(
            "A match removed a document only if the kept one contains it (contained_only={least})."
        )),
        Settings { max_lost: Some(most), .. } => Some(format!(
            "A match removed a document only if the kept one lacks few of its words (max_lost={most})."
        )),
        Settings { keep_n: 0, .. } => {
            Some("No document of a cluster was kept (keep_n=0).".to_owned())
        }
        Settings { keep_n: 1, .. } => None,
        Settings { keep_n, .. } => {
            Some(format!("{keep_n} documents of each cluster were kept (keep_n)."))
        }
    }
}

/// The common elements and the boilerplate that the run removed from feature sets, counted again.
fn removed_elements(
    RunJob { settings, ignored_texts, .. }: &RunJob,
    inputs: &Inputs,
) -> Result<(RemovedElements, RemovedElements), LookalikeError> {
    let job = Job { settings: settings.clone(), ..Job::new(Vec::new(), "") };
    let (matching, documents) = (settings.matching()?, Documents::of_files(inputs));
    let mut counts = CommonCounts::new(&job, documents, &matching, None, &Silent);
    pool(job.thread_count())?.install(|| {
        let common = counts.of(matching.features)?;
        let boilerplate = Boilerplate::of(&job, documents, &matching, None, &Silent)?;
        let ignored =
            IgnoredTexts::of_run(settings, ignored_texts.as_deref())?.map(|found| found.elements);
        Ok((common, boilerplate.map(|found| found.elements).or(ignored)))
    })
}

/// The decision in the ledger about the two.
fn in_ledger(
    run: &Path,
    action: Action,
    [a, b]: [&DocumentName<'_>; 2],
    ids_repeat: bool,
) -> Result<String, LookalikeError> {
    let rows = ReadRemoval::of(run)?
        .map(|row| row.map(|row| (row.removed, (row.kept, row.rule.replace('_', " ")))));
    let [of_a, of_b] = about(rows, [a, b])?;
    let participle = action.participle();
    let shown = |name: &DocumentName<'_>| name.shown(ids_repeat).to_string();
    let (name_a, name_b) = (shown(a), shown(b));
    Ok(match (of_a, of_b) {
        (Some((kept, rule)), _) if kept.is(b) => {
            format!("The run {participle} {name_a} as a duplicate of {name_b} (rule: {rule}).")
        }
        (_, Some((kept, rule))) if kept.is(a) => {
            format!("The run {participle} {name_b} as a duplicate of {name_a} (rule: {rule}).")
        }
        (Some((first, rule_a)), Some((second, rule_b))) if first.is(&second) => format!(
            "The run {participle} both as duplicates of {}: {name_a} (rule: {rule_a}) and {name_b} \
             (rule: {rule_b}).",
            shown(&first)
        ),
        (Some((first, rule_a)), Some((second, rule_b))) => format!(
            "The run {participle} both: {name_a} as a duplicate of {} (rule: {rule_a}), and {name_b} as a \
             duplicate of {} (rule: {rule_b}).",
            shown(&first),
            shown(&second)
        ),
        (Some((kept, rule)), None) => format!(
            "The run {participle} {name_a} as a duplicate of {} (rule: {rule}), and kept {name_b}.",
            shown(&kept)
        ),
        (None, Some((kept, rule))) => format!(
            "The run kept {name_a}, and {participle} {name_b} as a duplicate of {} (rule: {rule}).",
            shown(&kept)
        ),
        (None, None) => format!("The run kept both {name_a} and {name_b}."),
    })
}

/// The decision in the table of clusters about the two.
fn in_clusters(
    run: &Path,
    [a, b]: [&DocumentName<'_>; 2],
    ids_repeat: bool,
) -> Result<String, LookalikeError> {
    let shown = |name: &DocumentName<'_>| name.shown(ids_repeat).to_string();
    let rows = ReadMember::of(run)?
        .map(|row| row.map(|row| (row.name, (row.cluster, shown(&row.leader)))));
    let [of_a, of_b] = about(rows, [a, b])?;
    let (a, b) = (shown(a), shown(b));
    Ok(match (of_a, of_b) {
        (Some((one, leader)), Some((other, _))) if one == other => {
            format!("The run put both into cluster {one} (leader: {leader}).")
        }
        (Some((one, first)), Some((other, second))) => format!(
            "The run put {a} into cluster {one} (leader: {first}), and {b} into cluster {other} (leader: \
             {second})."
        ),
        (Some((number, leader)), None) => {
            format!("The run put {a} into cluster {number} (leader: {leader}), and {b} into none.")
        }
        (None, Some((number, leader))) => {
            format!("The run put {b} into cluster {number} (leader: {leader}), and {a} into none.")
        }
        (None, None) => format!("The run put neither {a} nor {b} into a cluster."),
    })
}

/// What rows say about two documents: the first row of each.
fn about<T>(
    rows: impl Iterator<Item = Result<(DocumentName<'static>, T), TableError>>,
    documents: [&DocumentName<'_>; 2],
) -> Result<[Option<T>; 2], TableError> {
    let mut found = [None, None];
    for row in rows {
        let (name, said) = row?;
        if let Some(at) = documents.iter().position(|document| name.is(document)) {
            found[at].get_or_insert(said);
        }
        if found.iter().all(Option::is_some) {
            break;
        }
    }
    Ok(found)
}
