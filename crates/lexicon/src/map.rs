//! Memory-mapped file. The only `unsafe` of the crate.

#![allow(unsafe_code)]

use crate::LexiconError;
use memmap2::Mmap;
use std::fs::File;
use std::path::Path;

/// Maps a file for reading.
pub(crate) fn map(file: &File, path: &Path) -> Result<Mmap, LexiconError> {
    // SAFETY: the bytes of a map must not change while it is borrowed. A lexicon is written under
    // another name and renamed when it is whole, and nothing of ours writes to it after that; the
    // builder maps its unfinished file only while nobody else knows its name and writes nothing
    // through another handle until the map is gone. Somebody else who overwrites a lexicon in place
    // while it is open breaks this, as with any mapped file; the bytes are only ever read as
    // numbers and through bounds-checked slices, so that wrong bytes give wrong counts.
    unsafe { Mmap::map(file) }.map_err(LexiconError::io(path))
}
