//! What a run puts on disk for itself: flat arrays, each checked when it comes back.
//!
//! [`FrameFile`] takes pieces one behind the other while they are made ([`frames`]); [`write_whole`] and
//! [`read_whole`] keep what one finished step knows in one file ([`whole`]); [`Workshop`] is the directory
//! with a name in which both lie when a killed run is to go on from there ([`workshop`]). All numbers are
//! little-endian ([`arrays`]).

pub mod arrays;
pub mod frames;
pub mod whole;
pub mod workshop;

pub use arrays::{Decoder, Encoder, Number};
pub use frames::{Frame, FrameFile};
pub use whole::{read_whole, write_whole};
pub use workshop::{Workshop, WorkshopError};
