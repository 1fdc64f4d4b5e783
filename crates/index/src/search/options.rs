//! Options and answers of a search.

use lookalike_core::Overlap;

/// What a search is asked for beside its question.
#[derive(Clone, Copy)]
pub struct SearchOptions<'a> {
    /// How many matches are wanted, the best first; `None` for all.
    pub limit: Option<usize>,
    /// Whether a unit may be in the answer (has a live document, of the site, of the sweep, ...).
    /// Called once for each unit that the first counts leave, before anything of it is read.
    pub accept: &'a dyn Fn(u32) -> Option<Accepted>,
    /// Whether to stop (deadline passed, request cancelled). Called between blocks of lists and
    /// between verifications.
    pub stop: &'a dyn Fn() -> bool,
}

/// What the caller knows of a unit that may be in the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Accepted {
    /// Order among matches of equal value, the lowest first. To make answers independent of how
    /// documents are spread over segments, this is a property of the documents: the lowest number
    /// of those in the unit that may be in the answer.
    pub order: u64,
    /// Number of documents of the unit that may be in the answer, for [`Total`].
    pub documents: u32,
}

/// A stored set that matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Found {
    /// Its unit.
    pub unit: u32,
    /// [`Accepted::order`] of it.
    pub order: u64,
    /// a is the query, b the stored set; verified on all elements.
    pub counts: Overlap,
}

/// Number of documents whose sets match.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Total {
    /// Documents of the units that were verified as matches.
    pub at_least: u64,
    /// Those, and the documents of units that may match and were not verified, because `limit`
    /// others are better.
    pub at_most: u64,
}

impl Total {
    /// Whether the number is known.
    #[must_use]
    pub fn is_exact(self) -> bool {
        self.at_least == self.at_most
    }
}

impl std::ops::AddAssign for Total {
    fn add_assign(&mut self, other: Self) {
        self.at_least += other.at_least;
        self.at_most += other.at_most;
    }
}

/// A document or unit that shares keys with the query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyMatch {
    /// Its id in the inverted index of the keys.
    pub id: u32,
    /// Number of the query's keys whose lists hold it: at least the number of shared keys, as keys
    /// are looked up by their top bits.
    pub shared: u32,
}
