//! The most or least frequent terms of a lexicon.

use crate::lexicon::split;
use crate::{Lexicon, Term};
use std::cmp::Reverse;

/// An order of terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rank {
    /// Those in most documents first.
    MostFrequent,
    /// Those in fewest documents first.
    LeastFrequent,
}

impl Lexicon {
    /// The first `count` terms in the order; of equally frequent ones those of smaller fingerprint.
    /// O(terms + count · log count), in memory for `count` terms.
    #[must_use]
    pub fn ranked(&self, rank: Rank, count: usize) -> Vec<Term<'_>> {
        let mut best: Vec<(Reverse<u32>, u32)> = Vec::new();
        for (index, entry) in self.entries().iter().enumerate() {
            let (_, frequency) = split(entry);
            let key = match rank {
                Rank::MostFrequent => frequency,
                Rank::LeastFrequent => !frequency,
            };
            best.push((Reverse(key), index as u32));
            // Collects twice `count` terms, then drops the worse half: amortised O(1) per term.
            if best.len() > 2 * count.max(512) && count < best.len() {
                best.select_nth_unstable(count);
                best.truncate(count);
            }
        }
        best.sort_unstable();
        best.truncate(count);
        best.iter().filter_map(|&(_, index)| self.term(index as usize)).collect()
    }
}
