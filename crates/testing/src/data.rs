//! Real collections for tests: folders below the directory that `LOOKALIKE_DATA` names.
//!
//! The collections are not part of the repository, because their licences differ. Without
//! `LOOKALIKE_DATA` a test that needs one is skipped, and the skip is counted on stderr. With it,
//! the data must be there: a folder that is missing fails the test.

use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// The variable that names the directory with the collections.
pub const VARIABLE: &str = "LOOKALIKE_DATA";

/// Tests of this process that were skipped.
static SKIPPED: AtomicU32 = AtomicU32::new(0);

/// A folder of the collections (`""`: the directory itself), or `None` if the test is to be
/// skipped.
///
/// # Panics
/// If `LOOKALIKE_DATA` is set and the folder does not exist: the test was told to run.
#[must_use]
pub fn folder(name: &str) -> Option<PathBuf> {
    match locate(std::env::var_os(VARIABLE).as_deref(), name) {
        Ok(Some(folder)) => Some(folder),
        Ok(None) => {
            let skipped = SKIPPED.fetch_add(1, Ordering::Relaxed) + 1;
            let test = std::thread::current().name().unwrap_or("a test").to_owned();
            let program = program();
            // Not `eprintln!`, which the test harness captures. A closed stderr is no fault of the
            // test.
            let _ = writeln!(
                std::io::stderr().lock(),
                "skipped {test} ({program}: {skipped} skipped): {VARIABLE} is not set"
            );
            None
        }
        Err(reason) => panic!("{reason}"),
    }
}

/// The name of the running test program.
fn program() -> String {
    let path = std::env::current_exe().ok();
    let stem = path.as_deref().and_then(Path::file_stem).map(|stem| stem.to_string_lossy());
    // Cargo adds a hyphen and a hash.
    stem.map_or_else(String::new, |stem| stem.split('-').next().unwrap_or_default().to_owned())
}

/// The folder below `root`; `Ok(None)` without a root.
fn locate(root: Option<&OsStr>, name: &str) -> Result<Option<PathBuf>, String> {
    let Some(root) = root else { return Ok(None) };
    let folder = Path::new(root).join(name);
    if folder.is_dir() {
        return Ok(Some(folder));
    }
    Err(format!(
        "{VARIABLE} is set to {root:?}, but {} is not a directory; name the directory that holds the \
         collections, or unset {VARIABLE} to skip the tests on real data",
        folder.display()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_that_is_asked_for_must_be_there() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("news")).unwrap();
        let root = Some(folder.path().as_os_str());
        assert_eq!(locate(None, "news"), Ok(None));
        assert_eq!(locate(root, "news"), Ok(Some(folder.path().join("news"))));
        assert_eq!(locate(root, ""), Ok(Some(folder.path().join(""))));
        let missing = locate(root, "mail").unwrap_err();
        assert!(missing.contains("mail is not a directory; "), "{missing}");
        assert!(locate(Some(OsStr::new("no/such/directory")), "").is_err());
        assert!(locate(Some(OsStr::new("")), "news").is_err());
    }
}
