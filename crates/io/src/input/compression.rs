//! Compression of a file, from its name and first bytes.

use std::path::Path;

/// Compression of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Compression {
    /// Nothing.
    None,
    /// gzip, any number of members.
    Gzip,
    /// Zstandard, any number of frames.
    Zstd,
    /// bzip2, any number of streams.
    Bzip2,
    /// xz.
    Xz,
}

/// Extensions of compressed files.
const COMPRESSIONS: &[(&str, Compression)] = &[
    ("gz", Compression::Gzip),
    ("zst", Compression::Zstd),
    ("zstd", Compression::Zstd),
    ("bz2", Compression::Bzip2),
    ("xz", Compression::Xz),
];

/// First bytes of compressed files.
const MAGIC: &[(&[u8], Compression)] = &[
    (b"\x1f\x8b", Compression::Gzip),
    (b"\x28\xb5\x2f\xfd", Compression::Zstd),
    (b"\xfd7zXZ\0", Compression::Xz),
];

/// Number of first bytes that [`compression_of`] needs.
pub(crate) const HEAD: usize = 64;

/// The compression that a name ends with, if any, and the name without that ending.
pub(crate) fn of_name(path: &Path) -> (Compression, &Path) {
    let extension = path.extension().and_then(std::ffi::OsStr::to_str).unwrap_or_default();
    let known = COMPRESSIONS.iter().find(|(known, _)| known.eq_ignore_ascii_case(extension));
    match known {
        Some((_, compression)) => (*compression, Path::new(path.file_stem().unwrap_or_default())),
        None => (Compression::None, path),
    }
}

/// The compression that the first bytes show, if any.
pub(crate) fn compression_of(head: &[u8]) -> Option<Compression> {
    let known = MAGIC.iter().find(|(magic, _)| head.starts_with(magic)).map(|(_, kind)| *kind);
    // Skippable frames may stand first in a Zstandard file (RFC 8878, section 3.1.2).
    let skippable = || matches!(head, [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..]);
    // "BZh9" could begin a text: the mark of the first block, or of an empty stream, must follow.
    let bzip2 = || {
        head.starts_with(b"BZh")
            && head.get(4..10).is_some_and(|mark| {
                mark == b"\x31\x41\x59\x26\x53\x59" || mark == b"\x17\x72\x45\x38\x50\x90"
            })
    };
    known
        .or_else(|| skippable().then_some(Compression::Zstd))
        .or_else(|| bzip2().then_some(Compression::Bzip2))
}

/// The compression where name and first bytes disagree: that of the bytes. Only if they show no
/// compression and are not text either, the file is a damaged archive of the compression in its
/// name.
pub(crate) fn settle(named: Compression, head: &[u8]) -> Compression {
    let text = |byte: &u8| *byte >= b' ' || byte.is_ascii_whitespace();
    match compression_of(head) {
        Some(shown) => shown,
        None if head.iter().all(text) => Compression::None,
        None => named,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bytes_win_over_the_name() {
        assert_eq!(settle(Compression::Gzip, b"{\"text\":1}"), Compression::None);
        assert_eq!(settle(Compression::None, b"\x1f\x8b\x08"), Compression::Gzip);
        assert_eq!(settle(Compression::Gzip, b"\x00\x01\x02"), Compression::Gzip);
        assert_eq!(settle(Compression::None, b"BZh9 is a text"), Compression::None);
        assert_eq!(settle(Compression::Xz, b""), Compression::None);
    }
}
