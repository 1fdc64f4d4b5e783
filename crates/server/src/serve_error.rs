//! Why a service did not start, or ended.

use crate::labels::LabelsError;
use crate::tls::TlsError;
use crate::tokens::TokensError;
use lookalike::LookalikeError;
use std::net::SocketAddr;

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
    /// A shard that a front cannot use.
    #[error("the shard {url}: {reason}")]
    Shard {
        /// Its URL.
        url: String,
        /// Why.
        reason: String,
    },
    /// The runtime cannot be started.
    #[error("cannot start the threads of the service: {0}")]
    Runtime(std::io::Error),
}
