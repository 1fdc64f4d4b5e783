//! Adding, replacing and deleting documents.

use crate::body;
use crate::endpoint::{
    Content, DATE, Endpoint, GivenId, ID, NDJSON, Parameter, Place, in_path, json, json_of,
    json_with, query,
};
use crate::lines::Lines;
use crate::problem::Problem;
use crate::service::Service;
use crate::tokens::Scope;
use crate::writing::Changed;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{delete, post, put};
use futures_util::StreamExt;
use lookalike::IndexWriter;
use lookalike::index::{ChangeOutcome, DuplicateOf, IndexChange, Put};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use tokio::sync::mpsc;

type Shared = State<Arc<Service>>;

/// Lines of a stream that are read and not yet answered.
pub(crate) const WINDOW: usize = 1000;

pub(super) const ENDPOINTS: &[Endpoint] = &[
    Endpoint {
        method: "PUT",
        path: "/v1/documents/{id}",
        scope: Some(Scope::Write),
        summary: "Adds or replaces a document",
        about: "The body is what a line of JSONL is for `index add`: an object with `text`, and \
                perhaps `title`, `url`, `date` and the fields of the keep rules. The answer comes \
                when the document is durable. A document that is left out as a duplicate is \
                answered with the document that it matches. With `if-none-match: *`, a document \
                whose id is there already is refused (412).",
        parameters: &[
            ID,
            UNLESS_DUPLICATE,
            SWEEP,
            DATE,
            Parameter {
                name: "if-none-match",
                place: Place::Header,
                about: "`*` adds a document only if its id is new.",
                schema: |_| schemars::json_schema!({"type": "string", "const": "*"}),
                required: false,
            },
        ],
        body: &[json_of(|_| {
            schemars::json_schema!({
                "type": "object",
                "properties": {"text": {"type": "string"}, "html": {"type": "string"}},
                "anyOf": [{"required": ["text"]}, {"required": ["html"]}],
            })
        })],
        answer: json_of(|schemas| schemas.subschema_for::<Done>()),
        refusals: &[403, 409, 412, 422],
        handler: || put(put_one),
    },
    Endpoint {
        method: "DELETE",
        path: "/v1/documents/{id}",
        scope: Some(Scope::Write),
        summary: "Deletes a document",
        about: "Of every sweep. The answer comes when that is durable.",
        parameters: &[ID],
        body: &[],
        answer: json_of(|schemas| schemas.subschema_for::<Done>()),
        refusals: &[403, 404],
        handler: || delete(delete_one),
    },
    Endpoint {
        method: "POST",
        path: "/v1/documents",
        scope: Some(Scope::Write),
        summary: "Adds or replaces the documents of a stream",
        about: "The body is JSONL of any length, each line with an `id`. Each line is answered by \
                a line when it is durable, in their order; a line that cannot be used is answered \
                by its problem, and those after it go on. Lines are read no faster than they are \
                made durable. A client that does not read while it sends asks for \
                `answers=problems`: the lines that were not added, and a last line with counts. \
                Sending a stream again is harmless.",
        parameters: &[
            UNLESS_DUPLICATE,
            SWEEP,
            DATE,
            Parameter {
                name: "only_new",
                place: Place::Query,
                about: "`true` leaves out documents whose ids are there already.",
                schema: |schemas| schemas.subschema_for::<bool>(),
                required: false,
            },
            Parameter {
                name: "answers",
                place: Place::Query,
                about: "`all` (usual) or `problems`.",
                schema: |schemas| schemas.subschema_for::<Answers>(),
                required: false,
            },
        ],
        body: &[Content { media: NDJSON, schema: |_| schemars::json_schema!({}) }],
        answer: Content { media: NDJSON, schema: |_| schemars::json_schema!({}) },
        refusals: &[403],
        handler: || post(add_lines),
    },
];

const UNLESS_DUPLICATE: Parameter = Parameter {
    name: "unless_duplicate",
    place: Place::Query,
    about: "Leaves a document out if it matches a kept one at this threshold.",
    schema: |_| schemars::json_schema!({"type": "number", "exclusiveMinimum": 0, "maximum": 1}),
    required: false,
};

const SWEEP: Parameter = Parameter {
    name: "sweep",
    place: Place::Query,
    about: "The sweep to add to, which is entered if it is new.",
    schema: |schemas| schemas.subschema_for::<String>(),
    required: false,
};

/// What became of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum What {
    Added,
    Replaced,
    Exists,
    Duplicate,
    Deleted,
    Unknown,
}

/// A change that is durable.
#[derive(Debug, Serialize, JsonSchema)]
struct Done {
    /// What became of the document.
    outcome: What,
    /// The document that it matches, if it was left out as a duplicate.
    #[serde(skip_serializing_if = "Option::is_none")]
    duplicate: Option<DuplicateOf>,
    /// The commit from which on questions see the change.
    commit: u64,
}

impl Done {
    fn of(Changed { outcome, commit }: Changed) -> Result<Self, String> {
        let (outcome, duplicate) = match outcome {
            ChangeOutcome::Added => (What::Added, None),
            ChangeOutcome::Replaced => (What::Replaced, None),
            ChangeOutcome::Exists => (What::Exists, None),
            ChangeOutcome::Duplicate(of) => (What::Duplicate, Some(of)),
            ChangeOutcome::Deleted => (What::Deleted, None),
            ChangeOutcome::Unknown => (What::Unknown, None),
            ChangeOutcome::Problem(problem) => return Err(problem),
            // Those of a later version of the library.
            other => return Err(format!("{other:?}")),
        };
        Ok(Self { outcome, duplicate, commit })
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PutQuery {
    pub(crate) unless_duplicate: Option<String>,
    sweep: Option<String>,
    date: Option<String>,
}

/// A sweep with its date.
fn dated(
    sweep: Option<String>,
    date: Option<String>,
) -> Result<Option<(String, Option<String>)>, Problem> {
    match (sweep, date) {
        (None, Some(_)) => Err(Problem::bad_request("the parameter `date` is that of a `sweep`")),
        (sweep, date) => Ok(sweep.map(|sweep| (sweep, date))),
    }
}

async fn put_one(
    State(service): Shared,
    path: GivenId,
    request: Request,
) -> Result<Response, Problem> {
    let (id, query) = (in_path(path)?, query(request.uri())?);
    let PutQuery { unless_duplicate, sweep, date } = query;
    let sweep = dated(sweep, date)?;
    let writing = service.writing()?;
    let only_new = match request.headers().get(header::IF_NONE_MATCH) {
        None => false,
        Some(value) if value == "*" => true,
        Some(_) => return Err(Problem::bad_request("the header `if-none-match` is `*` here")),
    };
    let mut document: Map<String, Value> = body::json(request, &service.limits).await?;
    if document.get("id").is_some_and(|given| *given != Value::String(id.clone())) {
        let detail = "the field `id` of the body is another id than that of the path";
        return Err(Problem::bad_request(detail));
    }
    document.insert("id".to_owned(), Value::String(id));
    let line = serde_json::to_string(&document)
        .map_err(|error| Problem::bad_request(error.to_string()))?;
    let put = Put { line, only_new, unless_duplicate, sweep };
    let done = Done::of(writing.change(IndexChange::Put(put)).await?);
    let done = done.map_err(|problem| {
        Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "unusable_document", problem)
    })?;
    match done.outcome {
        What::Exists => {
            let detail = "a document with this id is there already, and is not replaced";
            Err(Problem::new(StatusCode::PRECONDITION_FAILED, "exists", detail))
        }
        What::Added => json_with(StatusCode::CREATED, &done),
        _ => json(&done),
    }
}

async fn delete_one(State(service): Shared, path: GivenId) -> Result<Response, Problem> {
    let id = in_path(path)?;
    let done = Done::of(service.writing()?.change(IndexChange::Delete { id }).await?);
    match done.map_err(Problem::bad_request)? {
        Done { outcome: What::Unknown, .. } => {
            let detail = "no document has this id";
            Err(Problem::new(StatusCode::NOT_FOUND, "no_such_document", detail))
        }
        done => json(&done),
    }
}

/// Which lines of a stream are answered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Answers {
    #[default]
    All,
    Problems,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct StreamQuery {
    pub(crate) unless_duplicate: Option<String>,
    pub(crate) sweep: Option<String>,
    pub(crate) date: Option<String>,
    #[serde(default)]
    pub(crate) only_new: bool,
    #[serde(default)]
    pub(crate) answers: Answers,
}

/// The answer to a line.
#[derive(Serialize)]
struct LineDone<'a> {
    line: u64,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    done: Option<&'a Done>,
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<&'a str>,
}

/// The last line of a stream's answer.
#[derive(Default, Serialize)]
struct StreamDone {
    lines: u64,
    added: u64,
    replaced: u64,
    exists: u64,
    duplicates: u64,
    problems: u64,
    /// The commit that has all of them.
    commit: u64,
}

type Pending = Pin<Box<dyn Future<Output = Result<Changed, Problem>> + Send>>;

async fn add_lines(State(service): Shared, request: Request) -> Result<Response, Problem> {
    let query = query(request.uri())?;
    let StreamQuery { unless_duplicate, sweep, date, only_new, answers } = query;
    let sweep = dated(sweep, date)?;
    service.writing()?;
    body::expect_type(request.headers(), NDJSON)?;
    // What no line could be added with is refused before any is sent.
    if let Some(threshold) = &unless_duplicate {
        service.index.check_threshold(threshold)?;
    }
    if let Some((name, date)) = sweep.clone() {
        let enter = move |index: &mut IndexWriter| {
            index.add_sweep(&name, date.as_deref())?;
            index.commit().map(|_| ())
        };
        service.writing()?.step(0, enter).await?;
    }
    let (send, receive) = mpsc::channel::<(u64, Pending)>(WINDOW);
    let mut lines = Lines::new(request.into_body(), service.limits.body, service.stopping());
    let reading = Arc::clone(&service);
    tokio::spawn(async move {
        while let Some((number, line)) = lines.next().await {
            let (unless_duplicate, sweep) = (unless_duplicate.clone(), sweep.clone());
            let put = |line| Put { line, only_new, unless_duplicate, sweep };
            let pending: Pending = match hand_over(&reading, line.map(put)).await {
                Ok(pending) => Box::pin(pending),
                Err(problem) => Box::pin(std::future::ready(Err(problem))),
            };
            if send.send((number, pending)).await.is_err() {
                // The client is gone.
                return;
            }
        }
    });
    let answered = Answering { receive: Some(receive), sums: StreamDone::default(), answers };
    // Failures are lines of the answer.
    let body = futures_util::stream::unfold(answered, Answering::next).map(Ok::<_, Infallible>);
    Ok(([(header::CONTENT_TYPE, NDJSON)], Body::from_stream(body)).into_response())
}

/// Hands the document of a line to the thread that writes.
async fn hand_over(
    service: &Service,
    put: Result<Put, Problem>,
) -> Result<impl Future<Output = Result<Changed, Problem>> + use<>, Problem> {
    service.writing()?.changing(IndexChange::Put(put?)).await
}

/// Answers the lines of a stream in their order.
struct Answering {
    /// `None` behind the last line.
    receive: Option<mpsc::Receiver<(u64, Pending)>>,
    sums: StreamDone,
    answers: Answers,
}

impl Answering {
    /// The next lines of the answer.
    async fn next(mut self) -> Option<(Vec<u8>, Self)> {
        let receive = self.receive.as_mut()?;
        let mut written = Vec::new();
        loop {
            let Some((number, pending)) = receive.recv().await else {
                self.receive = None;
                line(&mut written, &self.sums);
                return Some((written, self));
            };
            let changed = pending.await.map_err(|problem| problem.detail);
            let done = changed.and_then(Done::of);
            self.sums.count(&done);
            let is_told = match &done {
                Ok(done) => !matches!(done.outcome, What::Added | What::Replaced),
                Err(_) => true,
            };
            if is_told || self.answers == Answers::All {
                let (done, problem) = (done.as_ref().ok(), done.as_ref().err().map(|text| &**text));
                line(&mut written, &LineDone { line: number, done, problem });
            }
            // What is ready is sent together.
            if !written.is_empty() && (receive.is_empty() || written.len() > 16 << 10) {
                return Some((written, self));
            }
        }
    }
}

impl StreamDone {
    fn count(&mut self, done: &Result<Done, String>) {
        self.lines += 1;
        let Ok(Done { outcome, commit, .. }) = done else {
            self.problems += 1;
            return;
        };
        self.commit = self.commit.max(*commit);
        match outcome {
            What::Added => self.added += 1,
            What::Replaced => self.replaced += 1,
            What::Exists => self.exists += 1,
            What::Duplicate => self.duplicates += 1,
            What::Deleted | What::Unknown => {}
        }
    }
}

pub(crate) fn line(written: &mut Vec<u8>, value: &impl Serialize) {
    // Values with texts as keys, which do not fail.
    let _ = serde_json::to_writer(&mut *written, value);
    written.push(b'\n');
}
