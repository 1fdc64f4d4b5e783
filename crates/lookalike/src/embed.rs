//! `dedup` and `cluster` in memory: a source to an [`Answer`], without a result directory.

use crate::analysis::{Analysis, Reading, Request, analyse_inputs, discover, pool};
use crate::answer::{Answer, Place, ResultTable};
use crate::approach::needs_statistics;
use crate::decisions::Clusters;
use crate::documents::{COLUMNS, NAME, fill_documents};
use crate::panics::caught;
use crate::result_tables::{
    Extra, Table, cluster_columns, fill_clusters, fill_ledger, fill_pairs, ledger_columns,
    pair_columns, run_digest,
};
use crate::source::{Ended, Source, SourceKind, chunks, inputs_of};
use crate::summarise::summarise;
use crate::{Job, LookalikeError, Settings};
use lookalike_engine::{Linkage, Progress};
use lookalike_io::table::Column;
use lookalike_methods::MethodSpec;
use lookalike_report::Action;
use std::path::PathBuf;
use xxhash_rust::xxh3::Xxh3;

/// What a call may take of the machine. It changes no answer.
#[derive(Debug, Clone, Default)]
pub struct Resources {
    /// Number of threads; 0 for as many as there are cores.
    pub threads: usize,
    /// Memory budget in bytes (approximate). `None` for three quarters of the machine's.
    pub memory: Option<u64>,
    /// Directory for temporary files, which are made only where the memory budget is too small. `None`
    /// for the system's.
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
/// Settings that exclude each other, a source that ends with an error, records that cannot be read, an
/// interruption. There is never an answer about a part of a source.
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
    if let SourceKind::Files(paths) = &source.kind {
        job.inputs.clone_from(paths);
    } else {
        refuse_second_reading(settings)?;
    }
    let pool = pool(job.thread_count())?;
    caught(|| pool.install(|| answer(source, &job, action, progress)))
}

/// A source that can be read once cannot be used where it has to be read twice.
fn refuse_second_reading(settings: &Settings) -> Result<(), LookalikeError> {
    let refuse = |what: &str| {
        Err(LookalikeError::Settings(format!(
            "{what} reads the documents twice, which records and batches do not allow; give files"
        )))
    };
    if settings.ignore_common.is_some() {
        return refuse("the setting ignore_common");
    }
    if let Some(method) = &settings.method
        && method.lexicon.is_none()
        && needs_statistics(&method.spec.parse::<MethodSpec>()?)
    {
        return refuse("a method that needs document frequencies, without the setting lexicon,");
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
    let ended = Ended::default();
    let is_files = matches!(source.kind, SourceKind::Files(_));
    let inputs = match is_files {
        true => discover(job, &keep)?.0,
        false => {
            let mut options = job.settings.reading(Vec::new(), None);
            options.fields.extra =
                keep.iter().filter_map(|rule| rule.field()).map(str::to_owned).collect();
            inputs_of(&name, options)
        }
    };
    let fields = inputs.options.fields.clone();
    let first_protected_file = inputs.files.len() as u32;
    let request = Request { job, inputs, first_protected_file, scratch_dir: None, list_pairs };
    let whole = || ended.check();
    let reading = match chunks(source.kind, &name, &fields, &ended) {
        Some(chunks) => Reading::Once(chunks, &whole),
        None => Reading::Files,
    };
    let analysis = analyse_inputs(request, reading, progress).map_err(|error| match error {
        // The fields there are cannot be looked up in a file.
        LookalikeError::KeepField { rule, field, kind, documents, unreadable, .. } if !is_files => {
            let fields = ended.columns();
            LookalikeError::KeepField { rule, field, kind, documents, unreadable, fields }
        }
        error => error,
    })?;
    let clusters = Clusters::new(&analysis)?;
    let mut summary = summarise(job, action, &analysis, &clusters)?;
    if !is_files {
        for input in &mut summary.inputs {
            (input.format, input.bytes) = ("memory".into(), summary.text_bytes);
        }
    }

    let mut digests = <[Xxh3; 3]>::default();
    let [of_documents, of_clusters, of_pairs] = &mut digests;
    let extra = Extra::of(&analysis);
    let collect = |name, columns: &[Column], digest, fill: &dyn Fn(&mut Table<'_>) -> _| {
        let mut table = Table::in_memory(name, columns, digest, progress);
        fill(&mut table)?;
        let (columns, batches) = (columns.to_vec(), table.into_batches()?);
        Ok::<_, LookalikeError>(ResultTable { columns, batches })
    };
    let (mut ledger, mut documents) = (ResultTable::default(), ResultTable::default());
    match action {
        Action::List if analysis.matches.pairs.complete => {
            documents = collect(NAME, &COLUMNS, of_documents, &|table| {
                fill_documents(&analysis, &keep, table)
            })?;
        }
        Action::List => {}
        _ => {
            ledger = collect("ledger", &ledger_columns(extra), of_documents, &|table| {
                fill_ledger(&analysis, table)
            })?;
        }
    }
    let members = collect("clusters", &cluster_columns(), of_clusters, &|table| {
        fill_clusters(&analysis, &clusters, table)
    })?;
    let pairs =
        collect("pairs", &pair_columns(extra), of_pairs, &|table| fill_pairs(&analysis, table))?;
    summary.digest = format!("{:032x}", run_digest(&digests));
    summary.pairs.listed = pairs.len() as u64;
    summary.warnings = summary.find_warnings();
    let kept = kept(&analysis)?;
    let problems = analysis.collection.problems.into_listed();
    Ok(Answer { summary, problems, kept, documents, ledger, pairs, clusters: members })
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
