//! Which parts of a text stand in which documents.

use super::failure::Failure;
use super::hits::shown_id;
use super::marked::{Marked, Span, marked};
use super::shell::Shell;
use super::texts::{html, percent, status_of};
use super::view::{Client, View};
use super::{form, links};
use crate::problem::Problem;
use crate::service::Service;
use crate::tokens::Scope;
use askama::Template;
use axum::extract::{Extension, Request, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use lookalike::LookalikeError;
use lookalike::index::{AnyAnswer, PassageAnswer, Question};
use lookalike_report::clean::{self, MEDIUM};
use lookalike_report::human::{count, counted, share};
use serde::Deserialize;
use std::num::NonZeroU64;
use std::sync::Arc;

pub(super) const VIEWS: &[View] = &[View {
    method: "GET",
    path: "/passages",
    scope: Some(Scope::Read),
    handler: || get(show).post(send),
}];

/// Documents that are listed.
const LIMIT: u64 = 50;

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
struct Asked {
    #[serde(deserialize_with = "form::given")]
    text: Option<String>,
    #[serde(deserialize_with = "form::given")]
    id: Option<String>,
}

#[derive(Template)]
#[template(path = "passages.html")]
struct Page {
    shell: Shell,
    text: String,
    id: String,
    problem: String,
    found: Option<Found>,
}

struct Found {
    headline: String,
    note: String,
    marked: Marked,
    documents: Vec<Document>,
    more: String,
}

struct Document {
    share: String,
    percent: String,
    /// Its colour; empty for those after the first ones.
    colour: String,
    name: String,
    link: String,
    url: String,
    has_link: bool,
    facts: String,
    compare: String,
}

async fn show(
    State(service): State<Arc<Service>>,
    Extension(client): Extension<Client>,
    request: Request,
) -> Result<Response, Failure> {
    let asked = form::query(request.uri())?;
    Ok(view(&service, &client, request.headers(), asked).await)
}

async fn send(
    State(service): State<Arc<Service>>,
    Extension(client): Extension<Client>,
    request: Request,
) -> Result<Response, Failure> {
    let (parts, body) = request.into_parts();
    let asked: Asked = form::fields(&parts.headers, body, &service.limits).await?;
    let Asked { text, id } = &asked;
    let fields = [("text", text.as_deref()), ("id", id.as_deref())];
    let fields: Vec<_> =
        fields.into_iter().filter_map(|(name, value)| Some((name, value?))).collect();
    if text.as_ref().is_none_or(|text| links::fits(text)) {
        return Ok(Redirect::to(&links::to("/passages", &fields)).into_response());
    }
    Ok(view(&service, &client, &parts.headers, asked).await)
}

async fn view(
    service: &Arc<Service>,
    client: &Client,
    headers: &HeaderMap,
    asked: Asked,
) -> Response {
    let (mut problem, mut found, mut status) = (String::new(), None, StatusCode::OK);
    if asked.text.is_some() || asked.id.is_some() {
        match answer(service, headers, &asked).await {
            Ok(answered) => found = Some(answered),
            Err(refused) => {
                (problem, status) = (clean::line(&refused.detail, 1000), status_of(&refused))
            }
        }
    }
    let page = Page {
        shell: Shell::new("Passages", "/passages", client),
        text: asked.text.unwrap_or_default(),
        id: asked.id.unwrap_or_default(),
        problem,
        found,
    };
    (status, html(&page)).into_response()
}

async fn answer(
    service: &Arc<Service>,
    headers: &HeaderMap,
    asked: &Asked,
) -> Result<Found, Problem> {
    let question = Question {
        text: asked.text.clone(),
        id: asked.id.clone(),
        ask: Some("passages".to_owned()),
        limit: NonZeroU64::new(LIMIT),
        ..Question::default()
    };
    let (text, id) = (asked.text.clone(), asked.id.clone());
    let answered = service.ask(headers, move |service, stop| {
        let reply = service.index.answer(&question, stop)?;
        let text = match (text, id) {
            (Some(text), _) => text,
            (None, Some(id)) => service.index.indexed_document(&id)?.text.unwrap_or_default(),
            (None, None) => String::new(),
        };
        Ok::<_, LookalikeError>((reply, text))
    });
    let (reply, text) = answered.await?;
    service.metrics.asked(reply.cost());
    match reply.answer {
        AnyAnswer::Passages(answer) => Ok(found(asked, &answer, &text)),
        AnyAnswer::Documents(_) => Err(Problem::bad_request("a question for passages")),
    }
}

fn found(asked: &Asked, answer: &PassageAnswer, text: &str) -> Found {
    let own = asked.id.as_deref();
    let others: Vec<_> = answer.documents.iter().filter(|found| Some(&*found.id) != own).collect();
    let spans = others.iter().enumerate().flat_map(|(number, found)| {
        found.passages.iter().map(move |passage| Span {
            bytes: passage.query_bytes[0]..passage.query_bytes[1],
            source: number,
        })
    });
    let marked = marked(text, spans, |number| links::document(&others[number].id));
    let documents = others.iter().enumerate().map(|(number, found)| {
        let (url, has_link) = clean::address(found.url.as_deref());
        let longest = found.passages.iter().map(|passage| passage.words).max().unwrap_or(0);
        Document {
            share: share(u64::from(found.words_in_common), u64::from(answer.words)),
            percent: percent(found.share),
            colour: Marked::colour(number),
            name: shown_id(&found.id),
            link: links::document(&found.id),
            url,
            has_link,
            facts: format!(
                "{} in {}, the longest of {}{}",
                counted(u64::from(found.words_in_common), "word"),
                counted(found.passages.len() as u64, "passage"),
                counted(u64::from(longest), "word"),
                found
                    .date
                    .as_ref()
                    .map(|date| format!(" · {}", clean::line(date, MEDIUM)))
                    .unwrap_or_default()
            ),
            compare: match (&asked.text, own) {
                (None, Some(own)) => links::compare(own, &found.id),
                (Some(text), _) if links::fits(text) => {
                    links::to("/compare", &[("text", text), ("b", &found.id)])
                }
                _ => String::new(),
            },
        }
    });
    // A document has all of its own passages.
    let itself = u64::from(own.is_some());
    let total = answer.total.saturating_sub(itself);
    let documents: Vec<Document> = documents.collect();
    let more = total.saturating_sub(documents.len() as u64);
    Found {
        headline: match total {
            0 => "No passage of it is in another document".to_owned(),
            _ => format!("Passages in {}", counted(total, "document")),
        },
        note: match own {
            Some(_) => {
                format!("Passages of {} and more.", counted(u64::from(answer.length), "word"))
            }
            None => format!(
                "{} of {} stand in a passage of {} or more that a document has ({}).",
                count(u64::from(answer.words_in_common)),
                counted(u64::from(answer.words), "word"),
                answer.length,
                share(u64::from(answer.words_in_common), u64::from(answer.words))
            ),
        },
        more: match more {
            0 => String::new(),
            more => format!("and {} more", counted(more, "document")),
        },
        marked,
        documents,
    }
}
