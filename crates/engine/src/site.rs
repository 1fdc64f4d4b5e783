//! The site of a record: the documents that may share a template.

use lookalike_core::fingerprint;
use lookalike_io::{InputFile, Inputs, RecordView};
use std::borrow::Cow;

/// How the site of a record is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SiteRule {
    /// The host of its URL.
    Host,
    /// The first value of the first of its fields [`FieldNames::given`](lookalike_io::FieldNames::given).
    Field,
}

/// The site of a record: the host of its URL, or the value of a field; of a record without one, the
/// directory of a one-document file, or the file that holds many documents.
#[must_use]
pub fn site<'r>(record: &'r RecordView<'_>, inputs: &'r Inputs, rule: SiteRule) -> Cow<'r, str> {
    let named = match rule {
        SiteRule::Host => record.url.as_deref().and_then(host),
        SiteRule::Field => record.given.of(0).next().map(Cow::Borrowed),
    };
    if let Some(site) = named {
        return site;
    }
    Cow::Borrowed(site_of_file(&inputs.files[record.file as usize]))
}

/// The site of the records of a file without another one.
#[must_use]
pub fn site_of_file(file: &InputFile) -> &str {
    let name = file.name.as_str();
    match file.format.is_document() {
        true => name.rsplit_once(['/', '\\']).map_or(".", |(directory, _)| directory),
        false => name,
    }
}

/// Fingerprint of the name of a site.
#[must_use]
pub fn site_key(site: &str) -> u64 {
    fingerprint::token(site.as_bytes())
}

/// The host of a URL in lower case, without user, port and final dot; `None` without one.
fn host(url: &str) -> Option<Cow<'_, str>> {
    let (scheme, rest) = url.trim().split_once("//")?;
    // `//host/path` takes its scheme from elsewhere; `path//more` is no URL.
    if !(scheme.is_empty() || scheme.ends_with(':')) {
        return None;
    }
    let authority = rest.split(['/', '?', '#', '\\']).next()?;
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let host = match host.strip_prefix('[') {
        Some(address) => address.split(']').next()?,
        None => host.split(':').next()?,
    };
    let host = host.strip_suffix('.').unwrap_or(host);
    if host.is_empty() {
        return None;
    }
    Some(match host.chars().any(char::is_uppercase) {
        true => Cow::Owned(host.to_lowercase()),
        false => Cow::Borrowed(host),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_of_urls() {
        for (url, wanted) in [
            ("https://Example.org/a/b?c#d", Some("example.org")),
            ("http://user:pass@example.org:8080", Some("example.org")),
            ("//cdn.example.org/x", Some("cdn.example.org")),
            ("https://example.org./", Some("example.org")),
            ("http://[2001:db8::1]:80/", Some("2001:db8::1")),
            ("https://example.org?q=//other", Some("example.org")),
            ("file:///home/a.txt", None),
            ("src/chapter//one.md", None),
            ("chapter.md", None),
            ("mailto:a@example.org", None),
            ("https://", None),
            ("", None),
        ] {
            assert_eq!(host(url).as_deref(), wanted, "{url}");
        }
    }
}
