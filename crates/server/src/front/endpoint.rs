//! An endpoint of a front.

use super::state::Front;
use crate::endpoint::Content;
use axum::routing::MethodRouter;
use std::sync::Arc;

/// An endpoint of a service that a front has too.
pub(super) struct OfFront {
    pub(super) method: &'static str,
    pub(super) path: &'static str,
    /// What is said in the description beside what it says of a service.
    pub(super) besides: &'static str,
    /// What is answered, if it is not what a service answers.
    pub(super) answer: Option<Content>,
    pub(super) handler: fn() -> MethodRouter<Arc<Front>>,
}
