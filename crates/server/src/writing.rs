//! The thread that writes: changes that wait for it become one commit together.

use crate::metrics::WritingMetrics;
use crate::options::Limits;
use crate::problem::Problem;
use lookalike::index::{Applied, ApplyOptions, ChangeOutcome, Committed, IndexChange};
use lookalike::{IndexWriter, LookalikeError, Settings};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, oneshot};

/// Changes of a commit at most.
const GROUP: usize = 1000;

/// Bytes of changes of a commit at most, unless the first has more.
const GROUP_BYTES: usize = 8 << 20;

/// A change or step that waits.
struct Waiting {
    work: Work,
    bytes: usize,
    /// Room for its bytes, until it is durable.
    _room: OwnedSemaphorePermit,
}

enum Work {
    Change(IndexChange, Reply<Changed>),
    Step(Step),
}

/// A step with commits of its own, with its reply.
type Step = Box<dyn FnOnce(&mut Writer) + Send>;

type Reply<T> = oneshot::Sender<Result<T, Problem>>;

/// What became of a change, and the commit that made it durable.
pub(crate) struct Changed {
    pub(crate) outcome: ChangeOutcome,
    pub(crate) commit: u64,
}

/// Hands changes to the thread that writes.
pub(crate) struct Writing {
    send: mpsc::UnboundedSender<Waiting>,
    /// One permit for each KiB that may wait.
    room: Arc<Semaphore>,
}

/// The thread that writes; it ends when its [`Writing`] is dropped.
pub(crate) struct WritingThread(JoinHandle<()>);

impl WritingThread {
    /// Waits until all changes are durable.
    pub(crate) async fn join(self) {
        // A panic of the thread was told to those who waited.
        let _ = tokio::task::spawn_blocking(|| self.0.join()).await;
    }
}

impl Writing {
    /// Opens the index for writing and starts the thread.
    ///
    /// # Errors
    /// As [`IndexWriter::open`].
    pub(crate) fn start(
        dir: &Path,
        threads: usize,
        expiry: Duration,
        metrics: WritingMetrics,
    ) -> Result<(Self, WritingThread), LookalikeError> {
        let index = IndexWriter::open(dir, threads)?;
        let (send, receive) = mpsc::unbounded_channel();
        let writer = Writer { dir: dir.to_owned(), threads, index: Some(index), expiry, metrics };
        let runtime = Handle::current();
        let thread = std::thread::spawn(move || writer.run(receive, &runtime));
        let room = Arc::new(Semaphore::new(Limits::WAITING_CHANGES / 1024));
        Ok((Self { send, room }, WritingThread(thread)))
    }

    /// Makes a change durable.
    pub(crate) async fn change(&self, change: IndexChange) -> Result<Changed, Problem> {
        self.changing(change).await?.await
    }

    /// Hands over a change as soon as there is room for it; what is returned is ready when the
    /// change is durable.
    pub(crate) async fn changing(
        &self,
        change: IndexChange,
    ) -> Result<impl Future<Output = Result<Changed, Problem>> + use<>, Problem> {
        let (reply, changed) = oneshot::channel();
        let bytes = match &change {
            IndexChange::Put(put) => put.line.len(),
            IndexChange::Delete { id } => id.len(),
        };
        self.hand_over(Work::Change(change, reply), bytes).await?;
        Ok(async { changed.await.unwrap_or_else(|_| Err(stopped())) })
    }

    /// Runs a step that ends with a commit. `bytes` is what it holds while it waits.
    pub(crate) async fn step<T: Send + 'static>(
        &self,
        bytes: usize,
        step: impl FnOnce(&mut IndexWriter) -> Result<T, LookalikeError> + Send + 'static,
    ) -> Result<T, Problem> {
        let (reply, done) = oneshot::channel();
        let step = move |writer: &mut Writer| {
            // The client may be gone.
            let _ = reply.send(writer.with_index(step));
        };
        self.hand_over(Work::Step(Box::new(step)), bytes).await?;
        done.await.unwrap_or_else(|_| Err(stopped()))
    }

    async fn hand_over(&self, work: Work, bytes: usize) -> Result<(), Problem> {
        let permits = (bytes / 1024 + 1).min(Limits::WAITING_CHANGES / 1024) as u32;
        let room = Arc::clone(&self.room).acquire_many_owned(permits).await;
        let room = room.map_err(|_| stopped())?;
        self.send.send(Waiting { work, bytes, _room: room }).map_err(|_| stopped())
    }
}

fn stopped() -> Problem {
    Problem::busy(
        "writer_stopped",
        "the service can write no more: it is being stopped, or met an error of its own; it is \
         unknown whether this change is durable",
    )
}

/// Gives this thread, and those that it starts for joins and merges, a third of the share of a core that
/// threads with questions get: a put waits for the disk anyway.
fn yield_to_questions() {
    // On other systems a priority is that of the process.
    #[cfg(target_os = "linux")]
    let _ = rustix::process::setpriority_process(None, 5);
}

struct Writer {
    dir: PathBuf,
    threads: usize,
    /// `None` after an error: what the disk holds is known only once it is opened again.
    index: Option<IndexWriter>,
    /// [`Limits::expiry`].
    expiry: Duration,
    metrics: WritingMetrics,
}

impl Writer {
    fn run(mut self, mut receive: mpsc::UnboundedReceiver<Waiting>, runtime: &Handle) {
        yield_to_questions();
        let mut expiry = Instant::now() + self.expiry;
        loop {
            if Instant::now() >= expiry {
                self.expire();
                expiry = Instant::now() + self.expiry;
            }
            let next = async { tokio::time::timeout_at(expiry.into(), receive.recv()).await };
            match runtime.block_on(next) {
                Err(_) => {}
                Ok(None) => return,
                Ok(Some(first)) => {
                    let mut group = vec![first];
                    let mut bytes = group[0].bytes;
                    while group.len() < GROUP
                        && bytes < GROUP_BYTES
                        && let Ok(more) = receive.try_recv()
                    {
                        bytes += more.bytes;
                        group.push(more);
                    }
                    self.write(group);
                }
            }
        }
    }

    /// Deletes documents whose time has come.
    fn expire(&mut self) {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        if let Some(index) = &mut self.index
            && index.expire(now).is_err()
        {
            self.index = None;
        }
    }

    /// Writes a group: its changes in one commit, then its steps.
    fn write(&mut self, group: Vec<Waiting>) {
        let (mut changes, mut replies, mut steps, mut rooms) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for Waiting { work, _room: room, .. } in group {
            rooms.push(room);
            match work {
                Work::Change(change, reply) => {
                    changes.push(change);
                    replies.push(reply);
                }
                Work::Step(step) => steps.push(step),
            }
        }
        if !changes.is_empty() {
            let begun = Instant::now();
            match self.with_index(|index| {
                index.apply(&changes, &Settings::default(), ApplyOptions::default())
            }) {
                Ok(Applied { committed: Committed { commit, .. }, outcomes }) => {
                    self.metrics.commits.inc();
                    self.metrics.changes.observe(outcomes.len() as f64);
                    self.metrics.seconds.observe(begun.elapsed().as_secs_f64());
                    for (reply, outcome) in replies.into_iter().zip(outcomes) {
                        // The client may be gone.
                        let _ = reply.send(Ok(Changed { outcome, commit }));
                    }
                }
                Err(problem) => {
                    for reply in replies {
                        let _ = reply.send(Err(problem.clone()));
                    }
                }
            }
        }
        for step in steps {
            step(self);
        }
    }

    /// Runs a step on the index, which is opened again after an error of a step before.
    fn with_index<T>(
        &mut self,
        step: impl FnOnce(&mut IndexWriter) -> Result<T, LookalikeError>,
    ) -> Result<T, Problem> {
        let index = match &mut self.index {
            Some(index) => index,
            None => self.index.insert(IndexWriter::open(&self.dir, self.threads)?),
        };
        let done = step(index);
        if let Err(error) = &done
            && error.kind() != lookalike::ErrorKind::Usage
        {
            self.index = None;
        }
        done.map_err(Problem::from)
    }
}
