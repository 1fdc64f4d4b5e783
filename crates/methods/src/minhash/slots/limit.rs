//! The limit on slots.

/// Most slots there may be.
pub const MOST_SLOTS: u32 = 4096;
