//! Compression of a block.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use std::io::Write;

/// The fastest level. Texts of a large collection take a fifth of the time of level 6, and a third more bytes.
const LEVEL: u32 = 1;

/// The zlib stream (RFC 1950, which browsers call `deflate`) of some bytes, in base64: letters that
/// can end no element of HTML and no string of a script.
pub(super) fn pack(bytes: &[u8]) -> String {
    let mut encoder =
        ZlibEncoder::new(Vec::with_capacity(bytes.len() / 2), Compression::new(LEVEL));
    // Writing to memory does not fail.
    let packed = encoder.write_all(bytes).and_then(|()| encoder.finish()).unwrap_or_default();
    STANDARD.encode(packed)
}
