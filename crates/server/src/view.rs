//! The page over the results of a run, on this machine.

use crate::options::Limits;
use crate::page::run_router;
use crate::serve::{answer, next, on_threads, timed};
use crate::serve_error::ServeError;
use hyper_util::server::graceful::GracefulShutdown;
use lookalike::results::summary;
use std::net::SocketAddr;
use std::path::Path;
use tokio::net::TcpListener;

/// Shows the results of a run on a page until `stop` says so. `started` is called with the address.
///
/// # Errors
/// A directory without the results of a run; an address that is none, that another program listens
/// on, or that other machines reach.
pub fn view(
    run: &Path,
    listen: &str,
    started: impl FnOnce(SocketAddr),
    stop: impl Fn() -> bool,
) -> Result<(), ServeError> {
    summary(run)?;
    on_threads("lookalike-view", ServeError::Runtime, async {
        let failed = |error| ServeError::Listen { address: listen.to_owned(), error };
        let listener = TcpListener::bind(listen).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        if !address.ip().is_loopback() {
            return Err(ServeError::NotThisMachine { address });
        }
        started(address);
        let (router, limits, graceful) =
            (run_router(run), Limits::default(), GracefulShutdown::new());
        while let Some(stream) = next(&listener, &stop).await {
            let (stream, router, watcher) =
                (timed(stream, &limits), router.clone(), graceful.watcher());
            tokio::spawn(async move { answer(stream, &limits, router, watcher).await });
        }
        let _ = tokio::time::timeout(limits.stop, graceful.shutdown()).await;
        Ok(())
    })
}
