//! Unsupported formats, recognised by file name, with the remedy for each.

use std::path::{Path, PathBuf};

use super::{InputError, maildir};
use crate::formats;

const MAIL: &str = "this mail format is not supported; convert it to mbox or eml";
const INCOMPLETE: &str = "a message in the tmp directory of a Maildir, which is not delivered yet";
const WEB: &str =
    "ARC files are not supported; convert it to WARC, for example with warcio recompress";
const LINKS: &str = "WAT files hold no texts; give the WARC or WET files";
const PACKED: &str = "archives other than tar, and archives inside of archives, are not read; unpack it and give the directory";
const MEMBER: &str = "a link, device or sparse file in an archive, or a member of unknown format";
const PDF: &str = "PDF is not supported; extract its text by a command, for example with the setting \
                   extract=pdf='pdftotext -q {} -', or convert it to text first";
const PAGES: &str = "this format is not supported; extract its text by a command with the setting extract, \
                     or convert it to text, Markdown or HTML first";
const SHEET: &str = "spreadsheets are not supported; save it as CSV";
const TABLE: &str = "this table format is not supported; convert it to Parquet";
const TWICE: &str = "is compressed twice; unpack it once";
const UNKNOWN: &str = "unknown format; the setting input_format names the format of all files";

/// Extensions in lower case, and how to convert such files.
const KNOWN: &[(&[&str], &str)] = &[
    (&["emlx", "msg", "pst", "ost", "dbx"], MAIL),
    (&["arc"], WEB),
    (&["wat"], LINKS),
    (&["tar", "tgz", "tbz2", "txz", "zip", "7z", "rar"], PACKED),
    (&["pdf"], PDF),
    (&["ps", "djvu", "doc", "rtf"], PAGES),
    (&["xls", "xlsx", "ods"], SHEET),
    (&["avro", "orc"], TABLE),
];

pub(super) const COMPRESSED: &[&str] = &["gz", "zst", "zstd", "bz2", "xz"];

/// How to convert a file, if its name has the extension of an unsupported format.
pub(super) fn remedy(path: &Path) -> Option<&'static str> {
    let name = path.file_name()?.to_string_lossy().to_lowercase();
    let mut extensions = name.rsplit('.');
    let mut last = extensions.next()?;
    if COMPRESSED.contains(&last) {
        last = extensions.next()?;
        if COMPRESSED.contains(&last) {
            return Some(TWICE);
        }
        if let Some(remedy) = formats::unpack_remedy(last) {
            return Some(remedy);
        }
    }
    KNOWN.iter().find(|(extensions, _)| extensions.contains(&last)).map(|(_, remedy)| *remedy)
}

/// The error for a file that an argument names and whose format is not known.
pub(super) fn unknown(path: PathBuf) -> InputError {
    match remedy(&path) {
        Some(remedy) => InputError::Foreign { path, remedy },
        None => InputError::UnknownFormat { path, supported: formats::choices() },
    }
}

/// Why a file in [`Inputs::skipped`](super::Inputs::skipped) was skipped, and what to do.
///
/// ```
/// use lookalike_io::input::why_skipped;
/// use std::path::{Path, PathBuf};
///
/// assert!(why_skipped(Path::new("outlook.pst")).contains("mbox"));
/// assert!(why_skipped(Path::new("crawl.arc.gz")).contains("WARC"));
/// ```
#[must_use]
pub fn why_skipped(path: &Path) -> &'static str {
    remedy(path).unwrap_or_else(|| match std::fs::metadata(path) {
        Ok(found) if found.is_file() && maildir::is_in_tmp(path) => INCOMPLETE,
        Ok(found) if found.is_file() => UNKNOWN,
        Ok(found) if found.is_dir() => "a link to a directory; name the directory itself",
        Ok(_) => "not a regular file (inputs are read twice); copy it to one",
        Err(_) if maildir::is_member_in_tmp(path) => INCOMPLETE,
        Err(_) if path.to_string_lossy().contains('!') => MEMBER,
        Err(_) if std::fs::symlink_metadata(path).is_ok() => "a broken link",
        // An object of a store.
        Err(_) => UNKNOWN,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn skipped_files_have_a_reason() {
        let folder = tempfile::tempdir().unwrap();
        let there = folder.path().join("notes");
        std::fs::write(&there, "").unwrap();
        assert!(why_skipped(&there).contains("the setting input_format"));
        assert!(why_skipped(folder.path()).contains("link to a directory"));
        #[cfg(unix)]
        {
            let broken = folder.path().join("broken");
            std::os::unix::fs::symlink(folder.path().join("gone"), &broken).unwrap();
            assert!(why_skipped(&broken).contains("broken link"));
        }
        assert!(why_skipped(&folder.path().join("a.tar/member")).contains("unknown format"));
        assert_eq!(why_skipped(&folder.path().join("a.msg")), MAIL);
        assert_eq!(why_skipped(Path::new("a.tar!tmp/1000000050.1.host")), INCOMPLETE);
        assert_eq!(why_skipped(Path::new("a.tar!M/.Sent/tmp/1000000050.1.host")), INCOMPLETE);
        assert_eq!(why_skipped(Path::new("a.tar!tmp/link")), MEMBER);
    }

    #[test]
    fn unsupported_formats_are_recognised_by_name() {
        let of = |name: &str| remedy(Path::new(name));
        for name in ["a.msg", "A.PST", "a.emlx.gz"] {
            assert_eq!(of(name), Some(MAIL), "{name}");
        }
        assert_eq!(of("a/b.arc.gz"), Some(WEB));
        for name in ["a.pdf", "b.PDF", "a.doc"] {
            assert!(of(name).is_some_and(|said| said.contains("the setting extract")), "{name}");
        }
        assert_eq!(of("a.tar.gz"), Some(PACKED));
        assert_eq!(of("a.jsonl.gz.gz"), Some(TWICE));
        assert!(of("a.parquet.gz").is_some_and(|said| said.contains("their own pages")));
        assert!(of("a.feather.gz").is_some_and(|said| said.contains("their own buffers")));
        for name in ["Makefile", "a.log", "gz", "a.gz", "1000000050.50.host:2,S", ".."] {
            assert_eq!(of(name), None, "{name}");
        }
        for name in formats::extensions().split(' ').filter(|name| *name != "tar") {
            assert_eq!(of(&format!("a{name}")), None, "{name} is supported");
        }
    }
}
