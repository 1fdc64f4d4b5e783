//! The headers that keep a page harmless.

use axum::http::{HeaderValue, header};
use axum::response::Response;

/// Nothing but what this program sends; no frames, no other target of a form.
const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; \
     img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// An answer with these headers.
pub(super) fn protected(mut response: Response) -> Response {
    let headers = response.headers_mut();
    let own = [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        // Without an origin the forms could not be told from those of other sites.
        (header::REFERRER_POLICY, "same-origin"),
        (header::X_FRAME_OPTIONS, "DENY"),
    ];
    for (name, value) in own {
        headers.insert(name, HeaderValue::from_static(value));
    }
    if !headers.contains_key(header::CACHE_CONTROL) {
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    response
}
