//! Files that are read again when they change: tokens and certificates.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How often files are looked at.
pub(crate) const EVERY: Duration = Duration::from_secs(1);

/// Bytes of a file at most.
const MOST: u64 = 1 << 20;

/// What is made of the bytes of files.
pub(crate) type Parse<T, E> = Box<dyn Fn(&[Vec<u8>]) -> Result<T, E> + Send + Sync>;

/// A file that cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("{}: {error}", path.display())]
pub struct UnreadableFile {
    /// The file.
    pub path: PathBuf,
    /// Why.
    pub error: std::io::Error,
}

/// A value made of small files. It stays what it was while the files do not make a new one, so that
/// a file that is just being written does no harm.
pub(crate) struct Watched<T, E> {
    paths: Vec<PathBuf>,
    parse: Parse<T, E>,
    value: Mutex<Arc<T>>,
    /// The bytes that were looked at last.
    seen: Mutex<Vec<Vec<u8>>>,
}

impl<T, E: From<UnreadableFile>> Watched<T, E> {
    /// Reads the files.
    ///
    /// # Errors
    /// A file that cannot be read, or what `parse` says.
    pub(crate) fn read(paths: Vec<PathBuf>, parse: Parse<T, E>) -> Result<Self, E> {
        let bytes = read_all(&paths)?;
        let value = Mutex::new(Arc::new(parse(&bytes)?));
        Ok(Self { paths, parse, value, seen: Mutex::new(bytes) })
    }

    /// The value.
    pub(crate) fn get(&self) -> Arc<T> {
        Arc::clone(&self.value.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The files.
    pub(crate) fn paths(&self) -> &[PathBuf] {
        &self.paths
    }

    /// Reads the files again. `None` if they are as they were when they were looked at last;
    /// an error is told once, and the value stays what it was.
    pub(crate) fn refresh(&self) -> Option<Result<(), E>> {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes = match read_all(&self.paths) {
            Ok(bytes) => bytes,
            Err(_) if seen.is_empty() => return None,
            Err(error) => {
                seen.clear();
                return Some(Err(error.into()));
            }
        };
        if *seen == bytes {
            return None;
        }
        let made = (self.parse)(&bytes);
        *seen = bytes;
        Some(made.map(|value| {
            *self.value.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(value);
        }))
    }
}

fn read_all(paths: &[PathBuf]) -> Result<Vec<Vec<u8>>, UnreadableFile> {
    let read = |path: &PathBuf| {
        read_small(path).map_err(|error| UnreadableFile { path: path.clone(), error })
    };
    paths.iter().map(read).collect()
}

/// Reads a regular file: to open another one may take for ever.
fn read_small(path: &Path) -> io::Result<Vec<u8>> {
    let refused = |what| Err(io::Error::new(io::ErrorKind::InvalidInput, what));
    if !std::fs::metadata(path)?.is_file() {
        return refused("it is not a regular file".to_owned());
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(MOST + 1).read_to_end(&mut bytes)?;
    match bytes.len() as u64 > MOST {
        true => refused(format!("it has more than {MOST} bytes")),
        false => Ok(bytes),
    }
}

/// The names of files for a message.
pub(crate) fn names(paths: &[impl AsRef<Path>]) -> String {
    let names: Vec<String> = paths.iter().map(|path| path.as_ref().display().to_string()).collect();
    names.join(" and ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug)]
    struct Wrong;

    impl From<UnreadableFile> for Wrong {
        fn from(_: UnreadableFile) -> Self {
            Self
        }
    }

    #[test]
    fn a_value_changes_with_its_files_and_stays_while_they_are_wrong() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("number");
        let write = |text: &str| std::fs::write(&path, text).unwrap();
        write("1");
        let parse = |bytes: &[Vec<u8>]| {
            String::from_utf8_lossy(&bytes[0]).parse::<u32>().map_err(|_| Wrong)
        };
        let watched = Watched::read(vec![path.clone()], Box::new(parse)).unwrap();
        assert!(watched.refresh().is_none());
        write("2");
        assert!(watched.refresh().unwrap().is_ok() && *watched.get() == 2);
        write("two");
        assert!(watched.refresh().unwrap().is_err() && *watched.get() == 2);
        assert!(watched.refresh().is_none(), "an error is told once");
        std::fs::remove_file(&path).unwrap();
        assert!(watched.refresh().unwrap().is_err() && *watched.get() == 2);
        assert!(watched.refresh().is_none(), "an error is told once");
        std::fs::create_dir(&path).unwrap();
        assert!(watched.refresh().is_none(), "an error is told once");
        std::fs::remove_dir(&path).unwrap();
        write(&"1".repeat(MOST as usize + 1));
        assert!(watched.refresh().is_none(), "it is still one that cannot be read");
        write("3");
        assert!(watched.refresh().unwrap().is_ok() && *watched.get() == 3);
    }
}
