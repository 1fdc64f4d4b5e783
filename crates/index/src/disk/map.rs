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

/// In what order the bytes of a file will be read.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ReadOrder {
    /// Here and there, as questions do: only what is touched is to be read.
    Random,
    /// From the beginning to the end, as a merge does.
    Sequential,
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

    /// Tells the system in what order the bytes will be read. It need not listen, and nothing
    /// depends on it but speed and memory.
    pub(crate) fn expect(&self, order: ReadOrder) {
        #[cfg(unix)]
        if let Bytes::Map(map) = &self.0 {
            let advice = match order {
                ReadOrder::Random => memmap2::Advice::Random,
                ReadOrder::Sequential => memmap2::Advice::Sequential,
            };
            let _ = map.advise(advice);
        }
        #[cfg(not(unix))]
        let _ = order;
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
