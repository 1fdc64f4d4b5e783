//! A view: what the router of the page is made of.

use crate::service::Service;
use crate::tokens::Scope;
use axum::routing::MethodRouter;
use std::sync::Arc;

/// A view, or a form that it sends.
pub(super) struct View {
    /// `GET` or `POST`.
    pub(super) method: &'static str,
    pub(super) path: &'static str,
    /// What a token has to allow; `None` for all.
    pub(super) scope: Option<Scope>,
    pub(super) handler: fn() -> MethodRouter<Arc<Service>>,
}

/// The name of the token of who asks for a view, if there are tokens.
#[derive(Debug, Clone, Default)]
pub(super) struct Client(pub(super) Option<String>);
