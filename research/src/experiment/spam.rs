//! Kołcz et al. 2004, Table 1; Kołcz & Chowdhury 2008, Tables 1 to 3: spam found by known spam, and
//! legitimate mail found by mistake.

use super::mails::{DRAWINGS, Mails, Score, conditions, table_of_queries};
use super::rules::{LEGEND, RULES, Rule, WINDOWS, frequency, increase, nidf, window};
use super::{Collections, Experiment, Kind};
use crate::corpus::Corpus;
use crate::page::Page;
use crate::row;
use anyhow::Result;
use lookalike_methods::Statistics;
use std::collections::BTreeSet;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "spam",
    title: "Spam (Kołcz et al. 2004, Table 1; Kołcz & Chowdhury 2008, Tables 1 to 3)",
    needs: &[Kind::Mail, Kind::News],
    run,
};

/// K of each row, and recall, relative increase in percent and utility on Honeypot and Cluster
/// spam.
const PAPER: [(usize, [f64; 3], [f64; 3]); 4] = [
    (0, [0.66, 0.0, 30.17], [0.40, 0.0, 46.34]),
    (2, [0.72, 9.0, 36.32], [0.49, 23.0, 81.25]),
    (5, [0.76, 15.0, 43.34], [0.55, 38.0, 96.24]),
    (10, [0.80, 21.0, 56.93], [0.61, 52.0, 113.38]),
];
/// More legitimate mails are not listed.
const LISTED: usize = 3;

fn run(collections: &Collections, page: &mut Page) -> Result<()> {
    let news = Corpus::joined(&collections.news)?;
    let lexicon = news.lexicon("kolcz")?;
    let all = Mails::of(collections)?;
    page.say(conditions(&news, DRAWINGS));
    page.say(LEGEND);
    page.say(
        "Table 1: mails after removal of trivial duplicates and of those too short. The paper's: \
         legitimate 18 555, Honeypot spam 5 328, Cluster spam 6 389.",
    );
    table_of_queries(&all, DRAWINGS, page);
    page.say(
        "Tables 2 and 3: recall, its increase over K = 0, utility, and the legitimate mails found. The \
         paper's two columns are of its own two collections of spam, with the lexicon of nidf 0.2 to 0.3; \
         it found no legitimate mail in any run.",
    );
    let copies = PAPER.map(|row| row.0);
    let mut outcome = RULES.map(|_| Outcome::default());
    for (low, high, remark) in WINDOWS {
        page.say(format_args!("### nidf {low} to {high}, {remark}"));
        page.say(format_args!("{} terms of the lexicon.", window(&lexicon, low, high)?.len()));
        let mut rows = Vec::new();
        let mut wrong: [BTreeSet<String>; RULES.len()] = Default::default();
        for mails in &all {
            let mut by_rule = Vec::new();
            for ((rule, wrong), outcome) in RULES.iter().zip(&mut wrong).zip(&mut outcome) {
                let nidf = format!("{low}..{high}");
                let scores =
                    mails.measure(&nidf, rule.parameters, &copies, &lexicon, DRAWINGS, wrong)?;
                outcome.add(&scores);
                by_rule.push(scores);
            }
            for (at, (copies, honeypot, cluster)) in PAPER.iter().enumerate() {
                let paper = |[recall, increase, utility]: &[f64; 3]| {
                    format!("{recall:.2} ({increase:+.0} %), {utility:.2}, 0")
                };
                let ours = by_rule.iter().map(|scores| {
                    let (score, first) = (scores[at], scores[0]);
                    let rise = increase(first.recall, score.recall);
                    format!(
                        "{:.2} ({rise}), {:.2}, {}",
                        score.recall, score.utility, score.false_matches
                    )
                });
                let start = row![mails.corpus.name, copies, paper(honeypot), paper(cluster)];
                rows.push(start.into_iter().chain(ours).collect::<Vec<_>>());
            }
        }
        let names = RULES.map(|rule| rule.name);
        let header = ["collection", "K", "Honeypot (paper)", "Cluster (paper)"];
        page.table(&[&header[..], &names[..]].concat(), rows);
        for (rule, wrong) in RULES.iter().zip(&wrong) {
            list(page, rule, wrong);
        }
    }
    page.say(conclusion(&outcome));
    let frequencies = window(&lexicon, WINDOWS[0].0, WINDOWS[0].1)?;
    page.say(wider(news.len(), lexicon.frequency_range(), &frequencies));
    Ok(())
}

/// In how many stories the terms of the window for mail are, there and here, and the window of the
/// terms that are here as rare as there.
///
/// The paper does not say by what it normalises idf. If it is by log N, a term of nidf x is in
/// N^(1 − x) documents.
fn wider(stories: usize, range: (u32, u32), frequencies: &[u32]) -> String {
    let (paper, ours) = (556_000.0f64, stories as f64);
    let there = [0.3, 0.2].map(|nidf: f64| paper.powf(-nidf));
    let here = [
        frequencies.iter().min().copied().unwrap_or(0),
        frequencies.iter().max().copied().unwrap_or(0),
    ];
    let bounds = [0.3, 0.2].map(|nidf| frequency(range, nidf) / ours);
    let same = there.map(|share| nidf(range, share * ours));
    format!(
        "The paper found no legitimate mail, with thresholds that it does not name. The same window is another lexicon \
         there: in its 556 000 stories a term of nidf 0.2 to 0.3 is in {:.1} to {:.1} % of them if it divides idf \
         by log N, as it may; in our {stories}, whose most frequent term is in {}, by the window in {:.1} to {:.1} %, \
         and the {} terms that there are are in {:.1} to {:.1} %. So ours are fewer and commoner words, which \
         legitimate mail has as well. Words as rare as the paper's have nidf {:.2} to {:.2} here.",
        100.0 * there[0],
        100.0 * there[1],
        range.1,
        100.0 * bounds[0],
        100.0 * bounds[1],
        frequencies.len(),
        100.0 * f64::from(here[0]) / ours,
        100.0 * f64::from(here[1]) / ours,
        same[1],
        same[0],
    )
}

/// What one rule did over all collections and lexicons.
#[derive(Debug, Clone, Copy, Default)]
struct Outcome {
    runs: usize,
    /// Sums of recall without copies and with most.
    recall: [f64; 2],
    /// Runs in which the most copies found more than none.
    rose: usize,
    /// Legitimate mails, at each K the distinct ones of each drawing.
    false_matches: usize,
    utility: f64,
}

impl Outcome {
    fn add(&mut self, scores: &[Score]) {
        let (Some(first), Some(last)) = (scores.first(), scores.last()) else { return };
        self.runs += 1;
        self.recall[0] += first.recall;
        self.recall[1] += last.recall;
        self.rose += usize::from(last.recall > first.recall);
        self.false_matches += last.false_matches;
        self.utility += last.utility;
    }
}

/// The legitimate mails that were found under a rule.
fn list(page: &mut Page, rule: &Rule, wrong: &BTreeSet<String>) {
    if wrong.is_empty() {
        return;
    }
    let listed: Vec<&str> = wrong.iter().take(LISTED).map(String::as_str).collect();
    let rest = match wrong.len().saturating_sub(LISTED) {
        0 => String::new(),
        rest => format!("; and {rest} other pairs"),
    };
    let (name, listed) = (rule.name, listed.join("; "));
    page.say(format_args!("Legitimate mail found under {name}, K = 10: {listed}{rest}."));
}

fn conclusion(outcome: &[Outcome]) -> String {
    let parts = RULES.iter().zip(outcome).map(|(rule, outcome)| {
        let runs = outcome.runs.max(1) as f64;
        let legitimate = match outcome.false_matches {
            0 => "no legitimate mail".to_owned(),
            count => format!("{count} legitimate mails"),
        };
        format!(
            "**{}** recall {:.2} without copies and {:.2} with ten (more in {} of {} runs), {legitimate} \
             found with ten, utility {:.2}",
            rule.name,
            outcome.recall[0] / runs,
            outcome.recall[1] / runs,
            outcome.rose,
            outcome.runs,
            outcome.utility / runs,
        )
    });
    format!(
        "Means over all collections and both lexicons: {}. Ours counts the spam that one query finds, and our \
         campaigns are smaller than the paper's, so utilities are. What a drawing does not find is no \
         guarantee: other seeds draw other queries and other copies.",
        parts.collect::<Vec<_>>().join("; ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_follows_from_the_figures() {
        let score = |recall, false_matches| Score { recall, false_matches, ..Score::default() };
        let mut outcome = [Outcome::default(); RULES.len()];
        outcome[0].add(&[score(0.25, 0), score(0.75, 3)]);
        outcome[1].add(&[score(0.5, 0), score(0.5, 0)]);
        let text = conclusion(&outcome);
        assert!(
            text.contains("0.25 without copies and 0.75 with ten (more in 1 of 1 runs), 3 legit")
        );
        assert!(text.contains("(more in 0 of 1 runs), no legitimate mail found"));
        // 556 000^-0.3 is 0.019, 556 000^-0.2 0.071; 8000^0.7 is 539, 8000^0.8 1326.
        let text = wider(10_000, (1, 8000), &[600, 1300]);
        assert!(text.contains("in 1.9 to 7.1 % of them"), "{text}");
        assert!(text.contains("by the window in 5.4 to 13.3 %, and the 2 terms"), "{text}");
        assert!(text.contains("are in 6.0 to 13.0 %"), "{text}");
        // ln(8000 / 711) / ln 8000 and ln(8000 / 189) / ln 8000.
        assert!(text.contains("nidf 0.27 to 0.42 here"), "{text}");
    }
}
