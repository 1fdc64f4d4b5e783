//! Memory that searches reuse.

use super::candidates::Candidate;
use super::counters::Counters;

/// Memory of a search; each thread has its own. Grows to 2 bytes for each unit of the largest
/// segment (4 for queries of more than 65,000 elements, and for keys), and the largest stored set.
#[derive(Debug, Default)]
pub struct SearchScratch {
    pub(super) narrow: Counters<u16>,
    pub(super) wide: Counters<u32>,
    pub(super) common: Vec<u32>,
    pub(super) probed: Vec<u64>,
    pub(super) candidates: Vec<Candidate>,
    pub(super) set: Vec<u64>,
}
