//! Signing in with a token, and out.

use super::failure::Failure;
use super::form;
use super::session::{LASTS, SESSION};
use super::shell::Shell;
use super::texts::html;
use super::view::View;
use crate::problem::Problem;
use crate::service::Service;
use askama::Template;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use serde::Deserialize;
use std::sync::Arc;

pub(super) const VIEWS: &[View] = &[
    View { method: "GET", path: "/sign-in", scope: None, handler: || get(show).post(sign_in) },
    View { method: "POST", path: "/sign-out", scope: None, handler: || post(sign_out) },
];

#[derive(Template)]
#[template(path = "sign_in.html")]
struct Page {
    shell: Shell,
    next: String,
    is_wrong: bool,
}

#[derive(Deserialize)]
struct Asked {
    #[serde(default)]
    next: String,
    #[serde(default)]
    token: String,
}

async fn show(request: Request) -> Result<Response, Failure> {
    let Asked { next, .. } = form::query(request.uri())?;
    Ok(html(&Page { shell: Shell::plain("Sign in"), next: own_path(next), is_wrong: false }))
}

async fn sign_in(
    State(service): State<Arc<Service>>,
    request: Request,
) -> Result<Response, Failure> {
    let (parts, body) = request.into_parts();
    let Asked { next, token } = form::fields(&parts.headers, body, &service.limits).await?;
    let next = own_path(next);
    let Some(tokens) = &service.tokens else { return Ok(Redirect::to(&next).into_response()) };
    let Some(cookie) = service.sessions.begin(&tokens.get(), token.trim()) else {
        let page = Page { shell: Shell::plain("Sign in"), next, is_wrong: true };
        return Ok((StatusCode::UNAUTHORIZED, html(&page)).into_response());
    };
    set(&service, &next, &cookie, LASTS)
}

async fn sign_out(State(service): State<Arc<Service>>) -> Result<Response, Failure> {
    set(&service, "/sign-in", "", 0)
}

/// Goes to an address with the cookie set.
fn set(service: &Service, next: &str, cookie: &str, seconds: u64) -> Result<Response, Failure> {
    let secure = if service.tls.is_some() { "; Secure" } else { "" };
    let cookie =
        format!("{SESSION}={cookie}; HttpOnly; SameSite=Strict; Path=/; Max-Age={seconds}{secure}");
    let cookie =
        HeaderValue::from_str(&cookie).map_err(|error| Problem::bad_request(error.to_string()))?;
    let mut response = Redirect::to(next).into_response();
    response.headers_mut().insert(header::SET_COOKIE, cookie);
    Ok(response)
}

/// An address of this service only: `//host` and `/\host` would lead elsewhere.
fn own_path(next: String) -> String {
    let is_own = next.starts_with('/')
        && !next.starts_with("//")
        && !next.contains('\\')
        && next.bytes().all(|byte| byte.is_ascii_graphic());
    if is_own { next } else { "/".to_owned() }
}

#[cfg(test)]
mod tests {
    use super::own_path;

    #[test]
    fn signing_in_leads_to_this_service_only() {
        for (next, leads_to) in [
            ("/search?text=a+b%20c", "/search?text=a+b%20c"),
            ("", "/"),
            ("//evil.example/", "/"),
            ("/\\evil.example/", "/"),
            ("https://evil.example/", "/"),
            ("/a\r\nset-cookie: x", "/"),
            ("/\t/evil.example", "/"),
        ] {
            assert_eq!(own_path(next.to_owned()), leads_to, "{next}");
        }
    }
}
