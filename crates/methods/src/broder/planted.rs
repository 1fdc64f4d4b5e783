//! Test data: pairs of sets, and of documents, with a known exact resemblance.

use crate::{Document, Method, MethodScratch, MethodSpec, Signature, Unsigned, build};
use lookalike_core::{Overlap, fingerprint};

/// SplitMix64.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub(crate) fn values(&mut self, count: usize) -> Vec<u64> {
        (0..count).map(|_| self.next()).collect()
    }

    /// Two sets of random values with these sizes, the shared ones first.
    pub(crate) fn pair(&mut self, counts: Overlap) -> (Vec<u64>, Vec<u64>) {
        let shared = self.values(counts.shared as usize);
        let mut side = |size: u32| {
            let own = self.values((size - counts.shared) as usize);
            [shared.as_slice(), &own].concat()
        };
        let a = side(counts.a);
        (a, side(counts.b))
    }
}

/// Token hashes of a text of words.
pub(crate) fn tokens(text: &str) -> Vec<u64> {
    text.split_whitespace().map(|word| fingerprint::token(word.as_bytes())).collect()
}

/// A method by its text form.
pub(crate) fn method(spec: &str) -> Box<dyn Method> {
    build(&spec.parse::<MethodSpec>().unwrap(), None).unwrap()
}

/// The signature of a document of these tokens.
pub(crate) fn sign(method: &dyn Method, tokens: &[u64]) -> Result<Signature, Unsigned> {
    let mut out = Signature::default();
    let document = Document { tokens, ..Document::default() };
    method.sign(&document, &mut MethodScratch::default(), &mut out)?;
    let mut keys = out.keys.clone();
    keys.sort_unstable();
    keys.dedup();
    assert_eq!(keys.len(), out.keys.len(), "keys are distinct");
    Ok(out)
}

/// Whether two signatures have a key in common.
pub(crate) fn meet(a: &Signature, b: &Signature) -> bool {
    a.keys.iter().any(|key| b.keys.contains(key))
}

/// Mean and standard deviation of the mean.
pub(crate) fn mean(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / (n - 1.0);
    (mean, (variance / n).sqrt())
}
