//! The verdict on a message, in bounded time.

use super::options::SpamAction;
use crate::mail::judge;
use crate::questions::Questions;
use lookalike::filter::{MessageFilter, NotJudged, VerdictKind};
use serde::Serialize;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::OwnedSemaphorePermit;

/// A message that was answered, for a log.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct MilterLog<'a> {
    /// Its Message-ID, where it was read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<&'a str>,
    /// The verdict.
    pub verdict: &'a str,
    /// Why there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<&'a str>,
    /// The prototype that decided.
    #[serde(rename = "match", skip_serializing_if = "Option::is_none")]
    pub prototype: Option<&'a str>,
    /// `accept`, `quarantine` or `reject`.
    pub answer: &'a str,
    /// Time from the end of the message to the answer.
    pub seconds: f64,
}

/// Gives verdicts.
pub(super) struct Judge {
    pub(super) filter: Arc<MessageFilter>,
    pub(super) questions: Questions,
    pub(super) deadline: Duration,
    pub(super) on_spam: SpamAction,
    pub(super) log: Box<dyn Fn(&MilterLog<'_>) + Send + Sync>,
}

/// What a mail server is told about a message.
pub(super) struct Judged {
    /// The value of the header field.
    pub(super) field: String,
    pub(super) action: SpamAction,
}

impl Judge {
    /// Judges a message, until the deadline.
    pub(super) async fn judge(
        &self,
        message: Result<(Vec<u8>, Option<OwnedSemaphorePermit>), NotJudged>,
    ) -> Judged {
        let begun = Instant::now();
        let verdict = match message {
            Ok((raw, room)) => {
                let (filter, deadline) = (Arc::clone(&self.filter), begun + self.deadline);
                judge(&self.questions, filter, deadline, raw, room).await
            }
            Err(reason) => Err(reason),
        };
        let is_spam = verdict.as_ref().is_ok_and(|known| known.verdict == VerdictKind::Spam);
        let action = if is_spam { self.on_spam } else { SpamAction::Mark };
        let (known, reason) = (verdict.as_ref().ok(), verdict.as_ref().err());
        (self.log)(&MilterLog {
            id: known.map(|known| &*known.id),
            verdict: known.map_or(VerdictKind::Error, |known| known.verdict).name(),
            reason: match known.and_then(|known| known.problem.as_deref()) {
                Some(problem) => Some(problem),
                None => reason.map(|reason| reason.name()),
            },
            prototype: known.and_then(|known| Some(&*known.prototype.as_ref()?.id)),
            answer: match action {
                SpamAction::Mark => "accept",
                SpamAction::Quarantine => "quarantine",
                SpamAction::Reject => "reject",
            },
            seconds: begun.elapsed().as_secs_f64(),
        });
        let field = verdict.map_or_else(NotJudged::field_value, |known| known.field_value());
        Judged { field, action }
    }
}
