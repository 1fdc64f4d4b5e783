//! Memory-mapped file. The only `unsafe` of the crate.

#![allow(unsafe_code)]

use crate::LexiconError;
use memmap2::Mmap;
use std::fs::File;
use std::path::Path;

/// Maps a file for reading.
pub(crate) fn map(file: &File, path: &Path) -> Result<Mmap, LexiconError> {
    // SAFETY: the bytes of a map must not change while it is borrowed. A lexicon is written under
    // another name and renamed when it is complete, and this program does not write to it after
    // that; the builder maps its unfinished file only under a temporary name, and writes nothing
    // through another handle while it is mapped. Another process that overwrites an open lexicon in
    // place violates this, as for any mapped file; the bytes are read as numbers and through
    // bounds-checked slices only, so that changed bytes give wrong counts.
    unsafe { Mmap::map(file) }.map_err(LexiconError::io(path))
}
