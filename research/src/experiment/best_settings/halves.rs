//! A collection in two halves that have no near-duplicates of each other, and what is true in each.

use super::grid::THRESHOLD;
use crate::corpus::{Corpus, Text};
use crate::run::{Neighbours, resemblance, search};
use anyhow::Result;
use lookalike_core::fingerprint::token;
use lookalike_engine::Approach;
use lookalike_testing::prng::Prng;
use std::collections::BTreeMap;

/// Another seed is another division.
const SEED: u64 = 20;
/// Documents of this resemblance are in the same half, also through others.
const TOGETHER: &str = "0.5";

/// A half, and which pairs are true in it.
pub(super) struct Half {
    pub(super) corpus: Corpus,
    /// The pairs of resemblance 0.8 and more.
    pub(super) near: Neighbours,
    /// The pairs that people said belong together, if they said so of any.
    pub(super) labelled: Option<Neighbours>,
    /// Either of the two.
    pub(super) right: Neighbours,
}

impl Half {
    pub(super) fn new(corpus: Corpus) -> Result<Self> {
        let near = search(&corpus, Approach::default(), resemblance(THRESHOLD)?, true)?;
        let near = near.neighbours();
        let labelled = labelled(&corpus.texts);
        let both = (0..corpus.len() as u32).map(|document| {
            let mut both = near.of(document).to_vec();
            both.extend(labelled.iter().flat_map(|labelled| labelled.of(document)));
            both.sort_unstable();
            both.dedup();
            both
        });
        let right = Neighbours::new(both.collect());
        Ok(Self { corpus, near, labelled, right })
    }
}

/// Divides a collection by a seeded hash of the group of each document: the documents connected by
/// a resemblance of 0.5 or by a label. A group is named by the least of its ids.
pub(super) fn halves(corpus: &Corpus) -> Result<[Corpus; 2]> {
    let groups = groups(corpus)?;
    let mut names: BTreeMap<u32, &str> = BTreeMap::new();
    for (text, &group) in corpus.texts.iter().zip(&groups) {
        let name = names.entry(group).or_insert(&text.id);
        *name = text.id.as_str().min(name);
    }
    let half = |wanted: u64| {
        let texts = corpus.texts.iter().zip(&groups).filter(|(_, group)| {
            Prng::new(SEED ^ token(names[group].as_bytes())).bits() >> 63 == wanted
        });
        Corpus::new(corpus.name.clone(), texts.map(|(text, _)| text.clone()).collect())
    };
    Ok([half(0)?, half(1)?])
}

/// The group of each document, by one of its documents.
fn groups(corpus: &Corpus) -> Result<Vec<u32>> {
    let found = search(corpus, Approach::default(), resemblance(TOGETHER)?, false)?;
    let mut parent = found.clusters();
    let root = |parent: &[u32], mut at: u32| {
        while parent[at as usize] != at {
            at = parent[at as usize];
        }
        at
    };
    for documents in by_label(&corpus.texts).values() {
        for pair in documents.windows(2) {
            let (a, b) = (root(&parent, pair[0]), root(&parent, pair[1]));
            parent[a.max(b) as usize] = a.min(b);
        }
    }
    Ok((0..corpus.len() as u32).map(|document| root(&parent, document)).collect())
}

/// The documents of each cluster that people named; of the same label, since a licence and the
/// notice that refers to it have the same name.
fn by_label(texts: &[Text]) -> BTreeMap<(u64, Option<&str>), Vec<u32>> {
    let mut clusters: BTreeMap<_, Vec<u32>> = BTreeMap::new();
    for (document, text) in (0..).zip(texts) {
        if let Some(cluster) = text.cluster {
            clusters.entry((cluster, text.label.as_deref())).or_default().push(document);
        }
    }
    clusters
}

fn labelled(texts: &[Text]) -> Option<Neighbours> {
    let mut of = vec![Vec::new(); texts.len()];
    for documents in by_label(texts).values() {
        for &document in documents {
            let others = documents.iter().copied().filter(|&other| other != document);
            of[document as usize] = others.collect();
        }
    }
    of.iter().any(|others| !others.is_empty()).then(|| Neighbours::new(of))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts() -> Vec<Text> {
        let mut texts = Vec::new();
        for group in 0..40u32 {
            let words: Vec<String> = (0..30).map(|word| format!("w{group}x{word}")).collect();
            let words = words.join(" ");
            // Two alike; and one that only its label says belongs to them.
            for (copy, text) in [words.clone(), format!("{words} more"), format!("other {group}")]
                .into_iter()
                .enumerate()
            {
                let id = format!("{group}-{copy}");
                let cluster = (copy > 0).then_some(u64::from(group));
                texts.push(Text { id, text, cluster, ..Text::default() });
            }
        }
        texts
    }

    #[test]
    fn groups_are_not_divided_and_both_halves_have_some() {
        let corpus = Corpus::new("test".into(), texts()).unwrap();
        let [first, second] = halves(&corpus).unwrap();
        assert_eq!(first.len() + second.len(), corpus.len());
        assert!(first.len() > 30 && second.len() > 30, "{} {}", first.len(), second.len());
        let group = |text: &Text| text.id.split('-').next().unwrap().to_owned();
        for text in &first.texts {
            assert!(second.texts.iter().all(|other| group(other) != group(text)), "{}", text.id);
        }
        // Whatever the order of the documents.
        let backwards = Corpus::new("test".into(), texts().into_iter().rev().collect()).unwrap();
        let ids = |corpus: &Corpus| {
            let mut ids: Vec<String> = corpus.texts.iter().map(|text| text.id.clone()).collect();
            ids.sort();
            ids
        };
        assert_eq!(ids(&halves(&backwards).unwrap()[0]), ids(&first));
    }

    #[test]
    fn near_labelled_and_either() {
        let half = Half::new(Corpus::new("test".into(), texts()).unwrap()).unwrap();
        assert_eq!(half.near.of(0), [1]);
        assert_eq!(half.labelled.as_ref().unwrap().of(1), [2]);
        assert_eq!(half.right.of(1), [0, 2]);
        assert_eq!(half.right.of(0), [1]);
        let mut texts = texts();
        texts.iter_mut().for_each(|text| text.cluster = None);
        assert!(Half::new(Corpus::new("test".into(), texts).unwrap()).unwrap().labelled.is_none());
    }
}
