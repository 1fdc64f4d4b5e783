//! Messages: what is read of them, reports, and the verdict that a mail server waits for.

use crate::problem::Problem;
use crate::questions::Questions;
use crate::service::Service;
use axum::http::StatusCode;
use lookalike::filter::{
    self, MessageFilter, NotJudged, Report, ReportOptions, Reported, Verdict, mail_record,
};
use lookalike::{IndexWriter, Record, Settings};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long a mail server waits for a verdict, where nothing else is set.
pub(crate) const MAIL_DEADLINE: Duration = Duration::from_millis(100);

/// A mail message as it is judged and reported.
///
/// # Errors
/// A message that cannot be read.
pub(crate) fn record(raw: &[u8]) -> Result<Record, Problem> {
    mail_record(raw, &Settings::default()).map_err(|reason| {
        Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "unreadable_message", reason)
    })
}

/// A text as it is judged and reported.
pub(crate) fn text_record(text: String, id: Option<String>, title: Option<String>) -> Record {
    Record { id: id.or_else(|| Some("message".to_owned())), title, ..Record::new(text) }
}

/// Makes a report durable.
pub(crate) async fn report(
    service: &Service,
    report: Report,
    reporter: String,
    message: Record,
) -> Result<Reported, Problem> {
    let bytes = message.text.len();
    let step = move |index: &mut IndexWriter| {
        filter::report(index, report, &reporter, &message, &ReportOptions::default())
    };
    service.writing()?.step(bytes, step).await
}

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
