//! Single files that are written whole or not at all.

use lookalike_io::OutputError;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// The directory that holds a file.
pub(crate) fn folder_of(file: &Path) -> PathBuf {
    match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    }
}

/// Writes a file in place of another, which keeps its content until the new one is complete; a device
/// or a pipe is written to.
pub(crate) fn replace_file(
    path: &Path,
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), OutputError> {
    let write = || {
        let existing = path.metadata().ok();
        if existing.as_ref().is_some_and(|metadata| !metadata.is_file()) {
            let mut out = BufWriter::new(File::options().write(true).open(path)?);
            fill(&mut out)?;
            return out.flush();
        }
        // By default a temporary file can be read by its owner only; this one by those who may read results.
        let create = |path: &Path| File::create_new(path);
        let partial = tempfile::Builder::new().make_in(folder_of(path), create)?;
        let mut out = BufWriter::new(partial);
        fill(&mut out)?;
        let partial = out.into_inner().map_err(io::IntoInnerError::into_error)?;
        if let Some(existing) = existing {
            partial.as_file().set_permissions(existing.permissions())?;
        }
        partial.as_file().sync_all()?;
        partial.persist(path)?;
        Ok(())
    };
    write().map_err(|source| OutputError::Io {
        path: path.to_path_buf(),
        action: "write the file",
        source,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_as_a_whole_or_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        replace_file(&path, |out| out.write_all(b"one")).unwrap();
        let failed = replace_file(&path, |out| {
            out.write_all(b"two")?;
            Err(io::Error::other("why"))
        });
        assert!(failed.unwrap_err().to_string().contains("file"));
        assert_eq!(std::fs::read(&path).unwrap(), b"one");
        replace_file(&path, |out| out.write_all(b"three")).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"three");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
