//! Two compared documents, as written to JSON.

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
    /// The measure: `resemblance`, …
    pub measure: String,
    /// The threshold, as written by the user.
    pub threshold: String,
    /// The features: `word 5-shingles`, …
    pub features: String,
    /// The measures.
    pub measures: Measures,
    /// Whether the measure reaches the threshold.
    pub reaches: bool,
    /// The conclusion, in a sentence.
    pub verdict: String,
    /// The decision of a run about the two, if there was a run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decision: Option<String>,
    /// Passages that both have, the longest first; at most the number in
    /// [`PASSAGE_BOUNDS`](crate::PASSAGE_BOUNDS).
    pub passages: Vec<SharedPassage>,
    /// Number of passages found.
    pub passages_found: u64,
    /// Whether all passages were found within the bound on work.
    pub passages_complete: bool,
    /// The first [`Comparison::DIFFERENCES`] differences, in order.
    pub differences: Vec<Difference>,
    /// Number of differences found; a replacement counts as two, one for each side.
    pub differences_found: u64,
    /// Whether both texts are aligned to their ends, so that all differences were found.
    pub differences_complete: bool,
    /// Whether parts were too different to be aligned within the bound on work.
    pub coarse: bool,
}

impl Comparison {
    /// Maximum number of listed differences.
    pub const DIFFERENCES: usize = 10_000;
    /// Maximum length in bytes of the text of a passage or difference; their `bytes` are ranges of
    /// the whole.
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

/// A shared passage and its positions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SharedPassage {
    /// Its tokens, by number.
    #[serde(flatten)]
    pub place: Passage,
    /// Its bytes in a's text.
    pub bytes_a: Range<usize>,
    /// Its bytes in b's text.
    pub bytes_b: Range<usize>,
    /// Its text in a; of a long one the beginning.
    pub text_a: String,
    /// Its text in b; of a long one the beginning.
    pub text_b: String,
}

/// Text that only one of the documents has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Difference {
    /// Which document: `left` is a, `right` is b.
    pub side: Side,
    /// Its range in the document's text.
    pub bytes: Range<usize>,
    /// The words as written; of many, the first.
    pub text: String,
}
