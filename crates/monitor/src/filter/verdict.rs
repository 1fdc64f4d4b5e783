//! What is said about a message.

use lookalike_run::index::reports::Counts;
use serde::{Serialize, Serializer};

/// What is said about a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum VerdictKind {
    /// It matches no prototype.
    None,
    /// It matches a prototype that somebody reported as legitimate.
    Ham,
    /// It matches prototypes, none of which has enough reports.
    Unsure,
    /// It matches a prototype with enough reports as spam.
    Spam,
    /// It could not be read.
    Error,
}

impl VerdictKind {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::None, Self::Ham, Self::Unsure, Self::Spam, Self::Error];

    /// Its name, as in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Ham => "ham",
            Self::Unsure => "unsure",
            Self::Spam => "spam",
            Self::Error => "error",
        }
    }
}

/// What is said about a message, and why.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Verdict {
    /// The id of the message.
    pub id: String,
    /// What is said about it.
    pub verdict: VerdictKind,
    /// How well it matches the prototype that decided, from 0 to 1: the measure that was asked for,
    /// or the share of the signatures of a method that agree. 0 without a match.
    pub score: f64,
    /// The prototype that decided.
    #[serde(rename = "match", skip_serializing_if = "Option::is_none")]
    pub prototype: Option<MatchedPrototype>,
    /// What was reported about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reports: Option<ReportCounts>,
    /// The rarest terms of the signature that agreed, for methods that select terms.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub terms: Vec<String>,
    /// The longest passages in common, for measures and other methods.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub passages: Vec<SharedText>,
    /// Why the message could not be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// A prototype that a message matches. The message is the query Q, the prototype the document D.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MatchedPrototype {
    /// Its id.
    pub id: String,
    /// |Q∩D| / |Q∪D|.
    pub resemblance: f64,
    /// |Q∩D| / |Q|.
    pub query_in_document: f64,
    /// |Q∩D| / |D|.
    pub document_in_query: f64,
    /// |Q∩D|.
    pub shared: u32,
    /// |D|.
    pub size: u32,
}

/// How many different reporters called a prototype what, and when.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReportCounts {
    /// Reporters who called it spam.
    pub spam: u32,
    /// Reporters who called it legitimate.
    pub ham: u32,
    /// Time of the first report that stands, in seconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "time")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub first: Option<u64>,
    /// Time of the last one.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "time")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub last: Option<u64>,
}

impl ReportCounts {
    pub(super) fn of(counts: Counts) -> Self {
        let Counts { spam, ham, first, last } = counts;
        let time = |time| (!counts.is_empty()).then_some(time);
        Self { spam, ham, first: time(first), last: time(last) }
    }
}

fn time<S: Serializer>(time: &Option<u64>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&lookalike_engine::written_date(time.unwrap_or(0)))
}

/// A passage of a message that a prototype has too.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SharedText {
    /// Number of its words.
    pub words: usize,
    /// Its text in the message; of a long one the beginning.
    pub text: String,
}

impl Verdict {
    /// A message that matches nothing.
    pub(super) fn none(id: String) -> Self {
        Self {
            id,
            verdict: VerdictKind::None,
            score: 0.0,
            prototype: None,
            reports: None,
            terms: Vec::new(),
            passages: Vec::new(),
            problem: None,
        }
    }

    /// A message that could not be read.
    pub(super) fn error(id: String, problem: String) -> Self {
        let problem = Some(problem);
        Self { verdict: VerdictKind::Error, problem, ..Self::none(id) }
    }
}
