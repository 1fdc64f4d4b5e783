//! Errors of stores; each message names the object and what to do.

/// Why an object cannot be found, read or written.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The address cannot be used.
    #[error("{url}: {reason}")]
    Url {
        /// The address.
        url: String,
        /// Why, and what to do.
        reason: &'static str,
    },
    /// There is no such object.
    #[error("{url}: no such object (404); check bucket and key")]
    NotFound {
        /// Its address.
        url: String,
    },
    /// The object is not the one that was found first.
    #[error("{url}: changed while it was read; do not change inputs during a run, and run again")]
    Changed {
        /// Its address.
        url: String,
    },
    /// The request failed, also after retries.
    #[error("{url}: cannot {action}: {reason}; {remedy}")]
    Failed {
        /// The address.
        url: String,
        /// The operation that failed.
        action: &'static str,
        /// The status, and the code or words of the server.
        reason: String,
        /// What to do.
        remedy: &'static str,
    },
    /// The caller cancelled the operation.
    #[error("interrupted")]
    Cancelled,
    /// The library was built without access to stores.
    #[error(
        "{url}: this build cannot read or write URLs; build it with the cargo feature object-stores \
         (cargo install lookalike-cli --features object-stores), or copy the data to a local directory"
    )]
    Disabled {
        /// The address.
        url: String,
    },
}

impl StoreError {
    /// The message without the address, for problems that name it already.
    #[must_use]
    pub fn message(&self) -> String {
        let words = self.to_string();
        let url = match self {
            Self::Url { url, .. }
            | Self::NotFound { url }
            | Self::Changed { url }
            | Self::Failed { url, .. }
            | Self::Disabled { url } => url,
            Self::Cancelled => return words,
        };
        let rest = words.strip_prefix(url).and_then(|rest| rest.strip_prefix(": "));
        rest.map_or(words.clone(), str::to_owned)
    }
}

impl From<StoreError> for std::io::Error {
    fn from(error: StoreError) -> Self {
        Self::other(error)
    }
}
