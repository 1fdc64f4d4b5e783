//! The boilerplate that a run removed, as passages of text.

use crate::clean::{self, MEDIUM};
use crate::human::{count, counted, share};
use crate::{SiteBoilerplate, Summary};

/// Sites shown.
const SITES: usize = 20;

/// Passages shown of each.
const PASSAGES: usize = 20;

/// Maximum length of a passage in bytes.
const PASSAGE: usize = 400;

/// A site with its passages.
#[derive(Debug)]
pub(super) struct SiteView {
    pub(super) site: String,
    /// Its distinct documents.
    pub(super) documents: String,
    pub(super) passages: String,
    /// In how many documents a shingle is boilerplate.
    pub(super) limit: String,
    pub(super) rows: Vec<PassageRow>,
    pub(super) more: String,
}

/// A passage.
#[derive(Debug)]
pub(super) struct PassageRow {
    pub(super) documents: String,
    pub(super) share: String,
    pub(super) words: String,
    pub(super) text: String,
}

/// The sites of a run that removed boilerplate.
pub(super) fn sites(summary: &Summary) -> Vec<SiteView> {
    let sites = summary.boilerplate.iter().flat_map(|found| &found.largest_sites);
    sites.take(SITES).map(view).collect()
}

/// What was removed, in a sentence; empty if nothing was.
pub(super) fn sentence(summary: &Summary) -> String {
    let Some(found) = summary.boilerplate.as_ref().filter(|found| found.shingles > 0) else {
        return String::new();
    };
    let alone = match found.only_boilerplate {
        0 => String::new(),
        1 => " 1 document has nothing else, and matches only documents of the same words.".into(),
        many => format!(
            " {} documents have nothing else, and match only documents of the same words.",
            count(many)
        ),
    };
    format!(
        "{} of {} of {} were removed before documents were compared: they occur in many documents of \
         one site.{alone}",
        counted(found.shingles, "distinct shingle"),
        count(found.sites_with_boilerplate),
        counted(found.sites, "site"),
    )
}

fn view(site: &SiteBoilerplate) -> SiteView {
    let rows: Vec<PassageRow> = site
        .most_frequent
        .iter()
        .take(PASSAGES)
        .map(|passage| PassageRow {
            documents: count(passage.documents),
            share: share(passage.documents, site.documents),
            words: count(passage.words),
            text: clean::line(&passage.text, PASSAGE),
        })
        .collect();
    SiteView {
        site: clean::line(&site.site, MEDIUM),
        documents: counted(site.documents, "distinct document"),
        passages: counted(site.passages, "passage"),
        limit: count(site.more_than),
        more: match site.passages.saturating_sub(rows.len() as u64) {
            0 => String::new(),
            more => format!("{} more are not shown.", counted(more, "passage")),
        },
        rows,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BoilerplatePassage, BoilerplateSummary};

    #[test]
    fn views_are_bounded_and_count_the_rest() {
        let passage = BoilerplatePassage { documents: 30, words: 7, text: "home ".repeat(500) };
        let site = SiteBoilerplate {
            site: "a.example".into(),
            documents: 40,
            more_than: 10,
            shingles: 9,
            passages: 50,
            most_frequent: vec![passage; 30],
        };
        let found = BoilerplateSummary {
            shingles: 9,
            sites: 3,
            sites_with_boilerplate: 1,
            only_boilerplate: 2,
            largest_sites: vec![site; 30],
        };
        let summary = Summary { boilerplate: Some(found), ..Summary::default() };
        let views = sites(&summary);
        assert_eq!((views.len(), views[0].rows.len()), (SITES, PASSAGES));
        assert_eq!(views[0].more, "30 passages more are not shown.");
        assert!(views[0].rows[0].text.len() < 500);
        let said = sentence(&summary);
        assert!(
            said.starts_with("9 distinct shingles of 1 of 3 sites were")
                && said.contains("2 documents have"),
            "{said}"
        );
        assert!(sites(&Summary::default()).is_empty() && sentence(&Summary::default()).is_empty());
    }
}
