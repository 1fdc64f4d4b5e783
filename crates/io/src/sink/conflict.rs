//! Single files that would be written in place of an input.

use std::path::{Path, PathBuf};

use super::OutputError;
use crate::input::real_path;

/// Checks that a file that is to be written is none of the inputs, and is in none of those that are
/// directories (an index): writing it would replace what the job reads. `setting` names the file.
///
/// # Errors
/// [`OutputError::Overwrites`] with the first such input.
pub fn check_file<'a>(
    output: &Path,
    setting: &'static str,
    inputs: impl IntoIterator<Item = &'a Path>,
) -> Result<(), OutputError> {
    let place = Place::of(output);
    match inputs.into_iter().find(|input| place.is_in(&Place::of(input))) {
        None => Ok(()),
        Some(input) => Err(OutputError::Overwrites {
            path: output.to_path_buf(),
            input: input.to_path_buf(),
            setting,
        }),
    }
}

/// Whether two paths name the same file, which may not exist yet.
pub fn is_same_file(a: &Path, b: &Path) -> bool {
    a == b || Place::of(a).is_same(&Place::of(b))
}

/// The identity of a file.
struct Place {
    /// `None` if its directory does not exist, or of an object in a store.
    real: Option<PathBuf>,
    /// Device and inode of a file that exists: a file may have several names.
    inode: Option<(u64, u64)>,
}

impl Place {
    fn of(path: &Path) -> Self {
        Self { real: real_path(path), inode: inode(path) }
    }

    fn is_same(&self, other: &Self) -> bool {
        (self.real.is_some() && self.real == other.real)
            || (self.inode.is_some() && self.inode == other.inode)
    }

    /// Whether it is the other one, or below it.
    fn is_in(&self, other: &Self) -> bool {
        let below =
            |real: &PathBuf| other.real.as_ref().is_some_and(|above| real.starts_with(above));
        self.is_same(other) || self.real.as_ref().is_some_and(below)
    }
}

#[cfg(unix)]
fn inode(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    let metadata = std::fs::metadata(path).ok()?;
    Some((metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
fn inode(_: &Path) -> Option<(u64, u64)> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_input_is_recognised_by_any_of_its_names() {
        let folder = tempfile::tempdir().unwrap();
        let input = folder.path().join("in.jsonl");
        let other = folder.path().join("other.jsonl");
        let index = folder.path().join("index");
        std::fs::create_dir(&index).unwrap();
        std::fs::write(&input, "{}").unwrap();
        std::fs::write(&other, "{}").unwrap();
        let mut same = vec![
            input.clone(),
            folder.path().join("./in.jsonl"),
            index.join("../in.jsonl"),
            index.clone(),
            index.join("new.tsv"),
        ];
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(&input, folder.path().join("link")).unwrap();
            std::fs::hard_link(&input, folder.path().join("second name")).unwrap();
            same.extend(["link", "second name"].map(|name| folder.path().join(name)));
        }
        let inputs = || [Path::new("s3://bucket/in.jsonl"), &input, &index];
        for output in same {
            let error = check_file(&output, "ledger", inputs()).unwrap_err();
            assert!(matches!(error, OutputError::Overwrites { .. }), "{}", output.display());
        }
        for output in [&other, &folder.path().join("new.tsv"), Path::new("in.jsonl")] {
            check_file(output, "ledger", inputs()).unwrap();
        }
    }

    #[test]
    fn files_that_do_not_exist_yet_are_compared_too() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name| folder.path().join(name);
        assert!(is_same_file(&path("x"), &path("./x")));
        assert!(is_same_file(Path::new("x"), Path::new("./x")));
        assert!(!is_same_file(&path("x"), &path("y")));
        assert!(!is_same_file(&path("none/x"), &path("none/y")));
    }
}
