//! What all requests to a front share.

use super::shards::Shards;
use crate::gate::Gate;
use lookalike::index::IndexSettings;
use std::sync::Arc;
use tokio::sync::Semaphore;

/// Questions that are asked of all shards at the same time: fewer than wait at a shard.
pub(super) const ASKING: usize = 32;

/// What all requests to a front share.
pub(super) struct Front {
    pub(super) gate: Arc<Gate>,
    pub(super) shards: Shards,
    /// The settings of all shards.
    pub(super) settings: IndexSettings,
    /// A permit for each question that may be asked at the same time.
    pub(super) asking: Semaphore,
    /// The description of the endpoints.
    pub(super) description: serde_json::Value,
}
