//! A problem as a page.

use super::shell::Shell;
use super::texts::{html, status_of};
use crate::problem::Problem;
use askama::Template;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use lookalike::LookalikeError;

/// Why there is no view.
pub(super) struct Failure(Problem);

impl From<Problem> for Failure {
    fn from(problem: Problem) -> Self {
        Self(problem)
    }
}

impl From<LookalikeError> for Failure {
    fn from(error: LookalikeError) -> Self {
        Self(error.into())
    }
}

impl From<lookalike_report::ReportError> for Failure {
    fn from(error: lookalike_report::ReportError) -> Self {
        let status = StatusCode::INTERNAL_SERVER_ERROR;
        Self(Problem::new(status, "internal", error.to_string()))
    }
}

#[derive(Template)]
#[template(path = "failure.html")]
struct Page<'a> {
    shell: Shell,
    title: &'static str,
    detail: &'a str,
    signs_in: bool,
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let Self(problem) = self;
        let status = status_of(&problem);
        let page = Page {
            shell: Shell::plain(problem.title),
            title: problem.title,
            detail: &problem.detail,
            signs_in: matches!(&*problem.code, "no_session" | "scope"),
        };
        let mut response = (status, html(&page)).into_response();
        if let Some(seconds) = problem.retry_after() {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}
