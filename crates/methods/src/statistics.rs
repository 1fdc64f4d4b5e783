//! Frozen document frequencies of a collection.

use std::fmt;

/// Document frequencies, which do not change while a method uses them.
///
/// `idf = ln(N / n)`; `nidf` is idf scaled to `[0, 1]` between the most frequent and the rarest
/// term of the collection (Kołcz & Chowdhury 2008, section 6.2).
pub trait Statistics: fmt::Debug + Send + Sync {
    /// N: documents counted.
    fn documents(&self) -> u64;

    /// n: the number of documents that contain the term. The term is a finalised token hash.
    fn frequency(&self, term: u64) -> u32;

    /// Writes the frequencies of `terms`, in their order, to `out`, replacing its content. With one
    /// call per document, memory accesses overlap.
    fn frequencies(&self, terms: &[u64], out: &mut Vec<u32>) {
        out.clear();
        out.extend(terms.iter().map(|&term| self.frequency(term)));
    }

    /// The smallest and the largest document frequency of any term.
    fn frequency_range(&self) -> (u32, u32);

    /// Checksum of these statistics, recorded in signatures made with them.
    fn checksum(&self) -> u128;

    /// `ln(N / n)`; n is taken as 1 for a term of no document.
    fn idf(&self, term: u64) -> f64 {
        idf(self.documents(), self.frequency(term).max(1))
    }

    /// idf scaled to `[0, 1]`.
    fn nidf(&self, term: u64) -> f64 {
        let (least, most) = self.frequency_range();
        let (low, high) = (idf(self.documents(), most), idf(self.documents(), least.max(1)));
        if high > low { ((self.idf(term) - low) / (high - low)).clamp(0.0, 1.0) } else { 0.0 }
    }
}

fn idf(documents: u64, frequency: u32) -> f64 {
    (documents as f64 / f64::from(frequency.max(1))).ln()
}
