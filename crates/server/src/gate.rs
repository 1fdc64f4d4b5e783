//! What every request passes: tokens, TLS, limits and figures.

use crate::event::{RequestLog, ServeEvent, Tell};
use crate::metrics::Metrics;
use crate::options::Limits;
use crate::questions::Questions;
use crate::serve_error::ServeError;
use crate::tls::{self, TlsError, TlsFiles};
use crate::tokens::{Tokens, TokensError};
use crate::watched::{UnreadableFile, Watched, names};
use axum::http::{Method, Uri};
use rustls::ServerConfig;
use std::path::Path;
use std::time::Instant;
use tokio::net::TcpListener;
use tokio::sync::watch;

/// What every request passes.
pub(crate) struct Gate {
    pub(crate) questions: Questions,
    pub(crate) tokens: Option<Watched<Tokens, TokensError>>,
    pub(crate) tls: Option<Watched<ServerConfig, TlsError>>,
    pub(crate) limits: Limits,
    pub(crate) metrics: Metrics,
    /// Whether the service is being stopped.
    pub(crate) stopping: watch::Sender<bool>,
    pub(crate) tell: Tell,
}

impl Gate {
    /// Reads the files of tokens and the certificate, and listens.
    ///
    /// # Errors
    /// Files that cannot be used; an address that cannot be listened on, or that others reach
    /// without tokens.
    pub(crate) async fn open(
        (listen, tokens, tls): (&str, Option<&Path>, Option<&TlsFiles>),
        threads: usize,
        limits: &Limits,
        tell: Tell,
    ) -> Result<(Self, TcpListener), ServeError> {
        let tokens = tokens.map(Tokens::read).transpose()?;
        let tls = tls.map(tls::read).transpose()?;
        let failed = |error| ServeError::Listen { address: listen.to_owned(), error };
        let listener = TcpListener::bind(listen).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        if tokens.is_none() && !address.ip().is_loopback() {
            return Err(ServeError::NoTokens { address });
        }
        let gate = Self {
            questions: Questions::new(threads, limits),
            tokens,
            tls,
            limits: *limits,
            metrics: Metrics::new(),
            stopping: watch::channel(false).0,
            tell,
        };
        Ok((gate, listener))
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
}
