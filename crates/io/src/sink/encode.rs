//! Compresses bytes into one self-contained member.
//!
//! Members of one file are compressed independently, so that several threads can work on it. Every
//! format used here defines a file as a sequence of such members: gzip members (RFC 1952, section
//! 2.2), Zstandard frames (RFC 8878, section 3), bzip2 streams and xz streams.

use std::io::{self, Write};

use crate::Compression;

/// The default levels of the formats' own tools.
const GZIP_LEVEL: u32 = 6;
const ZSTD_LEVEL: i32 = 3;
const BZIP2_LEVEL: u32 = 9;
const XZ_PRESET: u32 = 6;
/// An xz dictionary larger than the data costs memory and gains nothing.
const XZ_LEAST_DICTIONARY: u32 = 1 << 16;

/// Appends `raw`, compressed as one member, to `out`. The same input gives the same bytes: no
/// times, names or host marks in the headers. Empty input gives a valid member of an empty file
/// (nothing at all without compression).
pub(super) fn encode(compression: Compression, raw: &[u8], out: &mut Vec<u8>) -> io::Result<()> {
    match compression {
        Compression::None => out.extend_from_slice(raw),
        Compression::Gzip => {
            let level = flate2::Compression::new(GZIP_LEVEL);
            let mut encoder = flate2::write::GzEncoder::new(out, level);
            encoder.write_all(raw)?;
            encoder.finish()?;
        }
        Compression::Zstd => {
            let mut encoder = zstd::bulk::Compressor::new(ZSTD_LEVEL)?;
            encoder.include_checksum(true)?;
            out.extend_from_slice(&encoder.compress(raw)?);
        }
        Compression::Bzip2 => {
            let level = bzip2::Compression::new(BZIP2_LEVEL);
            let mut encoder = bzip2::write::BzEncoder::new(out, level);
            encoder.write_all(raw)?;
            encoder.finish()?;
        }
        Compression::Xz => {
            let mut options = lzma_rust2::XzOptions::with_preset(XZ_PRESET);
            let whole = u32::try_from(raw.len()).unwrap_or(u32::MAX);
            let dictionary = &mut options.lzma_options.dict_size;
            *dictionary = whole.clamp(XZ_LEAST_DICTIONARY, *dictionary);
            let mut encoder = lzma_rust2::XzWriter::new(out, options)?;
            encoder.write_all(raw)?;
            encoder.finish()?;
        }
    }
    Ok(())
}
