//! A file of redb that is not changed: what is written stays in memory.

use redb::{BackendError, StorageBackend};
use std::collections::BTreeMap;
use std::io;
use std::ops::Bound;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Bytes of a block.
const BLOCK: u64 = 4096;

/// A file as it is, with blocks that were written over it in memory. redb can open and repair it
/// without the permission to write, and without a change of a file that is to be judged. It takes
/// no locks: the caller finds out whether the file was changed meanwhile.
#[derive(Debug)]
pub(super) struct Overlay {
    file: Box<dyn StorageBackend>,
    written: Mutex<Written>,
}

#[derive(Debug)]
struct Written {
    len: u64,
    /// Where the bytes of the file end: what it was cut to reads as zeros when it grows again.
    of_file: u64,
    blocks: BTreeMap<u64, Box<[u8]>>,
}

impl Overlay {
    pub(super) fn new(file: Box<dyn StorageBackend>) -> io::Result<Self> {
        let len = file.len()?;
        let written = Mutex::new(Written { len, of_file: len, blocks: BTreeMap::new() });
        Ok(Self { file, written })
    }

    fn written(&self) -> MutexGuard<'_, Written> {
        self.written.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The bytes of a block of the file; zeros behind its end.
    fn block(&self, number: u64, of_file: u64) -> io::Result<Box<[u8]>> {
        let mut block = vec![0; BLOCK as usize].into_boxed_slice();
        let start = number * BLOCK;
        let there = of_file.saturating_sub(start).min(BLOCK) as usize;
        if there > 0 {
            self.file.read(start, &mut block[..there])?;
        }
        Ok(block)
    }
}

/// The blocks of a range, with the part of each that is in it.
fn blocks(offset: u64, len: usize) -> impl Iterator<Item = (u64, std::ops::Range<usize>)> {
    let end = offset + len as u64;
    (offset / BLOCK..end.div_ceil(BLOCK)).map(move |number| {
        let start = number * BLOCK;
        let from = offset.max(start) - start;
        let to = end.min(start + BLOCK) - start;
        (number, from as usize..to as usize)
    })
}

impl StorageBackend for Overlay {
    fn len(&self) -> io::Result<u64> {
        Ok(self.written().len)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let written = self.written();
        if offset.checked_add(out.len() as u64).is_none_or(|end| end > written.len) {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let mut rest = out;
        let length = rest.len();
        for (number, part) in blocks(offset, length) {
            let (here, behind) = rest.split_at_mut(part.len());
            match written.blocks.get(&number) {
                Some(block) => here.copy_from_slice(&block[part]),
                None => here.copy_from_slice(&self.block(number, written.of_file)?[part]),
            }
            rest = behind;
        }
        Ok(())
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        let mut written = self.written();
        if len < written.len {
            written.of_file = written.of_file.min(len);
            written.blocks.retain(|&number, _| number * BLOCK < len);
            if let Some(block) = written.blocks.get_mut(&(len / BLOCK)) {
                block[(len % BLOCK) as usize..].fill(0);
            }
        }
        written.len = len;
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        let mut written = self.written();
        let mut rest = data;
        for (number, part) in blocks(offset, data.len()) {
            let (here, behind) = rest.split_at(part.len());
            if !written.blocks.contains_key(&number) {
                let block = self.block(number, written.of_file)?;
                written.blocks.insert(number, block);
            }
            if let Some(block) = written.blocks.get_mut(&number) {
                block[part].copy_from_slice(here);
            }
            rest = behind;
        }
        written.len = written.len.max(offset + data.len() as u64);
        Ok(())
    }

    fn close(&self) -> io::Result<()> {
        self.file.close()
    }

    fn try_lock_range(&self, _: Bound<u64>, _: Bound<u64>) -> Result<bool, BackendError> {
        Ok(true)
    }

    fn try_lock_shared_range(&self, _: Bound<u64>, _: Bound<u64>) -> Result<bool, BackendError> {
        Ok(true)
    }

    fn lock_range(&self, _: Bound<u64>, _: Bound<u64>) -> Result<(), BackendError> {
        Ok(())
    }

    fn lock_shared_range(&self, _: Bound<u64>, _: Bound<u64>) -> Result<(), BackendError> {
        Ok(())
    }

    fn unlock_range(&self, _: Bound<u64>, _: Bound<u64>) -> Result<(), BackendError> {
        Ok(())
    }

    fn query_lock_range(&self, _: Bound<u64>, _: Bound<u64>) -> Result<bool, BackendError> {
        Ok(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::{Access, Disk, RealDisk};

    #[test]
    fn writes_are_read_again_and_do_not_reach_the_file() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a");
        let bytes: Vec<u8> = (0..10_000u32).map(|at| at as u8).collect();
        std::fs::write(&path, &bytes).unwrap();
        let overlay = Overlay::new(RealDisk.database(&path, Access::Read).unwrap()).unwrap();
        overlay.write(4000, &[1; 5000]).unwrap();
        overlay.set_len(6000).unwrap();
        overlay.set_len(12_000).unwrap();
        let mut expected = bytes.clone();
        expected[4000..9000].fill(1);
        expected.truncate(6000);
        expected.resize(12_000, 0);
        let mut found = vec![9; 12_000];
        overlay.read(0, &mut found).unwrap();
        assert!(found == expected);
        let mut some = [9; 300];
        overlay.read(3900, &mut some).unwrap();
        assert!(some == expected[3900..4200]);
        overlay.read(11_990, &mut [0; 11]).unwrap_err();
        assert!(std::fs::read(&path).unwrap() == bytes);
    }
}
