//! Texts and numbers as a page shows them.

use crate::problem::Problem;
use askama::Template;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};

/// The answer with a page. That the template fails does not depend on the input.
pub(super) fn html(page: &impl Template) -> Response {
    match page.render() {
        Ok(page) => ([(header::CONTENT_TYPE, "text/html; charset=utf-8")], page).into_response(),
        Err(error) => {
            let status = StatusCode::INTERNAL_SERVER_ERROR;
            Problem::new(status, "internal", error.to_string()).into_response()
        }
    }
}

/// The status of an answer with a problem.
pub(super) fn status_of(problem: &Problem) -> StatusCode {
    StatusCode::from_u16(problem.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}

/// A share as a percentage with one decimal, the width of a bar.
pub(super) fn percent(share: f64) -> String {
    format!("{:.1}", share.clamp(0.0, 1.0) * 100.0)
}
