//! The search for input files.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use super::files::check_count;
use super::maildir::Holds;
use super::{
    Compression, DiscoverOptions, Format, InputError, InputFile, Inputs, archive, foreign, kind,
    maildir, name,
};
use crate::source::open;

/// The argument for standard input.
const STDIN: &str = "-";

impl Inputs {
    /// Finds the inputs that the arguments name.
    ///
    /// An argument is a file, a directory (read recursively, without hidden names and links to
    /// directories), a pattern with `*`, `?` or `[...]` unless a file has that very name, or `-`
    /// for standard input (JSONL, or the format of the options). A file that is named in two ways
    /// is read once.
    ///
    /// In the `cur` and `new` directories of a Maildir, every file without the extension of another
    /// format is a message; hidden directories of a Maildir that are Maildirs are read too.
    /// A file without a known extension is an mbox if it starts as one.
    ///
    /// The members of tar archives are files, named `ARCHIVE!MEMBER`.
    ///
    /// # Errors
    /// An argument that matches nothing, a file of unknown format, a directory that cannot be
    /// listed, or no file at all.
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
    /// assert_eq!(inputs.files[0].format, Format::Jsonl);
    /// assert_eq!(inputs.skipped, [folder.join("Makefile")]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn discover(args: &[String], options: DiscoverOptions) -> Result<Self, InputError> {
        discover(args, options, &mut std::io::stdin().lock())
    }
}

/// Finds the files that the arguments name; `stdin` is read if one of them is `-`.
fn discover(
    args: &[String],
    options: DiscoverOptions,
    stdin: &mut dyn Read,
) -> Result<Inputs, InputError> {
    let mut search = Search::new(&options);
    for arg in args.iter().filter(|arg| *arg != STDIN) {
        search.argument(arg)?;
    }
    let Search { found, mut skipped, archives, .. } = search;
    let mut files: Vec<InputFile> = found.into_values().collect();
    let (archives, mut unpacked): (Vec<InputFile>, _) =
        (archives.into_values().collect(), Vec::new());
    for archive in &archives {
        let members = archive::unpack(archive, &options)?;
        files.extend(members.files);
        skipped.extend(members.skipped);
        unpacked.push(Arc::new(members.folder));
    }
    let mut spooled = Vec::new();
    if args.iter().any(|arg| arg == STDIN) {
        let (file, path) = spool(stdin, &options, &files)?;
        files.push(file);
        spooled.push(Arc::new(path));
    }
    if files.is_empty() {
        let given = if args.is_empty() { "no inputs".to_string() } else { args.join(" ") };
        let first = skipped.first().cloned();
        return Err(InputError::Nothing { given, skipped: skipped.len(), first });
    }
    check_count(files.len())?;
    files.sort_by(|a, b| a.name.cmp(&b.name));
    for file in files.iter_mut().filter(|file| is_settled_by_bytes(file.format)) {
        // A file that cannot be opened is reported when it is read.
        if let Ok(head) = open::head(&file.path, kind::HEAD) {
            file.compression = kind::settle(file.compression, &head);
        }
    }
    let skipped = skipped.into_iter().collect();
    Ok(Inputs { files, options, skipped, spooled, archives, unpacked })
}

/// Whether the compression of files of this format is that of their first bytes.
fn is_settled_by_bytes(format: Format) -> bool {
    !matches!(format, Format::Parquet | Format::Extracted)
}

struct Search<'a> {
    options: &'a DiscoverOptions,
    /// Real paths that are skipped.
    excluded: Vec<PathBuf>,
    /// Files by real path, so that every file is read once.
    found: BTreeMap<PathBuf, InputFile>,
    /// Archives, as well.
    archives: BTreeMap<PathBuf, InputFile>,
    skipped: BTreeSet<PathBuf>,
    maildirs: maildir::Maildirs,
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
    fn new(options: &'a DiscoverOptions) -> Self {
        let excluded = options.exclude.iter().filter_map(|path| real(path)).collect();
        let maildirs = maildir::Maildirs::default();
        let (found, archives) = (BTreeMap::new(), BTreeMap::new());
        Self { options, excluded, found, archives, skipped: BTreeSet::new(), maildirs }
    }

    fn argument(&mut self, arg: &str) -> Result<(), InputError> {
        let path = Path::new(arg);
        match std::fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() => self.directory(path, path),
            Ok(_) => self.file(path, path.parent().unwrap_or(path), Found::Named),
            Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
                Err(InputError::io("look at it", path, e))
            }
            Err(_) if arg.contains(['*', '?', '[']) => self.pattern(arg),
            Err(_) => Err(InputError::NotFound { path: path.to_path_buf() }),
        }
    }

    fn pattern(&mut self, pattern: &str) -> Result<(), InputError> {
        let options = glob::MatchOptions {
            case_sensitive: true,
            require_literal_separator: true,
            require_literal_leading_dot: true,
        };
        let matches = glob::glob_with(pattern, options)
            .map_err(|source| InputError::Pattern { pattern: pattern.to_string(), source })?;
        let base = literal_part(Path::new(pattern));
        let mut any = false;
        for path in matches {
            let path = path.map_err(|e| {
                let path = e.path().to_path_buf();
                InputError::io("list the directory", &path, e.into())
            })?;
            any = true;
            match std::fs::metadata(&path) {
                Ok(metadata) if metadata.is_dir() => self.directory(&path, &base)?,
                Ok(metadata) if metadata.is_file() => self.file(&path, &base, Found::Below)?,
                _ => {
                    self.skipped.insert(path);
                }
            }
        }
        match any {
            true => Ok(()),
            false => Err(InputError::NoMatch { pattern: pattern.to_string() }),
        }
    }

    /// Reads a directory recursively, without following links to directories.
    fn directory(&mut self, directory: &Path, base: &Path) -> Result<(), InputError> {
        let mut open = vec![directory.to_path_buf()];
        while let Some(directory) = open.pop() {
            let fail = |e| InputError::io("list the directory", &directory, e);
            for entry in std::fs::read_dir(&directory).map_err(fail)? {
                let entry = entry.map_err(fail)?;
                let path = entry.path();
                let hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
                if hidden && !maildir::is_folder(&path, &directory) {
                    continue;
                }
                let kind = entry.file_type().map_err(fail)?;
                let leads_to_file = || std::fs::metadata(&path).is_ok_and(|file| file.is_file());
                if kind.is_dir() {
                    if !self.is_excluded(&path) {
                        open.push(path);
                    }
                } else if kind.is_file() || (kind.is_symlink() && leads_to_file()) {
                    if !self.is_excluded(&path) {
                        self.file(&path, base, Found::Below)?;
                    }
                } else {
                    self.skipped.insert(path);
                }
            }
        }
        Ok(())
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
            true => (Some(Format::Text), Compression::None),
            false => self.format(path, found),
        };
        let Some(format) = format else {
            return match found {
                Found::Named => {
                    let path = path.to_path_buf();
                    Err(match foreign::remedy(&path) {
                        Some(remedy) => InputError::Foreign { path, remedy },
                        None => InputError::UnknownFormat { path },
                    })
                }
                Found::Below => {
                    self.skipped.insert(path.to_path_buf());
                    Ok(())
                }
            };
        };
        // Parquet compresses its own pages; the name of a message says nothing.
        if matches!(format, Format::Parquet | Format::Maildir) {
            compression = Compression::None;
        }
        let file = InputFile {
            path: path.to_path_buf(),
            name: name::readable(path),
            relative: path.strip_prefix(base).unwrap_or(path).to_path_buf(),
            format,
            compression,
            size: metadata.len(),
            modified: metadata.modified().ok(),
        };
        let place = path.canonicalize().map_err(fail)?;
        let known = if is_archive { &mut self.archives } else { &mut self.found };
        match known.get_mut(&place) {
            // If several names lead to the same file, the smallest one is used.
            Some(known) if known.name <= file.name => {}
            Some(known) => *known = file,
            None => {
                known.insert(place, file);
            }
        }
        Ok(())
    }
}

impl Search<'_> {
    /// Format, if it is supported, and compression of a file.
    fn format(&mut self, path: &Path, found: Found) -> (Option<Format>, Compression) {
        if self.options.formats.extractor(path).is_some() {
            return (Some(Format::Extracted), Compression::None);
        }
        let (named, compression) = kind::of_name(path);
        if self.options.format == Some(Format::Maildir) {
            // Other files of a mail server are in directories of a Maildir too.
            let message = found == Found::Named || self.maildirs.of(path) > Holds::Nothing;
            return (message.then_some(Format::Maildir), compression);
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
                return (Some(Format::Maildir), compression);
            }
        }
        if named.is_none() && foreign::remedy(path).is_none() {
            // A file that cannot be opened is skipped, as any of unknown format.
            let head = open::head(path, kind::MBOX_HEAD).unwrap_or_default();
            if kind::is_mbox(&head) {
                return (Some(Format::Mbox), Compression::None);
            }
        }
        (named, compression)
    }
}

/// The real path, also of a path that does not exist in a directory that does.
fn real(path: &Path) -> Option<PathBuf> {
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

/// Copies standard input to a file, because it is read twice.
fn spool(
    stdin: &mut dyn Read,
    options: &DiscoverOptions,
    files: &[InputFile],
) -> Result<(InputFile, tempfile::TempPath), InputError> {
    let folder = options.scratch.clone().unwrap_or_else(std::env::temp_dir);
    let fail = |e| InputError::io("keep a copy of standard input in this directory", &folder, e);
    let mut file =
        tempfile::Builder::new().prefix("lookalike-stdin-").tempfile_in(&folder).map_err(fail)?;
    std::io::copy(stdin, &mut file).map_err(fail)?;
    let metadata = file.as_file().metadata().map_err(fail)?;
    let path = file.into_temp_path();
    let mut name = "stdin".to_string();
    while files.iter().any(|file| file.name == name) {
        name.push('-');
    }
    let file = InputFile {
        path: path.to_path_buf(),
        relative: PathBuf::from(&name),
        name,
        format: options.format.unwrap_or(Format::Jsonl),
        compression: Compression::None,
        size: metadata.len(),
        modified: metadata.modified().ok(),
    };
    Ok((file, path))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn from_stdin(args: &[&str], content: &[u8], scratch: &Path) -> Result<Inputs, InputError> {
        let args: Vec<String> = args.iter().map(|arg| arg.to_string()).collect();
        let options = DiscoverOptions {
            scratch: Some(scratch.to_path_buf()),
            format: (args.len() > 2).then_some(Format::Text),
            ..DiscoverOptions::default()
        };
        discover(&args, options, &mut &content[..])
    }

    #[test]
    fn standard_input_is_kept_as_long_as_the_inputs_are() {
        let scratch = tempfile::tempdir().unwrap();
        let inputs = from_stdin(&["-", "-"], b"{\"text\":\"a\"}\n", scratch.path()).unwrap();
        let [file] = &inputs.files[..] else { panic!("{inputs:?}") };
        assert_eq!((file.name.as_str(), file.format, file.size), ("stdin", Format::Jsonl, 13));
        assert_eq!(file.compression, Compression::None);
        // A run reads its inputs twice.
        for _ in 0..2 {
            assert_eq!(inputs.chunks().flatten().count(), 1);
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
