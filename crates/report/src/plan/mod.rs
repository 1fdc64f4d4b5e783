//! What a long run will find and cost, as `lookalike plan` states it.
//!
//! The primary type is [`Plan`]; [`Accuracy`](crate::Accuracy) says afterwards how far off it was. As in
//! [`crate::Summary`], what depends on the machine and the moment sits in [`Plan::run`]; everything
//! else is the same bytes for the same documents and settings.

mod accuracy;
mod table;

use crate::{SettingsSummary, Tool};
use serde::{Deserialize, Serialize};

/// A forecast made from a sample.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// Who wrote this.
    pub tool: Tool,
    /// The subcommand that is planned: `dedup` or `cluster`.
    pub command: String,
    /// What decides the answer.
    pub settings: SettingsSummary,
    /// Names of the input files.
    pub inputs: Vec<String>,
    /// Bytes of the input files, as they lie there.
    pub input_bytes: u64,
    /// The sample.
    pub sample: PlanSample,
    /// Documents in all.
    pub documents: u64,
    /// Hardly fewer documents, and hardly more.
    pub documents_range: (u64, u64),
    /// Tokens in all.
    pub tokens: u64,
    /// Features in all distinct documents.
    pub features: u64,
    /// Bytes of text in all.
    pub text_bytes: u64,
    /// Pairs by similarity, in steps of a tenth from the least that was looked for.
    pub similarity: Vec<PlanStep>,
    /// Duplicates.
    pub removed: PlanRemoval,
    /// Removal at parts of the sample: how it grows.
    pub growth: Vec<PlanGrowth>,
    /// Ways to do it, and what each finds of the pairs that reach the threshold.
    pub methods: Vec<PlanRecall>,
    /// How each number was made, and what it is not, in sentences.
    pub notes: Vec<String>,
    /// Time and memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<PlanRun>,
}

/// What a forecast was made from.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PlanSample {
    /// The number it was drawn by.
    pub seed: u64,
    /// Whether it is all of the inputs: then nothing but times is estimated.
    pub whole: bool,
    /// Bytes of input files read.
    pub input_bytes: u64,
    /// Documents read.
    pub documents: u64,
    /// Records and files that could not be used.
    pub problems: u64,
    /// Bytes of text read.
    pub text_bytes: u64,
    /// Its documents divided by those expected in all.
    pub share: f64,
    /// Files of which only the beginning was read, because they cannot be entered in the middle.
    pub files_from_beginning: u64,
}

/// Pairs of some similarity.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct PlanStep {
    /// The least similarity of the step; it ends where the next begins, and 1 is a step of its own.
    pub from: f64,
    /// Pairs of documents in the sample.
    pub in_sample: u64,
    /// Pairs of documents in all.
    pub expected: f64,
}

/// How many documents are expected to go.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct PlanRemoval {
    /// About so many.
    pub expected: u64,
    /// Hardly fewer.
    pub low: u64,
    /// Hardly more.
    pub high: u64,
    /// Documents that go within the sample: of all at least this share of them does.
    pub in_sample: u64,
    /// Pairs of documents that reach the threshold, in all.
    pub pairs: f64,
}

/// Removal at a part of the sample.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct PlanGrowth {
    /// Documents in the sample.
    pub documents: u64,
    /// Documents of those that go.
    pub removed: u64,
}

/// What a method finds.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PlanRecall {
    /// `exact`, or a method with what decides about its candidates: `minhash-lsh:t=0.8@sketch`.
    pub method: String,
    /// Share of the pairs that reach the threshold that it finds, by theory and the pairs of the
    /// sample.
    pub recall: Option<f64>,
    /// The same as it was in the sample; `None` without a pair.
    pub recall_in_sample: Option<f64>,
    /// Share of what it finds in the sample that reaches the threshold; `None` where it finds
    /// nothing.
    pub precision_in_sample: Option<f64>,
}

/// What depends on the machine and the moment.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PlanRun {
    /// The command line.
    pub command_line: String,
    /// Worker threads, of the plan and of the run that is planned.
    pub threads: u64,
    /// Bytes of memory that the run may take.
    pub memory_bytes: u64,
    /// Bytes of memory that the process held before the plan began; part of the peak of every cost.
    pub held_before_bytes: u64,
    /// Recall that is wanted.
    pub wanted_recall: f64,
    /// Wall-clock time of making the plan.
    pub seconds: f64,
    /// What each of [`Plan::methods`] will cost, in their order.
    pub costs: Vec<PlanCost>,
    /// Which of them to take, by name; `None` where none meets what is wanted.
    pub recommended: Option<String>,
    /// What to type behind the inputs for it, besides the options of the plan.
    pub options: Option<String>,
    /// Why.
    pub reason: String,
}

/// What a run will cost.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PlanCost {
    /// As in [`PlanRecall::method`].
    pub method: String,
    /// Wall-clock time.
    pub seconds: f64,
    /// The parts of it, in order.
    pub phases: Vec<PlanPhase>,
    /// Most memory held at any time.
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
    /// None that a well-formed plan gives; serialisation is the only step.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        let mut json = serde_json::to_string_pretty(self)?;
        json.push('\n');
        Ok(json)
    }
}
