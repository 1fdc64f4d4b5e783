//! The state of the failing disk.

use super::directory::{Change, DirectoryState, Node};
use super::file::FileState;
use super::locks::Locks;
use super::loss::Loss;
use crate::prng::Prng;
use std::fmt;
use std::io;
use std::path::{Component, Path};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

#[derive(Debug)]
pub(super) struct Machine {
    /// All files and directories that ever were; the first is the root.
    nodes: Vec<Content>,
    pub(super) operations: u64,
    pub(super) crash_after: Option<u64>,
    crashed: bool,
    pub(super) space: Option<usize>,
    pub(super) fail_sync_after: Option<u64>,
    pub(super) retries: u64,
    pub(super) locks: Locks,
    pub(super) openings: u64,
    pub(super) watcher: Option<Watcher>,
}

/// The state that the disk and its open files share.
#[derive(Debug, Clone, Default)]
pub(super) struct SharedMachine(Arc<Mutex<Machine>>);

impl SharedMachine {
    pub(super) fn new(machine: Machine) -> Self {
        Self(Arc::new(Mutex::new(machine)))
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Machine> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A moment of a disk: see [`FailingDisk::watch`](super::FailingDisk::watch).
#[derive(Debug)]
pub struct Moment<'a>(pub(super) &'a Machine);

#[derive(Debug)]
enum Content {
    File(FileState),
    Directory(DirectoryState),
}

pub(super) struct Watcher(pub(super) Box<dyn FnMut(&Moment<'_>) + Send>);

impl fmt::Debug for Watcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Watcher")
    }
}

impl Default for Machine {
    fn default() -> Self {
        Self::with(vec![Content::Directory(DirectoryState::default())])
    }
}

impl Machine {
    fn with(nodes: Vec<Content>) -> Self {
        Self {
            nodes,
            operations: 0,
            crash_after: None,
            crashed: false,
            space: None,
            fail_sync_after: None,
            retries: 0,
            locks: Locks::default(),
            openings: 0,
            watcher: None,
        }
    }

    /// Counts an operation and gives its number.
    fn begin(&mut self) -> io::Result<u64> {
        self.powered()?;
        let number = self.operations;
        self.operations += 1;
        // The operation is under way when the power goes.
        self.crashed = self.crash_after.is_some_and(|last| number >= last);
        Ok(number)
    }

    /// Ends an operation.
    fn end(&mut self) -> io::Result<()> {
        if let Some(mut watcher) = self.watcher.take() {
            (watcher.0)(&Moment(self));
            self.watcher = Some(watcher);
        }
        self.powered()
    }

    /// Fails after the power cut.
    pub(super) fn powered(&self) -> io::Result<()> {
        if self.crashed { Err(io::Error::other("the power was cut")) } else { Ok(()) }
    }

    pub(super) fn after_crash(&self, seed: u64) -> Self {
        let mut random = Prng::new(seed);
        let unsynced = self.nodes.iter().filter_map(|node| match node {
            Content::File(file) => file.unsynced(),
            Content::Directory(directory) => directory.unsynced(),
        });
        let (first, last) =
            unsynced.reduce(|all, one| (all.0.min(one.0), all.1.max(one.1))).unwrap_or_default();
        let loss = Loss::choose(&mut random, first, last);
        let nodes = self.nodes.iter().map(|node| match node {
            Content::File(file) => Content::File(file.after_crash(&loss, &mut random)),
            Content::Directory(directory) => Content::Directory(DirectoryState::durable(
                directory.after_crash(&loss, &mut random),
            )),
        });
        Self::with(nodes.collect())
    }

    fn directory(&mut self, node: Node) -> io::Result<&mut DirectoryState> {
        match &mut self.nodes[node] {
            Content::Directory(directory) => Ok(directory),
            Content::File(_) => Err(io::ErrorKind::NotADirectory.into()),
        }
    }

    /// A file by the number that an earlier call gave.
    pub(super) fn file(&self, node: Node) -> &FileState {
        match &self.nodes[node] {
            Content::File(file) => file,
            Content::Directory(_) => unreachable!("numbers of files are given for files only"),
        }
    }

    fn file_mut(&mut self, node: Node) -> &mut FileState {
        match &mut self.nodes[node] {
            Content::File(file) => file,
            Content::Directory(_) => unreachable!("numbers of files are given for files only"),
        }
    }

    fn find(&self, path: &Path) -> io::Result<Node> {
        let mut at = 0;
        for part in path.components() {
            match part {
                Component::Normal(name) => {
                    let Content::Directory(directory) = &self.nodes[at] else {
                        return Err(io::ErrorKind::NotADirectory.into());
                    };
                    let name = name.to_str().ok_or(io::ErrorKind::InvalidInput)?;
                    at = *directory.entries().get(name).ok_or(io::ErrorKind::NotFound)?;
                }
                Component::RootDir | Component::CurDir | Component::Prefix(_) => {}
                Component::ParentDir => return Err(io::ErrorKind::InvalidInput.into()),
            }
        }
        Ok(at)
    }

    /// The directory of a path and the last name.
    fn place(&self, path: &Path) -> io::Result<(Node, String)> {
        let name = path.file_name().and_then(|name| name.to_str());
        let name = name.ok_or(io::ErrorKind::InvalidInput)?.to_owned();
        Ok((self.find(path.parent().unwrap_or(Path::new("/")))?, name))
    }

    fn add(&mut self, path: &Path, content: Content) -> io::Result<Node> {
        self.powered()?;
        let (parent, name) = self.place(path)?;
        if self.directory(parent)?.entries().contains_key(&name) {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        let number = self.begin()?;
        let node = self.nodes.len();
        self.nodes.push(content);
        self.directory(parent)?.change(number, Change::Add { name, node });
        self.end()?;
        Ok(node)
    }

    pub(super) fn create_dir(&mut self, path: &Path) -> io::Result<()> {
        self.add(path, Content::Directory(DirectoryState::default())).map(drop)
    }

    pub(super) fn create_file(&mut self, path: &Path) -> io::Result<Node> {
        self.add(path, Content::File(FileState::default()))
    }

    pub(super) fn file_at(&self, path: &Path) -> io::Result<Node> {
        self.powered()?;
        let node = self.find(path)?;
        match self.nodes[node] {
            Content::File(_) => Ok(node),
            Content::Directory(_) => Err(io::ErrorKind::IsADirectory.into()),
        }
    }

    pub(super) fn file_or_new(&mut self, path: &Path) -> io::Result<Node> {
        match self.file_at(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => self.create_file(path),
            found => found,
        }
    }

    pub(super) fn rename(&mut self, from: &Path, to: &Path) -> io::Result<()> {
        let node = self.file_at(from)?;
        let (parent, from) = self.place(from)?;
        let (other, to) = self.place(to)?;
        if parent != other {
            return Err(io::ErrorKind::CrossesDevices.into());
        }
        let number = self.begin()?;
        self.directory(parent)?.change(number, Change::Rename { from, to, node });
        self.end()
    }

    pub(super) fn remove(&mut self, path: &Path) -> io::Result<()> {
        let node = self.file_at(path)?;
        let (parent, name) = self.place(path)?;
        let number = self.begin()?;
        self.directory(parent)?.change(number, Change::Remove { name, node });
        self.end()
    }

    pub(super) fn list(&self, path: &Path) -> io::Result<Vec<String>> {
        self.powered()?;
        match &self.nodes[self.find(path)?] {
            Content::Directory(directory) => Ok(directory.entries().keys().cloned().collect()),
            Content::File(_) => Err(io::ErrorKind::NotADirectory.into()),
        }
    }

    pub(super) fn write(&mut self, node: Node, offset: usize, bytes: &[u8]) -> io::Result<()> {
        let number = self.begin()?;
        let free = self.space.map_or(usize::MAX, |space| space.saturating_sub(self.used()));
        let file = self.file_mut(node);
        let fitting = file.fitting(offset, bytes.len(), free).min(bytes.len());
        file.write(number, offset, &bytes[..fitting]);
        self.end()?;
        if fitting < bytes.len() { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) }
    }

    pub(super) fn set_length(&mut self, node: Node, length: usize) -> io::Result<()> {
        let number = self.begin()?;
        self.file_mut(node).set_length(number, length);
        self.end()
    }

    pub(super) fn sync_file(&mut self, node: Node) -> io::Result<()> {
        self.begin()?;
        self.powered()?;
        if self.sync_fails() {
            self.file_mut(node).fail_sync();
            self.end()?;
            return Err(io::Error::other("input/output error"));
        }
        self.file_mut(node).sync();
        self.end()
    }

    pub(super) fn sync_dir(&mut self, path: &Path) -> io::Result<()> {
        let node = self.find(path)?;
        self.begin()?;
        self.powered()?;
        if self.sync_fails() {
            return Err(io::Error::other("input/output error"));
        }
        self.directory(node)?.sync();
        self.end()
    }

    fn sync_fails(&mut self) -> bool {
        match self.fail_sync_after {
            Some(0) => {
                self.fail_sync_after = None;
                true
            }
            Some(after) => {
                self.fail_sync_after = Some(after - 1);
                false
            }
            None => false,
        }
    }

    /// Space of the files that have a name.
    fn used(&self) -> usize {
        let named = self.nodes.iter().flat_map(|node| match node {
            Content::Directory(directory) => directory.entries().values().copied().collect(),
            Content::File(_) => Vec::new(),
        });
        named
            .map(|node| match &self.nodes[node] {
                Content::File(file) => file.space(),
                Content::Directory(_) => 0,
            })
            .sum()
    }
}
