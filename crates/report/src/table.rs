//! The summary table that a run prints on the terminal.

use crate::human::{bytes, count, counted, duration, rate, share};
use crate::{AcrossSummary, Action, CutPassages, DifferenceSummary, Differing, Run, Summary};

impl Summary {
    /// Rows of name and value. Unusual counts that are 0 are omitted; an indented name is a part of
    /// the row above.
    #[must_use]
    pub fn table(&self) -> Vec<(String, String)> {
        let mut rows: Vec<(String, String)> = Vec::new();
        let mut row = |name: &str, value: String| rows.push((name.to_owned(), value));
        let with_share = |part| format!("{} ({})", count(part), share(part, self.documents));

        let note = self.mostly_skipped_note().map(|note| format!("; {note}"));
        row("documents", format!("{}{}", count(self.documents), note.unwrap_or_default()));
        row("kept", with_share(self.kept));
        row(self.action.participle(), with_share(self.removed.total()));
        for (rule, number) in self.removed.by_rule() {
            if number > 0 {
                row(&format!("  {rule}"), count(number));
            }
        }
        if let Some(CutPassages { cut_units, units, unit, cut, removed, .. }) = &self.passages {
            let of_units = share(*cut_units, *units);
            let documents = counted(cut + removed, "document");
            row(
                "passages cut",
                format!("{} ({of_units}) of {documents}", counted(*cut_units, unit)),
            );
        }
        row(
            "clusters",
            match self.clusters {
                0 => "none".into(),
                clusters => {
                    format!("{} (largest: {})", count(clusters), count(self.largest_cluster))
                }
            },
        );
        if self.pairs.listed > 0 {
            let note = self.pairs.note(self.wants_all_pairs());
            let note = note.map(|note| format!(" ({note})")).unwrap_or_default();
            row("pairs listed", format!("{}{note}", count(self.pairs.listed)));
        }
        if let Some(differences) = &self.differences {
            let DifferenceSummary { compared, of, losing_ten_words, kinds, .. } = differences;
            let sample = match compared < of {
                true => {
                    format!("a sample of {} of {}", count(*compared), counted(*of, "duplicate"))
                }
                false => counted(*compared, "duplicate"),
            };
            row("differences", format!("of {sample}, without identical ones"));
            let of_compared = |number| format!("{} ({})", count(number), share(number, *compared));
            for Differing { kind, documents, .. } in kinds {
                row(&format!("  {kind}"), of_compared(*documents));
            }
            if *losing_ten_words > 0 {
                row("  ten words or more lost", of_compared(*losing_ten_words));
            }
            for (name, found) in differences.found() {
                row(&format!("  {name}"), found);
            }
        }
        for (name, value) in self.across.iter().flat_map(AcrossSummary::rows) {
            row(&name, value);
        }
        let without = format!("without {}", self.lacking());
        let few = self.settings.under_min_features();
        let unusual = [
            (without.as_str(), self.without_features.no_words),
            ("fewer tokens than a shingle", self.without_features.under_one_shingle),
            (few.as_str(), self.without_features.few_features),
            ("too short for the method", self.without_features.too_short_for_the_method),
            ("no term selected by the method", self.without_features.nothing_selected),
            ("common keys ignored", self.keys_ignored),
            ("common features removed", self.common_features),
            ("common shingles of the method removed", self.common_method_shingles),
            ("with common features only", self.without_features.only_common),
            ("repeated ids", self.duplicate_ids),
            ("unreadable records", self.problems),
            ("unreadable inputs", self.unreadable_inputs),
        ];
        let confusables = self.confusables.unwrap_or_default();
        let unusual = unusual.into_iter().chain([
            ("with letters that look like ASCII ones", confusables.documents),
            ("with words that mix them with ASCII", confusables.mixed_scripts),
        ]);
        for (name, number) in unusual {
            if number > 0 {
                row(name, count(number));
            }
        }
        if let Some(boilerplate) = &self.boilerplate {
            let sites = counted(boilerplate.sites_with_boilerplate, "site");
            row("boilerplate", format!("{} shingles of {sites}", count(boilerplate.shingles)));
            if boilerplate.only_boilerplate > 0 {
                row("  documents of nothing else", count(boilerplate.only_boilerplate));
            }
        }
        if let Some(ignored) = &self.ignored_texts {
            let (shingles, texts) =
                (counted(ignored.shingles, "shingle"), counted(ignored.texts, "text"));
            let documents = counted(ignored.documents, "document");
            row("ignored", format!("{shingles} of {texts}, in {documents}"));
            if ignored.only_ignored > 0 {
                row("  documents of nothing else", count(ignored.only_ignored));
            }
        }
        if self.skipped_files > 0 {
            row(
                "skipped files",
                format!("{} (unsupported format; listed in problems)", count(self.skipped_files)),
            );
        }
        if let Some(note) = self.left_out_note() {
            row("left out", note);
        }
        row("text", format!("{}, {} tokens", bytes(self.text_bytes), count(self.tokens)));
        if let Some(run) = &self.run {
            run.rows(self.megabytes_per_second())
                .into_iter()
                .for_each(|(name, value)| row(name, value));
        }
        rows
    }

    /// Text by wall-clock time of the whole run; `None` where no text was read.
    #[must_use]
    pub fn megabytes_per_second(&self) -> Option<f64> {
        if self.command == "recluster" {
            return None;
        }
        self.run.as_ref()?.megabytes_per_second(self.text_bytes)
    }
}

impl Run {
    /// Text by wall-clock time.
    pub(crate) fn megabytes_per_second(&self, text_bytes: u64) -> Option<f64> {
        (self.seconds > 0.0).then(|| text_bytes as f64 / 1e6 / self.seconds)
    }

    /// Time, with the speed if it is given, memory, disk, and what an earlier run had done: names and values.
    pub(crate) fn rows(&self, speed: Option<f64>) -> Vec<(&'static str, String)> {
        let speed = speed.map(|speed| format!(", {}", rate(speed))).unwrap_or_default();
        let mut rows = vec![("time", format!("{}{speed}", duration(self.seconds)))];
        rows.extend(self.peak_memory_bytes.map(|memory| ("peak memory", bytes(memory))));
        rows.extend(self.scratch_bytes.map(|scratch| ("spilled to disk", bytes(scratch))));
        let of_steps =
            [("resumed from checkpoints", &self.resumed), ("damaged and redone", &self.redone)];
        let some = of_steps.into_iter().filter(|(_, steps)| !steps.is_empty());
        rows.extend(some.map(|(name, steps)| (name, steps.join(", "))));
        rows
    }
}

impl Action {
    /// `removed`, `marked`, `duplicates`: the name of duplicates in the output.
    #[must_use]
    pub fn participle(self) -> &'static str {
        match self {
            Self::Remove => "removed",
            Self::Mark => "marked",
            Self::List => "duplicates",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Pairs, Removed, Run, SettingsSummary, WithoutFeatures};

    fn value_of(summary: &Summary, name: &str) -> Option<String> {
        summary.table().into_iter().find(|row| row.0 == name).map(|row| row.1)
    }

    #[test]
    fn a_list_is_incomplete_only_if_all_pairs_were_requested() {
        let of = |action, linkage: &str, complete| {
            let settings =
                SettingsSummary { linkage: linkage.into(), ..SettingsSummary::default() };
            let pairs = Pairs { listed: 1234, complete };
            value_of(&Summary { action, settings, pairs, ..Summary::default() }, "pairs listed")
        };
        for action in [Action::Remove, Action::Mark] {
            let said = of(action, "leaders", false);
            assert_eq!(said.as_deref(), Some("1,234 (those that caused a removal)"));
            assert_eq!(of(action, "components", false).as_deref(), Some("1,234 (incomplete)"));
            assert_eq!(of(action, "components", true).as_deref(), Some("1,234"));
        }
        for linkage in ["leaders", "components"] {
            assert_eq!(of(Action::List, linkage, false).as_deref(), Some("1,234 (incomplete)"));
            assert_eq!(of(Action::List, linkage, true).as_deref(), Some("1,234"));
        }
    }

    #[test]
    fn skipped_files_are_counted_and_zero_is_omitted() {
        let passed = |skipped_files| {
            value_of(&Summary { skipped_files, ..Summary::default() }, "skipped files")
        };
        assert_eq!(passed(0), None);
        assert_eq!(passed(1200).as_deref(), Some("1,200 (unsupported format; listed in problems)"));
    }

    #[test]
    fn where_not_every_word_counts_documents_lack_terms() {
        let of = |terms: Option<&str>| {
            let settings =
                SettingsSummary { terms: terms.map(str::to_owned), ..SettingsSummary::default() };
            let without_features = WithoutFeatures { no_words: 2, ..WithoutFeatures::default() };
            let summary = Summary { settings, without_features, ..Summary::default() };
            (value_of(&summary, "without words"), value_of(&summary, "without terms"))
        };
        assert_eq!(of(None), (Some("2".to_owned()), None));
        assert_eq!(of(Some("all")), (Some("2".to_owned()), None));
        assert_eq!(of(Some("kolcz")), (None, Some("2".to_owned())));
    }

    #[test]
    fn what_differs_is_a_share_of_the_compared_documents() {
        let kinds =
            vec![Differing { kind: "title".into(), documents: 310, ..Differing::default() }];
        let found = DifferenceSummary { compared: 2000, of: 31_204, kinds, ..Default::default() };
        let of = |found: &DifferenceSummary| {
            let differences = Some(found.clone());
            let rows = Summary { differences, ..Summary::default() }.table();
            let at = rows.iter().position(|row| row.0 == "differences").unwrap();
            rows[at..at + 3].iter().map(|row| format!("{}: {}", row.0, row.1)).collect::<Vec<_>>()
        };
        assert_eq!(
            of(&found)[..2],
            [
                "differences: of a sample of 2,000 of 31,204 duplicates, without identical ones",
                "  title: 310 (15.5 %)",
            ]
        );
        let all = DifferenceSummary { of: 2000, losing_ten_words: 20, ..found };
        assert_eq!(of(&all)[0], "differences: of 2,000 duplicates, without identical ones");
        assert_eq!(of(&all)[2], "  ten words or more lost: 20 (1.0 %)");
    }

    #[test]
    fn rows_by_hand() {
        let summary = Summary {
            documents: 2000,
            kept: 1500,
            removed: Removed { identical: 300, near: 200, ..Removed::default() },
            clusters: 120,
            largest_cluster: 40,
            problems: 3,
            text_bytes: 12_300_000,
            tokens: 2_000_000,
            run: Some(Run { seconds: 1.0, peak_memory_bytes: Some(45_600_000), ..Run::default() }),
            ..Summary::default()
        };
        let rows = summary.table();
        let rows: Vec<(&str, &str)> = rows.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
        assert_eq!(
            rows,
            [
                ("documents", "2,000"),
                ("kept", "1,500 (75.0 %)"),
                ("removed", "500 (25.0 %)"),
                ("  identical", "300"),
                ("  near-duplicate", "200"),
                ("clusters", "120 (largest: 40)"),
                ("unreadable records", "3"),
                ("text", "12.3 MB, 2,000,000 tokens"),
                ("time", "1.0 s, 12.3 MB/s"),
                ("peak memory", "45.6 MB"),
            ]
        );
    }
}
