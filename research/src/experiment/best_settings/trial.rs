//! A setting on a half: what it finds, what it keeps, what it costs.

use super::super::quality::judge;
use super::grid::Setting;
use super::halves::Half;
use crate::corpus::Corpus;
use crate::run::{Neighbours, search};
use anyhow::Result;
use std::time::Instant;

/// Runs are repeated until they took so much CPU time: the clock ticks a hundred times a second.
const MEASURED_SECONDS: f64 = 0.4;
/// Settings that find as much as the best, but for this share of the pairs, are as good.
const AS_GOOD: f64 = 0.005;

/// How the candidates of a method are verified.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rule {
    /// By the method itself: keys or sketches, and no texts or sets are needed.
    Own,
    /// On complete sets, by the resemblance.
    Exact,
}

/// What a setting found on a half.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Trial {
    pub(super) setting: Setting,
    /// Share of a document's true partners that are found; mean over the documents that have any.
    pub(super) recall: f64,
    /// Share of the partners found that are true; mean over the documents that have any.
    pub(super) precision: f64,
    /// The recall of labelled pairs.
    pub(super) labelled: Option<f64>,
    /// Bytes of the signature of a document, or of its set if no method is used.
    pub(super) bytes: f64,
    /// Candidate pairs that were verified.
    pub(super) compared: u64,
}

impl Trial {
    /// Runs a setting.
    pub(super) fn run(
        setting: Setting,
        rule: Rule,
        half: &Half,
        truth: &Neighbours,
        news: &Corpus,
    ) -> Result<Self> {
        let lexicon = setting.lexicon(&half.corpus, news)?;
        let (approach, settings) = setting.built(lexicon.as_ref(), rule == Rule::Exact)?;
        let found = search(&half.corpus, approach, settings, true)?;
        let partners = found.neighbours();
        let with = |of: &Neighbours| {
            let all = 0..half.corpus.len() as u32;
            all.filter(|&document| !of.of(document).is_empty()).collect::<Vec<u32>>()
        };
        let recall = |truth: &Neighbours| judge(&with(truth), truth, &partners).recall;
        Ok(Self {
            setting,
            recall: recall(truth),
            precision: judge(&with(&partners), &half.right, &partners).precision,
            labelled: half.labelled.as_ref().map(recall),
            bytes: match setting.method {
                "exact" => found.set_bytes(),
                _ => found.signature_bytes(),
            },
            compared: found.matches.verified,
        })
    }

    /// The harmonic mean of recall and precision.
    fn f1(&self) -> f64 {
        let sum = self.recall + self.precision;
        if sum > 0.0 { 2.0 * self.recall * self.precision / sum } else { 0.0 }
    }
}

/// The best of the trials of a method.
///
/// By its own rule: the highest F1, and of equals the fewest bytes. On complete sets nothing wrong
/// is found, so that it is the highest recall, and of those that find as much the fewest pairs
/// compared.
pub(super) fn best(trials: &[Trial], rule: Rule) -> Option<Setting> {
    let highest = trials.iter().map(|trial| trial.recall).fold(0.0, f64::max);
    let better = |a: &&Trial, b: &&Trial| match rule {
        Rule::Own => b.f1().total_cmp(&a.f1()).then(a.bytes.total_cmp(&b.bytes)),
        Rule::Exact => {
            let less = |trial: &Trial| trial.recall < highest - AS_GOOD;
            less(a).cmp(&less(b)).then(a.compared.cmp(&b.compared))
        }
    };
    trials.iter().min_by(better).map(|trial| trial.setting)
}

/// Microseconds of CPU for a document, from the file of texts to the clusters; with the counting
/// of document frequencies, if they are the documents' own.
pub(super) fn microseconds(
    setting: Setting,
    rule: Rule,
    half: &Half,
    news: &Corpus,
) -> Result<f64> {
    let started = clock();
    let mut runs = 0.0;
    while clock() - started < MEASURED_SECONDS {
        let lexicon = match setting.needs_lexicon() && !setting.of_news {
            true => Some(half.corpus.count(setting.terms())?),
            false => setting.lexicon(&half.corpus, news)?,
        };
        let (approach, settings) = setting.built(lexicon.as_ref(), rule == Rule::Exact)?;
        search(&half.corpus, approach, settings, false)?;
        runs += 1.0;
    }
    Ok((clock() - started) * 1e6 / runs / half.corpus.len() as f64)
}

/// Seconds of CPU of all threads so far, where the system has `/proc`; else seconds.
fn clock() -> f64 {
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    let Ok(stat) = std::fs::read_to_string("/proc/self/stat") else {
        return START.get_or_init(Instant::now).elapsed().as_secs_f64();
    };
    let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
    // Ticks in user and in system mode, of a hundredth of a second.
    fields.skip(11).take(2).filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / 100.0
}

#[cfg(test)]
mod tests {
    use super::super::grid::settings;
    use super::*;
    use crate::corpus::tests::corpus;

    fn trial(setting: Setting, recall: f64, precision: f64, bytes: f64, compared: u64) -> Trial {
        Trial { setting, recall, precision, labelled: None, bytes, compared }
    }

    #[test]
    fn the_best_is_chosen() {
        let tried = settings("minhash-lsh");
        let trials = [
            trial(tried[0], 0.9, 0.9, 8.0, 5),
            trial(tried[1], 1.0, 0.8, 8.0, 500),
            trial(tried[2], 0.9, 0.9, 4.0, 9),
            trial(tried[3], 0.996, 0.5, 1.0, 50),
        ];
        assert_eq!(best(&trials, Rule::Own), Some(tried[2]), "fewer bytes");
        assert_eq!(best(&trials, Rule::Exact), Some(tried[3]), "as good with fewer candidates");
        assert_eq!(best(&trials[..3], Rule::Exact), Some(tried[1]));
        assert_eq!(best(&[], Rule::Own), None);
    }

    #[test]
    fn a_trial_counts_by_document() {
        let text = |letter: char| -> String {
            let words: Vec<String> = (0..20).map(|at| format!("{letter}{at}")).collect();
            words.join(" ")
        };
        // Two alike, but for one word in front; and one of the same words in another order.
        let (a, b) = (text('a'), format!("b {}", text('a')));
        let c = text('a').split(' ').rev().collect::<Vec<_>>().join(" ");
        let half = Half::new(corpus(&[&a, &b, &c, &text('d')])).unwrap();
        let run = |method: &'static str, at: usize, rule| {
            Trial::run(settings(method)[at], rule, &half, &half.near, &half.corpus).unwrap()
        };
        let exact = run("exact", 0, Rule::Own);
        assert_eq!((exact.recall, exact.precision, exact.bytes), (1.0, 1.0, 8.0 * 65.0 / 4.0));
        // The same distinct terms, and so the wrong ones of three.
        let terms = run("syntactic", 0, Rule::Own);
        assert_eq!((terms.recall, terms.precision, terms.bytes), (0.0, 0.0, 24.0));
        assert_eq!(run("syntactic", 0, Rule::Exact).precision, 0.0, "nothing is found");
        assert!(microseconds(settings("exact")[0], Rule::Own, &half, &half.corpus).unwrap() > 0.0);
    }
}
