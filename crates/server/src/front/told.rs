//! Problems of shards, as the front passes them on.

use crate::problem::Problem;
use axum::http::StatusCode;
use serde::Deserialize;

/// A problem of a shard.
#[derive(Deserialize)]
pub(crate) struct Told {
    code: String,
    detail: String,
}

impl Told {
    /// Reads the body of an answer.
    pub(crate) fn read(body: &[u8]) -> Self {
        serde_json::from_slice(body).unwrap_or_else(|_| Self {
            code: "shard".to_owned(),
            detail: "an answer without a reason".to_owned(),
        })
    }

    /// What the front answers: what is wrong with a request is wrong for all shards; any other
    /// problem names the shard.
    pub(crate) fn problem(self, status: StatusCode, url: &str) -> Problem {
        let Self { code, detail } = self;
        let of_shard = format!("the shard {url}: {detail}");
        match status.as_u16() {
            401 => Problem::new(
                StatusCode::BAD_GATEWAY,
                "shard",
                format!("{of_shard}; the front sends it the token of --shard-token-file"),
            ),
            403 => Problem::new(status, code, of_shard),
            429 | 503 => Problem::busy(code, of_shard),
            400..500 => Problem::new(status, code, detail),
            _ => Problem::new(StatusCode::BAD_GATEWAY, code, of_shard),
        }
    }
}
