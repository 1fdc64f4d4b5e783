//! The job of an evaluation.

use super::label_rows::LabelSource;
use lookalike_core::{Measure, Threshold};
use lookalike_engine::MatchSettings;
use lookalike_run::{Job, LookalikeError};
use std::path::Path;

/// The ground truth.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum TruthSource {
    /// Every pair that reaches the threshold of the settings, by the exact join.
    #[default]
    Exact,
    /// Columns `a_id` and `b_id`, two documents per row, or `id` and `cluster`.
    Labels(LabelSource),
}

/// Classes of documents, for filters of spam.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClassSettings {
    /// Two columns: a document's name and its class.
    pub labels: LabelSource,
    /// The class that is to be filtered out.
    pub spam: String,
    /// The class that must not be lost.
    pub legit: String,
    /// Cost of a removed legitimate document, in spam documents caught. The paper uses 100.
    pub cost: u64,
}

/// Methods to measure, and how.
#[derive(Debug, Clone)]
pub struct EvaluateOptions {
    /// Methods, `name:parameter=value,…`, each with `@exact`, `@sketch` (the default) or `@none`
    /// behind it for what decides about its candidates; `exact` is the exact join. One parameter
    /// may be a range `LOW..=HIGH` or a list `A|B|C`. Empty: [`default_methods`].
    pub methods: Vec<String>,
    /// Lexicons for the methods that need document frequencies: each takes the first that fits.
    /// Empty: those of the documents.
    pub lexicons: Vec<String>,
    /// What the methods are measured against.
    pub truth: TruthSource,
    /// Similarity from which pairs are listed, for recall by similarity; at most the threshold.
    /// Default: 0.5 for resemblance, else the threshold.
    pub list_from: Option<String>,
    /// Classes of documents.
    pub classes: Option<ClassSettings>,
    /// Compute the truth for a sample of this many documents only: their pairs with all others.
    pub sample: Option<u32>,
    /// Seed of the sample.
    pub seed: u64,
}

impl Default for EvaluateOptions {
    /// The default methods against the exact truth.
    fn default() -> Self {
        Self {
            methods: Vec::new(),
            lexicons: Vec::new(),
            truth: TruthSource::Exact,
            list_from: None,
            classes: None,
            sample: None,
            seed: 1,
        }
    }
}

/// An evaluation of files, which writes a directory.
#[derive(Debug, Clone)]
pub struct EvaluateJob {
    /// Inputs, output and settings. Its settings make the truth, and judge candidates that are
    /// verified exactly; [`Job::against`] and what concerns survivors is not used.
    pub job: Job,
    /// Methods to measure, and how.
    pub options: EvaluateOptions,
}

impl EvaluateJob {
    /// The default methods against the exact truth.
    #[must_use]
    pub fn new(job: Job) -> Self {
        Self { job, options: EvaluateOptions::default() }
    }
}

impl EvaluateOptions {
    /// The files that an evaluation reads besides the documents: lexicons, labels, classes.
    pub(super) fn files(&self) -> impl Iterator<Item = &Path> {
        let truth = match &self.truth {
            TruthSource::Exact => None,
            TruthSource::Labels(labels) => Some(labels),
        };
        let labels = truth.into_iter().chain(self.classes.as_ref().map(|classes| &classes.labels));
        let labels = labels.filter_map(|labels| match labels {
            LabelSource::File(path) => Some(path.as_path()),
            LabelSource::Columns(_) => None,
        });
        self.lexicons.iter().map(Path::new).chain(labels)
    }

    /// Similarity from which pairs are listed.
    ///
    /// # Errors
    /// An invalid number, or one above the threshold.
    pub(super) fn list_from(&self, settings: &MatchSettings) -> Result<Threshold, LookalikeError> {
        let threshold = settings.threshold;
        let Some(text) = &self.list_from else { return usual_list_from(settings) };
        let from: Threshold = text
            .parse()
            .map_err(|error| LookalikeError::Settings(format!("the setting list_from: {error}")))?;
        if below(threshold, from) {
            return Err(LookalikeError::Settings(format!(
                "the setting list_from={text} is above the threshold {threshold}: true pairs would be missing"
            )));
        }
        Ok(from)
    }
}

/// Default similarity from which pairs are listed: 0.5 for resemblance, but never above the
/// threshold; else the threshold.
pub(crate) fn usual_list_from(settings: &MatchSettings) -> Result<Threshold, LookalikeError> {
    let half: Threshold = "0.5".parse()?;
    let lists_more = settings.measure == Measure::Resemblance && below(half, settings.threshold);
    Ok(if lists_more { half } else { settings.threshold })
}

fn below(x: Threshold, y: Threshold) -> bool {
    x.numerator() * y.denominator() < y.numerator() * x.denominator()
}

/// The default methods: one or two of each family of the papers, at the threshold if they have a
/// threshold of resemblance.
#[must_use]
pub fn default_methods(measure: Measure, threshold: &str) -> Vec<String> {
    let t = match measure {
        Measure::Resemblance => format!(":t={threshold}"),
        Measure::Containment | Measure::Cosine => String::new(),
    };
    vec![
        "exact".into(),
        "lexical".into(),
        "syntactic".into(),
        format!("dsc{t}"),
        "dsc-ss".into(),
        format!("minhash-lsh{t}"),
        "super-shingles-84".into(),
        "word-lsh".into(),
        "imatch".into(),
        "imatch-random".into(),
        "simhash".into(),
    ]
}
