//! The result of an evaluation, as in `evaluation.json`.
//!
//! The primary type is [`Evaluation`]. As in [`crate::Summary`], values that depend on the machine
//! and time are in [`Evaluation::run`]; all others are the same bytes for the same documents,
//! labels and settings.

use crate::{SettingsSummary, Tool};
use serde::{Deserialize, Serialize};

/// Methods, measured against the ground truth on one collection.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Evaluation {
    /// The program that wrote the file.
    pub tool: Tool,
    /// The settings of the ground truth, and of methods whose candidates are verified exactly.
    pub settings: SettingsSummary,
    /// Names of the input files.
    pub inputs: Vec<String>,
    /// Documents read.
    pub documents: u64,
    /// Records that could not be read as documents.
    pub problems: u64,
    /// What the methods are measured against.
    pub truth: TruthSummary,
    /// The methods, in the order of the job.
    pub methods: Vec<MethodResult>,
    /// Time and memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<EvaluationRun>,
}

/// What the methods are measured against.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct TruthSummary {
    /// `exact` (every pair that reaches the threshold) or `labels`.
    pub source: String,
    /// The file of labels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub labels: Option<String>,
    /// Names in the labels that no document has.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub labels_without_document: u64,
    /// Pairs labelled as different, where labels are judgements: then only labelled pairs count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub different: Option<u64>,
    /// True pairs; in a sample those with a sampled document.
    pub pairs: u64,
    /// Connected components of two documents or more; not known in a sample.
    pub clusters: Option<u64>,
    /// The sample of documents whose pairs are known; `None` if all pairs are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sample: Option<SampleSummary>,
    /// Pairs are listed from this similarity on, for the recall by similarity; those below the
    /// threshold are not true pairs. `None` for labels.
    pub listed_from: Option<String>,
    /// The classes of documents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub classes: Option<ClassesSummary>,
}

/// Documents drawn at random.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SampleSummary {
    /// Number of documents.
    pub documents: u64,
    /// Seed of the random numbers.
    pub seed: u64,
}

/// Documents by class.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClassesSummary {
    /// The file.
    pub file: String,
    /// Documents of the class that is filtered out.
    pub spam: u64,
    /// Documents of the class that must not be lost.
    pub legit: u64,
    /// Documents of neither class.
    pub unclassified: u64,
    /// Cost of a removed legitimate document, in spam documents caught.
    pub cost: u64,
    /// Names in the file that no document has.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub without_document: u64,
}

/// One method.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct MethodResult {
    /// Its description and verifier, `name:parameter=value,…@verify`.
    pub method: String,
    /// Its place in a series over one parameter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub series: Option<SeriesPlace>,
    /// Pairs found; in a sample those with a sampled document.
    pub pairs: u64,
    /// True pairs among them.
    pub true_pairs: u64,
    /// `true_pairs` / all true pairs. `None` if there are none.
    pub recall: Option<f64>,
    /// `true_pairs` / `pairs`. `None` if no pair was found.
    pub precision: Option<f64>,
    /// Recall of one document's duplicates, averaged over the documents that have any (Kołcz &
    /// Chowdhury 2008, equation 3).
    pub mean_recall: Option<f64>,
    /// Precision of one document's found pairs, averaged over the documents that have any (equation
    /// 4).
    pub mean_precision: Option<f64>,
    /// Connected components of the pairs found.
    pub clusters: ClusterResult,
    /// Documents without a signature.
    pub ignored: Ignored,
    /// Documents with a signature.
    pub signed: u64,
    /// Bytes of all their keys, eight per key.
    pub key_bytes: u64,
    /// Bytes of all their sketches.
    pub sketch_bytes: u64,
    /// Pairs of distinct documents with a common key.
    pub candidates: u64,
    /// Found pairs by similarity: ten steps, and those at exactly 1.
    pub deciles: Vec<Decile>,
    /// Theoretical probability of finding a pair by its resemblance from 0 to 1, in equal steps.
    /// Empty if there is no formula.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub theory: Vec<f64>,
    /// Results by classes of documents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub classes: Option<ClassResult>,
}

/// A method's place in a series over one parameter.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeriesPlace {
    /// The description with a star in place of the value: equal for the methods of one series.
    pub series: String,
    /// The parameter.
    pub parameter: String,
    /// Its value here.
    pub value: String,
}

/// Clusters of two documents or more.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClusterResult {
    /// Number of clusters.
    pub clusters: u64,
    /// Those whose documents are all in one true component; not known in a sample.
    pub pure: Option<u64>,
    /// Documents in clusters.
    pub documents: u64,
    /// Documents in the largest.
    pub largest: u64,
}

/// Documents that a method cannot sign, by reason.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ignored {
    /// No word at all.
    pub no_words: u64,
    /// Fewer features than the method needs.
    pub too_short: u64,
    /// Nothing left after the selection of terms.
    pub nothing_selected: u64,
    /// Nothing left after common shingles were removed.
    #[serde(default, skip_serializing_if = "crate::summary::is_zero")]
    pub only_common: u64,
    /// Fewer features than the setting `min_features`: in a pair only with documents of the same
    /// words.
    #[serde(default)]
    pub few_features: u64,
}

/// Pairs within one step of similarity.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Decile {
    /// The least similarity; the step ends below the next one's.
    pub from: f64,
    /// True pairs.
    pub pairs: u64,
    /// Found pairs.
    pub found: u64,
    /// Share of found pairs.
    pub recall: Option<f64>,
    /// 95 % confidence interval of the share (Wilson 1927), in a sample.
    pub low: Option<f64>,
    /// Its upper end.
    pub high: Option<f64>,
    /// The theoretical share for these pairs.
    pub expected: Option<f64>,
}

impl Decile {
    /// Whether pairs of this step have a similarity of `sought` or more.
    pub(super) fn reaches(&self, sought: f64) -> bool {
        // The tolerance is for tenths, which are no binary fractions.
        self.from >= 1.0 || self.from + 0.1 > sought + 1e-9
    }
}

/// Results of a method by classes of documents.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct ClassResult {
    /// Pairs of a spam and a legitimate document.
    pub false_matches: u64,
    /// Legitimate documents in them.
    pub legit_caught: u64,
    /// Spam documents matched with other spam.
    pub spam_caught: u64,
    /// `spam_caught` − cost · `legit_caught`: spam as a whole against the collection.
    pub utility: i64,
    /// Utility of one spam document as query, averaged over all of them (Kołcz & Chowdhury 2008,
    /// equation 5).
    pub mean_utility: Option<f64>,
}

/// Values that depend on the machine and time.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct EvaluationRun {
    /// The command line.
    pub command_line: String,
    /// Worker threads.
    pub threads: u64,
    /// Wall-clock time from start to end.
    pub seconds: f64,
    /// Wall-clock time for the truth.
    pub truth_seconds: f64,
    /// Wall-clock time by method, in the order of the methods.
    pub methods: Vec<MethodTimes>,
    /// Peak memory, if the system reports it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub peak_memory_bytes: Option<u64>,
}

/// Seconds of one method.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct MethodTimes {
    /// Reading, tokenising and signing.
    pub signing: f64,
    /// Finding and verifying the pairs.
    pub joining: f64,
}

impl Ignored {
    /// All of them.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.no_words
            + self.too_short
            + self.nothing_selected
            + self.only_common
            + self.few_features
    }
}

impl ClusterResult {
    /// Documents in a cluster, on average.
    #[must_use]
    pub fn average_size(&self) -> Option<f64> {
        (self.clusters > 0).then(|| self.documents as f64 / self.clusters as f64)
    }
}

impl MethodResult {
    /// Bytes of keys and of sketch for each document that has them, on average.
    #[must_use]
    pub fn bytes_per_document(&self) -> Option<(f64, f64)> {
        let each = |bytes: u64| bytes as f64 / self.signed as f64;
        (self.signed > 0).then(|| (each(self.key_bytes), each(self.sketch_bytes)))
    }
}

impl Evaluation {
    /// The file's content: indented JSON that ends with a line break.
    ///
    /// # Errors
    /// Serialisation failed, which does not occur for a well-formed evaluation.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        let mut json = serde_json::to_string_pretty(self)?;
        json.push('\n');
        Ok(json)
    }

    /// The least similarity of the pairs that this method looks for. Complete sets decide at the
    /// threshold, so that pairs below it are no pairs to be found, unless labels say so.
    pub(super) fn sought_from(&self, result: &MethodResult) -> f64 {
        let by_sets = result.method == "exact" || result.method.ends_with("@exact");
        if by_sets && self.truth.labels.is_none() { self.settings.threshold_value() } else { 0.0 }
    }
}

/// Optional counts are omitted if they are 0.
#[allow(clippy::trivially_copy_pass_by_ref)] // serde passes references.
fn is_zero(count: &u64) -> bool {
    *count == 0
}
