//! Objects in S3, Google Cloud Storage, Azure and on web servers, read and written without async.
//!
//! [`find`] and [`list`] find objects, [`ObjectReader`] reads one from any position, [`publish`]
//! writes a directory as a result. The functions block; requests run on two threads of their own,
//! several at a time. This is the only crate that knows a runtime.
//!
//! Without the feature `object-stores` every function returns [`StoreError::Disabled`], and none of
//! the libraries behind it is compiled.

mod address;
mod error;
mod object;

#[cfg(not(feature = "object-stores"))]
mod absent;
#[cfg(feature = "object-stores")]
mod client;

#[cfg(not(feature = "object-stores"))]
pub use absent::{ObjectReader, contents, download, find, heads, list, look_again, publish, read};
pub use address::{Address, Scheme, is_url, recorded_url, shown_url};
#[cfg(feature = "object-stores")]
pub use client::{ObjectReader, contents, download, find, heads, list, look_again, publish, read};
pub use error::StoreError;
pub use object::{Contents, Found, Object};
