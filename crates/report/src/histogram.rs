//! Histograms: similarities in bins of equal width, cluster sizes in bins that double.

use serde::{Deserialize, Serialize};

/// Number of bins of a [`SimilarityHistogram`].
pub const SIMILARITY_BINS: usize = 50;

/// Similarities are binned in billionths, so that 0.9 is in the bin that begins at 0.9.
const SCALE: f64 = 1e9;

/// Similarities of the removed documents to their witnesses.
///
/// Documents at exactly 1 are counted separately: on most collections they are far more than all
/// others.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SimilarityHistogram {
    /// Lower edge of the first bin.
    pub from: f64,
    /// Upper edge of the last bin.
    pub to: f64,
    /// Counts; a bin includes its lower edge and not its upper one. Empty if `from` is 1.
    pub bins: Vec<u64>,
    /// Values below `from` (members of a component that resemble their leader only through others).
    pub below: u64,
    /// Values of exactly 1.
    pub at_one: u64,
}

impl SimilarityHistogram {
    /// An empty histogram from a threshold up to 1.
    #[must_use]
    pub fn new(from: f64) -> Self {
        let from = if from.is_finite() { from.clamp(0.0, 1.0) } else { 0.0 };
        let bins = if from < 1.0 { vec![0; SIMILARITY_BINS] } else { Vec::new() };
        Self { from, to: 1.0, bins, below: 0, at_one: 0 }
    }

    /// Counts one value.
    pub fn add(&mut self, value: f64) {
        if value >= 1.0 {
            self.at_one += 1;
            return;
        }
        let (value, from, to) = (scaled(value), scaled(self.from), scaled(self.to));
        if value < from || self.bins.is_empty() {
            self.below += 1;
            return;
        }
        let bin = (value - from) * self.bins.len() as u64 / (to - from).max(1);
        let last = self.bins.len() - 1;
        self.bins[(bin as usize).min(last)] += 1;
    }

    /// All values counted.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.bins.iter().sum::<u64>() + self.below + self.at_one
    }

    /// The edges of a bin.
    #[must_use]
    pub fn edges(&self, bin: usize) -> (f64, f64) {
        let width = (self.to - self.from) / self.bins.len().max(1) as f64;
        (self.from + width * bin as f64, self.from + width * (bin + 1) as f64)
    }
}

impl Default for SimilarityHistogram {
    fn default() -> Self {
        Self::new(0.0)
    }
}

fn scaled(value: f64) -> u64 {
    (value.max(0.0) * SCALE).round() as u64
}

/// Number of clusters by size.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SizeHistogram {
    /// Bins without gaps, the first for sizes 2 and 3.
    pub bins: Vec<SizeBin>,
}

/// Clusters with sizes from one power of two to below the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SizeBin {
    /// Smallest size in the bin.
    pub from: u64,
    /// Largest size in the bin.
    pub to: u64,
    /// Number of clusters.
    pub clusters: u64,
    /// Number of documents in them.
    pub documents: u64,
}

impl SizeHistogram {
    /// Counts one cluster. A single document (size 0 or 1) is not a cluster and is not counted.
    pub fn add(&mut self, size: u64) {
        let Some(bin) = size.checked_ilog2().and_then(|log| log.checked_sub(1)) else { return };
        while self.bins.len() <= bin as usize {
            let from = 2u64 << self.bins.len();
            self.bins.push(SizeBin { from, to: from + (from - 1), clusters: 0, documents: 0 });
        }
        let bin = &mut self.bins[bin as usize];
        bin.clusters += 1;
        bin.documents += size;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_on_an_edge_belong_to_the_bin_above() {
        let mut histogram = SimilarityHistogram::new(0.8); // bins of 0.004
        for value in [0.8, 0.8039, 0.804, 0.9, 0.996, 0.999_999_999_9, 1.0, 0.5] {
            histogram.add(value);
        }
        assert_eq!(histogram.bins[0], 2);
        assert_eq!(histogram.bins[1], 1);
        assert_eq!(histogram.bins[25], 1, "0.9 is the lower edge of bin 25");
        assert_eq!(histogram.bins[49], 2, "just under 1 is not 1");
        assert_eq!((histogram.below, histogram.at_one), (1, 1));
        assert_eq!(histogram.total(), 8);
    }

    #[test]
    fn a_threshold_of_one_has_no_bins() {
        let mut histogram = SimilarityHistogram::new(1.0);
        histogram.add(1.0);
        histogram.add(0.99);
        assert!(histogram.bins.is_empty());
        assert_eq!((histogram.below, histogram.at_one), (1, 1));
    }

    #[test]
    fn every_lower_edge_falls_into_its_own_bin() {
        for threshold in [0.3, 0.5, 0.57, 0.8, 0.9, 0.99] {
            let empty = SimilarityHistogram::new(threshold);
            for bin in 0..SIMILARITY_BINS {
                let mut histogram = empty.clone();
                histogram.add(empty.edges(bin).0);
                assert_eq!(histogram.bins[bin], 1, "threshold {threshold}, bin {bin}");
            }
        }
    }

    #[test]
    fn sizes_double_from_bin_to_bin() {
        let mut histogram = SizeHistogram::default();
        for size in [0, 1, 2, 3, 3, 4, 7, 16, 31] {
            histogram.add(size);
        }
        let bin = |from, to, clusters, documents| SizeBin { from, to, clusters, documents };
        assert_eq!(
            histogram.bins,
            [bin(2, 3, 3, 8), bin(4, 7, 2, 11), bin(8, 15, 0, 0), bin(16, 31, 2, 47)]
        );
    }

    #[test]
    fn the_largest_size_there_is_has_a_bin() {
        let mut histogram = SizeHistogram::default();
        histogram.add(u64::MAX);
        assert_eq!(histogram.bins.last().map(|bin| bin.to), Some(u64::MAX));
    }
}
