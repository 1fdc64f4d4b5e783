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
        let unusable = |reason| StoreError::Url { url: url.to_string(), reason };
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

/// The URL without the query of a web address, which may be signed: for messages and results.
impl std::fmt::Display for Address {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/", self.root)?;
        let key = match self.scheme {
            Scheme::Http => self.key.split(['?', '#']).next().unwrap_or_default(),
            _ => &self.key,
        };
        for c in key.chars() {
            match c == '\\' || c.is_control() {
                true => write!(f, "{}", c.escape_default())?,
                false => write!(f, "{c}")?,
            }
        }
        Ok(())
    }
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
    fn unknown_schemes_and_missing_buckets_are_named() {
        for (url, part) in
            [("hf://a/b", "unknown scheme"), ("s3:///a", "no bucket"), ("file:///a", "its path")]
        {
            let error = Address::parse(url).unwrap_err().to_string();
            assert!(error.contains(part) && error.starts_with(url), "{error}");
        }
    }
}
