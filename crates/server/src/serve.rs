//! Starting and stopping the service, and its connections.

use crate::labels::{Labels, LabelsError};
use crate::metrics::Metrics;
use crate::openapi::description;
use crate::options::{Limits, ServeOptions, cores};
use crate::page::Sessions;
use crate::problem::Problem;
use crate::questions::Questions;
use crate::router::router;
use crate::service::{ServeEvent, Service};
use crate::tls::{self, TlsError};
use crate::tokens::{Tokens, TokensError};
use crate::watched;
use crate::writing::Writing;
use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use hyper_util::service::TowerToHyperService;
use lookalike::filter::{FilterOptions, MessageFilter};
use lookalike::{Index, LookalikeError};
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Runtime;
use tokio::sync::{Semaphore, watch};
use tokio_io_timeout::TimeoutStream;
use tokio_rustls::TlsAcceptor;

/// Why a service did not start, or ended.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The index cannot be used.
    #[error(transparent)]
    Index(#[from] LookalikeError),
    /// The tokens cannot be used.
    #[error(transparent)]
    Tokens(#[from] TokensError),
    /// It is no address, or another program listens on it.
    #[error(
        "cannot listen on {address}: {error}; an address is HOST:PORT, for example 127.0.0.1:7070"
    )]
    Listen {
        /// The address.
        address: String,
        /// Why.
        error: std::io::Error,
    },
    /// The certificate cannot be used.
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// The labels cannot be used.
    #[error(transparent)]
    Labels(#[from] LabelsError),
    /// An address that others reach, without tokens.
    #[error(
        "{address} can be reached from other machines, and anybody who reaches it could read and \
         change the index: name a file of tokens (the setting tokens), or listen on 127.0.0.1"
    )]
    NoTokens {
        /// The address.
        address: SocketAddr,
    },
    /// An address that others reach, for what only this machine may see.
    #[error("{address} can be reached from other machines; listen on 127.0.0.1")]
    NotThisMachine {
        /// The address.
        address: SocketAddr,
    },
    /// The runtime cannot be started.
    #[error("cannot start the threads of the service: {0}")]
    Runtime(std::io::Error),
}

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
    let runtime = runtime("lookalike-serve").map_err(ServeError::Runtime)?;
    runtime.block_on(run(options, Box::new(tell), stop))
}

/// The threads of a service.
pub(crate) fn runtime(name: &str) -> std::io::Result<Runtime> {
    let mut threads = tokio::runtime::Builder::new_multi_thread();
    threads.enable_all().thread_name(name).build()
}

async fn run(
    options: &ServeOptions,
    tell: Box<dyn Fn(&ServeEvent<'_>) + Send + Sync>,
    stop: impl Fn() -> bool,
) -> Result<(), ServeError> {
    let ServeOptions { index: dir, listen, tokens, labels, tls, read_only, threads, limits } =
        options;
    let tokens = tokens.as_deref().map(Tokens::read).transpose()?;
    let tls = tls.as_ref().map(tls::read).transpose()?;
    let failed = |error| ServeError::Listen { address: listen.clone(), error };
    let listener = TcpListener::bind(listen).await.map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    if tokens.is_none() && !address.ip().is_loopback() {
        return Err(ServeError::NoTokens { address });
    }
    let threads = if *threads == 0 { cores() } else { *threads };
    let metrics = Metrics::new();
    let (writing, thread) = match read_only {
        true => (None, None),
        false => {
            let (writing, thread) = Writing::start(dir, threads, metrics.writing.clone())?;
            (Some(writing), Some(thread))
        }
    };
    let filter = MessageFilter::open(dir, FilterOptions::default());
    let (stopping, _) = watch::channel(false);
    let service = Arc::new(Service {
        index: Index::open(dir)?,
        filter: filter.map(Arc::new).map_err(Problem::from),
        questions: Questions::new(threads, limits),
        writing,
        tokens,
        tls,
        sessions: Sessions::new().map_err(ServeError::Runtime)?,
        labels: labels.as_deref().map(Labels::open).transpose()?.map(Arc::new),
        limits: *limits,
        metrics,
        description: description(),
        stopping,
        tell,
    });
    let scheme = if service.tls.is_some() { "https" } else { "http" };
    (service.tell)(&ServeEvent::Listening { url: format!("{scheme}://{address}"), address });
    let refreshing = tokio::spawn(refresh(Arc::clone(&service)));
    let connections = accept(&listener, &service, router(&service), stop).await;
    service.stopping.send_replace(true);
    refreshing.abort();
    drop(listener);
    let _ = tokio::time::timeout(limits.stop, connections.shutdown()).await;
    // With the last request that may write, the thread that writes ends.
    drop(service);
    if let Some(thread) = thread {
        let _ = tokio::time::timeout(limits.stop, thread.join()).await;
    }
    Ok(())
}

/// How often it is asked whether to stop.
pub(crate) const POLL: std::time::Duration = std::time::Duration::from_millis(50);

/// Takes connections until the service is to be stopped.
async fn accept(
    listener: &TcpListener,
    service: &Arc<Service>,
    router: Router,
    stop: impl Fn() -> bool,
) -> GracefulShutdown {
    let graceful = GracefulShutdown::new();
    let places = Arc::new(Semaphore::new(service.limits.connections));
    let mut poll = tokio::time::interval(POLL);
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            _ = poll.tick() => match stop() {
                true => return graceful,
                false => continue,
            },
        };
        let Ok((stream, _)) = accepted else {
            // No more files may be open: others have to be closed first.
            tokio::time::sleep(POLL).await;
            continue;
        };
        let Ok(place) = Arc::clone(&places).try_acquire_owned() else {
            tokio::spawn(refuse(stream));
            continue;
        };
        let (service, router) = (Arc::clone(service), router.clone());
        let watcher = graceful.watcher();
        tokio::spawn(async move {
            service.metrics.connections.inc();
            connect(stream, &service, router, watcher).await;
            service.metrics.connections.dec();
            drop(place);
        });
    }
}

type Timed = std::pin::Pin<Box<TimeoutStream<TcpStream>>>;

/// Answers the requests of a connection.
async fn connect(stream: TcpStream, service: &Service, router: Router, watcher: Watcher) {
    let limits = &service.limits;
    let _ = stream.set_nodelay(true);
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(limits.idle));
    let stream: Timed = Box::pin(stream);
    match &service.tls {
        None => answer(stream, limits, router, watcher).await,
        Some(tls) => {
            let handshake = TlsAcceptor::from(tls.get()).accept(stream);
            // A client that speaks no TLS, or has another idea of it, is not an error of ours.
            if let Ok(Ok(stream)) = tokio::time::timeout(limits.head, handshake).await {
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
async fn refresh(service: Arc<Service>) {
    let mut tick = tokio::time::interval(watched::EVERY);
    loop {
        tick.tick().await;
        let service = Arc::clone(&service);
        let _ = tokio::task::spawn_blocking(move || service.refresh()).await;
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
