//! Printable names of paths.

use std::fmt::Write;
use std::path::{Component, Path};

/// The path in printable characters on one line: parts joined by `/`, without `.` parts.
///
/// Different paths get different names: a backslash in a part is doubled, and unprintable
/// characters are escaped by one backslash (`
/// `, `\u{7f}`, bytes that are not UTF-8 as `\xff`).
pub(super) fn readable(path: &Path) -> String {
    let mut name = String::new();
    for part in path.components() {
        let separated = name.is_empty() || name.ends_with('/');
        match part {
            Component::CurDir => continue,
            Component::RootDir => name.push('/'),
            Component::Prefix(prefix) => name.push_str(&prefix.as_os_str().to_string_lossy()),
            Component::ParentDir | Component::Normal(_) => {
                if !separated {
                    name.push('/');
                }
                push_escaped(part.as_os_str().as_encoded_bytes(), &mut name);
            }
        }
    }
    name
}

fn push_escaped(bytes: &[u8], name: &mut String) {
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            if c == '\\' || c.is_control() {
                name.extend(c.escape_default());
            } else {
                name.push(c);
            }
        }
        for byte in chunk.invalid() {
            // Writing to a string cannot fail.
            let _ = write!(name, "\\x{byte:02x}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_paths_are_shown_as_they_are() {
        assert_eq!(
            readable(Path::new("./data/./with space/\u{fc}.txt")),
            "data/with space/\u{fc}.txt"
        );
        assert_eq!(readable(Path::new("/a/../b")), "/a/../b");
        assert_eq!(readable(Path::new("-dash.txt")), "-dash.txt");
    }

    #[cfg(unix)]
    #[test]
    fn different_paths_get_different_names_on_one_line() {
        use std::os::unix::ffi::OsStrExt;
        let paths: [&[u8]; 5] = [b"a\xff", b"a\\xff", b"a\n", b"a\\n", b"a\x7f"];
        let names = paths.map(|path| readable(Path::new(std::ffi::OsStr::from_bytes(path))));
        assert_eq!(names, [r"a\xff", r"a\\xff", r"a\n", r"a\\n", r"a\u{7f}"]);
    }
}
