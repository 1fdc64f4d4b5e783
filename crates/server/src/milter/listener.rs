//! The socket on which a milter takes connections.

use super::error::MilterError;
use super::socket::MilterSocket;
use std::io;
use std::net::SocketAddr;
#[cfg(unix)]
use std::path::PathBuf;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;

/// A connection to a mail server.
pub(super) trait Connection: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Connection for T {}

/// A socket that takes connections.
pub(super) enum Listener {
    Inet(TcpListener),
    #[cfg(unix)]
    Unix {
        listener: tokio::net::UnixListener,
        _file: SocketFile,
    },
}

impl Listener {
    /// Listens on a socket. A port that other machines reach needs `allow_remote`. The file of a socket on
    /// which no process listens any more is replaced.
    ///
    /// # Errors
    /// A socket that cannot be had, a port that other machines reach.
    pub(super) async fn bind(
        socket: &MilterSocket,
        allow_remote: bool,
    ) -> Result<Self, MilterError> {
        let failed = |error| MilterError::Listen { socket: socket.clone(), error };
        match socket {
            MilterSocket::Inet(address) => {
                let listener = TcpListener::bind(address).await.map_err(failed)?;
                let bound = listener.local_addr().map_err(failed)?;
                match allow_remote || bound.ip().is_loopback() {
                    true => Ok(Self::Inet(listener)),
                    false => Err(MilterError::Remote { address: bound }),
                }
            }
            #[cfg(unix)]
            MilterSocket::Unix(path) => {
                unused(path).await.map_err(failed)?;
                let listener = tokio::net::UnixListener::bind(path).map_err(failed)?;
                let _file = SocketFile::new(path).map_err(failed)?;
                Ok(Self::Unix { listener, _file })
            }
            #[cfg(not(unix))]
            MilterSocket::Unix(_) => Err(failed(io::ErrorKind::Unsupported.into())),
        }
    }

    /// Where it listens.
    pub(super) fn socket(&self, asked: &MilterSocket) -> MilterSocket {
        match self {
            Self::Inet(listener) => listener.local_addr().map_or_else(
                |_| asked.clone(),
                |bound: SocketAddr| MilterSocket::Inet(bound.to_string()),
            ),
            #[cfg(unix)]
            Self::Unix { .. } => asked.clone(),
        }
    }

    /// The next connection.
    pub(super) async fn accept(&self) -> io::Result<Box<dyn Connection>> {
        match self {
            Self::Inet(listener) => {
                let (stream, _) = listener.accept().await?;
                stream.set_nodelay(true)?;
                Ok(Box::new(stream))
            }
            #[cfg(unix)]
            Self::Unix { listener, .. } => Ok(Box::new(listener.accept().await?.0)),
        }
    }
}

/// Removes the file of a socket on which no process listens.
///
/// # Errors
/// One on which a process listens; another file, which is not removed.
#[cfg(unix)]
async fn unused(path: &std::path::Path) -> io::Result<()> {
    use std::os::unix::fs::FileTypeExt;
    let found = match std::fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        found => found?,
    };
    if !found.file_type().is_socket() {
        return Err(io::Error::new(io::ErrorKind::AlreadyExists, "it is no socket"));
    }
    match tokio::net::UnixStream::connect(path).await {
        Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
            std::fs::remove_file(path)
        }
        _ => Err(io::ErrorKind::AddrInUse.into()),
    }
}

/// The file of a socket, which is removed with it unless another process has replaced it.
#[cfg(unix)]
pub(super) struct SocketFile {
    path: PathBuf,
    inode: (u64, u64),
}

#[cfg(unix)]
impl SocketFile {
    fn new(path: &std::path::Path) -> io::Result<Self> {
        Ok(Self { path: path.to_owned(), inode: inode(path)? })
    }
}

#[cfg(unix)]
impl Drop for SocketFile {
    fn drop(&mut self) {
        if inode(&self.path).is_ok_and(|now| now == self.inode) {
            // One that stays is replaced by the next process.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

#[cfg(unix)]
fn inode(path: &std::path::Path) -> io::Result<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    std::fs::symlink_metadata(path).map(|found| (found.dev(), found.ino()))
}
