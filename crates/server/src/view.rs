//! The page over the results of a run, on this machine.

use crate::options::Limits;
use crate::page::run_router;
use crate::serve::{POLL, answer, runtime};
use crate::serve_error::ServeError;
use hyper_util::server::graceful::GracefulShutdown;
use lookalike::results::summary;
use std::net::SocketAddr;
use std::path::Path;
use tokio::net::TcpListener;
use tokio_io_timeout::TimeoutStream;

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
    runtime("lookalike-view").map_err(ServeError::Runtime)?.block_on(async {
        let failed = |error| ServeError::Listen { address: listen.to_owned(), error };
        let listener = TcpListener::bind(listen).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        if !address.ip().is_loopback() {
            return Err(ServeError::NotThisMachine { address });
        }
        started(address);
        let (router, limits, graceful) =
            (run_router(run), Limits::default(), GracefulShutdown::new());
        let mut poll = tokio::time::interval(POLL);
        loop {
            let accepted = tokio::select! {
                accepted = listener.accept() => accepted,
                _ = poll.tick() => match stop() {
                    true => break,
                    false => continue,
                },
            };
            let Ok((stream, _)) = accepted else {
                // No more files may be open: others have to be closed first.
                tokio::time::sleep(POLL).await;
                continue;
            };
            let mut stream = TimeoutStream::new(stream);
            stream.set_write_timeout(Some(limits.idle));
            let (router, watcher) = (router.clone(), graceful.watcher());
            tokio::spawn(async move {
                answer(Box::pin(stream), &limits, router, watcher).await;
            });
        }
        let _ = tokio::time::timeout(limits.stop, graceful.shutdown()).await;
        Ok(())
    })
}
