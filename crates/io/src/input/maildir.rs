//! Maildirs: directories with the directories `cur` and `new`, whose files are messages.
//!
//! Names of messages have no extension and may end like a file of another format, as they contain a
//! host name: `1000000050.M1P2.mail.example.md:2,S`. Folders of a Maildir++ are hidden directories in
//! it (`.Sent`), each a Maildir itself.

use std::path::{Path, PathBuf};

/// Whether a directory is a Maildir.
pub(super) fn is_maildir(directory: &Path) -> bool {
    ["cur", "new"].iter().all(|name| directory.join(name).is_dir())
}

/// Finds out whether files are in a Maildir; asks the file system once per directory, as long as
/// the files of a directory come one after the other.
#[derive(Debug, Default)]
pub(super) struct Maildirs {
    /// The directory of the last file, and whether it holds messages.
    last: Option<(PathBuf, bool)>,
}

impl Maildirs {
    /// Whether a file is in `cur` or `new` of a Maildir.
    pub(super) fn holds(&mut self, file: &Path) -> bool {
        let Some(directory) = file.parent() else { return false };
        match &self.last {
            Some((last, holds)) if last == directory => *holds,
            _ => {
                let holds = is_below(directory, &["cur", "new"]);
                self.last = Some((directory.to_path_buf(), holds));
                holds
            }
        }
    }
}

/// Whether a directory has one of these names and is in a Maildir. The path may be relative, as
/// `.` or `cur`.
fn is_below(directory: &Path, names: &[&str]) -> bool {
    let whole = || directory.canonicalize().ok();
    let named = match directory.file_name() {
        Some(name) => names.iter().any(|known| name == *known),
        None => true,
    };
    named
        && whole().is_some_and(|whole| {
            let name = whole.file_name().unwrap_or_default();
            names.iter().any(|known| name == *known) && whole.parent().is_some_and(is_maildir)
        })
}

/// Whether a file is in the `tmp` directory of a Maildir.
pub(super) fn is_in_tmp(file: &Path) -> bool {
    file.parent().is_some_and(|directory| is_below(directory, &["tmp"]))
}

/// Whether a name is one that a delivery agent makes: it has flags, or starts with a time in
/// seconds and a dot.
pub(super) fn is_message_name(file: &Path) -> bool {
    let name = file.file_name().unwrap_or_default().as_encoded_bytes();
    let digits = name.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let dated = digits >= 9 && name.get(digits) == Some(&b'.');
    dated || memchr::memmem::find(name, b":2,").is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn message_names_are_told_from_other_names() {
        for name in ["1000000050.50.host:2,S", "1204680122.27c448.mail.example.md", "x:2,"] {
            assert!(is_message_name(Path::new(name)), "{name}");
        }
        for name in ["2026.csv", "docs.jsonl", "20261123.txt", "1000000050"] {
            assert!(!is_message_name(Path::new(name)), "{name}");
        }
    }
}
