//! Questions to all shards.

use super::endpoint::OfFront;
use super::merging::Merged;
use super::shards::Call;
use super::state::Front;
use crate::body;
use crate::endpoint::{GivenId, in_path, json, json_of, query};
use crate::problem::Problem;
use crate::routes::asking::{ExplainQuery, RankedList, at_most};
use axum::body::Bytes;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::{get, post};
use futures_util::future::try_join_all;
use futures_util::stream::{StreamExt, TryStreamExt};
use lookalike::index::{AnyQuery, IndexedDocument, Question, Wanted};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

type Shared = State<Arc<Front>>;

/// Requests for a batch that are under way together.
const TOGETHER: usize = 16;

pub(super) const ENDPOINTS: &[OfFront] = &[
    OfFront {
        method: "POST",
        path: "/v1/query",
        besides: "Asked of all shards: all of them answer, or none. Each shard decides for \
                  itself which of its documents are kept: `kept` and `cluster` of a match are \
                  those of its shard, and questions for `kept`, `ask: cluster`, `cluster`, a \
                  method or a `url` are refused (501). Of equal matches those of the first shard \
                  come first. A hint names a document, and perhaps not the best one. `limit` \
                  does not bound what shards answer about passages.",
        answer: Some(json_of(|schemas| schemas.subschema_for::<Merged>())),
        handler: || post(ask),
    },
    OfFront {
        method: "POST",
        path: "/v1/query/batch",
        besides: "Each is asked of all shards, as the endpoint of one question does, about their \
                  last commits at that moment.",
        answer: Some(json_of(|schemas| schemas.subschema_for::<Vec<Answered>>())),
        handler: || post(ask_batch),
    },
    OfFront {
        method: "GET",
        path: "/v1/documents/{id}/explain",
        besides: "Also of documents of two shards.",
        answer: None,
        handler: || get(explain),
    },
    OfFront {
        method: "POST",
        path: "/v1/collapse",
        besides: "The texts of stored documents are collected first, and together bounded by the \
                  limit of a body.",
        answer: None,
        handler: || post(collapse),
    },
];

async fn ask(State(front): Shared, request: Request) -> Result<Response, Problem> {
    let deadline = front.gate.questions.deadline(request.headers())?;
    let written = body::json_bytes(request, &front.gate.limits).await?;
    json(&front.answer(&written, deadline).await?)
}

/// An answer of a batch.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
enum Answered {
    Reply(Merged),
    Problem { problem: Problem },
}

async fn ask_batch(State(front): Shared, request: Request) -> Result<Response, Problem> {
    let deadline = front.gate.questions.deadline(request.headers())?;
    let questions: Vec<Box<RawValue>> = body::json(request, &front.gate.limits).await?;
    at_most(questions.len(), "questions")?;
    let answers = futures_util::stream::iter(questions).map(|question| {
        let front = Arc::clone(&front);
        async move {
            match front.answer(question.get().as_bytes(), deadline).await {
                Ok(merged) => Answered::Reply(merged),
                Err(problem) => Answered::Problem { problem },
            }
        }
    });
    json(&answers.buffered(TOGETHER).collect::<Vec<_>>().await)
}

/// A question that only one index can answer.
fn refusal(what: &str, instead: &str) -> Problem {
    let detail = format!("{what} depends on all documents of an index; {instead}");
    Problem::new(StatusCode::NOT_IMPLEMENTED, "one_index_only", detail)
}

/// Refuses what shards cannot answer for all documents.
fn check(question: &Question, query: &AnyQuery) -> Result<(), Problem> {
    let per_shard = "each shard decides for itself which of its documents are kept";
    if question.kept == Some(true) {
        return Err(refusal("`kept`", per_shard));
    }
    if question.url.is_some() {
        return Err(refusal("the last document of a `url`", "name the document by its `id`"));
    }
    match query {
        AnyQuery::Documents(query) => match &query.ask {
            Wanted::Cluster => Err(refusal("a cluster", per_shard)),
            Wanted::Method(_) => Err(refusal(
                "the order of the answers of a method",
                "a front asks `resembles`, `containing`, `contained-in`, `cosine` and `passages`",
            )),
            _ => Ok(()),
        },
        AnyQuery::Passages(_) => Ok(()),
    }
}

type Fields = BTreeMap<String, Box<RawValue>>;

impl Front {
    /// Answers a question, as it is written.
    async fn answer(&self, written: &[u8], deadline: Instant) -> Result<Merged, Problem> {
        let mut question = Question::from_json(written)?;
        let query = question.query()?;
        check(&question, &query)?;
        let wrong = |error: serde_json::Error| Problem::bad_request(error.to_string());
        let mut fields: Fields = serde_json::from_slice(written).map_err(wrong)?;
        fields.remove("key");
        if matches!(query, AnyQuery::Passages(_)) {
            fields.remove("limit");
        }
        let permit = tokio::time::timeout_at(deadline.into(), self.asking.acquire()).await;
        let _held = permit.map_err(|_| {
            Problem::busy("deadline", "the deadline passed before the shards could be asked")
        })?;
        // The shard of a stored document leaves it out; the others have only its text.
        let mut own = None;
        if let Some(id) = &question.id {
            let body = Bytes::from(serde_json::to_vec(&fields).map_err(wrong)?);
            let document = self.document(id, deadline).await?;
            let text = to_raw_value(text_of(&document)?).map_err(wrong)?;
            own = Some((self.shards.of(id), body, document));
            fields.remove("id");
            fields.insert("text".to_owned(), text);
        }
        let by_text = Bytes::from(serde_json::to_vec(&fields).map_err(wrong)?);
        let ask = async |shard: usize| {
            let body = match &own {
                Some((own, body, _)) if *own == shard => body,
                _ => &by_text,
            };
            let call = Call::post("/v1/query", body.clone(), deadline);
            match self.shards.call(shard, call).await {
                Ok(answer) => Ok(Ok(answer.into_body())),
                // A shard without documents of the sweep does not know it.
                Err(problem) if problem.status == 404 && question.sweep.is_some() => {
                    Ok(Err(problem))
                }
                Err(problem) => Err(problem),
            }
        };
        let answers = try_join_all((0..self.shards.count()).map(ask)).await?;
        if answers.iter().all(Result::is_err)
            && let Some(Err(problem)) = answers.first()
        {
            return Err(problem.clone());
        }
        let answers: Vec<_> = answers.into_iter().map(Result::ok).collect();
        if let Some((shard, _, document)) = own {
            self.is_unchanged(&document, answers[shard].as_deref(), deadline).await?;
        }
        let merged = Merged::of(&self.shards, &query, question.key.take(), &answers)?;
        self.gate.metrics.asked(merged.cost());
        Ok(merged)
    }

    /// Whether a document is the one that its shard, with this answer, was asked about.
    ///
    /// # Errors
    /// It was replaced or deleted since.
    async fn is_unchanged(
        &self,
        document: &IndexedDocument,
        answer: Option<&[u8]>,
        deadline: Instant,
    ) -> Result<(), Problem> {
        let commit = answer.and_then(|answer| serde_json::from_slice(answer).ok());
        if commit.is_some_and(|AtCommit { commit }| commit == document.commit)
            || self.document(&document.id, deadline).await?.text == document.text
        {
            return Ok(());
        }
        let detail = format!("the document `{}` was replaced meanwhile; ask again", document.id);
        Err(Problem::busy("changed", detail))
    }

    /// A stored document.
    ///
    /// # Errors
    /// No document with this id.
    pub(super) async fn document(
        &self,
        id: &str,
        deadline: Instant,
    ) -> Result<IndexedDocument, Problem> {
        let path = format!("/v1/documents/{}", in_url(id));
        self.shards.ask(self.shards.of(id), Call::get(path, deadline)).await
    }
}

/// The commit that an answer is about.
#[derive(Deserialize)]
struct AtCommit {
    commit: u64,
}

/// The text of a stored document.
///
/// # Errors
/// An index without texts.
fn text_of(document: &IndexedDocument) -> Result<&str, Problem> {
    document.text.as_deref().ok_or_else(|| {
        Problem::bad_request(
            "the indexes were created without texts, so that no shard can be asked about the \
             document of another one; ask by `text`",
        )
    })
}

/// Percent-encodes what is part of a path.
fn in_url(id: &str) -> String {
    let encode = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'~' => {
            char::from(byte).to_string()
        }
        _ => format!("%{byte:02X}"),
    };
    id.bytes().map(encode).collect()
}

async fn explain(
    State(front): Shared,
    path: GivenId,
    request: Request,
) -> Result<Response, Problem> {
    let (id, ExplainQuery { other }) = (in_path(path)?, query(request.uri())?);
    let deadline = front.gate.questions.deadline(request.headers())?;
    let (a, b) = (front.document(&id, deadline), front.document(&other, deadline));
    let (a, b) = futures_util::future::try_join(a, b).await?;
    let comparing = Arc::clone(&front);
    let compared = front
        .gate
        .questions
        .run(deadline, move |_| Ok(comparing.settings.compare([a, b])?.comparison()));
    json(&compared.await?)
}

async fn collapse(State(front): Shared, request: Request) -> Result<Response, Problem> {
    let deadline = front.gate.questions.deadline(request.headers())?;
    let mut list: RankedList = body::json(request, &front.gate.limits).await?;
    at_most(list.items.len(), "items")?;
    let items: Vec<_> =
        list.items.iter().map(|item| (item.id.clone(), item.text.clone())).collect();
    let texts = futures_util::stream::iter(items).map(|(id, given)| {
        let front = Arc::clone(&front);
        async move {
            match given {
                Some(text) => Ok(Some(text)),
                None => match front.document(&id, deadline).await {
                    Ok(document) => text_of(&document).map(|text| Some(text.to_owned())),
                    // It is shown, and marked as unknown.
                    Err(problem) if problem.status == 404 => Ok(None),
                    Err(problem) => Err(problem),
                },
            }
        }
    });
    let texts: Vec<Option<String>> = texts.buffered(TOGETHER).try_collect().await?;
    for (item, text) in list.items.iter_mut().zip(texts) {
        item.text = text;
    }
    let list =
        serde_json::to_vec(&list).map_err(|error| Problem::bad_request(error.to_string()))?;
    // Any shard compares texts.
    front.shards.forward(0, Call::post("/v1/collapse", list, deadline)).await
}
