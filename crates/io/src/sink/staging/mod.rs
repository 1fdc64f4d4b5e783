//! A result directory that appears whole or not at all.
//!
//! [`Staging`] is a sibling of the destination on the same file system, so that one rename puts it
//! in place. Dropped before [`Staging::commit`], it deletes itself. If the destination is in an
//! object store, it is a local directory, which is written into the store by the commit.
//!
//! An earlier result is replaced by exchanging the two names in one step if the system supports it.
//! Elsewhere the earlier result is moved aside first; if the process is killed before the new one
//! is in place, the next run moves the earlier one back ([`restore_replaced`]).

mod destination;
mod remote;
mod siblings;
mod system;

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use destination::{Occupant, occupant, resolve};
use remote::Remote;
use siblings::{
    PARTIAL, REPLACED, clear_left, free_name, is_named, make_sibling, restore_replaced, siblings,
};
use system::{exchange, sync_directory, sync_tree};

use lookalike_spill::regular_file;
use lookalike_store::{Address, StoreError, is_url, read};

use super::OutputError;
use crate::Inputs;

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
    /// The same, absolute and without links; for a destination in a store, a path that stands for
    /// it.
    resolved: PathBuf,
    /// The destination, if it is in a store.
    remote: Option<Remote>,
    partial: PathBuf,
    /// Says to other runs that this process writes into `partial`.
    _lock: Option<fs::File>,
    force: bool,
    /// Whether `partial` is to be deleted on drop.
    live: bool,
}

impl Staging {
    /// Creates the sibling `NAME.partial-PID` of `destination`, with missing parents.
    ///
    /// A destination with any content is an error without `force`, and with `force` as well unless
    /// it is a result of an earlier run (it has a `summary.json` or an `evaluation.json`): a
    /// mistyped name must not delete a folder of documents. The current directory and mount points
    /// are errors because they cannot be renamed. `.partial-*` siblings of killed runs for the same
    /// destination are removed.
    ///
    /// A destination in a store is prepared in the current directory.
    pub fn create(destination: &Path, force: bool) -> Result<Self, OutputError> {
        Self::create_in(destination, Path::new("."), force)
    }

    /// As [`Staging::create`]; a destination in a store is prepared in `folder`.
    pub fn create_in(destination: &Path, folder: &Path, force: bool) -> Result<Self, OutputError> {
        let remote = Remote::of(destination, force)?;
        let destination = destination.to_path_buf();
        if remote.is_some() {
            let resolved = Remote::stand_in(&destination, folder)?;
            clear_left(&resolved);
            let (partial, _lock) = make_sibling(&resolved)?;
            return Ok(Self { destination, resolved, remote, partial, _lock, force, live: true });
        }
        let resolved = resolve(&destination)?;
        restore_replaced(&resolved);
        occupant(&destination, &resolved, force)?;
        clear_left(&resolved);
        let (partial, _lock) = make_sibling(&resolved)?;
        Ok(Self { destination, resolved, remote, partial, _lock, force, live: true })
    }

    /// Whether [`Staging::create`] would accept the destination. Creates its missing parents only.
    pub fn check(destination: &Path, force: bool) -> Result<(), OutputError> {
        if Remote::of(destination, force)?.is_some() {
            return Ok(());
        }
        let resolved = resolve(destination)?;
        restore_replaced(&resolved);
        occupant(destination, &resolved, force).map(|_| ())
    }

    /// Removes the partial results of a killed process for the same destination; those of a
    /// destination in a store are in `folder`.
    pub fn remove_left(destination: &Path, folder: &Path, process: u32) -> Result<(), OutputError> {
        let is_remote = destination.to_str().is_some_and(is_url);
        let resolved = match is_remote {
            true => Remote::stand_in(destination, folder)?,
            false => resolve(destination)?,
        };
        if !is_remote {
            restore_replaced(&resolved);
        }
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

    /// A small file of the result at a destination; `None` if there is none.
    ///
    /// # Errors
    /// The file or object cannot be read.
    pub fn read_result(destination: &Path, name: &str) -> io::Result<Option<Vec<u8>>> {
        let content = match destination.to_str().filter(|text| is_url(text)) {
            None => {
                let mut bytes = Vec::new();
                let file = regular_file::open_named(&destination.join(name));
                file.and_then(|mut file| file.read_to_end(&mut bytes)).map(|_| bytes)
            }
            Some(url) => {
                let folder = Address::parse(url)?;
                let key = format!("{}/{name}", folder.key.trim_end_matches('/'));
                match read(&folder.with_key(key)) {
                    Ok(content) => Ok(content.to_vec()),
                    Err(StoreError::NotFound { .. }) => return Ok(None),
                    Err(error) => Err(error.into()),
                }
            }
        };
        match content {
            Ok(content) => Ok(Some(content)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The path of the result after commit.
    pub fn destination(&self) -> &Path {
        &self.destination
    }

    /// The path of the file that will be `NAME` in the result.
    pub fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.partial.join(name)
    }

    /// Makes a directory in the result, for files that others write.
    pub fn folder(&self, name: &str) -> Result<(), OutputError> {
        let folder = self.path(name);
        fs::create_dir_all(&folder).map_err(|e| OutputError::io("create the directory", &folder, e))
    }

    /// Writes a small file; directories in its name are created.
    pub fn write(&self, name: &str, content: &[u8]) -> Result<(), OutputError> {
        let path = self.path(name);
        if let Some((folder, _)) = name.rsplit_once('/') {
            self.folder(folder)?;
        }
        fs::write(&path, content).map_err(|e| OutputError::io("write the file", &path, e))
    }

    /// Checks that the destination contains none of the inputs: committing would delete them.
    pub fn conflicts(&self, inputs: &Inputs) -> Result<(), OutputError> {
        self.conflicts_with(inputs.paths())
    }

    /// As [`Staging::conflicts`], for any paths, also of directories (such as an index).
    pub fn conflicts_with<'a>(
        &self,
        paths: impl IntoIterator<Item = &'a Path>,
    ) -> Result<(), OutputError> {
        for input in paths {
            if let Some(remote) = &self.remote {
                if remote.contains(input) {
                    let (path, input) = (self.destination.clone(), input.to_path_buf());
                    return Err(OutputError::Conflict { path, input });
                }
                continue;
            }
            let absolute = input.canonicalize().unwrap_or_else(|_| input.to_path_buf());
            if absolute.starts_with(&self.resolved) {
                let (path, input) = (self.destination.clone(), input.to_path_buf());
                return Err(OutputError::Conflict { path, input });
            }
        }
        Ok(())
    }

    /// Syncs every file and renames the directory to the destination. An earlier result keeps its
    /// name until then, and is deleted afterwards. In a store, `summary.json` is written last, and
    /// that of an earlier result is removed first.
    pub fn commit(self) -> Result<(), OutputError> {
        self.commit_unless(&|| false)
    }

    /// As [`Staging::commit`]. Writing into a store stops soon after `cancelled` says so.
    pub fn commit_unless(mut self, cancelled: &dyn Fn() -> bool) -> Result<(), OutputError> {
        if let Some(remote) = &self.remote {
            let written = remote.publish(&self.destination, self.force, &self.partial, cancelled);
            return match written {
                // The partial directory is deleted by drop.
                Ok(()) | Err(OutputError::Store(StoreError::Cancelled)) => written,
                Err(OutputError::Store(source)) => {
                    self.live = false;
                    Err(OutputError::NotUploaded { whole: self.partial.clone(), source })
                }
                Err(refusal) => Err(self.not_renamed(io::Error::other(refusal))),
            };
        }
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
            Staging::remove_left(&out, folder.path(), std::process::id()).unwrap();
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
}
