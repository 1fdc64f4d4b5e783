//! Writes a result: the objects first, those that mark it as complete last.
//!
//! A store has no rename. While a result is being written there is the object [`MARKER`] with the
//! token of its writer; the marks of an earlier result are removed before anything else changes. So
//! whoever waits for a mark never sees half a result, a writer that was killed leaves a destination
//! that is recognised as unfinished, and of two writers at most one ends with a result.

use std::collections::BTreeSet;
use std::fs::File;
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Read};
use std::path::{Path as FilePath, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;

use bytes::Bytes;
use futures_util::{StreamExt, TryStreamExt, stream};
use object_store::path::Path;
use object_store::{MultipartUpload, ObjectStore, ObjectStoreExt, PutPayload};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use super::connect::{Location, connect};
use super::explain;
use super::find::gone;
use super::runtime::{start, wait};
use crate::{Address, Contents, StoreError};

/// The object that exists while a result is being written.
const MARKER: &str = ".lookalike-unfinished";

/// Files at a time.
const FILES: usize = 4;

/// Bytes in memory, in MiB.
const BUDGET: u32 = 64;

/// Size of a part, in MiB, unless there would be too many. (S3 has 5 at least, and 10,000 parts.)
const PART: u64 = 8;

/// Most parts of an object.
const PARTS: u64 = 9_000;

const MIB: u64 = 1 << 20;

/// Objects that are deleted at a time.
const DELETED: usize = 16;

/// How soon a cancellation is noticed.
const POLL: Duration = Duration::from_millis(100);

/// What is below the destination of a result. `marks` are the names of the objects of which every
/// complete result has one.
///
/// # Errors
/// The store cannot be asked, or refuses.
pub fn contents(destination: &Address, marks: &[&str]) -> Result<Contents, StoreError> {
    let target = Target::new(destination)?;
    let marks: Vec<String> = marks.iter().map(|&mark| mark.to_string()).collect();
    let work = async move {
        for mark in &marks {
            if target.exists(mark).await? {
                return Ok(Contents::Result);
            }
        }
        if target.exists(MARKER).await? {
            return Ok(Contents::Unfinished);
        }
        let first = target.store.list(Some(&target.prefix)).next().await.transpose();
        let first = first.map_err(|error| explain::failed(&target.address, "list it", &error))?;
        Ok(if first.is_some() { Contents::Other } else { Contents::Nothing })
    };
    wait(work).unwrap_or_else(|| Err(gone(destination)))
}

/// Writes the files of a directory as a result, in place of what is below the destination. `marks`
/// are written last.
///
/// # Errors
/// The store or the disk fails, another process writes to the same destination, or `cancelled` says
/// so. Then what was written is removed, as far as the store allows.
pub fn publish(
    destination: &Address,
    directory: &FilePath,
    marks: &[&str],
    cancelled: &dyn Fn() -> bool,
) -> Result<(), StoreError> {
    let target = Target::new(destination)?;
    let mut files = Vec::new();
    collect(directory, "", &mut files).map_err(|error| disk(destination, &error))?;
    let (last, first) = files.into_iter().partition(|(name, _)| marks.contains(&name.as_str()));
    let stop = Arc::new(AtomicBool::new(false));
    let result = start(replace(target, first, last, Arc::clone(&stop)));
    loop {
        match result.recv_timeout(POLL) {
            Ok(done) => return done,
            Err(RecvTimeoutError::Disconnected) => return Err(gone(destination)),
            Err(RecvTimeoutError::Timeout) if cancelled() => stop.store(true, Ordering::Relaxed),
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
}

/// A file and its name in the result.
type Named = (String, PathBuf);

/// The files below a directory.
fn collect(directory: &FilePath, prefix: &str, files: &mut Vec<Named>) -> io::Result<()> {
    for entry in std::fs::read_dir(directory)? {
        let entry = entry?;
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if entry.file_type()?.is_dir() {
            collect(&entry.path(), &format!("{name}/"), files)?;
        } else {
            files.push((name, entry.path()));
        }
    }
    Ok(())
}

fn disk(address: &Address, error: &io::Error) -> StoreError {
    StoreError::Failed {
        url: address.to_string(),
        action: "read the local copy of it",
        reason: error.to_string(),
        remedy: "check the disk, and run again",
    }
}

/// Where a result goes.
#[derive(Debug, Clone)]
struct Target {
    store: Arc<dyn ObjectStore>,
    prefix: Path,
    address: Address,
}

impl Target {
    fn new(destination: &Address) -> Result<Self, StoreError> {
        let Location { store, path, address } = connect(destination)?;
        Ok(Self { store, prefix: path, address })
    }

    /// The path of an object of the result, and its address for messages.
    fn place(&self, name: &str) -> (Path, Address) {
        // Joining would encode what keys may contain; names of files have no empty parts.
        let path = Path::parse(format!("{}/{name}", self.prefix));
        let path = path.unwrap_or_else(|_| self.prefix.clone().join(name));
        let address = self.address.with_key(path.as_ref());
        (path, address)
    }

    async fn exists(&self, name: &str) -> Result<bool, StoreError> {
        let (path, address) = self.place(name);
        match self.store.head(&path).await {
            Ok(_) => Ok(true),
            Err(object_store::Error::NotFound { .. }) => Ok(false),
            Err(error) => Err(explain::failed(&address, "look at it", &error)),
        }
    }

    async fn put(&self, name: &str, content: Bytes) -> Result<(), StoreError> {
        let (path, address) = self.place(name);
        let written = self.store.put(&path, PutPayload::from(content)).await;
        written.map(drop).map_err(|error| explain::failed(&address, "write it", &error))
    }

    async fn delete(&self, path: &Path) -> Result<(), StoreError> {
        match self.store.delete(path).await {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => {
                let address = self.address.with_key(path.as_ref());
                Err(explain::failed(&address, "delete it", &error))
            }
        }
    }

    async fn delete_all(&self, paths: Vec<Path>) -> Result<(), StoreError> {
        let deleted = stream::iter(paths).map(|path| async move { self.delete(&path).await });
        deleted.buffer_unordered(DELETED).try_collect().await
    }

    /// Whether the marker is that of this writer.
    async fn is_ours(&self, token: &Bytes) -> Result<bool, StoreError> {
        let (path, address) = self.place(MARKER);
        let failed = |error| explain::failed(&address, "read it", &error);
        match self.store.get(&path).await {
            Ok(result) => Ok(result.bytes().await.map_err(failed)? == *token),
            Err(object_store::Error::NotFound { .. }) => Ok(false),
            Err(error) => Err(failed(error)),
        }
    }
}

/// A token that no other writer has.
fn token() -> Bytes {
    let random = RandomState::new().hash_one((std::process::id(), std::time::SystemTime::now()));
    Bytes::from(format!("{random:016x}"))
}

async fn replace(
    target: Target,
    first: Vec<Named>,
    last: Vec<Named>,
    stop: Arc<AtomicBool>,
) -> Result<(), StoreError> {
    let token = token();
    let names: Vec<String> = first.iter().chain(&last).map(|(name, _)| name.clone()).collect();
    let outcome = write(&target, first, last, &token, &stop).await;
    let marker = target.place(MARKER).0;
    match outcome {
        // The result is complete: a marker beside the marks means nothing.
        Ok(()) => drop(target.delete(&marker).await),
        Err(_) if target.is_ours(&token).await.is_ok_and(|ours| ours) => {
            let mut paths: Vec<Path> = names.iter().map(|name| target.place(name).0).collect();
            // If some cannot be deleted, the marker stays and says that they are unfinished.
            if target.delete_all(std::mem::take(&mut paths)).await.is_ok() {
                let _ = target.delete(&marker).await;
            }
        }
        Err(_) => {}
    }
    outcome
}

async fn write(
    target: &Target,
    first: Vec<Named>,
    last: Vec<Named>,
    token: &Bytes,
    stop: &Arc<AtomicBool>,
) -> Result<(), StoreError> {
    target.put(MARKER, token.clone()).await?;
    // Marks of an earlier result: from here on it is none.
    for (name, _) in &last {
        target.delete(&target.place(name).0).await?;
    }
    let mut known: BTreeSet<Path> = first.iter().map(|(name, _)| target.place(name).0).collect();
    known.insert(target.place(MARKER).0);
    upload_all(target, first, stop).await?;
    let listed = target.store.list(Some(&target.prefix));
    let listed = listed.map_ok(|meta| meta.location).try_collect::<Vec<_>>().await;
    let mut stale = listed.map_err(|error| explain::failed(&target.address, "list it", &error))?;
    stale.retain(|path| !known.contains(path));
    target.delete_all(stale).await?;
    if stop.load(Ordering::Relaxed) {
        return Err(StoreError::Cancelled);
    }
    if !target.is_ours(token).await? {
        return Err(StoreError::Failed {
            url: target.address.to_string(),
            action: "write it",
            reason: "another run writes a result to the same destination".to_string(),
            remedy: "wait for it, or choose another destination",
        });
    }
    upload_all(target, last, stop).await
}

/// Writes some files, several at a time; waits for all of them also if one fails, so that no upload
/// is left unfinished.
async fn upload_all(
    target: &Target,
    files: Vec<Named>,
    stop: &Arc<AtomicBool>,
) -> Result<(), StoreError> {
    let budget = Arc::new(Semaphore::new(BUDGET as usize));
    let uploads = stream::iter(files).map(|(name, file)| {
        let budget = Arc::clone(&budget);
        async move {
            let written = upload(target, &name, &file, budget, stop).await;
            if written.is_err() {
                stop.store(true, Ordering::Relaxed);
            }
            written
        }
    });
    let results: Vec<_> = uploads.buffer_unordered(FILES).collect().await;
    let mut errors: Vec<_> = results.into_iter().filter_map(Result::err).collect();
    // The first error cancelled the other uploads.
    let cause = errors.iter().position(|error| !matches!(error, StoreError::Cancelled));
    match errors.is_empty() {
        true => Ok(()),
        false => Err(errors.swap_remove(cause.unwrap_or(0))),
    }
}

async fn upload(
    target: &Target,
    name: &str,
    file: &FilePath,
    budget: Arc<Semaphore>,
    stop: &AtomicBool,
) -> Result<(), StoreError> {
    let (path, address) = target.place(name);
    let opened = File::open(file).and_then(|file| Ok((file.metadata()?.len(), file)));
    let (size, file) = opened.map_err(|error| disk(&address, &error))?;
    let part = PART.max(size.div_ceil(PARTS).div_ceil(MIB));
    let mut source = Source { file: Some(file), left: size, address };
    if size <= part * MIB {
        let _room = budget.acquire_many(part as u32).await;
        if stop.load(Ordering::Relaxed) {
            return Err(StoreError::Cancelled);
        }
        let content = source.next(size).await?;
        return target.put(name, content).await;
    }
    let failed = |error| explain::failed(&source.address, "write it", &error);
    let mut upload = target.store.put_multipart(&path).await.map_err(failed)?;
    match put_parts(&mut *upload, &mut source, part, budget, stop).await {
        Ok(()) => {
            let completed = upload.complete().await;
            completed.map(drop).map_err(|e| explain::failed(&source.address, "write it", &e))
        }
        Err(error) => {
            // If this fails too, the store removes the parts by the rules of its bucket.
            let _ = upload.abort().await;
            Err(error)
        }
    }
}

async fn put_parts(
    upload: &mut dyn MultipartUpload,
    source: &mut Source,
    part: u64,
    budget: Arc<Semaphore>,
    stop: &AtomicBool,
) -> Result<(), StoreError> {
    let failed = |address: &Address, error| explain::failed(address, "write it", &error);
    let mut running = JoinSet::new();
    let mut is_read = false;
    while !is_read || !running.is_empty() {
        if stop.load(Ordering::Relaxed) {
            return Err(StoreError::Cancelled);
        }
        let room = (part as u32).min(BUDGET);
        match Arc::clone(&budget).try_acquire_many_owned(room) {
            Ok(room) if !is_read => {
                let content = source.next(part * MIB).await?;
                is_read = source.left == 0;
                let put = upload.put_part(PutPayload::from(content));
                running.spawn(async move {
                    let done = put.await;
                    drop(room);
                    done
                });
            }
            _ => {
                let Ok(done) = tokio::time::timeout(POLL, running.join_next()).await else {
                    continue;
                };
                match done {
                    Some(Ok(Ok(()))) => {}
                    Some(Ok(Err(error))) => return Err(failed(&source.address, error)),
                    Some(Err(_)) => return Err(gone(&source.address)),
                    // Other files have the whole budget.
                    None => tokio::time::sleep(POLL).await,
                }
            }
        }
    }
    Ok(())
}

/// A file that is read in parts.
struct Source {
    file: Option<File>,
    left: u64,
    address: Address,
}

impl Source {
    /// The next bytes.
    async fn next(&mut self, most: u64) -> Result<Bytes, StoreError> {
        let length = most.min(self.left);
        self.left -= length;
        let Some(mut file) = self.file.take() else { return Err(gone(&self.address)) };
        let read = move || -> io::Result<(File, Vec<u8>)> {
            let mut content = vec![0; length as usize];
            file.read_exact(&mut content)?;
            Ok((file, content))
        };
        let read = tokio::task::spawn_blocking(read).await.map_err(|_| gone(&self.address))?;
        let (file, content) = read.map_err(|error| disk(&self.address, &error))?;
        self.file = Some(file);
        Ok(content.into())
    }
}

#[cfg(test)]
mod tests {
    use super::super::connect::in_memory;
    use super::super::find::{list, read};
    use super::*;

    const MARKS: &[&str] = &["summary.json"];

    fn address(bucket: &str, key: &str) -> Address {
        Address::parse(&format!("s3://{bucket}/{key}")).unwrap()
    }

    fn keys(address: &Address) -> Vec<String> {
        let mut keys: Vec<String> =
            list(address).unwrap().into_iter().map(|object| object.address.key).collect();
        keys.sort();
        keys
    }

    /// A result with these files.
    fn result(files: &[(&str, &[u8])]) -> std::path::PathBuf {
        let folder = std::env::temp_dir().join(format!("lookalike-store-{:x}", {
            RandomState::new().hash_one(std::process::id())
        }));
        for (name, content) in files {
            let path = folder.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, content).unwrap();
        }
        folder
    }

    #[test]
    fn a_result_replaces_all_of_an_earlier_one() {
        in_memory("s3://publish-all");
        let (out, all) = (address("publish-all", "x/out"), address("publish-all", "x"));
        let large = vec![7; 3 * (PART * MIB) as usize + 5];
        let first = result(&[("summary.json", b"1"), ("kept/a%b.jsonl", &large), ("old", b"")]);
        assert_eq!(contents(&out, MARKS).unwrap(), Contents::Nothing);
        publish(&out, &first, MARKS, &|| false).unwrap();
        assert_eq!(contents(&out, MARKS).unwrap(), Contents::Result);
        assert_eq!(keys(&out), ["x/out/kept/a%b.jsonl", "x/out/old", "x/out/summary.json"]);
        assert!(read(&out.with_key("x/out/kept/a%b.jsonl")).unwrap() == large);
        let second = result(&[("summary.json", b"2"), ("new", b"n")]);
        publish(&out, &second, MARKS, &|| false).unwrap();
        assert_eq!(keys(&all), ["x/out/new", "x/out/summary.json"]);
        assert_eq!(read(&out.with_key("x/out/summary.json")).unwrap(), "2");
        for folder in [first, second] {
            std::fs::remove_dir_all(folder).unwrap();
        }
    }

    #[test]
    fn a_cancelled_result_leaves_nothing() {
        in_memory("s3://publish-cancelled");
        let out = address("publish-cancelled", "out");
        let folder = result(&[("summary.json", b"1"), ("a", &vec![7; 100 << 20])]);
        let target = Target::new(&out).unwrap();
        let stop = Arc::new(AtomicBool::new(true));
        let mut files = Vec::new();
        collect(&folder, "", &mut files).unwrap();
        let (last, first) = files.into_iter().partition(|(name, _)| name == "summary.json");
        let error = wait(replace(target, first, last, stop)).unwrap().unwrap_err();
        assert!(matches!(error, StoreError::Cancelled), "{error}");
        assert_eq!(keys(&out), [""; 0]);
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn what_a_killed_writer_left_is_told_from_other_objects() {
        let store = in_memory("s3://publish-kinds");
        let out = address("publish-kinds", "out");
        let put = |key: &'static str| {
            let store = Arc::clone(&store);
            wait(async move { store.put(&Path::from(key), PutPayload::from("x")).await })
                .unwrap()
                .unwrap();
        };
        put("outer");
        assert_eq!(contents(&out, MARKS).unwrap(), Contents::Nothing);
        put("out/a");
        assert_eq!(contents(&out, MARKS).unwrap(), Contents::Other);
        put("out/.lookalike-unfinished");
        assert_eq!(contents(&out, MARKS).unwrap(), Contents::Unfinished);
        put("out/summary.json");
        assert_eq!(contents(&out, MARKS).unwrap(), Contents::Result);
    }
}
