//! Chowdhury et al. 2002, appendix, Table IX: the 52 filters of I-Match, and the baseline.

use super::rules::frequency;
use super::run_time::{matching, signing};
use super::{Collections, Experiment, Kind};
use crate::corpus::Corpus;
use crate::page::{Page, mean};
use crate::row;
use crate::run::{approach, resemblance, search};
use crate::spread::Spread;
use crate::tokens::Tokens;
use anyhow::Result;
use lookalike_methods::Statistics;
use lookalike_methods::imatch::Filter;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "imatch-filters",
    title: "The filters of I-Match (Chowdhury et al. 2002, Table IX)",
    needs: &[Kind::Web],
    run,
};

/// Documents filtered, duplicates, clusters and the largest cluster of 247 491; in the order of
/// [`Filter::table_ix`].
const PAPER: [(u32, u32, u32, u32); 53] = [
    (0, 60, 46, 5),
    (143, 53535, 22019, 782),
    (143, 54398, 22243, 782),
    (143, 55578, 22484, 782),
    (143, 56756, 22710, 782),
    (143, 58235, 22975, 782),
    (143, 60905, 23520, 782),
    (143, 65183, 23926, 782),
    (143, 75169, 24286, 1805),
    (143, 108157, 22957, 4288),
    (143, 52280, 21747, 782),
    (143, 52331, 21753, 782),
    (143, 52389, 21776, 782),
    (143, 52498, 21831, 782),
    (143, 52712, 21928, 782),
    (143, 53196, 22067, 782),
    (143, 54079, 22306, 782),
    (143, 55788, 22801, 782),
    (143, 60053, 24268, 1200),
    (3143, 126710, 31065, 782),
    (226, 60858, 23636, 782),
    (174, 56616, 22914, 782),
    (152, 54864, 22576, 782),
    (150, 54130, 22358, 782),
    (148, 53466, 22012, 782),
    (147, 53107, 21925, 782),
    (146, 52816, 21900, 782),
    (146, 52574, 21829, 782),
    (173, 52391, 21813, 782),
    (621, 52732, 22022, 782),
    (1767, 53372, 22437, 423),
    (3393, 55271, 22994, 238),
    (6813, 58963, 24275, 238),
    (20295, 57403, 24995, 130),
    (43646, 50840, 24132, 30),
    (81593, 35423, 20139, 10),
    (133057, 13242, 11696, 2),
    (143, 57316, 23226, 782),
    (143, 54248, 22293, 782),
    (143, 53201, 22046, 782),
    (143, 52556, 21849, 782),
    (291, 53726, 22087, 782),
    (291, 54743, 22294, 782),
    (584, 55840, 22525, 782),
    (1751, 57865, 22963, 798),
    (2748, 88641, 25354, 676),
    (200, 57349, 22981, 782),
    (157, 54415, 22472, 782),
    (145, 53030, 22173, 782),
    (198, 52703, 21905, 782),
    (732, 53395, 22245, 782),
    (2034, 55295, 22997, 423),
    (5976, 62341, 24360, 238),
];
const PAPER_DOCUMENTS: u32 = 247_491;
/// Distinct terms and tokens of a document that is left, and seconds, in the same order.
const PAPER_SIZES: [(u32, u32, u32); 53] = [
    (471, 2085, 62),
    (471, 2085, 6869),
    (471, 2085, 6086),
    (471, 2085, 5707),
    (471, 2085, 5376),
    (471, 2085, 5287),
    (471, 2085, 3701),
    (471, 2085, 3415),
    (471, 2085, 3259),
    (471, 2085, 3104),
    (471, 2085, 4311),
    (471, 2085, 4100),
    (471, 2085, 3810),
    (471, 2085, 3710),
    (471, 2085, 3568),
    (471, 2085, 5439),
    (471, 2085, 4668),
    (471, 2085, 3317),
    (471, 2085, 3174),
    (476, 2107, 2473),
    (472, 2086, 3012),
    (471, 2085, 3551),
    (471, 2085, 3924),
    (471, 2085, 4081),
    (471, 2085, 4115),
    (471, 2085, 4266),
    (471, 2085, 4383),
    (471, 2085, 4472),
    (471, 2086, 4399),
    (472, 2088, 3773),
    (474, 2097, 3133),
    (475, 2101, 2897),
    (479, 2122, 2645),
    (492, 2171, 2696),
    (519, 2285, 2535),
    (568, 2497, 2430),
    (616, 2724, 2608),
    (471, 2085, 4050),
    (471, 2085, 3576),
    (471, 2085, 3869),
    (471, 2085, 4211),
    (472, 2086, 5267),
    (472, 2086, 4043),
    (472, 2087, 3517),
    (474, 2090, 3250),
    (476, 2106, 2622),
    (472, 2086, 2991),
    (471, 2085, 3577),
    (471, 2085, 4088),
    (472, 2086, 4112),
    (473, 2088, 3419),
    (475, 2099, 2921),
    (479, 2117, 2615),
];

/// The column of seconds, without the baseline.
pub(super) fn paper_seconds() -> Vec<f64> {
    PAPER_SIZES[1..].iter().map(|row| f64::from(row.2)).collect()
}

/// What is measured of one filter.
#[derive(Debug, Clone, Copy)]
struct Measured {
    /// Sums of the distinct terms and of the tokens of the documents that are left, and their number.
    terms: f64,
    tokens: f64,
    left: usize,
    largest: u32,
    signing: f64,
    matching: f64,
}

fn run(collections: &Collections, page: &mut Page) -> Result<()> {
    let web = Corpus::joined(&collections.web)?;
    let lexicon = web.lexicon("nosc+stem")?;
    page.say(format_args!(
        "All filters on {} ({} documents), terms stemmed and without special characters, with the \
         collection's own document frequencies. *Filtered* documents have no term left; *duplicates* are \
         documents beyond the first of their cluster. The paper's numbers are of {PAPER_DOCUMENTS} pages, \
         shown in percent of them.",
        web.name, web.len(),
    ));
    let tokens = Tokens::new(&web, "nosc+stem");
    let (mut rows, mut duplicates_by, mut measured) = (Vec::new(), Vec::new(), Vec::new());
    for (filter, paper) in Filter::table_ix().zip(PAPER) {
        let spec = format!("imatch:filter={filter},terms=nosc+stem");
        let found = search(&web, approach(&spec, Some(&lexicon))?, resemblance("0.8")?, false)?;
        let clusters: Vec<u32> =
            found.cluster_sizes().into_iter().filter(|&size| size > 1).collect();
        let duplicates: u32 = clusters.iter().map(|size| size - 1).sum();
        duplicates_by.push(duplicates);
        let sizes: Vec<(u32, u32)> = found.signed.sizes().collect();
        measured.push(Measured {
            terms: sizes.iter().map(|size| f64::from(size.1)).sum(),
            tokens: sizes.iter().map(|size| f64::from(size.0)).sum(),
            left: sizes.len(),
            largest: clusters.iter().max().copied().unwrap_or(0),
            signing: signing(&tokens, &approach(&spec, Some(&lexicon))?)?,
            matching: matching(&found),
        });
        let share =
            |part: u32| format!("{:.1} %", 100.0 * f64::from(part) / f64::from(PAPER_DOCUMENTS));
        let ours = |part: u64| format!("{:.1} %", 100.0 * part as f64 / web.len() as f64);
        rows.push(row![
            filter,
            share(paper.0),
            ours(found.signed.ignored()),
            share(paper.1),
            ours(u64::from(duplicates)),
            share(paper.2),
            ours(clusters.len() as u64),
        ]);
    }
    let header = [
        "filter",
        "filtered (paper)",
        "filtered",
        "duplicates (paper)",
        "duplicates",
        "clusters (paper)",
        "clusters",
    ];
    page.table(&header, rows);
    page.say(format_args!(
        "The shapes are the paper's: Doc and DocR-O filter next to nothing at any level, IDF-l and IDFR-I \
         more and more; duplicates rise from f1 to f9 of Doc-h and Doc-l and fall from f1 to f9 of IDF-h; \
         IDF-l rises first, as it forgets what all pages have, and falls when more and more documents \
         have no term left. That comes sooner here: a term of normalized idf 0.3 is in one of {:.0} of our \
         documents, but in one of {:.0} of the paper's, if it divides idf by log N. {} The baseline keeps every term, so \
         whatever it unites each Doc filter must unite, too. Ours finds {} duplicates, Doc-l-10 {}. In the \
         paper it finds 60 where Doc-l-f1 finds 52 280: that row must have hashed more than these terms.",
        web.len() as f64 / frequency(lexicon.frequency_range(), 0.3),
        f64::from(PAPER_DOCUMENTS).powf(0.3),
        rank_agreement(&duplicates_by),
        duplicates_by[0],
        duplicates_by[10],
    ));
    sizes(&measured, page);
    times(&measured, page);
    Ok(())
}

/// The columns of sizes.
fn sizes(measured: &[Measured], page: &mut Page) {
    page.say(
        "Sizes: *distinct terms* and *size* in tokens of the average document that is left (before filtering the \
         paper's have 471 and 2085), and the documents of the largest cluster:",
    );
    let papers = PAPER.iter().zip(PAPER_SIZES);
    let rows = Filter::table_ix().zip(papers).zip(measured).map(|((filter, paper), ours)| {
        row![
            filter,
            paper.1.0,
            mean(ours.terms, ours.left, 0),
            paper.1.1,
            mean(ours.tokens, ours.left, 0),
            paper.0.3,
            ours.largest,
        ]
    });
    let header = [
        "filter",
        "distinct terms (paper)",
        "distinct terms",
        "size (paper)",
        "size",
        "largest cluster (paper)",
        "largest cluster",
    ];
    page.table(&header, rows);
    let grown: Vec<String> = ["idf-h-10", "idf-l-90"]
        .into_iter()
        .filter_map(|name| {
            let at = Filter::table_ix().position(|filter| filter.to_string() == name)?;
            let size = |of: &Measured| of.tokens / of.left.max(1) as f64;
            let paper = |at: usize| f64::from(PAPER_SIZES[at].1);
            Some(format!(
                "{name} {:+.0} % ({:+.0} % in the paper)",
                100.0 * (size(&measured[at]) / size(&measured[0]) - 1.0),
                100.0 * (paper(at) / paper(0) - 1.0)
            ))
        })
        .collect();
    page.say(format_args!(
        "Sizes change where a filter leaves documents without a term, which are the short ones: {}.",
        grown.join(", ")
    ));
}

/// The column of times.
fn times(measured: &[Measured], page: &mut Page) {
    let both: Vec<f64> = measured.iter().map(|ours| 1e3 * (ours.signing + ours.matching)).collect();
    let (paper, ours) = (Spread::of(&paper_seconds()), Spread::of(&both[1..]));
    page.say(format_args!(
        "Times: the paper's in seconds for {PAPER_DOCUMENTS} pages, ours in milliseconds (conditions: \"Run time\"); \
         *to the mean* is of the 52 filters. The baseline takes the paper 62 s where the quickest filter takes 2430; like \
         ours it needs no document frequency."
    ));
    let rows = Filter::table_ix().zip(PAPER_SIZES).zip(measured).zip(&both);
    let rows = rows.map(|(((filter, printed), parts), both)| {
        row![
            filter,
            printed.2,
            format!("{:.2} ×", f64::from(printed.2) / paper.mean),
            format!("{:.2}", 1e3 * parts.signing),
            format!("{:.2}", 1e3 * parts.matching),
            format!("{:.2} ×", both / ours.mean),
        ]
    });
    let header =
        ["filter", "s (paper)", "to the mean", "signing, ms", "matching, ms", "to the mean"];
    page.times(&header, rows);
    let [there, here] = [paper.cells(1), ours.cells(2)]
        .map(|[mean, deviation, median]| row![mean, deviation, median]);
    let rows = [("paper, s", there), ("ours, ms", here)]
        .map(|(name, cells)| row![name].into_iter().chain(cells).collect::<Vec<_>>());
    page.times(&["52 filters", "mean", "deviation", "median"], rows);
}

/// How far the order of the filters by duplicates is the paper's: Spearman's rank correlation.
fn rank_agreement(ours: &[u32]) -> String {
    let paper: Vec<u32> = PAPER.iter().map(|row| row.1).collect();
    format!(
        "The rank correlation of the 52 filters by duplicates found, the paper's with ours, is {:.2}.",
        spearman(&paper[1..], &ours[1..])
    )
}

/// Spearman's rank correlation, equal values sharing the mean of their ranks. O(n²).
fn spearman(a: &[u32], b: &[u32]) -> f64 {
    let ranks = |values: &[u32]| -> Vec<f64> {
        let rank = |x: &u32| {
            let below = values.iter().filter(|y| *y < x).count();
            let equal = values.iter().filter(|y| *y == x).count();
            below as f64 + (equal - 1) as f64 / 2.0
        };
        values.iter().map(rank).collect()
    };
    let (a, b) = (ranks(a), ranks(b));
    let middle = (a.len() as f64 - 1.0) / 2.0;
    let product = |x: &[f64], y: &[f64]| -> f64 {
        x.iter().zip(y).map(|(x, y)| (x - middle) * (y - middle)).sum()
    };
    product(&a, &b) / (product(&a, &a) * product(&b, &b)).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_correlate() {
        assert!((spearman(&[1, 2, 3], &[10, 20, 30]) - 1.0).abs() < 1e-12);
        assert!((spearman(&[1, 2, 3], &[3, 2, 1]) + 1.0).abs() < 1e-12);
        // Ranks 0 1 2 3 and 0.5 0.5 2 3: covariance 4.5 of variances 5 and 4.5.
        let tied = 4.5 / (5.0f64 * 4.5).sqrt();
        assert!((spearman(&[1, 2, 3, 4], &[1, 1, 2, 3]) - tied).abs() < 1e-12);
    }
}
