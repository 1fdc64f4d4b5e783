//! Files that are opened by a name which this program chose: regular files only.
//!
//! Anybody who may write to a directory can put something else in the place of a file. A symbolic
//! link would let a writer overwrite its target, and a FIFO keeps an opening waiting for its other
//! end. So such files are opened without following a link and without waiting, and then asked what
//! they are.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::path::Path;

/// Whether a symbolic link may be followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Links {
    Refuse,
    Follow,
}

/// Opens a regular file for reading. A symbolic link is refused.
///
/// # Errors
///
/// Those of the file system; [`io::ErrorKind::InvalidInput`] for anything but a regular file.
pub fn open(path: &Path) -> io::Result<File> {
    open_with(File::options().read(true), path)
}

/// As [`open`], for a name that a user gave: symbolic links are followed.
///
/// # Errors
///
/// As [`open`].
pub fn open_named(path: &Path) -> io::Result<File> {
    open_as(File::options().read(true), path, Links::Follow)
}

/// Creates a file, or empties the regular file that has its name. A symbolic link is refused.
///
/// # Errors
///
/// As [`open`].
pub fn create(path: &Path) -> io::Result<File> {
    // Emptied when it is known what it is.
    let file = open_with(File::options().write(true).create(true).truncate(false), path)?;
    file.set_len(0)?;
    Ok(file)
}

/// Reads a whole regular file. A symbolic link is refused.
///
/// # Errors
///
/// As [`open`].
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Opens a regular file with options, which must not truncate. A symbolic link is refused.
///
/// # Errors
///
/// As [`open`].
pub fn open_with(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    open_as(options, path, Links::Refuse)
}

fn open_as(options: &mut OpenOptions, path: &Path, links: Links) -> io::Result<File> {
    flags(options, links);
    let file = options.open(path).map_err(|error| {
        let is_link = || fs::symlink_metadata(path).is_ok_and(|found| found.is_symlink());
        match links == Links::Refuse && is_link() {
            true => refused("it is a symbolic link, which is not followed here"),
            false => error,
        }
    })?;
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(refused("it is not a regular file")),
    }
}

fn refused(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, format!("{what}; put the file itself there"))
}

#[cfg(unix)]
fn flags(options: &mut OpenOptions, links: Links) {
    use rustix::fs::OFlags;
    use std::os::unix::fs::OpenOptionsExt;
    // Without waiting for the other end of a FIFO; of no effect on a regular file.
    let mut flags = OFlags::NONBLOCK;
    if links == Links::Refuse {
        flags |= OFlags::NOFOLLOW;
    }
    options.custom_flags(flags.bits() as i32);
}

#[cfg(not(unix))]
fn flags(_: &mut OpenOptions, _: Links) {}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn a_link_is_not_followed_and_its_target_is_not_touched() {
        let dir = tempfile::tempdir().unwrap();
        let (target, link) = (dir.path().join("target"), dir.path().join("link"));
        fs::write(&target, b"precious").unwrap();
        symlink(&target, &link).unwrap();
        for error in [open(&link).unwrap_err(), create(&link).unwrap_err()] {
            assert!(error.to_string().contains("symbolic link"), "{error}");
        }
        assert_eq!(fs::read(&target).unwrap(), b"precious");
        open_named(&link).unwrap();
        let dangling = dir.path().join("dangling");
        symlink(dir.path().join("nothing"), &dangling).unwrap();
        create(&dangling).unwrap_err();
        assert!(!dir.path().join("nothing").exists());
        assert_eq!(open_named(&dangling).unwrap_err().kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn a_fifo_or_a_directory_is_refused_at_once() {
        let dir = tempfile::tempdir().unwrap();
        let fifo = dir.path().join("fifo");
        let made = std::process::Command::new("mkfifo").arg(&fifo).status().unwrap();
        assert!(made.success());
        for path in [&fifo, dir.path()] {
            open(path).unwrap_err();
            open_named(path).unwrap_err();
            create(path).unwrap_err();
            open_with(File::options().read(true).write(true), path).unwrap_err();
        }
    }

    #[test]
    fn a_regular_file_is_created_emptied_and_read() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a");
        assert_eq!(open(&path).unwrap_err().kind(), io::ErrorKind::NotFound);
        for text in ["a long text", "short"] {
            io::Write::write_all(&mut create(&path).unwrap(), text.as_bytes()).unwrap();
            assert_eq!(read(&path).unwrap(), text.as_bytes());
        }
    }
}
