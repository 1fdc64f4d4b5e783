//! Bodies of requests, of a bounded size and in a bounded time.

use crate::options::Limits;
use crate::problem::Problem;
use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderMap, StatusCode, header};
use http_body_util::BodyExt;
use serde::de::DeserializeOwned;
use std::time::{Duration, Instant};

/// Reads the body of a request.
///
/// # Errors
/// A body that is longer than [`Limits::body`], comes too slowly, or ends early.
pub(crate) async fn read(body: Body, limits: &Limits) -> Result<Vec<u8>, Problem> {
    read_at_most(body, limits, limits.body).await?.ok_or_else(|| {
        let detail = format!("a body has at most {} bytes here", limits.body);
        Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "too_long", detail)
    })
}

/// Reads the body of a request; `None` for one that is longer than [`Limits::body`], which is read to
/// its end for a client that reads no answer before (up to 64 times the limit).
///
/// # Errors
/// As [`read`], but for the length.
pub(crate) async fn read_or_skip(body: Body, limits: &Limits) -> Result<Option<Vec<u8>>, Problem> {
    read_at_most(body, limits, limits.body.saturating_mul(64)).await
}

/// Reads a body; `None` for one that is longer than [`Limits::body`], of which `most` bytes are read.
async fn read_at_most(
    body: Body,
    limits: &Limits,
    most: usize,
) -> Result<Option<Vec<u8>>, Problem> {
    let (mut body, mut bytes, mut length) = (body, Vec::new(), 0);
    let begun = Instant::now();
    loop {
        // A second for each KiB.
        let allowed = limits.idle + Duration::from_secs(length as u64 / 1024);
        let frame = tokio::time::timeout_at((begun + allowed).into(), body.frame()).await;
        let frame = frame.map_err(|_| {
            let detail = "the body comes more slowly than 1 KiB a second";
            Problem::new(StatusCode::REQUEST_TIMEOUT, "slow_body", detail)
        })?;
        let Some(frame) = frame else { return Ok((length <= limits.body).then_some(bytes)) };
        let frame = frame.map_err(|error| Problem::bad_request(format!("the body: {error}")))?;
        let Ok(data) = frame.into_data() else { continue };
        length += data.len();
        if length > most {
            return Ok(None);
        }
        match length <= limits.body {
            true => bytes.extend_from_slice(&data),
            false => bytes = Vec::new(),
        }
    }
}

/// Reads a body of JSON.
///
/// # Errors
/// As [`json_bytes`]; JSON that is none of a `T`.
pub(crate) async fn json<T: DeserializeOwned>(
    request: Request,
    limits: &Limits,
) -> Result<T, Problem> {
    let bytes = json_bytes(request, limits).await?;
    let wrong = |error| Problem::bad_request(format!("the body: {error}"));
    serde_json::from_slice(&bytes).map_err(wrong)
}

/// Reads the bytes of a body of JSON.
///
/// # Errors
/// As [`read`]; another media type.
pub(crate) async fn json_bytes(request: Request, limits: &Limits) -> Result<Vec<u8>, Problem> {
    expect_type(request.headers(), "application/json")?;
    read(request.into_body(), limits).await
}

/// Refuses a body of another media type.
pub(crate) fn expect_type(headers: &HeaderMap, wanted: &'static str) -> Result<(), Problem> {
    match media_type(headers) {
        Some(given) if given.eq_ignore_ascii_case(wanted) => Ok(()),
        _ => Err(Problem::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "media_type",
            format!("the body is to have the header `content-type: {wanted}`"),
        )),
    }
}

/// The media type of a body, without its parameters.
pub(crate) fn media_type(headers: &HeaderMap) -> Option<&str> {
    let given = headers.get(header::CONTENT_TYPE)?.to_str().ok()?;
    given.split(';').next().map(str::trim)
}
