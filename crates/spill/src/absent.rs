//! A build without files: making one is an error that says so.

use std::io;
use std::path::Path;

/// A spill file, which no function of this build returns.
#[derive(Debug)]
pub enum SpillFile {}

/// A frame of a spill file, which no function of this build returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Frame {}

impl SpillFile {
    /// Refuses to create a file.
    ///
    /// # Errors
    /// Always.
    pub fn unnamed(_: &Path) -> io::Result<Self> {
        let reason = "this build writes no spill files: build lookalike-spill with the cargo \
                      feature files, or allow more memory";
        Err(io::Error::new(io::ErrorKind::Unsupported, reason))
    }

    /// Appends a frame.
    ///
    /// # Errors
    /// Never called.
    pub fn append(&mut self, _: &[u8], _: &[u64], _: &[u64]) -> io::Result<Frame> {
        match *self {}
    }

    /// Reads words of the front of a frame.
    ///
    /// # Errors
    /// Never called.
    pub fn read_front(&self, frame: Frame, _: u64, _: &mut [u64]) -> io::Result<()> {
        match frame {}
    }
}
