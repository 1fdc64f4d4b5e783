//! Content codings of HTTP: compressions of a body (RFC 9110, section 8.4), which are also transfer codings
//! (RFC 9112, section 7.2).

use std::io::{self, Read};

/// Most codings of one body.
const MOST: usize = 4;

/// Decompresses a body to which these codings, a list with commas, were applied in their order, into `out`;
/// `spare` is a buffer. Returns whether there was anything to do; if not, the body is read as it is.
/// A coding that the bytes do not show was undone by the crawler, and is skipped.
///
/// # Errors
/// Damage, more than `limit` bytes, and codings that are not known: the reason and a remedy.
pub(super) fn decode(
    codings: &str,
    body: &[u8],
    limit: usize,
    out: &mut Vec<u8>,
    spare: &mut Vec<u8>,
) -> Result<bool, String> {
    let names: Vec<&str> =
        codings.split(',').map(str::trim).filter(|name| !name.is_empty()).collect();
    if names.len() > MOST {
        return Err(format!(
            "the page names {} content codings; leave the record out",
            names.len()
        ));
    }
    let mut done = false;
    for name in names.iter().rev() {
        let from = if done {
            std::mem::swap(out, spare);
            &spare[..]
        } else {
            body
        };
        let name = name.to_ascii_lowercase();
        out.clear();
        let read = match name.as_str() {
            "identity" | "none" | "utf-8" => Ok(false),
            "gzip" | "x-gzip" if from.starts_with(b"\x1f\x8b") => {
                fill_from_members(from, limit, out)
            }
            // Servers send zlib data or raw ones.
            "deflate" if is_zlib(from) => fill(flate2::bufread::ZlibDecoder::new(from), limit, out),
            "deflate" => match fill(flate2::bufread::DeflateDecoder::new(from), limit, out) {
                Err(error) if error.kind() != io::ErrorKind::FileTooLarge => Ok(false),
                read => read,
            },
            "zstd" if from.starts_with(b"\x28\xb5\x2f\xfd") => {
                zstd::stream::read::Decoder::with_buffer(from)
                    .and_then(|reader| fill(reader, limit, out))
            }
            // Nothing shows that data are of this coding: text that is read as such is none.
            "br" => match fill(brotli::Decompressor::new(from, 4096), limit, out) {
                Err(error)
                    if error.kind() != io::ErrorKind::FileTooLarge
                        && std::str::from_utf8(from).is_ok() =>
                {
                    Ok(false)
                }
                read => read,
            },
            "gzip" | "x-gzip" | "zstd" => Ok(false),
            _ => {
                return Err(format!(
                    "the page has the coding `{}`, which is not read; leave the record out",
                    name.escape_debug().take(40).collect::<String>()
                ));
            }
        };
        match read {
            Ok(true) => done = true,
            Ok(false) if done => std::mem::swap(out, spare),
            Ok(false) => {}
            Err(error) if error.kind() == io::ErrorKind::FileTooLarge => {
                return Err(format!(
                    "the page is longer than {limit} bytes when it is unpacked; raise the setting \
                     max_record to read it"
                ));
            }
            Err(error) => {
                return Err(format!(
                    "the {name} data of the page are damaged ({error}); crawl it again"
                ));
            }
        }
    }
    Ok(done)
}

/// Whether data start as those of zlib (RFC 1950).
fn is_zlib(data: &[u8]) -> bool {
    matches!(data, [first, second, ..]
        if first & 0x0f == 8 && (u16::from(*first) << 8 | u16::from(*second)) % 31 == 0)
}

/// Appends what a reader has, to at most `limit` bytes in all.
fn fill(reader: impl Read, limit: usize, out: &mut Vec<u8>) -> io::Result<bool> {
    reader.take(limit as u64 + 1 - out.len() as u64).read_to_end(out)?;
    if out.len() > limit { Err(io::ErrorKind::FileTooLarge.into()) } else { Ok(true) }
}

/// Unpacks members of gzip (RFC 1952, section 2.2). Data after the first that are no whole member are
/// ignored, as gzip and browsers do.
fn fill_from_members(mut from: &[u8], limit: usize, out: &mut Vec<u8>) -> io::Result<bool> {
    let (mut is_first, mut whole) = (true, 0);
    loop {
        let mut member = flate2::bufread::GzDecoder::new(from);
        match fill(&mut member, limit, out) {
            Ok(_) => (is_first, whole, from) = (false, out.len(), member.into_inner()),
            Err(error) if is_first || error.kind() == io::ErrorKind::FileTooLarge => {
                return Err(error);
            }
            Err(_) => {
                out.truncate(whole);
                return Ok(true);
            }
        }
        if from.is_empty() {
            return Ok(true);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn decoded(codings: &str, body: &[u8], limit: usize) -> Result<Option<String>, String> {
        let (mut out, mut spare) = (vec![7], vec![8]);
        let done = decode(codings, body, limit, &mut out, &mut spare)?;
        Ok(done.then(|| out.escape_ascii().to_string()))
    }

    fn gzip(data: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::new(6));
        encoder.write_all(data).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn codings_are_undone_in_reverse_order() {
        let mut zlib = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::new(6));
        zlib.write_all(b"text").unwrap();
        let zlib = zlib.finish().unwrap();
        let mut br = Vec::new();
        brotli::CompressorWriter::new(&mut br, 4096, 5, 20).write_all(b"text").unwrap();
        let zst = zstd::bulk::compress(b"text", 3).unwrap();
        for (codings, body) in [
            ("gzip", gzip(b"text")),
            ("X-GZip, identity", gzip(b"text")),
            ("deflate", zlib.clone()),
            ("deflate", zlib[2..zlib.len() - 4].to_vec()),
            ("br", br),
            ("zstd", zst),
            ("deflate, gzip", gzip(&zlib)),
            ("gzip, gzip", gzip(&gzip(b"text"))),
            ("gzip, gzip", gzip(b"text")),
        ] {
            assert_eq!(decoded(codings, &body, 100).unwrap().as_deref(), Some("text"), "{codings}");
        }
    }

    #[test]
    fn data_after_the_members_of_gzip_are_ignored() {
        let (one, two) = (gzip(b"te"), gzip(b"xt"));
        for (after, expected) in [
            (&b"\n"[..], "te"),
            (b"\0\0\0\0", "te"),
            (b"<!-- 0.1 s -->", "te"),
            (&two, "text"),
            (&two[..two.len() - 1], "te"),
            (&[&two[..], b"\r\n"].concat(), "text"),
        ] {
            let body = [&one[..], after].concat();
            assert_eq!(decoded("gzip", &body, 4).unwrap().as_deref(), Some(expected));
        }
        assert!(decoded("gzip", &[one, two].concat(), 3).unwrap_err().contains("max_record"));
        let empty = [gzip(b""), b"\n".to_vec()].concat();
        assert_eq!(decoded("gzip", &empty, 4).unwrap().as_deref(), Some(""));
    }

    #[test]
    fn a_body_that_was_decoded_before_is_read_as_it_is() {
        for codings in ["gzip", "deflate", "br", "zstd", "identity", "", "gzip, br"] {
            assert_eq!(decoded(codings, b"<html>", 100), Ok(None), "{codings}");
        }
    }

    #[test]
    fn damage_and_bombs_are_refused() {
        let bomb = gzip(&vec![b'a'; 1 << 20]);
        assert!(decoded("gzip", &bomb, 1000).unwrap_err().contains("max_record"));
        let mut br = Vec::new();
        brotli::CompressorWriter::new(&mut br, 4096, 5, 20)
            .write_all(&vec![b'a'; 1 << 20])
            .unwrap();
        assert!(decoded("br", &br, 1000).unwrap_err().contains("max_record"));
        assert!(decoded("br", &br[..br.len() / 2], 1 << 30).unwrap_err().contains("damaged"));
        let zst = zstd::bulk::compress(&vec![b'a'; 1 << 20], 3).unwrap();
        assert!(decoded("zstd", &zst, 1000).unwrap_err().contains("max_record"));
        assert!(decoded("zstd", &zst[..zst.len() - 2], 1 << 30).unwrap_err().contains("damaged"));
        assert!(decoded("gzip", &bomb[..bomb.len() / 2], 1 << 30).unwrap_err().contains("damaged"));
        assert!(decoded("gzip,gzip,gzip,gzip,gzip", &bomb, 1000).unwrap_err().contains("codings"));
        assert!(decoded("compress", b"x", 1000).unwrap_err().contains("`compress`"));
    }
}
