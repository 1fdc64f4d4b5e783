//! A result directory that appears whole or not at all.
//!
//! [`Staging`] is a sibling of the destination on the same file system, so that one rename puts it
//! in place. Dropped before [`Staging::commit`], it deletes itself.
//!
//! An earlier result is replaced by exchanging the two names in one step if the system supports it.
//! Elsewhere the earlier result is moved aside first; if the process is killed before the new one
//! is in place, the next run moves the earlier one back ([`restore_replaced`]).

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use super::OutputError;
use crate::Inputs;

/// Files that identify a directory as a result of lookalike.
const MARKS_OF_A_RESULT: [&str; 2] = ["summary.json", "evaluation.json"];

/// Part of the name of a directory under construction.
const PARTIAL: &str = "partial";

/// Part of the name of a result that is being replaced.
const REPLACED: &str = "replaced";

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
    /// As given by the user.
    destination: PathBuf,
    /// The same, absolute and without links.
    resolved: PathBuf,
    partial: PathBuf,
    force: bool,
    /// Whether `partial` is to be deleted on drop.
    live: bool,
}

/// What exists at the destination.
#[derive(Debug, PartialEq, Eq)]
enum Occupant {
    Nothing,
    EmptyDirectory,
    Result,
}

impl Staging {
    /// Creates the sibling `NAME.partial-PID` of `destination`, with missing parents.
    ///
    /// A destination with any content is an error without `force`, and with `force` as well unless
    /// it is a result of an earlier run (it has a `summary.json` or an `evaluation.json`): a
    /// mistyped name must not delete a folder of documents. The current directory and mount points
    /// are errors because they cannot be renamed. `.partial-*` siblings of killed runs are not
    /// touched.
    pub fn create(destination: &Path, force: bool) -> Result<Self, OutputError> {
        let destination = destination.to_path_buf();
        let resolved = resolve(&destination)?;
        restore_replaced(&resolved);
        occupant(&destination, &resolved, force)?;
        let partial = make_sibling(&resolved)?;
        Ok(Self { destination, resolved, partial, force, live: true })
    }

    /// Whether [`Staging::create`] would accept the destination. Creates its missing parents only.
    pub fn check(destination: &Path, force: bool) -> Result<(), OutputError> {
        let resolved = resolve(destination)?;
        restore_replaced(&resolved);
        occupant(destination, &resolved, force).map(|_| ())
    }

    /// Removes the partial results of a killed process for the same destination.
    pub fn remove_left(destination: &Path, process: u32) -> Result<(), OutputError> {
        let resolved = resolve(destination)?;
        restore_replaced(&resolved);
        for entry in siblings(&resolved) {
            let name = entry.file_name();
            if [PARTIAL, REPLACED]
                .iter()
                .any(|what| is_named(&name, &resolved, what, Some(process)))
            {
                // A directory that cannot be removed does no harm.
                let _ = fs::remove_dir_all(entry.path());
            }
        }
        Ok(())
    }

    /// The path of the result after commit.
    pub fn destination(&self) -> &Path {
        &self.destination
    }

    /// The path of the file that will be `NAME` in the result.
    pub fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.partial.join(name)
    }

    /// Writes a small file.
    pub fn write(&self, name: &str, content: &[u8]) -> Result<(), OutputError> {
        let path = self.path(name);
        fs::write(&path, content).map_err(|e| OutputError::io("write the file", &path, e))
    }

    /// Checks that the destination contains none of the inputs: committing would delete them.
    pub fn conflicts(&self, inputs: &Inputs) -> Result<(), OutputError> {
        self.conflicts_with(inputs.files.iter().map(|file| file.path.as_path()))
    }

    /// As [`Staging::conflicts`], for any paths (such as the protected inputs).
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

    /// Syncs every file and renames the directory to the destination. An earlier result keeps its
    /// name until then, and is deleted afterwards.
    pub fn commit(mut self) -> Result<(), OutputError> {
        sync_tree(&self.partial)?;
        let old = match occupant(&self.destination, &self.resolved, self.force) {
            Ok(Occupant::Nothing) => self.take_name()?,
            Ok(Occupant::EmptyDirectory) => {
                fs::remove_dir(&self.resolved).map_err(|e| self.not_renamed(e))?;
                self.take_name()?
            }
            Ok(Occupant::Result) => match exchange(&self.partial, &self.resolved) {
                Ok(()) => Some(self.partial.clone()),
                Err(_) => self.replace_in_two_steps()?,
            },
            // The destination was filled during the run: the finished result is not deleted.
            Err(refusal) => return Err(self.not_renamed(io::Error::other(refusal))),
        };
        self.live = false;
        if let Some(parent) = self.resolved.parent() {
            let synced = sync_directory(parent);
            synced.map_err(|source| OutputError::NotSynced {
                path: self.destination.clone(),
                source,
            })?;
        }
        match old {
            Some(old) => fs::remove_dir_all(&old).map_err(|source| OutputError::LeftBehind {
                path: self.destination.clone(),
                old,
                source,
            }),
            None => Ok(()),
        }
    }

    /// Renames the directory to a name that does not exist.
    fn take_name(&mut self) -> Result<Option<PathBuf>, OutputError> {
        match fs::rename(&self.partial, &self.resolved) {
            Ok(()) => Ok(None),
            Err(error) => Err(self.not_renamed(error)),
        }
    }

    /// Moves the earlier result aside and puts this one in place. Returns the path of the earlier
    /// one.
    fn replace_in_two_steps(&mut self) -> Result<Option<PathBuf>, OutputError> {
        let aside = free_name(&self.resolved, REPLACED);
        fs::rename(&self.resolved, &aside).map_err(|e| self.not_renamed(e))?;
        if let Err(error) = fs::rename(&self.partial, &self.resolved) {
            // If this fails too, the error below still names the new result.
            let _ = fs::rename(&aside, &self.resolved);
            return Err(self.not_renamed(error));
        }
        // A `.replaced` name is moved back by the next run, so a result that is being deleted must
        // not have it.
        let old = fs::rename(&aside, &self.partial).map(|()| self.partial.clone());
        Ok(Some(old.unwrap_or(aside)))
    }

    /// Keeps the complete result under its temporary name and returns the error that names it.
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
            // Errors cannot be reported in drop; a later run ignores the directory.
            let _ = fs::remove_dir_all(&self.partial);
        }
    }
}

/// The absolute path of a directory that may not exist yet; creates its parents.
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

/// What exists at the destination, or why it cannot be replaced.
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
    if !empty && !is_result(resolved) {
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

/// Whether a directory is a result of lookalike.
fn is_result(directory: &Path) -> bool {
    MARKS_OF_A_RESULT.iter().any(|name| directory.join(name).is_file())
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

/// Creates `NAME.partial-PID`, or `NAME.partial-PID-2` … if an earlier process with that id left
/// one.
fn make_sibling(destination: &Path) -> Result<PathBuf, OutputError> {
    loop {
        let path = free_name(destination, PARTIAL);
        match fs::create_dir(&path) {
            Ok(()) => return Ok(path),
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
            Err(e) => return Err(OutputError::io("make the folder", &path, e)),
        }
    }
}

/// A sibling's name that does not exist.
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

/// The siblings of a directory; none if they cannot be listed.
fn siblings(resolved: &Path) -> impl Iterator<Item = fs::DirEntry> + use<> {
    let folder = resolved.parent().unwrap_or(Path::new("."));
    fs::read_dir(folder).into_iter().flatten().flatten()
}

/// Whether [`free_name`] made a name, for this process or for any.
fn is_named(name: &OsStr, destination: &Path, what: &str, process: Option<u32>) -> bool {
    let stem = destination.file_name().unwrap_or_default().as_encoded_bytes();
    let rest = name.as_encoded_bytes().strip_prefix(stem);
    let rest = rest.and_then(|rest| rest.strip_prefix(format!(".{what}-").as_bytes()));
    let Some(rest) = rest.and_then(|rest| std::str::from_utf8(rest).ok()) else { return false };
    let (number, more) = rest.split_once('-').unwrap_or((rest, "2"));
    let number = number.parse::<u32>().ok();
    more.parse::<u32>().is_ok()
        && number.is_some_and(|number| process.is_none_or(|process| process == number))
}

/// Moves back a result that a run killed between its two renames left aside.
fn restore_replaced(resolved: &Path) {
    if fs::symlink_metadata(resolved).is_ok() {
        return;
    }
    let aside = siblings(resolved)
        .filter(|entry| is_named(&entry.file_name(), resolved, REPLACED, None))
        .filter(|entry| is_result(&entry.path()))
        .max_by_key(|entry| entry.metadata().and_then(|metadata| metadata.modified()).ok());
    if let Some(aside) = aside {
        // On failure the result stays aside, and the run continues as if there were none.
        let _ = fs::rename(aside.path(), resolved);
    }
}

/// Exchanges the names of two directories in one step.
#[cfg(any(target_os = "linux", target_vendor = "apple"))]
fn exchange(one: &Path, other: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    Ok(renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE)?)
}

/// Other systems have no such call.
#[cfg(not(any(target_os = "linux", target_vendor = "apple")))]
fn exchange(_: &Path, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Syncs all files below a directory, then the directories.
fn sync_tree(directory: &Path) -> Result<(), OutputError> {
    let fail = |path: &Path, e| OutputError::io("bring the files to the disk", path, e);
    for entry in fs::read_dir(directory).map_err(|e| fail(directory, e))? {
        let entry = entry.map_err(|e| fail(directory, e))?;
        let path = entry.path();
        if entry.file_type().map_err(|e| fail(&path, e))?.is_dir() {
            sync_tree(&path)?;
        } else {
            // Windows syncs only files opened for writing; a copy of a read-only document can only
            // be opened for reading.
            let file = File::options().append(true).open(&path).or_else(|_| File::open(&path));
            file.and_then(|file| file.sync_all()).map_err(|e| fail(&path, e))?;
        }
    }
    let synced = sync_directory(directory);
    synced.map_err(|e| OutputError::io("bring the folder to the disk", directory, e))
}

#[cfg(unix)]
fn sync_directory(directory: &Path) -> io::Result<()> {
    File::open(directory)?.sync_all()
}

/// Other systems have no such call.
#[cfg(not(unix))]
fn sync_directory(_: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(path: &Path, content: &str) {
        fs::create_dir(path).unwrap();
        fs::write(path.join("summary.json"), content).unwrap();
    }

    fn content(path: &Path) -> Option<String> {
        fs::read_to_string(path.join("summary.json")).ok()
    }

    /// Killed after each step of a replacement: the old or the new result is in place, at the
    /// latest after the next run has looked at it.
    #[test]
    fn a_replacement_killed_at_any_step_leaves_a_result() {
        for (steps, expected) in [(0, "old"), (1, "old"), (2, "new")] {
            let folder = tempfile::tempdir().unwrap();
            let out = folder.path().canonicalize().unwrap().join("out");
            let (partial, aside) = (free_name(&out, PARTIAL), free_name(&out, REPLACED));
            result(&out, "old");
            result(&partial, "new");
            if steps > 0 {
                fs::rename(&out, &aside).unwrap();
            }
            if steps > 1 {
                fs::rename(&partial, &out).unwrap();
            }
            Staging::check(&out, true).unwrap();
            assert_eq!(content(&out).as_deref(), Some(expected), "{steps} steps");
            Staging::remove_left(&out, std::process::id()).unwrap();
            assert_eq!(content(&out).as_deref(), Some(expected), "{steps} steps");
            assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "{steps} steps");
        }
    }

    #[test]
    fn a_result_is_replaced_with_or_without_an_exchange() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().canonicalize().unwrap().join("out");
        result(&out, "0");
        for (run, two_steps) in [("1", false), ("2", true)] {
            let mut staging = Staging::create(&out, true).unwrap();
            staging.write("summary.json", run.as_bytes()).unwrap();
            if two_steps {
                let old = staging.replace_in_two_steps().unwrap().unwrap();
                staging.live = false;
                fs::remove_dir_all(old).unwrap();
            } else {
                staging.commit().unwrap();
            }
            assert_eq!(content(&out).as_deref(), Some(run));
            assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn names_are_exchanged_in_one_step() {
        let folder = tempfile::tempdir().unwrap();
        let (one, other) = (folder.path().join("one"), folder.path().join("other"));
        result(&one, "1");
        result(&other, "2");
        exchange(&one, &other).unwrap();
        assert_eq!(content(&one).as_deref(), Some("2"));
        assert_eq!(content(&other).as_deref(), Some("1"));
    }

    #[test]
    fn names_of_others_are_left_alone() {
        let out = Path::new("some/out");
        let named = |name: &str, process| is_named(OsStr::new(name), out, REPLACED, process);
        assert!(named("out.replaced-7", None) && named("out.replaced-7-2", Some(7)));
        assert!(!named("out.replaced-7", Some(8)) && !named("out.replaced-77", Some(7)));
        for name in
            ["out", "out.replaced-", "out.replaced-x", "out.replaced-7-x", "other.replaced-7"]
        {
            assert!(!named(name, None), "{name}");
        }
    }
}
