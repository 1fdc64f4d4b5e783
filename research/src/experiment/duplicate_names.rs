//! Chowdhury et al. 2002, section 4.1: duplicates by title or URL beside those by the hash.

use super::{Collections, Experiment};
use crate::corpus::{Corpus, Text};
use crate::page::{Page, percent};
use crate::row;
use crate::run::{approach, resemblance, search};
use anyhow::Result;
use std::collections::{BTreeMap, BTreeSet};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "duplicate-names",
    title: "Duplicates by title or URL (Chowdhury et al. 2002, section 4.1, Table IX)",
    needs: &[],
    run,
};

/// Rows of Table IX: the filter, duplicates by the hash and by URL or title, of 247 491 pages.
const PAPER: [(&str, u32, u32); 3] =
    [("baseline", 60, 0), ("doc-l-90", 60053, 0), ("idf-l-10", 52391, 0)];
const PAPER_DOCUMENTS: u64 = 247_491;

/// Duplicates of a collection: documents beyond the first of their cluster, or of their name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Duplicates {
    /// By the hash.
    hash: u64,
    /// Of those, documents with the title, or the URL, of an earlier document of the cluster.
    title: u64,
    url: u64,
    /// Documents with the title, or the URL, of an earlier document of the collection.
    by_title: u64,
    by_url: u64,
    /// Of those by title or URL, documents that the hash finds with an earlier one of that name.
    found_by_hash: u64,
    named: u64,
}

impl Duplicates {
    fn of(texts: &[Text], clusters: &[u32]) -> Self {
        let mut counted = Self::default();
        let mut seen: BTreeSet<u32> = BTreeSet::new();
        let mut titles: BTreeMap<&str, BTreeSet<u32>> = BTreeMap::new();
        let mut urls: BTreeMap<u64, BTreeSet<u32>> = BTreeMap::new();
        for (text, &cluster) in texts.iter().zip(clusters) {
            let duplicate = !seen.insert(cluster);
            // Clusters of the earlier documents of the same name.
            let title = text.title.as_deref().map(str::trim).filter(|title| !title.is_empty());
            let same_title = title.map(|title| titles.entry(title).or_default());
            let same_url = text.address.map(|address| urls.entry(address).or_default());
            let [named_title, named_url] =
                [&same_title, &same_url].map(|same| same.as_ref().is_some_and(|s| !s.is_empty()));
            let [hit_title, hit_url] = [&same_title, &same_url]
                .map(|same| same.as_ref().is_some_and(|s| s.contains(&cluster)));
            counted.hash += u64::from(duplicate);
            counted.title += u64::from(hit_title);
            counted.url += u64::from(hit_url);
            counted.by_title += u64::from(named_title);
            counted.by_url += u64::from(named_url);
            counted.named += u64::from(named_title || named_url);
            counted.found_by_hash += u64::from(hit_title || hit_url);
            for same in [same_title, same_url].into_iter().flatten() {
                same.insert(cluster);
            }
        }
        counted
    }
}

fn run(collections: &Collections, page: &mut Page) -> Result<()> {
    let groups =
        [("web", &collections.web), ("news", &collections.news), ("mail", &collections.mail)];
    page.say(format_args!(
        "The paper counts a document that has a duplicate as *duplicate-title* if both have the same title or \
         URL, else as duplicate only. In Table IX it has none of the former at any filter (baseline 60 and 0, \
         Doc-L-90 60 053 and 0, IDF-L-10 52 391 and 0, of {PAPER_DOCUMENTS} pages), which for titles of \
         identical pages can hardly be: URLs alone may have been compared. Here *duplicates* are the documents \
         beyond the first of their cluster, *same title* and *same URL* those of them that have the name of an \
         earlier document of the cluster; *named alike* are the documents, in whatever cluster, that have the \
         title or URL of an earlier one, and *found* the share of them that the hash puts into the cluster of \
         such a one. Titles of mails are subjects, and only pages have URLs (–: none). Empty titles count as none.",
    ));
    let (mut rows, mut pure_names) = (Vec::new(), Vec::new());
    for (kind, corpora) in groups.into_iter().filter(|(_, corpora)| !corpora.is_empty()) {
        let corpus = Corpus::joined(corpora)?;
        let lexicon = corpus.lexicon("nosc+stem")?;
        for (filter, paper, paper_named) in PAPER {
            let spec = format!("imatch:filter={filter},terms=nosc+stem");
            let found =
                search(&corpus, approach(&spec, Some(&lexicon))?, resemblance("0.8")?, false)?;
            let counted = Duplicates::of(&corpus.texts, &found.clusters());
            let all = corpus.len() as u64;
            let addressed = corpus.texts.iter().any(|text| text.address.is_some());
            let address = |shown: String| if addressed { shown } else { "–".into() };
            rows.push(row![
                format!("{kind} ({all})"),
                filter,
                percent(u64::from(paper), PAPER_DOCUMENTS),
                percent(u64::from(paper_named), u64::from(paper)),
                percent(counted.hash, all),
                percent(counted.title, counted.hash),
                address(percent(counted.url, counted.hash)),
                counted.by_title,
                address(counted.by_url.to_string()),
                percent(counted.found_by_hash, counted.named),
            ]);
            if filter == "idf-l-10" {
                pure_names.push((kind, counted));
            }
        }
    }
    let header = [
        "collection",
        "filter",
        "duplicates (paper)",
        "of those, same name (paper)",
        "duplicates",
        "same title",
        "same URL",
        "title of an earlier one",
        "URL of an earlier one",
        "named alike, found",
    ];
    page.table(&header, rows);
    let parts = pure_names.iter().map(|(kind, counted)| {
        format!(
            "on {kind} {} of the duplicates by IDF-L-10 have no title or URL in common with an earlier one, and {} of the documents \
             named alike are in no cluster with one of their name",
            percent(counted.hash - counted.found_by_hash.min(counted.hash), counted.hash),
            percent(counted.named - counted.found_by_hash, counted.named)
        )
    });
    page.say(format_args!(
        "A name is no substitute for the content in either direction: {}.",
        parts.collect::<Vec<_>>().join("; ")
    ));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_count_within_the_cluster_and_without() {
        let text = |title: &str, address: Option<u64>| Text {
            title: Some(title.to_owned()),
            address,
            ..Text::default()
        };
        let texts = [
            text("one", Some(1)),
            text("one", Some(2)), // duplicate with the same title
            text("two", Some(1)), // duplicate with the same URL
            text("three", None),  // duplicate with neither
            text("one", Some(9)), // not a duplicate, though named alike
            text(" ", Some(8)),   // no title
            text("", Some(7)),
        ];
        let counted = Duplicates::of(&texts, &[0, 0, 0, 0, 4, 5, 6]);
        let expected = Duplicates {
            hash: 3,
            title: 1,
            url: 1,
            by_title: 2,
            by_url: 1,
            found_by_hash: 2,
            named: 3,
        };
        assert_eq!(counted, expected);
    }
}
