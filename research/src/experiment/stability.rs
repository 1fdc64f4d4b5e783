//! Kołcz et al. 2004, figure 1; Kołcz & Chowdhury 2008, figure 2 and Table 4: what n edits leave of
//! K + 1 signatures.

use super::rules::{LEGEND, RULES, Rule, WINDOWS};
use super::{Collections, Experiment, Kind};
use crate::corpus::{Corpus, Text};
use crate::page::{Page, mean};
use crate::row;
use crate::run::approach;
use anyhow::{Context, Result};
use lookalike_core::fingerprint::{finalise, token};
use lookalike_engine::Approach;
use lookalike_lexicon::Lexicon;
use lookalike_methods::imatch::{Copies, Share, expected_copies, stability};
use lookalike_methods::{Document, MethodScratch, Signature};
use lookalike_testing::prng::Prng;
use lookalike_text::{AnalysisSettings, Analyzer, FilterScratch, TermFilter};
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "stability",
    title: "Stability against edits (Kołcz et al. 2004, figure 1; 2008, figure 2 and Table 4)",
    needs: &[Kind::Mail],
    run,
};

/// p: the share of the lexicon that a copy lacks.
const DROP: f64 = 0.33;
const COPIES: [i32; 3] = [2, 5, 10];
const CHANGES: usize = 8;
/// Lexicons drawn, and mails edited under each.
const LEXICONS: u64 = 8;
const TRIALS: usize = 500;
const SEED: u64 = 2004;
/// Edits of the mails that are grouped by their terms of the lexicon.
const FEW_CHANGES: [usize; 4] = [0, 1, 2, 4];
/// Terms of the lexicon in a mail.
const GROUPS: [(&str, Range<usize>); 4] =
    [("0", 0..1), ("1 to 4", 1..5), ("5 to 19", 5..20), ("20 or more", 20..usize::MAX)];

/// n, and the expected number of copies that Table 4 prints for |L| = 10 000.
const TABLE_4: [(i32, f64); 5] =
    [(2, 2.23), (5, 7.41), (10, 54.98), (20, 3037.91), (50, 527_924_300.92)];

fn run(collections: &Collections, page: &mut Page) -> Result<()> {
    let corpus = collections.mail.iter().max_by_key(|corpus| corpus.len());
    let corpus = corpus.context("there is a collection of mail")?;
    let lexicon = Window::of(corpus, "0.2", "0.8")?;
    let mails = mails(&corpus.texts);
    let of_lexicon = lexicon.mails_with(&mails, &(20..usize::MAX));
    page.say(format_args!(
        "Mails of {} with at least 20 terms of the lexicon (nidf 0.2 to 0.8: {} terms) are edited {} times \
         over: n times a random term of the lexicon is put in or a random one of the mail's taken out. A \
         mail is *stable* when one of the K randomized signatures (p = {DROP}) is what it was; the \
         lexicon's own signature always changes. Theory is formula (1), 1 − (1 − pⁿ)^K; each measured value \
         is of {} edited mails, over {LEXICONS} drawings of the copies.",
        corpus.name,
        lexicon.words.len(),
        LEXICONS as usize * TRIALS,
        LEXICONS as usize * TRIALS,
    ));
    let measured = COPIES
        .iter()
        .map(|&copies| {
            let rule = &RULES[0];
            (1..=CHANGES)
                .map(|changes| lexicon.measure(rule, copies, changes, &of_lexicon))
                .collect()
        })
        .collect::<Result<Vec<Vec<f64>>>>()?;
    let rows = (1..=CHANGES).map(|changes| {
        let mut row = row![changes];
        for (copies, measured) in COPIES.iter().zip(&measured) {
            row.push(format!("{:.3}", stability(DROP, changes as i32, *copies)));
            row.push(format!("{:.3}", measured[changes - 1]));
        }
        row
    });
    let header = [
        "n",
        "K = 2, theory",
        "measured",
        "K = 5, theory",
        "measured",
        "K = 10, theory",
        "measured",
    ];
    page.table(&header, rows.collect::<Vec<_>>());
    let worst = measured.iter().zip(COPIES).flat_map(|(measured, copies)| {
        (1..=CHANGES).zip(measured).map(move |(n, m)| (m - stability(DROP, n as i32, copies)).abs())
    });
    page.say(format_args!(
        "The curves are those of figure 1 and the measured values lie on them (largest difference {:.3}).",
        worst.fold(0.0, f64::max)
    ));
    table_4(page, &lexicon.words);
    few_terms(corpus, &mails, page)
}

/// What the rules for unreliable signatures change where few terms of the lexicon are left.
fn few_terms(corpus: &Corpus, mails: &[Vec<u64>], page: &mut Page) -> Result<()> {
    let (low, high, _) = WINDOWS[0];
    let lexicon = Window::of(corpus, low, high)?;
    let copies = COPIES[COPIES.len() - 1];
    page.say(format_args!(
        "The same with the lexicon of nidf {low} to {high} ({} terms), of which most mails have few, K = {copies}, and \
         all mails of at least five unique words, grouped by their terms of the lexicon. {LEGEND} Each value is the \
         share of {} edited mails that keep a signature; without edits, that have one.",
        lexicon.words.len(),
        LEXICONS as usize * TRIALS,
    ));
    let (mut rows, mut measured) =
        (Vec::new(), [[[0.0; RULES.len()]; FEW_CHANGES.len()]; GROUPS.len()]);
    for ((name, terms), measured) in GROUPS.iter().zip(&mut measured) {
        let group = lexicon.mails_with(mails, terms);
        for (changes, measured) in FEW_CHANGES.into_iter().zip(measured) {
            let mut row = row![name, group.len(), changes];
            for (rule, measured) in RULES.iter().zip(measured) {
                *measured = lexicon.measure(rule, copies, changes, &group)?;
                row.push(format!("{measured:.3}"));
            }
            rows.push(row);
        }
    }
    let mut header = vec!["terms of the lexicon", "mails", "n"];
    header.extend(RULES.iter().map(|rule| rule.name));
    page.table(&header, rows);
    page.say(filling(&measured));
    Ok(())
}

/// What the secondary lexicon changes; by group, number of edits and rule.
fn filling(measured: &[[[f64; RULES.len()]; FEW_CHANGES.len()]; GROUPS.len()]) -> String {
    let [none, few, some, many] = measured;
    format!(
        "Without the secondary lexicon, rule B has no signature for mails of fewer than five terms; with it, for {:.0} % of \
         those without a term and {:.0} % of those with one to four. One edit leaves {:.0} % and {:.0} % of them a \
         signature. It also steadies mails that have barely enough: of those with five to nineteen terms {:.0} % keep \
         one under B, since their copies of the lexicon drop below five, and {:.0} % filled. Rule A, filled to a share, \
         takes in terms of mails that have a signature already, and more terms can change: with twenty or more, {:.0} % \
         keep one after two edits and {:.0} % under A.",
        100.0 * none[0][3],
        100.0 * few[0][3],
        100.0 * none[1][3],
        100.0 * few[1][3],
        100.0 * some[1][2],
        100.0 * some[1][3],
        100.0 * many[2][1],
        100.0 * many[2][0],
    )
}

/// Hashes of the distinct terms of each mail that has five (2008, section 6.3).
///
/// Distinct: taking one out takes out all of its occurrences.
fn mails(texts: &[Text]) -> Vec<Vec<u64>> {
    let analyzer = Analyzer::new(&AnalysisSettings::default());
    let filter: TermFilter = "kolcz".parse().unwrap_or(TermFilter::ALL);
    let mut scratch = FilterScratch::default();
    let terms = texts.iter().map(|text| {
        let mut terms = BTreeSet::new();
        filter.terms(&analyzer, &text.text, &mut scratch, |term| {
            terms.insert(token(term));
        });
        terms.into_iter().collect()
    });
    terms.filter(|terms: &Vec<u64>| terms.len() >= 5).collect()
}

/// A lexicon: the terms of a collection in a window of nidf.
struct Window {
    lexicon: Arc<Lexicon>,
    nidf: String,
    /// Hashes of tokens; the terms of the lexicon are the same, finalised.
    words: Vec<u64>,
    known: BTreeSet<u64>,
}

impl Window {
    fn of(corpus: &Corpus, low: &str, high: &str) -> Result<Self> {
        let share =
            |text: &str| text.parse::<Share>().map_err(|()| anyhow::anyhow!("{text} is no share"));
        let lexicon = corpus.lexicon("kolcz")?;
        let window = lexicon.window(share(low)?, share(high)?);
        let words: Vec<u64> = window.map(|term| token(term.name)).collect();
        let known = words.iter().copied().collect();
        Ok(Self { lexicon, nidf: format!("{low}..{high}"), words, known })
    }

    /// The mails with so many terms of the lexicon.
    fn mails_with<'m>(&self, mails: &'m [Vec<u64>], terms: &Range<usize>) -> Vec<&'m [u64]> {
        let count = |mail: &[u64]| mail.iter().filter(|term| self.known.contains(term)).count();
        mails.iter().map(Vec::as_slice).filter(|mail| terms.contains(&count(mail))).collect()
    }

    /// The share of edited mails that keep one of their signatures under a rule.
    fn measure(&self, rule: &Rule, copies: i32, changes: usize, mails: &[&[u64]]) -> Result<f64> {
        anyhow::ensure!(!mails.is_empty(), "no mail has so many terms of the lexicon");
        let Self { lexicon, nidf, words, known } = self;
        let mut random = Prng::new(SEED ^ (changes as u64) << 32 ^ copies as u64);
        let mut stable = 0;
        for seed in 1..=LEXICONS {
            let Rule { parameters, .. } = rule;
            let spec = format!(
                "imatch-random:nidf={nidf},copies={copies},drop={DROP},seed={seed},{parameters}"
            );
            let approach = approach(&spec, Some(lexicon))?;
            for _ in 0..TRIALS {
                let mail = mails[random.below(mails.len())];
                let edited = edit(mail, words, known, changes, &mut random);
                stable += u32::from(meet(&approach, mail, &edited)?);
            }
        }
        Ok(f64::from(stable) / (LEXICONS as f64 * TRIALS as f64))
    }
}

/// Puts in or takes out so many different terms of the lexicon.
fn edit(
    mail: &[u64],
    words: &[u64],
    known: &BTreeSet<u64>,
    changes: usize,
    random: &mut Prng,
) -> Vec<u64> {
    let mut edited: BTreeSet<u64> = mail.iter().copied().collect();
    let own: Vec<u64> = mail.iter().copied().filter(|term| known.contains(term)).collect();
    let mut touched = BTreeSet::new();
    while touched.len() < changes {
        let out = !own.is_empty() && random.below(2) == 0;
        let from = if out { &own[..] } else { words };
        let term = from[random.below(from.len())];
        if touched.contains(&term) || edited.contains(&term) != out {
            continue;
        }
        touched.insert(term);
        if out {
            edited.remove(&term);
        } else {
            edited.insert(term);
        }
    }
    edited.into_iter().collect()
}

/// Whether two documents have a key in common.
fn meet(approach: &Approach, a: &[u64], b: &[u64]) -> Result<bool> {
    let method = approach.method.as_deref().context("nothing to sign with")?;
    let mut scratch = MethodScratch::default();
    let mut keys = |tokens| {
        let mut out = Signature::default();
        let signed =
            method.sign(&Document { tokens, ..Document::default() }, &mut scratch, &mut out);
        if signed.is_ok() { out.keys } else { Vec::new() }
    };
    let (a, b) = (keys(a), keys(b));
    Ok(a.iter().any(|key| b.contains(key)))
}

fn table_4(page: &mut Page, words: &[u64]) {
    const MAILS: usize = 300;
    /// More copies than are drawn for one mail.
    const MOST: u64 = 200_000;
    let rows = TABLE_4.map(|(changes, printed)| {
        // Five edits take 256 copies, ten 65 000: beyond that only the formula is left.
        let measured = (changes <= 5).then(|| {
            let mut random = Prng::new(SEED + changes as u64);
            let mut sum = 0;
            for _ in 0..MAILS {
                let terms: Vec<u64> =
                    (0..changes).map(|_| finalise(words[random.below(words.len())])).collect();
                sum += copies_needed(&terms, random.bits(), MOST);
            }
            sum as f64
        });
        row![
            changes,
            large(printed),
            large((1.0 - DROP).powi(-changes)),
            large(expected_copies(DROP, changes)),
            measured.map_or("–".into(), |sum| mean(sum, MAILS, 2)),
        ]
    });
    page.say("Table 4: copies of the lexicon until one signature survives n edits.");
    let header =
        ["n", "paper, &#124;L&#124; = 10 000", "1/(1 − p)ⁿ", "1/pⁿ", "measured, mean of 300 mails"];
    page.table(&header, rows);
    page.say(
        "Table 4 is 1/(1 − p)ⁿ, the chance that a copy holds all of the edited terms. By the paper's own \
         section 4 a signature is unchanged when its copy *lacks* them, which takes 1/pⁿ copies; so it is \
         measured. Perfect recall is further away than the table says.",
    );
}

/// A number in two decimals, or as a power of ten.
fn large(value: f64) -> String {
    if value < 1e6 { format!("{value:.2}") } else { format!("{value:.2e}") }
}

/// Copies that are drawn until one lacks all of the terms.
fn copies_needed(terms: &[u64], seed: u64, most: u64) -> u64 {
    let mut needed = 0;
    let mut drawing = seed;
    while needed < most {
        let copies = Copies::new(Copies::MOST, DROP, drawing);
        let holding = terms.iter().fold(0, |any, &term| any | copies.holding(term));
        let first = (holding >> 1 | 1 << Copies::MOST).trailing_ones();
        if first < Copies::MOST {
            return needed + u64::from(first) + 1;
        }
        needed += u64::from(Copies::MOST);
        drawing = drawing.wrapping_add(1);
    }
    most
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_are_of_lexicon_terms_and_as_many_as_asked() {
        let words: Vec<u64> = (0..100).collect();
        let known: BTreeSet<u64> = words.iter().copied().collect();
        let mail: Vec<u64> = (80..120).collect();
        for seed in 0..200 {
            let edited = edit(&mail, &words, &known, 8, &mut Prng::new(seed));
            let (a, b): (BTreeSet<u64>, BTreeSet<u64>) =
                (mail.iter().copied().collect(), edited.into_iter().collect());
            let changed: Vec<u64> = (&a ^ &b).into_iter().collect();
            assert_eq!(changed.len(), 8);
            assert!(changed.iter().all(|term| known.contains(term)));
        }
    }

    #[test]
    fn filling_is_told_by_the_table() {
        let mut measured = [[[0.5; RULES.len()]; FEW_CHANGES.len()]; GROUPS.len()];
        (measured[0][0][3], measured[2][1][2], measured[3][2][1]) = (0.82, 0.81, 0.68);
        let text = filling(&measured);
        assert!(text.contains("with it, for 82 % of those without a term and 50 %"), "{text}");
        assert!(text.contains("five to nineteen terms 81 % keep one under B"), "{text}");
        assert!(text.contains("with twenty or more, 68 % keep one after two edits"), "{text}");
    }

    #[test]
    fn the_first_copy_that_lacks_all_terms_is_counted() {
        for seed in 0..50 {
            let terms = [finalise(seed), finalise(seed + 1000)];
            let copies = Copies::new(Copies::MOST, DROP, seed);
            let lacks = |copy: u32| terms.iter().all(|&term| copies.holding(term) >> copy & 1 == 0);
            let first = (1..=Copies::MOST).find(|&copy| lacks(copy));
            if let Some(first) = first {
                assert_eq!(copies_needed(&terms, seed, 1000), u64::from(first));
            }
        }
    }
}
