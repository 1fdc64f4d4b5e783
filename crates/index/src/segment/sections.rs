//! Writing a segment: sections one after the other, with checksums, then a footer, then the states.

use super::SegmentSettings;
use super::format::{
    Built, CHECKED, Footer, HEADER_BYTES, Section, TRAILER_BYTES, header, trailer,
};
use super::postings::Layout;
use std::io::{self, Write};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

/// Writes the sections of a segment.
pub(super) struct SegmentWriter<'w> {
    out: &'w mut dyn Write,
    written: u64,
    sections: Vec<(Section, u64, u64)>,
    checksums: Vec<u64>,
}

/// Writes one section.
pub(super) struct SectionWriter<'s> {
    out: &'s mut dyn Write,
    written: u64,
    hash: Box<Xxh3>,
    hashed: usize,
    checksums: &'s mut Vec<u64>,
}

impl<'w> SegmentWriter<'w> {
    pub(super) fn new(out: &'w mut dyn Write, settings: &SegmentSettings) -> io::Result<Self> {
        out.write_all(&header(settings))?;
        let (sections, checksums) = Default::default();
        Ok(Self { out, written: HEADER_BYTES as u64, sections, checksums })
    }

    /// Writes a section.
    pub(super) fn section<T>(
        &mut self,
        section: Section,
        fill: impl FnOnce(&mut SectionWriter<'_>) -> io::Result<T>,
    ) -> io::Result<T> {
        let mut writer = SectionWriter {
            out: &mut *self.out,
            written: 0,
            hash: Box::default(),
            hashed: 0,
            checksums: &mut self.checksums,
        };
        let result = fill(&mut writer)?;
        let bytes = writer.end();
        self.sections.push((section, self.written, bytes));
        self.written += bytes;
        Ok(result)
    }

    /// Writes a section of numbers.
    pub(super) fn column<const N: usize>(
        &mut self,
        section: Section,
        values: impl IntoIterator<Item = [u8; N]>,
    ) -> io::Result<()> {
        self.section(section, |out| {
            let mut buffer = Vec::with_capacity(1 << 16);
            for value in values {
                buffer.extend_from_slice(&value);
                if buffer.len() + N > 1 << 16 {
                    out.write_all(&buffer)?;
                    buffer.clear();
                }
            }
            out.write_all(&buffer)
        })
    }

    /// Writes the footer.
    pub(super) fn finish(
        self,
        documents: u32,
        units: u32,
        postings: Layout,
        keys: Vec<Layout>,
    ) -> io::Result<Built> {
        let Self { out, written, sections, checksums } = self;
        let footer = Footer::new(documents, units, postings, keys, sections, checksums).encode();
        out.write_all(&footer)?;
        out.flush()?;
        Ok(Built {
            documents,
            units,
            postings: postings.entries,
            bytes: written + footer.len() as u64,
            footer: footer.len() as u64,
            checksum: xxh3_64(&footer),
        })
    }
}

impl SectionWriter<'_> {
    /// Bytes written so far.
    pub(super) fn written(&self) -> u64 {
        self.written
    }

    fn end(self) -> u64 {
        if self.hashed > 0 {
            self.checksums.push(self.hash.digest());
        }
        self.written
    }
}

impl Write for SectionWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_all(bytes)?;
        Ok(bytes.len())
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.out.write_all(bytes)?;
        self.written += bytes.len() as u64;
        let mut rest = bytes;
        while !rest.is_empty() {
            let (now, later) = rest.split_at(rest.len().min(CHECKED - self.hashed));
            self.hash.update(now);
            self.hashed += now.len();
            if self.hashed == CHECKED {
                self.checksums.push(self.hash.digest());
                self.hash.reset();
                self.hashed = 0;
            }
            rest = later;
        }
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Writes what completes a segment: for each document the kept document that it relies on.
pub(crate) fn write_states(
    out: &mut dyn Write,
    built: &Built,
    relies_on: &[u32],
) -> io::Result<u64> {
    let mut bytes = Vec::with_capacity(relies_on.len() * 4 + TRAILER_BYTES);
    relies_on.iter().for_each(|state| bytes.extend_from_slice(&state.to_le_bytes()));
    let checksum = xxh3_64(&bytes);
    bytes.extend_from_slice(&trailer(built.footer, built.documents, checksum));
    out.write_all(&bytes)?;
    Ok(built.bytes + bytes.len() as u64)
}
