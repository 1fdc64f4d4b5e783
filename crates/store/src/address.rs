//! URLs of objects.

use std::path::Path;

use crate::StoreError;

/// Kind of store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scheme {
    /// `s3://BUCKET/KEY`, also `s3a:`.
    S3,
    /// `gs://BUCKET/KEY`.
    Gcs,
    /// `az://CONTAINER/KEY`, also `abfs:`, `abfss:` and `azure:`.
    Azure,
    /// `http://` and `https://`: single objects, which cannot be listed or written.
    Http,
}

/// The URL of an object, or of the prefix of several.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Address {
    /// Kind of store.
    pub scheme: Scheme,
    /// Scheme and bucket, container or host: `s3://bucket`.
    pub root: String,
    /// The rest, without the slash before it. Keys are taken literally; only those of web servers
    /// are percent-encoded and may have a query.
    pub key: String,
}

/// Whether an argument is a URL: it starts with a scheme and `://`.
///
/// ```
/// use lookalike_store::is_url;
///
/// assert!(is_url("s3://bucket/docs.jsonl") && is_url("https://example.org/a.parquet"));
/// assert!(!is_url("docs/a.jsonl") && !is_url("C:\\docs") && !is_url("://x"));
/// ```
#[must_use]
pub fn is_url(text: &str) -> bool {
    scheme_of(text).is_some()
}

fn scheme_of(text: &str) -> Option<&str> {
    let (scheme, _) = text.split_once("://")?;
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
    let starts = scheme.starts_with(|c: char| c.is_ascii_alphabetic());
    (starts && scheme.chars().all(is_part)).then_some(scheme)
}

impl Address {
    /// Parses a URL.
    ///
    /// # Errors
    /// An unknown scheme, or no bucket or host.
    ///
    /// ```
    /// use lookalike_store::{Address, Scheme};
    ///
    /// let address = Address::parse("s3://bucket/crawl/a b.jsonl").unwrap();
    /// assert_eq!((address.scheme, &*address.root), (Scheme::S3, "s3://bucket"));
    /// assert_eq!(address.key, "crawl/a b.jsonl");
    /// assert!(Address::parse("ftp://host/a.jsonl").is_err());
    /// ```
    pub fn parse(url: &str) -> Result<Self, StoreError> {
        let unusable = |reason| StoreError::Url { url: shown_url(url), reason };
        let Parts { user, query, .. } = Parts::of(url);
        if user.trim_end_matches('@') == NOT_RECORDED
            || query.trim_start_matches('?') == NOT_RECORDED
        {
            return Err(unusable(
                "was recorded without its query or user information, which may be secret; give the whole \
                 address as an input again",
            ));
        }
        let scheme = scheme_of(url).ok_or_else(|| unusable("is not a URL"))?;
        let kind = match scheme.to_ascii_lowercase().as_str() {
            "s3" | "s3a" => Scheme::S3,
            "gs" => Scheme::Gcs,
            "az" | "azure" | "abfs" | "abfss" => Scheme::Azure,
            "http" | "https" => Scheme::Http,
            "file" => return Err(unusable("is a local file; give its path, without file://")),
            _ => {
                return Err(unusable(
                    "has an unknown scheme; known are s3, gs, az, abfs, https and http",
                ));
            }
        };
        let rest = &url[scheme.len() + 3..];
        let end = rest.find(if kind == Scheme::Http { &['/', '?'][..] } else { &['/'][..] });
        let (host, key) = rest.split_at(end.unwrap_or(rest.len()));
        if host.is_empty() {
            return Err(unusable("names no bucket or host"));
        }
        let root = format!("{}://{host}", scheme.to_ascii_lowercase());
        let key = key.strip_prefix('/').unwrap_or(key).to_string();
        Ok(Self { scheme: kind, root, key })
    }

    /// The whole URL.
    #[must_use]
    pub fn url(&self) -> String {
        match self.key.starts_with('?') {
            true => format!("{}{}", self.root, self.key),
            false => format!("{}/{}", self.root, self.key),
        }
    }

    /// The address of another key in the same bucket.
    #[must_use]
    pub fn with_key(&self, key: impl Into<String>) -> Self {
        Self { scheme: self.scheme, root: self.root.clone(), key: key.into() }
    }

    /// The key as the name of a file: without the query of a web address.
    #[must_use]
    pub fn file_path(&self) -> &Path {
        let key = match self.scheme {
            Scheme::Http => self.key.split(['?', '#']).next().unwrap_or_default(),
            _ => &self.key,
        };
        Path::new(key)
    }

    /// Whether keys below a prefix can be listed, and objects written.
    #[must_use]
    pub fn is_bucket(&self) -> bool {
        self.scheme != Scheme::Http
    }
}

/// The URL without its query, fragment and user information, which may be secret: for messages and results.
impl std::fmt::Display for Address {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let url = self.url();
        for c in Parts::of(&url).shown().chars() {
            match c == '\\' || c.is_control() {
                true => write!(f, "{}", c.escape_default())?,
                false => write!(f, "{c}")?,
            }
        }
        Ok(())
    }
}

/// What stands for the query or the user information of a URL where a result records it.
const NOT_RECORDED: &str = "not-recorded";

/// An argument for messages: a URL without its query, fragment and user information.
///
/// ```
/// use lookalike_store::shown_url;
///
/// assert_eq!(shown_url("https://u:pw@h/a.jsonl?X-Amz-Signature=1#x"), "https://h/a.jsonl");
/// assert_eq!(shown_url("a.jsonl?x=1"), "a.jsonl?x=1");
/// ```
#[must_use]
pub fn shown_url(text: &str) -> String {
    if is_url(text) { Parts::of(text).shown() } else { text.to_owned() }
}

/// An argument as results record it: as [`shown_url`], with a mark where something is missing, so that
/// [`Address::parse`] refuses it instead of asking for something else. URLs in other texts, such as
/// commands, are recorded so too.
///
/// ```
/// use lookalike_store::recorded_url;
///
/// assert_eq!(recorded_url("https://h/a?sig=1"), "https://h/a?not-recorded");
/// assert_eq!(recorded_url("x=fetch https://u:pw@h/a {}"), "x=fetch https://not-recorded@h/a {}");
/// ```
#[must_use]
pub fn recorded_url(text: &str) -> String {
    let recorded = |url: &str| {
        let parts = Parts::of(url);
        let user = if parts.user.is_empty() { String::new() } else { format!("{NOT_RECORDED}@") };
        let query = if parts.query.is_empty() { String::new() } else { format!("?{NOT_RECORDED}") };
        format!("{}{user}{}{query}", parts.scheme, parts.place)
    };
    if is_url(text) { recorded(text) } else { with_urls(text, recorded) }
}

/// A text of somebody else, with the URLs in it as they are shown.
#[cfg(feature = "object-stores")]
pub(crate) fn shown_urls(text: &str) -> String {
    with_urls(text, shown_url)
}

/// A text with other words for the URLs in it.
fn with_urls(text: &str, replace: impl Fn(&str) -> String) -> String {
    let is_end = |c: char| c.is_whitespace() || matches!(c, ')' | '"' | '\'' | '>');
    text.split_inclusive(is_end).fold(String::new(), |mut all, part| {
        let word = part.trim_end_matches(is_end);
        let start = word.find("://").map_or(word.len(), |at| {
            let is_scheme = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
            word[..at].trim_end_matches(is_scheme).len()
        });
        all.push_str(&word[..start]);
        if start < word.len() {
            all.push_str(&replace(&word[start..]));
        }
        all.push_str(&part[word.len()..]);
        all
    })
}

/// A URL, taken apart; joined, its parts are the URL.
struct Parts<'a> {
    /// With `://`.
    scheme: &'a str,
    /// With the `@` after it.
    user: &'a str,
    /// Host and path, or bucket and key.
    place: &'a str,
    /// Query and fragment, with the character before them.
    query: &'a str,
}

impl<'a> Parts<'a> {
    fn of(url: &'a str) -> Self {
        let (scheme, rest) = url.split_at(url.find("://").map_or(0, |at| at + 3));
        let kind = scheme.trim_end_matches("://").to_ascii_lowercase();
        let is_web = matches!(kind.as_str(), "http" | "https");
        let end = match is_web {
            true => rest.find(['?', '#']),
            // In keys and patterns a question mark is a character.
            false => rest.match_indices('?').map(|(at, _)| at).find(|at| is_query(&rest[at + 1..])),
        };
        let (place, query) = rest.split_at(end.unwrap_or(rest.len()));
        let authority = place.split('/').next().unwrap_or_default();
        let is_azure = ["az", "azure", "abfs", "abfss"].contains(&kind.as_str());
        let port = authority.rsplit_once(':').map(|(_, port)| port);
        let is_password = port.is_some_and(|port| !port.bytes().all(|byte| byte.is_ascii_digit()));
        let user = match (authority.rfind('@'), place.rfind('@')) {
            // `CONTAINER@ACCOUNT` is a place.
            (Some(at), _) if !is_azure || authority[..at].contains(':') => at + 1,
            // A password with a slash in it.
            (None, Some(at)) if is_password => at + 1,
            _ => 0,
        };
        let (user, place) = place.split_at(user);
        Self { scheme, user, place, query }
    }

    fn shown(&self) -> String {
        format!("{}{}", self.scheme, self.place)
    }
}

/// Whether what follows a question mark is a query: it has a name and a value, and no directory that
/// would be part of a key, unless it is a signature or a token.
fn is_query(text: &str) -> bool {
    if text == NOT_RECORDED {
        return true;
    }
    let lower = text.to_ascii_lowercase();
    let is_secret = ["sig", "token", "key", "secret", "password", "credential"]
        .iter()
        .any(|word| lower.contains(word));
    let name = text.split_once('=').map(|(name, _)| name);
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '~' | '%');
    name.is_some_and(|name| !name.is_empty() && name.chars().all(is_name))
        && (is_secret || !text.contains('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_taken_apart_and_put_together() {
        for (url, root, key) in [
            ("s3://b", "s3://b", ""),
            ("S3A://b/", "s3a://b", ""),
            ("gs://b/a//c", "gs://b", "a//c"),
            ("abfss://c@a.dfs.core.windows.net/x", "abfss://c@a.dfs.core.windows.net", "x"),
            ("https://h:8/a/b.jsonl?x=1/2", "https://h:8", "a/b.jsonl?x=1/2"),
            ("http://h?x=1", "http://h", "?x=1"),
        ] {
            let address = Address::parse(url).unwrap();
            assert_eq!((address.root.as_str(), address.key.as_str()), (root, key), "{url}");
            assert_eq!(Address::parse(&address.url()).unwrap(), address, "{url}");
        }
        let web = Address::parse("https://h/a/b.jsonl?x=.csv").unwrap();
        assert_eq!(web.file_path(), Path::new("a/b.jsonl"));
        assert_eq!(web.to_string(), "https://h/a/b.jsonl");
    }

    #[test]
    fn secrets_are_in_no_message_and_no_record() {
        for (url, shown, recorded) in [
            (
                "https://h/a.jsonl?access_token=S",
                "https://h/a.jsonl",
                "https://h/a.jsonl?not-recorded",
            ),
            ("https://h/a#S", "https://h/a", "https://h/a?not-recorded"),
            ("https://u:S@h:8/a", "https://h:8/a", "https://not-recorded@h:8/a"),
            ("http://S@h?x=S", "http://h", "http://not-recorded@h?not-recorded"),
            ("s3://K:S/S@b/k", "s3://b/k", "s3://not-recorded@b/k"),
            ("s3://b/k?X-Amz-Signature=S/S", "s3://b/k", "s3://b/k?not-recorded"),
            ("gs://u:S@b/a@b", "gs://b/a@b", "gs://not-recorded@b/a@b"),
            ("ftp://u:S@h/x?y=S", "ftp://h/x", "ftp://not-recorded@h/x?not-recorded"),
        ] {
            assert_eq!((&*shown_url(url), &*recorded_url(url)), (shown, recorded), "{url}");
            let error = Address::parse(recorded).unwrap_err().to_string();
            assert!(url.starts_with("ftp") || error.contains("whole address"), "{error}");
            let words = Address::parse(url).map_or_else(|e| e.to_string(), |a| a.to_string());
            assert!(!words.contains('S'), "{words}");
        }
        for url in [
            "s3://b/a-?.jsonl",
            "s3://b/a@b?/c=d",
            "s3://b/lang=e?/x",
            "https://h:8/a@b",
            "abfss://c@a.dfs.core.windows.net/x",
            "docs/u:p@h?x=1",
        ] {
            assert_eq!((&*shown_url(url), &*recorded_url(url)), (url, url));
        }
    }

    #[test]
    fn unknown_schemes_and_missing_buckets_are_named() {
        for (url, part) in
            [("hf://a/b", "unknown scheme"), ("s3:///a", "no bucket"), ("file:///a", "its path")]
        {
            let error = Address::parse(url).unwrap_err().to_string();
            assert!(error.contains(part) && error.starts_with(url), "{error}");
        }
    }
}
