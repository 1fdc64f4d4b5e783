//! Printable names of paths, and the paths of such names.

use std::fmt::Write;
use std::path::{Component, Path, PathBuf};

/// The path in printable characters on one line: parts joined by `/`, without `.` parts.
///
/// Different paths get different names: a backslash in a part is doubled, and unprintable
/// characters are escaped by one backslash (`\n`,
/// `\u{7f}`, bytes that are not UTF-8 as `\xff`).
#[must_use]
pub fn readable(path: &Path) -> String {
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

/// The path with this [`readable`] name. What is no escape stays as it is. A name that is not
/// Unicode comes back on Unix only.
#[must_use]
pub fn path_of(name: &str) -> PathBuf {
    let mut bytes = Vec::with_capacity(name.len());
    let mut rest = name;
    while let Some(at) = rest.find('\\') {
        bytes.extend_from_slice(&rest.as_bytes()[..at]);
        let length = push_unescaped(&rest[at..], &mut bytes).unwrap_or_else(|| {
            bytes.push(b'\\');
            1
        });
        rest = &rest[at + length..];
    }
    bytes.extend_from_slice(rest.as_bytes());
    path_of_bytes(bytes)
}

/// Pushes what the escape at the start of a name stands for, and returns the length of the escape.
fn push_unescaped(name: &str, bytes: &mut Vec<u8>) -> Option<usize> {
    let (c, length) = match name.as_bytes().get(1)? {
        b'\\' => ('\\', 2),
        b't' => ('\t', 2),
        b'r' => ('\r', 2),
        b'n' => ('\n', 2),
        b'u' => {
            let end = name.find('}')?;
            let digits = name.get("\\u{".len()..end)?;
            (char::from_u32(u32::from_str_radix(digits, 16).ok()?)?, end + 1)
        }
        b'x' => {
            bytes.push(u8::from_str_radix(name.get(2..4)?, 16).ok()?);
            return Some(4);
        }
        _ => return None,
    };
    bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
    Some(length)
}

#[cfg(unix)]
fn path_of_bytes(bytes: Vec<u8>) -> PathBuf {
    use std::os::unix::ffi::OsStringExt;
    std::ffi::OsString::from_vec(bytes).into()
}

#[cfg(not(unix))]
fn path_of_bytes(bytes: Vec<u8>) -> PathBuf {
    String::from_utf8_lossy(&bytes).into_owned().into()
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

    #[test]
    fn a_name_leads_back_to_its_path() {
        for path in ["kept.jsonl", "kept/with space/\u{fc}.txt", "/a/../b", "a\tb\u{7f}/\r\n", ""] {
            assert_eq!(path_of(&readable(Path::new(path))), Path::new(path));
        }
        for name in [r"a\", r"a\q", r"a\x4", r"a\u{d800}", r"a\u", r"a\}"] {
            assert_eq!(path_of(name), Path::new(name));
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_name_that_is_not_unicode_leads_back_to_its_path() {
        use std::os::unix::ffi::OsStrExt;
        let paths: [&[u8]; 6] =
            [b"kept/d\xe9r/x", b"a\xff", b"a\\xff", b"a\\\xff\\n", b"\\", b"\\u{7f}"];
        for path in paths {
            let path = Path::new(std::ffi::OsStr::from_bytes(path));
            assert_eq!(path_of(&readable(path)), path);
        }
    }
}
