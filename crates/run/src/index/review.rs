//! Pairs of stored documents for people to judge, and what their judgements say.

use super::extra;
use super::open::Index;
use super::questions::{AnyAnswer, Question};
use crate::LookalikeError;
use crate::differences::{LONGEST, removal_of, summed};
use crate::panics::caught;
use lookalike_core::{Measure, Threshold, fingerprint};
use lookalike_decide::Rule;
use lookalike_engine::differences::DifferenceScratch;
use lookalike_engine::{DifferenceProfile, DifferenceReader, DocumentParts, Progress};
use lookalike_index::{DocAt, Snapshot, TextReader};
use lookalike_report::{DifferenceExample, DifferenceSummary};
use std::collections::{BTreeMap, BinaryHeap};
use std::num::NonZeroU64;

/// Matches of one document that are looked at.
const MATCHES: u64 = 100;

/// Bins of a [`ReviewSample`] below the threshold.
const BINS: usize = 10;

/// Which pairs are chosen for people to judge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReviewOptions {
    /// Number of documents in the sample, whose matches are looked at.
    pub documents: usize,
    /// Another number is another sample.
    pub seed: u64,
}

impl Default for ReviewOptions {
    fn default() -> Self {
        Self { documents: 200, seed: 0 }
    }
}

/// Pairs of a sample around the threshold of an index.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReviewSample {
    /// Number of documents whose matches were looked at.
    pub documents: u64,
    /// The threshold of the index.
    pub threshold: f64,
    /// From where on pairs were looked for.
    pub from: f64,
    /// Numbers of pairs from there to the threshold, in bins of equal width.
    pub below: Vec<u64>,
    /// Numbers of pairs from the threshold to 1, in bins of that width.
    pub above: Vec<u64>,
    /// The pairs, those closest to the threshold first.
    pub pairs: Vec<ReviewPair>,
}

/// A pair for people to judge.
#[derive(Debug, Clone, PartialEq)]
pub struct ReviewPair {
    /// The id of the document that would be removed.
    pub a: String,
    /// The id of the one that would be kept.
    pub b: String,
    /// The measure of the index.
    pub value: f64,
}

/// The ids of a pair: the document that would be removed, and the kept one.
type Pair = (String, String);

impl Index {
    /// Pairs around the threshold of the index, of a sample of its documents: as far below as
    /// above. A lean index has none below. The same for the same documents and seed.
    ///
    /// ```
    /// use lookalike::index::{AddOptions, IndexSettings, ReviewOptions};
    /// use lookalike::{Index, IndexWriter, Record, Settings, Silent, Source};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let folder = tempfile::tempdir()?;
    /// # let dir = folder.path().join("index");
    /// let mut writer = IndexWriter::create(&dir, IndexSettings::default(), 1)?;
    /// let text = |end| format!("one two three four five six seven eight nine ten {end}");
    /// let records = [Record::new(text("a")).id("1"), Record::new(text("b")).id("2")];
    /// let (fields, options) = (Settings::default(), AddOptions::default());
    /// writer.add(Source::records(records), &fields, &options, &Silent, |_| ())?;
    /// let sample = Index::open(&dir)?.review_sample(&ReviewOptions::default(), &Silent)?;
    /// assert_eq!((&*sample.pairs[0].a, &*sample.pairs[0].b), ("2", "1"));
    /// assert_eq!(sample.pairs[0].value, 6.0 / 8.0);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Files that cannot be read; the progress was cancelled.
    pub fn review_sample(
        &self,
        options: &ReviewOptions,
        progress: &dyn Progress,
    ) -> Result<ReviewSample, LookalikeError> {
        caught(|| {
            let snapshot = self.snapshot()?;
            let documents = &self.settings().documents;
            let threshold: Threshold = documents.threshold.parse()?;
            let threshold = threshold.as_f64();
            let lean = self.settings().lean.is_some();
            // In hundredths, so that it can be written as a threshold.
            let below = (2.0 * threshold - 1.0).max(threshold / 2.0).max(0.01);
            let (from, asked) = match lean {
                true => (threshold, documents.threshold.clone()),
                false => ((below * 100.0).round() / 100.0, format!("{below:.2}")),
            };
            let sampled = sampled(&snapshot, options);
            let mut found = BTreeMap::new();
            for &at in &sampled {
                let near = self.near(&snapshot, at, documents.measure, &asked, progress)?;
                found.extend(near);
            }
            let pairs = found.into_iter().map(|((a, b), value)| ReviewPair { a, b, value });
            let mut pairs: Vec<ReviewPair> = pairs.collect();
            let distance = |pair: &ReviewPair| (pair.value - threshold).abs();
            // Stable: of equal distances, in the order of the ids.
            pairs.sort_by(|x, y| distance(x).total_cmp(&distance(y)));
            let documents = sampled.len() as u64;
            Ok(ReviewSample { documents, ..binned(threshold, from, pairs) })
        })
    }

    /// The pairs of a document, by the ids of the one that would be removed and the kept one.
    fn near(
        &self,
        snapshot: &Snapshot,
        at: DocAt,
        measure: Measure,
        from: &str,
        progress: &dyn Progress,
    ) -> Result<Vec<(Pair, f64)>, LookalikeError> {
        let own = snapshot.document(at).id();
        let (ask, value): (_, fn(&super::QueryMatch) -> f64) = match measure {
            Measure::Resemblance => ("resembles", |found| found.resemblance),
            Measure::Cosine => ("cosine", |found| found.cosine),
            Measure::Containment => ("contained-in", |found| found.document_in_query),
        };
        let question = Question {
            id: Some(own.to_owned()),
            ask: Some(ask.to_owned()),
            threshold: Some(from.to_owned()),
            limit: NonZeroU64::new(MATCHES),
            ..Question::default()
        };
        let AnyAnswer::Documents(answer) = self.answer(&question, progress)?.answer else {
            return Ok(Vec::new());
        };
        let mut pairs = Vec::new();
        for found in answer.matches.iter().filter(|found| found.id != own) {
            let Some(&other) = snapshot.with_id(&found.id).last() else { continue };
            let is_later = snapshot.rank(at) > snapshot.rank(other);
            let (a, b) = if is_later { (own, &*found.id) } else { (&*found.id, own) };
            pairs.push(((a.to_owned(), b.to_owned()), value(found)));
        }
        Ok(pairs)
    }

    /// What differs in pairs that people judged, and the rule that their judgements recommend: each
    /// with the id of the document that would be removed, of the one that would be kept, and
    /// whether they are the same. Pairs of documents that are not stored are left out. `None` if
    /// nothing is left.
    ///
    /// # Errors
    /// Files that cannot be read; the progress was cancelled.
    pub fn judged_differences(
        &self,
        judged: &[(String, String, bool)],
        progress: &dyn Progress,
    ) -> Result<Option<DifferenceSummary>, LookalikeError> {
        if !self.settings().texts {
            return Ok(None);
        }
        caught(|| {
            let snapshot = self.snapshot()?;
            let reader = DifferenceReader::new(&self.settings().documents.analysis);
            let (mut scratch, mut texts) = (DifferenceScratch::default(), TextReader::default());
            let mut compared = Vec::new();
            for (number, (a, b, same)) in judged.iter().enumerate() {
                if progress.cancelled() {
                    return Err(LookalikeError::Engine(lookalike_engine::EngineError::Cancelled));
                }
                let found = [a, b].map(|id| snapshot.with_id(id).last().copied());
                let [Some(at_a), Some(at_b)] = found else { continue };
                let [at_a, at_b] = [at_a, at_b].map(|at| snapshot.document(at));
                if at_a.text_bytes().max(at_b.text_bytes()) > LONGEST {
                    continue;
                }
                let mut parts = |document: lookalike_index::StoredDocument<'_>| {
                    let title = extra::title(document.extra());
                    let text = document.text(&mut texts)?;
                    Ok::<DocumentParts, LookalikeError>(reader.parts(
                        text,
                        title.as_deref(),
                        &mut scratch,
                    ))
                };
                let is_near = at_a.sequence() != at_b.sequence();
                let (parts_a, parts_b) = (parts(at_a)?, parts(at_b)?);
                let rule = if is_near { Rule::Near } else { Rule::LexicallyEquivalent };
                let profile = DifferenceProfile::new(&parts_a, &parts_b, &mut scratch);
                compared.push((removal_of(rule, profile, Some(*same)), number));
            }
            let of = compared.len() as u64;
            summed(compared.into_iter(), (of, 0), false, |number| {
                let (removed, kept, _) = &judged[number];
                Ok(DifferenceExample { removed: removed.clone(), kept: kept.clone() })
            })
        })
    }
}

/// The documents of a sample: those with the smallest hashes of their numbers and the seed.
fn sampled(snapshot: &Snapshot, options: &ReviewOptions) -> Vec<DocAt> {
    let mut chosen = BinaryHeap::new();
    for at in snapshot.documents() {
        let name = format!("{} {}", options.seed, snapshot.document(at).id());
        chosen.push((fingerprint::token(name.as_bytes()), at));
        if chosen.len() > options.documents {
            chosen.pop();
        }
    }
    chosen.into_sorted_vec().into_iter().map(|(_, at)| at).collect()
}

/// Counts pairs in bins of equal width below and above the threshold.
fn binned(threshold: f64, from: f64, pairs: Vec<ReviewPair>) -> ReviewSample {
    let bins = if from < threshold { BINS } else { 0 };
    let width = match bins {
        0 => (1.0 - threshold) / BINS as f64,
        _ => (threshold - from) / bins as f64,
    };
    // As many as end at 1, however that is rounded.
    let last = ((1.0 - threshold) / width - 1e-6).ceil();
    let mut sample = ReviewSample {
        threshold,
        from,
        below: vec![0; bins],
        above: vec![0; if last.is_finite() { (last as usize).max(1) } else { 1 }],
        ..ReviewSample::default()
    };
    for pair in &pairs {
        let (bins, start) = match pair.value < threshold {
            true => (&mut sample.below, from),
            false => (&mut sample.above, threshold),
        };
        // A value at an edge may be rounded below it; 1 is in the last bin.
        let bin = ((pair.value - start) / width).floor().max(0.0) as usize;
        if let Some(last) = bins.len().checked_sub(1) {
            bins[bin.min(last)] += 1;
        }
    }
    sample.pairs = pairs;
    sample
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_counted_on_the_side_of_the_threshold_where_they_are() {
        let pair = |value| ReviewPair { a: "a".into(), b: "b".into(), value };
        let pairs = [0.61, 0.79, 0.8, 0.99, 1.0].map(pair).to_vec();
        let sample = binned(0.8, 0.6, pairs.clone());
        assert_eq!((sample.below.len(), sample.above.len()), (10, 10));
        assert_eq!((sample.below[0], sample.below[9]), (1, 1));
        assert_eq!((sample.above[0], sample.above[9]), (1, 2));
        assert_eq!(binned(0.7, 0.4, Vec::new()).above.len(), 10);
        let lean = binned(0.8, 0.8, pairs[2..].to_vec());
        assert_eq!((lean.below.len(), lean.above.iter().sum::<u64>()), (0, 3));
        let whole = binned(1.0, 1.0, vec![pair(1.0)]);
        assert_eq!(whole.above, [1]);
    }
}
