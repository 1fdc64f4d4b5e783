//! Global order of elements by document frequency.

mod codec;
mod counter;
mod df;
mod element_order;

pub use codec::DecodeError;
pub use df::{Counters, DfSketch, SketchMismatch};
pub use element_order::ElementOrder;
