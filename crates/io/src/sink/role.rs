//! The places that documents go to.

/// What the documents of an output have in common.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// They are kept.
    Kept,
    /// A kept one stands for them.
    Removed,
    /// They could not be used.
    Rejected,
    /// Kept and removed ones together, with the marks that tell them apart.
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
