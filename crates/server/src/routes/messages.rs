//! The filter of messages: verdicts and reports.

use crate::body;
use crate::endpoint::{Content, DEADLINE, Endpoint, Parameter, Place, json, json_of, query};
use crate::mail;
use crate::problem::Problem;
use crate::service::Service;
use crate::tokens::Scope;
use axum::extract::{Request, State};
use axum::response::Response;
use axum::routing::post;
use lookalike::Record;
use lookalike::filter::{Report, Reported, Verdict};
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;

const MESSAGE: &str = "message/rfc822";

const BODY: &[Content] = &[
    Content { media: MESSAGE, schema: |_| schemars::json_schema!({}) },
    json_of(|schemas| schemas.subschema_for::<Message>()),
];

pub(super) const ENDPOINTS: &[Endpoint] = &[
    Endpoint {
        method: "POST",
        path: "/v1/filter",
        scope: Some(Scope::Read),
        summary: "The verdict on a message",
        about: "By what was reported about the documents of the index that it matches, with its \
                reasons. The body is a mail message (RFC 5322), or an object with a text.",
        parameters: &[DEADLINE],
        body: BODY,
        answer: json_of(|schemas| schemas.subschema_for::<Verdict>()),
        refusals: &[422],
        handler: || post(verdict),
    },
    Endpoint {
        method: "POST",
        path: "/v1/reports",
        scope: Some(Scope::Report),
        summary: "Reports a message as spam or legitimate, or takes that back",
        about: "A reporter counts once for a message, as it said last. The answer comes when the \
                report is durable; sending it again is harmless.",
        parameters: &[
            Parameter {
                name: "report",
                place: Place::Query,
                about: "`spam`, `ham` or `revoke`.",
                schema: |schemas| schemas.subschema_for::<Report>(),
                required: true,
            },
            Parameter {
                name: "reporter",
                place: Place::Query,
                about: "Who reports it.",
                schema: |_| schemars::json_schema!({"type": "string", "minLength": 1}),
                required: true,
            },
        ],
        body: BODY,
        answer: json_of(|schemas| schemas.subschema_for::<Reported>()),
        refusals: &[403, 422],
        handler: || post(report),
    },
];

/// A message that is no mail.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Message {
    /// Its text.
    text: String,
    /// Its id.
    id: Option<String>,
    /// Its title.
    title: Option<String>,
}

/// Reads the message of a request.
async fn message(request: Request, service: &Service) -> Result<Record, Problem> {
    if body::media_type(request.headers()).is_some_and(|given| given.eq_ignore_ascii_case(MESSAGE))
    {
        return mail::record(&body::read(request.into_body(), &service.limits).await?);
    }
    let Message { text, id, title } = body::json(request, &service.limits).await?;
    Ok(mail::text_record(text, id, title))
}

async fn verdict(
    State(service): State<Arc<Service>>,
    request: Request,
) -> Result<Response, Problem> {
    let headers = request.headers().clone();
    let message = message(request, &service).await?;
    let filter = service.filter.clone()?;
    let verdict = service.ask(&headers, move |_, _| filter.verdict(&message)).await?;
    service.metrics.judged(verdict.verdict.name());
    json(&verdict)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ReportQuery {
    report: Report,
    reporter: String,
}

async fn report(
    State(service): State<Arc<Service>>,
    request: Request,
) -> Result<Response, Problem> {
    let ReportQuery { report, reporter } = query(request.uri())?;
    // Before the message is read.
    service.writing()?;
    if reporter.is_empty() {
        return Err(Problem::bad_request("the parameter `reporter` is empty"));
    }
    let message = message(request, &service).await?;
    json(&mail::report(&service, report, reporter, message).await?)
}
