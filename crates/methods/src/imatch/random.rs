//! I-Match by a lexicon and by K random copies of it: Kołcz & Chowdhury 2008, section 4.
//!
//! Signature 0 is by the lexicon, signature k by copy k; two documents match if they agree in one
//! or more of the K + 1 signatures. All are computed in one pass over the document's distinct
//! terms: a term is looked up once, hashed once for four copies, and added to its buckets
//! ([`Sums`]). The secondary lexicon is sampled by the same rule. A signature that is not
//! [reliable](super::reliability) is left out; a document without reliable signatures is rejected.

use super::copies::Copies;
use super::nidf::{Frequencies, Share};
use super::ranks::{candidate, cut, order, place};
use super::reliability::Reliability;
use super::sum::{self, Sum};
use super::sums::Sums;
use crate::{
    Agreement, Document, Evidence, Method, MethodScratch, MethodSpec, Signature, Sketch, SpecError,
    Statistics, Unsigned,
};
use lookalike_core::FeatureKind;
use lookalike_core::features::distinct;
use std::sync::Arc;

/// K + 1 digests of the distinct terms in a lexicon. O(tokens + K/4 · terms of the lexicon).
#[derive(Debug)]
pub struct RandomIMatch {
    statistics: Arc<dyn Statistics>,
    lexicon: Frequencies,
    secondary: Frequencies,
    reliability: Reliability,
    copies: Copies,
    term_filter: String,
}

pub(super) fn build(
    spec: &MethodSpec,
    statistics: Option<Arc<dyn Statistics>>,
) -> Result<Box<dyn Method>, SpecError> {
    let params =
        spec.params(&["nidf", "copies", "drop", "seed", "min", "share", "fill", "terms"])?;
    let statistics = statistics.ok_or_else(|| SpecError::StatisticsMissing(spec.to_string()))?;
    let range = statistics.frequency_range();
    let (low, high) =
        super::window(&params, Some("0.2..0.8"))?.unwrap_or((Share::ZERO, Share::ONE));
    let count = params.checked("copies", 10, "a number from 0 to 63", |&k| k <= Copies::MOST)?;
    let drop = match params.text("drop") {
        Some("bootstrap") => Copies::BOOTSTRAP,
        _ => params.checked("drop", 0.33, "a share from 0 up to 1, or bootstrap", |p| {
            (0.0..1.0).contains(p)
        })?,
    };
    let reliability = Reliability::of(&params, 5)?;
    let lexicon = Frequencies::of_nidf(low, high, range);
    Ok(Box::new(RandomIMatch {
        statistics,
        lexicon,
        secondary: reliability.secondary(lexicon, range),
        reliability,
        copies: Copies::new(count, drop, params.get("seed", 1, "a whole number")?),
        term_filter: params.text("terms").unwrap_or_default().to_owned(),
    }))
}

/// Below this number, candidates are added one by one.
const FEW: usize = 16;

/// Adds candidates of the secondary lexicon in rank order to every view, until it has as many terms
/// as it needs. Reorders the candidates. The content of `buffer` is ignored.
fn fill(
    sums: &mut Sums,
    terms: &[u64],
    mut candidates: &mut [u64],
    needed: usize,
    buffer: &mut Vec<u64>,
) {
    let missing = |sum: &Sum| needed.saturating_sub(sum.count as usize);
    while !candidates.is_empty() {
        let short = short_of(sums, needed);
        if short == 0 {
            return;
        }
        // No view is full before it has received as many terms as the smallest number missing, in
        // any order.
        let least = sums.views().iter().map(missing).filter(|&missing| missing > 0).min();
        let together = least.filter(|&least| least >= FEW);
        let next = together.unwrap_or(FEW).min(candidates.len());
        cut(terms, candidates, next);
        let (now, later) = std::mem::take(&mut candidates).split_at_mut(next);
        candidates = later;
        if together.is_some() {
            sums.add_all(now.iter().map(|&chosen| terms[place(chosen)]), short, buffer);
        } else {
            now.sort_unstable_by(|&a, &b| order(terms, a, b));
            now.iter().for_each(|&one| sums.add(terms[place(one)], short_of(sums, needed)));
        }
    }
}

/// The views with fewer terms than needed, one bit each.
fn short_of(sums: &Sums, needed: usize) -> u64 {
    let views = sums.views().iter().enumerate();
    views.fold(0, |short, (at, sum)| short | u64::from((sum.count as usize) < needed) << at)
}

impl Method for RandomIMatch {
    fn sign(
        &self,
        document: &Document<'_>,
        scratch: &mut MethodScratch,
        out: &mut Signature,
    ) -> Result<(), Unsigned> {
        let MethodScratch { known, seen, values, counts: frequencies, .. } = scratch;
        let terms = distinct(document.tokens, FeatureKind::Terms, known);
        if terms.is_empty() {
            return Err(Unsigned::Empty);
        }
        out.size = terms.len() as u32;
        self.statistics.frequencies(terms, frequencies);
        // Branchless partition: whether a term is in the lexicon is unpredictable, and a
        // misprediction costs more than the write.
        if seen.len() < terms.len() {
            seen.resize(terms.len(), 0);
        }
        let mut selected = 0;
        for (&term, &frequency) in terms.iter().zip(frequencies.iter()) {
            seen[selected] = term;
            selected += usize::from(self.lexicon.contains(frequency));
        }
        let mut sums = Sums::new(self.copies);
        sums.add_all(seen[..selected].iter().copied(), u64::MAX, values);
        let needed = self.reliability.needed(terms.len());
        if self.secondary.least <= self.secondary.most {
            let known = frequencies.iter().enumerate();
            let rare = known.filter(|(_, frequency)| self.secondary.contains(**frequency));
            seen.clear();
            seen.extend(rare.map(|(at, &frequency)| candidate(frequency, at)));
            fill(&mut sums, terms, seen, needed, values);
        }
        for (view, sum) in (0..).zip(sums.views()) {
            if (sum.count as usize) < needed {
                sum::no_signature(out);
            } else {
                sum.sign(view, out);
            }
        }
        if out.keys.is_empty() { Err(Unsigned::NothingSelected) } else { Ok(()) }
    }

    fn term_filter(&self) -> &str {
        &self.term_filter
    }

    fn compare(&self, a: Sketch<'_>, b: Sketch<'_>) -> Evidence {
        sum::compare(a, b)
    }

    fn agreement(&self, a: Sketch<'_>, b: Sketch<'_>) -> Agreement {
        sum::agreement(a, b)
    }

    fn signature_terms(
        &self,
        document: &Document<'_>,
        signature: u32,
        scratch: &mut MethodScratch,
        chosen: &mut Vec<u64>,
    ) {
        let MethodScratch { known, seen, counts: frequencies, .. } = scratch;
        let terms = distinct(document.tokens, FeatureKind::Terms, known);
        self.statistics.frequencies(terms, frequencies);
        chosen.clear();
        seen.clear();
        for (at, (&term, &frequency)) in terms.iter().zip(frequencies.iter()).enumerate() {
            if self.copies.holding(term) >> signature & 1 == 0 {
                continue;
            }
            if self.lexicon.contains(frequency) {
                chosen.push(term);
            } else if self.secondary.contains(frequency) {
                seen.push(candidate(frequency, at));
            }
        }
        let needed = self.reliability.needed(terms.len());
        let missing = needed.saturating_sub(chosen.len()).min(seen.len());
        cut(terms, seen, missing);
        chosen.extend(seen[..missing].iter().map(|&at| terms[place(at)]));
        if chosen.len() < needed {
            chosen.clear();
        }
        sum::rarest_first(&*self.statistics, chosen);
    }

    fn accepts(&self, evidence: Evidence) -> bool {
        evidence == Evidence::SameKey
    }
}

#[cfg(test)]
mod tests {
    use super::super::stability;
    use super::super::testing::{Counted, named_digest, sign, terms_of};
    use super::*;
    use proptest::prelude::*;

    fn text(words: impl IntoIterator<Item = u32>) -> String {
        words.into_iter().map(|word| format!("w{word}")).collect::<Vec<_>>().join(" ")
    }

    proptest! {
        /// Without copies it is plain I-Match; with copies its first signature is.
        #[test]
        fn no_copies_are_plain_imatch(
            words in proptest::collection::vec(0..60u32, 1..80),
            min in 1..8u32,
            thousandths in 0..500u32,
            fill in any::<bool>(),
        ) {
            let statistics = Counted::numbered(50, 64);
            let fill = if fill { ",fill=0.9" } else { "" };
            let rest = format!("nidf=0.2..0.6,min={min},share=0.{thousandths:03}{fill}");
            let plain = sign(&format!("imatch:{rest}"), statistics.clone(), &text(words.clone()));
            let none = sign(&format!("imatch-random:copies=0,{rest}"), statistics.clone(), &text(words.clone()));
            prop_assert_eq!(&plain, &none);
            if let Ok(plain) = plain {
                let some = sign(&format!("imatch-random:copies=5,{rest}"), statistics, &text(words)).unwrap();
                prop_assert!(some.keys.contains(&plain.keys[0]));
                prop_assert_eq!(&some.sketch[..2], &plain.sketch[..]);
                prop_assert_eq!(some.sketch.len(), 12);
            }
        }

        /// Against the definition: each copy as a list of terms, filled up one view at a time.
        #[test]
        fn every_view_is_imatch_by_its_own_lexicon(
            words in proptest::collection::btree_set(0..60u32, 1..60),
            min in 1..20u32,
        ) {
            let statistics = Counted::numbered(50, 64);
            let range = statistics.frequency_range();
            let share = |text: &str| text.parse::<Share>().unwrap();
            let lexicon = Frequencies::of_nidf(share("0.2"), share("0.6"), range);
            let copies = Copies::new(7, 0.33, 3);
            let spec = format!("imatch-random:nidf=0.2..0.6,copies=7,seed=3,fill=0.9,min={min}");
            let text = text(words);
            let signed = sign(&spec, statistics.clone(), &text);
            let mut terms = terms_of(&text);
            terms.sort_by_key(|&term| (std::cmp::Reverse(statistics.frequency(term)), term));
            let beyond = Frequencies::of_nidf(share("0.2"), share("0.9"), range);
            let mut any = false;
            for view in 0..8 {
                let held: Vec<u64> =
                    terms.iter().copied().filter(|&t| copies.holding(t) >> view & 1 == 1).collect();
                let mut set: Vec<u64> =
                    held.iter().copied().filter(|&t| lexicon.contains(statistics.frequency(t))).collect();
                for &term in &held {
                    let n = statistics.frequency(term);
                    if set.len() < min as usize && n < lexicon.least && beyond.contains(n) {
                        set.push(term);
                    }
                }
                let digest = lookalike_core::features::digest(&set).filter(|_| set.len() >= min as usize);
                any |= digest.is_some();
                let digest = digest.map_or(0, |digest| digest.0);
                if let Ok(signed) = &signed {
                    let words = [(digest >> 64) as u64, digest as u64];
                    prop_assert_eq!(&signed.sketch[2 * view..2 * view + 2], &words);
                    // The terms that are named are those of the signature.
                    let named = named_digest(&spec, statistics.clone(), &text, view as u32);
                    prop_assert_eq!(named, words);
                }
            }
            prop_assert_eq!(signed.is_ok(), any);
            if let Ok(signed) = signed {
                let views = signed.sketch.chunks(2).filter(|view| *view != [0, 0]).count();
                prop_assert_eq!(signed.keys.len(), views);
                let distinct: std::collections::HashSet<u64> = signed.keys.iter().copied().collect();
                prop_assert_eq!(distinct.len(), views);
            }
        }
    }

    /// Formula (1), section 4: n terms of the lexicon are added to documents of thirty; the share
    /// that still matches is within four standard deviations of 1 − (1 − pⁿ)^K.
    #[test]
    fn measured_stability_is_the_formula() {
        const TRIALS: u32 = 3000;
        let terms = 40_000;
        let names: Vec<String> = (0..terms).map(|i| format!("w{i}")).collect();
        let table: Vec<(&str, u32)> = names.iter().map(|name| (name.as_str(), 10)).collect();
        let mut table = table;
        table.extend([("common", 100), ("rare", 1)]);
        let statistics = Arc::new(Counted::new(100, &table));
        for (copies, changes, drop) in [(1, 1, 0.33), (5, 1, 0.33), (10, 2, 0.33), (10, 3, 0.5)] {
            let spec = format!("imatch-random:nidf=0.4..0.6,copies={copies},drop={drop}");
            let method = crate::build(&spec.parse().unwrap(), Some(statistics.clone())).unwrap();
            let mut scratch = MethodScratch::default();
            let mut signed = |words: Vec<u32>| {
                let tokens: Vec<u64> = words
                    .into_iter()
                    .map(|word| {
                        lookalike_core::fingerprint::token(format!("w{}", word % terms).as_bytes())
                    })
                    .collect();
                let mut out = Signature::default();
                let document = Document { tokens: &tokens, ..Document::default() };
                method.sign(&document, &mut scratch, &mut out).map(|()| out).unwrap()
            };
            let mut matched = 0;
            for trial in 0..TRIALS {
                let first = trial * 37;
                let before = signed((first..first + 30).collect());
                let after = signed((first..first + 30 + changes).collect());
                let evidence = method.compare(before.as_sketch(), after.as_sketch());
                let by_keys = before.keys.iter().any(|key| after.keys.contains(key));
                assert_eq!(method.accepts(evidence), by_keys);
                assert!(before.keys[0] != after.keys[0]);
                matched += u32::from(by_keys);
            }
            let expected = stability(drop, changes as i32, copies);
            let found = f64::from(matched) / f64::from(TRIALS);
            let deviation = (expected * (1.0 - expected) / f64::from(TRIALS)).sqrt();
            assert!((found - expected).abs() < 4.0 * deviation, "{spec}: {found} for {expected}");
        }
    }

    #[test]
    fn what_does_not_fit_is_said() {
        for (spec, part) in [
            ("imatch-random:copies=64", "0 to 63"),
            ("imatch-random:drop=1", "bootstrap"),
            ("imatch-random:drop=x", "bootstrap"),
            ("imatch-random:filter=doc-l-90", "no parameter"),
            ("imatch-random:nidf=1", "LOW..HIGH"),
        ] {
            let statistics = Arc::new(Counted::numbered(5, 8));
            let error = crate::build(&spec.parse().unwrap(), Some(statistics)).unwrap_err();
            assert!(error.to_string().contains(part), "{spec}: {error}");
        }
        let spec = "imatch-random:drop=bootstrap,terms=kolcz".parse().unwrap();
        let method = crate::build(&spec, Some(Arc::new(Counted::numbered(5, 8)))).unwrap();
        assert_eq!(method.term_filter(), "kolcz");
    }
}
