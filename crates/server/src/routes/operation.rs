//! What those who operate the service ask.

use crate::endpoint::{Content, DEADLINE, Endpoint, json, json_of};
use crate::problem::Problem;
use crate::questions::blocking;
use crate::service::Service;
use crate::tokens::Scope;
use axum::extract::{Request, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use schemars::JsonSchema;
use serde::Serialize;
use std::sync::Arc;

type Shared = State<Arc<Service>>;

const TEXT: Content =
    Content { media: "text/plain", schema: |schemas| schemas.subschema_for::<String>() };

pub(crate) const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

pub(super) const ENDPOINTS: &[Endpoint] = &[
    Endpoint {
        method: "GET",
        path: "/v1/stats",
        scope: Some(Scope::Read),
        summary: "Figures of the index",
        about: "Documents, segments, bytes, sweeps, and the settings that it was created with.",
        parameters: &[DEADLINE],
        body: &[],
        answer: json_of(|_| schemars::json_schema!({"type": "object"})),
        refusals: &[],
        handler: || get(stats),
    },
    Endpoint {
        method: "GET",
        path: "/healthz",
        scope: None,
        summary: "Whether the process answers",
        about: "",
        parameters: &[],
        body: &[],
        answer: TEXT,
        refusals: &[],
        handler: || get(async || "ok\n"),
    },
    Endpoint {
        method: "GET",
        path: "/readyz",
        scope: None,
        summary: "Whether requests are answered",
        about: "Not once the service is being stopped, or if the last commit cannot be read.",
        parameters: &[],
        body: &[],
        answer: json_of(|schemas| schemas.subschema_for::<Ready>()),
        refusals: &[],
        handler: || get(ready),
    },
    Endpoint {
        method: "GET",
        path: "/metrics",
        scope: Some(Scope::Read),
        summary: "Figures of the service, for Prometheus",
        about: "",
        parameters: &[],
        body: &[],
        answer: Content { media: OPEN_METRICS, ..TEXT },
        refusals: &[],
        handler: || get(metrics),
    },
    Endpoint {
        method: "GET",
        path: "/openapi.json",
        scope: None,
        summary: "This description",
        about: "",
        parameters: &[],
        body: &[],
        answer: json_of(|_| schemars::json_schema!({"type": "object"})),
        refusals: &[],
        handler: || get(description),
    },
];

async fn stats(State(service): Shared, request: Request) -> Result<Response, Problem> {
    json(&service.ask(request.headers(), |service, _| service.index.stats()).await?)
}

/// What is answered by a service that is ready.
#[derive(Serialize, JsonSchema)]
struct Ready {
    /// The last commit.
    commit: u64,
    /// Documents of it.
    documents: u64,
}

/// The last commit, and how many documents it has. No question, so that it is answered also while
/// questions are refused.
async fn last_commit(service: &Arc<Service>) -> Result<Ready, Problem> {
    let service = Arc::clone(service);
    let snapshot = blocking(move || service.index.snapshot()).await?;
    Ok(Ready { commit: snapshot.commit(), documents: snapshot.len() })
}

async fn ready(State(service): Shared) -> Result<Response, Problem> {
    if *service.stopping().borrow() {
        return Err(Problem::busy("stopping", "the service is being stopped"));
    }
    let ready = last_commit(&service).await;
    json(&ready.map_err(|problem| Problem::busy("not_ready", problem.detail))?)
}

async fn metrics(State(service): Shared) -> Result<Response, Problem> {
    let Ready { commit, documents } = last_commit(&service).await?;
    let text = service.metrics.text(documents, commit);
    Ok(([(header::CONTENT_TYPE, OPEN_METRICS)], text).into_response())
}

async fn description(State(service): Shared) -> Result<Response, Problem> {
    json(&service.description)
}
