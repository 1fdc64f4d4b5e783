//! `dedup` and `cluster` in memory: a source to an [`Answer`], without a result directory.

use crate::analysis::{Analysis, Request, analyse_inputs, discover, pool};
use crate::answer::{Answer, Place};
use crate::approach::needs_statistics;
use crate::decisions::Clusters;
use crate::panics::caught;
use crate::reading::Reading;
use crate::run_tables::RunTables;
use crate::source::{CallerKind, CallerSource, Source, SourceKind, inputs_of, reads_twice};
use crate::summarise::summarise;
use crate::table_store::TablesInMemory;
use crate::{Job, LookalikeError, Settings};
use lookalike_engine::{Linkage, Progress};
use lookalike_methods::MethodSpec;
use lookalike_report::Action;
use std::path::PathBuf;

/// What a call may take of the machine. It changes no answer.
#[derive(Debug, Clone, Default)]
pub struct Resources {
    /// Number of threads; 0 for as many as there are cores.
    pub threads: usize,
    /// Memory budget in bytes (approximate). `None` for three quarters of the machine's.
    pub memory: Option<u64>,
    /// Directory for temporary files, which are made only where the memory budget is too small.
    /// `None` for the system's.
    pub scratch: Option<PathBuf>,
}

/// Removes near-duplicates from a source, in memory: nothing is written.
///
/// ```
/// use lookalike::{Resources, Settings, Silent, Source, dedup};
///
/// # fn main() -> Result<(), lookalike::LookalikeError> {
/// let texts = ["one fish two fish red fish blue fish", "a rose is a rose is a rose", "One fish, two fish, red fish, blue fish!"];
/// let answer = dedup(Source::records(texts), &Settings::default(), &Resources::default(), &Silent)?;
/// let kept: Vec<&str> = answer.kept().iter().map(|place| texts[place.index()]).collect();
/// assert_eq!(kept, texts[..2]);
/// let removed = answer.removals().next().expect("one was removed");
/// assert_eq!((removed.removed.record, removed.kept.record), (3, 1));
/// assert_eq!(removed.rule, "lexically_equivalent");
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// Settings that exclude each other, a source that ends with an error, records that cannot be read,
/// an interruption. There is never an answer about a part of a source.
pub fn dedup(
    source: Source<'_>,
    settings: &Settings,
    resources: &Resources,
    progress: &dyn Progress,
) -> Result<Answer, LookalikeError> {
    run(source, settings, resources, Action::Remove, progress)
}

/// Finds the same clusters in a source, in memory, and lists all pairs that reach the threshold.
///
/// # Errors
/// As [`dedup`].
pub fn cluster(
    source: Source<'_>,
    settings: &Settings,
    resources: &Resources,
    progress: &dyn Progress,
) -> Result<Answer, LookalikeError> {
    run(source, settings, resources, Action::List, progress)
}

fn run(
    source: Source<'_>,
    settings: &Settings,
    resources: &Resources,
    action: Action,
    progress: &dyn Progress,
) -> Result<Answer, LookalikeError> {
    let mut job = Job {
        settings: settings.clone(),
        threads: resources.threads,
        memory: resources.memory,
        scratch: Some(resources.scratch.clone().unwrap_or_else(std::env::temp_dir)),
        report: false,
        ..Job::new(Vec::new(), PathBuf::new())
    };
    match &source.kind {
        SourceKind::Files(paths) => job.inputs.clone_from(paths),
        SourceKind::Caller(CallerKind::Once(_)) => {
            refuse_second_reading(settings, source.name())?;
        }
        SourceKind::Caller(CallerKind::Repeatable(_)) => {}
    }
    let pool = pool(job.thread_count())?;
    caught(|| pool.install(|| answer(source, &job, action, progress)))
}

/// Refuses settings that read a source several times.
fn refuse_second_reading(settings: &Settings, name: &str) -> Result<(), LookalikeError> {
    if settings.ignore_common.is_some() {
        return Err(reads_twice("the setting ignore_common", name));
    }
    if let Some(method) = &settings.method
        && method.lexicon.is_none()
        && needs_statistics(&method.spec.parse::<MethodSpec>()?)
    {
        let what = "a method that needs document frequencies, without the setting lexicon,";
        return Err(reads_twice(what, name));
    }
    Ok(())
}

fn answer(
    source: Source<'_>,
    job: &Job,
    action: Action,
    progress: &dyn Progress,
) -> Result<Answer, LookalikeError> {
    let list_pairs = action == Action::List || job.settings.linkage == Linkage::Components;
    let keep = job.settings.keep_rules()?;
    let name = source.name().to_owned();
    let (inputs, caller) = match source.kind {
        SourceKind::Files(_) => (discover(job, &keep)?.0, None),
        SourceKind::Caller(kind) => {
            let mut options = job.settings.reading(Vec::new(), None);
            options.fields.extra =
                keep.iter().filter_map(|rule| rule.field()).map(str::to_owned).collect();
            let caller = CallerSource::new(kind, name.clone(), options.fields.clone());
            (inputs_of(&name, options), Some(caller))
        }
    };
    let first_protected_file = inputs.files.len() as u32;
    let (scratch_dir, matches) = (None, None);
    let request = Request { job, inputs, first_protected_file, scratch_dir, list_pairs, matches };
    let reading = caller.as_ref().map_or(Reading::Files, |caller| Reading::Caller(caller));
    let analysis =
        analyse_inputs(request, reading, progress).map_err(|error| match (error, &caller) {
            // The fields there are cannot be looked up in a file.
            (
                LookalikeError::KeepField { rule, field, kind, documents, unreadable, .. },
                Some(caller),
            ) => {
                let fields = caller.columns();
                LookalikeError::KeepField { rule, field, kind, documents, unreadable, fields }
            }
            (error, _) => error,
        })?;
    let clusters = Clusters::new(&analysis)?;
    let mut summary = summarise(job, action, &analysis, &clusters)?;
    if caller.is_some() {
        for input in &mut summary.inputs {
            (input.format, input.bytes) = ("memory".into(), summary.text_bytes);
        }
    }

    let tables = RunTables::write(&TablesInMemory, job, action, &analysis, &clusters, progress)?;
    let RunTables { ledger, documents, clusters, pairs, digest } = tables;
    summary.digest = digest;
    summary.pairs.listed = pairs.len() as u64;
    summary.warnings = summary.find_warnings();
    let kept = kept(&analysis)?;
    let problems = analysis.collection.problems.into_listed();
    let (ledger, documents) = (ledger.unwrap_or_default(), documents.unwrap_or_default());
    Ok(Answer { summary, problems, kept, documents, ledger, pairs, clusters })
}

fn kept(analysis: &Analysis) -> Result<Vec<Place>, LookalikeError> {
    let mut kept = Vec::new();
    analysis.collection.for_each(|number, document| {
        if !analysis.verdicts.is_removed(number) {
            kept.push(Place { file: document.file, record: document.record });
        }
    })?;
    Ok(kept)
}
