//! Members of tar archives, as files.
//!
//! An archive is unpacked into a temporary directory when inputs are searched, because inputs are read
//! twice. Members get numbers there, so that no name or link in an archive can lead anywhere: a name is
//! only a name in messages and results. Only regular files of supported formats are written, and of a
//! document no more than the largest record allowed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Component, Path, PathBuf};

use super::archive_bytes::ArchiveBytes;
use super::left_out::{self, Neighbours};
use super::left_out_reason::LeftOut;
use super::{
    Compression, DiscoverOptions, Format, InputError, InputFile, earlier_result, foreign, maildir,
    name,
};
use crate::formats;
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
    /// Members and directories that are no data, as `ARCHIVE!MEMBER`.
    pub(super) left_out: BTreeSet<LeftOut>,
    /// The directory of the files.
    pub(super) folder: tempfile::TempDir,
}

impl Unpacked {
    /// Deletes files that are no data: results of runs, and descriptions of data sets.
    fn leave_out(&mut self, archive: &InputFile) {
        let mut known = Neighbours::default();
        let member = |file: &InputFile| -> PathBuf {
            file.relative.strip_prefix(&archive.relative).unwrap_or(&file.relative).to_path_buf()
        };
        for file in &self.files {
            known.note(&member(file), || earlier_result::is_summary(&file.path));
        }
        let Self { files, skipped, left_out, .. } = self;
        files.retain(|file| {
            let Some(LeftOut { path, reason }) = known.leave_out(&member(file)) else {
                return true;
            };
            left_out.insert(LeftOut { path: shown(archive, &path).into(), reason });
            // If it cannot be deleted now, it is with its directory.
            let _ = std::fs::remove_file(&file.path);
            false
        });
        let in_result = |name: &PathBuf| {
            known.results().iter().any(|result| name.starts_with(shown(archive, result)))
        };
        skipped.retain(|name| !in_result(name));
    }
}

/// The name of a member.
fn shown(archive: &InputFile, member: &Path) -> String {
    format!("{}!{}", archive.name, name::readable(member))
}

/// Members whose format depends on the members after them.
#[derive(Default)]
struct Undecided {
    maildirs: maildir::MemberMaildirs,
    /// Files that are messages if their directory is a whole Maildir.
    files: Vec<UndecidedFile>,
}

struct UndecidedFile {
    /// Its index among the files.
    index: usize,
    member: PathBuf,
    /// Its format and compression outside of a Maildir, if that is supported.
    otherwise: Option<(Format, Compression)>,
}

impl Undecided {
    /// Settles the formats; all members that can be read were seen.
    fn settle(self, unpacked: &mut Unpacked) {
        let Unpacked { files, skipped, .. } = unpacked;
        let mut others = self.files.iter().filter(|file| !self.maildirs.hold(&file.member));
        let (mut next, mut index) = (others.next(), 0);
        files.retain_mut(|file| {
            let other = next.filter(|other| other.index == index);
            index += 1;
            let Some(other) = other else { return true };
            next = others.next();
            if let Some((format, compression)) = other.otherwise {
                (file.format, file.compression) = (format, compression);
                return true;
            }
            // If it cannot be deleted now, it is with its directory.
            let _ = std::fs::remove_file(&file.path);
            skipped.push(PathBuf::from(&file.name));
            false
        });
    }
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
    let (files, skipped, left_out) = Default::default();
    let mut unpacked = Unpacked { files, skipped, left_out, folder };
    let mut undecided = Undecided::default();
    let damage = match ArchiveBytes::open(archive) {
        Err(error) => Some(open::explain(&error)),
        Ok(bytes) => match members(archive, &bytes, options, &mut unpacked, &mut undecided) {
            Ok(()) => bytes.rest(),
            Err(Fault::Read(error)) => Some(bytes.explain(&error)),
            Err(Fault::Write(error)) => return Err(unwritable(error)),
        },
    };
    undecided.settle(&mut unpacked);
    unpacked.leave_out(archive);
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
        format: Format::TEXT,
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

/// Unpacks the members, also of archives that follow the end of the first one (`cat a.tar b.tar`). A member
/// that is cut off has an empty [`InputFile::damage`].
fn members(
    archive: &InputFile,
    bytes: &ArchiveBytes,
    options: &DiscoverOptions,
    unpacked: &mut Unpacked,
    undecided: &mut Undecided,
) -> Result<(), Fault> {
    let mut names: BTreeMap<String, u32> = BTreeMap::new();
    loop {
        members_to_end_mark(archive, bytes, options, unpacked, undecided, &mut names)?;
        if !bytes.skip_zeros().map_err(Fault::Read)? {
            return Ok(());
        }
    }
}

/// Unpacks the members up to a block of zeros, or to the end of the file.
fn members_to_end_mark(
    archive: &InputFile,
    bytes: &ArchiveBytes,
    options: &DiscoverOptions,
    unpacked: &mut Unpacked,
    undecided: &mut Undecided,
    names: &mut BTreeMap<String, u32>,
) -> Result<(), Fault> {
    let mut tar = tar::Archive::new(bytes);
    let mut entries = tar.entries().map_err(Fault::Read)?;
    let first = bytes.position();
    let mut start = first;
    loop {
        bytes.bound_headers(start);
        let Some(entry) = entries.next() else { return Ok(()) };
        let mut entry = entry.map_err(|error| {
            if start == first && first > 0 {
                bytes.refuse_rest(first);
            }
            Fault::Read(error)
        })?;
        bytes.unbound();
        let kind = entry.header().entry_type();
        let held = match kind.is_gnu_sparse() {
            true => entry.header().entry_size().map_err(Fault::Read)?,
            false => entry.size(),
        };
        start = first.saturating_add(entry.raw_file_position()).saturating_add(held);
        let member = entry.path().map_err(Fault::Read)?.into_owned();
        if kind.is_pax_global_extensions() {
            continue;
        }
        let normal = member.components().filter(|part| matches!(part, Component::Normal(_)));
        let plain: PathBuf = normal.collect();
        let is_directory = kind.is_dir();
        let directory = if is_directory { Some(&*plain) } else { plain.parent() };
        undecided.maildirs.note(directory.unwrap_or(&plain));
        if is_directory {
            continue;
        }
        if let Some(LeftOut { path, reason }) = left_out::by_name(&plain) {
            unpacked.left_out.insert(LeftOut { path: shown(archive, &path).into(), reason });
            continue;
        }
        let shown = shown(archive, &member);
        let mut head = Vec::new();
        let is_file = (kind.is_file() || kind.is_contiguous())
            && !is_sparse(&mut entry).map_err(Fault::Read)?;
        let found = match is_file {
            true => format(&member, options, &mut entry, &mut head).map_err(Fault::Read)?,
            false => None,
        };
        let is_undecided = is_file && may_be_message(&member, options);
        let Some((format, compression)) = (match is_undecided {
            true => Some((Format::MAILDIR, Compression::None)),
            false => found,
        }) else {
            unpacked.skipped.push(PathBuf::from(shown));
            continue;
        };
        let mut path = unpacked.folder.path().join(format!("{:08}", unpacked.files.len() + 1));
        // Commands find out the format by the name.
        if format == Format::EXTRACTED
            && let Some(extension) = member.extension()
        {
            path.set_extension(extension);
        }
        let mut file = File::create_new(&path).map_err(Fault::Write)?;
        let size = entry.size();
        // A document above the limit is named as such when it is read; its size does not matter.
        // A command needs the whole file.
        let may_be_mbox = is_undecided && found.is_some();
        let is_limited = format.is_document() && format != Format::EXTRACTED && !may_be_mbox;
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
        let relative = archive.relative.components().chain(plain.components()).collect();
        if is_undecided {
            let index = unpacked.files.len();
            undecided.files.push(UndecidedFile { index, member: plain, otherwise: found });
        }
        unpacked.files.push(InputFile {
            path,
            name: if *times > 1 { format!("{shown} ({times})") } else { shown },
            relative,
            format,
            compression,
            size: metadata.len(),
            modified: metadata.modified().ok(),
            object: None,
            damage: copied.is_err().then(String::new),
            partitions: archive.partitions.with(&member),
            argument: archive.argument.clone(),
        });
        copied.map_err(Fault::Read)?;
    }
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

/// Whether a member is a message if its directory is one of a whole Maildir, though its name does not
/// say so.
fn may_be_message(member: &Path, options: &DiscoverOptions) -> bool {
    options.format.is_none()
        && options.formats.extractor(member).is_none()
        && maildir::is_among_messages(member)
        && !maildir::is_message_name(member)
        && formats::of_name(member).0.is_none()
        && foreign::remedy(member).is_none()
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
        return Ok(Some((Format::EXTRACTED, Compression::None)));
    }
    let (named, compression) = formats::of_name(member);
    if options.format == Some(Format::MAILDIR) {
        // Other files of a mail server are in directories of a Maildir too.
        let is_message = maildir::is_among_messages(member);
        return Ok(is_message.then_some((Format::MAILDIR, Compression::None)));
    }
    let in_maildir = maildir::is_among_messages(member) && maildir::is_message_name(member);
    let format = match options.format {
        None if in_maildir => Some(Format::MAILDIR),
        None => named,
        given => given,
    };
    match format {
        Some(format) if !format.is_named_packed() => {
            return Ok(Some((format, Compression::None)));
        }
        Some(format) if format == Format::TEXT && options.format.is_none() => {
            content.take(formats::HEAD as u64).read_to_end(head)?;
            let format = formats::by_text_content(head).unwrap_or(format);
            return Ok(Some((format, compression)));
        }
        Some(format) => return Ok(Some((format, compression))),
        None if foreign::remedy(member).is_some() => return Ok(None),
        None => {}
    }
    content.take(formats::HEAD as u64).read_to_end(head)?;
    Ok(formats::by_content(head).map(|format| (format, Compression::None)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLOCK: usize = 512;

    #[test]
    fn archives_are_known_by_name() {
        for name in ["a.tar", "A.TAR.GZ", "b.tgz", "c.tar.zst", "d.tbz2", "e.tar.xz"] {
            assert!(is_archive(Path::new(name)), "{name}");
        }
        for name in ["a.gz", "tar", "a.tar.txt", "x.zip"] {
            assert!(!is_archive(Path::new(name)), "{name}");
        }
    }

    #[test]
    fn a_maildir_in_an_archive_is_read_as_in_a_directory() {
        let mail = "Subject: x\n\nx\n";
        let message = "1000000001.1.host:2,S";
        let names = [
            format!("M/cur/{message}"),
            "M/cur/12".to_owned(),
            "M/new/13".to_owned(),
            "M/cur/a.txt".to_owned(),
            "M/cur/a.pdf".to_owned(),
            format!("M/.Sent/cur/{message}"),
            "M/.Sent/tmp/1000000002.2.host".to_owned(),
            "M/.cache/a.txt".to_owned(),
            // Archives omit empty directories: names decide.
            "N/cur/14".to_owned(),
            format!("N/.Old.2025/new/{message}"),
        ];
        let members: Vec<(&str, &str)> = names.iter().map(|name| (&**name, mail)).collect();
        let mbox = ("N/cur/Inbox", "From a@b Mon Nov 23 10:00:00 2026\nSubject: x\n\nx\n");
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.tar");
        std::fs::write(&path, packed(&[&members[..], &[mbox]].concat())).unwrap();
        let archive = InputFile { path, ..InputFile::in_memory("a.tar") };
        let unpacked = unpack(&archive, &DiscoverOptions::default()).unwrap();
        let found: Vec<(&str, Format)> =
            unpacked.files.iter().map(|file| (&file.name[6..], file.format)).collect();
        let expected = [
            (&*names[0], Format::MAILDIR),
            (&names[1], Format::MAILDIR),
            (&names[2], Format::MAILDIR),
            (&names[3], Format::TEXT),
            (&names[5], Format::MAILDIR),
            (&names[9], Format::MAILDIR),
            ("N/cur/Inbox", Format::MBOX),
        ];
        assert_eq!(found, expected);
        let mut skipped: Vec<_> =
            unpacked.skipped.iter().map(|path| path.to_str().unwrap()).collect();
        skipped.sort_unstable();
        assert_eq!(
            skipped,
            ["a.tar!M/.Sent/tmp/1000000002.2.host", "a.tar!M/cur/a.pdf", "a.tar!N/cur/14"]
        );
        // As many files are left in the directory as are read.
        assert_eq!(std::fs::read_dir(unpacked.folder.path()).unwrap().count(), found.len());

        // The format given counts for all files of Maildirs, and for no others.
        let options =
            DiscoverOptions { format: Some(Format::MAILDIR), ..DiscoverOptions::default() };
        let unpacked = unpack(&archive, &options).unwrap();
        assert_eq!((unpacked.files.len(), unpacked.skipped.len()), (9, 1));
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

    /// The members of an archive with these bytes, and the damage.
    fn unpacked(bytes: &[u8]) -> (Vec<(String, String)>, Option<String>) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.tar");
        std::fs::write(&path, bytes).unwrap();
        let archive = InputFile { path, ..InputFile::in_memory("a.tar") };
        let unpacked = unpack(&archive, &DiscoverOptions::default()).unwrap();
        let mut damage = None;
        let files = unpacked.files.iter().filter(|file| {
            damage = damage.take().or(file.damage.clone());
            file.damage.is_none()
        });
        let read = |file: &InputFile| std::fs::read_to_string(&file.path).unwrap();
        (files.map(|file| (file.name[6..].to_owned(), read(file))).collect(), damage)
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        std::io::Write::write_all(&mut encoder, bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn archives_one_after_the_other_are_read_to_the_end() {
        let long = "d/".repeat(100) + "b.txt";
        let (a, b) = (packed(&[("a.txt", "1")]), packed(&[(&long, "2"), ("a.txt", "3")]));
        let expected = [("a.txt", "1"), (&*long, "2"), ("a.txt (2)", "3")];
        let expected = expected.map(|(name, text)| (name.to_owned(), text.to_owned())).to_vec();
        let mark = |blocks: usize| vec![0; BLOCK * blocks];
        let bare = &a[..2 * BLOCK];
        for (gap, rest) in [
            (mark(2), mark(2)),
            // A lone block, none, the rest of a record, and of the largest records.
            (mark(1), mark(0)),
            (mark(0), mark(1)),
            (mark(18), mark(18)),
            (mark(3000), mark(3000)),
            (mark(2), vec![0; 2 * BLOCK + 7]),
        ] {
            let end = b.len() - 2 * BLOCK;
            let whole = [bare, &*gap, &b[..end], &*rest].concat();
            assert_eq!(unpacked(&whole), (expected.clone(), None));
            let parts =
                [gzip(&[bare, &*gap].concat()), gzip(&[&b[..end], &*rest].concat())].concat();
            assert_eq!(unpacked(&parts), (expected.clone(), None));
            assert_eq!(unpacked(&gzip(&whole)), (expected.clone(), None));
        }
        // Cut anywhere, what is complete is read, and the rest is named.
        let whole = [&*a, &*b].concat();
        for cut in (a.len() + 1..whole.len() - 2 * BLOCK).step_by(97) {
            let (files, damage) = unpacked(&whole[..cut]);
            assert!(damage.is_some_and(|words| words.contains("damaged")), "{cut}");
            assert_eq!(files[..], expected[..files.len()], "{cut}");
            assert!(!files.is_empty());
        }
    }

    #[test]
    fn what_follows_archives_and_is_none_is_named() {
        let a = packed(&[("a.txt", "1")]);
        let one = vec![("a.txt".to_owned(), "1".to_owned())];
        for rest in [&b"garbage"[..], &[7; 600], &[&[0; 700][..], b"x"].concat()] {
            let (files, damage) = unpacked(&[&*a, rest].concat());
            assert_eq!(files, one);
            let damage = damage.unwrap();
            assert!(damage.contains("behind the end of the archive"), "{damage}");
            assert!(
                damage.contains(&format!(
                    "at byte {}",
                    a.len() + if rest[0] == 0 { BLOCK } else { 0 }
                )),
                "{damage}"
            );
        }
        let (files, damage) = unpacked(&[gzip(&a), a.clone()].concat());
        assert_eq!(files, one);
        assert!(damage.unwrap().contains("not compressed"));
        // Nothing but zeros is an archive without members.
        assert_eq!(unpacked(&[0; 10 * BLOCK]), (Vec::new(), None));
    }
}
