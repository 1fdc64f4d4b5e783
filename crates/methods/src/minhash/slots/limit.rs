//! The limit on slots.

/// Maximum number of slots.
pub const MOST_SLOTS: u32 = 4096;
