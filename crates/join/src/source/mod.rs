//! Where the sets of a join come from: the interface, and sets in memory.

mod in_memory;
mod set_source;

pub use in_memory::{
    InMemorySets, InMemorySorted, InvalidSets, OffsetArrays, SetArrays, ValuedSets,
};
pub use set_source::{HighElements, Part, SetScan, SetSource, SortedSets, SourceError};
