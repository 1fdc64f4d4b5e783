//! Documents, each at its shard.

use super::endpoint::OfFront;
use super::shards::Call;
use super::state::Front;
use crate::body;
use crate::endpoint::{GivenId, in_path, json, query};
use crate::problem::Problem;
use crate::routes::documents::PutQuery;
use axum::body::Bytes;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::Response;
use axum::routing::{delete, get, put};
use futures_util::future::try_join_all;
use lookalike::index::Wanted;
use lookalike::settings::Measure;
use serde::{Deserialize, Serialize};
use serde_json::json;
use serde_json::value::RawValue;
use std::cmp::Ordering;
use std::sync::Arc;
use std::time::Instant;

type Shared = State<Arc<Front>>;

pub(super) const ENDPOINTS: &[OfFront] = &[
    OfFront {
        method: "PUT",
        path: "/v1/documents/{id}",
        besides: "The shard of its id gets it. With `unless_duplicate`, the other shards are \
                  asked first for kept documents, of which each decides for itself: of two \
                  documents that arrive at the same moment for different shards, both may be \
                  added. `commit` is one of the shard.",
        answer: None,
        handler: || put(put_one),
    },
    OfFront {
        method: "DELETE",
        path: "/v1/documents/{id}",
        besides: "`commit` is one of its shard.",
        answer: None,
        handler: || delete(delete_one),
    },
    OfFront {
        method: "GET",
        path: "/v1/documents/{id}",
        besides: "`kept`, `cluster` and `commit` are those of its shard.",
        answer: None,
        handler: || get(document),
    },
];

async fn document(
    State(front): Shared,
    path: GivenId,
    request: Request,
) -> Result<Response, Problem> {
    let deadline = front.gate.questions.deadline(request.headers())?;
    let shard = front.shards.of(&in_path(path)?);
    front.shards.forward(shard, Call::get(path_of(&request), deadline)).await
}

async fn delete_one(
    State(front): Shared,
    path: GivenId,
    request: Request,
) -> Result<Response, Problem> {
    let shard = front.shards.of(&in_path(path)?);
    front.shards.forward(shard, change(&request, HeaderMap::new(), Bytes::new())).await
}

async fn put_one(
    State(front): Shared,
    path: GivenId,
    request: Request,
) -> Result<Response, Problem> {
    let id = in_path(path)?;
    let PutQuery { unless_duplicate, .. } = query(request.uri())?;
    let kept = [header::CONTENT_TYPE, header::IF_NONE_MATCH];
    let headers = kept.into_iter().filter_map(|name| {
        let value = request.headers().get(&name)?.clone();
        Some((name, value))
    });
    let mut call = change(&request, headers.collect(), Bytes::new());
    let deadline = front.gate.questions.deadline(request.headers())?;
    call.body = body::json_bytes(request, &front.gate.limits).await?.into();
    let shard = front.shards.of(&id);
    if let Some(threshold) = unless_duplicate
        && let Some(duplicate) = front.duplicate(shard, &threshold, &call.body, deadline).await?
    {
        // One that is there already is not added in any case.
        let only_new = call.headers.contains_key(header::IF_NONE_MATCH);
        if !(only_new && front.has(&id, deadline).await?) {
            return json(&duplicate);
        }
    }
    front.shards.forward(shard, call).await
}

fn path_of(request: &Request) -> &str {
    request.uri().path_and_query().map_or("/", |path| path.as_str())
}

fn change(request: &Request, headers: HeaderMap, body: Bytes) -> Call {
    let path = path_of(request).to_owned();
    Call { method: request.method().clone(), path, headers, body, deadline: None }
}

/// The document of another shard that a document matches.
#[derive(Serialize)]
struct LeftOut {
    outcome: &'static str,
    duplicate: Duplicate,
    /// The commit that was asked, of the shard of that document.
    commit: u64,
}

/// As [`DuplicateOf`](lookalike::index::DuplicateOf), with the numbers as the shard wrote them.
#[derive(Serialize)]
struct Duplicate {
    id: String,
    resemblance: Box<RawValue>,
    document_in_other: Box<RawValue>,
    other_in_document: Box<RawValue>,
    cosine: Box<RawValue>,
    shared: u32,
    size: u32,
    other_size: u32,
}

/// What a shard answers.
#[derive(Deserialize)]
struct Asked {
    matches: Vec<Match>,
    size: u32,
    commit: u64,
}

#[derive(Deserialize)]
struct Match {
    id: String,
    resemblance: Box<RawValue>,
    query_in_document: Box<RawValue>,
    document_in_query: Box<RawValue>,
    cosine: Box<RawValue>,
    shared: u32,
    size: u32,
}

#[derive(Deserialize)]
struct WithText {
    text: Option<String>,
}

impl Front {
    /// The best kept document of the other shards that a document matches.
    async fn duplicate(
        &self,
        own: usize,
        threshold: &str,
        body: &[u8],
        deadline: Instant,
    ) -> Result<Option<LeftOut>, Problem> {
        // What is wrong with a document, its shard says.
        let Ok(WithText { text }) = serde_json::from_slice(body) else { return Ok(None) };
        let text = text.ok_or_else(|| {
            let detail = "over several shards, `unless_duplicate` needs the field `text`";
            Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "unusable_document", detail)
        })?;
        let (ask, wanted) = match self.settings.documents.measure {
            Measure::Resemblance => ("resembles", Wanted::Resembles),
            Measure::Containment => ("containing", Wanted::Containing),
            Measure::Cosine => ("cosine", Wanted::Cosine),
        };
        let question =
            json!({"text": text, "ask": ask, "threshold": threshold, "kept": true, "limit": 1});
        let question = Bytes::from(question.to_string());
        let others = (0..self.shards.count()).filter(|shard| *shard != own);
        let asked = others.map(|shard| {
            let call = Call::post("/v1/query", question.clone(), deadline);
            self.shards.ask::<Asked>(shard, call)
        });
        let mut best: Option<(Match, u32, u64)> = None;
        for Asked { matches, size, commit } in try_join_all(asked).await? {
            let Some(one) = matches.into_iter().next() else { continue };
            let is_better = best.as_ref().is_none_or(|(best, ..)| {
                let counts = [(one.shared, one.size), (best.shared, best.size)];
                wanted.order(size, counts) == Some(Ordering::Less)
            });
            if is_better {
                best = Some((one, size, commit));
            }
        }
        Ok(best.map(|(one, size, commit)| LeftOut {
            outcome: "duplicate",
            duplicate: Duplicate {
                id: one.id,
                resemblance: one.resemblance,
                document_in_other: one.query_in_document,
                other_in_document: one.document_in_query,
                cosine: one.cosine,
                shared: one.shared,
                size,
                other_size: one.size,
            },
            commit,
        }))
    }

    /// Whether there is a document of this id.
    async fn has(&self, id: &str, deadline: Instant) -> Result<bool, Problem> {
        match self.document(id, deadline).await {
            Ok(_) => Ok(true),
            Err(problem) if problem.status == 404 => Ok(false),
            Err(problem) => Err(problem),
        }
    }
}
