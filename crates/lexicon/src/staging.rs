//! Files that appear whole or not at all.

use crate::LexiconError;
use std::io::Write;
use std::path::Path;
use tempfile::NamedTempFile;

/// A new file beside `path` under a temporary name, and the directory of both.
pub(crate) fn staged(path: &Path) -> Result<(NamedTempFile, &Path), LexiconError> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let mut staging = tempfile::Builder::new();
    staging.prefix(".lexicon-");
    // Permissions of any other new file, not for its owner alone.
    #[cfg(unix)]
    staging.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let file = staging.tempfile_in(folder).map_err(LexiconError::io(path))?;
    Ok((file, folder))
}

/// Writes the bytes of a lexicon; the file appears whole or not at all.
pub(crate) fn write_bytes(bytes: &[u8], path: &Path) -> Result<(), LexiconError> {
    let (mut file, _) = staged(path)?;
    let written = file.write_all(bytes).and_then(|()| file.as_file().sync_all());
    written.map_err(LexiconError::io(path))?;
    file.persist(path).map_err(|failed| LexiconError::io(path)(failed.error))?;
    Ok(())
}
