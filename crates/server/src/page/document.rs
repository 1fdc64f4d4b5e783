//! A document with its cluster.

use super::failure::Failure;
use super::hits::{self, Hit, shown_id};
use super::shell::Shell;
use super::texts::html;
use super::view::{Client, View};
use super::{form, links};
use crate::service::Service;
use crate::tokens::Scope;
use askama::Template;
use axum::extract::{Extension, Request, State};
use axum::response::Response;
use axum::routing::get;
use lookalike::index::{AnyAnswer, IndexedDocument, Question};
use lookalike::{ErrorKind, Progress};
use lookalike_report::clean::{self, LONG, MEDIUM};
use lookalike_report::human::{bytes, counted};
use serde::Deserialize;
use std::num::NonZeroU64;
use std::sync::Arc;
use std::time::Duration;

pub(super) const VIEWS: &[View] =
    &[View { method: "GET", path: "/document", scope: Some(Scope::Read), handler: || get(show) }];

/// Characters of the text, unless the whole is asked for.
const SHOWN: usize = 20_000;

/// Time for the cluster, which may be of any size.
const FOR_CLUSTER: Duration = Duration::from_secs(5);

/// Documents of the cluster that are listed.
const MEMBERS: u64 = 50;

#[derive(Deserialize)]
struct Asked {
    id: String,
    whole: Option<String>,
}

#[derive(Template)]
#[template(path = "document.html")]
struct Page {
    shell: Shell,
    title: String,
    id: String,
    url: String,
    has_link: bool,
    kept: bool,
    facts: Vec<(&'static str, String)>,
    /// The kept document of its cluster: name and address, and where the two are compared.
    leader: Option<(String, String, String)>,
    text: String,
    no_text: bool,
    /// Where the whole text is; empty if it is here.
    whole: String,
    /// `None` if they could not be listed.
    members: Option<Vec<Hit>>,
    members_more: String,
    similar: String,
    contained: String,
    passages: String,
    /// The history of its address; empty without an address or sweep.
    history: String,
}

async fn show(
    State(service): State<Arc<Service>>,
    Extension(client): Extension<Client>,
    request: Request,
) -> Result<Response, Failure> {
    let Asked { id, whole } = form::query(request.uri())?;
    let asked = id.clone();
    let found = service.ask(request.headers(), move |service, stop| {
        let document = service.index.indexed_document(&asked)?;
        let limit = NonZeroU64::new(MEMBERS);
        let question = Question { cluster: Some(asked), limit, ..Question::default() };
        // An index that cannot be asked for clusters has documents all the same.
        let in_time = stop.of_part(FOR_CLUSTER);
        let cluster = match service.index.answer(&question, &in_time) {
            Ok(reply) => match reply.answer {
                AnyAnswer::Documents(answer) => Some(answer),
                AnyAnswer::Passages(_) => None,
            },
            Err(error) if error.kind() == ErrorKind::Usage => None,
            // The document is shown without a cluster that takes too long.
            Err(error) if error.kind() == ErrorKind::Cancelled && !stop.cancelled() => None,
            Err(error) => return Err(error),
        };
        let beside = cluster.as_ref().map(|answer| hits::beside(service, &answer.matches, stop));
        Ok((document, cluster, beside.unwrap_or_default()))
    });
    let (document, cluster, beside) = found.await?;
    let IndexedDocument {
        url,
        title,
        date,
        sweep,
        tokens,
        bytes: size,
        kept,
        cluster: leader,
        text,
        ..
    } = document;
    let history = match (&url, &sweep) {
        (Some(url), Some(_)) => links::to("/history", &[("url", url)]),
        _ => String::new(),
    };
    let (url, has_link) = clean::address(url.as_deref());
    let shown = shown_id(&id);
    let title = title.map(|title| clean::line(&title, LONG)).filter(|title| !title.is_empty());
    let mut facts =
        vec![("length", format!("{}, {}", counted(u64::from(tokens), "token"), bytes(size)))];
    facts.extend(date.map(|date| ("date", clean::line(&date, MEDIUM))));
    facts.extend(sweep.map(|sweep| ("sweep", clean::line(&sweep, MEDIUM))));
    let (members, more) = match cluster {
        None => (None, 0),
        Some(answer) => {
            let more = answer.total.saturating_sub(answer.matches.len() as u64);
            let others = answer
                .matches
                .iter()
                .zip(beside.into_iter().map(Some).chain(std::iter::repeat_with(|| None)));
            let others = others.filter(|(found, _)| found.id != id);
            let hit = |(found, beside): (_, _)| {
                Hit::new(found, beside, "resembles", |other| links::compare(&id, other))
            };
            (Some(others.map(hit).collect()), more)
        }
    };
    let no_text = text.is_none();
    let text = text.unwrap_or_default();
    let is_long = text.chars().nth(SHOWN).is_some();
    let most = if whole.is_some() { usize::MAX } else { SHOWN };
    Ok(html(&Page {
        shell: Shell::new(title.as_deref().unwrap_or(&shown), "", &client),
        title: title.unwrap_or_else(|| shown.clone()),
        url,
        has_link,
        kept,
        facts,
        leader: (!kept)
            .then(|| (shown_id(&leader), links::document(&leader), links::compare(&id, &leader))),
        text: clean::block(&text, most),
        no_text,
        whole: match is_long && whole.is_none() {
            true => links::to("/document", &[("id", &id), ("whole", "yes")]),
            false => String::new(),
        },
        members,
        members_more: match more {
            0 => String::new(),
            more => format!("and {} more", counted(more, "document")),
        },
        similar: links::to("/search", &[("id", &id), ("threshold", "0.3")]),
        passages: links::to("/passages", &[("id", &id)]),
        history,
        contained: links::to("/search", &[("id", &id), ("ask", "containing")]),
        id: shown,
    }))
}
