//! The file system.

use super::{Access, Disk, DiskFile, Lock, LockGuard, Mapped};
use lookalike_spill::regular_file;
use redb::StorageBackend;
use redb::backends::FileBackend;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::thread;
use std::time::Duration;

/// The file system: regular files only, of which no name is a symbolic link. Locks are advisory and need a file system with byte-range locks (local file
/// systems have them; network file systems as they are configured).
#[derive(Debug, Clone, Copy, Default)]
pub struct RealDisk;

impl Disk for RealDisk {
    fn create_dir(&self, path: &Path) -> io::Result<()> {
        fs::create_dir(path)
    }

    fn create(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(path)?;
        Ok(Box::new(RealFile { file, end: 0, sync_failed: false }))
    }

    fn database(&self, path: &Path, access: Access) -> io::Result<Box<dyn StorageBackend>> {
        let mut options = OpenOptions::new();
        options.read(true).write(access != Access::Read).create_new(access == Access::Create);
        let file = regular_file::open_with(&mut options, path)?;
        Ok(Box::new(FileBackend::new(file).map_err(io::Error::other)?))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }

    fn list(&self, path: &Path) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in fs::read_dir(path)? {
            if let Ok(name) = entry?.file_name().into_string() {
                names.push(name);
            }
        }
        names.sort_unstable();
        Ok(names)
    }

    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        regular_file::read(path)
    }

    fn map(&self, path: &Path) -> io::Result<Mapped> {
        Mapped::map(&regular_file::open(path)?)
    }

    fn sync_dir(&self, path: &Path) -> io::Result<()> {
        // Only Unix can open and sync a directory; elsewhere renames are as durable as they get.
        if cfg!(unix) { File::open(path)?.sync_all() } else { Ok(()) }
    }

    fn lock(&self, path: &Path) -> io::Result<Lock> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let mut file = regular_file::open_with(&mut options, path)?;
        match file.try_lock() {
            Ok(()) => {
                file.set_len(0)?;
                writeln!(file, "{}", std::process::id())?;
                Ok(Lock::Acquired(LockGuard::new(Locked(file))))
            }
            Err(TryLockError::WouldBlock) => Ok(Lock::Held { pid: owner(&mut file) }),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }
}

/// A locked file. It is unlocked when it is dropped, also where a forked process has inherited it:
/// the lock would otherwise last as long as that process.
#[derive(Debug)]
struct Locked(File);

impl Drop for Locked {
    fn drop(&mut self) {
        // A lock that is not released now ends with the file.
        let _ = self.0.unlock();
    }
}

/// The process id in a lock file that another process holds. Waits a little for an owner that has
/// just taken it.
fn owner(file: &mut File) -> Option<u32> {
    for _ in 0..20 {
        let mut text = String::new();
        let read = file.seek(SeekFrom::Start(0)).and_then(|_| file.read_to_string(&mut text));
        if read.is_ok()
            && let Some(pid) = text.strip_suffix('\n').and_then(|pid| pid.parse().ok())
        {
            return Some(pid);
        }
        thread::sleep(Duration::from_millis(5));
    }
    None
}

#[derive(Debug)]
struct RealFile {
    file: File,
    end: u64,
    sync_failed: bool,
}

impl RealFile {
    fn usable(&self) -> io::Result<()> {
        if self.sync_failed {
            return Err(io::Error::other(
                "a sync of this file has failed before, so its content is unknown",
            ));
        }
        Ok(())
    }

    /// Writes some of the bytes at the current offset of the file, which is `offset`.
    fn write_some(&mut self, offset: u64, bytes: &[u8]) -> io::Result<usize> {
        self.usable()?;
        let written = self.file.write(bytes)?;
        self.end = self.end.max(offset + written as u64);
        Ok(written)
    }

    fn write_everything(&mut self, mut offset: u64, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            match self.write_some(offset, bytes) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(written) => {
                    offset += written as u64;
                    bytes = &bytes[written..];
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

impl Write for RealFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_some(self.end, bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Between two calls, the offset of the file is at its end.
impl DiskFile for RealFile {
    fn write_at(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(offset))?;
        let result = self.write_everything(offset, bytes);
        self.file.seek(SeekFrom::Start(self.end))?;
        result
    }

    fn set_len(&mut self, length: u64) -> io::Result<()> {
        self.usable()?;
        self.file.set_len(length)?;
        self.end = length;
        self.file.seek(SeekFrom::Start(length))?;
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        self.usable()?;
        // With its metadata: the length of a new file must be durable on every file system.
        self.file.sync_all().inspect_err(|_| self.sync_failed = true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn appends_and_writes_at_offsets_mix() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a");
        let mut file = RealDisk.create(&path).unwrap();
        file.write_all(b"hello").unwrap();
        file.write_at(7, b"end").unwrap();
        file.write_at(0, b"J").unwrap();
        file.write_all(b"!").unwrap();
        assert_eq!(RealDisk.read(&path).unwrap(), b"Jello\0\0end!");
        file.set_len(4).unwrap();
        file.write_all(b"y").unwrap();
        file.sync().unwrap();
        assert_eq!(&*RealDisk.map(&path).unwrap(), b"Jelly");
        assert_eq!(RealDisk.create(&path).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        RealDisk.rename(&path, &dir.path().join("b")).unwrap();
        RealDisk.sync_dir(dir.path()).unwrap();
        assert_eq!(RealDisk.list(dir.path()).unwrap(), ["b"]);
    }

    #[test]
    fn a_lock_names_its_owner_and_ends_with_its_guard() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("lock");
        let Lock::Acquired(guard) = RealDisk.lock(&path).unwrap() else { panic!("free") };
        let Lock::Held { pid } = RealDisk.lock(&path).unwrap() else { panic!("held") };
        assert_eq!(pid, Some(std::process::id()));
        drop(guard);
        assert!(matches!(RealDisk.lock(&path).unwrap(), Lock::Acquired(_)));
    }
}
