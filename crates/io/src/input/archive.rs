//! Members of tar archives, as files.
//!
//! An archive is unpacked into a temporary directory when inputs are searched, because inputs are read
//! twice. Members get numbers there, so that no name or link in an archive can lead anywhere: a name is
//! only a name in messages and results. Only regular files of supported formats are written, and of a
//! document no more than the largest record allowed.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::path::{Component, Path, PathBuf};

use super::{
    Compression, DiscoverOptions, Format, InputError, InputFile, foreign, kind, maildir, name,
};

/// Endings of archives, in lower case.
const ENDINGS: [&str; 13] = [
    ".tar",
    ".tar.gz",
    ".tgz",
    ".tar.zst",
    ".tar.zstd",
    ".tzst",
    ".tar.bz2",
    ".tbz2",
    ".tbz",
    ".tar.xz",
    ".txz",
    ".tar.gzip",
    ".taz",
];

/// Longest window of zstd data, as for other inputs: 128 MiB.
const ZSTD_WINDOW_LOG: u32 = 27;
/// Memory for xz data, as for other inputs.
const XZ_MEMORY_KIB: u32 = 256 << 10;

/// Whether a file is an archive, by its name.
pub(super) fn is_archive(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    ENDINGS.iter().any(|ending| name.ends_with(ending))
}

/// The members of an archive.
pub(super) struct Unpacked {
    pub(super) files: Vec<InputFile>,
    /// Members that are not read, as `ARCHIVE!MEMBER`.
    pub(super) skipped: Vec<PathBuf>,
    /// The directory of the files.
    pub(super) folder: tempfile::TempDir,
}

/// Unpacks an archive.
///
/// # Errors
/// An archive that cannot be read to its end, or a directory that cannot be written.
pub(super) fn unpack(
    archive: &InputFile,
    options: &DiscoverOptions,
) -> Result<Unpacked, InputError> {
    let above = options.scratch.clone().unwrap_or_else(std::env::temp_dir);
    let unwritable = |e| InputError::io("unpack an archive in this directory", &above, e);
    let folder =
        tempfile::Builder::new().prefix("lookalike-tar-").tempdir_in(&above).map_err(unwritable)?;
    let damaged = |e: io::Error| {
        let path = archive.path.clone();
        InputError::Archive { path, source: e }
    };
    let mut unpacked = Unpacked { files: Vec::new(), skipped: Vec::new(), folder };
    let mut names: BTreeMap<String, u32> = BTreeMap::new();
    let mut tar = tar::Archive::new(reader(&archive.path).map_err(damaged)?);
    for entry in tar.entries().map_err(damaged)? {
        let mut entry = entry.map_err(damaged)?;
        let member = entry.path().map_err(damaged)?.into_owned();
        let kind = entry.header().entry_type();
        if kind.is_dir() || kind.is_pax_global_extensions() || is_hidden(&member) {
            continue;
        }
        let shown = format!("{}!{}", archive.name, name::readable(&member));
        let mut head = Vec::new();
        let found = match kind.is_file() || kind.is_contiguous() {
            true => format(&member, options, &mut entry, &mut head).map_err(damaged)?,
            false => None,
        };
        let Some((format, compression)) = found else {
            unpacked.skipped.push(PathBuf::from(shown));
            continue;
        };
        let path = unpacked.folder.path().join(format!("{:08}", unpacked.files.len() + 1));
        let mut file = File::create_new(&path).map_err(unwritable)?;
        let size = entry.size();
        // A document above the limit is named as such when it is read; its size does not matter.
        let most = match format.is_document() && compression == Compression::None {
            true => size.min(options.max_record() as u64 + 1),
            false => size,
        };
        let mut content = head.as_slice().chain(&mut entry).take(most);
        let copied = copy(&mut content, &mut file).map_err(|fault| match fault {
            Fault::Read(error) => damaged(error),
            Fault::Write(error) => unwritable(error),
        })?;
        if copied < most {
            return Err(damaged(io::ErrorKind::UnexpectedEof.into()));
        }
        if let Some(time) = archive.modified {
            file.set_modified(time).map_err(unwritable)?;
        }
        let metadata = file.metadata().map_err(unwritable)?;
        let times = names.entry(shown.clone()).or_default();
        *times += 1;
        let normal = member.components().filter(|part| matches!(part, Component::Normal(_)));
        unpacked.files.push(InputFile {
            path,
            name: if *times > 1 { format!("{shown} ({times})") } else { shown },
            relative: archive.relative.components().chain(normal).collect(),
            format,
            compression,
            size: metadata.len(),
            modified: metadata.modified().ok(),
            object: None,
        });
    }
    Ok(unpacked)
}

/// Why a member could not be copied.
enum Fault {
    Read(io::Error),
    Write(io::Error),
}

fn copy(from: &mut impl Read, to: &mut impl Write) -> Result<u64, Fault> {
    let (mut buffer, mut copied) = (vec![0; 1 << 16], 0);
    loop {
        match from.read(&mut buffer) {
            Ok(0) => return Ok(copied),
            Ok(read) => {
                to.write_all(&buffer[..read]).map_err(Fault::Write)?;
                copied += read as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(Fault::Read(error)),
        }
    }
}

/// The unpacked bytes of an archive, whatever the compression in its name.
fn reader(path: &Path) -> io::Result<Box<dyn Read>> {
    let mut head = Vec::new();
    File::open(path)?.take(kind::HEAD as u64).read_to_end(&mut head)?;
    let file = BufReader::with_capacity(1 << 18, File::open(path)?);
    Ok(match kind::compression_of(&head) {
        None => Box::new(file),
        Some(Compression::Gzip) => Box::new(flate2::bufread::MultiGzDecoder::new(file)),
        Some(Compression::Zstd) => {
            let mut decoder = zstd::stream::read::Decoder::with_buffer(file)?;
            decoder.window_log_max(ZSTD_WINDOW_LOG)?;
            Box::new(decoder)
        }
        Some(Compression::Bzip2) => Box::new(bzip2::bufread::MultiBzDecoder::new(file)),
        _ => Box::new(lzma_rust2::XzReader::new_mem_limit(file, true, XZ_MEMORY_KIB)),
    })
}

/// Whether a part of the name is hidden, as names in directories that are not read.
fn is_hidden(member: &Path) -> bool {
    member.components().any(|part| match part {
        Component::Normal(name) => name.as_encoded_bytes().starts_with(b"."),
        _ => false,
    })
}

/// Format, if it is supported, and compression of a member; `head` receives its first bytes if they are
/// needed.
fn format(
    member: &Path,
    options: &DiscoverOptions,
    content: &mut impl Read,
    head: &mut Vec<u8>,
) -> io::Result<Option<(Format, Compression)>> {
    if is_archive(member) {
        return Ok(None);
    }
    if options.formats.extractor(member).is_some() {
        return Ok(Some((Format::Extracted, Compression::None)));
    }
    let (named, compression) = kind::of_name(member);
    let above = member.parent().and_then(Path::file_name);
    let in_maildir = above.is_some_and(|above| above == "cur" || above == "new")
        && maildir::is_message_name(member);
    let format = match options.format {
        None if in_maildir => Some(Format::Maildir),
        None => named,
        given => given,
    };
    // Parquet compresses its own pages; the name of a message says nothing.
    match format {
        Some(format @ (Format::Parquet | Format::Maildir)) => {
            return Ok(Some((format, Compression::None)));
        }
        Some(format) => return Ok(Some((format, compression))),
        None if foreign::remedy(member).is_some() => return Ok(None),
        None => {}
    }
    content.take(kind::MBOX_HEAD as u64).read_to_end(head)?;
    Ok(kind::is_mbox(head).then_some((Format::Mbox, Compression::None)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn archives_are_known_by_name() {
        for name in ["a.tar", "A.TAR.GZ", "b.tgz", "c.tar.zst", "d.tbz2", "e.tar.xz"] {
            assert!(is_archive(Path::new(name)), "{name}");
        }
        for name in ["a.gz", "tar", "a.tar.txt", "x.zip"] {
            assert!(!is_archive(Path::new(name)), "{name}");
        }
        assert!(is_hidden(Path::new("a/.b/c")) && !is_hidden(Path::new("./a/../b")));
    }
}
