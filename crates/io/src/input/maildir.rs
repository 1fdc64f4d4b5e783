//! Maildirs: directories with the directories `cur` and `new`, whose files are messages.
//!
//! Names of messages have no extension and may end like a file of another format, as they contain a
//! host name: `1000000050.M1P2.mail.example.md:2,S`. Folders of a Maildir++ are hidden directories
//! in it (`.Sent`), each a Maildir itself.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Whether a hidden directory of a Maildir is a folder of it, and is read.
pub(super) fn is_folder(directory: &Path, parent: &Path) -> bool {
    let any = |of: &Path| MESSAGES.iter().any(|name| of.join(name).is_dir());
    any(directory) && any(parent)
}

/// Whether an entry whose name begins with `_` is mail: a Maildir, or a message in one.
pub(super) fn is_mail(entry: &Path, is_directory: bool) -> bool {
    let is_dotted = |name: &OsStr| name.as_encoded_bytes().starts_with(b".");
    if entry.file_name().is_none_or(is_dotted) {
        return false;
    }
    match is_directory {
        true => MESSAGES.iter().any(|name| entry.join(name).is_dir()),
        false => match Maildirs::default().of(entry) {
            Holds::Nothing => false,
            Holds::Names => is_message_name(entry),
            Holds::Messages => true,
        },
    }
}

/// The directories of a Maildir that hold messages.
const MESSAGES: [&str; 2] = ["cur", "new"];

/// Whether a directory of this name holds the messages of a Maildir.
pub(super) fn holds_messages(name: &OsStr) -> bool {
    MESSAGES.iter().any(|known| name == *known)
}

/// Whether a file is in a directory called as one with messages.
pub(super) fn is_among_messages(file: &Path) -> bool {
    file.parent().and_then(Path::file_name).is_some_and(holds_messages)
}

/// Which directories of an archive are whole Maildirs: known when all members were seen.
#[derive(Debug, Default)]
pub(super) struct MemberMaildirs(BTreeMap<PathBuf, [bool; MESSAGES.len()]>);

impl MemberMaildirs {
    /// Notes a directory that an archive names.
    pub(super) fn note(&mut self, directory: &Path) {
        let is = |name: &&str| directory.file_name().is_some_and(|of| of == *name);
        if let (Some(which), Some(above)) = (MESSAGES.iter().position(is), directory.parent()) {
            self.0.entry(above.to_path_buf()).or_default()[which] = true;
        }
    }

    /// Whether a file is in `cur` or `new` of a Maildir that has both.
    pub(super) fn hold(&self, file: &Path) -> bool {
        let above = file.parent().and_then(Path::parent);
        is_among_messages(file)
            && above
                .and_then(|above| self.0.get(above))
                .is_some_and(|held| held.iter().all(|has| *has))
    }
}

/// How a directory holds messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Holds {
    /// It is no part of a Maildir.
    Nothing,
    /// It is called `cur` or `new`, and the other one is missing, as archives omit empty
    /// directories: files with names of messages are messages.
    Names,
    /// It is `cur` or `new` of a Maildir: all files are messages.
    Messages,
}

/// Finds out whether files are in a Maildir; asks the file system once per directory, as long as
/// the files of a directory come one after the other.
#[derive(Debug, Default)]
pub(super) struct Maildirs {
    /// The directory of the last file, and what it holds.
    last: Option<(PathBuf, Holds)>,
}

impl Maildirs {
    /// How the directory of a file holds messages.
    pub(super) fn of(&mut self, file: &Path) -> Holds {
        let Some(directory) = file.parent() else { return Holds::Nothing };
        match &self.last {
            Some((last, holds)) if last == directory => *holds,
            _ => {
                let holds = match named(directory, &MESSAGES) {
                    None => Holds::Nothing,
                    Some(above) if MESSAGES.iter().all(|name| above.join(name).is_dir()) => {
                        Holds::Messages
                    }
                    Some(_) => Holds::Names,
                };
                self.last = Some((directory.to_path_buf(), holds));
                holds
            }
        }
    }
}

/// The directory above, if a directory has one of these names. The path may be relative, as `.`
/// or `cur`.
fn named(directory: &Path, names: &[&str]) -> Option<PathBuf> {
    let has = |name: &std::ffi::OsStr| names.iter().any(|known| name == *known);
    if directory.file_name().is_some_and(|name| !has(name)) {
        return None;
    }
    let whole = directory.canonicalize().ok()?;
    whole.file_name().filter(|name| has(name))?;
    whole.parent().map(Path::to_path_buf)
}

/// Whether a member of an archive, as `ARCHIVE!MEMBER`, is a message in a directory `tmp`.
pub(super) fn is_member_in_tmp(shown: &Path) -> bool {
    let Some((_, member)) = shown.to_str().and_then(|shown| shown.split_once('!')) else {
        return false;
    };
    let above = Path::new(member).parent().and_then(Path::file_name);
    above.is_some_and(|above| above == "tmp") && is_message_name(shown)
}

/// Whether a file is in the `tmp` directory of a Maildir.
pub(super) fn is_in_tmp(file: &Path) -> bool {
    let above = file.parent().and_then(|directory| named(directory, &["tmp"]));
    above.is_some_and(|above| MESSAGES.iter().any(|name| above.join(name).is_dir()))
}

/// Whether a name is one that a delivery agent makes: it has flags, or starts with a time in
/// seconds and a dot.
pub(super) fn is_message_name(file: &Path) -> bool {
    let name = file.file_name().unwrap_or_default().as_encoded_bytes();
    let digits = name.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let dated = digits >= 9 && name.get(digits) == Some(&b'.');
    dated || has_flags(file)
}

/// Whether a name has the flags of a message that was seen.
pub(super) fn has_flags(file: &Path) -> bool {
    let name = file.file_name().unwrap_or_default().as_encoded_bytes();
    memchr::memmem::find(name, b":2,").is_some()
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
