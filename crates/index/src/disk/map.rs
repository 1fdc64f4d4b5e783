//! Mapped file. The only `unsafe` of the crate.

#![allow(unsafe_code)]

use memmap2::Mmap;
use std::fs::File;
use std::io;
use std::ops::Deref;
use std::sync::Arc;

/// The bytes of a file, mapped or, from a disk in memory, owned. Aligned to 8 bytes at least if it
/// is mapped; not aligned otherwise.
#[derive(Debug)]
pub struct Mapped(Bytes);

#[derive(Debug)]
enum Bytes {
    Map(Mmap),
    Owned(Arc<[u8]>),
}

impl Mapped {
    /// Maps a file for reading.
    pub(super) fn map(file: &File) -> io::Result<Self> {
        // SAFETY: the bytes of a map must not change while it is borrowed. The index maps only
        // files that it wrote under another name and renamed when they were complete and synced,
        // and never writes to them again; removing the name of a mapped file leaves its bytes.
        // Another process that overwrites a file of the index in place violates this, as for any
        // mapped file; the bytes are read through bounds-checked slices only, so that changed bytes
        // give wrong values, and a shortened file ends the process (SIGBUS).
        unsafe { Mmap::map(file) }.map(|map| Self(Bytes::Map(map)))
    }

    /// Takes bytes in memory.
    #[must_use]
    pub fn owned(bytes: Vec<u8>) -> Self {
        Self(Bytes::Owned(bytes.into()))
    }

    /// The mapping, for advice to the kernel; `None` for bytes in memory.
    #[must_use]
    pub fn as_map(&self) -> Option<&Mmap> {
        match &self.0 {
            Bytes::Map(map) => Some(map),
            Bytes::Owned(_) => None,
        }
    }
}

impl Deref for Mapped {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match &self.0 {
            Bytes::Map(map) => map,
            Bytes::Owned(bytes) => bytes,
        }
    }
}
