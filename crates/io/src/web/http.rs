//! HTTP responses (RFC 9112).

use super::header;

/// A response: its status, header lines and body as it was transferred.
#[derive(Debug, Clone, Copy)]
pub(super) struct Response<'a> {
    pub(super) status: u16,
    pub(super) header: &'a [u8],
    pub(super) body: &'a [u8],
    /// Whether a blank line ends the header.
    pub(super) is_whole: bool,
}

/// Parses a response. A response without a blank line has no body.
///
/// # Errors
/// The reason and a remedy.
pub(super) fn parse(message: &[u8]) -> Result<Response<'_>, String> {
    let (line, rest) = header::first_line(message);
    let mut words = line.split(|byte| *byte == b' ').filter(|word| !word.is_empty());
    let version = words.next().is_some_and(|word| word.to_ascii_uppercase().starts_with(b"HTTP/"));
    let status = words.next().and_then(|word| std::str::from_utf8(word).ok()?.parse().ok());
    let Some(status) = status.filter(|status| version && (100..=999).contains(status)) else {
        return Err(
            "the block of the WARC record is no HTTP response: it does not start with a line \
                    such as `HTTP/1.1 200 OK`; leave the record out"
                .to_owned(),
        );
    };
    // A header without fields: the blank line follows at once.
    let empty = if rest.starts_with(b"\r\n") { 2 } else { usize::from(rest.starts_with(b"\n")) };
    let found = if empty > 0 { Some(empty) } else { header::end(rest) };
    let end = found.unwrap_or(rest.len());
    Ok(Response { status, header: &rest[..end], body: &rest[end..], is_whole: found.is_some() })
}

/// The codings that a `Transfer-Encoding` lists: whether `chunked` is among them, and the others, without
/// their parameters.
pub(super) fn transfer_codings(
    listed: &str,
) -> (bool, impl Iterator<Item = std::borrow::Cow<'_, str>>) {
    let names = |listed| {
        str::split(listed, ',').map(|one| one.split(';').next().unwrap_or_default().trim())
    };
    let is_chunked = |name: &&str| name.eq_ignore_ascii_case("chunked");
    (
        names(listed).any(|name| is_chunked(&name)),
        names(listed).filter(move |name| !is_chunked(name)).map(Into::into),
    )
}

/// Undoes the chunked transfer coding. Returns whether the body starts as a chunk; if not, `out` is
/// unchanged. From the first line on that should give a length and does not, the rest is taken as it is.
pub(super) fn dechunk(body: &[u8], out: &mut Vec<u8>) -> bool {
    let mut rest = body;
    if chunk(rest).is_none() {
        return false;
    }
    out.clear();
    out.reserve(body.len());
    while let Some((length, data)) = chunk(rest) {
        if length == 0 {
            return true;
        }
        let (data, after) = data.split_at(length.min(data.len()));
        out.extend_from_slice(data);
        rest = after.strip_prefix(b"\r\n").or(after.strip_prefix(b"\n")).unwrap_or(after);
    }
    out.extend_from_slice(rest);
    true
}

/// The length of the chunk at the start of the data, and what follows the line of the length.
fn chunk(data: &[u8]) -> Option<(usize, &[u8])> {
    /// Longest line: a length and extensions.
    const LINE: usize = 4096;
    let end = memchr::memchr(b'\n', &data[..data.len().min(LINE)])?;
    let line = &data[..end];
    let digits = line.split(|byte| *byte == b';').next().unwrap_or_default().trim_ascii();
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    let length = usize::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
    Some((length, &data[end + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_response_has_a_status_a_header_and_a_body() {
        let found = parse(b"HTTP/1.1 200 OK\r\nA: b\r\n\r\nbody").unwrap();
        assert_eq!(
            (found.status, found.header, found.body),
            (200, &b"A: b\r\n\r\n"[..], &b"body"[..])
        );
        let found = parse(b"http/1.0  404\n\nx").unwrap();
        assert_eq!((found.status, found.body), (404, &b"x"[..]));
        let found = parse(b"HTTP/2 204 No\r\nA: b").unwrap();
        assert_eq!((found.status, found.body), (204, &b""[..]));
        for wrong in [&b""[..], b"HTTP/1.1", b"HTTP/1.1 20x", b"GET / HTTP/1.1", b"HTTP/1.1 1000 x"]
        {
            assert!(parse(wrong).is_err(), "{}", wrong.escape_ascii());
        }
    }

    #[test]
    fn chunks_are_joined() {
        for (body, expected) in [
            (&b"3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n"[..], Some(&b"abcde"[..])),
            (b"3\nabc\n0\n\n", Some(b"abc")),
            (b"3\r\nabc\r\nrest as it is", Some(b"abcrest as it is")),
            (b"ff\r\ncut off", Some(b"cut off")),
            (b"0\r\n\r\n", Some(b"")),
            (b"<html>", None),
            (b"\r\nx", None),
            (b"", None),
        ] {
            let mut out = vec![7];
            let chunked = dechunk(body, &mut out);
            assert_eq!(chunked.then_some(&out[..]), expected, "{}", body.escape_ascii());
            assert!(chunked || out == [7]);
        }
    }
}
