//! `evaluate`: recall, precision and cost of methods on a collection.
//!
//! The truth is exact: every pair from some similarity on, the pairs of a sample of documents, or
//! labels ([`TruthSource`]). Each method reads and signs the collection anew, finds all its pairs,
//! and these are compared with the true ones. The measures follow Kołcz & Chowdhury 2008, sections
//! 6.4 and 7. The steps: `entry` (text to methods), `truth`, `trial` (one method's pairs), `score`,
//! `tables`.

mod entry;
mod escapes;
pub(crate) mod job;
mod label_rows;
pub(crate) mod labels;
mod lexica;
mod listing;
mod sampled;
mod score;
pub(crate) mod similarity;
mod tables;
pub(crate) mod theory;
mod trial;
mod truth;

pub use escapes::{escaped, unescaped};
pub use job::{ClassSettings, EvaluateJob, EvaluateOptions, TruthSource, default_methods};
pub use label_rows::{LabelColumns, LabelSource};
use lookalike_run::analysis::{discover, pool};
use lookalike_run::common::{CommonCounts, check_content};
use lookalike_run::given_fields::given_fields;
use lookalike_run::input_fields;
use lookalike_run::no_statistics::NoStatistics;
use lookalike_run::panics::caught;
use lookalike_run::reading::{Documents, Reading};
use lookalike_run::source::reads_twice;
use lookalike_run::summarise::{NO_REPORT, settings_summary};
use lookalike_run::table_store::{TableFiles, TablesInMemory, write_problems};
use lookalike_run::{Job, LookalikeError, Resources, ResultTable, Settings, memory, tokens};
pub use theory::{SCurve, s_curve};

use entry::{Entry, entries};
use labels::{Class, Names};
use lexica::Lexica;
use lookalike_cluster::Components;
use lookalike_core::{FeatureKind, ShortDocuments, Threshold};
use lookalike_engine::{Approach, Linkage, MatchSettings, Progress, Verify};
use lookalike_io::Problem;
use lookalike_io::sink::Staging;
use lookalike_methods::{Method, build};
use lookalike_report::{
    ClassesSummary, Evaluation, EvaluationReport, EvaluationRun, MethodResult, MethodTimes,
    SampleSummary, Tool, TruthSummary,
};
use lookalike_text::Terms;
use std::sync::Arc;
use std::time::Instant;
use theory::Theory;
use trial::Laboratory;
use truth::{KnownPair, Source, Truth};

/// Result of an evaluation.
#[derive(Debug)]
pub struct Evaluated {
    /// The content of `evaluation.json`.
    pub evaluation: Evaluation,
    /// The records and files that could not be used; of very many the first.
    pub problems: Vec<Problem>,
}

impl Evaluated {
    /// [`Evaluated::problems`] as the table of that name: file, record, line, offset and message.
    ///
    /// # Errors
    /// More text than a table holds.
    pub fn problems_table(&self) -> Result<ResultTable, LookalikeError> {
        write_problems(&self.problems, &TablesInMemory)
    }

    /// The table `methods`: recall, precision and bytes of each method.
    ///
    /// # Errors
    /// More text than a table holds.
    pub fn methods(&self) -> Result<ResultTable, LookalikeError> {
        tables::methods(&self.evaluation, &TablesInMemory)
    }

    /// The table `deciles`: recall by similarity.
    ///
    /// # Errors
    /// More text than a table holds.
    pub fn deciles(&self) -> Result<ResultTable, LookalikeError> {
        tables::deciles(&self.evaluation, &TablesInMemory)
    }
}

/// Measures methods: writes the tables `methods` and `deciles`, `evaluation.json` and `report.html`
/// to [`lookalike_run::Job::output`], whole or not at all.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let folder = tempfile::tempdir()?;
/// let docs = folder.path().join("docs.jsonl");
/// let line = "one fish two fish red fish blue fish black fish old fish new fish";
/// std::fs::write(&docs, format!(
///     "{{\"id\":\"a\",\"text\":\"{line}\"}}\n{{\"id\":\"b\",\"text\":\"{line} too\"}}\n"
/// ))?;
///
/// let job = lookalike::Job::new(vec![docs.display().to_string()], folder.path().join("measured"));
/// let mut job = lookalike::evaluation::EvaluateJob::new(job);
/// job.options.methods = vec!["exact".into(), "lexical".into()];
/// let evaluation = lookalike::evaluation::evaluate(&job, &lookalike::Silent)?.evaluation;
/// assert_eq!(evaluation.methods[0].recall, Some(1.0));
/// assert_eq!(evaluation.methods[1].recall, Some(0.0));
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// Invalid settings, methods or labels, more pairs than [`lookalike_run::Job::max_pairs`], inputs that
/// cannot be read, outputs that cannot be written.
pub fn evaluate(job: &EvaluateJob, progress: &dyn Progress) -> Result<Evaluated, LookalikeError> {
    let pool = pool(job.job.thread_count())?;
    caught(|| pool.install(|| carry_out(job, progress)))
}

/// Measures methods on the documents of a source, as [`evaluate`] does on files, and writes nothing:
/// [`Evaluated::methods`] and [`Evaluated::deciles`] are the tables.
///
/// ```
/// use lookalike::evaluation::{EvaluateOptions, evaluate_in};
/// use lookalike::{Resources, Settings, Silent, Source};
///
/// # fn main() -> Result<(), lookalike::LookalikeError> {
/// let texts = ["a rose is a rose is a rose", "A rose is a rose is a rose!", "to be or not to be"];
/// let methods = vec!["exact".into(), "minhash-lsh@none".into()];
/// let options = EvaluateOptions { methods, ..EvaluateOptions::default() };
/// let source = Source::repeatable_records(|| texts);
/// let found = evaluate_in(source, &Settings::default(), &options, &Resources::default(), &Silent)?;
/// assert_eq!((found.evaluation.truth.pairs, found.methods()?.len()), (1, 2));
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// A source that can be read once: each method reads it anew. Else as [`evaluate`].
pub fn evaluate_in(
    source: lookalike_run::Source<'_>,
    settings: &Settings,
    options: &EvaluateOptions,
    resources: &Resources,
    progress: &dyn Progress,
) -> Result<Evaluated, LookalikeError> {
    if source.is_read_once() {
        return Err(reads_twice("the setting methods", source.name()));
    }
    let job = resources.job(settings);
    let pool = pool(job.thread_count())?;
    caught(|| {
        pool.install(|| {
            let started = Instant::now();
            let checked = Checked::new(settings, options)?;
            let mut reading = settings.reading(Vec::new(), None);
            reading.fields.given.clone_from(&checked.given);
            let (inputs, caller) =
                source.open(reading, |inputs| input_fields::check(inputs, &|| false))?;
            let job = tokens::decide(&job, &inputs)?;
            let checked = Checked { settings: job.settings.matching()?, ..checked };
            let reading = caller.as_ref().map_or(Reading::Files, |caller| Reading::Caller(caller));
            let documents = Documents { inputs: &inputs, reading };
            measure(checked, &job, options, documents, started, progress)
        })
    })
}

fn carry_out(job: &EvaluateJob, progress: &dyn Progress) -> Result<Evaluated, LookalikeError> {
    let started = Instant::now();
    let EvaluateJob { job, options } = job;
    let checked = Checked::new(&job.settings, options)?;
    let staging = Staging::create(&job.output, job.force)?;
    let (mut inputs, _) = discover(job, &[])?;
    let job = &tokens::decide(job, &inputs)?;
    let checked = Checked { settings: job.settings.matching()?, ..checked };
    inputs.options.fields.given.clone_from(&checked.given);
    input_fields::check(&inputs, &|| progress.cancelled())?;
    staging.conflicts(&inputs)?;
    staging.conflicts_with(options.files())?;
    let documents = Documents::of_files(&inputs);
    let mut evaluated = measure(checked, job, options, documents, started, progress)?;
    let evaluation = &mut evaluated.evaluation;
    if !job.report {
        evaluation.settings.other.insert(NO_REPORT.into(), true.into());
    }
    let store = TableFiles { staging: &staging, folder: "", format: job.tables };
    tables::methods(evaluation, &store)?;
    tables::deciles(evaluation, &store)?;
    if job.report {
        staging.write("report.html", EvaluationReport(evaluation).html()?.as_bytes())?;
    }
    if let Some(config) = &job.config {
        staging.write("config.toml", config.as_bytes())?;
    }
    staging.write("evaluation.json", evaluation.to_json()?.as_bytes())?;
    staging.commit()?;
    Ok(evaluated)
}

/// The fields that an evaluation of these methods (none: the default ones) reads beside those of
/// every record: those of which documents need to have the values in common, and those that the
/// parameters of the methods name.
///
/// # Errors
/// A method that does not exist.
pub fn evaluated_fields(
    settings: &Settings,
    methods: &[String],
) -> Result<Vec<String>, LookalikeError> {
    // The default methods name no fields.
    let entries = if methods.is_empty() { Vec::new() } else { entries(methods)? };
    given_fields(settings, entries.iter().filter_map(|entry| entry.spec.as_ref()))
}

/// What an evaluation is asked for, checked before documents are read.
struct Checked {
    settings: MatchSettings,
    /// Pairs are listed from here on.
    from: Threshold,
    entries: Vec<Entry>,
    lexica: Lexica,
    /// Fields that are read beside those of the text.
    given: Vec<String>,
}

impl Checked {
    fn new(settings: &Settings, options: &EvaluateOptions) -> Result<Self, LookalikeError> {
        settings.refuse_scoped(&["distinct_by"], "evaluate")?;
        let matching = settings.matching()?;
        let from = options.list_from(&matching)?;
        let entries = match options.methods.as_slice() {
            [] => entries(&default_methods(matching.measure, &settings.threshold))?,
            methods => entries(methods)?,
        };
        let lexica = Lexica::open(&options.lexicons)?;
        entries.iter().filter_map(|entry| entry.spec.as_ref()).try_for_each(lexica::check)?;
        let given = evaluated_fields(settings, &options.methods)?;
        Ok(Self { settings: matching, from, entries, lexica, given })
    }
}

/// Makes the truth and measures all methods, on the threads of the current rayon pool.
fn measure(
    checked: Checked,
    job: &Job,
    options: &EvaluateOptions,
    documents: Documents<'_>,
    started: Instant,
    progress: &dyn Progress,
) -> Result<Evaluated, LookalikeError> {
    let Checked { mut settings, from, entries, lexica, .. } = checked;
    let threads = job.thread_count();
    let laboratory = Laboratory {
        documents,
        threads,
        strict: job.strict,
        skip_unreadable: job.skip_unreadable,
        max_pairs: job.max_pairs,
        progress,
    };

    // The truth, and each method.
    let steps = entries.len() as u32 + 1;
    progress.step(1, steps);
    let mut common = CommonCounts::new(job, documents, &settings, None, progress);
    settings.common = common.of(settings.features)?;

    let labels = match &options.truth {
        TruthSource::Exact => None,
        TruthSource::Labels(labels) => Some(labels),
    };
    let sample = options.sample.map(|size| (size, options.seed));
    let truth = Source { settings: &settings, from, labels, sample }.truth(&laboratory)?;
    let (classes, classes_summary) = classes(options, &truth)?;
    let truth_seconds = started.elapsed().as_secs_f64();

    let settings = &settings;
    let cost = options.classes.as_ref().map_or(0, |classes| classes.cost);
    let mut bench =
        Bench { job, cost, laboratory, settings, truth: &truth, classes, lexica, common };
    let (mut results, mut times) = (Vec::new(), Vec::new());
    for (step, entry) in (2..).zip(entries) {
        progress.step(step, steps);
        let (result, seconds) = bench.measure(entry)?;
        results.push(result);
        times.push(seconds);
    }
    let mut shown = job.settings.clone();
    shown.linkage = Some(Linkage::Components);
    let components = truth.components.as_deref();
    let evaluation = Evaluation {
        tool: Tool::lookalike(),
        settings: settings_summary(&shown),
        inputs: documents.inputs.files.iter().map(|file| file.name.clone()).collect(),
        documents: u64::from(truth.collection.len()),
        problems: truth.collection.problems.count(),
        truth: TruthSummary {
            source: if labels.is_some() { "labels".into() } else { "exact".into() },
            labels: labels.map(LabelSource::name),
            labels_without_document: truth.unknown_names,
            different: truth
                .judged
                .then(|| truth.pairs.iter().filter(|pair| !pair.is_true).count() as u64),
            pairs: truth.pairs.iter().filter(|pair| pair.is_true).count() as u64,
            clusters: components.map(true_clusters),
            sample: truth.sampled.as_ref().map(|sampled| SampleSummary {
                documents: sampled.iter().filter(|&&is| is).count() as u64,
                seed: options.seed,
            }),
            listed_from: labels.is_none().then(|| from.to_string()),
            classes: classes_summary,
        },
        methods: results,
        run: Some(EvaluationRun {
            command_line: job.command.clone(),
            threads: threads as u64,
            seconds: started.elapsed().as_secs_f64(),
            truth_seconds,
            methods: times,
            peak_memory_bytes: memory::peak(),
        }),
    };
    Ok(Evaluated { evaluation, problems: truth.collection.problems.into_listed() })
}

fn classes(
    options: &EvaluateOptions,
    truth: &Truth,
) -> Result<(Option<Vec<Class>>, Option<ClassesSummary>), LookalikeError> {
    let Some(settings) = &options.classes else { return Ok((None, None)) };
    let mut names = Names::new(&truth.collection)?;
    let of = (settings.spam.as_str(), settings.legit.as_str());
    let classes = labels::classes(&settings.labels, &mut names, truth.collection.len(), of)?;
    let count = |wanted| classes.iter().filter(|&&class| class == wanted).count() as u64;
    let summary = ClassesSummary {
        file: settings.labels.name(),
        spam: count(Class::Spam),
        legit: count(Class::Legit),
        unclassified: count(Class::Neither),
        cost: settings.cost,
        without_document: names.unknown(),
    };
    Ok((Some(classes), Some(summary)))
}

/// Number of components of two documents or more, from labels that are the smallest document of
/// each.
fn true_clusters(labels: &[u32]) -> u64 {
    let mut larger = vec![false; labels.len()];
    for (document, &label) in (0u32..).zip(labels) {
        larger[label as usize] |= document != label;
    }
    larger.iter().filter(|&&is| is).count() as u64
}

/// Data shared by the measurements of all methods.
struct Bench<'a> {
    job: &'a Job,
    /// Cost of a removed legitimate document.
    cost: u64,
    laboratory: Laboratory<'a>,
    settings: &'a MatchSettings,
    truth: &'a Truth,
    classes: Option<Vec<Class>>,
    lexica: Lexica,
    common: CommonCounts<'a>,
}

impl Bench<'_> {
    fn measure(&mut self, entry: Entry) -> Result<(MethodResult, MethodTimes), LookalikeError> {
        let Self { job, laboratory, .. } = self;
        let method: Option<Arc<dyn Method>> = match &entry.spec {
            None => None,
            Some(spec) => {
                if job.settings.fields.features.is_some() {
                    let method = build(spec, Some(Arc::new(NoStatistics)))?;
                    job.settings.check_method_of_features(spec, method.as_ref())?;
                }
                let statistics = self.lexica.statistics(spec, job, laboratory)?;
                Some(build(spec, statistics)?.into())
            }
        };
        // A method without shingles is measured unchanged.
        let shingles = method.as_ref().and_then(|method| method.shingles());
        let common = match shingles {
            Some(kind) => self.common.of(kind)?,
            None => None,
        };
        let Self { laboratory, truth, .. } = self;
        let approach = Approach { method, verify: entry.verify, key_limit: None, common };
        let settings = match approach.keeps_sets() {
            true => self.settings.clone(),
            // The method receives all tokens, not only those that are features of the truth.
            false => MatchSettings {
                features: FeatureKind::Shingles { size: 1, short: ShortDocuments::Whole },
                terms: Terms::All,
                common: None,
                ..self.settings.clone()
            },
        };
        let trial = laboratory.run(&entry.text, &settings, approach)?;
        check_content(laboratory.documents, &trial.collection, truth.content)?;

        let sampled = truth.sampled.as_deref();
        let mut found = trial.pairs(sampled);
        if truth.judged {
            let place = |pair: &KnownPair| (pair.a, pair.b);
            found.retain(|found| truth.pairs.binary_search_by_key(found, place).is_ok());
        }
        let theory = entry.spec.as_ref().and_then(|spec| Theory::of(spec, self.settings));
        let expected = theory.map(|theory| {
            move |pair: &KnownPair| match entry.verify == Verify::Exact && !pair.is_true {
                true => 0.0,
                false => theory.probability(f64::from(pair.similarity)),
            }
        });
        let expected = expected.as_ref().map(|expected| expected as &dyn Fn(&KnownPair) -> f64);
        let score = score::score(truth.collection.len(), &found, &truth.pairs, sampled, expected);
        let mut components = Components::new(truth.collection.len());
        trial.each_link(|a, b| {
            components.join(a.0, b.0);
        });
        let (key_bytes, sketch_bytes) = trial.bytes();
        let ignored = trial.ignored;
        let result = MethodResult {
            method: entry.text,
            series: entry.series,
            pairs: score.found,
            true_pairs: score.true_found,
            recall: score::share(score.true_found, score.all_true),
            precision: score::share(score.true_found, score.found),
            mean_recall: score.mean_recall,
            mean_precision: score.mean_precision,
            clusters: score::clusters(components, truth.components.as_deref()),
            ignored,
            signed: u64::from(truth.collection.len()) - ignored.total(),
            key_bytes,
            sketch_bytes,
            candidates: trial.matches.candidates,
            deciles: score.deciles,
            theory: theory.map(Theory::curve).unwrap_or_default(),
            classes: self
                .classes
                .as_deref()
                .map(|of| score::by_class(&found, of, sampled, self.cost)),
        };
        Ok((result, trial.times))
    }
}
