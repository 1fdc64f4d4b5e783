//! The verdict that a mail server waits for: in bounded time, or none.

use crate::questions::Questions;
use lookalike::Settings;
use lookalike::filter::{MessageFilter, NotJudged, Verdict, mail_record};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long a mail server waits for a verdict, where nothing else is set.
pub(crate) const MAIL_DEADLINE: Duration = Duration::from_millis(100);

/// The verdict on a mail message. `held` is dropped with its bytes.
///
/// # Errors
/// Why there is none by the deadline.
pub(crate) async fn judge(
    questions: &Questions,
    filter: Arc<MessageFilter>,
    deadline: Instant,
    raw: Vec<u8>,
    held: impl Send + 'static,
) -> Result<Verdict, NotJudged> {
    let judging = questions.run(deadline, move |_| {
        let _held = held;
        match mail_record(&raw, &Settings::default()) {
            Ok(message) => filter.verdict(&message),
            Err(reason) => Ok(MessageFilter::unreadable("message", reason)),
        }
    });
    match tokio::time::timeout_at(deadline.into(), judging).await {
        Ok(Ok(verdict)) => Ok(verdict),
        Ok(Err(problem)) => Err(match &*problem.code {
            "too_many" => NotJudged::Busy,
            "deadline" => NotJudged::Deadline,
            _ => NotJudged::Failed,
        }),
        Err(_) => Err(NotJudged::Deadline),
    }
}
