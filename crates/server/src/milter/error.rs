//! Why a milter did not start.

use super::socket::MilterSocket;
use lookalike::LookalikeError;
use std::net::SocketAddr;

/// Why a milter did not start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MilterError {
    /// The prototypes cannot be used.
    #[error(transparent)]
    Index(#[from] LookalikeError),
    /// A socket that cannot be had.
    #[error("cannot listen on {socket}: {error}")]
    Listen {
        /// The socket.
        socket: MilterSocket,
        /// Why.
        error: std::io::Error,
    },
    /// A port that others reach.
    #[error(
        "{address} can be reached from other machines, and the milter protocol has neither passwords \
         nor encryption: a program that reaches it learns the verdict on any text, and may hold all \
         connections; listen on 127.0.0.1 or a unix socket, or use the setting allow_remote behind a \
         firewall"
    )]
    Remote {
        /// The address.
        address: SocketAddr,
    },
    /// The runtime cannot be started.
    #[error("cannot start the threads of the milter: {0}")]
    Runtime(std::io::Error),
}
