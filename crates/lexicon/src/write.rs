//! Writes a lexicon file from counts in order of fingerprints; the file appears whole or not at
//! all.

use crate::error::TOO_MANY_DOCUMENTS;
use crate::format::{CHECKED, CHECKSUM, ENTRY, Header, STRIDE, directory_bits, group, number};
use crate::map::map;
use crate::run::Record;
use crate::staging::staged;
use crate::{Description, Lexicon, LexiconError};
use lookalike_core::TextDigest;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// Writes a lexicon term by term. Entries go to the file under a temporary name, names to a second
/// file; the rest is written at the end. Memory: 8 bytes for 64 terms, and at the end the
/// directory, 2 to 4 bytes per term.
pub(crate) struct Writer {
    path: PathBuf,
    entries: BufWriter<NamedTempFile>,
    names: BufWriter<File>,
    samples: Vec<u8>,
    header: Header,
    length: usize,
}

impl Writer {
    pub(crate) fn new(description: Description, path: &Path) -> Result<Self, LexiconError> {
        let (mut entries, folder) = staged(path)?;
        let names = tempfile::tempfile_in(folder).map_err(LexiconError::io(path))?;
        let range = (u32::MAX, 0);
        let header = Header { documents: 0, terms: 0, names: 0, range, bits: 0, description };
        let room = header.encode()?;
        entries.write_all(&room).map_err(LexiconError::io(path))?;
        Ok(Self {
            path: path.to_owned(),
            entries: BufWriter::with_capacity(1 << 18, entries),
            names: BufWriter::with_capacity(1 << 18, names),
            samples: Vec::new(),
            header,
            length: room.len(),
        })
    }

    /// Writes the next term, whose fingerprint is larger than the one before.
    pub(crate) fn push(&mut self, record: &Record) -> Result<(), LexiconError> {
        if self.header.terms.is_multiple_of(STRIDE as u64) {
            self.samples.extend(self.header.names.to_le_bytes());
        }
        let mut entry = [0; ENTRY];
        entry[..8].copy_from_slice(&record.fingerprint.to_le_bytes());
        entry[8..].copy_from_slice(&record.frequency.to_le_bytes());
        self.entries.write_all(&entry).map_err(LexiconError::io(&self.path))?;
        let length = [record.name.len() as u8];
        let names = self.names.write_all(&length).and_then(|()| self.names.write_all(&record.name));
        names.map_err(LexiconError::io(&self.path))?;
        self.header.terms += 1;
        self.header.names += 1 + record.name.len() as u64;
        let (least, most) = &mut self.header.range;
        *least = (*least).min(record.frequency);
        *most = (*most).max(record.frequency);
        Ok(())
    }

    /// Writes the remaining sections, and renames the file.
    pub(crate) fn finish(mut self, documents: u64) -> Result<Lexicon, LexiconError> {
        if documents > u64::from(u32::MAX) {
            return Err(TOO_MANY_DOCUMENTS);
        }
        if self.header.terms > u64::from(u32::MAX) {
            return Err(LexiconError::TooMany { what: "terms", most: u64::from(u32::MAX) });
        }
        if self.header.terms == 0 {
            self.header.range = (0, 0);
        }
        self.header.documents = documents;
        self.header.bits = directory_bits(self.header.terms);
        let header = self.header.encode()?;
        let path = self.path;
        let error = || LexiconError::io(&path);
        let staged = self.entries.into_inner().map_err(|failed| error()(failed.into_error()))?;
        let names = self.names.into_inner().map_err(|failed| error()(failed.into_error()))?;
        let directory = directory(&staged, &path, self.length, self.header.bits)?;
        let mut file = staged.as_file();
        append(&mut file, names, &self.samples, &directory).map_err(error())?;
        file.seek(SeekFrom::Start(0)).and_then(|_| file.write_all(&header)).map_err(error())?;
        let TextDigest(checksum) = TextDigest::of(&map(file, &path)?[CHECKED..]);
        file.seek(SeekFrom::Start(CHECKSUM as u64))
            .and_then(|_| file.write_all(&checksum.to_le_bytes()))
            .and_then(|()| file.sync_all())
            .map_err(error())?;
        staged.persist(&path).map_err(|failed| error()(failed.error))?;
        Lexicon::open(&path)
    }
}

/// Writes the sections after the entries.
fn append(file: &mut &File, mut names: File, samples: &[u8], directory: &[u8]) -> io::Result<()> {
    names.seek(SeekFrom::Start(0))?;
    file.seek(SeekFrom::End(0))?;
    io::copy(&mut BufReader::with_capacity(1 << 18, names), file)?;
    file.write_all(samples)?;
    file.write_all(directory)
}

/// Counts the entries of each value of the leading `bits`.
fn directory(
    staged: &NamedTempFile,
    path: &Path,
    length: usize,
    bits: u32,
) -> Result<Vec<u8>, LexiconError> {
    let file = map(staged.as_file(), path)?;
    let entries = file.get(length..).unwrap_or_default();
    let mut directory = Vec::with_capacity(4 * ((1 << bits) + 1));
    let mut written = 0u64;
    for (index, entry) in entries.chunks_exact(ENTRY).enumerate() {
        let group = group(number::<8>(entry, 0).unwrap_or_default(), bits);
        while written <= group {
            directory.extend((index as u32).to_le_bytes());
            written += 1;
        }
    }
    let terms = (entries.len() / ENTRY) as u32;
    while written <= 1 << bits {
        directory.extend(terms.to_le_bytes());
        written += 1;
    }
    Ok(directory)
}
