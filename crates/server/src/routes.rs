//! The endpoints, by what they are about.

pub(crate) mod asking;
pub(crate) mod documents;
mod messages;
pub(crate) mod operation;
mod rspamd;
mod sweeps;

use crate::endpoint::Endpoint;

/// All endpoints, in the order of the description.
pub(crate) fn all() -> impl Iterator<Item = &'static Endpoint> {
    [
        asking::ENDPOINTS,
        documents::ENDPOINTS,
        sweeps::ENDPOINTS,
        messages::ENDPOINTS,
        rspamd::ENDPOINTS,
        operation::ENDPOINTS,
    ]
    .into_iter()
    .flatten()
}
