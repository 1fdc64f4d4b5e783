//! Fuzz targets: each takes any bytes, and panics if the code under test breaks a property.
//!
//! The libFuzzer programs in `fuzz_targets` call them (`cargo +nightly fuzz run json seeds/json`), and
//! so does `crates/testing/tests/fuzz` on the stable toolchain, with the seeds and seeded mutations of
//! them.

#![allow(clippy::unwrap_used)]
// The stable test includes this file as a private module.
#![allow(unreachable_pub)]

mod checkpoint;
mod decompression;
mod edits;
mod frames;
mod html;
mod lexicon;
mod office;
mod records;
mod tables;
mod tar;

pub use checkpoint::checkpoint;
pub use decompression::decompression;
pub use frames::frames;
pub use html::html;
pub use lexicon::lexicon;
pub use office::office;
pub use records::{csv, json, mbox};
pub use tables::{parquet_tables, tables};
pub use tar::tar;

/// A folder for the files of a run: in memory where the system has such a place, as results are synced
/// to the disk.
fn folder() -> tempfile::TempDir {
    let memory = std::path::Path::new("/dev/shm");
    let made = tempfile::tempdir_in(memory);
    made.or_else(|_| tempfile::tempdir()).unwrap()
}
