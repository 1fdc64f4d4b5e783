//! Who may see a view, and the headers that keep it harmless.

use super::failure::Failure;
use super::links;
use super::protection::protected;
use super::session::SESSION;
use super::view::{Client, View};
use crate::own_machine::own_machine;
use crate::problem::Problem;
use crate::questions::DEADLINE;
use crate::service::Service;
use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Redirect, Response};
use std::sync::Arc;
use std::time::Instant;

/// The router of these views.
pub(super) fn router(
    service: &Arc<Service>,
    views: impl Iterator<Item = &'static View>,
) -> Router<Arc<Service>> {
    let mut router = Router::new();
    for view in views {
        let guarded = from_fn_with_state((Arc::clone(service), view), guard);
        router = router.route(view.path, (view.handler)().layer(guarded));
    }
    router
}

async fn guard(
    State((service, view)): State<(Arc<Service>, &'static View)>,
    mut request: Request,
    next: Next,
) -> Response {
    let begun = Instant::now();
    let (method, uri) = (request.method().clone(), request.uri().clone());
    let (response, client) = match admit(&service, view, &request) {
        Ok(client) => {
            request.extensions_mut().insert(Client(client.clone()));
            // A person waits longer than a program.
            let patience = HeaderValue::from_static("20000");
            request.headers_mut().entry(DEADLINE).or_insert(patience);
            (next.run(request).await, client)
        }
        Err(refused) => (*refused, None),
    };
    let status = response.status().as_u16();
    service.answered((view.method, view.path), (&method, &uri), (status, begun), client.as_deref());
    protected(response)
}

/// The name of the token of a request that is allowed, or what is answered instead.
fn admit(
    service: &Service,
    view: &View,
    request: &Request,
) -> Result<Option<String>, Box<Response>> {
    let headers = request.headers();
    let refused = |problem| Box::new(Failure::from(problem).into_response());
    if service.tokens.is_none() {
        own_machine(headers).map_err(refused)?;
    }
    if request.method() != Method::GET && request.method() != Method::HEAD {
        own_origin(headers).map_err(refused)?;
    }
    let (Some(tokens), Some(scope)) = (&service.tokens, view.scope) else { return Ok(None) };
    let cookie = cookie(headers, SESSION);
    let tokens = tokens.get();
    match cookie.and_then(|cookie| service.sessions.find(&tokens, cookie)) {
        Some((name, scopes)) if scopes.contains(&scope) => Ok(Some(name.to_owned())),
        Some((name, _)) => {
            let scope = scope.name();
            let detail = format!("the token `{name}` has not the scope `{scope}`");
            Err(refused(Problem::new(StatusCode::FORBIDDEN, "scope", detail)))
        }
        None if request.method() == Method::GET => {
            let next = request.uri().path_and_query().map_or("/", |path| path.as_str());
            Err(Box::new(Redirect::to(&links::to("/sign-in", &[("next", next)])).into_response()))
        }
        None => {
            let detail = "the session has ended: sign in, and send the form again";
            Err(refused(Problem::new(StatusCode::UNAUTHORIZED, "no_session", detail)))
        }
    }
}

/// The value of a cookie.
fn cookie<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let given = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs =
        given.flat_map(|value| value.split(';')).filter_map(|pair| pair.split_once('='));
    pairs.find(|(known, _)| known.trim() == name).map(|(_, value)| value.trim())
}

/// Refuses a form that a page of another site sends: browsers name where a form is from.
fn own_origin(headers: &HeaderMap) -> Result<(), Problem> {
    let text = |name| headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
    let fetched = text(header::HeaderName::from_static("sec-fetch-site"));
    let origin = text(header::ORIGIN).and_then(|origin| origin.split_once("://"));
    let is_own = match (fetched, origin) {
        (Some(site), _) => site == "same-origin",
        (None, Some((_, origin))) => {
            text(header::HOST).is_some_and(|host| host.eq_ignore_ascii_case(origin))
        }
        (None, None) => false,
    };
    match is_own {
        true => Ok(()),
        false => Err(Problem::new(
            StatusCode::FORBIDDEN,
            "origin",
            "this form was not sent from a page of this service",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        pairs
            .iter()
            .map(|(name, value)| {
                (header::HeaderName::from_static(name), HeaderValue::from_str(value).unwrap())
            })
            .collect()
    }

    #[test]
    fn only_forms_of_the_same_origin_are_taken() {
        for (given, is_own) in [
            (&[("host", "a.org"), ("origin", "https://a.org")][..], true),
            (&[("host", "a.org:80"), ("origin", "http://a.org:80")], true),
            (&[("host", "a.org"), ("origin", "https://b.org")], false),
            (&[("host", "a.org:80"), ("origin", "http://a.org:81")], false),
            (&[("host", "a.org"), ("origin", "null")], false),
            (&[("host", "a.org")], false),
            (
                &[("host", "b"), ("origin", "https://a.org"), ("sec-fetch-site", "same-origin")],
                true,
            ),
            (&[("host", "a"), ("origin", "http://a"), ("sec-fetch-site", "same-site")], false),
            (&[("host", "a"), ("origin", "http://a"), ("sec-fetch-site", "cross-site")], false),
        ] {
            assert_eq!(own_origin(&headers(given)).is_ok(), is_own, "{given:?}");
        }
    }

    #[test]
    fn a_cookie_is_found_among_others() {
        let given = headers(&[("cookie", "a=1; session=x=y ;b=2")]);
        assert_eq!(cookie(&given, "session"), Some("x=y"));
        assert_eq!(cookie(&given, "b"), Some("2"));
        assert_eq!(cookie(&given, "c"), None);
    }
}
