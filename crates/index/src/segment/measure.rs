//! Building and merging segment files without an index, for measurements.

use super::{
    Dictionary, KEPT, MergePart, NewDocument, Segment, SegmentSettings, build, merge,
    train_dictionary, write_states,
};
use crate::disk::{Disk, RealDisk};
use crate::{DocNumber, DocumentBatch, IndexError};
use roaring::RoaringBitmap;
use std::io::{self, BufWriter, Write};
use std::path::Path;

const SETTINGS: SegmentSettings = SegmentSettings {
    digest: 0,
    keep_values: 0,
    across: false,
    methods: 0,
    texts: true,
    lean: None,
};

/// A dictionary of the first texts of a batch.
#[must_use]
pub fn dictionary(batch: &DocumentBatch) -> Vec<u8> {
    let text = |index| batch.get_plain(index, DocNumber(0), DocNumber(0)).content;
    train_dictionary((0..batch.len()).map(text))
}

/// Writes a segment of the documents of a batch, all of them kept, and maps it. Documents are
/// numbered from `first`.
///
/// # Errors
/// A file that exists, or cannot be written.
pub fn build_segment(
    path: &Path,
    batch: &DocumentBatch,
    first: u32,
    dictionary: &[u8],
) -> Result<Segment, IndexError> {
    let new = |index| {
        let number = DocNumber(first + index as u32);
        NewDocument { batch, index, number, first: number }
    };
    let documents: Vec<NewDocument<'_>> = (0..batch.len()).map(new).collect();
    let dictionary = Dictionary::new(dictionary.to_vec()).map_err(IndexError::io(path))?;
    write(path, |out| build(&SETTINGS, &documents, &dictionary, out))
}

/// Writes a segment of the documents of others, of which `dead` is left out, and maps it.
///
/// # Errors
/// A file that exists, or cannot be written; a damaged segment.
pub fn merge_segments(
    path: &Path,
    segments: &[Segment],
    dead: &RoaringBitmap,
) -> Result<Segment, IndexError> {
    let part = |segment| MergePart { segment, dead, rewrite: None };
    let parts: Vec<MergePart<'_>> = segments.iter().map(part).collect();
    write(path, |out| merge(&SETTINGS, &parts, out))
}

fn write(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<super::Built>,
) -> Result<Segment, IndexError> {
    let io = || IndexError::io(path);
    let mut file = BufWriter::with_capacity(1 << 20, RealDisk.create(path).map_err(io())?);
    let built = write(&mut file).map_err(io())?;
    write_states(&mut file, &built, &vec![KEPT; built.documents as usize]).map_err(io())?;
    file.flush().map_err(io())?;
    Segment::open(RealDisk.map(path).map_err(io())?, path, &SETTINGS)
}
