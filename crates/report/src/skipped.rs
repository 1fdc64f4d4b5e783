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

    /// What was left out as no data, for a row of the summary: the number of names, and the first of
    /// them. `None` if nothing was.
    #[must_use]
    pub fn left_out_note(&self) -> Option<String> {
        let all: u64 = self.left_out.iter().map(|names| names.count).sum();
        if all == 0 {
            return None;
        }
        let by_reason = self.left_out.iter().map(|of| match of.count - of.names.len() as u64 {
            0 => format!("{}: {}", of.reason, of.names.join(", ")),
            more => format!("{}: {}, and {} more", of.reason, of.names.join(", "), count(more)),
        });
        Some(format!("{} ({})", count(all), by_reason.collect::<Vec<_>>().join("; ")))
    }

    /// Warnings that name what was left out and looks like documents.
    pub(crate) fn left_out_warnings(&self) -> impl Iterator<Item = String> {
        self.left_out.iter().filter(|of| of.warn).map(|of| {
            format!(
                "Left out {} ({}): {}{}. Give their documents as inputs to read them.",
                counted(of.count, "directory").replace("directorys", "directories"),
                of.reason,
                of.names.join(", "),
                if of.count > of.names.len() as u64 { ", …" } else { "" }
            )
        })
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
    fn what_is_no_data_is_counted_and_named() {
        let names = |reason: &str, count, names: &[&str], warn| crate::LeftOutNames {
            reason: reason.into(),
            count,
            names: names.iter().map(|name| (*name).to_owned()).collect(),
            warn,
        };
        let left_out = vec![
            names("results of earlier runs", 1, &["in/clean"], true),
            names("names that begin with _ or .", 1002, &["in/.git", "in/_SUCCESS"], false),
        ];
        let summary = Summary { left_out, ..Summary::default() };
        let expected = "1,003 (results of earlier runs: in/clean; names that begin with _ or .: in/.git, \
                        in/_SUCCESS, and 1,000 more)";
        assert_eq!(summary.left_out_note().as_deref(), Some(expected));
        let warnings: Vec<_> = summary.left_out_warnings().collect();
        let [warning] = &warnings[..] else { panic!("{warnings:?}") };
        assert!(
            warning.starts_with("Left out 1 directory (results of earlier runs): in/clean. "),
            "{warning}"
        );
        assert_eq!(Summary::default().left_out_note(), None);
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
