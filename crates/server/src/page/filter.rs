//! Verdicts on messages with their reasons, and reports about them.

use super::failure::Failure;
use super::hits::shown_id;
use super::shell::Shell;
use super::texts::{html, percent, status_of};
use super::view::{Client, View};
use super::{form, links};
use crate::mail;
use crate::problem::Problem;
use crate::service::Service;
use crate::tokens::Scope;
use askama::Template;
use axum::extract::{Extension, Request, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use lookalike::Record;
use lookalike::filter::{Report, ReportCounts, Reported, Verdict, VerdictKind};
use lookalike_report::clean::{self, LONG, MEDIUM};
use lookalike_report::human::{count, counted, ratio};
use serde::Deserialize;
use std::sync::Arc;

pub(super) const VIEWS: &[View] = &[
    View {
        method: "GET",
        path: "/filter",
        scope: Some(Scope::Read),
        handler: || get(show).post(send),
    },
    View {
        method: "POST",
        path: "/filter/report",
        scope: Some(Scope::Report),
        handler: || post(report),
    },
];

/// A message, and what is said about it.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
struct Asked {
    #[serde(deserialize_with = "form::given")]
    message: Option<String>,
    /// Whether the message is a text and no mail.
    #[serde(deserialize_with = "form::given")]
    plain: Option<String>,
    #[serde(deserialize_with = "form::given")]
    title: Option<String>,
    #[serde(deserialize_with = "form::given")]
    reporter: Option<String>,
    report: Option<Report>,
}

#[derive(Template)]
#[template(path = "filter.html")]
struct Page {
    shell: Shell,
    message: String,
    plain: bool,
    title: String,
    reporter: String,
    can_report: bool,
    problem: String,
    /// What became of a report.
    reported: String,
    verdict: Option<Told>,
}

/// A verdict in words.
struct Told {
    kind: &'static str,
    headline: &'static str,
    score: String,
    percent: String,
    /// Name and address of the prototype.
    prototype: Option<(String, String)>,
    facts: Vec<(&'static str, String)>,
    terms: Vec<String>,
    passages: Vec<(String, String)>,
}

async fn show(
    State(service): State<Arc<Service>>,
    Extension(client): Extension<Client>,
    request: Request,
) -> Result<Response, Failure> {
    let asked = form::query(request.uri())?;
    Ok(view(&service, &client, request.headers(), asked, String::new()).await)
}

async fn send(
    State(service): State<Arc<Service>>,
    Extension(client): Extension<Client>,
    request: Request,
) -> Result<Response, Failure> {
    let (parts, body) = request.into_parts();
    let asked = form::fields(&parts.headers, body, &service.limits).await?;
    Ok(view(&service, &client, &parts.headers, asked, String::new()).await)
}

async fn report(
    State(service): State<Arc<Service>>,
    Extension(client): Extension<Client>,
    request: Request,
) -> Result<Response, Failure> {
    let (parts, body) = request.into_parts();
    let asked: Asked = form::fields(&parts.headers, body, &service.limits).await?;
    let done = make(&service, &asked).await?;
    Ok(view(&service, &client, &parts.headers, asked, told_report(&done)).await)
}

/// Makes a report durable.
async fn make(service: &Service, asked: &Asked) -> Result<Reported, Problem> {
    let missing = |what| Problem::bad_request(format!("the form has no {what}"));
    service.writing()?;
    let report = asked.report.ok_or_else(|| missing("report"))?;
    let reporter = asked.reporter.clone().ok_or_else(|| missing("name of a reporter"))?;
    let message = record(asked)?.ok_or_else(|| missing("message"))?;
    mail::report(service, report, reporter, message).await
}

/// The message; `None` if the form is empty.
fn record(asked: &Asked) -> Result<Option<Record>, Problem> {
    let Some(message) = &asked.message else { return Ok(None) };
    match asked.plain.is_some() {
        true => Ok(Some(mail::text_record(message.clone(), None, asked.title.clone()))),
        false => mail::record(message.as_bytes()).map(Some),
    }
}

async fn view(
    service: &Arc<Service>,
    client: &Client,
    headers: &HeaderMap,
    asked: Asked,
    reported: String,
) -> Response {
    let (mut problem, mut verdict, mut status) = (String::new(), None, StatusCode::OK);
    match judge(service, headers, &asked).await {
        Ok(found) => verdict = found.as_ref().map(told),
        Err(refused) => {
            (problem, status) = (clean::line(&refused.detail, 1000), status_of(&refused))
        }
    }
    let page = Page {
        shell: Shell::new("Filter", "/filter", client),
        message: asked.message.unwrap_or_default(),
        plain: asked.plain.is_some(),
        title: asked.title.unwrap_or_default(),
        reporter: asked.reporter.or_else(|| client.0.clone()).unwrap_or_default(),
        can_report: service.writing.is_some(),
        problem,
        reported,
        verdict,
    };
    (status, html(&page)).into_response()
}

async fn judge(
    service: &Arc<Service>,
    headers: &HeaderMap,
    asked: &Asked,
) -> Result<Option<Verdict>, Problem> {
    let filter = service.filter.clone()?;
    let Some(message) = record(asked)? else { return Ok(None) };
    let verdict = service.ask(headers, move |_, _| filter.verdict(&message)).await?;
    service.metrics.judged(verdict.verdict.name());
    Ok(Some(verdict))
}

fn told(verdict: &Verdict) -> Told {
    let headline = match verdict.verdict {
        VerdictKind::None => "It matches nothing that was reported",
        VerdictKind::Ham => "Legitimate",
        VerdictKind::Unsure => "Unsure",
        VerdictKind::Spam => "Spam",
        VerdictKind::Error => "It cannot be read",
    };
    let mut facts = Vec::new();
    if let Some(found) = &verdict.prototype {
        let shared = format!("{} of {}", count(found.shared.into()), count(found.size.into()));
        facts.extend([
            ("resemblance", ratio(found.resemblance)),
            ("message in it", ratio(found.query_in_document)),
            ("it in message", ratio(found.document_in_query)),
            ("shared", shared),
        ]);
    }
    facts.extend(verdict.reports.map(|reports| ("reports", in_words(reports))));
    facts.extend(verdict.problem.as_ref().map(|problem| ("problem", clean::line(problem, LONG))));
    Told {
        kind: verdict.verdict.name(),
        headline,
        score: ratio(verdict.score),
        percent: percent(verdict.score),
        prototype: verdict
            .prototype
            .as_ref()
            .map(|found| (shown_id(&found.id), links::document(&found.id))),
        facts,
        terms: verdict.terms.iter().map(|term| clean::line(term, MEDIUM)).collect(),
        passages: verdict
            .passages
            .iter()
            .map(|passage| {
                (counted(passage.words as u64, "word"), clean::block(&passage.text, 400))
            })
            .collect(),
    }
}

fn in_words(reports: ReportCounts) -> String {
    let (spam, ham) = (u64::from(reports.spam), u64::from(reports.ham));
    format!("{} as spam, {} as legitimate", count(spam), count(ham))
}

fn told_report(done: &Reported) -> String {
    let Some(prototype) = &done.prototype else {
        return "The report counts for nothing: nothing was reported about this message."
            .to_owned();
    };
    let prototype = shown_id(prototype);
    let counts = in_words(done.reports);
    match (done.counted, done.new) {
        (true, true) => format!("Reported: the message became the prototype {prototype}."),
        (true, false) => format!("Reported: {prototype} now has {counts}."),
        (false, _) => format!("This reporter said so before: {prototype} has {counts}."),
    }
}
