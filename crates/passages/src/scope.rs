//! Which copies of a window count.

/// Where another copy of a window has to stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scope {
    /// Anywhere: in another document, or at another place of the same one.
    #[default]
    Anywhere,
    /// In another document. What a document says twice by itself is not a passage.
    Across,
}

impl Scope {
    /// Whether copies in these two documents are copies of each other.
    pub(crate) fn joins(self, one: u32, other: u32) -> bool {
        self == Self::Anywhere || one != other
    }
}
