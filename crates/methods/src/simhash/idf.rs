//! Inverse document frequencies in fixed point.

use super::fixed::{FRACTION, log2, log2_of_32};
use super::settings::Weights;

/// Minimum idf: a term of every document has a very small weight, so that a document of such terms
/// alone still has a signature.
const LEAST_IDF: u64 = 1 << (FRACTION - 8);

/// A sum of factors times idf, as a weight.
#[inline]
pub(super) fn times(factors: u64, idf: u64) -> u64 {
    u64::try_from((u128::from(factors) * u128::from(idf)) >> 32).unwrap_or(u64::MAX)
}

/// idf by document frequency, in fixed point.
pub(super) struct Idf {
    weights: Weights,
    /// N, or its logarithm.
    documents: u64,
}

impl Idf {
    pub(super) fn new(weights: Weights, documents: u64) -> Self {
        let inverse = weights == Weights::TfInverse;
        Self { weights, documents: if inverse { documents } else { log2(documents) } }
    }

    #[inline]
    pub(super) fn of(&self, frequency: u32) -> u64 {
        let frequency = frequency.max(1);
        let idf = match self.weights {
            Weights::TfInverse => match self.documents.checked_mul(1 << FRACTION) {
                Some(documents) => documents / u64::from(frequency),
                None => self.inverse_of_many(u64::from(frequency)),
            },
            _ => self.documents.saturating_sub(log2_of_32(frequency)),
        };
        idf.max(LEAST_IDF)
    }

    /// N/n if the fractional bits of N do not fit.
    #[cold]
    fn inverse_of_many(&self, frequency: u64) -> u64 {
        let idf = (u128::from(self.documents) << FRACTION) / u128::from(frequency);
        u64::try_from(idf).unwrap_or(u64::MAX)
    }
}
