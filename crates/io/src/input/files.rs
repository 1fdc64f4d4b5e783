//! The input files of a run.

use std::any::Any;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lookalike_store::{Object, StoreError, look_again};

use crate::{Partitions, ReadFailure};

use super::{ArgumentFiles, Compression, FieldNames, Format, FormatOptions, InputError, LeftOut};

/// An input file.
#[derive(Debug, Clone)]
pub struct InputFile {
    /// Its path, or the URL of an object.
    pub path: PathBuf,
    /// Its name in messages and results; documents without an id are named after it. Valid UTF-8,
    /// unique.
    pub name: String,
    /// Its path below the argument that led to it, for outputs that mirror the inputs.
    pub relative: PathBuf,
    /// Its input format.
    pub format: Format,
    /// Its compression.
    pub compression: Compression,
    /// Size in bytes at discovery.
    pub size: u64,
    /// Modification time at discovery: a file that changes during a run is an error.
    pub modified: Option<std::time::SystemTime>,
    /// The object, if it is in a store or on a web server.
    pub object: Option<Arc<Object>>,
    /// Why data after its end are missing, if they are: it is a member of an archive that is damaged
    /// there. What is left of it is read, and this is the problem at its end.
    pub damage: Option<String>,
    /// Fields that the directories above it name.
    pub partitions: Partitions,
    /// The argument that led to it, of several the first by name; without what may be secret in a URL. Of
    /// documents in memory, their name.
    pub argument: String,
}

impl InputFile {
    /// Record batches of the caller, in place of a file: named, and never opened.
    #[must_use]
    pub fn in_memory(name: impl Into<String>) -> Self {
        let name: String = name.into();
        Self {
            path: PathBuf::new(),
            argument: name.clone(),
            name,
            relative: PathBuf::new(),
            format: Format::PARQUET,
            compression: Compression::None,
            size: 0,
            modified: None,
            object: None,
            damage: None,
            partitions: Partitions::default(),
        }
    }

    /// Whether it is made by [`InputFile::in_memory`].
    #[must_use]
    pub fn is_in_memory(&self) -> bool {
        self.path.as_os_str().is_empty()
    }
}

/// Options of discovery.
#[derive(Debug, Clone, Default)]
pub struct DiscoverOptions {
    /// Field names.
    pub fields: FieldNames,
    /// Input format of every file, whatever its name (needed for names without an extension).
    pub format: Option<Format>,
    /// Options of single formats.
    pub formats: FormatOptions,
    /// Largest record in bytes; longer ones are problems. `None`: 256 MiB.
    pub max_record: Option<usize>,
    /// Directory for copies of inputs: of standard input, of members of archives, and of objects that
    /// a command reads. `None`: the system's directory for temporary files.
    pub scratch: Option<PathBuf>,
    /// Directories (or files) that are skipped inside a directory to read: the output directory.
    pub exclude: Vec<PathBuf>,
}

impl DiscoverOptions {
    /// Largest record in bytes.
    pub(crate) fn max_record(&self) -> usize {
        self.max_record.unwrap_or(256 << 20)
    }

    /// Directory for copies of inputs.
    pub(crate) fn scratch(&self) -> PathBuf {
        self.scratch.clone().unwrap_or_else(std::env::temp_dir)
    }
}

/// The input files of a run in the order of their names, and how to read them.
#[derive(Debug, Clone)]
pub struct Inputs {
    /// The files, sorted by name: the order of arguments does not matter.
    pub files: Vec<InputFile>,
    /// How they are read.
    pub options: DiscoverOptions,
    /// Skipped files in directories: unsupported formats, broken links, links to directories, and
    /// special files.
    pub skipped: Vec<PathBuf>,
    /// Files and directories in the inputs that are no data, sorted.
    pub left_out: Vec<LeftOut>,
    /// Arguments of which more files are skipped than read, sorted.
    pub mostly_skipped: Vec<ArgumentFiles>,
    /// Owners of temporary files, such as copies of standard input, which are deleted with the last
    /// reference to their owner.
    pub(crate) owners: Vec<Arc<dyn Any + Send + Sync>>,
    /// Whether standard input was read.
    pub(crate) reads_stdin: bool,
    /// Archives whose members are among the files.
    pub(crate) archives: Vec<InputFile>,
    /// Directories of the members, deleted when the last reference is dropped.
    pub(crate) unpacked: Vec<Arc<tempfile::TempDir>>,
}

impl Inputs {
    /// Why the first input that is known to be unreadable before it is read is so: an archive that
    /// cannot be unpacked to its end, a file whose first bytes cannot be read. What the inputs are may
    /// change with that.
    pub fn damaged(&self) -> Option<ReadFailure> {
        (0..).zip(&self.files).find_map(|(number, file)| {
            let damage = file.damage.clone()?;
            Some(ReadFailure::of_file(number, &file.name, None, damage))
        })
    }

    /// Inputs that are known already.
    pub fn from_files(files: Vec<InputFile>, options: DiscoverOptions) -> Self {
        Self {
            files,
            options,
            skipped: Vec::new(),
            left_out: Vec::new(),
            mostly_skipped: Vec::new(),
            owners: Vec::new(),
            reads_stdin: false,
            archives: Vec::new(),
            unpacked: Vec::new(),
        }
    }

    /// Paths of the inputs, and of the archives that hold some of them. The path of an input that was
    /// copied first, such as a member of an archive, is that of the copy.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.files.iter().chain(&self.archives).map(|file| file.path.as_path())
    }

    /// Checks that the programs are there that extract the texts of some inputs.
    ///
    /// # Errors
    /// [`InputError::NoProgram`].
    pub fn check_programs(&self) -> Result<(), InputError> {
        for extractor in &self.options.formats.extract {
            let mut extracted = self.files.iter().filter(|file| file.format == Format::EXTRACTED);
            if let Some(file) = extracted.find(|file| extractor.is_for(&file.relative))
                && !extractor.has_program()
            {
                return Err(InputError::NoProgram {
                    command: extractor.recorded().to_string(),
                    program: extractor.command().first().cloned().unwrap_or_default(),
                    path: PathBuf::from(&file.name),
                });
            }
        }
        Ok(())
    }

    /// Appends other inputs. The options stay.
    ///
    /// # Errors
    /// A file that is among both, or more files than can be numbered.
    pub fn append(&mut self, other: Self) -> Result<(), InputError> {
        if self.reads_stdin && other.reads_stdin {
            return Err(InputError::Twice { path: PathBuf::from("-") });
        }
        let place = |file: &InputFile| file.path.canonicalize().unwrap_or(file.path.clone());
        let known: std::collections::BTreeSet<PathBuf> =
            self.files.iter().chain(&self.archives).map(place).collect();
        let others = || other.files.iter().chain(&other.archives);
        if let Some(file) = others().find(|file| known.contains(&place(file))) {
            return Err(InputError::Twice { path: file.path.clone() });
        }
        self.files.extend(other.files);
        self.skipped.extend(other.skipped);
        self.left_out.extend(other.left_out);
        self.mostly_skipped.extend(other.mostly_skipped);
        self.owners.extend(other.owners);
        self.reads_stdin |= other.reads_stdin;
        self.archives.extend(other.archives);
        self.unpacked.extend(other.unpacked);
        check_count(self.files.len())
    }

    /// Appends a file that is deleted when the last reference to its owner is dropped.
    pub fn append_temporary(&mut self, file: InputFile, owner: Arc<dyn Any + Send + Sync>) {
        self.files.push(file);
        self.owners.push(owner);
    }

    /// Checks that the size and modification time of all inputs, or the tags of objects, are those
    /// of discovery. A run reads twice; decisions about one text must not be applied to another.
    ///
    /// # Errors
    /// The first input that was changed or removed; a store that does not answer.
    pub fn verify_unchanged(&self) -> Result<(), InputError> {
        let local = self.files.iter().filter(|file| file.object.is_none());
        for file in local.chain(&self.archives) {
            let metadata = std::fs::metadata(&file.path)
                .map_err(|e| InputError::io("look at the file again", &file.path, e))?;
            if metadata.len() != file.size || metadata.modified().ok() != file.modified {
                return Err(InputError::Changed { path: file.path.clone() });
            }
        }
        let objects: Vec<&Object> =
            self.files.iter().filter_map(|file| file.object.as_deref()).collect();
        match objects.is_empty() {
            true => Ok(()),
            false => look_again(&objects).into_iter().collect::<Result<(), _>>().map_err(|error| {
                match error {
                    StoreError::Changed { url } => InputError::Changed { path: url.into() },
                    error => InputError::Store(error),
                }
            }),
        }
    }
}

/// Files are numbered with 32 bits.
pub(super) fn check_count(files: usize) -> Result<(), InputError> {
    match u32::try_from(files) {
        Ok(_) => Ok(()),
        Err(_) => Err(InputError::TooManyFiles { files }),
    }
}
