//! Kinds of skipped files.

use std::path::Path;

use super::foreign::COMPRESSED;

/// Longest extension that is a kind of its own: names come from the inputs.
const LONGEST: usize = 16;

/// The kind of a file in [`Inputs::skipped`](super::Inputs::skipped): its extension, with that of a
/// compression (`.pdf`, `.doc.gz`), or what it is if it is no file.
///
/// ```
/// use lookalike_io::input::skipped_kind;
/// use std::path::Path;
///
/// assert_eq!(skipped_kind(Path::new("scans/A.PDF")), ".pdf");
/// assert_eq!(skipped_kind(Path::new("Makefile")), "without extension");
/// ```
#[must_use]
pub fn skipped_kind(path: &Path) -> String {
    let link = std::fs::symlink_metadata(path).ok();
    let found = std::fs::metadata(path).ok();
    let is_link = link.is_some_and(|link| link.is_symlink());
    match found {
        None if is_link => "broken link".to_owned(),
        Some(found) if found.is_dir() => "link to a directory".to_owned(),
        Some(found) if !found.is_file() => "special file".to_owned(),
        // Members of archives and objects of a store have a name only.
        Some(_) | None => extension(path),
    }
}

fn extension(path: &Path) -> String {
    let is_plain = |part: &&str| {
        !part.is_empty() && part.len() <= LONGEST && part.chars().all(char::is_alphanumeric)
    };
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    // What is before the first dot is the name itself.
    let (_, ends) = name.trim_start_matches('.').split_once('.').unwrap_or_default();
    let mut ends = ends.rsplit('.').take_while(is_plain);
    let Some(last) = ends.next() else { return "without extension".to_owned() };
    match ends.next().filter(|_| COMPRESSED.contains(&last)) {
        Some(inner) => format!(".{inner}.{last}"),
        None => format!(".{last}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_extensions() {
        for (name, kind) in [
            ("a/b.PDF", ".pdf"),
            ("b.tar.gz", ".tar.gz"),
            ("b.v2.pdf", ".pdf"),
            ("b.gz", ".gz"),
            (".hidden", "without extension"),
            ("a.", "without extension"),
            ("Makefile", "without extension"),
            ("x.12 of 17", "without extension"),
            ("x.\u{1b}[2J", "without extension"),
            ("x.aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "without extension"),
        ] {
            assert_eq!(skipped_kind(Path::new(name)), kind, "{name}");
        }
    }
}
