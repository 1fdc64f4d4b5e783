//! Checkpoint files of the steps after reading.
//!
//! Reading keeps its own checkpoints, chunk by chunk ([`crate::store`]). Each later step writes its
//! result once, as flat arrays with a checksum. A damaged checkpoint is computed again.

use crate::{EngineError, Units};
use lookalike_join::{InvertedIndex, JoinResult};
use lookalike_spill::{Checkpoint, Decoder, Encoder, read_checked_file, write_checked_file};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The checkpoint files of one run, in its scratch directory; none for a run without one.
#[derive(Debug, Default)]
pub struct Checkpoints {
    folder: Option<PathBuf>,
    reused: Mutex<Vec<&'static str>>,
    damaged: Mutex<Vec<&'static str>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Checkpoints {
    /// Neither reads nor writes checkpoints.
    #[must_use]
    pub fn none() -> Self {
        Self::default()
    }

    /// Reads and writes checkpoints in a folder. Without `valid`, the existing ones were computed
    /// from other data and are removed first.
    ///
    /// # Errors
    /// Invalid checkpoints that cannot be removed.
    pub fn in_folder(folder: &Path, valid: bool) -> Result<Self, EngineError> {
        for name in [Units::NAME, InvertedIndex::NAME, JoinResult::NAME] {
            let path = folder.join(name);
            if !valid && path.exists() {
                std::fs::remove_file(path).map_err(|error| EngineError::scratch(folder, &error))?;
            }
        }
        Ok(Self { folder: Some(folder.to_owned()), ..Self::default() })
    }

    /// Names of the checkpoints that were read instead of computing a step.
    #[must_use]
    pub fn reused(&self) -> Vec<&'static str> {
        lock(&self.reused).clone()
    }

    /// Names of the checkpoints that were damaged and computed again.
    #[must_use]
    pub fn damaged(&self) -> Vec<&'static str> {
        lock(&self.damaged).clone()
    }

    /// Reads the result of a step, if an earlier run wrote it.
    pub(crate) fn read<C: Checkpoint>(&self) -> Option<C> {
        self.read_step(C::NAME, C::read)
    }

    /// Writes the result of a step.
    pub(crate) fn write<C: Checkpoint>(&self, result: &C) -> Result<(), EngineError> {
        self.write_step(C::NAME, |out| result.write(out))
    }

    /// Reads the file of a step as [`Checkpoint::read`] does, if an earlier run wrote it.
    pub fn read_step<T>(
        &self,
        name: &'static str,
        read: impl FnOnce(&mut Decoder<&mut dyn Read>, u64) -> io::Result<T>,
    ) -> Option<T> {
        match read_checked_file(&self.folder.as_ref()?.join(name), read) {
            Ok(found) => {
                lock(&self.reused).extend(found.as_ref().map(|_| name));
                found
            }
            Err(_) => {
                lock(&self.damaged).push(name);
                None
            }
        }
    }

    /// Writes the file of a step as [`Checkpoint::write`] does.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn write_step(
        &self,
        name: &'static str,
        write: impl FnOnce(&mut Encoder<&mut dyn Write>) -> io::Result<()>,
    ) -> Result<(), EngineError> {
        let Some(folder) = &self.folder else { return Ok(()) };
        let written = write_checked_file(&folder.join(name), write);
        written.map_err(|error| EngineError::scratch(folder, &error))
    }

    /// Reads the result of a step, or computes and writes it.
    pub(crate) fn read_or_compute<C: Checkpoint>(
        &self,
        compute: impl FnOnce() -> Result<C, EngineError>,
    ) -> Result<C, EngineError> {
        if let Some(found) = self.read() {
            return Ok(found);
        }
        let result = compute()?;
        self.write(&result)?;
        Ok(result)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;
    use std::fs;

    #[derive(Debug, PartialEq)]
    struct Numbers(Vec<u32>);

    impl Checkpoint for Numbers {
        const NAME: &'static str = "numbers";

        fn write(&self, out: &mut Encoder<&mut dyn Write>) -> io::Result<()> {
            out.array(&self.0)
        }

        fn read(from: &mut Decoder<&mut dyn Read>, most: u64) -> io::Result<Self> {
            Ok(Self(from.array(most)?))
        }
    }

    #[test]
    fn a_step_is_computed_once_unless_its_file_is_damaged() {
        let folder = tempfile::tempdir().unwrap();
        let times = RefCell::new(0);
        let run = || {
            let checkpoints = Checkpoints::in_folder(folder.path(), true).unwrap();
            let make = || {
                *times.borrow_mut() += 1;
                Ok(Numbers(vec![3, 4]))
            };
            assert_eq!(checkpoints.read_or_compute(make).unwrap(), Numbers(vec![3, 4]));
            (*times.borrow(), checkpoints.reused().len(), checkpoints.damaged().len())
        };
        assert_eq!(run(), (1, 0, 0));
        assert_eq!(run(), (1, 1, 0));
        let path = folder.path().join("numbers");
        let mut bytes = fs::read(&path).unwrap();
        bytes[9] ^= 1;
        fs::write(&path, bytes).unwrap();
        assert_eq!(run(), (2, 0, 1));
        assert_eq!(run(), (2, 1, 0));
    }

    #[test]
    fn invalid_checkpoints_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(JoinResult::NAME);
        fs::write(&path, "something").unwrap();
        Checkpoints::in_folder(folder.path(), true).unwrap();
        assert!(path.exists());
        Checkpoints::in_folder(folder.path(), false).unwrap();
        assert!(!path.exists());
    }

    #[test]
    fn without_a_folder_nothing_is_written() {
        let checkpoints = Checkpoints::none();
        for _ in 0..2 {
            checkpoints.read_or_compute(|| Ok(Numbers(Vec::new()))).unwrap();
        }
        assert!(checkpoints.reused().is_empty());
    }
}
