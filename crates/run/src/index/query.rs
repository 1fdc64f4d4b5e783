//! Questions to an index, and their answers.

use super::filter::Filter;
use lookalike_core::Overlap;
use lookalike_index::{Ask, Cost};
use lookalike_io::Beside;
use lookalike_report::SharedPassage;
use serde::Serialize;
use std::cmp::Ordering;
use std::str::FromStr;

/// What a question is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum QuerySubject {
    /// A text.
    Text(String),
    /// A mail message: its text, and what is compared beside it.
    Message {
        /// The text.
        text: String,
        /// What is compared beside it.
        beside: Beside,
    },
    /// A stored document, by its id; of several sweeps the last.
    Id(String),
    /// The document found last at an address.
    Url(String),
    /// The cluster of a stored document, by its id.
    Cluster(String),
}

/// Which stored documents are asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wanted {
    /// Those that resemble the document.
    Resembles,
    /// Those that contain it.
    Containing,
    /// Those that are contained in it.
    ContainedIn,
    /// Those that are near it by binary cosine.
    Cosine,
    /// Those of its cluster: the document that leader clustering keeps, and those whose witness
    /// that is.
    Cluster,
    /// Those that a method of the index takes for near-duplicates, by its name or its whole
    /// description.
    Method(String),
}

impl FromStr for Wanted {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(match text {
            "resembles" => Self::Resembles,
            "containing" => Self::Containing,
            "contained-in" => Self::ContainedIn,
            "cosine" => Self::Cosine,
            "cluster" => Self::Cluster,
            method => Self::Method(method.to_owned()),
        })
    }
}

impl Wanted {
    /// Orders two documents D of an answer about a document Q as the answer does, the better one first,
    /// from |Q| and the pairs |Q∩D|, |D|. Documents of equal value are in the order in which they were
    /// added, which counts do not tell. `None` if an answer is in another order than that of a measure.
    ///
    /// ```
    /// use lookalike::index::Wanted;
    /// use std::cmp::Ordering;
    ///
    /// assert_eq!(Wanted::Resembles.order(10, [(8, 9), (9, 20)]), Some(Ordering::Less));
    /// assert_eq!(Wanted::Containing.order(10, [(8, 9), (9, 20)]), Some(Ordering::Greater));
    /// assert_eq!(Wanted::Cluster.order(10, [(8, 9), (9, 20)]), None);
    /// ```
    #[must_use]
    pub fn order(&self, size: u32, counts: [(u32, u32); 2]) -> Option<Ordering> {
        let ask = match self {
            Self::Resembles => Ask::Resembles,
            Self::Containing => Ask::Containing,
            Self::ContainedIn => Ask::ContainedIn,
            Self::Cosine => Ask::Cosine,
            Self::Cluster | Self::Method(_) => return None,
        };
        let [a, b] = counts.map(|(shared, b)| Overlap { shared, a: size, b });
        Some(ask.compare(b, a))
    }
}

/// A question to an index.
#[derive(Debug, Clone, PartialEq)]
pub struct Query {
    /// What it is about.
    pub about: QuerySubject,
    /// Which documents are asked for.
    pub ask: Wanted,
    /// What the measure has to reach, as written; `None` for the threshold of the index.
    pub threshold: Option<String>,
    /// Only the best so many.
    pub limit: Option<usize>,
    /// Which documents an answer may have.
    pub filter: Filter,
    /// Whether the passages in common are returned.
    pub passages: bool,
}

impl Query {
    /// The documents that resemble this one, at the threshold of the index.
    #[must_use]
    pub fn new(about: QuerySubject) -> Self {
        let (threshold, limit) = (None, None);
        let ask = Wanted::Resembles;
        Self { about, ask, threshold, limit, filter: Filter::default(), passages: false }
    }

    /// A question about each document of a source, for [`Index::ask_all`](crate::Index::ask_all).
    #[must_use]
    pub fn of_each() -> Self {
        Self::new(QuerySubject::Text(String::new()))
    }
}

/// The documents that answer a question.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct QueryAnswer {
    /// The best first; of equal ones the one that was first added.
    pub matches: Vec<QueryMatch>,
    /// How many there are; with a limit, at least so many.
    pub total: u64,
    /// Whether `total` is exact.
    pub total_exact: bool,
    /// Number of elements of the set that was asked about.
    pub size: u32,
    /// What the answer cost.
    pub cost: Cost,
    /// The commit that was asked.
    pub commit: u64,
    /// What to ask instead, where no document resembles the subject of a single question and one
    /// contains it or is contained in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// A document that answers a question.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct QueryMatch {
    /// Its id.
    pub id: String,
    /// Its address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Its date, as written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// The sweep in which it was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sweep: Option<String>,
    /// |Q∩D| / |Q∪D|.
    pub resemblance: f64,
    /// |Q∩D| / |Q|.
    pub query_in_document: f64,
    /// |Q∩D| / |D|.
    pub document_in_query: f64,
    /// |Q∩D| / sqrt(|Q|·|D|).
    pub cosine: f64,
    /// |Q∩D|.
    pub shared: u32,
    /// |D|.
    pub size: u32,
    /// Whether leader clustering keeps it.
    pub kept: bool,
    /// The id of its cluster: that of the kept document that leads it.
    pub cluster: String,
    /// What the method says, for [`Wanted::Method`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// Passages in common, where they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub passages: Option<Vec<SharedPassage>>,
}
