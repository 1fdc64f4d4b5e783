//! What a service is started with.

use crate::tls::TlsFiles;
use std::path::PathBuf;
use std::time::Duration;

/// What a service is started with.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ServeOptions {
    /// The directory of the index.
    pub index: PathBuf,
    /// Address and port to listen on; port 0 for a free one. Without tokens, an address of this
    /// machine only.
    pub listen: String,
    /// File of tokens ([`Tokens`](crate::Tokens)), read again when it changes; `None` to answer any
    /// client.
    pub tokens: Option<PathBuf>,
    /// Certificate for TLS, read again when it changes; `None` to speak HTTP in the clear.
    pub tls: Option<TlsFiles>,
    /// File of the judgements of pairs that people give on the page; `None` to keep none.
    pub labels: Option<PathBuf>,
    /// Changes nothing, so that another process may write the index.
    pub read_only: bool,
    /// Questions that are answered at the same time; 0 for one on each core.
    pub threads: usize,
    /// Limits of what a client may ask for.
    pub limits: Limits,
}

impl ServeOptions {
    /// A service on a port of this machine, without tokens.
    pub fn new(index: impl Into<PathBuf>) -> Self {
        Self {
            index: index.into(),
            listen: "127.0.0.1:7070".to_owned(),
            tokens: None,
            labels: None,
            tls: None,
            read_only: false,
            threads: 0,
            limits: Limits::default(),
        }
    }
}

/// What a front of several services is started with.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct FrontOptions {
    /// The URLs of the services, in the order by which documents are spread over them.
    pub shards: Vec<String>,
    /// As [`ServeOptions::listen`].
    pub listen: String,
    /// As [`ServeOptions::tokens`].
    pub tokens: Option<PathBuf>,
    /// As [`ServeOptions::tls`].
    pub tls: Option<TlsFiles>,
    /// File with the token that the services are asked with.
    pub shard_token: Option<PathBuf>,
    /// Limits of what a client may ask for.
    pub limits: Limits,
}

impl FrontOptions {
    /// A front on a port of this machine, without tokens.
    pub fn new(shards: impl IntoIterator<Item = String>) -> Self {
        Self {
            shards: shards.into_iter().collect(),
            listen: "127.0.0.1:7070".to_owned(),
            tokens: None,
            tls: None,
            shard_token: None,
            limits: Limits::default(),
        }
    }
}

/// The number of cores.
pub(crate) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Limits of what clients may ask for, and of what they may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Bytes of a request's body, and of a line of a stream.
    pub body: usize,
    /// Questions that wait for a thread; the next is refused (429).
    pub waiting: usize,
    /// Connections; the next is refused (503).
    pub connections: usize,
    /// Time for an answer, unless the request names another.
    pub deadline: Duration,
    /// Time for the head of a request, which is also how long a connection may be idle.
    pub head: Duration,
    /// Time for a body beside the second that each KiB of it may take, and for a client to take the
    /// next part of an answer.
    pub idle: Duration,
    /// How often documents whose time has come are deleted.
    pub expiry: Duration,
    /// Time for the requests that are being answered when the service is stopped.
    pub stop: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            body: 8 << 20,
            waiting: 64,
            connections: 1024,
            deadline: Duration::from_secs(1),
            head: Duration::from_secs(10),
            idle: Duration::from_secs(10),
            expiry: Duration::from_secs(60),
            stop: Duration::from_secs(30),
        }
    }
}

impl Limits {
    /// The longest time that a request may name for its answer.
    pub const LONGEST_DEADLINE: Duration = Duration::from_secs(600);
    /// Questions of a batch, and items of a list that is collapsed.
    pub const BATCH: usize = 1000;
    /// Bytes of changes that wait to be made durable; the next waits until there is room.
    pub const WAITING_CHANGES: usize = 64 << 20;
}
