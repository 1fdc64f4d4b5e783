//! How a socket of a milter is written: a port, or a file of the file system.

use std::path::PathBuf;
use std::str::FromStr;

/// Where a milter listens, as Postfix writes it: `inet:HOST:PORT` or `unix:PATH`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum MilterSocket {
    /// Host and port; port 0 for a free one.
    Inet(String),
    /// A socket of the file system.
    Unix(PathBuf),
}

/// A socket that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a socket is inet:HOST:PORT or unix:PATH, for example inet:127.0.0.1:7072")]
pub struct SocketSyntaxError;

impl FromStr for MilterSocket {
    type Err = SocketSyntaxError;

    fn from_str(text: &str) -> Result<Self, SocketSyntaxError> {
        match text.split_once(':') {
            Some(("inet", address)) if address.contains(':') => Ok(Self::Inet(address.to_owned())),
            Some(("unix", path)) if !path.is_empty() => Ok(Self::Unix(path.into())),
            _ => Err(SocketSyntaxError),
        }
    }
}

impl std::fmt::Display for MilterSocket {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Inet(address) => write!(f, "inet:{address}"),
            Self::Unix(path) => write!(f, "unix:{}", path.display()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sockets_are_read_as_postfix_writes_them() {
        for text in
            ["inet:127.0.0.1:7072", "inet:[::1]:0", "inet:localhost:7072", "unix:/run/l.sock"]
        {
            assert_eq!(text.parse::<MilterSocket>().unwrap().to_string(), text);
        }
        for text in [
            "",
            "inet:",
            "inet:7072",
            "unix:",
            "local:/run/l.sock",
            "/run/l.sock",
            "127.0.0.1:7072",
        ] {
            assert_eq!(text.parse::<MilterSocket>(), Err(SocketSyntaxError), "{text}");
        }
    }
}
