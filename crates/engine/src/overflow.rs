//! Feature sets that memory has no room for in; each of them, when it is asked for, out.
//!
//! They go to one temporary file without a name, in the order of the collection: whatever ends the
//! process, nothing is left behind. Who passes over all sets reads it from front to back, and who compares
//! two reads those two. Each set is checked against its digest when it comes back.

use crate::EngineError;
use crate::collection::SetBlock;
use lookalike_core::SetDigest;
use lookalike_core::features::digest;
use std::fs::File;
use std::io::{self, Write};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::OnceLock;

/// Where feature sets go once those in memory take more than they may.
#[derive(Debug)]
pub struct Overflow {
    /// Bytes of sets that may be held in memory.
    limit: u64,
    held: u64,
    folder: PathBuf,
    file: Option<File>,
    /// Elements in the file.
    end: u64,
    bytes: Vec<u8>,
    /// What went wrong first while sets were read: those who compare cannot stop for it.
    failed: OnceLock<String>,
}

impl Default for Overflow {
    /// All sets are held in memory.
    fn default() -> Self {
        Self::new(u64::MAX, PathBuf::new())
    }
}

/// Bytes of an element.
const ELEMENT: u64 = 8;

impl Overflow {
    /// Holds sets of up to `limit` bytes in memory; the file for the rest is made in `folder` when there
    /// is one.
    #[must_use]
    pub fn new(limit: u64, folder: PathBuf) -> Self {
        Self {
            limit,
            held: 0,
            folder,
            file: None,
            end: 0,
            bytes: Vec::new(),
            failed: OnceLock::new(),
        }
    }

    /// Bytes in the file.
    #[must_use]
    pub fn stored(&self) -> u64 {
        self.end * ELEMENT
    }

    /// Puts the sets of a block into the file if memory has no room for them.
    pub(crate) fn take(&mut self, block: &mut SetBlock) -> Result<(), EngineError> {
        let bytes = block.values.len() as u64 * ELEMENT;
        if self.held + bytes <= self.limit {
            self.held += bytes;
            return Ok(());
        }
        let Self { file, folder, bytes, .. } = self;
        let failed = |error: io::Error| EngineError::Scratch {
            folder: folder.display().to_string(),
            reason: error.to_string(),
        };
        let file = match file {
            Some(file) => file,
            None => file.insert(tempfile::tempfile_in(&*folder).map_err(failed)?),
        };
        bytes.clear();
        bytes.extend(block.values.iter().flat_map(|value| value.to_le_bytes()));
        file.write_all(bytes).map_err(failed)?;
        block.stored = Some(self.end);
        self.end += block.values.len() as u64;
        block.values = Vec::new();
        Ok(())
    }

    /// Reads a set of the file in place of what is in `set`. One that cannot be read is empty, and
    /// [`Overflow::check`] says why.
    pub(crate) fn read(&self, elements: Range<u64>, wanted: SetDigest, set: &mut Vec<u64>) {
        set.clear();
        let read = self.elements(elements, set).and_then(|()| match digest(set) {
            Some(found) if found == wanted => Ok(()),
            _ => Err(io::Error::other("a feature set came back other than it was written")),
        });
        if let Err(error) = read {
            set.clear();
            self.failed.get_or_init(|| error.to_string());
        }
    }

    fn elements(&self, elements: Range<u64>, out: &mut Vec<u64>) -> io::Result<()> {
        let file = self.file.as_ref().ok_or(io::ErrorKind::NotFound)?;
        let mut bytes = [0; 4096];
        let (mut at, end) = (elements.start * ELEMENT, elements.end * ELEMENT);
        while at < end {
            let part = &mut bytes[..(end - at).min(4096) as usize];
            read_at(file, part, at)?;
            let values = part.chunks_exact(ELEMENT as usize);
            out.extend(values.map(|b| u64::from_le_bytes(b.try_into().unwrap_or_default())));
            at += part.len() as u64;
        }
        Ok(())
    }

    /// Whether all that was read could be.
    pub(crate) fn check(&self) -> Result<(), EngineError> {
        match self.failed.get() {
            None => Ok(()),
            Some(reason) => Err(EngineError::Scratch {
                folder: self.folder.display().to_string(),
                reason: reason.clone(),
            }),
        }
    }
}

#[cfg(unix)]
fn read_at(file: &File, bytes: &mut [u8], at: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, at)
}

#[cfg(windows)]
fn read_at(file: &File, mut bytes: &mut [u8], mut at: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        match std::os::windows::fs::FileExt::seek_read(file, bytes, at)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            read => {
                bytes = &mut bytes[read..];
                at += read as u64;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(sets: &[&[u64]]) -> SetBlock {
        let mut block = SetBlock::default();
        for set in sets {
            block.values.extend_from_slice(set);
            block.ends.push(block.values.len());
            block.digests.push(digest(set).unwrap());
        }
        block
    }

    #[test]
    fn sets_come_back_as_they_were() {
        let long: Vec<u64> = (1..2000).map(lookalike_core::fingerprint::finalise).collect();
        let mut blocks = [block(&[&[1, 2]]), block(&[&[3, 4, 5], &long]), block(&[&[6]])];
        let mut overflow = Overflow::new(20, std::env::temp_dir());
        blocks.iter_mut().for_each(|block| overflow.take(block).unwrap());
        assert_eq!(blocks.each_ref().map(|b| b.stored), [None, Some(0), Some(2002)]);
        assert_eq!((overflow.stored(), blocks[0].values.len()), (2003 * 8, 2));
        let mut set = vec![77];
        overflow.read(3..2002, blocks[1].digests[1], &mut set);
        assert_eq!(set, long);
        overflow.read(2002..2003, blocks[2].digests[0], &mut set);
        assert_eq!(set, [6]);
        overflow.check().unwrap();
    }

    #[test]
    fn damage_and_loss_are_noticed() {
        for damage in [
            |file: &File| file.set_len(8),
            |file: &File| {
                let mut file = file;
                io::Seek::seek(&mut file, io::SeekFrom::Start(9))?;
                file.write_all(b"!")
            },
        ] {
            let mut overflow = Overflow::new(0, std::env::temp_dir());
            let mut block = block(&[&[1, 2]]);
            overflow.take(&mut block).unwrap();
            damage(overflow.file.as_ref().unwrap()).unwrap();
            let mut set = Vec::new();
            overflow.read(0..2, block.digests[0], &mut set);
            assert!(set.is_empty());
            assert!(overflow.check().is_err());
        }
    }

    #[test]
    fn a_folder_that_is_not_there_is_named() {
        let mut overflow = Overflow::new(0, PathBuf::from("no/such/folder"));
        let error = overflow.take(&mut block(&[&[1]])).unwrap_err().to_string();
        assert!(error.contains("no/such/folder"), "{error}");
    }
}
