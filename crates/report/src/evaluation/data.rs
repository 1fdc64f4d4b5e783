//! What an evaluation found, as `evaluation.json` states it.
//!
//! The primary type is [`Evaluation`]. As in [`crate::Summary`], what depends on the machine and
//! the moment sits in [`Evaluation::run`]; everything else is the same bytes for the same
//! documents, labels and settings.

use crate::{SettingsSummary, Tool};
use serde::{Deserialize, Serialize};

/// Methods, measured against the truth on one collection.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Evaluation {
    /// Who wrote this.
    pub tool: Tool,
    /// The settings by which the truth was made, and those of the methods whose candidates are
    /// verified exactly.
    pub settings: SettingsSummary,
    /// Names of the input files.
    pub inputs: Vec<String>,
    /// Documents read.
    pub documents: u64,
    /// Records that could not be read as documents.
    pub problems: u64,
    /// What the methods are measured against.
    pub truth: TruthSummary,
    /// The methods, in the order in which they were asked for.
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
    /// True pairs; in a sample those with a sampled document.
    pub pairs: u64,
    /// Connected components of two documents or more; not known in a sample.
    pub clusters: Option<u64>,
    /// Documents whose pairs are known, if those of all are not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sample: Option<SampleSummary>,
    /// Pairs are listed from this similarity on, for the recall by similarity; those below the
    /// threshold are not true ones. Not so where the truth is labelled.
    pub listed_from: Option<String>,
    /// The classes of documents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub classes: Option<ClassesSummary>,
}

/// Documents drawn at random.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SampleSummary {
    /// How many.
    pub documents: u64,
    /// The number that they were drawn by.
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
    /// Documents of neither.
    pub unclassified: u64,
    /// What losing a legitimate document costs, in spam documents caught.
    pub cost: u64,
    /// Names in the file that no document has.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub without_document: u64,
}

/// One method.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct MethodResult {
    /// Its description with what verifies it, `name:parameter=value,…@verify`.
    pub method: String,
    /// Its place in a series over one parameter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub series: Option<SeriesPlace>,
    /// Pairs found; in a sample those with a sampled document.
    pub pairs: u64,
    /// True ones among them.
    pub true_pairs: u64,
    /// `true_pairs` of all true pairs. None where there are none.
    pub recall: Option<f64>,
    /// `true_pairs` of `pairs`. None where none was found.
    pub precision: Option<f64>,
    /// Recall of one document's duplicates, averaged over the documents that have any (Kołcz &
    /// Chowdhury 2008, equation 3).
    pub mean_recall: Option<f64>,
    /// Precision of what is found for one document, averaged over those for which something is
    /// (equation 4).
    pub mean_precision: Option<f64>,
    /// Connected components of the pairs found.
    pub clusters: ClusterResult,
    /// Documents without a signature.
    pub ignored: Ignored,
    /// Documents with one.
    pub signed: u64,
    /// Bytes of all their keys, eight a key.
    pub key_bytes: u64,
    /// Bytes of all their sketches.
    pub sketch_bytes: u64,
    /// Pairs of distinct documents that met under a key.
    pub candidates: u64,
    /// Found pairs by similarity: ten steps, and those at exactly 1.
    pub deciles: Vec<Decile>,
    /// Probability of finding a pair by its resemblance from 0 to 1, in equal steps, where theory
    /// gives one. Empty otherwise.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub theory: Vec<f64>,
    /// What it does to classes of documents.
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
    /// How many.
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

/// Pairs of one step of similarity.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Decile {
    /// The least similarity; the step ends below the next one's.
    pub from: f64,
    /// Pairs there are.
    pub pairs: u64,
    /// Those found.
    pub found: u64,
    /// Their share.
    pub recall: Option<f64>,
    /// 95 % confidence interval of the share (Wilson 1927), in a sample.
    pub low: Option<f64>,
    /// Its upper end.
    pub high: Option<f64>,
    /// The share that theory expects of just these pairs.
    pub expected: Option<f64>,
}

/// What a method does to classes of documents.
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

/// What depends on the machine and the moment.
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
    /// Most memory held at any time, where the system tells.
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
    /// None that a well-formed evaluation gives; serialisation is the only step.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        let mut json = serde_json::to_string_pretty(self)?;
        json.push('\n');
        Ok(json)
    }
}

/// Counts that most evaluations lack are left out where they are 0.
#[allow(clippy::trivially_copy_pass_by_ref)] // serde hands out references.
fn is_zero(count: &u64) -> bool {
    *count == 0
}
