//! The rest of a body that a refused request sends: it is read, so that the client, which reads the
//! answer afterwards, can.

use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::header;
use axum::response::Response;
use http_body_util::BodyExt;
use hyper::body::{Body as HttpBody, Frame, SizeHint};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

/// Bytes that are read of a body at most, and how long.
const MOST: usize = 64 << 20;
const TIME: Duration = Duration::from_secs(10);

/// A body that is read by a handler, and by what answers a refused request.
#[derive(Clone)]
struct Shared(Arc<Mutex<Body>>);

impl Shared {
    fn with<T>(&self, run: impl FnOnce(&mut Body) -> T) -> T {
        run(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl HttpBody for Shared {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        self.with(|body| Pin::new(body).poll_frame(context))
    }

    fn is_end_stream(&self) -> bool {
        self.with(|body| body.is_end_stream())
    }

    fn size_hint(&self) -> SizeHint {
        self.with(|body| body.size_hint())
    }
}

/// What a handler leaves of a body.
pub(crate) struct Unread(Option<Shared>);

/// The request for the handler, and what reads what that leaves.
pub(crate) fn shared(request: Request) -> (Request, Unread) {
    // A client that waits for leave to send sends nothing to a refusal.
    let waits = request.headers().contains_key(header::EXPECT);
    if waits || request.body().is_end_stream() {
        return (request, Unread(None));
    }
    let (parts, body) = request.into_parts();
    let body = Shared(Arc::new(Mutex::new(body)));
    (Request::from_parts(parts, Body::new(body.clone())), Unread(Some(body)))
}

impl Unread {
    /// Reads the rest of the body if the answer is a refusal.
    pub(crate) async fn before(self, response: Response) -> Response {
        let (Some(mut body), true) = (self.0, response.status().as_u16() >= 400) else {
            return response;
        };
        let rest = async {
            let mut bytes = 0;
            while bytes < MOST
                && let Some(Ok(frame)) = body.frame().await
            {
                bytes += frame.data_ref().map_or(0, Bytes::len);
            }
        };
        let _ = tokio::time::timeout(TIME, rest).await;
        response
    }
}
