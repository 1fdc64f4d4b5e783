//! Predicted results and cost of a run, as printed by `lookalike plan`.
//!
//! The primary type is [`Plan`]; [`Accuracy`](crate::Accuracy) compares it with the run afterwards.
//! As in [`crate::Summary`], values that depend on the machine and time are in [`Plan::run`]; all
//! others are the same bytes for the same documents and settings.

mod accuracy;
mod table;

use crate::{DifferenceSummary, SettingsSummary, Tool};
use serde::{Deserialize, Serialize};

/// A forecast made from a sample.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// The program that made the plan.
    pub tool: Tool,
    /// The subcommand that is planned: `dedup` or `cluster`.
    pub command: String,
    /// The settings that determine the result.
    pub settings: SettingsSummary,
    /// Names of the input files.
    pub inputs: Vec<String>,
    /// Size of the input files on disk.
    pub input_bytes: u64,
    /// The sample.
    pub sample: PlanSample,
    /// Expected number of documents.
    pub documents: u64,
    /// Likely range of the number of documents.
    pub documents_range: (u64, u64),
    /// Expected number of tokens.
    pub tokens: u64,
    /// Expected number of features in all distinct documents.
    pub features: u64,
    /// Expected bytes of text.
    pub text_bytes: u64,
    /// Pairs by similarity, in steps of a tenth from the lowest threshold of the sample.
    pub similarity: Vec<PlanStep>,
    /// Duplicates.
    pub removed: PlanRemoval,
    /// Removal at parts of the sample, which shows its growth.
    pub growth: Vec<PlanGrowth>,
    /// Methods, and the recall of each.
    pub methods: Vec<PlanRecall>,
    /// The run on Spark.
    #[serde(default)]
    pub spark: PlanSpark,
    /// What differs between duplicates in the sample and the kept documents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub differences: Option<DifferenceSummary>,
    /// Notes on how each number was computed, and on its limits.
    pub notes: Vec<String>,
    /// Time and memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<PlanRun>,
}

/// The sample of a forecast.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PlanSample {
    /// Seed of the random numbers.
    pub seed: u64,
    /// Whether it is all of the inputs: then only times are estimated.
    pub whole: bool,
    /// Bytes of input files read.
    pub input_bytes: u64,
    /// Documents read.
    pub documents: u64,
    /// Records and files that could not be used.
    pub problems: u64,
    /// Bytes of text read.
    pub text_bytes: u64,
    /// Its number of documents divided by the expected total.
    pub share: f64,
    /// Files of which only the beginning was read, because they can only be read from the
    /// beginning.
    pub files_from_beginning: u64,
}

/// Pairs in a range of similarity.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct PlanStep {
    /// Lower bound of the range; the upper bound is that of the next, and 1 is a range of its own.
    pub from: f64,
    /// Pairs of documents in the sample.
    pub in_sample: u64,
    /// Expected pairs of documents in the collection.
    pub expected: f64,
}

/// Expected removal.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct PlanRemoval {
    /// Expected number.
    pub expected: u64,
    /// Lower end of the likely range.
    pub low: u64,
    /// Upper end of the likely range.
    pub high: u64,
    /// Documents removed within the sample: a lower bound of the share that is removed.
    pub in_sample: u64,
    /// Documents with the content of an earlier one, if all documents were read: exact.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub copies: Option<u64>,
    /// Documents that were sampled by key, if all documents were read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by_key: Option<u64>,
    /// Expected pairs of documents that reach the threshold, in the collection.
    pub pairs: f64,
}

/// Removal at a part of the sample.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct PlanGrowth {
    /// Documents in the sample.
    pub documents: u64,
    /// Documents of these that are removed.
    pub removed: u64,
}

/// Recall and precision of a method.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PlanRecall {
    /// `exact`, or a method with the verifier of its candidates: `minhash-lsh:t=0.8@sketch`.
    pub method: String,
    /// Recall of the pairs that reach the threshold, by theory and the pairs of the sample.
    pub recall: Option<f64>,
    /// Recall measured in the sample; `None` if it has no pair.
    pub recall_in_sample: Option<f64>,
    /// Precision measured in the sample; `None` if no pair was found.
    pub precision_in_sample: Option<f64>,
}

/// What a run takes on Spark, by a model of measured runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanSpark {
    /// Seconds of one core, on all machines together.
    pub core_seconds: u64,
    /// Bytes that cross shuffles.
    pub shuffled_bytes: u64,
    /// Bytes of the stages between jobs.
    pub stage_bytes: u64,
}

/// Values that depend on the machine and time.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PlanRun {
    /// The command line.
    pub command_line: String,
    /// Worker threads, of the plan and of the planned run.
    pub threads: u64,
    /// Memory budget of the run in bytes.
    pub memory_bytes: u64,
    /// Bytes of memory that the process used before the plan began; included in every peak.
    pub held_before_bytes: u64,
    /// Required recall.
    pub wanted_recall: f64,
    /// Wall-clock time of making the plan.
    pub seconds: f64,
    /// Predicted cost of each of [`Plan::methods`], in their order.
    pub costs: Vec<PlanCost>,
    /// Name of the recommended method; `None` if none has the required recall.
    pub recommended: Option<String>,
    /// Command-line options for it, besides the options of the plan.
    pub options: Option<String>,
    /// Why.
    pub reason: String,
}

/// Predicted cost of a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PlanCost {
    /// As in [`PlanRecall::method`].
    pub method: String,
    /// Wall-clock time.
    pub seconds: f64,
    /// The parts of it, in order.
    pub phases: Vec<PlanPhase>,
    /// Peak memory in bytes.
    pub peak_memory_bytes: u64,
    /// Bytes of temporary files.
    pub scratch_bytes: u64,
}

/// A part of a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PlanPhase {
    /// Its name, as in `summary.json`.
    pub name: String,
    /// Seconds it took on the sample.
    pub in_sample: f64,
    /// Seconds it will take.
    pub seconds: f64,
}

impl Plan {
    /// Indented JSON that ends with a line break.
    ///
    /// # Errors
    /// Serialisation failed, which does not occur for a well-formed plan.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        let mut json = serde_json::to_string_pretty(self)?;
        json.push('\n');
        Ok(json)
    }
}
