//! The endpoints of a front: those of a service, with handlers of its own.

use super::endpoint::OfFront;
use super::state::Front;
use super::{asking, documents, operation, stream};
use crate::endpoint::Endpoint;
use crate::openapi::describe;
use crate::problem::Problem;
use crate::router::{guard, unknown_refused};
use crate::routes;
use axum::Router;
use axum::http::{Method, StatusCode};
use axum::middleware::from_fn_with_state;
use axum::routing::{MethodFilter, MethodRouter, on};
use std::sync::Arc;

fn all() -> impl Iterator<Item = &'static OfFront> {
    [asking::ENDPOINTS, documents::ENDPOINTS, stream::ENDPOINTS, operation::ENDPOINTS]
        .into_iter()
        .flatten()
}

fn of(endpoint: &Endpoint) -> Option<&'static OfFront> {
    all().find(|own| (own.method, own.path) == (endpoint.method, endpoint.path))
}

/// The description of a front.
pub(crate) fn described() -> serde_json::Value {
    let served = routes::all().filter_map(|endpoint| Some((endpoint, of(endpoint)?)));
    describe(served.map(|(endpoint, own)| (endpoint, own.besides, own.answer.as_ref())))
}

/// The router of a front. What only one index can answer is refused by its name.
pub(super) fn router(front: Arc<Front>) -> Router {
    let mut router = Router::new();
    for endpoint in routes::all() {
        let handler = match of(endpoint) {
            Some(own) => (own.handler)(),
            None => refused(endpoint),
        };
        let guarded = from_fn_with_state((Arc::clone(&front.gate), endpoint), guard);
        router = router.route(endpoint.path, handler.layer(guarded));
    }
    unknown_refused(router).with_state(front)
}

fn refused(endpoint: &'static Endpoint) -> MethodRouter<Arc<Front>> {
    let Endpoint { method, path, .. } = endpoint;
    let detail = format!(
        "`{method} {path}` depends on all documents of an index; a front of several does not \
         answer it: ask one index"
    );
    let problem = Problem::new(StatusCode::NOT_IMPLEMENTED, "one_index_only", detail);
    let method = Method::from_bytes(method.as_bytes()).ok();
    let filter = method.and_then(|method| MethodFilter::try_from(method).ok());
    on(filter.unwrap_or(MethodFilter::GET), async move || problem.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_endpoint_of_a_front_is_one_of_a_service() {
        let found = routes::all().filter(|endpoint| of(endpoint).is_some()).count();
        assert_eq!(found, all().count());
    }
}
