//! Which documents an answer may have.

use super::open::Index;
use crate::LookalikeError;
use lookalike_engine::date_seconds;
use lookalike_index::{DocAt, Snapshot};

/// Which documents an answer may have; all of the conditions hold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// The host of their address, or a domain above it.
    pub site: Option<String>,
    /// Their date is this or later.
    pub since: Option<String>,
    /// Their date is before this.
    pub before: Option<String>,
    /// The name of their sweep.
    pub sweep: Option<String>,
    /// Leader clustering keeps them.
    pub kept: bool,
}

/// A filter of the documents of a snapshot.
pub(crate) struct SnapshotFilter<'a> {
    snapshot: &'a Snapshot,
    site: Option<String>,
    since: Option<f64>,
    before: Option<f64>,
    sweep: Option<u32>,
    kept: bool,
}

impl Filter {
    /// # Errors
    /// A date that is none, a sweep that does not exist.
    pub(crate) fn on<'a>(
        &self,
        index: &Index,
        snapshot: &'a Snapshot,
    ) -> Result<SnapshotFilter<'a>, LookalikeError> {
        let date = |written: &Option<String>| written.as_deref().map(is_date).transpose();
        let sweep = self.sweep.as_ref().map(|name| index.sweep(name)).transpose()?;
        Ok(SnapshotFilter {
            snapshot,
            site: self.site.as_ref().map(|site| site.to_ascii_lowercase()),
            since: date(&self.since)?,
            before: date(&self.before)?,
            sweep: sweep.map(|sweep| sweep.number),
            kept: self.kept,
        })
    }
}

/// A date in seconds since 1970.
///
/// # Errors
/// It is none.
pub(crate) fn is_date(written: &str) -> Result<f64, LookalikeError> {
    let seconds = date_seconds(written);
    match seconds.is_nan() || written.trim() != written {
        false => Ok(seconds),
        true => Err(LookalikeError::Settings(format!(
            "`{written}` is no date; write it as 2024-05-01 or 2024-05-01T10:00:00Z"
        ))),
    }
}

impl SnapshotFilter<'_> {
    /// Whether a document may be in the answer.
    pub(crate) fn takes(&self, at: DocAt) -> bool {
        if self.kept && !self.snapshot.is_kept(at) {
            return false;
        }
        let document = self.snapshot.document(at);
        if self.sweep.is_some_and(|sweep| document.sweep() != sweep) {
            return false;
        }
        if let Some(site) = &self.site
            && !host_is_of(document.url(), site)
        {
            return false;
        }
        if self.since.is_none() && self.before.is_none() {
            return true;
        }
        let date = date_seconds(document.date());
        // A document without a date is in no period.
        !date.is_nan()
            && self.since.is_none_or(|since| date >= since)
            && self.before.is_none_or(|before| date < before)
    }
}

/// The host of an address, in lower case: what is between `//` and the next `/`, `?` or `#`,
/// without user name and port. An address without `//` has none.
pub fn host(url: &str) -> String {
    let Some((_, rest)) = url.split_once("//") else { return String::new() };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    let host = match host.strip_prefix('[') {
        // An IPv6 address.
        Some(inner) => inner.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    host.to_ascii_lowercase()
}

/// Whether the host of an address is a site or below it.
pub fn host_is_of(url: &str, site: &str) -> bool {
    let host = host(url);
    let above = host.strip_suffix(site);
    above.is_some_and(|above| above.is_empty() || above.ends_with('.')) && !host.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_of_addresses() {
        for (url, expected) in [
            ("https://WWW.Example.org/a//b", "www.example.org"),
            ("http://user:word@example.org:8080?x#y", "example.org"),
            ("//[2001:db8::1]:80/", "2001:db8::1"),
            ("src/ch01.md", ""),
            ("", ""),
        ] {
            assert_eq!(host(url), expected, "{url}");
        }
        assert!(host_is_of("https://www.example.org/", "example.org"));
        assert!(host_is_of("https://example.org/", "example.org"));
        assert!(!host_is_of("https://anexample.org/", "example.org"));
        assert!(!host_is_of("src/ch01.md", ""));
    }
}
