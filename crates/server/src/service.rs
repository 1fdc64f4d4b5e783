//! What all requests share.

use crate::gate::Gate;
use crate::labels::Labels;
use crate::page::Sessions;
use crate::problem::Problem;
use crate::questions::Deadline;
use crate::writing::Writing;
use axum::http::{HeaderMap, StatusCode};
use lookalike::filter::MessageFilter;
use lookalike::{Index, LookalikeError};
use std::ops::Deref;
use std::sync::Arc;

/// What all requests share.
pub(crate) struct Service {
    pub(crate) gate: Arc<Gate>,
    pub(crate) index: Index,
    /// The filter of messages, or why the index can have none.
    pub(crate) filter: Result<Arc<MessageFilter>, Problem>,
    /// `None` in a service that only reads.
    pub(crate) writing: Option<Writing>,
    pub(crate) sessions: Sessions,
    /// Judgements of pairs; `None` in a service that keeps none.
    pub(crate) labels: Option<Arc<Labels>>,
    /// The description of the endpoints.
    pub(crate) description: serde_json::Value,
}

/// The fields of its gate are its own.
impl Deref for Service {
    type Target = Gate;

    fn deref(&self) -> &Gate {
        &self.gate
    }
}

impl Service {
    /// Runs a question on a thread that may block, until the deadline of the request.
    pub(crate) async fn ask<T: Send + 'static>(
        self: &Arc<Self>,
        headers: &HeaderMap,
        question: impl FnOnce(&Self, &Deadline) -> Result<T, LookalikeError> + Send + 'static,
    ) -> Result<T, Problem> {
        let deadline = self.questions.deadline(headers)?;
        let service = Arc::clone(self);
        self.questions.run(deadline, move |stop| question(&service, stop)).await
    }

    /// The thread that writes.
    pub(crate) fn writing(&self) -> Result<&Writing, Problem> {
        self.writing.as_ref().ok_or_else(|| {
            let detail = "this service only reads its index; ask the one that writes it";
            Problem::new(StatusCode::FORBIDDEN, "read_only", detail)
        })
    }
}
