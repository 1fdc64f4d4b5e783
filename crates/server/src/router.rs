//! The router: each endpoint with the check of its token, its figures and its line in the log.

use crate::endpoint::Endpoint;
use crate::gate::Gate;
use crate::own_machine::own_machine;
use crate::page;
use crate::problem::Problem;
use crate::routes;
use crate::service::Service;
use crate::tokens::Scope;
use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use std::sync::Arc;
use std::time::Instant;

/// The router of a service.
pub(crate) fn router(service: &Arc<Service>) -> Router {
    let mut router = Router::new();
    for endpoint in routes::all() {
        let guarded = from_fn_with_state((Arc::clone(&service.gate), endpoint), guard);
        router = router.route(endpoint.path, (endpoint.handler)().layer(guarded));
    }
    unknown_refused(router.merge(page::router(service))).with_state(Arc::clone(service))
}

/// The router, with problems for what it has not.
pub(crate) fn unknown_refused<S: Clone + Send + Sync + 'static>(router: Router<S>) -> Router<S> {
    let unknown = async |request: Request| {
        let detail =
            format!("`{}` is no endpoint; GET /openapi.json lists them", request.uri().path());
        Problem::new(StatusCode::NOT_FOUND, "no_such_endpoint", detail)
    };
    let method = async |request: Request| {
        let detail = format!("`{}` has no method {}", request.uri().path(), request.method());
        Problem::new(StatusCode::METHOD_NOT_ALLOWED, "method", detail)
    };
    router.fallback(unknown).method_not_allowed_fallback(method)
}

/// Checks what a request may do, answers it, and counts and logs the answer.
pub(crate) async fn guard(
    State((gate, endpoint)): State<(Arc<Gate>, &'static Endpoint)>,
    request: Request,
    next: Next,
) -> Response {
    let begun = Instant::now();
    let (method, path) = (request.method().clone(), request.uri().clone());
    let admitted = admit(&gate, endpoint.scope, request.headers());
    let (response, client) = match admitted {
        Ok(client) => (next.run(request).await, client),
        Err(problem) => (problem.into_response(), None),
    };
    let status = response.status().as_u16();
    let of = (endpoint.method, endpoint.path);
    gate.answered(of, (&method, &path), (status, begun), client.as_deref());
    response
}

/// The name of the token of a request that is allowed.
fn admit(
    gate: &Gate,
    scope: Option<Scope>,
    headers: &HeaderMap,
) -> Result<Option<String>, Problem> {
    let Some(tokens) = &gate.tokens else {
        return own_machine(headers).map(|()| None);
    };
    let Some(scope) = scope else { return Ok(None) };
    let given = headers.get(header::AUTHORIZATION).and_then(|given| given.to_str().ok());
    let bearer = given.and_then(|given| given.split_once(' '));
    let bearer = bearer.filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
    let Some((_, token)) = bearer else {
        let detail = "this service needs a token: send the header `authorization: Bearer TOKEN`";
        return Err(Problem::new(StatusCode::UNAUTHORIZED, "no_token", detail));
    };
    match tokens.get().find(token.trim()) {
        None => {
            let detail = "the token is not known here";
            Err(Problem::new(StatusCode::UNAUTHORIZED, "unknown_token", detail))
        }
        Some((name, scopes)) if scopes.contains(&scope) => Ok(Some(name.to_owned())),
        Some((name, _)) => {
            let scope = scope.name();
            let detail = format!("the token `{name}` has not the scope `{scope}`");
            Err(Problem::new(StatusCode::FORBIDDEN, "scope", detail))
        }
    }
}
