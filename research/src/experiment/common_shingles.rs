//! Broder et al. 1997, "Common shingles": what it costs to count them, and what it changes to ignore
//! them.

use super::{Collections, Experiment, Kind};
use crate::corpus::Corpus;
use crate::page::{Page, percent};
use crate::row;
use crate::run::{Found, approach, common_shingles, resemblance, search};
use crate::tokens::Tokens;
use anyhow::{Context, Result};
use lookalike_core::CommonElements;
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

/// Pairs that are linked, among documents that people named (versions of a page have one name).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Linked {
    same: u64,
    different: u64,
}

/// What a limit did.
#[derive(Debug, Clone, Copy, Default)]
struct Outcome {
    limit: Option<u32>,
    written: u64,
    moved: usize,
    linked: Linked,
}

fn run(collections: &Collections, page: &mut Page) -> Result<()> {
    let web = Corpus::joined(&collections.web)?;
    let named = web.texts.iter().filter(|text| text.cluster.is_some()).count();
    page.say(format_args!(
        "Broder et al. ignore shingles \"shared by more than 1000 documents\" of their 30 million. Here on {} \
         ({} documents), whose pages share navigation and notices, with lower limits as well; DSC as there \
         (10 words, one shingle in 25, estimated resemblance 0.5, components), limits in distinct documents. \
         A common shingle is removed from every sketch before sketches are compared (`--ignore-common`), so that \
         it counts neither as shared nor as different. *⟨ID, ID⟩* are the pairs that the third phase would write, \
         one for each sampled shingle and pair of distinct documents that share it; *of all* is their share of \
         those without a limit. *Moved* are documents whose cluster is not what it is without a limit; *none \
         left* those that lose their last sampled shingle. *Same page* and *other page* are the linked pairs among \
         the {named} documents that people named (versions of one page of seaborn's documentation have one \
         name): what a false resemblance can be told by.",
        web.name, web.len(),
    ));
    let plain = approach(METHOD, None)?;
    let mut unlimited: Option<Vec<u32>> = None;
    let (mut rows, mut outcomes, mut too_short) = (Vec::new(), Vec::new(), 0);
    let mut frequencies = BTreeMap::new();
    for limit in LIMITS {
        let mut approach = plain.clone();
        let common = limit.map(|most| common_shingles(&web, &plain, most)).transpose()?;
        approach.common = common.clone();
        let found = search(&web, approach, resemblance("0.5")?, true)?;
        if limit.is_none() {
            frequencies = sampled(&web, &found)?;
            too_short = found.signed.ignored();
        }
        let sizes: Vec<u32> = found.cluster_sizes().into_iter().filter(|&size| size > 1).collect();
        let clusters = found.clusters();
        let moved = moved(unlimited.get_or_insert_with(|| clusters.clone()), &clusters);
        let (written, all) =
            (triples(&frequencies, common.as_deref()), triples(&frequencies, None));
        let linked = linked(&web, &found);
        outcomes.push(Outcome { limit, written, moved, linked });
        let ignored = |key: &&u64| common.as_ref().is_some_and(|common| common.contains(**key));
        rows.push(row![
            limit.map_or("none".into(), |limit| limit.to_string()),
            frequencies.keys().filter(ignored).count(),
            written,
            percent(written, all),
            found.matches.verified,
            sizes.len(),
            sizes.iter().sum::<u32>(),
            sizes.iter().max().copied().unwrap_or(0),
            moved,
            found.signed.ignored() - too_short,
            linked.same,
            linked.different,
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
        "none left",
        "same page",
        "other page",
    ];
    page.table(&header, rows);
    let mut versions: BTreeMap<u64, usize> = BTreeMap::new();
    for name in web.texts.iter().filter_map(|text| text.cluster) {
        *versions.entry(name).or_default() += 1;
    }
    let versions = versions.into_values().max().unwrap_or(0);
    page.say(conclusion(&outcomes, web.len(), versions));
    Ok(())
}

fn conclusion(outcomes: &[Outcome], documents: usize, versions: usize) -> String {
    let first = outcomes.first().copied().unwrap_or_default();
    let limited = || outcomes.iter().filter_map(|outcome| Some((outcome.limit?, outcome)));
    let parts = limited().map(|(limit, outcome)| {
        format!(
            "{limit} leaves {} of the pairs, moves {} of the documents, and has {} of the links of the same page and \
             {} of those of other pages",
            percent(outcome.written, first.written),
            percent(outcome.moved as u64, documents as u64),
            percent(outcome.linked.same, first.linked.same),
            percent(outcome.linked.different, first.linked.different),
        )
    });
    let list = |wanted: &dyn Fn(&Outcome) -> bool| {
        let limits: Vec<String> = limited()
            .filter(|(_, outcome)| wanted(outcome))
            .map(|(limit, _)| limit.to_string())
            .collect();
        if limits.is_empty() { "none".to_owned() } else { limits.join(", ") }
    };
    let idle = list(&|outcome| outcome.written == first.written && outcome.moved == 0);
    let fewer = |outcome: &Outcome| outcome.linked.different < first.linked.different;
    let keeps = |outcome: &Outcome| outcome.linked.same >= first.linked.same;
    let helps = list(&|outcome| fewer(outcome) && keeps(outcome));
    let costs = list(&|outcome| !keeps(outcome));
    format!(
        "What a limit leaves and changes, beside no limit: {}. The paper says that common shingles \"either have no \
         effect on the overall resemblance of the documents or they have the effect of creating a false resemblance \
         between two basically dissimilar documents\". Limits that ignore nothing and change nothing: {idle}. Limits \
         with which fewer other pages are linked and no fewer of the same page, as the sentence has it: {helps}; \
         sketches without the navigation of their site estimate the resemblance of what is the page's own. Limits \
         with which fewer of the same page are linked as well: {costs}; a page has up to {versions} versions here, and \
         what more of them share than the limit is common. The paper's limit is 1 in 30 000 of its documents.",
        parts.collect::<Vec<_>>().join("; "),
    )
}

/// The linked pairs of documents with a name.
fn linked(web: &Corpus, found: &Found) -> Linked {
    let mut linked = Linked::default();
    found.each_pair(|a, b, _| {
        let names = [a, b].map(|document| web.texts[document as usize].cluster);
        if let [Some(a), Some(b)] = names {
            linked.same += u64::from(a == b);
            linked.different += u64::from(a != b);
        }
    });
    linked
}

/// The number of distinct documents of each sampled shingle.
fn sampled(corpus: &Corpus, found: &Found) -> Result<BTreeMap<u64, u32>> {
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
    Ok(counts)
}

/// Pairs of documents for each shingle that is not common.
fn triples(frequencies: &BTreeMap<u64, u32>, common: Option<&CommonElements>) -> u64 {
    let kept = |key: u64| common.is_none_or(|common| !common.contains(key));
    let counted = frequencies.iter().filter(|&(&key, _)| kept(key));
    counted.map(|(_, &n)| u64::from(n) * u64::from(n.saturating_sub(1)) / 2).sum()
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
    fn pairs_are_quadratic_and_common_shingles_write_none() {
        let frequencies = BTreeMap::from([(7, 1), (8, 2), (9, 5)]);
        assert_eq!(triples(&frequencies, None), 11);
        assert_eq!(triples(&frequencies, Some(&CommonElements::new(vec![9]))), 1);
        assert_eq!(triples(&frequencies, Some(&CommonElements::new(vec![8, 9]))), 0);
    }

    #[test]
    fn what_is_said_follows_from_the_links() {
        let outcome = |limit, written, moved, same, different| Outcome {
            limit,
            written,
            moved,
            linked: Linked { same, different },
        };
        let outcomes = [
            outcome(None, 10, 0, 10, 10),
            outcome(Some(9), 10, 0, 10, 10),
            outcome(Some(5), 5, 2, 11, 4),
            outcome(Some(2), 1, 3, 1, 4),
        ];
        let text = conclusion(&outcomes, 10, 4);
        assert!(text.contains("ignore nothing and change nothing: 9."), "{text}");
        assert!(text.contains("as the sentence has it: 5;"), "{text}");
        assert!(text.contains("are linked as well: 2; a page has up to 4 versions"), "{text}");
        let five =
            "5 leaves 50.0 % of the pairs, moves 20.0 % of the documents, and has 110.0 % of";
        assert!(text.contains(five), "{text}");
    }

    #[test]
    fn documents_move_with_those_that_leave_them() {
        let clusters = [0, 0, 2, 0, 2];
        assert_eq!(moved(&clusters, &[1, 1, 4, 1, 4]), 0);
        // The fourth leaves: so the first two have another cluster as well.
        assert_eq!(moved(&clusters, &[0, 0, 2, 3, 2]), 3);
    }
}
