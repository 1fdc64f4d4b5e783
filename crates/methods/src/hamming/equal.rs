//! Groups equal words, so that each distinct word is joined once.

/// Distinct words, ascending, and the positions of each in the input.
///
/// ```
/// use lookalike_methods::hamming::EqualWords;
///
/// let equal = EqualWords::new(&[7, 3, 7]);
/// assert_eq!(equal.words(), [3, 7]);
/// assert_eq!(equal.positions(1), [0, 2]);
/// ```
#[derive(Debug, Clone, Default)]
pub struct EqualWords {
    words: Vec<u64>,
    ends: Vec<u32>,
    positions: Vec<u32>,
}

impl EqualWords {
    /// Groups equal words. O(n log n). Memory: 4 bytes per word and 12 per distinct word. At most
    /// 2³² − 1 words.
    #[must_use]
    pub fn new(words: &[u64]) -> Self {
        let mut positions: Vec<u32> = (0..words.len() as u32).collect();
        positions.sort_unstable_by_key(|&at| (words[at as usize], at));
        let mut out = Self { positions, ..Self::default() };
        for run in out.positions.chunk_by(|&a, &b| words[a as usize] == words[b as usize]) {
            out.words.push(words[run[0] as usize]);
            out.ends.push(out.ends.last().unwrap_or(&0) + run.len() as u32);
        }
        out
    }

    /// The distinct words, ascending: the input of a join or index.
    #[must_use]
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// The positions of the word at `index` of [`EqualWords::words`], ascending.
    #[must_use]
    pub fn positions(&self, index: usize) -> &[u32] {
        let start = if index == 0 { 0 } else { self.ends[index - 1] as usize };
        &self.positions[start..self.ends[index] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn every_position_under_its_word(words in prop::collection::vec(0u64..20, 0..80)) {
            let mut truth: BTreeMap<u64, Vec<u32>> = BTreeMap::new();
            for (at, &word) in words.iter().enumerate() {
                truth.entry(word).or_default().push(at as u32);
            }
            let equal = EqualWords::new(&words);
            let got = equal.words().iter().enumerate().map(|(i, &w)| (w, equal.positions(i).to_vec()));
            prop_assert_eq!(got.collect::<Vec<_>>(), truth.into_iter().collect::<Vec<_>>());
        }
    }
}
