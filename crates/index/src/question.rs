//! Questions to an index, and what an answer costs.

use lookalike_core::{Measure, Overlap, SetDigest, Threshold, TokenDigest};
use std::cmp::Ordering;

/// What is asked about a query set Q and a stored set D.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Ask {
    /// |Q∩D| / |Q∪D|.
    Resembles,
    /// |Q∩D| / sqrt(|Q|·|D|).
    Cosine,
    /// |Q∩D| / |Q|: the stored documents that contain the query.
    Containing,
    /// |Q∩D| / |D|: the stored documents that are contained in the query.
    ContainedIn,
}

impl Ask {
    /// What a document is asked about the documents that can make it a duplicate by a measure: it
    /// is contained in one of them, if containment is measured.
    #[must_use]
    pub fn of(measure: Measure) -> Self {
        match measure {
            Measure::Resemblance => Self::Resembles,
            Measure::Cosine => Self::Cosine,
            Measure::Containment => Self::Containing,
        }
    }

    /// The name used in settings.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Resembles => "resembles",
            Self::Cosine => "cosine",
            Self::Containing => "containing",
            Self::ContainedIn => "contained-in",
        }
    }

    /// Orders the counts of two answers (a the query, b the stored set), the better one last.
    #[must_use]
    pub fn compare(self, a: Overlap, b: Overlap) -> Ordering {
        // For containment the contained side comes first.
        let sides = |counts: Overlap| match self {
            Self::ContainedIn => counts.swapped(),
            _ => counts,
        };
        let (a, b) = (sides(a), sides(b));
        match self.measure() {
            // The contained sets may differ: cross-multiplied.
            Measure::Containment => {
                let product = |x: u32, y: u32| u64::from(x) * u64::from(y);
                product(a.shared, b.a).cmp(&product(b.shared, a.a))
            }
            measure => measure.compare(a, b),
        }
    }

    /// As [`Question::measure`].
    fn measure(self) -> Measure {
        match self {
            Self::Resembles => Measure::Resemblance,
            Self::Cosine => Measure::Cosine,
            Self::Containing | Self::ContainedIn => Measure::Containment,
        }
    }
}

/// A question: what is measured, and the value that it has to reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Question {
    /// What is measured.
    pub ask: Ask,
    /// What it has to reach.
    pub threshold: Threshold,
}

impl Question {
    /// The measure, with the sides in the order (contained, container) for containment: (Q, D) for
    /// [`Ask::Containing`], (D, Q) for [`Ask::ContainedIn`].
    #[must_use]
    pub fn measure(self) -> Measure {
        self.ask.measure()
    }
}

/// The document of a question.
#[derive(Debug, Clone, Copy)]
pub struct QuerySet<'a> {
    /// Its feature set, strictly ascending.
    pub set: &'a [u64],
    /// Whether the set is too small to be compared.
    pub few: bool,
    /// Digest of its tokens: what a document with too few features is compared by.
    pub sequence: TokenDigest,
    /// The key of the value by which it has to differ from documents that it matches; 0 if it may match
    /// any.
    pub value: u64,
}

/// Whether two documents may match by the keys of their values, of which 0 is none.
pub(crate) fn differ(a: u64, b: u64) -> bool {
    a == 0 || a != b
}

/// What an answer cost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Cost {
    /// Posting lists looked up.
    pub lookups: u64,
    /// Entries of posting lists read.
    pub entries: u64,
    /// Stored sets that the counts could not turn away.
    pub candidates: u64,
    /// Stored sets that were verified: on all their elements, or by the digest of an equal set.
    pub verified: u64,
}

impl std::ops::AddAssign for Cost {
    fn add_assign(&mut self, other: Self) {
        self.lookups += other.lookups;
        self.entries += other.entries;
        self.candidates += other.candidates;
        self.verified += other.verified;
    }
}

/// Makes the feature set of a stored text again, as it was when the document was added. Each thread
/// has its own.
pub trait SetMaker {
    /// Replaces the content of `set` by the set of the text, strictly ascending, and returns the digest
    /// of its unit ([`DocumentView::unit`](crate::DocumentView::unit)), unless it has too few features.
    /// `extra` is what the caller stored with the document.
    fn make(&mut self, text: &str, extra: &[u8], set: &mut Vec<u64>) -> Option<SetDigest>;

    /// The digest of the unit of a document with too few features, by that of its words.
    fn few_unit(&self, sequence: TokenDigest, extra: &[u8]) -> SetDigest {
        let _ = extra;
        SetDigest(sequence.0)
    }
}
