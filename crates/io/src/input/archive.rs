//! Members of tar archives, as files.
//!
//! An archive is unpacked into a temporary directory when inputs are searched, because inputs are read
//! twice. Members get numbers there, so that no name or link in an archive can lead anywhere: a name is
//! only a name in messages and results. Only regular files of supported formats are written, and of a
//! document no more than the largest record allowed.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Component, Path, PathBuf};

use super::archive_bytes::ArchiveBytes;
use super::{
    Compression, DiscoverOptions, Format, InputError, InputFile, foreign, kind, maildir, name,
};
use crate::source::open;

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

/// Unpacks an archive. The member at which it is damaged is the last one; if that has no name, it is
/// named as the archive.
///
/// # Errors
/// A directory that cannot be written.
pub(super) fn unpack(
    archive: &InputFile,
    options: &DiscoverOptions,
) -> Result<Unpacked, InputError> {
    let above = options.scratch();
    let unwritable = |e| InputError::io("unpack an archive in this directory", &above, e);
    let folder =
        tempfile::Builder::new().prefix("lookalike-tar-").tempdir_in(&above).map_err(unwritable)?;
    let mut unpacked = Unpacked { files: Vec::new(), skipped: Vec::new(), folder };
    let damage = match ArchiveBytes::open(archive) {
        Err(error) => Some(open::explain(&error)),
        Ok(bytes) => match members(archive, &bytes, options, &mut unpacked) {
            Ok(()) => None,
            Err(Fault::Read(error)) => Some(bytes.explain(&error)),
            Err(Fault::Write(error)) => return Err(unwritable(error)),
        },
    };
    let Some(damage) = archive.damage.clone().or(damage) else { return Ok(unpacked) };
    if let Some(last) = unpacked.files.last_mut()
        && last.damage.is_some()
    {
        last.damage = Some(damage);
        return Ok(unpacked);
    }
    let path = unpacked.folder.path().join("damage");
    let file = File::create_new(&path).map_err(unwritable)?;
    if let Some(time) = archive.modified {
        file.set_modified(time).map_err(unwritable)?;
    }
    unpacked.files.push(InputFile {
        path,
        // As a document it has no output.
        format: Format::Text,
        compression: Compression::None,
        size: 0,
        damage: Some(damage),
        ..archive.clone()
    });
    Ok(unpacked)
}

/// Why a member could not be unpacked.
enum Fault {
    Read(io::Error),
    Write(io::Error),
}

/// Unpacks the members. A member that is cut off has an empty [`InputFile::damage`].
fn members(
    archive: &InputFile,
    bytes: &ArchiveBytes,
    options: &DiscoverOptions,
    unpacked: &mut Unpacked,
) -> Result<(), Fault> {
    let mut names: BTreeMap<String, u32> = BTreeMap::new();
    let mut tar = tar::Archive::new(bytes);
    let mut entries = tar.entries().map_err(Fault::Read)?;
    let mut start = 0;
    loop {
        bytes.bound_headers(start);
        let Some(entry) = entries.next() else { break };
        let mut entry = entry.map_err(Fault::Read)?;
        bytes.unbound();
        let kind = entry.header().entry_type();
        let held = match kind.is_gnu_sparse() {
            true => entry.header().entry_size().map_err(Fault::Read)?,
            false => entry.size(),
        };
        start = entry.raw_file_position().saturating_add(held);
        let member = entry.path().map_err(Fault::Read)?.into_owned();
        if kind.is_dir() || kind.is_pax_global_extensions() || is_hidden(&member) {
            continue;
        }
        let shown = format!("{}!{}", archive.name, name::readable(&member));
        let mut head = Vec::new();
        let is_file = (kind.is_file() || kind.is_contiguous())
            && !is_sparse(&mut entry).map_err(Fault::Read)?;
        let found = match is_file {
            true => format(&member, options, &mut entry, &mut head).map_err(Fault::Read)?,
            false => None,
        };
        let Some((format, compression)) = found else {
            unpacked.skipped.push(PathBuf::from(shown));
            continue;
        };
        let mut path = unpacked.folder.path().join(format!("{:08}", unpacked.files.len() + 1));
        // Commands find out the format by the name.
        if format == Format::Extracted
            && let Some(extension) = member.extension()
        {
            path.set_extension(extension);
        }
        let mut file = File::create_new(&path).map_err(Fault::Write)?;
        let size = entry.size();
        // A document above the limit is named as such when it is read; its size does not matter.
        // A command needs the whole file.
        let is_limited = format.is_document() && format != Format::Extracted;
        let most = match is_limited && compression == Compression::None {
            true => size.min(options.max_record() as u64 + 1),
            false => size,
        };
        let mut content = head.as_slice().chain(&mut entry).take(most);
        let copied = match copy(&mut content, &mut file) {
            Ok(copied) if copied < most => Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(_) => Ok(()),
            Err(Fault::Read(error)) => Err(error),
            Err(fault) => return Err(fault),
        };
        if let Some(time) = archive.modified {
            file.set_modified(time).map_err(Fault::Write)?;
        }
        let metadata = file.metadata().map_err(Fault::Write)?;
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
            damage: copied.is_err().then(String::new),
        });
        copied.map_err(Fault::Read)?;
    }
    bytes.read_padding().map_err(Fault::Read)
}

/// Whether a regular member is a sparse file whose content begins with a map of its holes.
fn is_sparse<R: Read>(entry: &mut tar::Entry<'_, R>) -> io::Result<bool> {
    let mut extensions = entry.pax_extensions()?.into_iter().flatten().flatten();
    Ok(extensions.any(|extension| extension.key_bytes().starts_with(b"GNU.sparse.")))
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
    // Parquet and Arrow compress their own parts; the name of a message says nothing.
    match format {
        Some(format) if format.is_columns() || format == Format::Maildir => {
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

    /// A tar archive of these members; each takes 1024 bytes.
    fn packed(members: &[(&str, &str)]) -> Vec<u8> {
        let mut tar = tar::Builder::new(Vec::new());
        for (name, text) in members {
            let mut header = tar::Header::new_gnu();
            header.set_size(text.len() as u64);
            tar.append_data(&mut header, name, text.as_bytes()).unwrap();
        }
        tar.into_inner().unwrap()
    }

    #[test]
    fn an_archive_that_is_cut_anywhere_has_what_is_before() {
        let members = [("a.txt", "first"), ("b.jsonl", "{}\n{}\n"), ("c.md", "last")];
        let (whole, folder) = (packed(&members), tempfile::tempdir().unwrap());
        let path = folder.path().join("a.tar");
        for cut in (0..whole.len()).step_by(3).chain([512, 1024, 2048, 3072, 3584, whole.len()]) {
            std::fs::write(&path, &whole[..cut]).unwrap();
            let archive = InputFile { path: path.clone(), ..InputFile::in_memory("a.tar") };
            let files = unpack(&archive, &DiscoverOptions::default()).unwrap().files;
            let ends = members.iter().zip(0..).map(|((_, text), at)| 1024 * at + 512 + text.len());
            let complete = ends.filter(|end| *end <= cut).count();
            for (file, (name, text)) in files.iter().zip(&members).take(complete) {
                assert_eq!(
                    (&*file.name, file.size),
                    (&*format!("a.tar!{name}"), text.len() as u64)
                );
                assert_eq!(file.damage, None, "{cut}");
            }
            // Up to the first block of zeros that ends an archive.
            let is_damaged = cut < 3584 && (cut > 3072 || cut % 1024 > 0);
            assert_eq!(files.len(), complete + usize::from(is_damaged), "{cut}");
            assert_eq!(files.last().is_some_and(|last| last.damage.is_some()), is_damaged, "{cut}");
        }
    }
}
