//! Chowdhury et al. 2002, section 4.6: near-duplicates that were judged differently, and what they
//! do to a ranked list.

use super::ranking::Index;
use super::{Collections, Experiment, Kind};
use crate::corpus::Corpus;
use crate::page::{Page, percent};
use crate::row;
use crate::run::{approach, resemblance, search};
use crate::tokens::Tokens;
use anyhow::Result;
use lookalike_engine::Approach;
use std::collections::{BTreeMap, BTreeSet};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "judged",
    title: "Near-duplicates among judged documents (Chowdhury et al. 2002, section 4.6)",
    needs: &[Kind::News],
    run,
};

/// Length of the ranked list, and one title in so many is a query.
const TOP: usize = 10;
const ONE_IN: usize = 10;
/// What a query is reduced to, and the documents with it.
const TERMS: &str = "stop+nosc+stem";

/// Ways of finding duplicates: what the page calls them, and the method, or resemblance 0.8.
const WAYS: [(&str, Option<&str>); 3] = [
    ("the same words (`syntactic`, nosc+stem)", Some("syntactic:filter=nosc+stem")),
    ("I-Match, IDF-L-10", Some("imatch:filter=idf-l-10,terms=nosc+stem")),
    ("resemblance ≥ 0.8, exact", None),
];

fn run(collections: &Collections, page: &mut Page) -> Result<()> {
    page.say(format_args!(
        "The paper looked for duplicates (I-Match) among documents that NIST had judged for topics, and counted \
         *inconsistencies*, duplicates of which one was judged relevant and another not: 12 in TREC-6, 8 in \
         TREC-7, 17 in TREC-8, 65 in its web track. The judgements are not free, so this is a stated \
         substitute: the label that every collection of ours has by hand (section of a newspaper, all \
         subject codes of a story, spam or ham) is the judgement. A cluster is *inconsistent* if its labelled documents differ in the \
         label. Terms and document frequencies are the collection's own.",
    ));
    let labelled = collections.news.iter().chain(&collections.mail).filter(|corpus| {
        corpus.texts.iter().any(|text| judgement(corpus, text.label.as_deref()).is_some())
    });
    let (mut rows, mut lists, mut regained) = (Vec::new(), Vec::new(), Vec::new());
    let mut inconsistent = 0;
    for corpus in labelled {
        let mut by_way = Vec::new();
        for (name, spec) in WAYS {
            let clusters = clusters(corpus, spec)?;
            let counted = Judged::of(corpus, &clusters);
            inconsistent += counted.inconsistent;
            rows.push(row![
                corpus.name,
                name,
                counted.clusters,
                counted.documents,
                counted.inconsistent,
                counted.minority,
            ]);
            by_way.push(clusters);
        }
        if collections.news.iter().any(|news| news.name == corpus.name) {
            let ranked = ranked(corpus, &by_way);
            for ((way, _), counts) in WAYS.iter().zip(&ranked) {
                regained.push(counts.regained());
                lists.push(counts.row(&corpus.name, way));
            }
        }
    }
    let header = [
        "collection",
        "duplicates are those with",
        "clusters with two labels or more given",
        "documents",
        "inconsistent",
        "documents judged unlike most of their cluster",
    ];
    page.table(&header, rows);
    page.say(format_args!(
        "Ranked lists: one story in {ONE_IN} of the news collections gives its title as a query; all other \
         stories are ranked by BM25 (k₁ 1.2, b 0.75; {TERMS}); a story is relevant if its label is that of the \
         query's story (unlabelled stories ask nothing and are never relevant). *Precision at {TOP}* counts \
         every relevant story; *valid* counts a relevant story only if no duplicate of it is above it or is \
         the query's story itself (retrieving duplicates \"clearly lowers the number of valid responses\", \
         section 1); *after removal* ranks the collection without duplicates, each cluster's first \
         story kept.",
    ));
    let header = [
        "collection",
        "duplicates are those with",
        "queries",
        "lists with a duplicate",
        "precision at 10",
        "valid",
        "after removal",
    ];
    page.table(&header, lists);
    let regained: Vec<String> = regained.into_iter().flatten().collect();
    page.say(format_args!(
        "Of our duplicates, {inconsistent} clusters (all rows added) are judged inconsistently. Counting every \
         document hides duplicates: what is left when a story counts once is the *valid* column. Removal before \
         ranking regains, row by row, {} of what duplicates take, because their places go to other stories.",
        regained.join(", ")
    ));
    Ok(())
}

/// A label that is a judgement.
fn judgement<'a>(corpus: &Corpus, label: Option<&'a str>) -> Option<&'a str> {
    let mail = corpus.texts.iter().any(|text| text.label.as_deref() == Some("ham"));
    label.filter(|label| !mail || matches!(*label, "spam" | "ham"))
}

/// The cluster of each document.
fn clusters(corpus: &Corpus, spec: Option<&str>) -> Result<Vec<u32>> {
    let approach = match spec {
        Some(spec) => approach(spec, Some(&corpus.lexicon("nosc+stem")?))?,
        None => Approach::default(),
    };
    Ok(search(corpus, approach, resemblance("0.8")?, false)?.clusters())
}

/// Clusters of which two documents or more were judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Judged {
    clusters: usize,
    documents: usize,
    inconsistent: usize,
    minority: usize,
}

impl Judged {
    fn of(corpus: &Corpus, clusters: &[u32]) -> Self {
        let mut labels: BTreeMap<u32, Vec<&str>> = BTreeMap::new();
        for (text, &cluster) in corpus.texts.iter().zip(clusters) {
            let label = judgement(corpus, text.label.as_deref());
            labels.entry(cluster).or_default().extend(label);
        }
        let mut judged = Self::default();
        for labels in labels.into_values().filter(|labels| labels.len() > 1) {
            let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
            for label in &labels {
                *counts.entry(label).or_default() += 1;
            }
            judged.clusters += 1;
            judged.documents += labels.len();
            judged.inconsistent += usize::from(counts.len() > 1);
            judged.minority += labels.len() - counts.values().max().copied().unwrap_or(0);
        }
        judged
    }
}

/// Documents in the tops of all lists of a collection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Lists {
    queries: usize,
    with_duplicate: usize,
    relevant: usize,
    valid: usize,
    after_removal: usize,
}

impl Lists {
    fn row(&self, collection: &str, way: &str) -> Vec<String> {
        let share = |count: usize| percent(count as u64, (self.queries * TOP) as u64);
        row![
            collection,
            way,
            self.queries,
            percent(self.with_duplicate as u64, self.queries as u64),
            share(self.relevant),
            share(self.valid),
            share(self.after_removal),
        ]
    }

    /// The share of the relevant places taken by duplicates that removal gives back.
    fn regained(&self) -> Option<String> {
        let lost = self.relevant.checked_sub(self.valid).filter(|&lost| lost > 0)?;
        let back = self.after_removal as f64 - self.valid as f64;
        Some(format!("{:.0} %", 100.0 * back / lost as f64))
    }
}

/// The ranked lists for each way of finding duplicates.
fn ranked(corpus: &Corpus, by_way: &[Vec<u32>]) -> Vec<Lists> {
    let index = Index::new(&Tokens::new(corpus, TERMS));
    let titles = corpus.texts.iter().map(|text| text.title.as_deref().unwrap_or_default());
    let titles = Tokens::of_texts(titles, TERMS);
    let asks = |at: usize| at.is_multiple_of(ONE_IN) && corpus.texts[at].label.is_some();
    let asked = titles.documents().enumerate().filter(|(at, terms)| asks(*at) && !terms.is_empty());
    let lists: Vec<(usize, Vec<u32>)> = asked.map(|(at, terms)| (at, index.rank(terms))).collect();
    let count = |clusters: &Vec<u32>| {
        let mut sums = Lists { queries: lists.len(), ..Lists::default() };
        for (query, list) in &lists {
            let relevant = |document: &u32| {
                let label = |at: usize| corpus.texts[at].label.as_deref();
                label(*document as usize) == label(*query)
            };
            let [duplicate, relevant, valid, removed] =
                counted(*query as u32, list, clusters, relevant);
            sums.with_duplicate += duplicate;
            sums.relevant += relevant;
            sums.valid += valid;
            sums.after_removal += removed;
        }
        sums
    };
    by_way.iter().map(count).collect()
}

/// Whether the top of a list has a duplicate; its relevant documents; those that are no duplicate of
/// one above or of the query; and the relevant ones of the top after removal.
fn counted(
    query: u32,
    list: &[u32],
    clusters: &[u32],
    relevant: impl Fn(&u32) -> bool,
) -> [usize; 4] {
    let others = || list.iter().filter(|&&document| document != query);
    let mut seen = BTreeSet::from([clusters[query as usize]]);
    let new: Vec<bool> =
        others().take(TOP).map(|&document| seen.insert(clusters[document as usize])).collect();
    let top = || others().take(TOP);
    let valid = top().zip(&new).filter(|(document, new)| **new && relevant(document)).count();
    // Of each cluster the collection keeps the first; the query's cluster is its own story.
    let kept = others().filter(|&&document| {
        let cluster = clusters[document as usize];
        cluster == document && cluster != clusters[query as usize]
    });
    [
        usize::from(new.contains(&false)),
        top().filter(|document| relevant(document)).count(),
        valid,
        kept.take(TOP).filter(|document| relevant(document)).count(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::Text;

    #[test]
    fn clusters_with_two_labels_are_inconsistent() {
        let text = |label: Option<&str>| Text {
            text: "a".into(),
            label: label.map(str::to_owned),
            ..Text::default()
        };
        let labels = [Some("x"), Some("x"), Some("y"), None, Some("y"), Some("x")];
        let corpus = Corpus::new("test".into(), labels.map(text).into()).unwrap();
        let judged = Judged::of(&corpus, &[0, 0, 0, 3, 3, 5]);
        assert_eq!(judged, Judged { clusters: 1, documents: 3, inconsistent: 1, minority: 1 });
        assert_eq!(judgement(&corpus, Some("unknown")), Some("unknown"));
    }

    #[test]
    fn a_duplicate_is_no_second_valid_answer() {
        // 1 and 2 are duplicates, 3 is one of the query 0; 4 is irrelevant, 5 relevant.
        let clusters = [0, 1, 1, 0, 4, 5];
        let list = [0, 1, 2, 3, 4, 5];
        let counts = counted(0, &list, &clusters, |&document| document != 4);
        assert_eq!(counts, [1, 4, 2, 2]);
        let lists =
            Lists { queries: 1, with_duplicate: 1, relevant: 4, valid: 2, after_removal: 3 };
        assert_eq!(lists.regained().as_deref(), Some("50 %"));
        assert_eq!(Lists { valid: 4, ..lists }.regained(), None);
        // Without duplicates all three are the same.
        assert_eq!(counted(0, &list, &[0, 1, 2, 3, 4, 5], |_| true), [0, 5, 5, 5]);
    }
}
