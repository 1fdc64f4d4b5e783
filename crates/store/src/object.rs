//! What is known about objects.

use std::time::SystemTime;

use crate::Address;

/// An object as it was found. Every later request must find the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Object {
    /// Its address.
    pub address: Address,
    /// Size in bytes.
    pub size: u64,
    /// The entity tag or, if the store has none, its version.
    pub tag: Option<String>,
    /// Time of the last modification.
    pub modified: Option<SystemTime>,
}

/// What an address leads to.
#[derive(Debug)]
pub enum Found {
    /// An object that can be read from any position.
    Object(Object),
    /// An object on a web server that sends only the whole of it, or does not say how long it is.
    OnlyWhole,
    /// There is no object. (There may be some below it, as in a directory.)
    Nothing,
}

/// What is below the destination of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Contents {
    /// No object.
    Nothing,
    /// A complete result.
    Result,
    /// A result that another process writes, or whose process was killed.
    Unfinished,
    /// Other objects.
    Other,
}
