//! The style and the script.

use super::view::View;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use axum::routing::get;

pub(super) const STYLE_PATH: &str = "/page/style.css";
pub(super) const SCRIPT_PATH: &str = "/page/script.js";

const SCRIPT: &str = include_str!("../../page/page.js");
const STYLE: &str = include_str!("../../page/page.css");

pub(super) const VIEWS: &[View] = &[
    View { method: "GET", path: STYLE_PATH, scope: None, handler: || get(async || style()) },
    View { method: "GET", path: SCRIPT_PATH, scope: None, handler: || get(async || script()) },
];

pub(super) fn style() -> Response {
    asset("text/css; charset=utf-8", [lookalike_report::STYLE, STYLE].concat())
}

pub(super) fn script() -> Response {
    asset("text/javascript; charset=utf-8", SCRIPT.to_owned())
}

fn asset(media: &'static str, content: String) -> Response {
    // Another version of the service may have others.
    ([(header::CONTENT_TYPE, media), (header::CACHE_CONTROL, "no-cache")], content).into_response()
}
