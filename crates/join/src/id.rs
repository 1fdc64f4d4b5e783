//! Identifiers of sets.

use lookalike_spill::Number;
use std::fmt;

/// Number of a set in a join within one process: dense, from 0, in order of precedence.
///
/// The pure steps are generic over the identifier: any `Copy + Ord` type does whose order is that
/// of precedence, for example a `u64` rank on a cluster.
///
/// ```
/// use lookalike_join::SetId;
///
/// assert!(SetId(3) < SetId(4));
/// assert_eq!(SetId::from(3).index(), 3);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[repr(transparent)]
pub struct SetId(pub u32);

impl SetId {
    /// Index into arrays with one entry for each set.
    #[inline]
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl From<u32> for SetId {
    fn from(number: u32) -> Self {
        Self(number)
    }
}

impl fmt::Display for SetId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

/// Stored as its number.
impl Number for SetId {
    const BYTES: usize = u32::BYTES;

    #[inline]
    fn put(self, bytes: &mut [u8]) {
        self.0.put(bytes);
    }

    #[inline]
    fn get(bytes: &[u8]) -> Self {
        Self(u32::get(bytes))
    }
}
