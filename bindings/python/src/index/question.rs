//! What is asked.

use lookalike::index::{Filter, PassageQuery, Query, QuerySubject};
use pyo3::prelude::*;

/// What is asked, as the package's Python code describes it.
#[derive(FromPyObject)]
pub(crate) struct Question {
    ask: String,
    threshold: Option<String>,
    limit: Option<usize>,
    site: Option<String>,
    since: Option<String>,
    before: Option<String>,
    sweep: Option<String>,
    kept: bool,
    passages: bool,
}

impl Question {
    /// The question about this.
    pub(crate) fn about(self, about: QuerySubject) -> Query {
        let Self { ask, threshold, limit, site, since, before, sweep, kept, passages } = self;
        let Ok(ask) = ask.parse();
        let filter = Filter { site, since, before, sweep, kept };
        Query { about, ask, threshold, limit, filter, passages }
    }

    /// Which documents have passages of this. Measure, threshold and `passages` are not read.
    pub(crate) fn of_passages(self, about: QuerySubject) -> PassageQuery {
        let Query { about, limit, filter, .. } = self.about(about);
        PassageQuery { about, limit, filter }
    }

    /// The question about each of several documents.
    pub(crate) fn of_each(self) -> Query {
        self.about(Query::of_each().about)
    }
}

/// What a question is about.
#[derive(FromPyObject)]
pub(crate) struct About {
    text: Option<String>,
    id: Option<String>,
    url: Option<String>,
}

impl About {
    /// The Python code gives one of them.
    pub(crate) fn subject(self) -> QuerySubject {
        match self {
            Self { id: Some(id), .. } => QuerySubject::Id(id),
            Self { url: Some(url), .. } => QuerySubject::Url(url),
            Self { text, .. } => QuerySubject::Text(text.unwrap_or_default()),
        }
    }
}
