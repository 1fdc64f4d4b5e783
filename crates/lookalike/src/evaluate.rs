//! `evaluate`: recall, precision and cost of methods on a collection.
//!
//! The truth is exact: every pair from some similarity on, the pairs of a sample of documents, or
//! labels ([`TruthSource`]). Each method reads and signs the collection anew, finds all its pairs,
//! and these are compared with the true ones. The measures follow Kołcz & Chowdhury 2008, sections
//! 6.4 and 7. The steps: `entry` (text to methods), `truth`, `trial` (one method's pairs), `score`,
//! `tables`.

mod entry;
pub(crate) mod job;
mod labels;
mod lexica;
mod listing;
mod sampled;
mod score;
pub(crate) mod similarity;
mod tables;
pub(crate) mod theory;
mod trial;
mod truth;

use crate::LookalikeError;
use crate::analysis::{discover, pool};
use crate::common::{CommonCounts, content};
use crate::memory;
use crate::panics::caught;
use crate::reading::Documents;
use crate::summarise::{NO_REPORT, settings_summary};
pub use job::{ClassSettings, EvaluateJob, TruthSource, default_methods};
pub use theory::{SCurve, s_curve};

use entry::{Entry, entries};
use labels::{Class, Names};
use lexica::Lexica;
use lookalike_cluster::Components;
use lookalike_core::{FeatureKind, ShortDocuments};
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

/// Measures methods: writes the tables `methods` and `deciles`, `evaluation.json` and `report.html`
/// to [`crate::Job::output`], whole or not at all.
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
/// let mut job = lookalike::EvaluateJob::new(job);
/// job.methods = vec!["exact".into(), "lexical".into()];
/// let evaluation = lookalike::evaluate(&job, &lookalike::Silent)?.evaluation;
/// assert_eq!(evaluation.methods[0].recall, Some(1.0));
/// assert_eq!(evaluation.methods[1].recall, Some(0.0));
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// Invalid settings, methods or labels, more pairs than [`crate::Job::max_pairs`], inputs that
/// cannot be read, outputs that cannot be written.
pub fn evaluate(job: &EvaluateJob, progress: &dyn Progress) -> Result<Evaluated, LookalikeError> {
    caught(|| carry_out(job, progress))
}

fn carry_out(job: &EvaluateJob, progress: &dyn Progress) -> Result<Evaluated, LookalikeError> {
    let started = Instant::now();
    let mut settings = job.job.settings.matching()?;
    let from = job.list_from(&settings)?;
    let entries = match job.methods.as_slice() {
        [] => entries(&default_methods(settings.measure, &job.job.settings.threshold))?,
        methods => entries(methods)?,
    };
    // Invalid methods are reported before the inputs are read.
    let lexica = Lexica::open(&job.lexicons)?;
    entries.iter().filter_map(|entry| entry.spec.as_ref()).try_for_each(lexica::check)?;
    let staging = Staging::create(&job.job.output, job.job.force)?;
    let threads = job.job.thread_count();
    let (inputs, _) = discover(&job.job, &[])?;
    staging.conflicts(&inputs)?;
    let pool = pool(threads)?;
    let laboratory = Laboratory {
        inputs: &inputs,
        pool: &pool,
        threads,
        strict: job.job.strict,
        skip_unreadable: job.job.skip_unreadable,
        max_pairs: job.job.max_pairs,
        progress,
    };

    let mut common =
        CommonCounts::new(&job.job, Documents::of_files(&inputs), &settings, None, progress);
    settings.common = pool.install(|| common.of(settings.features))?;

    let labels = match &job.truth {
        TruthSource::Exact => None,
        TruthSource::Labels(path) => Some(path.as_path()),
    };
    let sample = job.sample.map(|size| (size, job.seed));
    let truth = Source { settings: &settings, from, labels, sample }.truth(&laboratory)?;
    let (classes, classes_summary) = classes(job, &truth)?;
    let truth_seconds = started.elapsed().as_secs_f64();

    let mut bench =
        Bench { job, laboratory, settings: &settings, truth: &truth, classes, lexica, common };
    let (mut results, mut times) = (Vec::new(), Vec::new());
    for entry in entries {
        let (result, seconds) = bench.measure(entry)?;
        results.push(result);
        times.push(seconds);
    }
    let mut shown = job.job.settings.clone();
    shown.linkage = Linkage::Components;
    let components = truth.components.as_deref();
    let mut evaluation = Evaluation {
        tool: Tool { name: "lookalike".into(), version: env!("CARGO_PKG_VERSION").into() },
        settings: settings_summary(&shown),
        inputs: inputs.files.iter().map(|file| file.name.clone()).collect(),
        documents: u64::from(truth.collection.len()),
        problems: truth.collection.problems.count(),
        truth: TruthSummary {
            source: if labels.is_some() { "labels".into() } else { "exact".into() },
            labels: labels.map(|path| path.display().to_string()),
            labels_without_document: truth.unknown_names,
            pairs: truth.pairs.iter().filter(|pair| pair.is_true).count() as u64,
            clusters: components.map(true_clusters),
            sample: truth.sampled.as_ref().map(|sampled| SampleSummary {
                documents: sampled.iter().filter(|&&is| is).count() as u64,
                seed: job.seed,
            }),
            listed_from: labels.is_none().then(|| from.to_string()),
            classes: classes_summary,
        },
        methods: results,
        run: None,
    };
    if !job.job.report {
        evaluation.settings.other.insert(NO_REPORT.into(), true.into());
    }
    tables::write(&evaluation, &staging, job.job.tables)?;
    evaluation.run = Some(EvaluationRun {
        command_line: job.job.command.clone(),
        threads: threads as u64,
        seconds: started.elapsed().as_secs_f64(),
        truth_seconds,
        methods: times,
        peak_memory_bytes: memory::peak(),
    });
    if job.job.report {
        staging.write("report.html", EvaluationReport(&evaluation).html()?.as_bytes())?;
    }
    staging.write("evaluation.json", evaluation.to_json()?.as_bytes())?;
    staging.commit()?;
    Ok(Evaluated { evaluation, problems: truth.collection.problems.into_listed() })
}

fn classes(
    job: &EvaluateJob,
    truth: &Truth,
) -> Result<(Option<Vec<Class>>, Option<ClassesSummary>), LookalikeError> {
    let Some(settings) = &job.classes else { return Ok((None, None)) };
    let mut names = Names::new(&truth.collection)?;
    let of = (settings.spam.as_str(), settings.legit.as_str());
    let classes = labels::classes(&settings.file, &mut names, truth.collection.len(), of)?;
    let count = |wanted| classes.iter().filter(|&&class| class == wanted).count() as u64;
    let summary = ClassesSummary {
        file: settings.file.display().to_string(),
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
    job: &'a EvaluateJob,
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
                let statistics = self.lexica.statistics(spec, &job.job, laboratory)?;
                Some(build(spec, statistics)?.into())
            }
        };
        // A method without shingles is measured unchanged.
        let shingles = method.as_ref().and_then(|method| method.shingles());
        let common = match shingles {
            Some(kind) => self.laboratory.pool.install(|| self.common.of(kind))?,
            None => None,
        };
        let Self { job, laboratory, truth, .. } = self;
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
        if content(&trial.collection)? != truth.content {
            let input = laboratory.inputs.files.first().map(|file| file.name.clone());
            let input = format!("{} or another input", input.unwrap_or_default());
            return Err(LookalikeError::Changed { input });
        }

        let sampled = truth.sampled.as_deref();
        let found = trial.pairs(sampled);
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
        let classes = self.classes.as_deref().zip(job.classes.as_ref());
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
            classes: classes
                .map(|(of, settings)| score::by_class(&found, of, sampled, settings.cost)),
        };
        Ok((result, trial.times))
    }
}
