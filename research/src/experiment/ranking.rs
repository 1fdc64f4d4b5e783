//! A ranked list by BM25 (Robertson & Walker 1994; k₁ = 1.2, b = 0.75).

use crate::tokens::Tokens;
use std::collections::HashMap;

const K1: f64 = 1.2;
const B: f64 = 0.75;

/// Inverted index with term frequencies.
pub(super) struct Index {
    postings: HashMap<u64, Vec<(u32, f64)>>,
    lengths: Vec<f64>,
    average: f64,
}

impl Index {
    pub(super) fn new(tokens: &Tokens) -> Self {
        let mut postings: HashMap<u64, Vec<(u32, f64)>> = HashMap::new();
        let mut lengths = Vec::new();
        for (number, tokens) in (0u32..).zip(tokens.documents()) {
            for &token in tokens {
                let list = postings.entry(token).or_default();
                match list.last_mut() {
                    Some((last, count)) if *last == number => *count += 1.0,
                    _ => list.push((number, 1.0)),
                }
            }
            lengths.push(tokens.len() as f64);
        }
        let average = lengths.iter().sum::<f64>() / lengths.len().max(1) as f64;
        Self { postings, lengths, average }
    }

    /// All documents with a term of the query, the best first; ties by number.
    pub(super) fn rank(&self, query: &[u64]) -> Vec<u32> {
        let mut query = query.to_vec();
        query.sort_unstable();
        query.dedup();
        let mut scores: HashMap<u32, f64> = HashMap::new();
        let all = self.lengths.len() as f64;
        for list in query.iter().filter_map(|term| self.postings.get(term)) {
            let df = list.len() as f64;
            let idf = (1.0 + (all - df + 0.5) / (df + 0.5)).ln();
            for &(document, count) in list {
                let length = self.lengths[document as usize] / self.average;
                let weight = count * (K1 + 1.0) / (count + K1 * (1.0 - B + B * length));
                *scores.entry(document).or_default() += idf * weight;
            }
        }
        let mut ranked: Vec<(u32, f64)> = scores.into_iter().collect();
        ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        ranked.into_iter().map(|(document, _)| document).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lookalike_core::fingerprint::token;

    #[test]
    fn rare_and_repeated_terms_and_short_documents_come_first() {
        let texts = ["a b", "a a", "a c c c", "d"];
        let index = Index::new(&Tokens::of_texts(texts, ""));
        let query = |words: &[&str]| words.iter().map(|w| token(w.as_bytes())).collect::<Vec<_>>();
        assert_eq!(index.rank(&query(&["a"])), [1, 0, 2]);
        assert_eq!(index.rank(&query(&["a", "b", "b"])), [0, 1, 2]);
        assert_eq!(index.rank(&query(&["x"])), [] as [u32; 0]);
        // By hand: a is in three of four documents of 2.25 words on the average, once in the first.
        let idf = (1.0f64 + 1.5 / 3.5).ln();
        let length = 2.0 / 2.25;
        let weight = |count: f64| count * 2.2 / (count + 1.2 * (0.25 + 0.75 * length));
        assert!(idf * weight(2.0) > idf * weight(1.0));
    }
}
