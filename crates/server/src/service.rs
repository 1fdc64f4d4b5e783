//! What all requests share.

use crate::labels::Labels;
use crate::metrics::Metrics;
use crate::options::Limits;
use crate::page::Sessions;
use crate::problem::Problem;
use crate::questions::{Deadline, Questions};
use crate::tls::TlsError;
use crate::tokens::{Tokens, TokensError};
use crate::watched::{UnreadableFile, Watched, names};
use crate::writing::Writing;
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use lookalike::filter::MessageFilter;
use lookalike::{Index, LookalikeError};
use rustls::ServerConfig;
use serde::Serialize;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::watch;

/// What all requests share.
pub(crate) struct Service {
    pub(crate) index: Index,
    /// The filter of messages, or why the index can have none.
    pub(crate) filter: Result<Arc<MessageFilter>, Problem>,
    pub(crate) questions: Questions,
    /// `None` in a service that only reads.
    pub(crate) writing: Option<Writing>,
    pub(crate) tokens: Option<Watched<Tokens, TokensError>>,
    pub(crate) tls: Option<Watched<ServerConfig, TlsError>>,
    pub(crate) sessions: Sessions,
    /// Judgements of pairs; `None` in a service that keeps none.
    pub(crate) labels: Option<Arc<Labels>>,
    pub(crate) limits: Limits,
    pub(crate) metrics: Metrics,
    /// The description of the endpoints.
    pub(crate) description: serde_json::Value,
    /// Whether the service is being stopped.
    pub(crate) stopping: watch::Sender<bool>,
    pub(crate) tell: Box<dyn Fn(&ServeEvent<'_>) + Send + Sync>,
}

/// What a service tells who started it.
#[derive(Debug)]
#[non_exhaustive]
pub enum ServeEvent<'a> {
    /// It listens.
    Listening {
        /// Where it answers, for example `http://127.0.0.1:7070`.
        url: String,
        /// The address.
        address: SocketAddr,
    },
    /// It answered a request.
    Answered(RequestLog<'a>),
    /// It uses the new content of files.
    Reloaded {
        /// The files.
        files: String,
    },
    /// Files have a new content that cannot be used: it goes on with the one before.
    NotReloaded {
        /// Why.
        reason: String,
    },
}

/// A request that was answered, for a log.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct RequestLog<'a> {
    /// `GET`, `POST`, …
    pub method: &'a str,
    /// The path, with its query.
    pub path: &'a str,
    /// The status of the answer.
    pub status: u16,
    /// Time from the head of the request to that of the answer.
    pub seconds: f64,
    /// The name of the token, if it had one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client: Option<&'a str>,
}

impl Service {
    /// Runs a question on a thread that may block, until the deadline of the request.
    pub(crate) async fn ask<T: Send + 'static>(
        self: &Arc<Self>,
        headers: &HeaderMap,
        question: impl FnOnce(&Self, &Deadline) -> Result<T, LookalikeError> + Send + 'static,
    ) -> Result<T, Problem> {
        let deadline = self.questions.deadline(headers)?;
        let service = Arc::clone(self);
        self.questions.run(deadline, move |stop| question(&service, stop)).await
    }

    /// Counts and logs an answer to a request for `of`, a method and a path of the description.
    pub(crate) fn answered(
        &self,
        of: (&'static str, &'static str),
        (method, uri): (&Method, &Uri),
        (status, begun): (u16, Instant),
        client: Option<&str>,
    ) {
        let seconds = begun.elapsed().as_secs_f64();
        self.metrics.answered(of, status, seconds);
        let path = uri.path_and_query().map_or("/", |path| path.as_str());
        let method = method.as_str();
        (self.tell)(&ServeEvent::Answered(RequestLog { method, path, status, seconds, client }));
    }

    /// Tells when the service is being stopped.
    pub(crate) fn stopping(&self) -> watch::Receiver<bool> {
        self.stopping.subscribe()
    }

    /// Reads the files of tokens and certificates again if they changed.
    pub(crate) fn refresh(&self) {
        self.refresh_one(self.tokens.as_ref());
        self.refresh_one(self.tls.as_ref());
    }

    fn refresh_one<T, E: From<UnreadableFile> + ToString>(&self, watched: Option<&Watched<T, E>>) {
        let Some(watched) = watched else { return };
        match watched.refresh() {
            None => {}
            Some(Ok(())) => (self.tell)(&ServeEvent::Reloaded { files: names(watched.paths()) }),
            Some(Err(error)) => {
                (self.tell)(&ServeEvent::NotReloaded { reason: error.to_string() });
            }
        }
    }

    /// The thread that writes.
    pub(crate) fn writing(&self) -> Result<&Writing, Problem> {
        self.writing.as_ref().ok_or_else(|| {
            let detail = "this service only reads its index; ask the one that writes it";
            Problem::new(StatusCode::FORBIDDEN, "read_only", detail)
        })
    }
}
