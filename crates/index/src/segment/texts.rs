//! Texts, each compressed by itself with the dictionary of the segment.

use super::Segment;
use super::format::Section;
use crate::IndexError;
use lookalike_core::TextDigest;
use std::collections::HashMap;
use std::io;
use xxhash_rust::xxh3::xxh3_64;
use zstd::bulk::{Compressor, Decompressor};
use zstd::dict::EncoderDictionary;

/// Level of compression.
const LEVEL: i32 = 1;

/// Bytes of a dictionary.
const DICTIONARY: usize = 110 << 10;

/// Fewest texts that a dictionary is made of.
const FEWEST: usize = 500;

/// Texts that a dictionary is made of, at most.
const SAMPLES: usize = 3000;

/// Bytes of texts that a dictionary is made of, about: at least 8 dictionaries. Training takes a
/// second for 10 MB, and compression gains little by more than this.
const SAMPLE_BYTES: usize = 1 << 20;

/// What texts of a segment are compressed with: bytes that its file has, and the tables made of them,
/// which cost more than a text.
#[derive(Default)]
pub(crate) struct Dictionary {
    bytes: Vec<u8>,
    encoder: Option<EncoderDictionary<'static>>,
}

impl Dictionary {
    /// # Errors
    /// Those of zstd.
    pub(crate) fn new(bytes: Vec<u8>) -> io::Result<Self> {
        let encoder = |bytes| EncoderDictionary::try_copy(bytes, LEVEL);
        let encoder = (!bytes.is_empty()).then_some(&*bytes).map(encoder).transpose()?;
        Ok(Self { bytes, encoder })
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

/// A dictionary of the first of these texts; empty if they are too few or too small.
pub(crate) fn train_dictionary<'t>(texts: impl Iterator<Item = &'t str>) -> Vec<u8> {
    let mut bytes = 0;
    let mut samples: Vec<&str> = Vec::new();
    for text in texts.take(SAMPLES) {
        if samples.len() >= FEWEST && bytes >= SAMPLE_BYTES {
            break;
        }
        bytes += text.len();
        samples.push(text);
    }
    if samples.len() < FEWEST || bytes < 8 * DICTIONARY {
        return Vec::new();
    }
    // It refuses samples that are all alike; texts are compressed without one then.
    zstd::dict::from_samples(&samples, DICTIONARY).unwrap_or_default()
}

/// Name of the empty dictionary.
pub(super) const NO_DICTIONARY: u64 = 0;

/// Names a dictionary among those of the segments of an index.
pub(super) fn dictionary_id(dictionary: &[u8]) -> u64 {
    if dictionary.is_empty() { NO_DICTIONARY } else { xxh3_64(dictionary) | 1 }
}

/// Compresses texts, on one thread.
pub(super) struct TextCompressor<'d> {
    compressor: Compressor<'d>,
    buffer: Vec<u8>,
}

impl<'d> TextCompressor<'d> {
    pub(super) fn new(dictionary: &'d Dictionary) -> io::Result<Self> {
        let mut compressor = match &dictionary.encoder {
            None => Compressor::new(LEVEL)?,
            Some(dictionary) => Compressor::with_prepared_dictionary(dictionary)?,
        };
        // The length is in the row, and the file has checksums.
        compressor.include_contentsize(false)?;
        compressor.include_checksum(false)?;
        compressor.include_dictid(false)?;
        Ok(Self { compressor, buffer: Vec::new() })
    }

    /// Appends a compressed text.
    pub(super) fn compress(&mut self, text: &str, out: &mut Vec<u8>) -> io::Result<()> {
        let Self { compressor, buffer } = self;
        buffer.clear();
        buffer.reserve(zstd::zstd_safe::compress_bound(text.len()));
        compressor.compress_to_buffer(text.as_bytes(), buffer)?;
        out.extend_from_slice(buffer);
        Ok(())
    }
}

/// Decompresses texts, on one thread.
#[derive(Default)]
pub struct TextReader {
    /// By dictionary.
    decompressors: HashMap<u64, Decompressor<'static>>,
    buffer: Vec<u8>,
}

impl std::fmt::Debug for TextReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TextReader").finish_non_exhaustive()
    }
}

impl Segment {
    /// The text of a document. It has the digest of its row.
    ///
    /// # Errors
    /// A segment without texts; damage.
    pub fn text<'r>(&self, local: u32, reader: &'r mut TextReader) -> Result<&'r str, IndexError> {
        if !self.settings.texts {
            return Err(self.damaged("it stores sets in place of texts"));
        }
        let row = self.row(local);
        let damaged = || self.damaged(format!("the text of `{}`", self.id(local)));
        let compressed = self.stored(local).ok_or_else(damaged)?;
        let TextReader { decompressors, buffer } = reader;
        let dictionary = self.section(Section::Dictionary);
        let decompressor = match decompressors.entry(self.dictionary) {
            std::collections::hash_map::Entry::Occupied(known) => known.into_mut(),
            std::collections::hash_map::Entry::Vacant(new) => {
                let made = match dictionary.is_empty() {
                    true => Decompressor::new(),
                    false => Decompressor::with_dictionary(dictionary),
                };
                new.insert(made.map_err(|_| damaged())?)
            }
        };
        // A damaged row must not ask for all memory: text compresses some thousandfold at most.
        let length = usize::try_from(row.text_bytes).map_err(|_| damaged())?;
        if length > (compressed.len() + 64) << 16 {
            return Err(damaged());
        }
        buffer.clear();
        buffer.try_reserve(length).map_err(|_| damaged())?;
        decompressor.decompress_to_buffer(compressed, buffer).map_err(|_| damaged())?;
        // Some damage is decompressed into another text.
        if buffer.len() != length || TextDigest::of(buffer) != row.text {
            return Err(damaged());
        }
        std::str::from_utf8(buffer).map_err(|_| damaged())
    }

    /// What is stored in the place of a document's text.
    pub(super) fn stored(&self, local: u32) -> Option<&[u8]> {
        let (start, length) = self.row(local).place;
        let start = usize::try_from(start).ok()?;
        self.section(Section::Texts).get(start..start.checked_add(length as usize)?)
    }
}
