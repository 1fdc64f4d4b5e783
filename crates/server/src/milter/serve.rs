//! Starting and stopping a milter, and its connections.

use super::error::MilterError;
use super::judge::{Judge, MilterLog};
use super::listener::Listener;
use super::message::Room;
use super::options::MilterOptions;
use super::session::{Milter, answer_all};
use super::socket::MilterSocket;
use crate::options::{Limits, cores};
use crate::questions::Questions;
use crate::serve::{POLL, on_threads};
use lookalike::filter::{FilterOptions, MessageFilter};
use std::sync::Arc;
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;

/// Answers a mail server until `stop` says so. `started` is called with the socket that it listens
/// on, `log` with each message that was answered.
///
/// Messages are judged by the prototypes of the last commit, whichever process wrote it. When it is
/// stopped, it takes no more connections, closes those that are between messages, and answers the
/// messages that it has ([`MilterLimits::stop`](super::MilterLimits::stop) is the longest time for that).
///
/// # Errors
/// [`MilterError`]: before it listens, and never afterwards.
pub fn serve_milter(
    options: &MilterOptions,
    started: impl FnOnce(&MilterSocket),
    log: impl Fn(&MilterLog<'_>) + Send + Sync + 'static,
    stop: impl Fn() -> bool,
) -> Result<(), MilterError> {
    let milter = run(options, started, Box::new(log), stop);
    on_threads("lookalike-milter", MilterError::Runtime, milter)
}

async fn run(
    options: &MilterOptions,
    started: impl FnOnce(&MilterSocket),
    log: Box<dyn Fn(&MilterLog<'_>) + Send + Sync>,
    stop: impl Fn() -> bool,
) -> Result<(), MilterError> {
    let MilterOptions { index, listen, allow_remote, on_spam, header, threads, limits } = options;
    let filter = Arc::new(MessageFilter::open(
        index,
        FilterOptions { reasons: 0, ..FilterOptions::default() },
    )?);
    let listener = Listener::bind(listen, *allow_remote).await?;
    let threads = if *threads == 0 { cores() } else { *threads };
    // All connections may wait for a verdict; the deadline ends that.
    let waiting = Limits { waiting: limits.connections, ..Limits::default() };
    let milter = Arc::new(Milter {
        judge: Judge {
            filter,
            questions: Questions::new(threads, &waiting),
            deadline: limits.deadline,
            on_spam: *on_spam,
            log,
        },
        room: Room::new(limits.message, limits.messages),
        header: header.clone(),
        limits: *limits,
    });
    let (stopping, _) = watch::channel(false);
    started(&listener.socket(listen));
    let mut connections = accept(&listener, &milter, &stopping, stop).await;
    drop(listener);
    stopping.send_replace(true);
    let ended = async { while connections.join_next().await.is_some() {} };
    let _ = tokio::time::timeout(limits.stop, ended).await;
    Ok(())
}

/// Takes connections until the milter is to be stopped.
async fn accept(
    listener: &Listener,
    milter: &Arc<Milter>,
    stopping: &watch::Sender<bool>,
    stop: impl Fn() -> bool,
) -> JoinSet<()> {
    let (mut open, places) = (JoinSet::new(), Arc::new(Semaphore::new(milter.limits.connections)));
    let mut poll = tokio::time::interval(POLL);
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            _ = open.join_next(), if !open.is_empty() => continue,
            _ = poll.tick() => match stop() {
                true => return open,
                false => continue,
            },
        };
        let Ok(connection) = accepted else {
            // No more files may be open: others have to be closed first.
            tokio::time::sleep(POLL).await;
            continue;
        };
        // One more than there may be is closed: the mail server does what it does without a milter.
        let Ok(place) = Arc::clone(&places).try_acquire_owned() else { continue };
        let (milter, stopping) = (Arc::clone(milter), stopping.subscribe());
        open.spawn(async move {
            // A mail server that went away, or another program, is not an error of ours.
            let _ = answer_all(&milter, connection, stopping).await;
            drop(place);
        });
    }
}
