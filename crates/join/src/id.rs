//! Identifiers of sets.

/// Number of a set in a join within one process: dense, from 0, in order of precedence.
///
/// The pure steps are generic over the identifier: any `Copy + Ord` type does whose order is that of
/// precedence, for example a `u64` rank on a cluster.
///
/// ```
/// use lookalike_join::SetId;
///
/// assert!(SetId(3) < SetId(4));
/// assert_eq!(SetId::from(3).index(), 3);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SetId(pub u32);

impl SetId {
    /// Index into arrays with one entry for each set.
    #[inline]
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl From<u32> for SetId {
    fn from(number: u32) -> Self {
        Self(number)
    }
}
