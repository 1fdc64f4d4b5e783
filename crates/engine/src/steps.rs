//! What a step of a run knows when it is done, in a file, for a run that goes on after it.
//!
//! Reading keeps chunk by chunk ([`crate::store`]); the steps behind it know flat arrays, and each is written
//! down once. What is damaged is done again.

use crate::postings::Postings;
use crate::{EngineError, Matches, Units};
use lookalike_io::scratch::{Decoder, Encoder, read_whole, write_whole};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// What a step knows.
pub(crate) trait Step: Sized {
    /// Name of its file.
    const NAME: &'static str;

    fn write(&self, out: &mut Encoder<&mut dyn Write>) -> io::Result<()>;

    /// Reads arrays of at most `most` bytes.
    fn read(from: &mut Decoder<&mut dyn Read>, most: u64) -> io::Result<Self>;
}

/// The steps of a run that may go on from those of an earlier one.
#[derive(Debug, Default)]
pub struct Steps {
    folder: Option<PathBuf>,
    taken: Mutex<Vec<&'static str>>,
    damaged: Mutex<Vec<&'static str>>,
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Steps {
    /// Steps that leave nothing behind.
    #[must_use]
    pub fn forgotten() -> Self {
        Self::default()
    }

    /// Steps that are written into a folder, and taken from there where they are; `hold` says whether
    /// what they were done on is what it was.
    ///
    /// # Errors
    /// Steps that do not hold any more and cannot be removed.
    pub fn kept(folder: &Path, hold: bool) -> Result<Self, EngineError> {
        for name in [Units::NAME, Postings::NAME, Matches::NAME] {
            let path = folder.join(name);
            if !hold && path.exists() {
                std::fs::remove_file(path).map_err(|error| EngineError::scratch(folder, &error))?;
            }
        }
        Ok(Self { folder: Some(folder.to_owned()), ..Self::default() })
    }

    /// Steps that an earlier run had done.
    #[must_use]
    pub fn taken(&self) -> Vec<&'static str> {
        lock(&self.taken).clone()
    }

    /// Steps that an earlier run had done, and that were done again because their files are damaged.
    #[must_use]
    pub fn damaged(&self) -> Vec<&'static str> {
        lock(&self.damaged).clone()
    }

    /// The step, if it was done before.
    pub(crate) fn find<S: Step>(&self) -> Option<S> {
        let path = self.folder.as_ref()?.join(S::NAME);
        match read_whole(&path, S::read) {
            Ok(step) => {
                lock(&self.taken).extend(step.as_ref().map(|_| S::NAME));
                step
            }
            Err(_) => {
                lock(&self.damaged).push(S::NAME);
                None
            }
        }
    }

    /// Keeps a step that was done just now.
    pub(crate) fn keep<S: Step>(&self, step: &S) -> Result<(), EngineError> {
        let Some(folder) = &self.folder else { return Ok(()) };
        let written = write_whole(&folder.join(S::NAME), |out| step.write(out));
        written.map_err(|error| EngineError::scratch(folder, &error))
    }

    /// The step from before, or as it is made now.
    pub(crate) fn run<S: Step>(
        &self,
        make: impl FnOnce() -> Result<S, EngineError>,
    ) -> Result<S, EngineError> {
        if let Some(step) = self.find() {
            return Ok(step);
        }
        let step = make()?;
        self.keep(&step)?;
        Ok(step)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;
    use std::fs;

    #[derive(Debug, PartialEq)]
    struct Numbers(Vec<u32>);

    impl Step for Numbers {
        const NAME: &'static str = "numbers";

        fn write(&self, out: &mut Encoder<&mut dyn Write>) -> io::Result<()> {
            out.array(&self.0)
        }

        fn read(from: &mut Decoder<&mut dyn Read>, most: u64) -> io::Result<Self> {
            Ok(Self(from.array(most)?))
        }
    }

    #[test]
    fn a_step_is_done_once_unless_its_file_is_damaged() {
        let folder = tempfile::tempdir().unwrap();
        let times = RefCell::new(0);
        let run = || {
            let steps = Steps::kept(folder.path(), true).unwrap();
            let make = || {
                *times.borrow_mut() += 1;
                Ok(Numbers(vec![3, 4]))
            };
            assert_eq!(steps.run(make).unwrap(), Numbers(vec![3, 4]));
            (*times.borrow(), steps.taken().len(), steps.damaged().len())
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
    fn steps_that_do_not_hold_are_gone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(Matches::NAME);
        fs::write(&path, "something").unwrap();
        Steps::kept(folder.path(), true).unwrap();
        assert!(path.exists());
        Steps::kept(folder.path(), false).unwrap();
        assert!(!path.exists());
    }

    #[test]
    fn nothing_is_left_where_nothing_is_wanted() {
        let steps = Steps::forgotten();
        for _ in 0..2 {
            steps.run(|| Ok(Numbers(Vec::new()))).unwrap();
        }
        assert!(steps.taken().is_empty());
    }
}
