//! Files that a pattern matches, in a directory tree.
//!
//! The crate `glob` matches names; the search is ours, because that of the crate ignores names that are not
//! UTF-8, or panics at them.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use super::InputError;

/// Wildcards match no `/`, and a hidden name only if the pattern has its dot.
pub(super) const OPTIONS: glob::MatchOptions = glob::MatchOptions {
    case_sensitive: true,
    require_literal_separator: true,
    require_literal_leading_dot: true,
};

/// A part of a pattern.
enum Part<'a> {
    /// A name, the root or `..`.
    Literal(&'a Path),
    Name(glob::Pattern),
    /// `**`: any number of directories, without links to them. At the end of a pattern, at least one.
    Directories,
}

/// The paths that a pattern matches, sorted; a relative one is looked up in `base`, or if that is empty in the
/// current directory. In names that are not UTF-8, a wildcard matches the bytes that are none.
///
/// # Errors
/// A wrong pattern, and a directory that cannot be listed.
pub(super) fn matches(base: &Path, pattern: &str) -> Result<BTreeSet<PathBuf>, InputError> {
    let wrong = |source| InputError::Pattern { pattern: pattern.to_string(), source };
    // As a whole, so that the message counts characters from its start.
    glob::Pattern::new(pattern).map_err(wrong)?;
    let mut parts = Vec::new();
    for component in Path::new(pattern).components() {
        let name = component.as_os_str().to_str().unwrap_or_default();
        parts.push(match component {
            Component::Normal(_) if name == "**" => match parts.last() {
                Some(Part::Directories) => continue,
                _ => Part::Directories,
            },
            Component::Normal(_) if name.contains(['*', '?', '[']) => {
                Part::Name(glob::Pattern::new(name).map_err(wrong)?)
            }
            _ => Part::Literal(Path::new(component.as_os_str())),
        });
    }
    let mut found = BTreeSet::new();
    search(base, &parts, &mut found)?;
    if pattern.ends_with(std::path::is_separator) {
        found.retain(|path| path.is_dir());
    }
    Ok(found)
}

/// Adds the paths below a path that match the parts.
fn search(
    path: &Path,
    parts: &[Part<'_>],
    found: &mut BTreeSet<PathBuf>,
) -> Result<(), InputError> {
    let Some((part, rest)) = parts.split_first() else {
        found.insert(path.to_path_buf());
        return Ok(());
    };
    match part {
        Part::Literal(name) => {
            let path = path.join(name);
            if path.symlink_metadata().is_ok() {
                search(&path, rest, found)?;
            }
        }
        Part::Name(pattern) => {
            for (name, path) in entries(path)? {
                if pattern.matches_with(&name, OPTIONS) {
                    search(&path, rest, found)?;
                }
            }
        }
        Part::Directories => {
            if !rest.is_empty() {
                search(path, rest, found)?;
            }
            for (name, path) in entries(path)? {
                // Links to directories are not followed: one may lead back above itself.
                let is_directory = path.symlink_metadata().is_ok_and(|found| found.is_dir());
                if is_directory && !name.starts_with('.') {
                    if rest.is_empty() {
                        found.insert(path.clone());
                    }
                    search(&path, parts, found)?;
                }
            }
        }
    }
    Ok(())
}

/// The entries of a directory, with their names as far as they are UTF-8; none of anything else.
fn entries(directory: &Path) -> Result<Vec<(String, PathBuf)>, InputError> {
    let listed = if directory.as_os_str().is_empty() { Path::new(".") } else { directory };
    if !listed.is_dir() {
        return Ok(Vec::new());
    }
    let fail = |e| InputError::io("list the directory", listed, e);
    let entry = |entry: std::io::Result<std::fs::DirEntry>| -> Result<_, InputError> {
        let name = entry.map_err(fail)?.file_name();
        Ok((name.to_string_lossy().into_owned(), directory.join(name)))
    };
    std::fs::read_dir(listed).map_err(fail)?.map(entry).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The matches below a directory.
    fn found(base: &Path, pattern: &str) -> Vec<String> {
        let shown =
            |path: &PathBuf| path.strip_prefix(base).unwrap().to_string_lossy().into_owned();
        matches(base, pattern).unwrap().iter().map(shown).collect()
    }

    fn tree(names: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for name in names {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        folder
    }

    #[test]
    fn patterns_match_names_that_are_not_hidden() {
        let folder =
            tree(&["a.txt", "b/a.txt", "b/c/a.txt", "b/c/d.md", ".h/a.txt", "b/.a.txt", "x[1]"]);
        for (pattern, expected) in [
            ("*.txt", &["a.txt"][..]),
            ("*", &["a.txt", "b", "x[1]"]),
            ("*/", &["b"]),
            ("**/a.txt", &["a.txt", "b/a.txt", "b/c/a.txt"]),
            ("**/**/*.md", &["b/c/d.md"]),
            ("b/**", &["b/c"]),
            ("b/*/[a-c].t?t", &["b/c/a.txt"]),
            ("?/../a.*", &["b/../a.txt"]),
            ("x[[]1]", &["x[1]"]),
            (".h*/*", &[".h/a.txt"]),
            ("a.txt/*", &[]),
            ("none/*", &[]),
        ] {
            assert_eq!(found(folder.path(), pattern), expected, "{pattern}");
        }
        let absolute = format!("{}/?.txt", folder.path().display());
        assert_eq!(found(folder.path(), &absolute), ["a.txt"]);
        assert!(matches(folder.path(), "a***").is_err());
    }

    #[cfg(unix)]
    #[test]
    fn links_to_directories_are_followed_by_name_only() {
        let folder = tree(&["b/a.txt"]);
        std::os::unix::fs::symlink(folder.path(), folder.path().join("b/up")).unwrap();
        assert_eq!(found(folder.path(), "**/a.txt"), ["b/a.txt"]);
        assert_eq!(found(folder.path(), "*/*/*/a.txt"), ["b/up/b/a.txt"]);
    }

    #[cfg(unix)]
    #[test]
    fn names_that_are_not_utf_8_are_found() {
        use std::os::unix::ffi::OsStrExt;
        let folder = tree(&["a.txt"]);
        let odd = folder.path().join(std::ffi::OsStr::from_bytes(b"l\xe9.txt"));
        // Some systems have no such names.
        if std::fs::write(&odd, "").is_err() {
            return;
        }
        for pattern in ["l*", "l?.txt", "[k-m]?.*", "**/l*.txt"] {
            let found = matches(folder.path(), pattern).unwrap();
            assert!(found.len() == 1 && found.contains(&odd), "{pattern}: {found:?}");
        }
        assert_eq!(matches(folder.path(), "*.txt").unwrap().len(), 2);
    }
}
