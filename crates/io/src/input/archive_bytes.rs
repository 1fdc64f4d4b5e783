//! Unpacked bytes of a tar archive, with bounded headers.

use std::cell::RefCell;
use std::io::{self, Read};

use super::{Compression, InputFile, kind};
use crate::source::decompress::Decompressed;
use crate::source::open;

/// Most bytes of the headers of one member. The library reads long names and extended headers into
/// memory, whatever their sizes.
const HEADERS: u64 = 1 << 20;
/// Most bytes after the last member that are read for the checksum of a compressed archive.
const PADDING: u64 = 16 << 20;
/// Where the header of a member has the name of the format, and the name.
const MAGIC: (usize, &[u8]) = (257, b"ustar");

/// The bytes of an archive; shared by the library, which reads them, and its caller, who sets bounds.
pub(super) struct ArchiveBytes(RefCell<State>);

struct State {
    source: Decompressed,
    /// Bytes that were read.
    read: u64,
    /// Bytes that may be read.
    most: u64,
    /// Why no more could be read.
    failure: Option<String>,
}

impl ArchiveBytes {
    /// Opens an archive, whatever the compression in its name.
    pub(super) fn open(archive: &InputFile) -> io::Result<Self> {
        let head = open::head(&archive.path, kind::HEAD)?;
        let compression = kind::compression_of(&head).unwrap_or(Compression::None);
        let source = Decompressed::open(&InputFile { compression, ..archive.clone() })?;
        Ok(Self(RefCell::new(State { source, read: 0, most: u64::MAX, failure: None })))
    }

    /// Bounds what is read until the next member, whose headers begin at `start` or later.
    pub(super) fn bound_headers(&self, start: u64) {
        let mut state = self.0.borrow_mut();
        state.most = start.max(state.read).saturating_add(HEADERS);
    }

    /// Removes the bound.
    pub(super) fn unbound(&self) {
        self.0.borrow_mut().most = u64::MAX;
    }

    /// Reads what follows the last member, so that the checksum of compressed data is compared.
    pub(super) fn read_padding(&self) -> io::Result<()> {
        self.unbound();
        io::copy(&mut (&mut &*self).take(PADDING), &mut io::sink()).map(drop)
    }

    /// Why the archive could not be read further, in words with a remedy.
    pub(super) fn explain(&self, error: &io::Error) -> String {
        let failure = self.0.borrow_mut().failure.take();
        let reason = failure.unwrap_or_else(|| {
            let words = match error.kind() {
                io::ErrorKind::UnexpectedEof => "it ends inside of a member".to_owned(),
                _ => error.to_string(),
            };
            format!("{words}; get the whole file, or unpack what can be and give the directory")
        });
        format!("the archive is damaged from here on: {reason}")
    }
}

impl Read for &ArchiveBytes {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let State { source, read, most, failure } = &mut *self.0.borrow_mut();
        let left = usize::try_from(most.saturating_sub(*read)).unwrap_or(usize::MAX);
        if left == 0 {
            return Err(io::Error::other("the headers of a member are longer than 1 MiB"));
        }
        let length = out.len().min(left);
        match source.read(&mut out[..length]) {
            Ok(bytes) => {
                *read += bytes as u64;
                Ok(bytes)
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Err(error),
            // Bytes after compressed data are none of the archive.
            Err(error) => match source.explain(&error).fatal() {
                None => Ok(0),
                Some(message) => {
                    *failure = Some(message);
                    Err(error)
                }
            },
        }
    }
}

/// Whether a file is a tar archive, by its first bytes.
pub(super) fn is_tar(file: &InputFile) -> bool {
    let (at, magic) = MAGIC;
    let mut head = Vec::new();
    let read = ArchiveBytes::open(file)
        .and_then(|bytes| (&mut &bytes).take((at + magic.len()) as u64).read_to_end(&mut head));
    read.is_ok() && head.get(at..) == Some(magic)
}
