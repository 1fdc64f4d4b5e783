//! Compression of a block.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use std::io::Write;

/// The zlib stream (RFC 1950, which browsers call `deflate`) of some bytes, in base64: letters that
/// can end no element of HTML and no string of a script.
pub(super) fn pack(bytes: &[u8]) -> String {
    let mut encoder = ZlibEncoder::new(Vec::with_capacity(bytes.len() / 4), Compression::new(6));
    // Writing to memory does not fail.
    let packed = encoder.write_all(bytes).and_then(|()| encoder.finish()).unwrap_or_default();
    STANDARD.encode(packed)
}
