//! The same functions without access to stores: each one says so.

use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;

use crate::{Address, Contents, Found, Object, StoreError};

fn disabled<T>(address: &Address) -> Result<T, StoreError> {
    Err(StoreError::Disabled { url: address.to_string() })
}

/// Finds an object.
///
/// # Errors
/// Always.
pub fn find(address: &Address) -> Result<Found, StoreError> {
    disabled(address)
}

/// Lists the objects below a prefix.
///
/// # Errors
/// Always.
pub fn list(prefix: &Address) -> Result<Vec<Object>, StoreError> {
    disabled(prefix)
}

/// The first bytes of objects.
#[must_use]
pub fn heads(objects: &[&Object], _: usize) -> Vec<Result<Bytes, StoreError>> {
    objects.iter().map(|object| disabled(&object.address)).collect()
}

/// Finds objects again.
#[must_use]
pub fn look_again(objects: &[&Object]) -> Vec<Result<(), StoreError>> {
    objects.iter().map(|object| disabled(&object.address)).collect()
}

/// The content of a small object.
///
/// # Errors
/// Always.
pub fn read(address: &Address) -> Result<Bytes, StoreError> {
    disabled(address)
}

/// Copies an object to a file.
///
/// # Errors
/// Always.
pub fn download(address: &Address, _: &mut std::fs::File) -> Result<(), StoreError> {
    disabled(address)
}

/// What is below the destination of a result.
///
/// # Errors
/// Always.
pub fn contents(destination: &Address, _: &[&str]) -> Result<Contents, StoreError> {
    disabled(destination)
}

/// Writes a directory as a result.
///
/// # Errors
/// Always.
pub fn publish(
    destination: &Address,
    _: &Path,
    _: &[&str],
    _: &dyn Fn() -> bool,
) -> Result<(), StoreError> {
    disabled(destination)
}

/// Reads an object.
#[derive(Debug, Clone)]
pub struct ObjectReader {
    address: Address,
}

impl ObjectReader {
    /// A reader of an object, which fails.
    #[must_use]
    pub fn new(object: Arc<Object>, _: usize) -> Self {
        Self { address: object.address.clone() }
    }

    /// Bytes of the object.
    ///
    /// # Errors
    /// Always.
    pub fn range(&self, _: u64, _: usize) -> Result<Bytes, StoreError> {
        disabled(&self.address)
    }

    /// The error of the last request that failed.
    #[must_use]
    pub fn failure(&self) -> Option<StoreError> {
        Some(StoreError::Disabled { url: self.address.to_string() })
    }
}

impl Read for ObjectReader {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Ok(disabled(&self.address)?)
    }
}

impl Seek for ObjectReader {
    fn seek(&mut self, _: SeekFrom) -> io::Result<u64> {
        Ok(disabled(&self.address)?)
    }
}
