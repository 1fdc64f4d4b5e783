//! Results in object stores: made in a local directory, and written into the store at the end.

use std::path::{Path, PathBuf};

use lookalike_store::{Address, Contents, contents, is_url, publish, shown_url};

use crate::input::MARKS_OF_A_RESULT;
use crate::sink::OutputError;

/// A destination in a store.
#[derive(Debug)]
pub(super) struct Remote {
    address: Address,
}

/// A destination for messages.
fn shown(destination: &Path) -> PathBuf {
    destination.to_str().map_or_else(|| destination.to_path_buf(), |url| shown_url(url).into())
}

impl Remote {
    /// The destination, if it is a URL; checks that a result can be written there.
    pub(super) fn of(destination: &Path, force: bool) -> Result<Option<Self>, OutputError> {
        let Some(url) = destination.to_str().filter(|text| is_url(text)) else { return Ok(None) };
        let address = Address::parse(url)?;
        let unusable = |reason| OutputError::Unusable { path: shown(destination), reason };
        if !address.is_bucket() {
            return Err(unusable(
                "nothing can be written to a web server; name a bucket (s3, gs, az)",
            ));
        }
        let key = address.key.trim_end_matches('/');
        if key.is_empty() {
            return Err(unusable(
                "it is a whole bucket; name a prefix in it, such as BUCKET/result",
            ));
        }
        let remote = Self { address: address.with_key(key) };
        remote.check(destination, force)?;
        Ok(Some(remote))
    }

    /// The path that stands for the destination in a local folder.
    pub(super) fn stand_in(destination: &Path, folder: &Path) -> Result<PathBuf, OutputError> {
        let folder =
            folder.canonicalize().map_err(|e| OutputError::io("find the folder", folder, e))?;
        Ok(folder.join(destination.file_name().unwrap_or_default()))
    }

    fn check(&self, destination: &Path, force: bool) -> Result<(), OutputError> {
        let path = || shown(destination);
        match contents(&self.address, &MARKS_OF_A_RESULT)? {
            Contents::Nothing | Contents::Unfinished => Ok(()),
            Contents::Result if force => Ok(()),
            Contents::Other if force => Err(OutputError::NotAResult { path: path() }),
            Contents::Result | Contents::Other => Err(OutputError::Exists { path: path() }),
        }
    }

    /// Whether a path is the URL of an object that a result would replace.
    pub(super) fn contains(&self, path: &Path) -> bool {
        let input = path.to_str().filter(|text| is_url(text));
        let input = input.and_then(|url| Address::parse(url).ok());
        input.is_some_and(|input| {
            let rest = input.key.strip_prefix(&self.address.key);
            input.root == self.address.root && rest.is_some_and(|rest| rest.starts_with('/'))
        })
    }

    /// Writes a directory to the destination.
    pub(super) fn publish(
        &self,
        destination: &Path,
        force: bool,
        whole: &Path,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<(), OutputError> {
        // It may have been filled during the run.
        self.check(destination, force)?;
        Ok(publish(&self.address, whole, &MARKS_OF_A_RESULT, cancelled)?)
    }
}
