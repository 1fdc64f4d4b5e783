//! Chowdhury et al. 2002, appendix, Table XI, and section 4.3: the duplicate sets of DSC-SS.

use super::{Collections, Experiment, Kind};
use crate::corpus::Corpus;
use crate::page::{Page, mean};
use crate::row;
use crate::run::{approach, resemblance, search};
use crate::tokens::Tokens;
use anyhow::{Context, Result};
use lookalike_engine::Approach;
use lookalike_methods::{Document, MethodScratch, Signature};
use std::collections::{BTreeMap, BTreeSet};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "super-shingle-sets",
    title: "Duplicate sets of super shingles (Chowdhury et al. 2002, Table XI, section 4.3)",
    needs: &[Kind::Web],
    run,
};

/// Super-shingle size; documents filtered, distinct terms (headed "Dist Shingles") and size in tokens
/// of the rest, clusters, and seconds, of 247 491 pages.
const PAPER: [(u32, u32, u32, u32, u32, u32); 10] = [
    (2, 7605, 484, 2140, 41001, 23465),
    (4, 17882, 503, 2225, 35638, 23441),
    (5, 23334, 513, 2272, 33771, 26064),
    (10, 55289, 578, 2575, 27224, 24984),
    (15, 87365, 659, 2963, 22667, 23609),
    (20, 113_780, 746, 3389, 19183, 24318),
    (25, 134_691, 833, 3833, 16249, 23669),
    (50, 190_148, 1255, 6109, 7546, 25366),
    (75, 211_005, 1626, 8123, 4948, 24147),
    (100, 221_150, 1926, 9860, 3673, 26084),
];
const PAPER_DOCUMENTS: f64 = 247_491.0;

/// The column of seconds.
pub(super) fn paper_seconds() -> Vec<f64> {
    PAPER.iter().map(|row| f64::from(row.5)).collect()
}

/// A document's keys; none if it is too short.
type Keys = Vec<u64>;

/// The sets of documents that share a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Sets {
    /// Keys of two documents or more: the sets that DSC-SS returns.
    keys: usize,
    /// Those sets, equal ones once.
    distinct: usize,
    /// Documents in a set.
    documents: usize,
    /// Documents in more than one of the distinct sets.
    scattered: usize,
}

impl Sets {
    fn of(keys: &[Keys]) -> Self {
        let mut holders: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
        for (document, keys) in keys.iter().enumerate() {
            for &key in keys {
                holders.entry(key).or_default().push(document);
            }
        }
        holders.retain(|_, documents| documents.len() > 1);
        let distinct: BTreeSet<&Vec<usize>> = holders.values().collect();
        let mut sets_of = vec![0; keys.len()];
        for &document in distinct.iter().copied().flatten() {
            sets_of[document] += 1;
        }
        Self {
            keys: holders.len(),
            distinct: distinct.len(),
            documents: sets_of.iter().filter(|&&sets| sets > 0).count(),
            scattered: sets_of.iter().filter(|&&sets| sets > 1).count(),
        }
    }
}

fn run(collections: &Collections, page: &mut Page) -> Result<()> {
    let web = Corpus::joined(&collections.web)?;
    let tokens = Tokens::new(&web, "");
    let sizes: Vec<(usize, usize)> = tokens
        .documents()
        .map(|tokens| (tokens.len(), tokens.iter().collect::<BTreeSet<_>>().len()))
        .collect();
    page.say(format_args!(
        "DSC-SS on {} ({} documents, {} distinct terms on the average): shingles of ten words, one in 25 \
         sampled, n sampled shingles to a super shingle. DSC-SS returns a *set* for each super shingle that \
         two documents or more have, so a document is in several; equal sets are counted once in *distinct \
         sets*, and *in several* is the share of the documents in a set that are in more than one distinct \
         set. *Components* unite what is connected. Clusters and sets in percent of the documents; the \
         paper's collection has {PAPER_DOCUMENTS} pages. Its column \"Post Dist Shingles\" is shown as distinct terms: before \
         filtering it has 470, where Table IX has 471 distinct terms a page, and a page of 2079 words has \
         about as many shingles. The mean of its times is DSC-SS in Table VIII; ours are in \"Run time\".",
        web.name,
        web.len(),
        mean(sizes.iter().map(|size| size.1 as f64).sum(), sizes.len(), 0),
    ));
    let (mut rows, mut shares) = (Vec::new(), Vec::new());
    let ours = |part: usize| 100.0 * part as f64 / web.len() as f64;
    for (n, filtered, terms, size, clusters, seconds) in PAPER {
        let spec = format!("dsc-ss:w=10,m=25,n={n}");
        let keys = sign(&tokens, &approach(&spec, None)?)?;
        let left: Vec<_> =
            sizes.iter().zip(&keys).filter(|(_, keys)| !keys.is_empty()).map(|(s, _)| s).collect();
        let average = |of: fn(&(usize, usize)) -> usize| {
            mean(left.iter().map(|size| of(size) as f64).sum(), left.len(), 0)
        };
        let sets = Sets::of(&keys);
        let found = search(&web, approach(&spec, None)?, resemblance("0.8")?, false)?;
        let components = found.cluster_sizes().into_iter().filter(|&size| size > 1).count();
        let paper = |part: u32| format!("{:.1} %", 100.0 * f64::from(part) / PAPER_DOCUMENTS);
        shares.push((f64::from(clusters) / PAPER_DOCUMENTS, sets));
        rows.push(row![
            n,
            paper(filtered),
            format!("{:.1} %", ours(web.len() - left.len())),
            terms,
            average(|size| size.1),
            size,
            average(|size| size.0),
            paper(clusters),
            format!("{:.1} %", ours(sets.keys)),
            format!("{:.1} %", ours(sets.distinct)),
            format!("{:.1} %", ours(components)),
            format!("{:.1} %", 100.0 * sets.scattered as f64 / sets.documents.max(1) as f64),
            seconds,
        ]);
    }
    let header = [
        "n",
        "filtered (paper)",
        "filtered",
        "distinct terms left (paper)",
        "distinct terms left",
        "size left (paper)",
        "size left",
        "clusters (paper)",
        "sets",
        "distinct sets",
        "components",
        "in several",
        "time, s (paper)",
    ];
    page.table(&header, rows);
    page.say(conclusion(&shares));
    Ok(())
}

fn conclusion(rows: &[(f64, Sets)]) -> String {
    let falls = rows.windows(2).filter(|pair| pair[1].1.distinct <= pair[0].1.distinct).count();
    let scattered: Vec<f64> = rows
        .iter()
        .map(|(_, sets)| 100.0 * sets.scattered as f64 / sets.documents.max(1) as f64)
        .collect();
    let most = scattered.iter().copied().fold(0.0, f64::max);
    format!(
        "Filtered documents, and the terms and size of the rest, grow with n as in the paper. The number of \
         distinct sets falls in {falls} of the {} steps from one n to the next; the paper's clusters fall in all. \
         The paper's complaint holds: up to {most:.0} % of the documents in a set are in several sets, while \
         I-Match puts a document in one cluster at most. The paper does not say whether its clusters are sets or \
         components; it found more of them with DSC-SS-2 (41 001) than with any filter of I-Match (31 065 at \
         most), as sets would be.",
        rows.len() - 1,
    )
}

/// The keys of each document.
fn sign(tokens: &Tokens, approach: &Approach) -> Result<Vec<Keys>> {
    let method = approach.method.as_deref().context("nothing to sign with")?;
    let (mut scratch, mut out) = (MethodScratch::default(), Signature::default());
    let keys = |tokens: &[u64]| {
        out.clear();
        let document = Document { tokens, ..Document::default() };
        let signed = method.sign(&document, &mut scratch, &mut out).is_ok();
        if signed { out.keys.clone() } else { Vec::new() }
    };
    Ok(tokens.documents().map(keys).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The paper's example in section 4.3: D1 has A, D2 A and B, D3 and D4 have B.
    #[test]
    fn a_document_with_two_super_shingles_is_in_two_sets() {
        let sets = Sets::of(&[vec![1], vec![1, 2], vec![2], vec![2], vec![3], vec![]]);
        assert_eq!(sets, Sets { keys: 2, distinct: 2, documents: 4, scattered: 1 });
        // Two documents that share both of their super shingles are one distinct set.
        let sets = Sets::of(&[vec![1, 2], vec![2, 1]]);
        assert_eq!(sets, Sets { keys: 2, distinct: 1, documents: 2, scattered: 0 });
    }
}
