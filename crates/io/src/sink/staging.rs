//! A result directory that appears whole or not at all.
//!
//! [`Staging`] is a sibling of the directory asked for, on the same file system, so that giving it its
//! name is one rename. Dropped before [`Staging::commit`], it takes everything with it.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use super::OutputError;
use crate::Inputs;

/// The files of which one makes a directory a result of ours.
const MARKS_OF_A_RESULT: [&str; 2] = ["summary.json", "evaluation.json"];

/// A directory under construction.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// # let out = folder.path().join("out");
/// use lookalike_io::Staging;
///
/// let staging = Staging::create(&out, false)?;
/// std::fs::write(staging.path("summary.json"), "{}")?;
/// assert!(!out.exists());
/// staging.commit()?;
/// assert!(out.join("summary.json").exists());
///
/// // A second run does not overwrite the first unless asked to.
/// assert!(Staging::create(&out, false).is_err());
/// assert!(Staging::create(&out, true).is_ok());
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Staging {
    /// As the user wrote it.
    destination: PathBuf,
    /// The same, absolute and without links.
    resolved: PathBuf,
    partial: PathBuf,
    force: bool,
    /// Whether `partial` is ours to remove.
    live: bool,
}

/// What stands where the result is to go.
#[derive(Debug, PartialEq, Eq)]
enum Occupant {
    Nothing,
    EmptyDirectory,
    Result,
}

impl Staging {
    /// Makes the sibling `NAME.partial-PID` of `destination`, with missing parents.
    ///
    /// A destination that holds anything is refused without `force`, and with `force` as well unless
    /// it looks like a result of an earlier run (it has a `summary.json` or an `evaluation.json`): a slip of the keyboard
    /// must not delete a folder of documents. The current directory and the root of a mounted file
    /// system are refused because they cannot be renamed. `.partial-*` siblings left by killed runs
    /// are not touched.
    pub fn create(destination: &Path, force: bool) -> Result<Self, OutputError> {
        let destination = destination.to_path_buf();
        let resolved = resolve(&destination)?;
        occupant(&destination, &resolved, force)?;
        let partial = make_sibling(&resolved)?;
        Ok(Self { destination, resolved, partial, force, live: true })
    }

    /// Whether [`Staging::create`] would accept the destination: makes its missing parents and nothing else.
    pub fn check(destination: &Path, force: bool) -> Result<(), OutputError> {
        occupant(destination, &resolve(destination)?, force).map(|_| ())
    }

    /// Removes what a killed process left that made a result for the same destination.
    pub fn remove_left(destination: &Path, process: u32) -> Result<(), OutputError> {
        let resolved = resolve(destination)?;
        let mut first = resolved.file_name().unwrap_or_default().to_os_string();
        first.push(format!(".partial-{process}"));
        let mut more = first.clone();
        more.push("-");
        let folder = resolved.parent().unwrap_or(Path::new("."));
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let name = entry.file_name();
            if name == first || name.as_encoded_bytes().starts_with(more.as_encoded_bytes()) {
                // What cannot be removed is in nobody's way.
                let _ = fs::remove_dir_all(entry.path());
            }
        }
        Ok(())
    }

    /// Where the result will be.
    pub fn destination(&self) -> &Path {
        &self.destination
    }

    /// Where to write the file that will be `NAME` in the result.
    pub fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.partial.join(name)
    }

    /// Writes a small file whole.
    pub fn write(&self, name: &str, content: &[u8]) -> Result<(), OutputError> {
        let path = self.path(name);
        fs::write(&path, content).map_err(|e| OutputError::io("write the file", &path, e))
    }

    /// Refuses a destination that holds one of the inputs: committing would delete it.
    pub fn conflicts(&self, inputs: &Inputs) -> Result<(), OutputError> {
        self.conflicts_with(inputs.files.iter().map(|file| file.path.as_path()))
    }

    /// As [`Staging::conflicts`], for any paths (`--against` has inputs of its own).
    pub fn conflicts_with<'a>(
        &self,
        paths: impl IntoIterator<Item = &'a Path>,
    ) -> Result<(), OutputError> {
        for input in paths {
            let absolute = input.canonicalize().unwrap_or_else(|_| input.to_path_buf());
            if absolute.starts_with(&self.resolved) {
                let (path, input) = (self.destination.clone(), input.to_path_buf());
                return Err(OutputError::Conflict { path, input });
            }
        }
        Ok(())
    }

    /// Brings every file to the disk and gives the directory its name. An earlier result is moved
    /// aside first, put back if the rename fails, and deleted only after it succeeded.
    pub fn commit(mut self) -> Result<(), OutputError> {
        sync_tree(&self.partial)?;
        let aside = match occupant(&self.destination, &self.resolved, self.force) {
            Ok(Occupant::Nothing) => None,
            Ok(Occupant::EmptyDirectory) => {
                fs::remove_dir(&self.resolved).map_err(|e| self.not_renamed(e))?;
                None
            }
            Ok(Occupant::Result) => {
                let aside = free_name(&self.resolved, "replaced");
                fs::rename(&self.resolved, &aside).map_err(|e| self.not_renamed(e))?;
                Some(aside)
            }
            // Somebody filled the place meanwhile: hours of work are not thrown away for that.
            Err(refusal) => return Err(self.not_renamed(io::Error::other(refusal))),
        };
        if let Err(error) = fs::rename(&self.partial, &self.resolved) {
            if let Some(aside) = aside {
                // If this fails too, the message below still says where the new result is.
                let _ = fs::rename(aside, &self.resolved);
            }
            return Err(self.not_renamed(error));
        }
        self.live = false;
        if let Some(parent) = self.resolved.parent() {
            sync_directory(parent)?;
        }
        match aside {
            Some(old) => fs::remove_dir_all(&old).map_err(|source| OutputError::LeftBehind {
                path: self.destination.clone(),
                old,
                source,
            }),
            None => Ok(()),
        }
    }

    /// Keeps the whole but unnamed result and says where it is.
    fn not_renamed(&mut self, source: io::Error) -> OutputError {
        self.live = false;
        OutputError::NotRenamed {
            path: self.destination.clone(),
            whole: self.partial.clone(),
            source,
        }
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        if self.live {
            // Nobody is left to be told; a later run does not trip over it.
            let _ = fs::remove_dir_all(&self.partial);
        }
    }
}

/// The absolute path of a directory that may not exist yet; makes its parents.
fn resolve(shown: &Path) -> Result<PathBuf, OutputError> {
    if let Ok(path) = shown.canonicalize() {
        return Ok(path);
    }
    let Some(name) = shown.file_name() else {
        let reason = "the path does not end in a name; end it with one";
        return Err(OutputError::Unusable { path: shown.to_path_buf(), reason });
    };
    let parent = match shown.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    fs::create_dir_all(parent).map_err(|e| OutputError::io("make the folder", parent, e))?;
    let parent =
        parent.canonicalize().map_err(|e| OutputError::io("find the folder", parent, e))?;
    Ok(parent.join(name))
}

/// What stands in the place, or why it cannot be taken.
fn occupant(shown: &Path, resolved: &Path, force: bool) -> Result<Occupant, OutputError> {
    let unusable = |reason| OutputError::Unusable { path: shown.to_path_buf(), reason };
    let metadata = match fs::symlink_metadata(resolved) {
        Ok(metadata) => metadata,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Occupant::Nothing),
        Err(e) => return Err(OutputError::io("look at the place of the result", shown, e)),
    };
    if !metadata.is_dir() {
        return Err(unusable("there is a file of that name; choose another"));
    }
    let mut entries = fs::read_dir(resolved)
        .map_err(|e| OutputError::io("look at the place of the result", shown, e))?;
    let empty = entries.next().is_none();
    if !empty && !force {
        return Err(OutputError::Exists { path: shown.to_path_buf() });
    }
    if !empty && !MARKS_OF_A_RESULT.iter().any(|name| resolved.join(name).is_file()) {
        return Err(OutputError::NotAResult { path: shown.to_path_buf() });
    }
    if std::env::current_dir().is_ok_and(|current| current.starts_with(resolved)) {
        return Err(unusable("it is the current directory; name a folder in it, such as ./result"));
    }
    if is_mount_point(resolved, &metadata) {
        return Err(unusable("it is the root of a file system; name a folder in it"));
    }
    Ok(if empty { Occupant::EmptyDirectory } else { Occupant::Result })
}

#[cfg(unix)]
fn is_mount_point(path: &Path, metadata: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    match path.parent() {
        Some(parent) => fs::metadata(parent).is_ok_and(|above| above.dev() != metadata.dev()),
        None => true,
    }
}

#[cfg(not(unix))]
fn is_mount_point(path: &Path, _: &fs::Metadata) -> bool {
    path.parent().is_none()
}

/// Makes `NAME.partial-PID`, or `NAME.partial-PID-2` … where an old process of that number left one.
fn make_sibling(destination: &Path) -> Result<PathBuf, OutputError> {
    loop {
        let path = free_name(destination, "partial");
        match fs::create_dir(&path) {
            Ok(()) => return Ok(path),
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
            Err(e) => return Err(OutputError::io("make the folder", &path, e)),
        }
    }
}

/// A sibling's name that nothing has.
fn free_name(destination: &Path, what: &str) -> PathBuf {
    let process = std::process::id();
    let mut name = destination.file_name().unwrap_or_default().to_os_string();
    name.push(format!(".{what}-{process}"));
    let mut path = destination.with_file_name(&name);
    let mut number = 2u32;
    while fs::symlink_metadata(&path).is_ok() {
        let mut numbered = name.clone();
        numbered.push(format!("-{number}"));
        path = destination.with_file_name(numbered);
        number += 1;
    }
    path
}

/// Brings all files below a directory, then the directories, to the disk.
fn sync_tree(directory: &Path) -> Result<(), OutputError> {
    let fail = |path: &Path, e| OutputError::io("bring the files to the disk", path, e);
    for entry in fs::read_dir(directory).map_err(|e| fail(directory, e))? {
        let entry = entry.map_err(|e| fail(directory, e))?;
        let path = entry.path();
        if entry.file_type().map_err(|e| fail(&path, e))?.is_dir() {
            sync_tree(&path)?;
        } else {
            // Windows brings only files opened for writing to the disk; a copy of a read-only
            // document can only be opened for reading.
            let file = File::options().append(true).open(&path).or_else(|_| File::open(&path));
            file.and_then(|file| file.sync_all()).map_err(|e| fail(&path, e))?;
        }
    }
    sync_directory(directory)
}

#[cfg(unix)]
fn sync_directory(directory: &Path) -> Result<(), OutputError> {
    File::open(directory)
        .and_then(|file| file.sync_all())
        .map_err(|e| OutputError::io("bring the folder to the disk", directory, e))
}

/// Other systems have no such call.
#[cfg(not(unix))]
fn sync_directory(_: &Path) -> Result<(), OutputError> {
    Ok(())
}
