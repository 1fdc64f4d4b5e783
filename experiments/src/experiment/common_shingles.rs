//! Broder et al. 1997, "Common shingles": what it costs to count them, and what it changes to ignore
//! them.

use super::{Collections, Experiment, Kind};
use crate::corpus::Corpus;
use crate::page::{Page, percent};
use crate::row;
use crate::run::{Found, approach, resemblance, search};
use crate::tokens::Tokens;
use anyhow::{Context, Result};
use lookalike_methods::{Document, MethodScratch, Signature};
use std::collections::BTreeMap;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "common-shingles",
    title: "Common shingles (Broder et al. 1997, \"Common shingles\")",
    needs: &[Kind::Web],
    run,
};

const METHOD: &str = "dsc:w=10,m=25,t=0.5";
/// Shingles of more documents are ignored; `None` ignores none. The paper's is 1000, of 30 million.
const LIMITS: [Option<u32>; 7] =
    [None, Some(1000), Some(300), Some(100), Some(30), Some(10), Some(3)];

fn run(collections: &Collections, page: &mut Page) -> Result<()> {
    let web = Corpus::joined(&collections.web)?;
    page.say(format_args!(
        "Broder et al. ignore shingles \"shared by more than 1000 documents\" of their 30 million. Here on {} \
         ({} documents), whose pages share navigation and notices, with lower limits as well; DSC as there \
         (10 words, one shingle in 25, estimated resemblance 0.5, components), limits in distinct documents. \
         *⟨ID, ID⟩* are the pairs that the third phase would write, one for each shingle and pair of distinct \
         documents that share it; *of all* is their share of those without a limit. *Moved* are documents \
         whose cluster is not what it is without a limit.",
        web.name, web.len(),
    ));
    let mut unlimited: Option<Vec<u32>> = None;
    let (mut rows, mut outcome) = (Vec::new(), Vec::new());
    let mut frequencies = Vec::new();
    for limit in LIMITS {
        let mut approach = approach(METHOD, None)?;
        approach.key_limit = limit;
        let found = search(&web, approach, resemblance("0.5")?, false)?;
        if frequencies.is_empty() {
            frequencies = sampled(&web, &found)?;
        }
        let sizes: Vec<u32> = found.cluster_sizes().into_iter().filter(|&size| size > 1).collect();
        let clusters = found.clusters();
        let moved = moved(unlimited.get_or_insert_with(|| clusters.clone()), &clusters);
        let (pairs, all) = (triples(&frequencies, limit), triples(&frequencies, None));
        outcome.push((limit, pairs, moved));
        rows.push(row![
            limit.map_or("none".into(), |limit| limit.to_string()),
            frequencies.iter().filter(|&&n| limit.is_some_and(|limit| n > limit)).count(),
            pairs,
            percent(pairs, all),
            found.matches.verified,
            sizes.len(),
            sizes.iter().sum::<u32>(),
            sizes.iter().max().copied().unwrap_or(0),
            moved,
        ]);
    }
    let header = [
        "limit",
        "shingles ignored",
        "⟨ID, ID⟩",
        "of all",
        "pairs compared",
        "clusters",
        "documents in clusters",
        "largest cluster",
        "moved",
    ];
    page.table(&header, rows);
    page.say(conclusion(&outcome, web.len()));
    Ok(())
}

fn conclusion(outcome: &[(Option<u32>, u64, usize)], documents: usize) -> String {
    let all = outcome.first().map_or(0, |row| row.1);
    let parts = outcome.iter().filter_map(|&(limit, pairs, moved)| {
        let limit = limit?;
        let (written, moved) = (percent(pairs, all), percent(moved as u64, documents as u64));
        Some(format!("{limit} leaves {written} of the pairs and moves {moved} of the documents"))
    });
    format!(
        "What a limit leaves and changes: {}. The paper says that common shingles \"either have no effect on the \
         overall resemblance of the documents or they have the effect of creating a false resemblance\"; here \
         a limit changes nothing only where it ignores nothing. Whole families of our pages belong together by \
         their navigation, and the paper's limit is 1 in 30 000 of its documents: one below the size of the \
         largest true clusters takes what copies share.",
        parts.collect::<Vec<_>>().join(", ")
    )
}

/// The number of distinct documents of each sampled shingle.
fn sampled(corpus: &Corpus, found: &Found) -> Result<Vec<u32>> {
    let method = found.signed.approach().method.as_deref().context("nothing to sign with")?;
    let tokens = Tokens::new(corpus, "");
    let documents: Vec<&[u64]> = tokens.documents().collect();
    let (mut scratch, mut out) = (MethodScratch::default(), Signature::default());
    let mut counts: BTreeMap<u64, u32> = BTreeMap::new();
    for unit in found.units.ids() {
        let first = found.units.members(unit)[0];
        out.clear();
        let document = Document { tokens: documents[first.0 as usize], ..Document::default() };
        if method.sign(&document, &mut scratch, &mut out).is_ok() {
            out.keys.iter().for_each(|&key| *counts.entry(key).or_default() += 1);
        }
    }
    Ok(counts.into_values().collect())
}

/// Pairs of documents for each shingle that at most `limit` documents have.
fn triples(frequencies: &[u32], limit: Option<u32>) -> u64 {
    let counted = frequencies.iter().filter(|&&n| limit.is_none_or(|limit| n <= limit));
    counted.map(|&n| u64::from(n) * u64::from(n.saturating_sub(1)) / 2).sum()
}

/// Documents whose cluster has other members.
fn moved(before: &[u32], after: &[u32]) -> usize {
    let groups = |clusters: &[u32]| {
        let mut groups: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for (document, &cluster) in (0u32..).zip(clusters) {
            groups.entry(cluster).or_default().push(document);
        }
        groups
    };
    let (old, new) = (groups(before), groups(after));
    (0..before.len()).filter(|&at| old.get(&before[at]) != new.get(&after[at])).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_quadratic_and_limits_inclusive() {
        assert_eq!(triples(&[1, 2, 5], None), 11);
        assert_eq!(triples(&[1, 2, 5], Some(5)), 11);
        assert_eq!(triples(&[1, 2, 5], Some(4)), 1);
    }

    #[test]
    fn documents_move_with_those_that_leave_them() {
        let clusters = [0, 0, 2, 0, 2];
        assert_eq!(moved(&clusters, &[1, 1, 4, 1, 4]), 0);
        // The fourth leaves: so the first two have another cluster as well.
        assert_eq!(moved(&clusters, &[0, 0, 2, 3, 2]), 3);
    }
}
