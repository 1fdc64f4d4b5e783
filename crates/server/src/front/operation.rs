//! Figures of all shards.

use super::endpoint::OfFront;
use super::shards::Call;
use super::state::Front;
use crate::endpoint::{json, json_of};
use crate::problem::Problem;
use crate::routes::operation::OPEN_METRICS;
use axum::extract::{Request, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::sync::Arc;
use std::time::Instant;

type Shared = State<Arc<Front>>;

pub(super) const ENDPOINTS: &[OfFront] = &[
    OfFront {
        method: "GET",
        path: "/v1/stats",
        besides: "The sums of all shards, their settings, and in `shards` the figures of each, \
                  with its `url`. `kept` is the number of documents that are kept by their \
                  shards.",
        answer: None,
        handler: || get(stats),
    },
    OfFront {
        method: "GET",
        path: "/v1/sweeps",
        besides: "The sums of all shards, in the order of the first shard that has them.",
        answer: None,
        handler: || get(sweeps),
    },
    OfFront {
        method: "GET",
        path: "/healthz",
        besides: "",
        answer: None,
        handler: || get(async || "ok\n"),
    },
    OfFront {
        method: "GET",
        path: "/readyz",
        besides: "Only if all shards are.",
        answer: Some(json_of(|schemas| schemas.subschema_for::<Ready>())),
        handler: || get(ready),
    },
    OfFront {
        method: "GET",
        path: "/metrics",
        besides: "Those of the front; the documents are those of all shards, the commit is the \
                  highest.",
        answer: None,
        handler: || get(metrics),
    },
    OfFront {
        method: "GET",
        path: "/openapi.json",
        besides: "",
        answer: None,
        handler: || get(async |State(front): Shared| json(&front.description)),
    },
];

/// The figures that are added.
const SUMS: [&str; 5] = ["documents", "kept", "deleted", "postings", "bytes"];

async fn stats(State(front): Shared, request: Request) -> Result<Response, Problem> {
    let deadline = front.gate.questions.deadline(request.headers())?;
    let call = || Call::get("/v1/stats", deadline);
    let mut shards: Vec<Map<String, Value>> = front.shards.ask_all(call).await?;
    let sum = |name: &str| shards.iter().filter_map(|one| one.get(name)?.as_u64()).sum::<u64>();
    let mut all: Map<String, Value> =
        SUMS.into_iter().map(|name| (name.to_owned(), json!(sum(name)))).collect();
    all.insert("settings".to_owned(), json!(front.settings));
    for (shard, stats) in shards.iter_mut().enumerate() {
        stats.remove("settings");
        stats.insert("url".to_owned(), json!(front.shards.url(shard)));
    }
    all.insert("shards".to_owned(), json!(shards));
    json(&all)
}

#[derive(Deserialize, Serialize)]
struct Sweeps {
    sweeps: Vec<Sweep>,
}

#[derive(Deserialize, Serialize)]
struct Sweep {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    date: Option<String>,
    documents: u64,
}

async fn sweeps(State(front): Shared, request: Request) -> Result<Response, Problem> {
    let deadline = front.gate.questions.deadline(request.headers())?;
    let shards: Vec<Sweeps> = front.shards.ask_all(|| Call::get("/v1/sweeps", deadline)).await?;
    let mut sweeps: Vec<Sweep> = Vec::new();
    for sweep in shards.into_iter().flat_map(|shard| shard.sweeps) {
        match sweeps.iter_mut().find(|known| known.name == sweep.name) {
            Some(known) => known.documents += sweep.documents,
            None => sweeps.push(sweep),
        }
    }
    json(&Sweeps { sweeps })
}

/// What is answered by a front whose shards are ready.
#[derive(Serialize, JsonSchema)]
struct Ready {
    /// The last commits of the shards.
    commits: Vec<u64>,
    /// Documents of them.
    documents: u64,
}

#[derive(Deserialize)]
struct ReadyShard {
    commit: u64,
    documents: u64,
}

impl Front {
    async fn last_commits(&self) -> Result<Ready, Problem> {
        let deadline = Instant::now() + self.gate.limits.deadline;
        let shards: Vec<ReadyShard> =
            self.shards.ask_all(|| Call::get("/readyz", deadline)).await?;
        let commits = shards.iter().map(|shard| shard.commit).collect();
        Ok(Ready { commits, documents: shards.iter().map(|shard| shard.documents).sum() })
    }
}

async fn ready(State(front): Shared) -> Result<Response, Problem> {
    if *front.gate.stopping().borrow() {
        return Err(Problem::busy("stopping", "the service is being stopped"));
    }
    let ready = front.last_commits().await;
    json(&ready.map_err(|problem| Problem::busy("not_ready", problem.detail))?)
}

async fn metrics(State(front): Shared) -> Result<Response, Problem> {
    let Ready { commits, documents } = front.last_commits().await?;
    let text = front.gate.metrics.text(documents, commits.into_iter().max().unwrap_or(0));
    Ok(([(header::CONTENT_TYPE, OPEN_METRICS)], text).into_response())
}
