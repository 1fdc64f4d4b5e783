//! Roles of output documents.

/// Role of the documents in an output.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Kept documents.
    Kept,
    /// Removed documents.
    Removed,
    /// Rejected records.
    Rejected,
    /// Kept and removed documents together, with marks.
    Marked,
}

impl Role {
    pub(super) const COUNT: usize = 4;

    /// All of them, in the order of [`Role::index`].
    pub(super) const ALL: [Self; Self::COUNT] =
        [Self::Kept, Self::Removed, Self::Rejected, Self::Marked];

    /// Position in arrays by role.
    pub(super) fn index(self) -> usize {
        self as usize
    }

    /// The word in file names.
    pub fn name(self) -> &'static str {
        match self {
            Self::Kept => "kept",
            Self::Removed => "removed",
            Self::Rejected => "rejected",
            Self::Marked => "marked",
        }
    }
}
