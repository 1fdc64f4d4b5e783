//! Copies of objects for commands, which need a file.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lookalike_store::{Object, ObjectReader};

/// Name of the copy, without its extension. The name of the object could be too long for a file system,
/// or have characters that it does not allow.
const NAME: &str = "document";

/// A copy of an object, alone in a directory that is deleted with it, so that what a command leaves
/// beside its file goes too.
pub(crate) struct FileCopy {
    path: PathBuf,
    /// Removes the directory when it is dropped.
    _folder: tempfile::TempDir,
}

impl FileCopy {
    /// Copies an object to a file with the extension of `name`, in a new directory in `above`. Holds some
    /// blocks of the object in memory.
    ///
    /// # Errors
    /// An object that cannot be read to its end, also after retries, or has changed; a directory that
    /// cannot be written: the reason with a remedy.
    pub(crate) fn of(object: Arc<Object>, name: &Path, above: &Path) -> Result<Self, String> {
        let unwritable = |error: io::Error| {
            format!(
                "cannot be copied into {} for the command of its extension: {error}; name a directory \
                 with more free space with the setting scratch",
                above.display()
            )
        };
        let folder = tempfile::Builder::new().prefix("lookalike-object-").tempdir_in(above);
        let folder = folder.map_err(unwritable)?;
        let mut path = folder.path().join(NAME);
        path.set_extension(name.extension().unwrap_or_default());
        let mut reader = ObjectReader::new(object, 1);
        let mut file = File::create_new(&path).map_err(unwritable)?;
        match io::copy(&mut reader, &mut file) {
            Ok(_) => Ok(Self { path, _folder: folder }),
            Err(error) => Err(match reader.failure() {
                Some(failure) => failure.message(),
                None => unwritable(error),
            }),
        }
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}
