//! What a service tells who started it.

use serde::Serialize;
use std::net::SocketAddr;

/// Tells it.
pub(crate) type Tell = Box<dyn Fn(&ServeEvent<'_>) + Send + Sync>;

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
