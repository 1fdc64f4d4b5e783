//! Errors as `application/problem+json` (RFC 9457).

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use lookalike::{ErrorKind, LookalikeError};
use schemars::JsonSchema;
use serde::Serialize;
use std::borrow::Cow;

/// Why a request was refused or failed.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Problem {
    /// The status of the answer.
    pub(crate) status: u16,
    /// A stable name of the failure, in snake case.
    pub(crate) code: Cow<'static, str>,
    /// The status in words.
    pub(crate) title: &'static str,
    /// What happened and what to do, in a sentence.
    pub(crate) detail: String,
    /// Seconds after which to try again.
    #[serde(skip)]
    retry_after: Option<u32>,
}

impl Problem {
    pub(crate) const MEDIA_TYPE: &'static str = "application/problem+json";

    pub(crate) fn new(
        status: StatusCode,
        code: impl Into<Cow<'static, str>>,
        detail: impl Into<String>,
    ) -> Self {
        let title = status.canonical_reason().unwrap_or("Error");
        let (status, code, detail) = (status.as_u16(), code.into(), detail.into());
        Self { status, code, title, detail, retry_after: None }
    }

    /// A request that cannot be understood.
    pub(crate) fn bad_request(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "bad_request", detail)
    }

    /// Seconds after which to try again.
    pub(crate) fn retry_after(&self) -> Option<u32> {
        self.retry_after
    }

    /// A failure that passes.
    pub(crate) fn busy(code: impl Into<Cow<'static, str>>, detail: impl Into<String>) -> Self {
        let retry_after = Some(1);
        Self { retry_after, ..Self::new(StatusCode::SERVICE_UNAVAILABLE, code, detail) }
    }

    /// More requests than are answered at the same time.
    pub(crate) fn too_many(detail: impl Into<String>) -> Self {
        let retry_after = Some(1);
        Self { retry_after, ..Self::new(StatusCode::TOO_MANY_REQUESTS, "too_many", detail) }
    }
}

impl From<LookalikeError> for Problem {
    fn from(error: LookalikeError) -> Self {
        let status = match (error.kind(), error.code()) {
            (_, "no_such_document") => StatusCode::NOT_FOUND,
            (ErrorKind::Usage, _) => StatusCode::BAD_REQUEST,
            (ErrorKind::Guard, _) => StatusCode::CONFLICT,
            (ErrorKind::Cancelled, _) => {
                return Self::busy(
                    "deadline",
                    "the deadline passed before the answer was complete; give more time in the \
                     header `deadline-ms`, a limit, or a higher threshold",
                );
            }
            _ => StatusCode::INTERNAL_SERVER_ERROR,
        };
        // Without the directory of the index, which clients need not know.
        let detail = match &error {
            LookalikeError::NotInIndex { what, name, .. } => {
                format!("no {what} `{name}` in the index")
            }
            error => error.to_string(),
        };
        Self::new(status, error.code(), detail)
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let body = serde_json::to_vec(&self).unwrap_or_default();
        let mut response = (status, body).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(Self::MEDIA_TYPE));
        if let Some(seconds) = self.retry_after {
            headers.insert(header::RETRY_AFTER, seconds.into());
        }
        if status == StatusCode::UNAUTHORIZED {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}
