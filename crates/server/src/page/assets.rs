//! The style and the script.

use super::view::View;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use axum::routing::get;

const SCRIPT: &str = include_str!("../../page/page.js");
const STYLE: &str = include_str!("../../page/page.css");

pub(super) const VIEWS: &[View] = &[
    View {
        method: "GET",
        path: "/page/style.css",
        scope: None,
        handler: || {
            get(async || {
                asset("text/css; charset=utf-8", [lookalike_report::STYLE, STYLE].concat())
            })
        },
    },
    View {
        method: "GET",
        path: "/page/script.js",
        scope: None,
        handler: || get(async || asset("text/javascript; charset=utf-8", SCRIPT.to_owned())),
    },
];

fn asset(media: &'static str, content: String) -> Response {
    // Another version of the service may have others.
    ([(header::CONTENT_TYPE, media), (header::CACHE_CONTROL, "no-cache")], content).into_response()
}
