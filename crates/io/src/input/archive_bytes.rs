//! Unpacked bytes of a tar archive, with bounded headers.

use std::cell::RefCell;
use std::io::{self, Read};

use super::{Compression, InputFile, compression};
use crate::source::decompress::Decompressed;
use crate::source::open;

/// Most bytes of the headers of one member. The library reads long names and extended headers into
/// memory, whatever their sizes.
const HEADERS: u64 = 1 << 20;
/// Size of a block: headers start at multiples of it.
const BLOCK: usize = 512;
/// Bytes between archives that are looked at at once.
const GAP: usize = 1 << 16;
/// Where the header of a member has the name of the format, and the name.
const MAGIC: (usize, &[u8]) = (257, b"ustar");

/// The bytes of an archive; shared by the library, which reads them, and its caller, who sets bounds.
pub(super) struct ArchiveBytes(RefCell<State>);

struct State {
    source: Decompressed,
    /// Bytes that were read, without those put back.
    read: u64,
    /// Bytes to read before those of the source, in reverse order.
    put_back: Vec<u8>,
    /// The failure after them.
    deferred: Option<io::Error>,
    /// Whether bytes that are not compressed follow the compressed ones.
    trailing: bool,
    /// Bytes that may be read.
    most: u64,
    /// Why no more could be read.
    failure: Option<String>,
}

impl ArchiveBytes {
    /// Opens an archive, whatever the compression in its name.
    pub(super) fn open(archive: &InputFile) -> io::Result<Self> {
        let head = open::head(&archive.path, compression::HEAD)?;
        let compression = compression::compression_of(&head).unwrap_or(Compression::None);
        let source = Decompressed::open(&InputFile { compression, ..archive.clone() })?;
        Ok(Self(RefCell::new(State {
            source,
            read: 0,
            put_back: Vec::new(),
            deferred: None,
            trailing: false,
            most: u64::MAX,
            failure: None,
        })))
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

    /// Bytes before the next one.
    pub(super) fn position(&self) -> u64 {
        self.0.borrow().read
    }

    /// Reads the blocks of zeros that end an archive, or stand alone. Returns whether other data follow, such as
    /// another archive; otherwise the checksum of compressed data was compared.
    pub(super) fn skip_zeros(&self) -> io::Result<bool> {
        self.unbound();
        let mut buffer = vec![0; GAP];
        loop {
            let (mut held, mut failure) = (0, None);
            while held < GAP && failure.is_none() {
                match (&mut &*self).read(&mut buffer[held..]) {
                    Ok(0) => break,
                    Ok(read) => held += read,
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Err(error) => failure = Some(error),
                }
            }
            if let Some(at) = buffer[..held].iter().position(|byte| *byte != 0) {
                let block = at - at % BLOCK;
                let State { read, put_back, deferred, .. } = &mut *self.0.borrow_mut();
                put_back.extend(buffer[block..held].iter().rev());
                *read -= (held - block) as u64;
                *deferred = failure;
                return Ok(true);
            }
            match failure {
                Some(error) => return Err(error),
                None if held < GAP => return Ok(false),
                None => {}
            }
        }
    }

    /// Notes that what begins here, behind the end of an archive, is not another one.
    pub(super) fn refuse_rest(&self, at: u64) {
        let words = format!(
            "at byte {at}, behind the end of the archive, data begin that are no other archive; read them \
             otherwise, or cut them off"
        );
        self.0.borrow_mut().failure.get_or_insert(words);
    }

    /// Why not all of the file is part of the archive, if its members were all read.
    pub(super) fn rest(&self) -> Option<String> {
        self.0.borrow().trailing.then(|| {
            "data that are not compressed follow the compressed archive, and are not read; give them as a file of \
             their own, or cut them off"
                .to_owned()
        })
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
        let State { source, read, most, failure, put_back, deferred, trailing } =
            &mut *self.0.borrow_mut();
        let left = usize::try_from(most.saturating_sub(*read)).unwrap_or(usize::MAX);
        if left == 0 {
            return Err(io::Error::other("the headers of a member are longer than 1 MiB"));
        }
        let length = out.len().min(left);
        if !put_back.is_empty() {
            let length = length.min(put_back.len());
            let bytes = put_back.drain(put_back.len() - length..).rev();
            out.iter_mut().zip(bytes).for_each(|(byte, back)| *byte = back);
            *read += length as u64;
            return Ok(length);
        }
        if let Some(error) = deferred.take() {
            return Err(error);
        }
        match source.read(&mut out[..length]) {
            Ok(bytes) => {
                *read += bytes as u64;
                Ok(bytes)
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Err(error),
            Err(error) => match source.explain(&error).fatal() {
                None => {
                    *trailing = true;
                    Ok(0)
                }
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
