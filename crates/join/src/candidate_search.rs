//! The choice between an index over prefixes and the bitmap join.

/// How candidates are found. Leaders, components and complete lists of matches are the same; the
/// number of candidates differs, and which matches connect a component where not all of them are
/// listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CandidateSearch {
    /// By what takes less time, as far as sizes and document frequencies tell.
    #[default]
    Cheapest,
    /// By the prefixes of all sets, in an inverted index.
    Prefixes,
    /// By bitmaps of all pairs of similar sizes; by prefixes where bitmaps reject too few pairs or
    /// take too much memory.
    Bitmaps,
}
