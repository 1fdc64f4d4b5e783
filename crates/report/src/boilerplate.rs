//! What a run removed as boilerplate of sites.

use crate::human::{count, counted, share};
use crate::summary::Summary;
use serde::{Deserialize, Serialize};

/// Boilerplate that was removed from feature sets.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BoilerplateSummary {
    /// Distinct shingles that were removed, of all sites.
    pub shingles: u64,
    /// Sites of the documents.
    pub sites: u64,
    /// Sites that have any boilerplate.
    pub sites_with_boilerplate: u64,
    /// Documents that consist of boilerplate: each matches only documents of the same words.
    pub only_boilerplate: u64,
    /// The sites with the most occurrences of boilerplate, up to 20: those with the most documents
    /// first.
    pub largest_sites: Vec<SiteBoilerplate>,
}

/// The boilerplate of a site.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SiteBoilerplate {
    /// Host, value of the site's field, file or directory.
    pub site: String,
    /// Distinct documents of the site.
    pub documents: u64,
    /// Shingles in more of them than this are boilerplate.
    pub more_than: u64,
    /// Number of these shingles.
    pub shingles: u64,
    /// Passages of consecutive ones, in up to 32 documents that have the most of them.
    pub passages: u64,
    /// The most frequent passages, up to 20.
    pub most_frequent: Vec<BoilerplatePassage>,
}

/// Consecutive shingles that are boilerplate.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BoilerplatePassage {
    /// Distinct documents of the site that have the rarest shingle of the passage.
    pub documents: u64,
    /// Tokens of the passage.
    pub words: u64,
    /// The passage on one line, as a document has it; a long one without its middle.
    pub text: String,
}

/// Passages of a site shown on the terminal.
const SHOWN: usize = 5;

/// Characters of a passage shown on the terminal.
const WIDTH: usize = 100;

impl Summary {
    /// The boilerplate that was removed, as lines for a terminal; none without it.
    #[must_use]
    pub fn boilerplate_lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for site in self.boilerplate.iter().flat_map(|boilerplate| &boilerplate.largest_sites) {
            lines.push(format!(
                "{}: {} of boilerplate, each in more than {} of {}",
                site.site,
                counted(site.passages, "passage"),
                count(site.more_than),
                counted(site.documents, "distinct document"),
            ));
            for passage in site.most_frequent.iter().take(SHOWN) {
                let mut text: String = passage.text.chars().take(WIDTH).collect();
                if text.len() < passage.text.len() {
                    text.push('…');
                }
                lines.push(format!(
                    "  in {} ({}), {}: {text}",
                    count(passage.documents),
                    share(passage.documents, site.documents),
                    counted(passage.words, "word"),
                ));
            }
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_name_sites_and_passages() {
        let passage =
            |text: &str| BoilerplatePassage { documents: 30, words: 7, text: text.into() };
        let site = SiteBoilerplate {
            site: "example.org".into(),
            documents: 40,
            more_than: 10,
            shingles: 9,
            passages: 2,
            most_frequent: vec![passage("home about"), passage(&"long ".repeat(50))],
        };
        let found = BoilerplateSummary { largest_sites: vec![site], ..Default::default() };
        let lines = Summary { boilerplate: Some(found), ..Default::default() }.boilerplate_lines();
        assert_eq!(lines.len(), 3);
        assert!(
            lines[0].starts_with("example.org: 2 passages")
                && lines[0].contains("more than 10 of 40")
        );
        assert!(lines[1].starts_with("  in 30 (75") && lines[1].ends_with("7 words: home about"));
        assert!(lines[2].ends_with('…') && lines[2].chars().count() < 150);
        assert!(Summary::default().boilerplate_lines().is_empty());
    }
}
