//! Streams of documents: a stream to each shard, answered in the order of the lines.

use super::endpoint::OfFront;
use super::state::Front;
use crate::body;
use crate::endpoint::{NDJSON, query};
use crate::lines::{Lines, PAUSE};
use crate::problem::Problem;
use crate::routes::documents::{Answers, StreamQuery, WINDOW, line};
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use futures_util::StreamExt;
use futures_util::future::try_join_all;
use http_body_util::BodyExt;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use std::convert::Infallible;
use std::sync::Arc;
use tokio::sync::{mpsc, watch};

pub(super) const ENDPOINTS: &[OfFront] = &[OfFront {
    method: "POST",
    path: "/v1/documents",
    besides: "Each line goes to the shard of its id. `commit` of a line is one of its shard, and \
              the last line has the last `commits` of all shards. A shard that fails is a \
              problem of its lines; the others go on. `unless_duplicate` is refused: put such \
              documents one by one.",
    answer: None,
    handler: || post(add_lines),
}];

/// What answers a line.
enum Waiting {
    /// The next line of the answer of a shard.
    Shard(usize),
    /// What is wrong with the line.
    Problem(String),
}

/// The stream to a shard.
struct ToShard {
    lines: mpsc::Sender<Bytes>,
    answers: mpsc::Receiver<Result<String, Problem>>,
}

#[derive(Deserialize)]
struct WithId<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
}

async fn add_lines(State(front): State<Arc<Front>>, request: Request) -> Result<Response, Problem> {
    let StreamQuery { unless_duplicate, sweep, date, only_new, answers } = query(request.uri())?;
    if unless_duplicate.is_some() {
        return Err(Problem::bad_request(
            "over several shards, `unless_duplicate` is for PUT /v1/documents/{id}: whether a line \
             is a duplicate would depend on lines that other shards have not yet written",
        ));
    }
    body::expect_type(request.headers(), NDJSON)?;
    let given =
        [("sweep", sweep), ("date", date), ("only_new", only_new.then(|| "true".to_owned()))];
    let given: Vec<_> = given.into_iter().filter(|(_, value)| value.is_some()).collect();
    let wrong = |error: serde_urlencoded::ser::Error| Problem::bad_request(error.to_string());
    let path = format!("/v1/documents?{}", serde_urlencoded::to_string(given).map_err(wrong)?);
    let open = (0..front.shards.count()).map(|shard| open(&front, shard, &path));
    let streams = try_join_all(open).await?;
    let (to, from): (Vec<_>, Vec<_>) =
        streams.into_iter().map(|stream| (stream.lines, stream.answers)).unzip();
    let (send, receive) = mpsc::channel::<(u64, Waiting)>(WINDOW);
    let gate = &front.gate;
    let mut lines = Lines::new(request.into_body(), gate.limits.body, gate.stopping());
    let reading = Arc::clone(&front);
    tokio::spawn(async move {
        while let Some((number, line)) = lines.next().await {
            let waiting = match line.map_err(|problem| problem.detail).and_then(|line| {
                let id = id_of(&line)?;
                Ok((reading.shards.of(&id), line))
            }) {
                Err(problem) => Waiting::Problem(problem),
                Ok((shard, line)) => {
                    // A shard that is gone is told by the answer.
                    let _ = to[shard].send(Bytes::from(line + "\n")).await;
                    Waiting::Shard(shard)
                }
            };
            if send.send((number, waiting)).await.is_err() {
                // The client is gone.
                return;
            }
        }
    });
    let sums = Sums { commits: vec![0; from.len()], ..Sums::default() };
    let answering = Answering { front, receive: Some(receive), from, sums, answers };
    // Failures are lines of the answer.
    let body = futures_util::stream::unfold(answering, Answering::next).map(Ok::<_, Infallible>);
    Ok(([(header::CONTENT_TYPE, NDJSON)], Body::from_stream(body)).into_response())
}

/// The id of the document of a line: a string, or a number as it is written.
fn id_of(line: &str) -> Result<String, String> {
    let WithId { id } = serde_json::from_str(line).map_err(|error| error.to_string())?;
    match id.map(RawValue::get) {
        Some(written) if written.starts_with('"') => {
            serde_json::from_str(written).map_err(|error| error.to_string())
        }
        Some(number)
            if number.starts_with(|first: char| first == '-' || first.is_ascii_digit()) =>
        {
            Ok(number.to_owned())
        }
        _ => Err("a document of a stream has an `id`, a string or a number".to_owned()),
    }
}

/// Opens the stream to a shard.
///
/// # Errors
/// A shard that does not take one.
async fn open(front: &Arc<Front>, shard: usize, path: &str) -> Result<ToShard, Problem> {
    let (lines, receive) = mpsc::channel::<Bytes>(1);
    // A shard to which no line goes for long would end its stream.
    let body = futures_util::stream::unfold(receive, async |mut receive| {
        let next = tokio::time::timeout(PAUSE / 4, receive.recv()).await;
        let line = next.unwrap_or_else(|_| Some(Bytes::from_static(b"\n")))?;
        Some((Ok::<_, Infallible>(line), receive))
    });
    let request = Request::post(path).header(header::CONTENT_TYPE, NDJSON);
    let request = request.body(Body::from_stream(body));
    let request = request.map_err(|error| front.shards.failed(shard, &error))?;
    let answer = front.shards.send(shard, request).await?;
    let status = answer.status();
    if !status.is_success() {
        let body = answer.into_body().collect().await;
        let body = body.map_err(|error| front.shards.failed(shard, &error))?.to_bytes();
        return Err(super::told::Told::read(&body).problem(status, front.shards.url(shard)));
    }
    // As many as may wait, so that a shard is read also while another one is waited for.
    let (send, answers) = mpsc::channel(WINDOW + 2);
    let most = front.gate.limits.body;
    tokio::spawn(async move {
        // What was sent is answered also while the service is being stopped.
        let (_go_on, never) = watch::channel(false);
        let mut answers = Lines::new(Body::new(answer.into_body()), most, never).however_late();
        while let Some((_, answer)) = answers.next().await {
            if send.send(answer).await.is_err() {
                return;
            }
        }
    });
    Ok(ToShard { lines, answers })
}

/// Answers the lines of a stream in their order.
struct Answering {
    front: Arc<Front>,
    /// `None` behind the last line.
    receive: Option<mpsc::Receiver<(u64, Waiting)>>,
    from: Vec<mpsc::Receiver<Result<String, Problem>>>,
    sums: Sums,
    answers: Answers,
}

/// The last line of the answer.
#[derive(Default, Serialize)]
struct Sums {
    lines: u64,
    added: u64,
    replaced: u64,
    exists: u64,
    duplicates: u64,
    problems: u64,
    /// The last commit of each shard that has some of them.
    commits: Vec<u64>,
}

impl Answering {
    /// The next lines of the answer.
    async fn next(mut self) -> Option<(Vec<u8>, Self)> {
        self.receive.as_ref()?;
        let mut written = Vec::new();
        loop {
            let next = self.receive.as_mut()?.recv().await;
            let Some((number, waiting)) = next else {
                self.receive = None;
                line(&mut written, &self.sums);
                return Some((written, self));
            };
            let answer = match waiting {
                Waiting::Shard(shard) => self.of_shard(shard).await,
                Waiting::Problem(problem) => Err(problem),
            };
            let mut answer = answer.unwrap_or_else(|problem| {
                Map::from_iter([
                    ("line".to_owned(), json!(0)),
                    ("problem".to_owned(), json!(problem)),
                ])
            });
            answer.insert("line".to_owned(), json!(number));
            if self.sums.count(&answer) || self.answers == Answers::All {
                line(&mut written, &answer);
            }
            // What is ready is sent together.
            let is_empty = self.receive.as_ref().is_none_or(mpsc::Receiver::is_empty);
            if !written.is_empty() && (is_empty || written.len() > 16 << 10) {
                return Some((written, self));
            }
        }
    }

    /// The next answer of a shard.
    async fn of_shard(&mut self, shard: usize) -> Result<Map<String, Value>, String> {
        let answer = self.from[shard].recv().await;
        let answer = answer.and_then(|answer| serde_json::from_str(&answer.ok()?).ok());
        let answer: Option<Map<String, Value>> = answer;
        // The last line of a shard, which is being stopped, has no number.
        let answer = answer.filter(|answer| answer.contains_key("line"));
        let answer = answer.ok_or_else(|| {
            let url = self.front.shards.url(shard);
            format!("the shard {url} broke off; send this line again")
        })?;
        if let Some(commit) = answer.get("commit").and_then(Value::as_u64) {
            self.sums.commits[shard] = commit;
        }
        Ok(answer)
    }
}

impl Sums {
    /// Counts an answer; whether it is told to a client that asks for problems.
    fn count(&mut self, answer: &Map<String, Value>) -> bool {
        self.lines += 1;
        let (sum, is_told) = match answer.get("outcome").and_then(Value::as_str) {
            Some("added") => (&mut self.added, false),
            Some("replaced") => (&mut self.replaced, false),
            Some("exists") => (&mut self.exists, true),
            Some("duplicate") => (&mut self.duplicates, true),
            _ => (&mut self.problems, true),
        };
        *sum += 1;
        is_told
    }
}
