//! The search for input files.

use std::any::Any;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use lookalike_store::{is_url, shown_url};

use super::files::check_count;
use super::left_out::{self, DataSets, Neighbours};
use super::left_out_reason::{LeftOut, LeftOutReason};
use super::maildir::Holds;
use super::tally::Tally;
use super::{
    Compression, DiscoverOptions, Format, InputError, InputFile, Inputs, archive, archive_bytes,
    compression, earlier_result, foreign, maildir, name, pattern, remote, spool,
};
use crate::Partitions;
use crate::formats;
use crate::source::open;

/// The argument for standard input.
const STDIN: &str = "-";

impl Inputs {
    /// Finds the inputs that the arguments name.
    ///
    /// An argument is a file, a directory (read recursively, without links to directories), a pattern
    /// with `*`, `?` or `[...]` unless a file has that very name, or `-` for standard input (JSONL, or
    /// the format of the options). `**` follows no links to directories. A file that is named in two ways
    /// is read once. A pipe is copied, as standard input is.
    ///
    /// Names in directories that are [no data](LeftOut) are left out: those that begin with `_` or `.`,
    /// results of earlier runs, descriptions of data sets. Wildcards match such names only if they begin
    /// so themselves (`_*`), and in a result only if they begin with a part of the name (`kept*`).
    ///
    /// An argument that is a URL is an object in a store, all objects below it, those that match it
    /// as a pattern, or one object of a web server.
    ///
    /// In the `cur` and `new` directories of a Maildir, every file without the extension of another
    /// format is a message; hidden directories of a Maildir that are Maildirs are read too.
    /// A file without a known extension is an mbox if it starts as one.
    ///
    /// The members of tar archives are files, named `ARCHIVE!MEMBER`. An archive from standard input
    /// or a pipe is known by its first bytes; one in a store is copied. A damaged archive has the
    /// members before the damage, and one with [`InputFile::damage`].
    ///
    /// # Errors
    /// An argument that matches nothing, a file of unknown format, a directory that cannot be
    /// listed, or no file at all; two commands for one extension.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let folder = tempfile::tempdir()?;
    /// # let folder = folder.path();
    /// use lookalike_io::{DiscoverOptions, Format, Inputs};
    ///
    /// std::fs::write(folder.join("b.txt"), "some text")?;
    /// std::fs::write(folder.join("a.jsonl"), "{\"text\":\"more text\"}\n")?;
    /// std::fs::write(folder.join("Makefile"), "all:\n")?;
    ///
    /// let arguments = [folder.display().to_string()];
    /// let inputs = Inputs::discover(&arguments, DiscoverOptions::default())?;
    /// assert_eq!(inputs.files.len(), 2);
    /// assert_eq!(inputs.files[0].format, Format::JSONL);
    /// assert_eq!(inputs.skipped, [folder.join("Makefile")]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn discover(args: &[String], options: DiscoverOptions) -> Result<Self, InputError> {
        Self::discover_in(Path::new(""), args, options)
    }

    /// The same, with relative arguments looked up in `base`: files have the names that they have
    /// in [`Inputs::discover`] with `base` as the current directory.
    ///
    /// # Errors
    /// As [`Inputs::discover`].
    pub fn discover_in(
        base: &Path,
        args: &[String],
        options: DiscoverOptions,
    ) -> Result<Self, InputError> {
        discover(base, args, options, &mut std::io::stdin().lock())
    }
}

/// Finds the files that the arguments name; `stdin` is read if one of them is `-`. Relative arguments
/// are looked up in `base`, which is empty for the current directory.
fn discover(
    base: &Path,
    args: &[String],
    options: DiscoverOptions,
    stdin: &mut dyn Read,
) -> Result<Inputs, InputError> {
    options.formats.check()?;
    let mut search = Search::new(base, &options);
    let mut known = BTreeSet::new();
    let given: Vec<&String> = args.iter().filter(|arg| known.insert(*arg)).collect();
    for (number, arg) in (0..).zip(&given) {
        search.number = number;
        search.argument(arg)?;
    }
    search.forget_named();
    let Search { found, skipped, left_out, mut copies, archives, stdin: named, .. } = search;
    let mut left_out: BTreeSet<LeftOut> =
        left_out.into_iter().map(|(path, reason)| LeftOut { path, reason }).collect();
    let reads_stdin = !named.is_empty();
    if reads_stdin {
        let known = found.values().chain(archives.values()).map(|place| &place.file);
        let known = known.chain(copies.iter().map(|((file, _), _)| file));
        let names: Vec<&str> = known.map(|file| file.name.as_str()).collect();
        copies.push((spool::stdin(stdin, &options, &names)?, named));
    }
    let (mut files, mut archives): (Vec<Place>, Vec<Place>) =
        (found.into_values().collect(), archives.into_values().collect());
    let mut owners: Vec<Arc<dyn Any + Send + Sync>> = Vec::with_capacity(copies.len());
    for ((file, path), arguments) in copies {
        // The name of a pipe need not say what comes from it; that of a file for a command does.
        let is_archive = archive::is_archive(&file.relative)
            || (file.format != Format::EXTRACTED && archive_bytes::is_tar(&file));
        if is_archive { &mut archives } else { &mut files }.push(Place { file, arguments });
        owners.push(path);
    }
    let mut tally = Tally::new(&given);
    files.iter().for_each(|place| tally.add(&place.arguments, 1, 0));
    skipped.values().for_each(|arguments| tally.add(arguments, 0, 1));
    let shown: Vec<String> = given.iter().map(|arg| shown_url(arg)).collect();
    let with_argument = |Place { file, arguments }: Place| {
        let named = arguments.iter().map(|&number| &shown[number as usize]).min();
        InputFile { argument: named.cloned().unwrap_or_default(), ..file }
    };
    let mut files: Vec<InputFile> = files.into_iter().map(with_argument).collect();
    let mut skipped: BTreeSet<PathBuf> = skipped.into_keys().collect();
    let mut unpacked = Vec::with_capacity(archives.len());
    let mut read = Vec::with_capacity(archives.len());
    for archive in archives {
        let arguments = archive.arguments.clone();
        let archive = with_argument(archive);
        let members = archive::unpack(&archive, &options)?;
        read.push(archive);
        tally.add(&arguments, members.files.len(), members.skipped.len());
        files.extend(members.files);
        skipped.extend(members.skipped);
        left_out.extend(members.left_out);
        unpacked.push(Arc::new(members.folder));
    }
    let archives = read;
    if files.is_empty() {
        let given = if args.is_empty() {
            "no inputs".to_string()
        } else {
            args.iter().map(|arg| shown_url(arg)).collect::<Vec<_>>().join(" ")
        };
        let first = skipped.first().map(|first| match foreign::remedy(first) {
            Some(remedy) => format!("{}: {remedy}", first.display()).into(),
            None => first.display().to_string().into(),
        });
        let out = left_out.first().cloned().map(|first| (left_out.len(), first));
        let (skipped, supported) = (skipped.len(), formats::extensions().into());
        return Err(InputError::Nothing { given, skipped, first, supported, left_out: out });
    }
    check_count(files.len())?;
    files.sort_by(|a, b| a.name.cmp(&b.name));
    distinguish(&mut files);
    let is_local =
        |file: &&mut InputFile| file.format.is_settled_by_bytes() && file.object.is_none();
    for file in files.iter_mut().filter(is_local) {
        match open::head(&file.path, compression::HEAD) {
            Ok(head) => file.compression = compression::settle(file.compression, &head),
            // It may be readable later, but is not known to be what its name says.
            Err(error) => _ = file.damage.get_or_insert_with(|| open::explain_head(&error)),
        }
    }
    let skipped = skipped.into_iter().collect();
    let left_out = left_out.into_iter().collect();
    let mostly_skipped = tally.mostly_skipped();
    Ok(Inputs {
        files,
        options,
        skipped,
        left_out,
        mostly_skipped,
        owners,
        reads_stdin,
        archives,
        unpacked,
    })
}

/// Gives different names to objects whose addresses differ in their queries only. The files are
/// sorted by name.
fn distinguish(files: &mut [InputFile]) {
    let mut repeats = 0;
    for at in 1..files.len() {
        let is_repeat = files[at].object.is_some() && files[at].path == files[at - 1].path;
        repeats = if is_repeat { repeats + 1 } else { 0 };
        if is_repeat {
            files[at].name.push_str(&format!("#{}", repeats + 1));
        }
    }
}

struct Search<'a> {
    options: &'a DiscoverOptions,
    /// The directory of relative arguments. Names of files that these lead to do not contain it.
    base: &'a Path,
    /// Whether the argument is relative.
    is_relative: bool,
    /// Real paths that are skipped.
    excluded: Vec<PathBuf>,
    /// The number of the argument.
    number: u32,
    /// Files by real path, so that every file is read once.
    found: BTreeMap<PathBuf, Place>,
    /// Archives, as well.
    archives: BTreeMap<PathBuf, Place>,
    /// Skipped files, and the numbers of the arguments that led there.
    skipped: BTreeMap<PathBuf, Vec<u32>>,
    /// What is no data, and why.
    left_out: BTreeMap<PathBuf, LeftOutReason>,
    maildirs: maildir::Maildirs,
    /// Copies of pipes, of archives in stores and of objects that cannot be read in parts, with the
    /// numbers of the arguments.
    copies: Vec<(spool::Spooled, Vec<u32>)>,
    /// Archives in stores by their addresses, and the index of the copy.
    copied: BTreeMap<String, usize>,
    /// Arguments that name standard input.
    stdin: Vec<u32>,
    /// Files of unknown formats that cannot be read, and why.
    unread: BTreeMap<PathBuf, String>,
}

/// A file, and the numbers of the arguments that led there, in order.
struct Place {
    file: InputFile,
    arguments: Vec<u32>,
}

/// How a file was found.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Found {
    /// Named by an argument.
    Named,
    /// In a directory, or by a pattern.
    Below,
}

impl<'a> Search<'a> {
    fn new(base: &'a Path, options: &'a DiscoverOptions) -> Self {
        let excluded = options.exclude.iter().filter_map(|path| real(path)).collect();
        let maildirs = maildir::Maildirs::default();
        let (number, found, archives, skipped) = Default::default();
        let (left_out, copies, copied, stdin, unread) = Default::default();
        Self {
            options,
            base,
            is_relative: true,
            excluded,
            number,
            found,
            archives,
            skipped,
            left_out,
            maildirs,
            copies,
            copied,
            stdin,
            unread,
        }
    }

    fn argument(&mut self, arg: &str) -> Result<(), InputError> {
        if is_url(arg) {
            return self.url(arg);
        }
        if arg == STDIN || spool::is_stdin(Path::new(arg)) {
            self.stdin.push(self.number);
            return Ok(());
        }
        self.is_relative = Path::new(arg).is_relative();
        let path = &*self.base.join(arg);
        match std::fs::metadata(path) {
            Ok(metadata) if spool::is_pipe(&metadata) => self.pipe(path),
            Ok(metadata) if metadata.is_dir() => {
                earlier_result::refuse(path)?;
                self.directory(path, path)
            }
            Ok(_) => self.file(path, path.parent().unwrap_or(path), Found::Named),
            Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
                Err(InputError::io("look at it", path, e))
            }
            Err(_) if arg.contains(['*', '?', '[']) => self.pattern(arg),
            Err(_) => Err(InputError::NotFound { path: path.to_path_buf() }),
        }
    }

    /// The name of a file that the argument leads to.
    fn name(&self, path: &Path) -> String {
        name::readable(self.below_base(path))
    }

    /// The path as it follows from the argument.
    fn below_base<'p>(&self, path: &'p Path) -> &'p Path {
        path.strip_prefix(self.base).ok().filter(|_| self.is_relative).unwrap_or(path)
    }

    fn url(&mut self, url: &str) -> Result<(), InputError> {
        let found = remote::discover(url, self.options)?;
        for file in found.files {
            // The address with its query.
            let place = file.object.as_ref().map(|object| object.address.url());
            let place = place.unwrap_or_default().into();
            insert(&mut self.found, place, file, self.number);
        }
        for file in found.archives {
            let place = file.object.as_ref().map(|object| object.address.url());
            match self.copied.entry(place.unwrap_or_default()) {
                Entry::Vacant(entry) => {
                    entry.insert(self.copies.len());
                    self.copies.push((spool::archive(file, self.options)?, vec![self.number]));
                }
                Entry::Occupied(entry) => note(&mut self.copies[*entry.get()].1, self.number),
            }
        }
        found.skipped.into_iter().for_each(|path| self.skip(path));
        found.left_out.into_iter().for_each(|out| self.leave_out(out.path, out.reason));
        self.copies.extend(found.spooled.map(|copy| (copy, vec![self.number])));
        Ok(())
    }

    /// Removes what other arguments name from what is left out.
    fn forget_named(&mut self) {
        let Self { left_out, found, archives, .. } = self;
        left_out.retain(|path, _| {
            let Ok(place) = path.canonicalize() else { return true };
            let is_read = |known: &BTreeMap<PathBuf, Place>| {
                known
                    .range(place.clone()..)
                    .next()
                    .is_some_and(|(path, _)| path.starts_with(&place))
            };
            !is_read(found) && !is_read(archives)
        });
    }

    fn skip(&mut self, path: PathBuf) {
        note(self.skipped.entry(path).or_default(), self.number);
    }

    /// Copies a pipe. Its format is that of its name, or JSONL as that of standard input.
    fn pipe(&mut self, path: &Path) -> Result<(), InputError> {
        let name = self.name(path);
        // A pipe that is named twice has no more to read.
        if self.copies.iter().any(|((file, _), _)| file.name == name) {
            return Ok(());
        }
        let (format, _) = self.format_of_name(path);
        let format = format.unwrap_or(Format::JSONL);
        let copy = spool::pipe(path, name, format, self.options)?;
        self.copies.push((copy, vec![self.number]));
        Ok(())
    }

    /// Format and compression by options or name.
    fn format_of_name(&self, path: &Path) -> (Option<Format>, Compression) {
        let (named, compression) = formats::of_name(path);
        (self.options.format.or(named), compression)
    }

    fn pattern(&mut self, pattern: &str) -> Result<(), InputError> {
        let base = self.base.join(literal_part(Path::new(pattern)));
        let pattern::Matches { found, left_out } = pattern::matches(self.base, pattern)?;
        if found.is_empty() && left_out.is_empty() {
            return Err(InputError::NoMatch { pattern: pattern.to_string() });
        }
        left_out.into_iter().for_each(|out| self.leave_out(out.path, out.reason));
        for (path, is_named) in found {
            match std::fs::metadata(&path) {
                Ok(metadata) if metadata.is_dir() => self.directory(&path, &base)?,
                Ok(metadata) if metadata.is_file() => {
                    if !is_named && DataSets::describes_on_disk(&path) {
                        self.leave_out(path, LeftOutReason::DataSetInfo);
                        continue;
                    }
                    self.file(&path, &base, Found::Below)?;
                }
                _ => self.skip(path),
            }
        }
        Ok(())
    }

    /// Reads a directory recursively, without following links to directories. What is no data in it is
    /// left out, and so is all of it, if it is a result.
    fn directory(&mut self, directory: &Path, base: &Path) -> Result<(), InputError> {
        let mut open = vec![directory.to_path_buf()];
        let (mut files, mut known) = (Vec::new(), Neighbours::default());
        while let Some(directory) = open.pop() {
            let fail = |e| InputError::io("list the directory", &directory, e);
            if earlier_result::is_result(&directory) {
                self.leave_out(directory, LeftOutReason::Result);
                continue;
            }
            for entry in std::fs::read_dir(&directory).map_err(fail)? {
                let entry = entry.map_err(fail)?;
                let (path, name) = (entry.path(), entry.file_name());
                let kind = entry.file_type().map_err(fail)?;
                let leads_to_file = || std::fs::metadata(&path).is_ok_and(|file| file.is_file());
                let is_file = kind.is_file() || (kind.is_symlink() && leads_to_file());
                if (kind.is_dir() || is_file) && self.is_excluded(&path) {
                    continue;
                }
                let is_mail = || {
                    (kind.is_dir() && maildir::is_folder(&path, &directory))
                        || maildir::is_mail(&path, kind.is_dir())
                };
                if left_out::is_marked(&name) && !is_mail() {
                    self.leave_out(path, LeftOutReason::Name);
                } else if kind.is_dir() && left_out::is_unfinished(&name) {
                    self.leave_out(path, LeftOutReason::Unfinished);
                } else if kind.is_dir() {
                    open.push(path);
                } else if is_file {
                    known.note(&path, || false);
                    files.push(path);
                } else {
                    self.skip(path);
                }
            }
        }
        for path in files {
            match known.leave_out(&path) {
                None => self.file(&path, base, Found::Below)?,
                Some(out) => self.leave_out(out.path, out.reason),
            }
        }
        Ok(())
    }

    fn leave_out(&mut self, path: PathBuf, reason: LeftOutReason) {
        self.left_out.insert(path, reason);
    }

    fn is_excluded(&self, path: &Path) -> bool {
        !self.excluded.is_empty() && real(path).is_some_and(|real| self.excluded.contains(&real))
    }

    fn file(&mut self, path: &Path, base: &Path, found: Found) -> Result<(), InputError> {
        let fail = |e| InputError::io("look at the file", path, e);
        let metadata = std::fs::metadata(path).map_err(fail)?;
        if !metadata.is_file() {
            return Err(InputError::NotAFile { path: path.to_path_buf() });
        }
        let is_archive = archive::is_archive(path);
        let (format, mut compression) = match is_archive {
            // The format of its members is found later.
            true => (Some(Format::TEXT), Compression::None),
            false => self.format(path, found),
        };
        let Some(format) = format else {
            return match found {
                Found::Named => Err(foreign::unknown(path.to_path_buf())),
                Found::Below => {
                    self.skip(path.to_path_buf());
                    Ok(())
                }
            };
        };
        if !format.is_named_packed() {
            compression = Compression::None;
        }
        let file = InputFile {
            path: path.to_path_buf(),
            name: self.name(path),
            relative: path.strip_prefix(base).unwrap_or(path).to_path_buf(),
            format,
            compression,
            size: metadata.len(),
            modified: metadata.modified().ok(),
            object: None,
            damage: self.unread.remove(path),
            partitions: Partitions::of(self.below_base(path)),
            argument: String::new(),
        };
        let place = path.canonicalize().map_err(fail)?;
        let known = if is_archive { &mut self.archives } else { &mut self.found };
        insert(known, place, file, self.number);
        Ok(())
    }
}

/// Notes a file to which an argument leads.
fn insert(known: &mut BTreeMap<PathBuf, Place>, place: PathBuf, file: InputFile, argument: u32) {
    match known.entry(place) {
        Entry::Vacant(entry) => {
            entry.insert(Place { file, arguments: vec![argument] });
        }
        Entry::Occupied(entry) => {
            let known = entry.into_mut();
            note(&mut known.arguments, argument);
            // If several names lead to the same file, the smallest one is used.
            if file.name < known.file.name {
                known.file = file;
            }
        }
    }
}

fn note(arguments: &mut Vec<u32>, argument: u32) {
    if arguments.last() != Some(&argument) {
        arguments.push(argument);
    }
}

impl Search<'_> {
    /// Format, if it is supported, and compression of a file.
    fn format(&mut self, path: &Path, found: Found) -> (Option<Format>, Compression) {
        if self.options.formats.extractor(path).is_some() {
            return (Some(Format::EXTRACTED), Compression::None);
        }
        let (named, compression) = formats::of_name(path);
        if self.options.format == Some(Format::MAILDIR) {
            // Other files of a mail server are in directories of a Maildir too.
            let message = found == Found::Named || self.maildirs.of(path) > Holds::Nothing;
            return (message.then_some(Format::MAILDIR), compression);
        }
        if self.options.format.is_some() {
            return (self.options.format, compression);
        }
        let message_name = maildir::is_message_name(path);
        if named.is_none() || message_name {
            let message = match self.maildirs.of(path) {
                Holds::Nothing => false,
                Holds::Names => message_name && (named.is_none() || maildir::has_flags(path)),
                Holds::Messages => message_name || foreign::remedy(path).is_none(),
            };
            if message {
                return (Some(Format::MAILDIR), compression);
            }
        }
        if named.is_none() && foreign::remedy(path).is_none() {
            match open::head(path, formats::HEAD) {
                Ok(head) => {
                    if let Some(format) = formats::by_content(&head) {
                        return (Some(format), Compression::None);
                    }
                }
                // Skipped, as any file of unknown format.
                Err(error) if is_kept_from_us(&error) => {}
                // It may be an mbox.
                Err(error) => {
                    self.unread.insert(path.to_path_buf(), open::explain_head(&error));
                    return (Some(Format::TEXT), Compression::None);
                }
            }
        }
        if named == Some(Format::TEXT) {
            match open::head(path, formats::HEAD) {
                Ok(head) => {
                    if let Some(format) = formats::by_text_content(&head) {
                        return (Some(format), compression);
                    }
                }
                // It may be readable later, but is not known to be a text.
                Err(error) => {
                    self.unread.insert(path.to_path_buf(), open::explain_head(&error));
                }
            }
        }
        (named, compression)
    }
}

/// Whether a file is gone, or not for us to read.
fn is_kept_from_us(error: &std::io::Error) -> bool {
    matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::PermissionDenied)
}

/// The real path, also of a path that does not exist in a directory that does.
pub(crate) fn real(path: &Path) -> Option<PathBuf> {
    path.canonicalize().ok().or_else(|| {
        let whole = std::path::absolute(path).ok()?;
        Some(whole.parent()?.canonicalize().ok()?.join(whole.file_name()?))
    })
}

/// The directories that a pattern names before its first wildcard.
fn literal_part(pattern: &Path) -> PathBuf {
    let wild = |part: &Component<'_>| {
        part.as_os_str().as_encoded_bytes().iter().any(|byte| matches!(byte, b'*' | b'?' | b'['))
    };
    pattern.components().take_while(|part| !wild(part)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn from_stdin(args: &[&str], content: &[u8], scratch: &Path) -> Result<Inputs, InputError> {
        let args: Vec<String> = args.iter().map(|arg| arg.to_string()).collect();
        let options = DiscoverOptions {
            scratch: Some(scratch.to_path_buf()),
            format: (args.len() > 2).then_some(Format::TEXT),
            ..DiscoverOptions::default()
        };
        discover(Path::new(""), &args, options, &mut &content[..])
    }

    #[test]
    fn standard_input_is_kept_as_long_as_the_inputs_are() {
        let scratch = tempfile::tempdir().unwrap();
        let inputs = from_stdin(&["-", "-"], b"{\"text\":\"a\"}\n", scratch.path()).unwrap();
        let [file] = &inputs.files[..] else { panic!("{inputs:?}") };
        assert_eq!((file.name.as_str(), file.format, file.size), ("stdin", Format::JSONL, 13));
        assert_eq!(file.compression, Compression::None);
        // A run reads its inputs twice.
        for _ in 0..2 {
            assert_eq!(inputs.chunks().filter(|piece| piece.records().is_some()).count(), 1);
        }
        inputs.verify_unchanged().unwrap();
        let path = file.path.clone();
        assert!(path.starts_with(scratch.path()));
        drop(inputs);
        assert!(!path.exists());
    }

    #[test]
    fn compressed_standard_input_is_recognised() {
        let scratch = tempfile::tempdir().unwrap();
        let packed = zstd::stream::encode_all(&b"{\"text\":\"a\"}\n"[..], 1).unwrap();
        let inputs = from_stdin(&["-"], &packed, scratch.path()).unwrap();
        assert_eq!(inputs.files[0].compression, Compression::Zstd);
    }

    #[test]
    fn a_file_that_is_called_stdin_keeps_its_name() {
        let scratch = tempfile::tempdir().unwrap();
        std::fs::write(scratch.path().join("stdin"), "a").unwrap();
        let file = scratch.path().join("stdin").display().to_string();
        let inputs = from_stdin(&[&file, "-", "-"], b"b", scratch.path()).unwrap();
        assert_eq!(inputs.files.len(), 2);
        assert_ne!(inputs.files[0].name, inputs.files[1].name);
    }

    #[test]
    fn an_unusable_scratch_directory_is_named() {
        let error = from_stdin(&["-"], b"", Path::new("/nonexistent/scratch")).unwrap_err();
        assert!(error.to_string().contains("/nonexistent/scratch"), "{error}");
    }
}
