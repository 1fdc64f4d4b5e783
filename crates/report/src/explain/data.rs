//! A comparison as JSON states it.

use crate::{Measures, Passage, Side};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Two documents, compared.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// The one document.
    pub a: ComparedDocument,
    /// The other.
    pub b: ComparedDocument,
    /// What was measured: `resemblance`, …
    pub measure: String,
    /// What it had to reach, as it was written.
    pub threshold: String,
    /// What was counted: `word 5-shingles`, …
    pub features: String,
    /// The measures.
    pub measures: Measures,
    /// Whether the measure reaches the threshold.
    pub reaches: bool,
    /// What follows, in a sentence.
    pub verdict: String,
    /// What a run decided about the two, where there was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decision: Option<String>,
    /// Passages that both have, longest first.
    pub passages: Vec<SharedPassage>,
    /// Where they differ, in order.
    pub differences: Vec<Difference>,
    /// Whether parts were too different to be aligned within the bound on work.
    pub coarse: bool,
}

/// One of two documents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ComparedDocument {
    /// Its name.
    pub id: String,
    /// Its title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Its address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Length of its text.
    pub bytes: u64,
    /// Number of its tokens.
    pub tokens: u64,
}

/// A passage and where it stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SharedPassage {
    /// Its tokens, by number.
    #[serde(flatten)]
    pub place: Passage,
    /// Its bytes in a's text.
    pub bytes_a: Range<usize>,
    /// Its bytes in b's text.
    pub bytes_b: Range<usize>,
    /// How a spells it.
    pub text_a: String,
    /// How b spells it.
    pub text_b: String,
}

/// What only one of the documents has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Difference {
    /// Which of them: `left` is a, `right` is b.
    pub side: Side,
    /// Where in its text.
    pub bytes: Range<usize>,
    /// The words as they were written.
    pub text: String,
}
