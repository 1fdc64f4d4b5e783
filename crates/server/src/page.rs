//! The page: views of the index for people, as HTML.
//!
//! A view has an address, works without its script, and asks the same functions as the endpoints.
//! Texts are untrusted: they pass through `clean` and are escaped by the templates, and a content
//! security policy forbids what is not the page's own.

mod about;
mod assets;
mod compare;
mod document;
mod failure;
mod filter;
mod form;
mod guard;
mod hits;
mod links;
mod marked;
mod passages;
mod protection;
mod review;
mod run;
mod search;
mod session;
mod shell;
mod sign_in;
mod sweeps;
mod texts;
mod view;

pub(crate) use run::router as run_router;
pub(crate) use session::Sessions;

use crate::service::Service;
use axum::Router;
use std::sync::Arc;

/// The router of the page.
pub(crate) fn router(service: &Arc<Service>) -> Router<Arc<Service>> {
    let views = [
        search::VIEWS,
        document::VIEWS,
        compare::VIEWS,
        passages::VIEWS,
        filter::VIEWS,
        sweeps::VIEWS,
        review::VIEWS,
        about::VIEWS,
        sign_in::VIEWS,
        assets::VIEWS,
    ];
    guard::router(service, views.into_iter().flatten())
}
