//! Starting and stopping the service, and its connections.

use crate::event::{ServeEvent, Tell};
use crate::gate::Gate;
use crate::labels::Labels;
use crate::openapi::description;
use crate::options::{Limits, ServeOptions, cores};
use crate::page::Sessions;
use crate::problem::Problem;
use crate::router::router;
use crate::serve_error::ServeError;
use crate::service::Service;
use crate::unread;
use crate::watched;
use crate::writing::Writing;
use axum::Router;
use axum::middleware::from_fn;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use hyper_util::service::TowerToHyperService;
use lookalike::Index;
use lookalike::filter::{FilterOptions, MessageFilter};
use std::sync::Arc;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_io_timeout::TimeoutStream;
use tokio_rustls::TlsAcceptor;

/// Serves an index until `stop` says so, and tells what happens.
///
/// When it is stopped, it takes no more connections, answers the requests that it has
/// ([`Limits::stop`] is the longest time for that), and makes all changes durable.
///
/// ```
/// use lookalike::{IndexWriter, index::IndexSettings};
/// use lookalike_server::{ServeEvent, ServeOptions, serve};
/// use std::sync::Arc;
/// use std::sync::atomic::{AtomicBool, Ordering};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// # let dir = folder.path().join("index");
/// drop(IndexWriter::create(&dir, IndexSettings::default(), 1)?);
/// let mut options = ServeOptions::new(&dir);
/// options.listen = "127.0.0.1:0".to_owned();
/// let stop = Arc::new(AtomicBool::new(false));
/// let is_stopped = Arc::clone(&stop);
/// let tell = move |event: &ServeEvent<'_>| {
///     if let ServeEvent::Listening { url, .. } = event {
///         println!("{url}/v1/query answers questions");
///         stop.store(true, Ordering::Relaxed);
///     }
/// };
/// serve(&options, tell, move || is_stopped.load(Ordering::Relaxed))?;
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// [`ServeError`]: before it listens, and never afterwards.
pub fn serve(
    options: &ServeOptions,
    tell: impl Fn(&ServeEvent<'_>) + Send + Sync + 'static,
    stop: impl Fn() -> bool + Send + 'static,
) -> Result<(), ServeError> {
    on_threads("lookalike-serve", ServeError::Runtime, run(options, Box::new(tell), stop))
}

/// Runs a service on threads of this name. What still works when it has ended, a question that did
/// not end in time, is not waited for.
///
/// # Errors
/// Threads that cannot be started, as `failed` has it; those of the service.
pub(crate) fn on_threads<T, E>(
    name: &str,
    failed: impl FnOnce(std::io::Error) -> E,
    service: impl Future<Output = Result<T, E>>,
) -> Result<T, E> {
    let mut threads = tokio::runtime::Builder::new_multi_thread();
    let runtime = threads.enable_all().thread_name(name).build().map_err(failed)?;
    let ended = runtime.block_on(service);
    runtime.shutdown_background();
    ended
}

async fn run(
    options: &ServeOptions,
    tell: Tell,
    stop: impl Fn() -> bool,
) -> Result<(), ServeError> {
    let ServeOptions { index: dir, listen, tokens, labels, tls, read_only, threads, limits } =
        options;
    let threads = if *threads == 0 { cores() } else { *threads };
    let files = (&**listen, tokens.as_deref(), tls.as_ref());
    let (gate, listener) = Gate::open(files, threads, limits, tell).await?;
    let (writing, thread) = match read_only {
        true => (None, None),
        false => {
            let (writing, thread) =
                Writing::start(dir, threads, limits.expiry, gate.metrics.writing.clone())?;
            (Some(writing), Some(thread))
        }
    };
    let filter = MessageFilter::open(dir, FilterOptions::default());
    let gate = Arc::new(gate);
    let service = Arc::new(Service {
        gate: Arc::clone(&gate),
        index: Index::open(dir)?,
        filter: filter.map(Arc::new).map_err(Problem::from),
        writing,
        sessions: Sessions::new().map_err(ServeError::Runtime)?,
        labels: labels.as_deref().map(Labels::open).transpose()?.map(Arc::new),
        description: description(),
    });
    let router = router(&service);
    // With the last request that may write, the thread that writes ends.
    drop(service);
    answer_all(&gate, listener, router, stop).await?;
    if let Some(thread) = thread {
        let _ = tokio::time::timeout(limits.stop, thread.join()).await;
    }
    Ok(())
}

/// Answers requests until the service is to be stopped, and then those that it has.
///
/// # Errors
/// A listener without an address.
pub(crate) async fn answer_all(
    gate: &Arc<Gate>,
    listener: TcpListener,
    router: Router,
    stop: impl Fn() -> bool,
) -> Result<(), ServeError> {
    let address = listener.local_addr().map_err(ServeError::Runtime)?;
    let scheme = if gate.tls.is_some() { "https" } else { "http" };
    (gate.tell)(&ServeEvent::Listening { url: format!("{scheme}://{address}"), address });
    let refreshing = tokio::spawn(refresh(Arc::clone(gate)));
    let router = router.layer(from_fn(unread::answer));
    let connections = accept(&listener, gate, router, stop).await;
    gate.stopping.send_replace(true);
    refreshing.abort();
    drop(listener);
    let _ = tokio::time::timeout(gate.limits.stop, connections.shutdown()).await;
    Ok(())
}

/// How often it is asked whether to stop.
pub(crate) const POLL: std::time::Duration = std::time::Duration::from_millis(50);

/// Takes connections until the service is to be stopped.
async fn accept(
    listener: &TcpListener,
    gate: &Arc<Gate>,
    router: Router,
    stop: impl Fn() -> bool,
) -> GracefulShutdown {
    let graceful = GracefulShutdown::new();
    let places = Arc::new(Semaphore::new(gate.limits.connections));
    while let Some(stream) = next(listener, &stop).await {
        let Ok(place) = Arc::clone(&places).try_acquire_owned() else {
            tokio::spawn(refuse(stream));
            continue;
        };
        let (gate, router) = (Arc::clone(gate), router.clone());
        let watcher = graceful.watcher();
        tokio::spawn(async move {
            gate.metrics.connections.inc();
            connect(stream, &gate, router, watcher).await;
            gate.metrics.connections.dec();
            drop(place);
        });
    }
    graceful
}

/// The next connection; `None` once the service is to be stopped.
pub(crate) async fn next(listener: &TcpListener, stop: &impl Fn() -> bool) -> Option<TcpStream> {
    let mut poll = tokio::time::interval(POLL);
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => return Some(stream),
                // No more files may be open: others have to be closed first.
                Err(_) => tokio::time::sleep(POLL).await,
            },
            _ = poll.tick() => if stop() {
                return None;
            },
        }
    }
}

type Timed = std::pin::Pin<Box<TimeoutStream<TcpStream>>>;

/// A connection whose client takes each part of an answer in bounded time.
pub(crate) fn timed(stream: TcpStream, limits: &Limits) -> Timed {
    let _ = stream.set_nodelay(true);
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(limits.idle));
    Box::pin(stream)
}

/// Answers the requests of a connection.
async fn connect(stream: TcpStream, gate: &Gate, router: Router, watcher: Watcher) {
    let limits = &gate.limits;
    let stream = timed(stream, limits);
    match &gate.tls {
        None => answer(stream, limits, router, watcher).await,
        Some(tls) => {
            let handshake = TlsAcceptor::from(tls.get()).accept(stream);
            let mut stopping = gate.stopping.subscribe();
            let handshake = tokio::select! {
                made = tokio::time::timeout(limits.head, handshake) => made,
                _ = stopping.wait_for(|stopping| *stopping) => return,
            };
            // A client that speaks no TLS, or has another idea of it, is not an error of ours.
            if let Ok(Ok(stream)) = handshake {
                answer(Box::new(stream), limits, router, watcher).await;
            }
        }
    }
}

pub(crate) async fn answer(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    limits: &Limits,
    router: Router,
    watcher: Watcher,
) {
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.head)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router));
    // A client that went away or sent no HTTP is not an error of ours.
    let _ = watcher.watch(connection).await;
}

/// Reads files that changed, until it is dropped.
async fn refresh(gate: Arc<Gate>) {
    let mut tick = tokio::time::interval(watched::EVERY);
    loop {
        tick.tick().await;
        let gate = Arc::clone(&gate);
        let _ = tokio::task::spawn_blocking(move || gate.refresh()).await;
    }
}

/// Tells a client that there are too many connections.
async fn refuse(mut stream: TcpStream) {
    let answer = b"HTTP/1.1 503 Service Unavailable\r\nretry-after: 1\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
    let sent = async {
        let _ = stream.write_all(answer).await;
        let _ = stream.shutdown().await;
    };
    let _ = tokio::time::timeout(std::time::Duration::from_secs(1), sent).await;
}
