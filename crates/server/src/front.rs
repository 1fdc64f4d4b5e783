//! The front of several indexes, the shards: each has the documents whose ids hash to it.
//!
//! A match is a pair of documents, which has the same counts whatever other documents an index
//! has. So the matches of all documents are those of the shards together, in the order of their
//! values. What depends on all documents at once is refused: which are kept, clusters, verdicts on
//! messages.

mod asking;
mod documents;
mod endpoint;
mod merging;
mod operation;
mod same;
mod shards;
mod state;
mod stream;
mod table;
mod told;

use crate::event::{ServeEvent, Tell};
use crate::gate::Gate;
use crate::options::{FrontOptions, cores};
use crate::serve::{answer_all, on_threads};
use crate::serve_error::ServeError;
use shards::Shards;
use state::{ASKING, Front};
use std::sync::Arc;
use tokio::sync::Semaphore;

/// Answers for several services as one index of all their documents would, until `stop` says so,
/// and tells what happens. The document with an id is at the shard whose number, from 0, is the
/// first eight bytes of the SHA-256 of the id (as a number, the highest byte first) modulo the
/// number of shards.
///
/// It is stopped as [`serve`](crate::serve()) is.
///
/// # Errors
/// [`ServeError`], before it listens: a shard that does not answer; shards with different settings.
pub fn front(
    options: &FrontOptions,
    tell: impl Fn(&ServeEvent<'_>) + Send + Sync + 'static,
    stop: impl Fn() -> bool + Send + 'static,
) -> Result<(), ServeError> {
    on_threads("lookalike-front", ServeError::Runtime, run(options, Box::new(tell), stop))
}

async fn run(
    options: &FrontOptions,
    tell: Tell,
    stop: impl Fn() -> bool,
) -> Result<(), ServeError> {
    let FrontOptions { shards, listen, tokens, tls, shard_token, limits } = options;
    let files = (&**listen, tokens.as_deref(), tls.as_ref());
    let (gate, listener) = Gate::open(files, cores(), limits, tell).await?;
    let token = shard_token.as_ref().map(|path| {
        std::fs::read_to_string(path).map(|token| token.trim().to_owned()).map_err(|error| {
            ServeError::Shard { url: path.display().to_string(), reason: error.to_string() }
        })
    });
    let shards = Shards::new(shards, token.transpose()?.as_deref())
        .map_err(|(url, reason)| ServeError::Shard { url, reason })?;
    let settings = same::settings(&shards).await?;
    let gate = Arc::new(gate);
    let front = Front {
        gate: Arc::clone(&gate),
        shards,
        settings,
        asking: Semaphore::new(ASKING),
        description: table::described(),
    };
    let router = table::router(Arc::new(front));
    answer_all(&gate, listener, router, stop).await
}
