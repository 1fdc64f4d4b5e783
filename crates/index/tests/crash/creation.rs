//! Two processes that create an index in the same directory at the same moment: one of them does,
//! and the other one is refused and changes nothing.

use crate::history::{DIR, rules};
use crate::model::{Rules, makers};
use lookalike_index::{
    Access, Description, Disk, DiskFile, IndexError, IndexWriter, Lock, Mapped, RealDisk,
};
use lookalike_testing::failing_disk::FailingDisk;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};

type Creation = Box<dyn FnOnce() -> Result<IndexWriter, IndexError> + Send>;

/// A disk that lets another process create the index before one of its calls.
struct Interleaved {
    disk: FailingDisk,
    state: Mutex<State>,
}

struct State {
    /// Calls until then.
    left: u64,
    other: Option<Creation>,
    outcome: Option<Result<IndexWriter, IndexError>>,
}

impl std::fmt::Debug for Interleaved {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Interleaved")
    }
}

impl Interleaved {
    fn disk(&self) -> &FailingDisk {
        let mut state = self.state.lock().unwrap();
        match state.left.checked_sub(1) {
            Some(left) => state.left = left,
            None => {
                if let Some(create) = state.other.take() {
                    state.outcome = Some(create());
                }
            }
        }
        &self.disk
    }
}

impl Disk for Interleaved {
    fn create_dir(&self, path: &Path) -> io::Result<()> {
        self.disk().create_dir(path)
    }
    fn create(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        self.disk().create(path)
    }
    fn database(&self, path: &Path, access: Access) -> io::Result<Box<dyn redb::StorageBackend>> {
        self.disk().database(path, access)
    }
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.disk().rename(from, to)
    }
    fn remove(&self, path: &Path) -> io::Result<()> {
        self.disk().remove(path)
    }
    fn list(&self, path: &Path) -> io::Result<Vec<String>> {
        self.disk().list(path)
    }
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.disk().read(path)
    }
    fn map(&self, path: &Path) -> io::Result<Mapped> {
        self.disk().map(path)
    }
    fn sync_dir(&self, path: &Path) -> io::Result<()> {
        self.disk().sync_dir(path)
    }
    fn lock(&self, path: &Path) -> io::Result<Lock> {
        self.disk().lock(path)
    }
}

fn create(disk: Arc<dyn Disk>, dir: &Path, rules: &Rules) -> Result<IndexWriter, IndexError> {
    IndexWriter::create(disk, dir, rules.description(), makers())
}

/// Opens the index with the settings of the one that created it.
fn open(disk: Arc<dyn Disk>, dir: &Path, creator: &Rules, what: &str) {
    let description = Description::read(&*disk, dir).unwrap();
    assert_eq!(description, creator.description(), "{what}");
    let opened = IndexWriter::open(disk, dir, description, makers());
    opened.unwrap_or_else(|error| panic!("{what}: {error}"));
}

fn is_refusal(error: &IndexError) -> bool {
    matches!(error, IndexError::Locked { .. } | IndexError::Exists { .. })
}

/// The other creation happens before each call of the first one; its writer is closed at once, or
/// open until the first one has ended.
#[test]
fn of_two_creations_at_any_moment_one_succeeds() {
    let (first, second) = (rules(0), rules(1));
    let (mut firsts, mut seconds) = (0, 0);
    for stays in [false, true] {
        for left in 0.. {
            let disk = FailingDisk::new();
            let (other_disk, other) = (disk.clone(), second.clone());
            let creation = move || create(Arc::new(other_disk), Path::new(DIR), &other);
            let state = State { left, other: Some(Box::new(creation)), outcome: None };
            let both = Arc::new(Interleaved { disk: disk.clone(), state: Mutex::new(state) });
            let shared: Arc<dyn Disk> = Arc::clone(&both) as _;
            if !stays {
                // Its writer ends where it is made.
                let mut state = both.state.lock().unwrap();
                let create = state.other.take().unwrap();
                state.other = Some(Box::new(move || {
                    drop(create()?);
                    Err(IndexError::Interrupted)
                }));
            }
            let created = create(shared, Path::new(DIR), &first);
            let what = format!("call {left}");
            let outcome = both.state.lock().unwrap().outcome.take();
            let Some(outcome) = outcome else {
                created.unwrap();
                break;
            };
            let second_created = match &outcome {
                Ok(_) | Err(IndexError::Interrupted) => true,
                Err(error) => {
                    assert!(is_refusal(error), "{what}: {error}");
                    false
                }
            };
            assert_ne!(created.is_ok(), second_created, "{what}");
            if let Err(error) = &created {
                assert!(is_refusal(error), "{what}: {error}");
            }
            drop((created, outcome));
            let creator = if second_created { &second } else { &first };
            open(Arc::new(disk), Path::new(DIR), creator, &what);
            firsts += u64::from(!second_created);
            seconds += u64::from(second_created);
        }
    }
    println!("the first one created the index {firsts} times, the other one {seconds} times");
    assert!(firsts > 5 && seconds > 3, "{firsts} {seconds}");
}

/// Set in the children to the directory of the index, and to the number of the rules.
const DIRECTORY: &str = "LOOKALIKE_TEST_INDEX";
const RULES: &str = "LOOKALIKE_TEST_RULES";

#[test]
#[ignore = "a child process of the tests"]
fn child_creates() {
    let Some(dir) = std::env::var_os(DIRECTORY).map(PathBuf::from) else { return };
    let rules = rules(std::env::var(RULES).unwrap().parse().unwrap());
    // The parent lets all go at once.
    let _ = std::io::stdin().read(&mut [0]);
    match create(Arc::new(RealDisk), &dir, &rules) {
        Ok(_) => println!("\ncreated"),
        Err(error) if is_refusal(&error) => println!("\nrefused"),
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn of_creations_in_several_processes_one_succeeds() {
    for round in 0..10 {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path().join("index");
        let start = |number: u64| {
            let child = Command::new(std::env::current_exe().unwrap())
                .args(["creation::child_creates", "--exact", "--ignored", "--nocapture"])
                .env(DIRECTORY, &dir)
                .env(RULES, number.to_string())
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .spawn();
            child.unwrap()
        };
        let mut children: Vec<_> = (0..3).map(start).collect();
        let inputs: Vec<_> = children.iter_mut().map(|child| child.stdin.take()).collect();
        drop(inputs);
        let mut creators = Vec::new();
        for (number, child) in (0..).zip(children) {
            let done = child.wait_with_output().unwrap();
            assert!(done.status.success(), "round {round}: {done:?}");
            let said = String::from_utf8(done.stdout).unwrap();
            match said.lines().any(|line| line == "created") {
                true => creators.push(number),
                false => assert!(said.lines().any(|line| line == "refused"), "{said}"),
            }
        }
        assert_eq!(creators.len(), 1, "round {round}: {creators:?}");
        open(Arc::new(RealDisk), &dir, &rules(creators[0]), &format!("round {round}"));
    }
}
