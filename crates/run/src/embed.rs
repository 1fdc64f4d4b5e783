//! `dedup` and `cluster` in memory: a source to an [`Answer`], without a result directory.

use crate::analysis::{Analysis, Request, analyse_inputs, discover, pool};
use crate::answer::{Answer, Place};
use crate::approach::needs_statistics;
use crate::decisions::Clusters;
use crate::differences::Differences;
use crate::exhibits::Choice;
use crate::ignored_texts::IgnoredTexts;
use crate::index::{append_matched, matched_records};
use crate::input_fields;
use crate::jobs::report;
use crate::panics::caught;
use crate::reading::{Documents, Reading};
use crate::run_tables::RunTables;
use crate::second_pass::read_again;
use crate::source::{
    Against, CallerKind, CallerSource, Protected, Source, SourceKind, mixed, reads_twice,
};
use crate::summarise::summarise;
use crate::table_store::TablesInMemory;
use crate::{Job, LookalikeError, Resources, Settings, across, skipped_files, symbols, tokens};
use lookalike_engine::Progress;
use lookalike_io::{Beside, Inputs};
use lookalike_methods::MethodSpec;
use lookalike_report::{Action, Page, Summary};

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
    Ok(run(source, settings, resources, Action::Remove, None, progress)?.0)
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
    Ok(run(source, settings, resources, Action::List, None, progress)?.0)
}

/// As [`dedup`], or with `list_pairs` as [`cluster`], with the page that `report.html` of a run has: its
/// texts are read again. [`Page::files`] are the data beyond `report_size` bytes, which it loads from
/// beside it.
///
/// ```
/// use lookalike::results::report_in;
/// use lookalike::{Resources, Settings, Silent, Source};
///
/// # fn main() -> Result<(), lookalike::LookalikeError> {
/// let texts = ["a rose is a rose is a rose", "A rose is a rose is a rose!"];
/// let source = Source::repeatable_records(|| texts);
/// let (settings, resources) = (Settings::default(), Resources::default());
/// let (answer, page) = report_in(source, &settings, &resources, false, 20_000_000, &Silent)?;
/// assert!(page.html.contains(&answer.summary.digest) && page.files.is_empty());
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// As [`dedup`]; a source that can be read once, or whose documents change.
pub fn report_in(
    source: Source<'_>,
    settings: &Settings,
    resources: &Resources,
    list_pairs: bool,
    report_size: u64,
    progress: &dyn Progress,
) -> Result<(Answer, Page), LookalikeError> {
    let action = if list_pairs { Action::List } else { Action::Remove };
    let (answer, page) = run(source, settings, resources, action, Some(report_size), progress)?;
    Ok((answer, page.expect("it was asked for")))
}

fn run(
    source: Source<'_>,
    settings: &Settings,
    resources: &Resources,
    action: Action,
    report_size: Option<u64>,
    progress: &dyn Progress,
) -> Result<(Answer, Option<Page>), LookalikeError> {
    if action == Action::List {
        settings.refuse_removals()?;
    }
    let mut job = resources.job(&settings.resolved(action == Action::List));
    check_source(&source, settings)?;
    if let Some(size) = report_size {
        if source.is_read_once() {
            return Err(reads_twice("a report", source.name()));
        }
        (job.report, job.report_size) = (true, size);
    }
    if let SourceKind::Files(paths) = &source.kind {
        job.inputs.clone_from(paths);
    }
    if let Some(protected) = &source.protected {
        job.against_only = protected.only;
        match (&source.kind, &protected.by) {
            (SourceKind::Caller(kind), Against::Index(_)) => {
                if matches!(kind, CallerKind::Once(_)) {
                    return Err(reads_twice("a call against an index", source.name()));
                }
            }
            (SourceKind::Files(_), Against::Index(index)) => {
                job.against.push(index.dir().display().to_string());
            }
            (kind, Against::Source(protected)) => match (kind, &protected.kind) {
                (SourceKind::Files(_), SourceKind::Files(paths)) => job.against.clone_from(paths),
                (SourceKind::Caller(_), SourceKind::Caller(_)) => {
                    check_source(protected, settings)?;
                }
                _ => return Err(mixed()),
            },
        }
    }
    let pool = pool(job.thread_count())?;
    caught(|| pool.install(|| answer(source, &job, action, progress)))
}

/// Refuses settings that read a source several times, if it can be read once.
fn check_source(source: &Source<'_>, settings: &Settings) -> Result<(), LookalikeError> {
    if !source.is_read_once() {
        return Ok(());
    }
    let name = source.name();
    if settings.ignore_common.is_some() {
        return Err(reads_twice("the setting ignore_common", name));
    }
    if settings.boilerplate.is_some() {
        return Err(reads_twice("the setting boilerplate", name));
    }
    if !settings.ignore_text.is_empty() {
        return Err(reads_twice("the setting ignore_text", name));
    }
    if settings.across().is_some_and(|across| across.field().is_some()) {
        return Err(reads_twice("the setting across", name));
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
) -> Result<(Answer, Option<Page>), LookalikeError> {
    let protected = source.protected.as_ref().map(|protected| &protected.by);
    job.settings.refuse_across_against(protected.is_some())?;
    let is_one = matches!(source.kind, SourceKind::Caller(_));
    if is_one {
        job.settings.refuse_across_inputs("documents in memory")?;
    }
    let read_once = source.is_read_once()
        || matches!(protected, Some(Against::Source(protected)) if protected.is_read_once());
    let list_pairs = job.settings.lists_pairs(action);
    let SourceInputs { job, inputs, first_protected_file, caller } = match source.kind {
        SourceKind::Files(_) => SourceInputs::of_files(job, progress)?,
        SourceKind::Caller(_) => SourceInputs::of_caller(source, job, progress)?,
    };
    let job = &job;
    let (scratch_dir, matches) = (None, None);
    let ignored = IgnoredTexts::of(&job.settings)?;
    let request =
        Request { job, inputs, first_protected_file, ignored, scratch_dir, list_pairs, matches };
    let reading = caller.as_ref().map_or(Reading::Files, |caller| Reading::Caller(caller));
    let analysis = analyse_inputs(request, reading, progress).map_err(|error| match &caller {
        Some(caller) => with_columns(error, caller),
        None => error,
    })?;
    let clusters = Clusters::new(&analysis, progress)?;
    let mut summary = summarise(job, action, &analysis, &clusters)?;
    if caller.is_some() {
        for input in &mut summary.inputs {
            (input.format, input.bytes) = ("memory".into(), summary.text_bytes);
        }
    }

    let records = caller.as_ref().map(CallerSource::rows);
    let documents = Documents { inputs: &analysis.inputs, reading };
    summary.across = across::summary(&analysis, documents)?;
    let mut differences = None;
    if !read_once {
        let ids_repeat = summary.duplicate_ids > 0;
        summary.symbol_differences = symbols::count(&analysis, documents, ids_repeat)?;
        if action != Action::List {
            let label_field = job.settings.label_field.as_deref();
            let found = Differences::of(&analysis, label_field, documents)?;
            summary.differences = found.summary(&analysis, ids_repeat)?;
            differences = Some(found);
        }
    }
    let mut found = Found { analysis, clusters, first_protected_file, differences };
    let answer = found.answer(job, action, summary, records, progress)?;
    let page = job.report.then(|| found.page(job, reading, &answer.summary, progress));
    Ok((answer, page.transpose()?))
}

/// The inputs of a source, and the job with its tokens decided by them.
struct SourceInputs<'s> {
    job: Job,
    inputs: Inputs,
    first_protected_file: u32,
    /// Documents in memory.
    caller: Option<CallerSource<'s>>,
}

impl<'s> SourceInputs<'s> {
    fn of_files(job: &Job, progress: &dyn Progress) -> Result<Self, LookalikeError> {
        let (mut inputs, first_protected_file) = discover(job, &job.settings.keep_rules()?)?;
        let job = tokens::decide(job, &inputs)?;
        skipped_files::refuse(&inputs, job.strict)?;
        input_fields::check(&inputs, &|| progress.cancelled())?;
        append_matched(&job, &mut inputs, first_protected_file as usize, progress)?;
        Ok(Self { job, inputs, first_protected_file, caller: None })
    }

    fn of_caller(
        source: Source<'s>,
        job: &Job,
        progress: &dyn Progress,
    ) -> Result<Self, LookalikeError> {
        let mut job = job.clone();
        let mut options = job.settings.reading(Vec::new(), None);
        options.fields.extra = job.settings.keep_fields()?;
        // Records become columns of the fields that are looked for.
        options.fields.extra.extend(job.settings.site_field.clone());
        let index = match &source.protected {
            Some(Protected { by: Against::Index(index), .. }) => Some(*index),
            _ => None,
        };
        if let Some(index) = index {
            job.settings.analysis = tokens::decide_by_index(&job.settings, index);
            job.settings.refuse_fields_of_method("comparisons with an index")?;
            options.fields.given.push(Beside::FIELD.to_owned());
        }
        let (mut inputs, mut caller) = source.caller_inputs(options.clone())?;
        if let Some(index) = index {
            let own = Documents { inputs: &inputs, reading: Reading::Caller(&caller) };
            let records = matched_records(&job, index, own, progress)?;
            inputs = caller.protect(index.dir().display().to_string(), records, options);
        }
        Ok(Self { job, inputs, first_protected_file: 1, caller: Some(caller) })
    }
}

/// The error for a field of documents in memory, with their columns: the fields there are cannot be
/// looked up in a file.
fn with_columns(error: LookalikeError, caller: &CallerSource<'_>) -> LookalikeError {
    match error {
        LookalikeError::KeepField { rule, field, kind, documents, unreadable, .. } => {
            let fields = caller.columns();
            LookalikeError::KeepField { rule, field, kind, documents, unreadable, fields }
        }
        LookalikeError::KeepValue { rule, field, value, .. } => {
            LookalikeError::KeepValue { rule, field, value, fields: caller.columns() }
        }
        error => error,
    }
}

/// What was found about a source.
pub(crate) struct Found {
    pub(crate) analysis: Analysis,
    pub(crate) clusters: Clusters,
    pub(crate) first_protected_file: u32,
    /// Of a run that removes documents, if its texts can be read again.
    pub(crate) differences: Option<Differences>,
}

impl Found {
    /// The answer in memory; `records` are those of a source that a caller has in memory.
    ///
    /// # Errors
    /// An interruption.
    pub(crate) fn answer(
        &mut self,
        job: &Job,
        action: Action,
        mut summary: Summary,
        records: Option<u64>,
        progress: &dyn Progress,
    ) -> Result<Answer, LookalikeError> {
        let Self { analysis, clusters, first_protected_file, differences } = self;
        let differences = differences.take();
        let (store, known) = (&TablesInMemory, || Ok(((), differences)));
        let (tables, (), _) =
            RunTables::write(store, job, action, analysis, clusters, known, progress)?;
        let RunTables { ledger, documents, clusters, pairs, digest, documents_digest } = tables;
        (summary.digest, summary.documents_digest) = (digest, documents_digest);
        summary.pairs.listed = pairs.len() as u64;
        summary.warnings = summary.find_warnings();
        let kept = kept(analysis, *first_protected_file)?;
        let mut problems = analysis.collection.problems.listed().to_vec();
        problems.extend(skipped_files::rows(&analysis.inputs.skipped));
        let (ledger, documents) = (ledger.unwrap_or_default(), documents.unwrap_or_default());
        Ok(Answer { summary, problems, records, kept, documents, ledger, pairs, clusters })
    }

    /// The report, whose texts are read again.
    fn page(
        &self,
        job: &Job,
        reading: Reading<'_>,
        summary: &Summary,
        progress: &dyn Progress,
    ) -> Result<Page, LookalikeError> {
        let Self { analysis, clusters, .. } = self;
        let choice = Choice::new(analysis, clusters, progress)?;
        let documents = Documents { inputs: &analysis.inputs, reading };
        let shown = read_again(analysis, documents, &choice.documents(analysis))?;
        report(job, analysis, clusters, &choice, shown, summary, progress)
    }
}

/// The documents that stay, without those of the protected collection.
fn kept(analysis: &Analysis, first_protected_file: u32) -> Result<Vec<Place>, LookalikeError> {
    let mut kept = Vec::new();
    analysis.collection.for_each(|number, document| {
        if document.file < first_protected_file && !analysis.verdicts.is_removed(number) {
            kept.push(Place { file: document.file, record: document.record });
        }
    })?;
    Ok(kept)
}
