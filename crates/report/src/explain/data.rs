//! Two compared documents, as JSON states them.

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
    /// Passages that both have, the longest first: at most
    /// [`PASSAGE_BOUNDS`](crate::PASSAGE_BOUNDS) allows.
    pub passages: Vec<SharedPassage>,
    /// Number of passages found.
    pub passages_found: u64,
    /// Whether all passages were found within the bound on work.
    pub passages_complete: bool,
    /// Where they differ, in order: the first [`Comparison::DIFFERENCES`].
    pub differences: Vec<Difference>,
    /// Number of differences found: what only one of them has counts once for each side.
    pub differences_found: u64,
    /// Whether both texts are aligned to their ends, so that all differences were found.
    pub differences_complete: bool,
    /// Whether parts were too different to be aligned within the bound on work.
    pub coarse: bool,
}

impl Comparison {
    /// Most differences listed.
    pub const DIFFERENCES: usize = 10_000;
    /// Most bytes of the text of a passage or of a difference; their `bytes` are those of the
    /// whole.
    pub const TEXT: usize = 4096;
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

/// A passage and where it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SharedPassage {
    /// Its tokens, by number.
    #[serde(flatten)]
    pub place: Passage,
    /// Its bytes in a's text.
    pub bytes_a: Range<usize>,
    /// Its bytes in b's text.
    pub bytes_b: Range<usize>,
    /// How a spells it, the beginning of a long one.
    pub text_a: String,
    /// How b spells it, the beginning of a long one.
    pub text_b: String,
}

/// What only one of the documents has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Difference {
    /// Which of them: `left` is a, `right` is b.
    pub side: Side,
    /// Where in its text.
    pub bytes: Range<usize>,
    /// The words as they were written, the beginning of many.
    pub text: String,
}
