//! The boilerplate that a run removed, on the terminal.

use crate::Summary;
use crate::human::{count, counted, share};

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
    use crate::{BoilerplatePassage, BoilerplateSummary, SiteBoilerplate};

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
