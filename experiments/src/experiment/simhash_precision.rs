//! Seshasai 2009, Tables 6.1 and 6.2: precision and cluster size of simhash variants at d = 0 … 3.

use super::{Collections, Experiment, Kind};
use crate::corpus::Corpus;
use crate::page::{Page, mean};
use crate::row;
use crate::run::{Neighbours, approach, cosine, resemblance, search};
use anyhow::Result;
use lookalike_engine::Approach;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "simhash-precision",
    title: "Variants of simhash (Seshasai 2009, Tables 6.1 and 6.2)",
    needs: &[Kind::News],
    run,
};

/// A variant's name, ours, precision and cluster size at d = 0 … 3.
type Row = (&'static str, &'static str, [f64; 4], [f64; 4]);

const PAPER: [Row; 8] = [
    ("Original simhash", "original", [0.82, 0.71, 0.50, 0.37], [3.49, 6.06, 7.15, 7.73]),
    ("Extra metadata", "metadata", [0.89, 0.75, 0.66, 0.59], [4.07, 4.09, 4.16, 4.34]),
    ("Stripping numbers/dates", "strip", [0.61, 0.39, 0.29, 0.18], [11.25, 14.70, 16.19, 18.24]),
    ("Low threshold", "low", [0.84, 0.69, 0.50, 0.38], [3.49, 6.06, 7.15, 7.73]),
    ("High threshold", "high", [0.59, 0.50, 0.36, 0.27], [4.34, 7.03, 8.25, 9.30]),
    ("Doc position scaling", "position", [0.36, 0.24, 0.22, 0.10], [44.18, 51.99, 55.74, 58.70]),
    ("Arbitrary function", "function", [0.46, 0.34, 0.26, 0.09], [39.98, 48.13, 56.58, 61.32]),
    ("Tagged text", "tagged", [0.83, 0.37, 0.52, 0.35], [3.49, 6.06, 7.15, 7.73]),
];

/// What a variant finds within d bits, d = 0 … 3.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Counts {
    pub(super) pairs: [u64; 4],
    pub(super) true_pairs: [u64; 4],
    /// Documents in any pair.
    pub(super) documents: [u64; 4],
}

/// The pairs that are right.
pub(super) struct Truth {
    by_shingles: Neighbours,
    by_terms: Neighbours,
}

impl Truth {
    /// By the exact join.
    pub(super) fn of(news: &Corpus) -> Result<Self> {
        let by_shingles =
            search(news, Approach::default(), resemblance("0.8")?, true)?.neighbours();
        let by_terms = search(news, Approach::default(), cosine("0.9")?, true)?.neighbours();
        Ok(Self { by_shingles, by_terms })
    }

    fn has(&self, a: u32, b: u32) -> bool {
        self.by_shingles.has(a, b) || self.by_terms.has(a, b)
    }
}

/// What a simhash with these parameters, and the term filter of its tokens, finds.
pub(super) fn counted(
    news: &Corpus,
    parameters: &str,
    filter: &str,
    truth: &Truth,
) -> Result<Counts> {
    let lexicon = news.lexicon(filter)?;
    let method = approach(&format!("simhash:d=3,{parameters}"), Some(&lexicon))?;
    let found = search(news, method, resemblance("0.8")?, true)?;
    let mut counts = Counts::default();
    let mut nearest = vec![u32::MAX; news.len()];
    found.each_pair(|a, b, edge| {
        let distance = found.distance(edge);
        let right = truth.has(a, b);
        for d in distance as usize..4 {
            counts.pairs[d] += 1;
            counts.true_pairs[d] += u64::from(right);
        }
        for document in [a, b] {
            let nearest = &mut nearest[document as usize];
            *nearest = distance.min(*nearest);
        }
    });
    for d in 0..4 {
        counts.documents[d] = nearest.iter().filter(|&&n| n <= d as u32).count() as u64;
    }
    Ok(counts)
}

/// The share of pairs that are right.
pub(super) fn precision(counts: &Counts, d: usize) -> f64 {
    counts.true_pairs[d] as f64 / counts.pairs[d].max(1) as f64
}

/// The sum of the sizes of all clusters.
pub(super) fn size(counts: &Counts, d: usize) -> f64 {
    2.0 * counts.pairs[d] as f64 + counts.documents[d] as f64
}

fn run(collections: &Collections, page: &mut Page) -> Result<()> {
    let news = Corpus::joined(&collections.news)?;
    let truth = Truth::of(&news)?;
    page.say(format_args!(
        "{} ({} documents). A pair within *d* bits is right when its resemblance (five words to a shingle) \
         is 0.8 or more or its cosine 0.9 or more, by the exact join; the thesis had a person judge 200 \
         pairs in each case, we judge all. The size of a cluster is that of the paper's: the documents \
         within *d* bits of one document, itself included, over the documents that have any. Metadata are \
         title and date.",
        news.name, news.len(),
    ));
    let mut all = Vec::new();
    for (_, variant, ..) in PAPER {
        let filter = if variant == "strip" { "no-numbers+no-dates" } else { "" };
        all.push(counted(&news, &format!("variant={variant}"), filter, &truth)?);
    }
    let header = [
        "method",
        "d = 0 (paper)",
        "d = 0",
        "d ≤ 1 (paper)",
        "d ≤ 1",
        "d ≤ 2 (paper)",
        "d ≤ 2",
        "d ≤ 3 (paper)",
        "d ≤ 3",
    ];
    page.say("Precision:");
    let rows = PAPER.iter().zip(&all).map(|((name, _, paper, _), counts)| {
        let cells = (0..4)
            .flat_map(|d| [format!("{:.2}", paper[d]), format!("{:.3}", precision(counts, d))]);
        row![name].into_iter().chain(cells).collect::<Vec<_>>()
    });
    page.table(&header, rows);
    page.say("Average cluster size:");
    let rows = PAPER.iter().zip(&all).map(|((name, _, _, paper), counts)| {
        let cells = (0..4).flat_map(|d| {
            let ours = mean(size(counts, d), counts.documents[d] as usize, 2);
            [format!("{:.2}", paper[d]), ours]
        });
        row![name].into_iter().chain(cells).collect::<Vec<_>>()
    });
    page.table(&header, rows);
    page.say("Pairs found:");
    let rows = PAPER.iter().zip(&all).map(|((name, ..), counts)| {
        row![name, counts.pairs[0], counts.pairs[1], counts.pairs[2], counts.pairs[3]]
    });
    page.table(&["method", "d = 0", "d ≤ 1", "d ≤ 2", "d ≤ 3"], rows.collect::<Vec<_>>());
    let falls = |c: &&Counts| (1..4).all(|d| precision(c, d) <= precision(c, d - 1));
    let falling = all.iter().filter(falls).count();
    let raised = (0..4).filter(|&d| precision(&all[1], d) > precision(&all[0], d)).count();
    page.say(format_args!(
        "Precision falls with d, as in Table 6.1, in {falling} of the 8 variants (the high \
         threshold's is the same at all of them), and metadata raise it at {raised} of the 4 \
         distances, leaving nothing to raise at the others. They do so at the price of most \
         pairs: the dates of Reuters stories say the hundredth of a second. Stripping, the high \
         threshold and the arbitrary function are worse than the original, as in the thesis; the \
         low threshold and tagged text change next to nothing (our stories have no tags). Our \
         levels are higher. Unrelated documents within three bits occur by chance, and the thesis \
         had three thousand times as many pairs of documents; its judge may also have been \
         stricter than a count of common words. The high threshold is worse here, presumably \
         because it leaves one or two terms of a short Reuters story. Why position scaling did so \
         badly in the thesis we cannot say: its function is ours, its texts are not.",
    ));
    Ok(())
}
