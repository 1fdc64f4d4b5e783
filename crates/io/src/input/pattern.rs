//! Files that a pattern matches, in a directory tree.
//!
//! The crate `glob` matches names; the search is ours, because that of the crate ignores names that are not
//! UTF-8, or panics at them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use super::left_out;
use super::left_out_reason::{LeftOut, LeftOutReason};
use super::{InputError, earlier_result, maildir};

/// Wildcards match no `/`, and a hidden name only if the pattern has its dot.
pub(super) const OPTIONS: glob::MatchOptions = glob::MatchOptions {
    case_sensitive: true,
    require_literal_separator: true,
    require_literal_leading_dot: true,
};

/// As [`OPTIONS`], but hidden names are matched as others are.
const LOOSE: glob::MatchOptions =
    glob::MatchOptions { require_literal_leading_dot: false, ..OPTIONS };

/// A part of a pattern.
pub(super) enum Part<'a> {
    /// A name, the root or `..`.
    Literal(&'a Path),
    Name(Wild<'a>),
    /// `**`: any number of directories, without links to them. At the end of a pattern, at least one.
    Directories,
}

/// A name with wildcards.
pub(super) struct Wild<'a> {
    written: &'a str,
    pattern: glob::Pattern,
}

impl Wild<'_> {
    /// Whether it matches a name, hidden or not.
    fn matches(&self, name: &str) -> bool {
        self.pattern.matches_with(name, LOOSE)
    }

    /// What stands before its first wildcard.
    fn beginning(&self) -> &str {
        self.written.split(['*', '?', '[']).next().unwrap_or_default()
    }

    /// Whether it names what begins with `_` or `.`: it begins so itself.
    fn names_marked(&self, name: &str) -> bool {
        self.beginning().chars().next() == name.chars().next()
    }

    /// Whether it names documents in a result, which wildcards alone do not.
    fn names_in_result(&self) -> bool {
        !self.beginning().is_empty()
    }

    /// Why a name that it matches is left out: an entry of a directory that is no Maildir.
    fn leaves_out(&self, name: &str, is_directory: bool) -> Option<LeftOutReason> {
        if left_out::is_marked(name.as_ref()) && !self.names_marked(name) {
            return Some(LeftOutReason::Name);
        }
        let is_unfinished = is_directory && left_out::is_unfinished(name.as_ref());
        let is_named = ["partial", "replaced"].iter().any(|part| self.written.contains(part));
        (is_unfinished && !is_named).then_some(LeftOutReason::Unfinished)
    }
}

/// What a pattern leads to.
#[derive(Default)]
pub(super) struct Matches {
    /// The paths, and whether the last part of the pattern is the name itself.
    pub(super) found: BTreeMap<PathBuf, bool>,
    /// What wildcards do not match because it is no data.
    pub(super) left_out: BTreeSet<LeftOut>,
}

impl Matches {
    fn leave_out(&mut self, path: &Path, reason: LeftOutReason) {
        self.left_out.insert(LeftOut { path: path.to_path_buf(), reason });
    }
}

/// The parts of a pattern.
///
/// # Errors
/// A wrong pattern.
pub(super) fn parts(pattern: &str) -> Result<Vec<Part<'_>>, InputError> {
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
                let pattern = glob::Pattern::new(name).map_err(wrong)?;
                Part::Name(Wild { written: name, pattern })
            }
            _ => Part::Literal(Path::new(component.as_os_str())),
        });
    }
    Ok(parts)
}

/// The paths that a pattern matches, sorted; a relative one is looked up in `base`, or if that is empty in the
/// current directory. In names that are not UTF-8, a wildcard matches the bytes that are none.
///
/// # Errors
/// A wrong pattern, and a directory that cannot be listed.
pub(super) fn matches(base: &Path, pattern: &str) -> Result<Matches, InputError> {
    let mut matches = Matches::default();
    search(base, &parts(pattern)?, false, &mut matches)?;
    if pattern.ends_with(std::path::is_separator) {
        matches.found.retain(|path, _| path.is_dir());
    }
    Ok(matches)
}

/// Adds the paths below a path that match the parts. `is_named`: the last part was a name.
fn search(
    path: &Path,
    parts: &[Part<'_>],
    is_named: bool,
    matches: &mut Matches,
) -> Result<(), InputError> {
    let Some((part, rest)) = parts.split_first() else {
        *matches.found.entry(path.to_path_buf()).or_default() |= is_named;
        return Ok(());
    };
    match part {
        Part::Literal(name) => {
            let path = path.join(name);
            if path.symlink_metadata().is_ok() {
                search(&path, rest, true, matches)?;
            }
        }
        Part::Name(wild) => {
            let is_closed = !wild.names_in_result() && earlier_result::is_result(path);
            for (name, entry) in entries(path)? {
                if !wild.matches(&name) {
                    continue;
                }
                let is_directory = entry.is_dir();
                match wild.leaves_out(&name, is_directory) {
                    Some(_) if maildir::is_mail(&entry, is_directory) => {}
                    Some(reason) if rest.is_empty() || is_directory => {
                        matches.leave_out(&entry, reason);
                        continue;
                    }
                    Some(_) => continue,
                    None => {}
                }
                if is_closed {
                    matches.leave_out(path, LeftOutReason::Result);
                    break;
                }
                search(&entry, rest, false, matches)?;
            }
        }
        Part::Directories => {
            if !rest.is_empty() {
                search(path, rest, is_named, matches)?;
            }
            let is_closed = earlier_result::is_result(path);
            for (name, entry) in entries(path)? {
                // Links to directories are not followed: one may lead back above itself.
                let is_directory = entry.symlink_metadata().is_ok_and(|found| found.is_dir());
                if !is_directory {
                    continue;
                }
                if is_closed {
                    matches.leave_out(path, LeftOutReason::Result);
                    break;
                }
                let reason = match name.as_ref() {
                    name if left_out::is_marked(name) => Some(LeftOutReason::Name),
                    name if left_out::is_unfinished(name) => Some(LeftOutReason::Unfinished),
                    _ => None,
                };
                if let Some(reason) = reason.filter(|_| !maildir::is_mail(&entry, true)) {
                    matches.leave_out(&entry, reason);
                    continue;
                }
                if rest.is_empty() {
                    matches.found.entry(entry.clone()).or_default();
                }
                search(&entry, parts, false, matches)?;
            }
        }
    }
    Ok(())
}

/// What a pattern does with a key in a store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum KeyMatch {
    No,
    /// It matches the key or a prefix of it, and names what is no data there. `is_named`: the last part
    /// was a name.
    Yes {
        is_named: bool,
    },
    /// It would match, but for a name that is no data: that of so many parts.
    LeftOut(usize, LeftOutReason),
}

/// Whether a pattern matches a key in a store, given by its parts, or a directory that it is below;
/// `is_result` says which directories, given by their number of parts, are results.
pub(super) fn match_key(
    parts: &[Part<'_>],
    key: &[&str],
    is_result: &dyn Fn(usize) -> bool,
) -> KeyMatch {
    match_from(parts, key, 0, true, is_result)
}

fn match_from(
    parts: &[Part<'_>],
    key: &[&str],
    at: usize,
    is_named: bool,
    is_result: &dyn Fn(usize) -> bool,
) -> KeyMatch {
    let whole = || {
        let below = Path::new("").join(key[at..].join("/"));
        let out = left_out::by_name(&below).filter(|_| at < key.len());
        let result = (at..key.len()).find(|&above| above > 0 && is_result(above));
        match (out, result) {
            (_, Some(above)) => KeyMatch::LeftOut(above, LeftOutReason::Result),
            (Some(out), None) => KeyMatch::LeftOut(at + out.path.components().count(), out.reason),
            (None, None) => KeyMatch::Yes { is_named: is_named && at == key.len() },
        }
    };
    let Some((part, rest)) = parts.split_first() else { return whole() };
    let Some((name, below)) = key[at..].split_first() else { return KeyMatch::No };
    match part {
        Part::Literal(literal) if literal.as_os_str() == *name => {
            match_from(rest, key, at + 1, true, is_result)
        }
        Part::Literal(_) => KeyMatch::No,
        Part::Name(wild) if !wild.matches(name) => KeyMatch::No,
        Part::Name(wild) => {
            let out = match wild.leaves_out(name, !below.is_empty()) {
                Some(reason) if !is_mail_key(key, at) => Some((at + 1, reason)),
                _ if !wild.names_in_result() && is_result(at) => Some((at, LeftOutReason::Result)),
                _ => None,
            };
            match (match_from(rest, key, at + 1, false, is_result), out) {
                (KeyMatch::No, _) => KeyMatch::No,
                (_, Some((parts, reason))) => KeyMatch::LeftOut(parts, reason),
                (found, None) => found,
            }
        }
        Part::Directories => {
            let here = match rest.is_empty() {
                true => whole(),
                false => match_from(rest, key, at, is_named, is_result),
            };
            if here != KeyMatch::No || below.is_empty() {
                return here;
            }
            let reason = match name.as_ref() {
                name if left_out::is_marked(name) => Some((at + 1, LeftOutReason::Name)),
                name if left_out::is_unfinished(name) => Some((at + 1, LeftOutReason::Unfinished)),
                _ => is_result(at).then_some((at, LeftOutReason::Result)),
            };
            match (match_from(parts, key, at + 1, false, is_result), reason) {
                (KeyMatch::No, _) => KeyMatch::No,
                (_, Some((parts, reason))) if !is_mail_key(key, at) => {
                    KeyMatch::LeftOut(parts, reason)
                }
                (found, _) => found,
            }
        }
    }
}

/// Whether a part of a key that begins with `_` or `.` is mail.
fn is_mail_key(key: &[&str], at: usize) -> bool {
    left_out::by_name(Path::new(&key[at..].join("/"))).is_none()
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
        matches(base, pattern).unwrap().found.keys().map(shown).collect()
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
            let found = matches(folder.path(), pattern).unwrap().found;
            assert!(found.len() == 1 && found.contains_key(&odd), "{pattern}: {found:?}");
        }
        assert_eq!(matches(folder.path(), "*.txt").unwrap().found.len(), 2);
    }
}
