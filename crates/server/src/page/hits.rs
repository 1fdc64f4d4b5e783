//! Documents of an answer, as lists show them.

use super::links;
use super::texts::percent;
use crate::questions::Deadline;
use crate::service::Service;
use lookalike::Progress;
use lookalike::index::QueryMatch;
use lookalike_report::clean::{self, LONG, MEDIUM};
use lookalike_report::human::{count, ratio};

/// Documents whose title and text are read for a list.
const READ: usize = 50;

/// Characters of a text in a list.
const EXCERPT: usize = 240;

/// A document of a list.
pub(super) struct Hit {
    pub(super) value: String,
    pub(super) percent: String,
    pub(super) name: String,
    pub(super) link: String,
    pub(super) url: String,
    pub(super) has_link: bool,
    /// Id, date and sweep.
    pub(super) place: String,
    pub(super) kept: bool,
    pub(super) excerpt: String,
    pub(super) facts: String,
    /// Where it is compared with the subject; may be empty.
    pub(super) compare: String,
}

/// What a list shows of a document that its match has not.
#[derive(Default)]
pub(super) struct Beside {
    title: Option<String>,
    excerpt: String,
}

/// Reads what lists show of the first matches, until the deadline.
pub(super) fn beside(service: &Service, matches: &[QueryMatch], stop: &Deadline) -> Vec<Beside> {
    let mut read = Vec::new();
    for found in matches.iter().take(READ) {
        if stop.cancelled() {
            break;
        }
        // A list without titles is better than none.
        let document = service.index.indexed_document(&found.id).ok();
        let document = document.filter(|document| document.sweep == found.sweep);
        read.push(document.map_or_else(Beside::default, |document| Beside {
            title: document.title,
            excerpt: clean::line(document.text.as_deref().unwrap_or_default(), EXCERPT),
        }));
    }
    read
}

/// The value of a match by which an answer to this question is in order.
pub(super) fn value(found: &QueryMatch, ask: &str) -> f64 {
    match ask {
        "containing" => found.query_in_document,
        "contained-in" => found.document_in_query,
        "cosine" => found.cosine,
        _ => found.resemblance,
    }
}

impl Hit {
    /// A match of a question; `compare` gives the address of a comparison with the subject.
    pub(super) fn new(
        found: &QueryMatch,
        beside: Option<Beside>,
        ask: &str,
        compare: impl FnOnce(&str) -> String,
    ) -> Self {
        let Beside { title, excerpt } = beside.unwrap_or_default();
        let value = value(found, ask);
        let (url, has_link) = clean::address(found.url.as_deref());
        let id = shown_id(&found.id);
        let title = title.map(|title| clean::line(&title, LONG)).filter(|title| !title.is_empty());
        let own = title.is_some().then(|| id.clone());
        let sweep = found.sweep.as_ref().map(|name| format!("sweep {name}"));
        let place = [own, found.date.clone(), sweep, found.method.clone()];
        let place: Vec<String> =
            place.into_iter().flatten().map(|part| clean::line(&part, MEDIUM)).collect();
        Self {
            value: ratio(value),
            percent: percent(value),
            name: title.unwrap_or(id),
            link: links::document(&found.id),
            url,
            has_link,
            place: place.join(" · "),
            kept: found.kept,
            excerpt,
            facts: format!(
                "{} shared of {} · query in document {} · document in query {}",
                count(u64::from(found.shared)),
                count(u64::from(found.size)),
                ratio(found.query_in_document),
                ratio(found.document_in_query)
            ),
            compare: compare(&found.id),
        }
    }
}

/// An id, so that there is something to see and to click on.
pub(super) fn shown_id(id: &str) -> String {
    match clean::line(id, MEDIUM) {
        shown if shown.is_empty() => "(no name)".to_owned(),
        shown => shown,
    }
}
