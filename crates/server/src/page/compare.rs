//! Two documents, or a text and a document, side by side.

use super::failure::Failure;
use super::hits::shown_id;
use super::shell::Shell;
use super::texts::{html, percent};
use super::view::{Client, View};
use super::{form, links};
use crate::problem::Problem;
use crate::service::Service;
use crate::tokens::Scope;
use askama::Template;
use axum::extract::{Extension, Request, State};
use axum::response::Response;
use axum::routing::get;
use lookalike::index::QuerySubject;
use lookalike::results::{Comparison, DifferenceProfile};
use lookalike_report::clean::{self, MEDIUM};
use lookalike_report::human::{count, counted, ratio};
use lookalike_report::{AlignedPair, ComparedDocument, ReportError};
use serde::Deserialize;
use std::sync::Arc;

pub(super) const VIEWS: &[View] =
    &[View { method: "GET", path: "/compare", scope: Some(Scope::Read), handler: || get(show) }];

/// Passages in common that are listed, and characters of each.
const PASSAGES: usize = 10;
const PASSAGE: usize = 400;

/// Two documents: the first by its id, its address, or as a text.
#[derive(Deserialize)]
struct Asked {
    a: Option<String>,
    url: Option<String>,
    text: Option<String>,
    b: Option<String>,
}

#[derive(Template)]
#[template(path = "compare.html")]
struct Page {
    shell: Shell,
    a: String,
    b: String,
    /// `None` to ask for two documents.
    drawn: Option<Drawn>,
}

/// A comparison.
struct Drawn {
    /// Names and addresses.
    names: [(String, String); 2],
    verdict: String,
    decision: String,
    reaches: bool,
    /// Name, value, width of the bar and counts.
    measures: Vec<(&'static str, String, String, String)>,
    kinds: Vec<String>,
    differences: String,
    words: String,
    sides: String,
    abridged: bool,
    coarse: bool,
    passages: Vec<(String, String)>,
    passages_more: String,
    swapped: String,
}

async fn show(
    State(service): State<Arc<Service>>,
    Extension(client): Extension<Client>,
    request: Request,
) -> Result<Response, Failure> {
    let Asked { a, url, text, b } = form::query(request.uri())?;
    let shell = Shell::new("Compare", "/compare", &client);
    let Some((subject, b)) = subject(a.clone(), url, text)?.zip(b.clone()) else {
        let names =
            Names { a: a.unwrap_or_default(), b: b.unwrap_or_default(), ..Names::default() };
        return Ok(drawn(shell, None, names)?);
    };
    let other = QuerySubject::Id(b.clone());
    let compared = service.ask(request.headers(), move |service, stop| {
        let evidence = service.index.compare_subjects(&subject, &other)?;
        let aligned = evidence.aligned(stop)?;
        Ok((evidence.comparison(), evidence.profile(), aligned))
    });
    let compared = compared.await?;
    let of_a = if a.is_some() { links::document(&compared.0.a.id) } else { String::new() };
    let swapped = a.as_ref().map(|a| links::compare(&b, a)).unwrap_or_default();
    let (a, links) = (a.unwrap_or_default(), [of_a, links::document(&b)]);
    Ok(drawn(shell, Some(compared), Names { a, b, links, swapped })?)
}

/// What is compared, and where it leads to.
#[derive(Default)]
pub(super) struct Names {
    pub(super) a: String,
    pub(super) b: String,
    /// The addresses of the two; empty for none.
    pub(super) links: [String; 2],
    /// The comparison the other way round; may be empty.
    pub(super) swapped: String,
}

/// Draws a comparison, or asks for two documents.
///
/// # Errors
/// A template failed, which does not depend on the input.
pub(super) fn drawn(
    shell: Shell,
    compared: Option<(Comparison, DifferenceProfile, AlignedPair)>,
    names: Names,
) -> Result<Response, ReportError> {
    let Names { a, b, links, swapped } = names;
    let drawn = compared.map(|compared| Drawn::new(compared, links, swapped)).transpose()?;
    Ok(html(&Page { shell, a, b, drawn }))
}

impl Drawn {
    fn new(
        (found, profile, aligned): (Comparison, DifferenceProfile, AlignedPair),
        links: [String; 2],
        swapped: String,
    ) -> Result<Self, ReportError> {
        let measures = &found.measures;
        let whole = (measures.size_a + measures.size_b).saturating_sub(measures.shared);
        let row = |name, value: f64, whole: u64| {
            let counts = format!("{} of {}", count(measures.shared), count(whole));
            (name, ratio(value), percent(value), counts)
        };
        let name = |document: &ComparedDocument| {
            let title = document.title.as_deref().map(|title| clean::line(title, MEDIUM));
            let title = title.filter(|title| !title.is_empty());
            title.unwrap_or_else(|| shown_id(&document.id))
        };
        let [link_a, link_b] = links;
        let passages = found.passages.iter().take(PASSAGES);
        let passages: Vec<_> = passages
            .map(|passage| {
                let length = counted(passage.place.length as u64, "token");
                (length, clean::block(&passage.text_a, PASSAGE))
            })
            .collect();
        let more = found.passages_found.saturating_sub(passages.len() as u64);
        Ok(Self {
            names: [(name(&found.a), link_a), (name(&found.b), link_b)],
            verdict: clean::line(&found.verdict, 600),
            decision: clean::line(found.decision.as_deref().unwrap_or_default(), 1000),
            reaches: found.reaches,
            measures: vec![
                row("resemblance", measures.resemblance, whole),
                row("left in right", measures.containment_a_in_b, measures.size_a),
                row("right in left", measures.containment_b_in_a, measures.size_b),
            ],
            kinds: profile.kinds.iter().map(|kind| kind.name().replace('_', " ")).collect(),
            differences: aligned.differences().to_owned(),
            words: format!(
                "{} on the left only, {} on the right only",
                counted(profile.lost, "word"),
                counted(profile.added, "word")
            ),
            sides: aligned.sides("left", "right")?,
            abridged: aligned.is_abridged(),
            coarse: found.coarse,
            passages,
            passages_more: match more {
                0 => String::new(),
                more => format!("and {} more", counted(more, "passage")),
            },
            swapped,
        })
    }
}

/// The first document; `None` if there is none yet.
fn subject(
    a: Option<String>,
    url: Option<String>,
    text: Option<String>,
) -> Result<Option<QuerySubject>, Problem> {
    match (a, url, text) {
        (None, None, None) => Ok(None),
        (Some(id), None, None) => Ok(Some(QuerySubject::Id(id))),
        (None, Some(url), None) => Ok(Some(QuerySubject::Url(url))),
        (None, None, Some(text)) => Ok(Some(QuerySubject::Text(text))),
        _ => Err(Problem::bad_request("a comparison has one of `a`, `url` and `text`, and `b`")),
    }
}
