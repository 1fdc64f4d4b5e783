//! The shards: services, each with an index of the documents whose ids hash to it.

use super::told::Told;
use crate::problem::Problem;
use crate::questions::DEADLINE;
use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode, header};
use axum::response::IntoResponse;
use futures_util::future::try_join_all;
use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};
use std::error::Error;
use std::time::{Duration, Instant};

/// How long a connection is kept for the next request: less than a service keeps it.
const IDLE: Duration = Duration::from_secs(5);

/// How long a change may take to be durable.
const DURABLE: Duration = Duration::from_secs(60);

/// The shards, in the order of their numbers.
pub(crate) struct Shards {
    urls: Vec<String>,
    client: Client<HttpConnector, Body>,
    /// What they are asked with.
    authorization: Option<HeaderValue>,
}

/// What a shard is asked.
pub(crate) struct Call {
    pub(crate) method: Method,
    /// The path with its query.
    pub(crate) path: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
    /// `None` for a change.
    pub(crate) deadline: Option<Instant>,
}

impl Call {
    pub(crate) fn get(path: impl Into<String>, deadline: Instant) -> Self {
        let (path, deadline) = (path.into(), Some(deadline));
        let (headers, body) = (HeaderMap::new(), Bytes::new());
        Self { method: Method::GET, path, headers, body, deadline }
    }

    /// Posts JSON.
    pub(crate) fn post(path: &str, body: impl Into<Bytes>, deadline: Instant) -> Self {
        let media = HeaderValue::from_static("application/json");
        let headers = HeaderMap::from_iter([(header::CONTENT_TYPE, media)]);
        Self { method: Method::POST, headers, body: body.into(), ..Self::get(path, deadline) }
    }
}

impl Shards {
    /// # Errors
    /// A URL that is none of a service, by name.
    pub(crate) fn new(urls: &[String], token: Option<&str>) -> Result<Self, (String, String)> {
        for url in urls {
            let has_host = url.strip_prefix("http://").is_some_and(|host| !host.is_empty());
            if !has_host || url.contains(['?', '#']) {
                let reason = "it is no URL of a service such as http://10.0.0.1:7070 (without TLS)";
                return Err((url.clone(), reason.to_owned()));
            }
        }
        let authorization = token.map(|token| HeaderValue::try_from(format!("Bearer {token}")));
        let authorization = authorization.transpose().map_err(|_| {
            (urls[0].clone(), "the file of its token holds no token: one line".to_owned())
        })?;
        let mut connector = HttpConnector::new();
        connector.set_nodelay(true);
        let mut client = Client::builder(TokioExecutor::new());
        client.pool_idle_timeout(IDLE).pool_timer(TokioTimer::new());
        let urls = urls.iter().map(|url| url.trim_end_matches('/').to_owned()).collect();
        Ok(Self { urls, client: client.build(connector), authorization })
    }

    pub(crate) fn count(&self) -> usize {
        self.urls.len()
    }

    pub(crate) fn url(&self, shard: usize) -> &str {
        &self.urls[shard]
    }

    /// The shard of a document.
    pub(crate) fn of(&self, id: &str) -> usize {
        shard_of(id, self.urls.len())
    }

    /// Sends a request; what is returned is the head of the answer.
    ///
    /// # Errors
    /// A shard that cannot be reached.
    pub(crate) async fn send(
        &self,
        shard: usize,
        mut request: Request<Body>,
    ) -> Result<Response<Incoming>, Problem> {
        let path = request.uri().path_and_query().map_or("/", |path| path.as_str());
        let uri = format!("{}{path}", self.urls[shard]).parse();
        *request.uri_mut() = uri.map_err(|error| self.failed(shard, &error))?;
        if let Some(authorization) = &self.authorization {
            request.headers_mut().insert(header::AUTHORIZATION, authorization.clone());
        }
        self.client.request(request).await.map_err(|error| self.failed(shard, &error))
    }

    /// What a shard answers, if it is no problem.
    ///
    /// # Errors
    /// A problem of the shard; a shard that cannot be reached, or does not answer in time.
    pub(crate) async fn call(&self, shard: usize, call: Call) -> Result<Response<Bytes>, Problem> {
        let Call { method, path, headers, body, deadline } = call;
        let mut request = Request::builder().method(method).uri(path);
        if let Some(all) = request.headers_mut() {
            *all = headers;
        }
        let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        if let Some(left) = left {
            request = request.header(DEADLINE, left.as_millis().max(1) as u64);
        }
        let request = request.body(Body::from(body)).map_err(|error| self.failed(shard, &error))?;
        let answer = async {
            let (head, body) = self.send(shard, request).await?.into_parts();
            let body = body.collect().await.map_err(|error| self.failed(shard, &error))?;
            Ok::<_, Problem>(Response::from_parts(head, body.to_bytes()))
        };
        let answer = tokio::time::timeout(left.unwrap_or(DURABLE), answer).await;
        let answer = answer.map_err(|_| self.late(shard, deadline.is_some()))??;
        match answer.status().is_success() {
            true => Ok(answer),
            false => Err(Told::read(answer.body()).problem(answer.status(), self.url(shard))),
        }
    }

    /// What a shard answers, of a type.
    ///
    /// # Errors
    /// As [`Shards::call`]; an answer that is none of a `T`.
    pub(crate) async fn ask<T: DeserializeOwned>(
        &self,
        shard: usize,
        call: Call,
    ) -> Result<T, Problem> {
        let answer = self.call(shard, call).await?;
        serde_json::from_slice(answer.body()).map_err(|error| self.failed(shard, &error))
    }

    /// The answers of all shards to one request.
    ///
    /// # Errors
    /// The first problem of a shard.
    pub(crate) async fn ask_all<T: DeserializeOwned>(
        &self,
        call: impl Fn() -> Call,
    ) -> Result<Vec<T>, Problem> {
        try_join_all((0..self.count()).map(|shard| self.ask(shard, call()))).await
    }

    /// Passes a request on; the answer is that of the shard.
    ///
    /// # Errors
    /// As [`Shards::call`].
    pub(crate) async fn forward(
        &self,
        shard: usize,
        call: Call,
    ) -> Result<axum::response::Response, Problem> {
        let answer = self.call(shard, call).await?;
        let media = answer.headers().get(header::CONTENT_TYPE).cloned();
        let media = media.map(|media| [(header::CONTENT_TYPE, media)]);
        let (status, body) = (answer.status(), answer.into_body());
        Ok(match media {
            Some(media) => (status, media, body).into_response(),
            None => (status, body).into_response(),
        })
    }

    /// A shard that failed, with the causes of its error.
    pub(crate) fn failed(&self, shard: usize, error: &dyn Error) -> Problem {
        let mut detail = format!("the shard {} failed: {error}", self.url(shard));
        let mut cause = error.source();
        while let Some(error) = cause {
            detail.push_str(&format!(": {error}"));
            cause = error.source();
        }
        Problem::busy("shard", detail)
    }

    /// A shard that does not answer a question, or a change, in time.
    fn late(&self, shard: usize, is_question: bool) -> Problem {
        let url = self.url(shard);
        match is_question {
            true => {
                let advice = format!("try again, or give more time in the header `{DEADLINE}`");
                let detail =
                    format!("the shard {url} did not answer before the deadline; {advice}");
                Problem::busy("deadline", detail)
            }
            false => {
                let seconds = DURABLE.as_secs();
                let advice = "it is unknown whether this change is durable";
                let detail = format!("the shard {url} did not answer in {seconds} s; {advice}");
                Problem::busy("shard", detail)
            }
        }
    }

    /// A shard with a document of another one.
    pub(crate) fn misplaced(&self, shard: usize, id: &str) -> Problem {
        let (url, right) = (self.url(shard), self.of(id) + 1);
        let detail = format!(
            "the shard {url}, number {} of {}, has the document `{id}` of number {right}; give the \
             URLs in the order by which the documents were added",
            shard + 1,
            self.count()
        );
        Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "misplaced", detail)
    }
}

/// The shard of a document, from 0: the first eight bytes of the SHA-256 of its id as a number, the
/// highest byte first, modulo the number of shards. Indexes are filled by it: it must not change.
fn shard_of(id: &str, shards: usize) -> usize {
    let digest = Sha256::digest(id.as_bytes());
    let number = digest.iter().take(8).fold(0, |number, &byte| number << 8 | u64::from(byte));
    (number % shards as u64) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As `int(sha256(id).hexdigest()[:16], 16) % shards` in Python.
    #[test]
    fn the_shard_of_a_document_does_not_change() {
        for (id, shards, expected) in EXPECTED {
            assert_eq!(shard_of(id, *shards), *expected, "{id}");
        }
    }

    const EXPECTED: &[(&str, usize, usize)] = &[
        ("", 4, 0),
        ("a", 4, 2),
        ("doc-17", 4, 3),
        ("https://example.org/é", 4, 3),
        ("doc-17", 7, 0),
        ("a", 1, 0),
    ];
}
