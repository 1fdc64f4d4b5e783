//! Skipped files in words.

use crate::human::{count, counted};
use crate::summary::Summary;

/// Maximum number of kinds that a warning names.
const NAMED: usize = 5;

impl Summary {
    /// A note for the headline if most files of an input were skipped: `60 of the 65 files in docs were
    /// skipped`.
    #[must_use]
    pub fn mostly_skipped_note(&self) -> Option<String> {
        let worst = self.mostly_skipped.iter().max_by_key(|input| input.skipped)?;
        let more = match self.mostly_skipped.len() - 1 {
            0 => String::new(),
            more => format!(", and most of {}", counted(more as u64, "other input")),
        };
        Some(format!(
            "{} of the {} in {} were skipped{more}",
            count(worst.skipped),
            counted(worst.skipped + worst.read, "file"),
            worst.input
        ))
    }

    /// A warning with the number of skipped files by kind, the most frequent first.
    pub(crate) fn skipped_warning(&self) -> Option<String> {
        if self.skipped_files == 0 {
            return None;
        }
        let mut kinds: Vec<(&String, u64)> =
            self.skipped_kinds.iter().map(|(kind, files)| (kind, *files)).collect();
        kinds.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(b.0)));
        let named: Vec<String> = kinds
            .iter()
            .take(NAMED)
            .map(|(kind, files)| format!("{} {kind}", count(*files)))
            .collect();
        let others: u64 = kinds.iter().skip(NAMED).map(|(_, files)| files).sum();
        let others = match others {
            0 => String::new(),
            others => format!(", {} others", count(others)),
        };
        let list = if named.is_empty() { String::new() } else { format!(": {}", named.join(", ")) };
        Some(format!(
            "Skipped {} of unsupported formats{list}{others}. The table `problems` names them and says why.",
            counted(self.skipped_files, "file")
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MostlySkipped;

    fn summary(kinds: &[(&str, u64)]) -> Summary {
        Summary {
            skipped_files: kinds.iter().map(|kind| kind.1).sum(),
            skipped_kinds: kinds.iter().map(|(kind, files)| ((*kind).to_owned(), *files)).collect(),
            ..Summary::default()
        }
    }

    #[test]
    fn the_most_frequent_kinds_are_first() {
        let said = summary(&[(".xyz", 12), (".pdf", 41), ("broken link", 1)]).skipped_warning();
        let expected = "Skipped 54 files of unsupported formats: 41 .pdf, 12 .xyz, 1 broken link. The \
                        table `problems` names them and says why.";
        assert_eq!(said.as_deref(), Some(expected));
        let many: Vec<(String, u64)> = (1..=9).map(|n| (format!(".{n}"), n)).collect();
        let many: Vec<(&str, u64)> = many.iter().map(|(kind, n)| (kind.as_str(), *n)).collect();
        let said = summary(&many).skipped_warning().unwrap();
        assert!(said.contains("9 .9, 8 .8, 7 .7, 6 .6, 5 .5, 10 others. The"), "{said}");
        assert_eq!(summary(&[]).skipped_warning(), None);
        // A summary of an earlier version has the number only.
        let older = Summary { skipped_files: 1, ..Summary::default() };
        assert!(
            older.skipped_warning().unwrap().starts_with("Skipped 1 file of unsupported formats. ")
        );
    }

    #[test]
    fn the_headline_names_the_worst_input() {
        let input = |input: &str, skipped| MostlySkipped { input: input.into(), skipped, read: 5 };
        let mut summary = Summary { mostly_skipped: vec![input("docs", 60)], ..Summary::default() };
        let said = |summary: &Summary| summary.mostly_skipped_note().unwrap();
        assert_eq!(said(&summary), "60 of the 65 files in docs were skipped");
        summary.mostly_skipped.push(input("more", 1000));
        let expected = "1,000 of the 1,005 files in more were skipped, and most of 1 other input";
        assert_eq!(said(&summary), expected);
        assert_eq!(Summary::default().mostly_skipped_note(), None);
    }
}
