//! Questions on threads of their own, of a bounded number and with deadlines.

use crate::options::Limits;
use crate::problem::Problem;
use axum::http::{HeaderMap, StatusCode};
use lookalike::{LookalikeError, Progress};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::Semaphore;

/// The header that names how long an answer may take, in milliseconds.
pub(crate) const DEADLINE: &str = "deadline-ms";

/// Runs questions, so that none holds the threads of the network.
pub(crate) struct Questions {
    /// Questions that wait or run.
    admitted: Arc<Semaphore>,
    /// Those that run.
    running: Arc<Semaphore>,
    usual: Duration,
}

impl Questions {
    pub(crate) fn new(threads: usize, limits: &Limits) -> Self {
        let admitted = Arc::new(Semaphore::new(limits.waiting.saturating_add(threads)));
        Self { admitted, running: Arc::new(Semaphore::new(threads)), usual: limits.deadline }
    }

    /// Until when a request is to be answered.
    pub(crate) fn deadline(&self, headers: &HeaderMap) -> Result<Instant, Problem> {
        let Some(given) = headers.get(DEADLINE) else { return Ok(Instant::now() + self.usual) };
        let most = Limits::LONGEST_DEADLINE;
        let given = given.to_str().ok().and_then(|given| given.parse().ok());
        match given.map(Duration::from_millis) {
            Some(given) if !given.is_zero() && given <= most => Ok(Instant::now() + given),
            _ => Err(Problem::bad_request(format!(
                "the header `{DEADLINE}` is a number of milliseconds from 1 to {}",
                most.as_millis()
            ))),
        }
    }

    /// Runs a question on a thread that may block. It is told to stop at its deadline, and when
    /// the client is gone.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        deadline: Instant,
        question: impl FnOnce(&Deadline) -> Result<T, LookalikeError> + Send + 'static,
    ) -> Result<T, Problem> {
        let admitted = Arc::clone(&self.admitted).try_acquire_owned().map_err(|_| {
            Problem::too_many("as many questions wait as may wait; try again in a second")
        })?;
        let running = Arc::clone(&self.running).acquire_owned();
        let running = tokio::time::timeout_at(deadline.into(), running).await;
        let Ok(Ok(running)) = running else {
            return Err(Problem::busy(
                "deadline",
                "the deadline passed before there was a thread for the question; try again, or \
                 give more time in the header `deadline-ms`",
            ));
        };
        let gone = Arc::new(AtomicBool::new(false));
        let _gone = SetOnDrop(Arc::clone(&gone));
        let stop = Deadline { deadline, gone };
        blocking(move || {
            // Held as long as the thread works, also when the client is gone.
            let _held = (admitted, running);
            question(&stop)
        })
        .await
    }
}

/// Runs a step on a thread that may block.
pub(crate) async fn blocking<T: Send + 'static>(
    step: impl FnOnce() -> Result<T, LookalikeError> + Send + 'static,
) -> Result<T, Problem> {
    blocking_with(move || step().map_err(Problem::from)).await
}

/// As [`blocking`], for a step with problems of its own.
pub(crate) async fn blocking_with<T: Send + 'static>(
    step: impl FnOnce() -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    let done = tokio::task::spawn_blocking(step).await.map_err(|_| {
        let detail = "an internal error; the service goes on, and its log has the message";
        Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", detail)
    });
    done?
}

/// When a question is stopped.
pub(crate) struct Deadline {
    deadline: Instant,
    gone: Arc<AtomicBool>,
}

impl Deadline {
    /// A deadline for a part of the question that may be left out, which begins now.
    pub(crate) fn of_part(&self, time: Duration) -> PartDeadline<'_> {
        PartDeadline { whole: self, until: Instant::now() + time }
    }
}

/// When a part of a question is stopped.
pub(crate) struct PartDeadline<'d> {
    whole: &'d Deadline,
    until: Instant,
}

impl Progress for PartDeadline<'_> {
    fn cancelled(&self) -> bool {
        self.whole.cancelled() || Instant::now() >= self.until
    }
}

impl Progress for Deadline {
    fn cancelled(&self) -> bool {
        self.gone.load(Ordering::Relaxed) || Instant::now() >= self.deadline
    }
}

struct SetOnDrop(Arc<AtomicBool>);

impl Drop for SetOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
