//! Two documents, or a text and a document, side by side.

use super::client::Client;
use super::failure::Failure;
use super::hits::shown_id;
use super::shell::Shell;
use super::texts::{html, percent};
use super::view::View;
use super::{form, links};
use crate::problem::Problem;
use crate::service::Service;
use crate::tokens::Scope;
use askama::Template;
use axum::extract::{Extension, Request, State};
use axum::response::Response;
use axum::routing::get;
use lookalike::index::QuerySubject;
use lookalike_report::clean::{self, MEDIUM};
use lookalike_report::human::{count, counted, ratio};
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
    /// Asks for two documents.
    is_form: bool,
    a: String,
    b: String,
    names: [(String, String); 2],
    verdict: String,
    reaches: bool,
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
        return Ok(html(&Page::asking(shell, a.unwrap_or_default(), b.unwrap_or_default())));
    };
    let other = QuerySubject::Id(b.clone());
    let compared = service.ask(request.headers(), move |service, stop| {
        let evidence = service.index.compare_subjects(&subject, &other)?;
        let aligned = evidence.aligned(stop)?;
        Ok((evidence.comparison(), evidence.profile(), aligned))
    });
    let (found, profile, aligned) = compared.await?;
    let measures = &found.measures;
    let whole = (measures.size_a + measures.size_b).saturating_sub(measures.shared);
    let of = |value: f64, shared: u64, whole: u64| {
        (ratio(value), percent(value), format!("{} of {}", count(shared), count(whole)))
    };
    let row = |name, (value, percent, counts)| (name, value, percent, counts);
    let kinds: Vec<String> =
        profile.kinds.iter().map(|kind| kind.name().replace('_', " ")).collect();
    let name = |document: &lookalike_report::ComparedDocument, is_stored: bool| {
        let link = if is_stored { links::document(&document.id) } else { String::new() };
        let title = document.title.as_deref().map(|title| clean::line(title, MEDIUM));
        let shown = title.filter(|title| !title.is_empty());
        (shown.unwrap_or_else(|| shown_id(&document.id)), link)
    };
    let passages = found.passages.iter().take(PASSAGES);
    let passages: Vec<_> = passages
        .map(|passage| {
            let length = counted(passage.place.length as u64, "token");
            (length, clean::block(&passage.text_a, PASSAGE))
        })
        .collect();
    let more = found.passages_found.saturating_sub(passages.len() as u64);
    Ok(html(&Page {
        shell,
        is_form: false,
        names: [name(&found.a, a.is_some()), name(&found.b, true)],
        verdict: clean::line(&found.verdict, 600),
        reaches: found.reaches,
        measures: vec![
            row("resemblance", of(measures.resemblance, measures.shared, whole)),
            row("left in right", of(measures.containment_a_in_b, measures.shared, measures.size_a)),
            row("right in left", of(measures.containment_b_in_a, measures.shared, measures.size_b)),
        ],
        kinds,
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
        swapped: match &a {
            Some(a) => links::compare(&b, a),
            None => String::new(),
        },
        a: a.unwrap_or_default(),
        b,
    }))
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

impl Page {
    /// The form.
    fn asking(shell: Shell, a: String, b: String) -> Self {
        Self {
            shell,
            is_form: true,
            a,
            b,
            names: Default::default(),
            verdict: String::new(),
            reaches: false,
            measures: Vec::new(),
            kinds: Vec::new(),
            differences: String::new(),
            words: String::new(),
            sides: String::new(),
            abridged: false,
            coarse: false,
            passages: Vec::new(),
            passages_more: String::new(),
            swapped: String::new(),
        }
    }
}
