//! Questions about the stored documents.

use crate::body;
use crate::endpoint::{
    DEADLINE, Endpoint, GivenId, ID, Parameter, Place, in_path, json, json_of, query,
};
use crate::options::Limits;
use crate::problem::Problem;
use crate::service::Service;
use crate::tokens::Scope;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::{get, post};
use lookalike::index::{
    CollapseItem, CollapsedGroup, IndexedCluster, IndexedDocument, Question, Reply,
    collapse_by_index,
};
use lookalike::results::Comparison;
use lookalike::settings::Measure;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::num::NonZeroU64;
use std::sync::Arc;

type Shared = State<Arc<Service>>;

pub(super) const ENDPOINTS: &[Endpoint] = &[
    Endpoint {
        method: "POST",
        path: "/v1/query",
        scope: Some(Scope::Read),
        summary: "Which documents resemble, contain or are contained in a document",
        about: "Exact: each match has its counts, and none that reaches the threshold is missed.",
        parameters: &[DEADLINE],
        body: &[json_of(|schemas| schemas.subschema_for::<Question>())],
        answer: json_of(|schemas| schemas.subschema_for::<Reply>()),
        refusals: &[404],
        handler: || post(ask),
    },
    Endpoint {
        method: "POST",
        path: "/v1/query/batch",
        scope: Some(Scope::Read),
        summary: "Up to 1,000 questions",
        about: "Answers in the order of the questions, each an answer or a problem of its own, all of the \
                same commit.",
        parameters: &[DEADLINE],
        body: &[json_of(|schemas| schemas.subschema_for::<Vec<Question>>())],
        answer: json_of(|schemas| schemas.subschema_for::<Vec<Answered>>()),
        refusals: &[],
        handler: || post(ask_all),
    },
    Endpoint {
        method: "GET",
        path: "/v1/documents/{id}/cluster",
        scope: Some(Scope::Read),
        summary: "The other documents of the cluster of a document",
        about: "The document that is kept of near-duplicates, and those that rely on it, with \
                their counts beside this document.",
        parameters: &[ID, LIMIT, DEADLINE],
        body: &[],
        answer: json_of(|schemas| schemas.subschema_for::<Reply>()),
        refusals: &[404],
        handler: || get(cluster),
    },
    Endpoint {
        method: "GET",
        path: "/v1/clusters/{id}",
        scope: Some(Scope::Read),
        summary: "The documents of a cluster",
        about: "By the id of any of its documents. The kept document and those that rely on it, in \
                the order in which they would be kept.",
        parameters: &[
            ID,
            Parameter {
                name: "from",
                place: Place::Query,
                about: "The place of the first document that is answered, from 0.",
                schema: |_| schemars::json_schema!({"type": "integer", "minimum": 0}),
                required: false,
            },
            Parameter { about: "At most this many documents; usually 1000.", ..LIMIT },
            Parameter {
                name: "commit",
                place: Place::Query,
                about: "The commit of the part before: if there is a later one, the parts may not \
                        fit, and the request is refused (409).",
                schema: |_| schemars::json_schema!({"type": "integer", "minimum": 0}),
                required: false,
            },
            DEADLINE,
        ],
        body: &[],
        answer: json_of(|schemas| schemas.subschema_for::<IndexedCluster>()),
        refusals: &[404, 409],
        handler: || get(members),
    },
    Endpoint {
        method: "GET",
        path: "/v1/documents/{id}/explain",
        scope: Some(Scope::Read),
        summary: "How two stored documents compare",
        about: "Their measures, the passages in common and the differences.",
        parameters: &[
            ID,
            Parameter {
                name: "other",
                place: Place::Query,
                about: "The id of the other document.",
                schema: |schemas| schemas.subschema_for::<String>(),
                required: true,
            },
            DEADLINE,
        ],
        body: &[],
        answer: json_of(|_| schemars::json_schema!({"type": "object"})),
        refusals: &[404],
        handler: || get(explain),
    },
    Endpoint {
        method: "POST",
        path: "/v1/collapse",
        scope: Some(Scope::Read),
        summary: "Puts near-duplicates in a ranked list behind the first of them",
        about: "Items are ids of stored documents, or texts. An unknown id is shown and marked.",
        parameters: &[DEADLINE],
        body: &[json_of(|schemas| schemas.subschema_for::<RankedList>())],
        answer: json_of(|schemas| schemas.subschema_for::<Groups>()),
        refusals: &[],
        handler: || post(collapse),
    },
    Endpoint {
        method: "GET",
        path: "/v1/documents/{id}",
        scope: Some(Scope::Read),
        summary: "A stored document",
        about: "",
        parameters: &[ID, DEADLINE],
        body: &[],
        answer: json_of(|schemas| schemas.subschema_for::<IndexedDocument>()),
        refusals: &[404],
        handler: || get(document),
    },
];

const LIMIT: Parameter = Parameter {
    name: "limit",
    place: Place::Query,
    about: "At most this many documents.",
    schema: |_| schemars::json_schema!({"type": "integer", "minimum": 1}),
    required: false,
};

async fn ask(State(service): Shared, request: Request) -> Result<Response, Problem> {
    let headers = request.headers().clone();
    let question = Question::from_json(&body::json_bytes(request, &service.limits).await?)?;
    let reply = service.ask(&headers, move |service, stop| service.index.answer(&question, stop));
    let reply = reply.await?;
    service.metrics.asked(reply.cost());
    json(&reply)
}

/// An answer of a batch.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
enum Answered {
    Reply(Reply),
    Problem { problem: Problem },
}

async fn ask_all(State(service): Shared, request: Request) -> Result<Response, Problem> {
    let headers = request.headers().clone();
    let questions: Vec<Box<RawValue>> = body::json(request, &service.limits).await?;
    at_most(questions.len(), "questions")?;
    let answers = service.ask(&headers, move |service, stop| {
        let questions = questions.iter().map(|one| Question::from_json(one.get().as_bytes()));
        service.index.answer_all(questions, stop)
    });
    let answers = answers.await?.into_iter().map(|answer| match answer {
        Ok(reply) => {
            service.metrics.asked(reply.cost());
            Answered::Reply(reply)
        }
        Err(error) => Answered::Problem { problem: error.into() },
    });
    json(&answers.collect::<Vec<_>>())
}

/// Refuses a list that is too long.
pub(crate) fn at_most(count: usize, what: &str) -> Result<(), Problem> {
    let most = Limits::BATCH;
    match count <= most {
        true => Ok(()),
        false => Err(Problem::bad_request(format!("{count} {what}, and at most {most} at once"))),
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ClusterQuery {
    limit: Option<NonZeroU64>,
}

async fn cluster(
    State(service): Shared,
    path: GivenId,
    request: Request,
) -> Result<Response, Problem> {
    let ClusterQuery { limit } = query(request.uri())?;
    let question = Question { cluster: Some(in_path(path)?), limit, ..Question::default() };
    let reply = service
        .ask(request.headers(), move |service, stop| service.index.answer(&question, stop))
        .await?;
    service.metrics.asked(reply.cost());
    json(&reply)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MembersQuery {
    #[serde(default)]
    from: usize,
    limit: Option<NonZeroU64>,
    commit: Option<u64>,
}

async fn members(
    State(service): Shared,
    path: GivenId,
    request: Request,
) -> Result<Response, Problem> {
    let (id, MembersQuery { from, limit, commit }) = (in_path(path)?, query(request.uri())?);
    let limit = limit.map_or(1000, |limit| usize::try_from(limit.get()).unwrap_or(usize::MAX));
    let found = service.ask(request.headers(), move |service, stop| {
        service.index.indexed_cluster(&id, from, limit, stop)
    });
    let found = found.await?;
    if commit.is_some_and(|commit| commit != found.commit) {
        let detail = "there is a later commit than that of the part before; begin with the first \
                      part again";
        return Err(Problem::new(StatusCode::CONFLICT, "changed", detail));
    }
    json(&found)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExplainQuery {
    pub(crate) other: String,
}

async fn explain(
    State(service): Shared,
    path: GivenId,
    request: Request,
) -> Result<Response, Problem> {
    let (id, ExplainQuery { other }) = (in_path(path)?, query(request.uri())?);
    let compared: Comparison = service
        .ask(request.headers(), move |service, _| service.index.compare(&id, &other))
        .await?;
    json(&compared)
}

async fn document(
    State(service): Shared,
    path: GivenId,
    request: Request,
) -> Result<Response, Problem> {
    let id = in_path(path)?;
    let found =
        service.ask(request.headers(), move |service, _| service.index.indexed_document(&id));
    json(&found.await?)
}

/// A ranked list.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RankedList {
    /// The items, the first first; at most 1,000.
    pub(crate) items: Vec<RankedItem>,
    /// What the measure has to reach; that of the index if it is left out.
    threshold: Option<String>,
    /// `resemblance`, `containment` or `cosine`; that of the index if it is left out.
    #[schemars(with = "Option<String>")]
    measure: Option<Measure>,
}

/// A ranked list, collapsed.
#[derive(Serialize, JsonSchema)]
struct Groups {
    /// The documents that are shown, in their order, each with those behind it.
    groups: Vec<CollapsedGroup>,
}

/// An item of a ranked list.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RankedItem {
    /// The id; of a stored document if there is no text.
    pub(crate) id: String,
    /// The text.
    pub(crate) text: Option<String>,
}

async fn collapse(State(service): Shared, request: Request) -> Result<Response, Problem> {
    let headers = request.headers().clone();
    let RankedList { items, threshold, measure } = body::json(request, &service.limits).await?;
    at_most(items.len(), "items")?;
    let items: Vec<_> =
        items.into_iter().map(|RankedItem { id, text }| CollapseItem { id, text }).collect();
    let groups = service.ask(&headers, move |service, _| {
        collapse_by_index(&service.index, &items, measure, threshold.as_deref())
    });
    json(&Groups { groups: groups.await? })
}
