//! A result directory that appears whole or not at all.
//!
//! [`Staging`] is a sibling of the destination on the same file system, so that one rename puts it
//! in place. Dropped before [`Staging::commit`], it deletes itself.
//!
//! An earlier result is replaced by exchanging the two names in one step if the system supports it.
//! Elsewhere the earlier result is moved aside first; if the process is killed before the new one
//! is in place, the next run moves the earlier one back ([`restore_replaced`]).

mod destination;
mod siblings;
mod system;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use destination::{Occupant, occupant, resolve};
use siblings::{PARTIAL, REPLACED, free_name, is_named, make_sibling, restore_replaced, siblings};
use system::{exchange, sync_directory, sync_tree};

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
    /// The same, absolute and without links.
    resolved: PathBuf,
    partial: PathBuf,
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

    /// Writes a small file; directories in its name are created.
    pub fn write(&self, name: &str, content: &[u8]) -> Result<(), OutputError> {
        let path = self.path(name);
        if let Some(folder) = path.parent().filter(|_| name.contains('/')) {
            fs::create_dir_all(folder)
                .map_err(|e| OutputError::io("create the directory", folder, e))?;
        }
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
}
