//! Checksummed spill files and checkpoint files of flat arrays.
//!
//! * [`SpillFile`]: an append-only file of frames, for data beyond a memory budget
//!   ([`spill_file`]). Frames can be read in part, and a file that was cut off is reopened up to
//!   its last whole frame.
//! * [`Partitions`]: records by partition, in memory up to a budget, and beyond it in a spill file
//!   ([`partitions`]).
//! * [`write_checked_file`], [`read_checked_file`]: a file that is complete and verified, or absent
//!   ([`checked_file`]). [`Checkpoint`] is the trait of what is stored that way.
//! * [`regular_file`]: opens files by names that are fixed, without following links or waiting.
//! * [`Encoder`], [`Decoder`]: arrays of little-endian numbers ([`arrays`]).
//!
//! The layouts are described in FORMAT.md. Every read verifies a checksum unless its documentation
//! says otherwise; damage is an [`std::io::Error`], never a wrong value.
//!
//! Without the feature `files`, which is on by default, there are only the traits of checkpoints and
//! arrays, and creating a spill file is an error; nothing else is compiled.

#[cfg(not(feature = "files"))]
mod absent;
pub mod arrays;
#[cfg(feature = "files")]
pub mod checked_file;
mod checkpoint;
#[cfg(feature = "files")]
mod damage;
#[cfg(feature = "files")]
pub mod partitions;
#[cfg(feature = "files")]
pub mod regular_file;
#[cfg(feature = "files")]
pub mod spill_file;

#[cfg(not(feature = "files"))]
pub use absent::{Frame, SpillFile};
pub use arrays::{Decoder, Encoder, Number};
#[cfg(feature = "files")]
pub use checked_file::{read_checked_file, write_checked_file};
pub use checkpoint::Checkpoint;
#[cfg(feature = "files")]
pub use partitions::Partitions;
#[cfg(feature = "files")]
pub use spill_file::{Frame, Reopened, SpillFile};
