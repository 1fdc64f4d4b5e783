//! The tables of `dedup` and `cluster` over the documents of an index, from what the index knows.
//!
//! The index says which documents are kept, and finds all matches; the tables are written by the
//! code that writes those of a run. So they have the bytes of a run over the documents.

mod counts;
mod documents;
mod matches;
mod options;
mod stored;

pub(crate) use documents::record;
pub use documents::{export_documents, write_documents};
pub use options::ExportOptions;

use super::open::Index;
use super::values;
use crate::across;
use crate::analysis::{Request, analyse_inputs, pool};
use crate::decisions::Clusters;
use crate::differences::Differences;
use crate::embed::Found;
use crate::panics::caught;
use crate::reading::{self, Reading};
use crate::recorded_run::output;
use crate::run_tables::RunTables;
use crate::summarise::summarise;
use crate::table_store::TableFiles;
use crate::{Answer, Job, LookalikeError, Source};
use documents::{DOCUMENTS, Documents};
use lookalike_engine::{DocumentId, Progress};
use lookalike_io::Beside;
use lookalike_io::sink::Staging;
use lookalike_report::{Action, Summary};
use matches::IndexMatches;
use std::sync::Arc;
use stored::StoredSets;

/// Writes the tables of a run over the documents of an index, in the order in which their ids were
/// first added, to [`ExportOptions::output`], whole or not at all: the bytes that
/// [`run_dedup`](crate::run_dedup) or [`run_cluster`](crate::run_cluster) over
/// [`export_documents`] writes. Returns the summary.
///
/// # Errors
/// A damaged index, an output that exists, more pairs than are to be listed.
pub fn export_tables(
    index: &Index,
    options: &ExportOptions,
    progress: &dyn Progress,
) -> Result<Summary, LookalikeError> {
    let job = job(index, options);
    Staging::check(&job.output, job.force)?;
    let pool = pool(job.thread_count())?;
    caught(|| pool.install(|| write(index, &job, options.list, progress)))
}

/// The same tables in memory: what [`dedup`](crate::dedup) or [`cluster`](crate::cluster) over
/// [`export_documents`] returns. The output, and what says how it is written, does not count.
///
/// # Errors
/// A damaged index.
pub fn export_answer(
    index: &Index,
    options: &ExportOptions,
    progress: &dyn Progress,
) -> Result<Answer, LookalikeError> {
    let job = job(index, options);
    let pool = pool(job.thread_count())?;
    caught(|| {
        pool.install(|| {
            let (action, mut found, summary) = find(index, &job, options.list, progress)?;
            let records = Some(found.analysis.collection.len() as u64);
            found.answer(&job, action, summary, records, progress)
        })
    })
}

/// The run whose tables are exported.
fn job(index: &Index, options: &ExportOptions) -> Job {
    let mut settings = index.settings().documents.clone();
    settings.linkage = options.linkage;
    let mut settings = settings.resolved(options.list);
    settings.witness = options.witness;
    Job {
        settings,
        force: options.force,
        tables: options.tables,
        max_pairs: options.max_pairs,
        threads: options.threads,
        report: false,
        scratch: Some(std::env::temp_dir()),
        ..Job::new(Vec::new(), options.output.clone())
    }
}

/// What a run over the documents would find, from what the index knows.
fn find(
    index: &Index,
    job: &Job,
    list: bool,
    progress: &dyn Progress,
) -> Result<(Action, Found, Summary), LookalikeError> {
    let action = if list { Action::List } else { Action::Remove };
    let list_pairs = job.settings.lists_pairs(action);
    let snapshot = index.snapshot()?;
    let documents = Documents::of_any(index, &snapshot);
    let stored = (!index.settings().texts).then(|| {
        let (snapshot, order) = (Arc::clone(&snapshot), documents.order().to_vec());
        Arc::new(StoredSets { snapshot, order })
    });
    let source = Source::try_repeatable_records(|| documents.records()).named(DOCUMENTS);
    let mut reading = job.settings.reading(Vec::new(), None);
    reading.fields.extra =
        index.analysis.keep.iter().filter_map(|rule| rule.field()).map(str::to_owned).collect();
    reading.fields.given.push(Beside::FIELD.to_owned());
    let (inputs, caller) = source.caller_inputs(reading)?;
    let first_protected_file = inputs.files.len() as u32;
    let matches = IndexMatches {
        index,
        snapshot: &snapshot,
        order: documents.order(),
        stored,
        linkage: job.settings.linkage(),
        witness: job.settings.witness,
        list_pairs: list_pairs.then_some(job.max_pairs),
        progress,
    };
    let request = Request {
        job,
        inputs,
        first_protected_file,
        ignored: index.analysis.ignored.clone(),
        scratch_dir: None,
        list_pairs,
        matches: Some(&matches),
    };
    let analysis = analyse_inputs(request, Reading::Caller(&caller), progress)?;
    let clusters = Clusters::new(&analysis, progress)?;
    let mut summary = summarise(job, action, &analysis, &clusters)?;
    summary.across = across::summary_of(&analysis, |_, documents| {
        let names = values::all(&index.reader.records()?)?;
        let key = |&document: &DocumentId| analysis.collection.value_key(document);
        Ok(documents.iter().map(|document| values::name(&names, key(document))).collect())
    })?;
    for input in &mut summary.inputs {
        (input.format, input.bytes) = ("index".into(), summary.text_bytes);
    }
    let mut differences = None;
    if action == Action::Remove && index.settings().texts {
        let documents =
            reading::Documents { inputs: &analysis.inputs, reading: Reading::Caller(&caller) };
        let found = Differences::of(&analysis, None, documents)?;
        let ids_repeat = summary.duplicate_ids > 0;
        summary.differences = found.summary(&analysis, ids_repeat)?;
        differences = Some(found);
    }
    Ok((action, Found { analysis, clusters, first_protected_file, differences }, summary))
}

fn write(
    index: &Index,
    job: &Job,
    list: bool,
    progress: &dyn Progress,
) -> Result<Summary, LookalikeError> {
    let (action, found, mut summary) = find(index, job, list, progress)?;
    let Found { analysis, clusters, differences, .. } = found;
    let staging = Staging::create(&job.output, job.force)?;
    let store = TableFiles { staging: &staging, folder: "", format: job.tables };
    let known = || Ok(((), differences));
    let (tables, (), _) =
        RunTables::write(&store, job, action, &analysis, &clusters, known, progress)?;
    summary.outputs = tables.into_list(&mut summary).iter().map(output).collect();
    summary.warnings = summary.find_warnings();
    staging.write("summary.json", summary.to_json()?.as_bytes())?;
    staging.commit()?;
    Ok(summary)
}
