//! What a view is asked: the parameters of its address, or the fields of a form.

use super::failure::Failure;
use crate::body;
pub(super) use crate::endpoint::given;
use crate::options::Limits;
use crate::problem::Problem;
use axum::body::Body;
use axum::http::{HeaderMap, Uri};
use serde::de::DeserializeOwned;

/// The parameters of an address. Unknown ones are not read.
pub(super) fn query<T: DeserializeOwned>(uri: &Uri) -> Result<T, Failure> {
    read(uri.query().unwrap_or_default().as_bytes())
}

/// The fields of a form.
pub(super) async fn fields<T: DeserializeOwned>(
    headers: &HeaderMap,
    body: Body,
    limits: &Limits,
) -> Result<T, Failure> {
    body::expect_type(headers, "application/x-www-form-urlencoded")?;
    read(&body::read(body, limits).await?)
}

fn read<T: DeserializeOwned>(encoded: &[u8]) -> Result<T, Failure> {
    let wrong = |error| Problem::bad_request(format!("the parameters: {error}"));
    Ok(serde_urlencoded::from_bytes(encoded).map_err(wrong)?)
}
