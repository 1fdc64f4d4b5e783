//! The trait of a method: keys and a sketch of a document, and the comparison of two sketches.

use crate::hamming::Search;
use lookalike_core::features::DistinctScratch;
use lookalike_core::{CommonElements, FeatureKind, Measure, Overlap};
use std::fmt;

/// The input of a method: one document.
#[derive(Debug, Clone, Copy, Default)]
pub struct Document<'a> {
    /// Hashes of the tokens ([`lookalike_core::fingerprint::token`]) in text order, after the term
    /// filter that the method asks for. The *term* of a token is its
    /// [`lookalike_core::fingerprint::finalise`]d hash.
    pub tokens: &'a [u64],
    /// Markup of each token; empty if there is none.
    pub marks: &'a [Marks],
    /// Metadata of the document.
    pub fields: &'a [Field],
    /// Hashes of the tokens of texts that are given beside its own ([`FieldUse::texts`]), one text
    /// after the other.
    pub texts: &'a [u64],
    /// The end of each of these texts.
    pub text_ends: &'a [u32],
    /// Numbers that are given of the document.
    pub numbers: &'a [Number],
    /// Shingles that are removed from every set before it is sampled; `None` for none.
    pub common: Option<&'a CommonElements>,
}

/// Markup around a token, one bit each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Marks(pub u8);

impl Marks {
    /// Part of a heading (`h1` to `h6`).
    pub const HEADING: Self = Self(1);
    /// Emphasised (`b`, `strong`, `i`, `em`).
    pub const EMPHASIS: Self = Self(2);
    /// Part of a link.
    pub const LINK: Self = Self(4);

    /// Whether any of `others` is set.
    #[must_use]
    pub fn any(self, others: Self) -> bool {
        self.0 & others.0 != 0
    }
}

/// A piece of metadata, as a feature: the hash of its name and value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Field(pub u64);

/// A number that is given of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Number {
    /// The hash of its name.
    pub name: Field,
    /// Its value in millionths, -10⁹ to 10⁹.
    pub millionths: i64,
}

impl Number {
    /// A value between -1000 and 1000, rounded to millionths; values beyond are cut to that. `None`
    /// for one that is not a number.
    #[must_use]
    pub fn new(name: Field, value: f64) -> Option<Self> {
        // A product and a rounding, the same on every machine.
        let millionths = (value.clamp(-1000.0, 1000.0) * 1e6).round();
        (!value.is_nan()).then_some(Self { name, millionths: millionths as i64 })
    }
}

/// Names of the fields of a record that a method reads, beside the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FieldUse<'a> {
    /// Fields whose values are [`Document::fields`]. `url`, `title` and `date` are those of the
    /// record, whatever its names for them are.
    pub features: &'a [String],
    /// Fields whose words are [`Document::texts`].
    pub texts: &'a [String],
    /// Fields whose values are [`Document::numbers`].
    pub numbers: &'a [String],
}

impl<'a> FieldUse<'a> {
    /// Names that a record has itself.
    pub const OF_RECORDS: [&'static str; 3] = ["url", "title", "date"];

    /// Whether no field is read.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.features.is_empty() && self.texts.is_empty() && self.numbers.is_empty()
    }

    /// The names that are not among those of every record.
    pub fn given(self) -> impl Iterator<Item = &'a String> {
        let features = self.features.iter();
        let given = features.filter(|name| !Self::OF_RECORDS.contains(&name.as_str()));
        given.chain(self.texts).chain(self.numbers)
    }
}

/// Why a document has no signature. Such documents are reported and match nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Unsigned {
    /// No token at all.
    Empty,
    /// Fewer features than the method needs.
    TooShort,
    /// Nothing left after the method's selection of terms.
    NothingSelected,
    /// Nothing left after common shingles were removed ([`Document::common`]).
    OnlyCommon,
    /// Fewer features than the setting `min_features`, whatever the method.
    FewFeatures,
}

impl fmt::Display for Unsigned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Empty => "no words",
            Self::TooShort => "too short for the method",
            Self::NothingSelected => "no term selected by the method",
            Self::OnlyCommon => "nothing but common shingles",
            Self::FewFeatures => "fewer features than the setting min_features",
        })
    }
}

/// One document's signature; buffers are reused from document to document.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Signature {
    /// Keys of the document, distinct, in any order. Keys of different bands, views or tables
    /// differ because their number is mixed into them.
    pub keys: Vec<u64>,
    /// The sketch, as [`Method::compare`] reads it.
    pub sketch: Vec<u64>,
    /// Size of the document in features, before any selection.
    pub size: u32,
    /// The i of V_i (Broder's variable modulus); 0 for everything else.
    pub level: u32,
}

impl Signature {
    /// Clears the signature.
    pub fn clear(&mut self) {
        self.keys.clear();
        self.sketch.clear();
        self.size = 0;
        self.level = 0;
    }

    /// The sketch, for comparison.
    #[must_use]
    pub fn as_sketch(&self) -> Sketch<'_> {
        Sketch { words: &self.sketch, size: self.size, level: self.level }
    }
}

/// A stored sketch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sketch<'a> {
    /// See [`Signature::sketch`].
    pub words: &'a [u64],
    /// See [`Signature::size`].
    pub size: u32,
    /// See [`Signature::level`].
    pub level: u32,
}

/// The result of comparing two documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Evidence {
    /// Counts of the whole sets: nothing is estimated.
    Exact(Overlap),
    /// Counts in two samples of the sets: resemblance and containment follow as for whole sets.
    Sampled(Overlap),
    /// Equal ones among `of` values drawn without bias from the union: `equal / of` estimates the
    /// resemblance.
    Agreement {
        /// Values that agree.
        equal: u32,
        /// Values compared.
        of: u32,
    },
    /// Bits in which two simhashes differ.
    Distance(u32),
    /// A common key; the method gives no numbers.
    SameKey,
}

impl Evidence {
    /// Resemblance, or its estimate.
    #[must_use]
    pub fn resemblance(self) -> Option<f64> {
        match self {
            Self::Exact(counts) | Self::Sampled(counts) => Some(counts.resemblance()),
            Self::Agreement { of: 0, .. } => Some(0.0),
            Self::Agreement { equal, of } => Some(f64::from(equal) / f64::from(of)),
            Self::Distance(_) | Self::SameKey => None,
        }
    }

    /// The counts of both sets, or of samples of both at one rate.
    #[must_use]
    pub fn counts(self) -> Option<Overlap> {
        match self {
            Self::Exact(counts) | Self::Sampled(counts) => Some(counts),
            Self::Agreement { .. } | Self::Distance(_) | Self::SameKey => None,
        }
    }

    /// The number of common values, and the sizes of both sides.
    #[must_use]
    pub fn shared(self) -> Option<Overlap> {
        match self {
            Self::Agreement { equal, of } => Some(Overlap { shared: equal, a: of, b: of }),
            _ => self.counts(),
        }
    }

    /// Bits in which their simhashes differ.
    #[must_use]
    pub fn distance(self) -> Option<u32> {
        match self {
            Self::Distance(bits) => Some(bits),
            _ => None,
        }
    }

    /// The same pair in the other order.
    #[must_use]
    pub fn swapped(self) -> Self {
        match self {
            Self::Exact(counts) => Self::Exact(counts.swapped()),
            Self::Sampled(counts) => Self::Sampled(counts.swapped()),
            other => other,
        }
    }

    /// Orders two pieces of evidence of one kind, weaker first: exactly, without division.
    #[must_use]
    pub fn compare(self, other: Self) -> std::cmp::Ordering {
        use std::cmp::Ordering::Equal;
        match (self, other) {
            (Self::Exact(x), Self::Exact(y)) | (Self::Sampled(x), Self::Sampled(y)) => {
                Measure::Resemblance.compare(x, y)
            }
            (Self::Agreement { equal, of }, Self::Agreement { equal: e, of: o }) => {
                (u64::from(equal) * u64::from(o)).cmp(&(u64::from(e) * u64::from(of)))
            }
            (Self::Distance(x), Self::Distance(y)) => y.cmp(&x),
            _ => Equal,
        }
    }
}

/// How many signatures of two sketches agree, for methods whose sketch is a row of signatures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Agreement {
    /// The signatures that agree, one bit each, the first the lowest.
    pub equal: u64,
    /// Number of signatures, at most 64; 0 for a method whose sketch is no row of signatures.
    pub of: u32,
}

/// How candidates of a method are generated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CandidateSource {
    /// By a common key.
    Keys,
    /// By sketches of one word each that differ in few bits.
    Hamming {
        /// Maximum number of differing bits.
        distance: u32,
        /// Algorithm of the Hamming join.
        search: Search,
    },
}

/// Buffers of one thread, for any method.
#[derive(Debug, Clone, Default)]
pub struct MethodScratch {
    /// For sets of distinct values.
    pub known: DistinctScratch,
    /// Temporary values.
    pub seen: Vec<u64>,
    /// Features of the document.
    pub features: Vec<u64>,
    /// Values derived from them.
    pub values: Vec<u64>,
    /// Weights of the features, or sums of them.
    pub weights: Vec<f64>,
    /// Counts, ranks or places of the features.
    pub counts: Vec<u32>,
    /// Occurrences of n-grams.
    pub grams: Vec<u64>,
    /// What each of them weighs.
    pub gram_weights: Vec<u64>,
}

/// A method: signs documents so that near-duplicates have common keys.
///
/// A signature is a function of the document and of frozen statistics alone.
pub trait Method: fmt::Debug + Send + Sync {
    /// Signs a document into `out`, which is empty. Does not allocate once the buffers are warm.
    ///
    /// # Errors
    /// The document has no key; the content of `out` is then unspecified.
    fn sign(
        &self,
        document: &Document<'_>,
        scratch: &mut MethodScratch,
        out: &mut Signature,
    ) -> Result<(), Unsigned>;

    /// The term filter to apply to tokens before they are signed, in its text form
    /// (`stop+tg5+stem`); empty if all tokens are used. The caller applies it, and returns an error
    /// for an unknown filter.
    fn term_filter(&self) -> &str {
        ""
    }

    /// How the method makes shingles of the tokens; `None` if it makes none, so that there are no
    /// common shingles to remove.
    fn shingles(&self) -> Option<FeatureKind> {
        None
    }

    /// Whether a signature depends on markup.
    fn uses_marks(&self) -> bool {
        false
    }

    /// The fields that a signature depends on.
    fn fields(&self) -> FieldUse<'_> {
        FieldUse::default()
    }

    /// How candidates are found.
    fn candidates(&self) -> CandidateSource {
        CandidateSource::Keys
    }

    /// Compares the sketches of two documents. Symmetric but for the order of the counts.
    fn compare(&self, a: Sketch<'_>, b: Sketch<'_>) -> Evidence;

    /// Whether the comparison is an unbiased estimate of the resemblance, so that it has an
    /// interval ([`Estimate`](crate::broder::Estimate)): not if digests of several draws are
    /// compared.
    fn estimates(&self) -> bool {
        false
    }

    /// The signatures in which two sketches agree.
    fn agreement(&self, _: Sketch<'_>, _: Sketch<'_>) -> Agreement {
        Agreement::default()
    }

    /// Replaces `terms` by those that signature number `signature` of a document is made of, the
    /// rarest first; none if the document lacks that signature, or if the method does not make its
    /// signatures of terms.
    fn signature_terms(
        &self,
        _document: &Document<'_>,
        _signature: u32,
        _scratch: &mut MethodScratch,
        terms: &mut Vec<u64>,
    ) {
        terms.clear();
    }

    /// Whether the evidence makes two documents near-duplicates by the method's own parameters.
    fn accepts(&self, evidence: Evidence) -> bool;
}
