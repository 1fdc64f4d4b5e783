//! Which records are documents, and their text and fields.

use std::borrow::Cow;

use lookalike_text::{decode_page, decode_plain};

use super::{StatusFilter, coding, header, http, warc};
use crate::Content;

/// A record of a web archive.
#[derive(Debug)]
pub(crate) enum Entry<'a> {
    /// A document.
    Page(Page<'a>),
    /// A skipped record, of this kind.
    Other(Cow<'static, str>),
}

/// A record that is a document.
#[derive(Debug)]
pub(crate) struct Page<'a> {
    /// Header lines of the record.
    warc: &'a [u8],
    http: Option<http::Response<'a>>,
    is_html: bool,
    /// The parameter `charset` of the content type.
    charset: Option<&'a str>,
    /// The body as it was transferred.
    body: &'a [u8],
}

/// Buffers for decoded pages.
#[derive(Debug, Default)]
pub(crate) struct PageBuffers {
    chunks: Vec<u8>,
    unpacked: Vec<u8>,
    spare: Vec<u8>,
    text: String,
}

/// Whether the raw bytes of a record are a document.
///
/// # Errors
/// A record that is none, or that cannot be read: the reason and a remedy.
pub(crate) fn classify<'a>(raw: &'a [u8], statuses: &StatusFilter) -> Result<Entry<'a>, String> {
    let warc::Record { header: warc, block } = warc::parse(raw)?;
    let kind = header::raw(warc, "warc-type").unwrap_or_default().to_ascii_lowercase();
    let (mut page, media) = match kind.as_slice() {
        b"response" | b"resource" | b"conversion" => {
            let content = header::raw(warc, "content-type").unwrap_or_default();
            let http = match kind == b"response" && is_http(content) {
                true => Some(http::parse(block)?),
                false => None,
            };
            let media = http.map_or(content, |http| {
                header::raw(http.header, "content-type").unwrap_or_default()
            });
            let body = http.map_or(block, |http| http.body);
            (Page { warc, http, is_html: false, charset: charset(media), body }, media)
        }
        kind => return Ok(Entry::Other(shown(kind).into())),
    };
    let of = String::from_utf8_lossy(&kind);
    if let Some(http) = page.http.filter(|http| !statuses.takes(http.status)) {
        return Ok(Entry::Other(format!("{of} {}", http.status).into()));
    }
    let media =
        media.split(|byte| matches!(byte, b';' | b',')).next().unwrap_or_default().trim_ascii();
    match media.to_ascii_lowercase().as_slice() {
        b"text/html" | b"application/xhtml+xml" => page.is_html = true,
        b"text/plain" => {}
        b"" if looks_like_html(page.body) => page.is_html = true,
        b"" => return Ok(Entry::Other(format!("{of} without a content type").into())),
        media => return Ok(Entry::Other(format!("{of} {}", shown(media)).into())),
    }
    match page.http {
        Some(http) if !http.is_whole => Err(
            "the HTTP response ends inside of its header: no blank line follows; crawl it again"
                .to_owned(),
        ),
        _ => Ok(Entry::Page(page)),
    }
}

/// Whether the block of a response is an HTTP message. It is if nothing else is said.
fn is_http(content_type: &[u8]) -> bool {
    let media = content_type.split(|byte| *byte == b';').next().unwrap_or_default().trim_ascii();
    media.is_empty() || media.eq_ignore_ascii_case(b"application/http")
}

/// Whether a body without a content type starts as a page.
fn looks_like_html(body: &[u8]) -> bool {
    let start = body.trim_ascii_start();
    [&b"<!doctype html"[..], b"<html"]
        .iter()
        .any(|mark| start.get(..mark.len()).is_some_and(|start| start.eq_ignore_ascii_case(mark)))
}

/// The parameter `charset` of a media type.
fn charset(media: &[u8]) -> Option<&str> {
    let value = media.split(|byte| *byte == b';').skip(1).find_map(|parameter| {
        let equals = memchr::memchr(b'=', parameter)?;
        let name = parameter[..equals].trim_ascii();
        name.eq_ignore_ascii_case(b"charset").then(|| parameter[equals + 1..].trim_ascii())
    })?;
    let value = std::str::from_utf8(value).ok()?;
    Some(value.trim_matches(['"', '\'']).trim())
}

/// A name of a record in counts: it comes from a file and may be long or contain anything.
fn shown(name: &[u8]) -> String {
    /// Longest name.
    const LENGTH: usize = 60;
    let name = name.to_ascii_lowercase();
    let graphic = name.iter().take(LENGTH).filter(|byte| byte.is_ascii_graphic());
    match graphic.map(|byte| char::from(*byte)).collect::<String>() {
        empty if empty.is_empty() => "record without a type".to_owned(),
        shown => shown,
    }
}

impl<'a> Page<'a> {
    /// The text, decoded; of pages with markup.
    ///
    /// # Errors
    /// A damaged body, or one that is longer than `limit` bytes: the reason and a remedy.
    pub(crate) fn content<'b>(
        &self,
        buffers: &'b mut PageBuffers,
        limit: usize,
    ) -> Result<Content<'b>, String>
    where
        'a: 'b,
    {
        let PageBuffers { chunks, unpacked, spare, text } = buffers;
        let mut body = self.body;
        let field = |name| self.http.and_then(|http| header::text(http.header, name));
        let transfer = field("transfer-encoding").unwrap_or_default();
        let (chunked, others) = http::transfer_codings(&transfer);
        if chunked && http::dechunk(body, chunks) {
            body = chunks;
        }
        // The transfer codings were applied after those of the content.
        let codings = field("content-encoding").into_iter().chain(others);
        let codings = codings.collect::<Vec<_>>().join(",");
        if coding::decode(&codings, body, limit, unpacked, spare)? {
            body = unpacked;
        }
        let decoded = match self.is_html {
            true => decode_page(body, self.charset),
            false => decode_plain(body, self.charset),
        };
        let content = match decoded.text {
            Cow::Borrowed(text) => text,
            Cow::Owned(decoded) => {
                *text = decoded;
                text.as_str()
            }
        };
        Ok(match self.is_html {
            true => Content::Html(content.into()),
            false => Content::Text(content.into()),
        })
    }

    /// A field by its name, in any case: `url` and `date` of the record, `status` of the response, a
    /// header field of the response, or one of the record.
    pub(crate) fn field(&self, name: &str) -> Option<Cow<'a, str>> {
        let name = name.to_ascii_lowercase();
        let of_record = |name: &str| header::text(self.warc, name).map(without_brackets);
        let of_response = |name: &str| header::text(self.http?.header, name);
        match name.as_str() {
            "url" => of_record("warc-target-uri"),
            "date" => of_record("warc-date"),
            "status" => Some(self.http?.status.to_string().into()),
            name if name.starts_with("warc-") => of_record(name),
            name => of_response(name).or_else(|| of_record(name)),
        }
    }
}

/// A URI without the brackets around it.
fn without_brackets(value: Cow<'_, str>) -> Cow<'_, str> {
    let inner = |value: &str| {
        let inner = value.strip_prefix('<').and_then(|rest| rest.strip_suffix('>'));
        inner.map(|inner| inner.trim().len())
    };
    match (inner(&value), value) {
        (None, value) => value,
        (Some(_), Cow::Borrowed(value)) => Cow::Borrowed(value[1..value.len() - 1].trim()),
        (Some(_), Cow::Owned(value)) => value[1..value.len() - 1].trim().to_owned().into(),
    }
}

/// The names of the fields of a record, in lower case.
pub(crate) fn names(raw: &[u8], statuses: &StatusFilter) -> Vec<String> {
    let Ok(Entry::Page(page)) = classify(raw, statuses) else { return Vec::new() };
    let http = page.http.map_or(&[][..], |http| http.header);
    let written = header::fields(http).chain(header::fields(page.warc));
    let written = written.map(|(name, _)| String::from_utf8_lossy(name).to_lowercase());
    ["text", "url", "date", "status"].into_iter().map(str::to_owned).chain(written).collect()
}

impl PageBuffers {
    /// The buffers, taken out: the text of the page read last is in one of them, or in the record.
    pub(crate) fn take(&mut self) -> [Vec<u8>; 4] {
        let Self { chunks, unpacked, spare, text } = std::mem::take(self);
        [text.into_bytes(), unpacked, chunks, spare]
    }

    /// Frees buffers that are larger than this.
    pub(crate) fn free_large(&mut self, large: usize) {
        let buffers = [&mut self.chunks, &mut self.unpacked, &mut self.spare];
        for buffer in buffers.into_iter().filter(|buffer| buffer.capacity() > large) {
            *buffer = Vec::new();
        }
        if self.text.capacity() > large {
            self.text = String::new();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    fn record(kind: &str, content: &str, block: &[u8]) -> Vec<u8> {
        let head = format!(
            "WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Target-URI: <http://a.example/ b>\r\nWARC-Date: \
             2026-11-23T22:30:17Z\r\nWARC-Record-ID: <urn:uuid:1>\r\nContent-Type: {content}\r\n\
             Content-Length: {}\r\n\r\n",
            block.len()
        );
        [head.as_bytes(), block, b"\r\n\r\n"].concat()
    }

    fn read(raw: &[u8], statuses: &str) -> Result<String, String> {
        let mut buffers = PageBuffers::default();
        match classify(raw, &statuses.parse().unwrap())? {
            Entry::Other(kind) => Ok(format!("({kind})")),
            Entry::Page(page) => match page.content(&mut buffers, 1000)? {
                Content::Html(html) => Ok(format!("html {html}")),
                Content::Text(text) => Ok(format!("text {text}")),
                other => panic!("{other:?}"),
            },
        }
    }

    fn chunked(body: &[u8]) -> Vec<u8> {
        [format!("{:x}\r\n", body.len()).as_bytes(), body, b"\r\n0\r\n\r\n"].concat()
    }

    fn gzip(body: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        let level = flate2::Compression::default();
        flate2::bufread::GzEncoder::new(body, level).read_to_end(&mut out).unwrap();
        out
    }

    fn brotli(body: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        brotli::CompressorReader::new(body, 4096, 5, 20).read_to_end(&mut out).unwrap();
        out
    }

    #[test]
    fn documents_are_told_from_other_records() {
        let http = "application/http; msgtype=response";
        for (kind, content, block, expected) in [
            (
                "response",
                http,
                &b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>"[..],
                "html <p>",
            ),
            ("Response", "", b"HTTP/1.1 203 OK\nContent-Type: Text/Plain;x\n\n<p>", "text <p>"),
            ("response", http, b"HTTP/1.1 404 No\r\n\r\n<p>", "(response 404)"),
            (
                "response",
                http,
                b"HTTP/1.1 200 OK\r\nContent-Type: image/PNG\r\n\r\n",
                "(response image/png)",
            ),
            (
                "response",
                http,
                b"HTTP/1.1 200 OK\r\n\r\n  <!DocType HTML>",
                "html   <!DocType HTML>",
            ),
            ("response", http, b"HTTP/1.1 200 OK\r\n\r\nx", "(response without a content type)"),
            ("response", "text/dns", b"x", "(response text/dns)"),
            ("resource", "application/xhtml+xml", b"<p/>", "html <p/>"),
            ("conversion", "text/plain", b"caf\xe9", "text caf\u{e9}"),
            ("revisit", http, b"HTTP/1.1 200 OK\r\n\r\n", "(revisit)"),
            ("request", http, b"GET / HTTP/1.1\r\n\r\n", "(request)"),
            ("", "", b"", "(record without a type)"),
        ] {
            assert_eq!(read(&record(kind, content, block), "2xx").unwrap(), expected);
        }
        let missing =
            record("response", http, b"HTTP/1.1 404 No\r\nContent-Type: text/plain\r\n\r\nx");
        assert_eq!(read(&missing, "all").unwrap(), "text x");
        assert!(
            read(&record("response", http, b"<p>"), "2xx")
                .unwrap_err()
                .contains("no HTTP response")
        );
    }

    #[test]
    fn bodies_are_decoded() {
        for (fields, body, expected) in [
            ("Content-Type: text/html; charset=koi8-r", &b"\xc3"[..], "html \u{446}"),
            ("Content-Type: text/html; charset=\"UTF-8\"", b"\xc3\xa9", "html \u{e9}"),
            (
                "Content-Type: text/html",
                b"<meta charset=koi8-r>\xc3",
                "html <meta charset=koi8-r>\u{446}",
            ),
            (
                "Content-Type: text/html\r\nTransfer-Encoding: chunked",
                b"1\r\na\r\n0\r\n\r\n",
                "html a",
            ),
            ("Content-Type: text/html\r\nTransfer-Encoding: chunked", b"not", "html not"),
            (
                "Content-Type: text/html\r\nContent-Encoding: br\r\nTransfer-Encoding: gzip, Chunked",
                &chunked(&gzip(&brotli(b"<p>"))),
                "html <p>",
            ),
            (
                "Content-Type: text/html\r\nTransfer-Encoding: identity, gzip;x=y",
                &gzip(b"<p>"),
                "html <p>",
            ),
            ("Content-Type: text/html\r\nTransfer-Encoding: gzip, chunked", b"not", "html not"),
            ("Content-Type: text/html\r\nContent-Encoding: gzip", b"not", "html not"),
        ] {
            let block = [b"HTTP/1.1 200 OK\r\n", fields.as_bytes(), b"\r\n\r\n", body].concat();
            assert_eq!(
                read(&record("response", "application/http", &block), "200").unwrap(),
                expected
            );
        }
        let block =
            b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: zap\r\n\r\n<p>";
        let said = read(&record("response", "application/http", block), "200").unwrap_err();
        assert!(said.contains("the coding `zap`"), "{said}");
    }

    #[test]
    fn fields_are_those_of_the_response_and_of_the_record() {
        let block = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nETag: \"1\"\r\n\r\nx";
        let raw = record("response", "application/http", block);
        let Ok(Entry::Page(page)) = classify(&raw, &StatusFilter::default()) else { panic!() };
        for (name, expected) in [
            ("url", "http://a.example/ b"),
            ("date", "2026-11-23T22:30:17Z"),
            ("status", "200"),
            ("content-type", "text/plain"),
            ("etag", "\"1\""),
            ("WARC-Record-ID", "urn:uuid:1"),
            ("warc-type", "response"),
        ] {
            assert_eq!(page.field(name).as_deref(), Some(expected), "{name}");
        }
        assert_eq!(page.field("warc-etag"), None);
        assert!(names(&raw, &StatusFilter::default()).contains(&"etag".to_owned()));
    }
}
