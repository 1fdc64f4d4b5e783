//! Documents, pairs and clusters selected for display.

use serde::{Deserialize, Serialize};

/// A document to show. Titles, addresses and texts are unmodified: renderers escape and shorten
/// them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocExhibit {
    /// Its name in the tables.
    pub id: String,
    /// Its title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Its address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Its text; may be empty if only the name is shown.
    pub text: String,
    /// Length of the whole text in bytes, if `text` is only its beginning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut_from: Option<u64>,
}

impl DocExhibit {
    /// What a reader knows it by in a list: its title, or its text, or nothing.
    pub(crate) fn caption(&self) -> &str {
        caption(self.title.as_deref(), &self.text)
    }
}

fn caption<'a>(title: Option<&'a str>, text: &'a str) -> &'a str {
    title.filter(|title| !title.trim().is_empty()).unwrap_or(text)
}

/// Where a document is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocPlace {
    /// Number of its file among the inputs, from 0.
    pub file: u32,
    /// Number of its record in the file, from 1.
    pub record: u32,
}

/// How two documents compare. The counts are of distinct features.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Measures {
    /// |A∩B| / |A∪B|
    pub resemblance: f64,
    /// |A∩B| / |A|
    pub containment_a_in_b: f64,
    /// |A∩B| / |B|
    pub containment_b_in_a: f64,
    /// |A∩B| / sqrt(|A|·|B|), where asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cosine: Option<f64>,
    /// |A∩B|
    pub shared: u64,
    /// |A|
    pub size_a: u64,
    /// |B|
    pub size_b: u64,
}

/// A resemblance estimated from sketches, and its 95 % interval.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct ResemblanceEstimate {
    /// The estimate.
    pub value: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
}

/// A duplicate and its witness.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PairExhibit {
    /// The removed document.
    pub a: DocExhibit,
    /// Its witness.
    pub b: DocExhibit,
    /// How they compare.
    pub measures: Measures,
    /// The estimated resemblance with its 95 % interval, if the pair was decided by an estimate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub estimate: Option<ResemblanceEstimate>,
    /// Why the first was removed, as in the ledger.
    pub rule: String,
    /// What differs, if that was looked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub difference: Option<PairDifference>,
}

/// What differs between a duplicate and its witness.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PairDifference {
    /// Words of the duplicate that the witness lacks.
    pub lost: u64,
    /// Words of the witness that the duplicate lacks.
    pub added: u64,
    /// Names of the kinds of differences.
    pub kinds: Vec<String>,
}

/// A cluster to show.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ClusterExhibit {
    /// Its number in the tables.
    pub number: u64,
    /// All documents in it, the leader included.
    pub size: u64,
    /// The minimum similarity of a member to the leader, by the run's measure.
    pub least: f64,
    /// The mean similarity of the members to the leader, by the run's measure.
    pub mean: f64,
    /// The leader.
    pub leader: DocExhibit,
    /// Where the leader is.
    #[serde(default)]
    pub place: DocPlace,
    /// The rules by which its members were removed: bit n is rule n of
    /// [`Removed::by_rule`](crate::Removed::by_rule).
    #[serde(default)]
    pub rules: u16,
    /// The files that its documents are in (numbers as in [`DocPlace::file`]), ascending.
    #[serde(default)]
    pub files: Vec<u32>,
    /// Some of the others; only the first few are shown, the rest is counted.
    pub members: Vec<MemberExhibit>,
}

/// Documents of one source removed as duplicates of documents of another, or of the same.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SourceLoss {
    /// File of the removed documents, a number as in [`DocPlace::file`].
    pub from: u32,
    /// Its name.
    pub from_name: String,
    /// Name of the file of the kept ones.
    pub to_name: String,
    /// Number of removed documents.
    pub documents: u64,
}

/// A member of a cluster that is not its leader.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct MemberExhibit {
    /// Its name in the tables.
    pub id: String,
    /// Its title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Similarity to the leader, by the run's measure.
    pub similarity: Option<f64>,
    /// Why it is in the cluster, as in the ledger.
    pub rule: String,
    /// Where it is.
    #[serde(default)]
    pub place: DocPlace,
    /// The beginning of its text; empty if it is that of the leader, or not known.
    #[serde(default)]
    pub text: String,
    /// Length of the whole text in bytes, if `text` is only its beginning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut_from: Option<u64>,
}

impl MemberExhibit {
    /// As [`DocExhibit::caption`].
    pub(crate) fn caption(&self) -> &str {
        caption(self.title.as_deref(), &self.text)
    }
}
