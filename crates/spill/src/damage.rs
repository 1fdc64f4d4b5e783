//! The error for damaged data.

use std::io;

/// The error for data that differs from what was written.
pub(crate) fn damaged() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "damaged: the data differs from what was written")
}
