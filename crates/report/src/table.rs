//! A summary in, the rows that end a run on a terminal out.

use crate::human::{bytes, count, duration, rate, share};
use crate::{Action, Summary};

impl Summary {
    /// What was found, as names and values. Rows that would say "0" of something unusual are left
    /// out; an indented name is a part of the row above it.
    #[must_use]
    pub fn table(&self) -> Vec<(String, String)> {
        let mut rows: Vec<(String, String)> = Vec::new();
        let mut row = |name: &str, value: String| rows.push((name.to_owned(), value));
        let with_share = |part| format!("{} ({})", count(part), share(part, self.documents));

        row("documents", count(self.documents));
        row("kept", with_share(self.kept));
        row(self.action.participle(), with_share(self.removed.total()));
        for (rule, number) in self.removed.by_rule() {
            if number > 0 {
                row(&format!("  {rule}"), count(number));
            }
        }
        row(
            "clusters",
            match self.clusters {
                0 => "none".into(),
                clusters => {
                    format!("{}, the largest of {}", count(clusters), count(self.largest_cluster))
                }
            },
        );
        if self.pairs.listed > 0 {
            let complete = if self.pairs.complete { "" } else { " (not all)" };
            row("pairs listed", format!("{}{complete}", count(self.pairs.listed)));
        }
        let unusual = [
            ("without words", self.without_features.no_words),
            ("under one shingle", self.without_features.under_one_shingle),
            ("repeated ids", self.duplicate_ids),
            ("unreadable records", self.problems),
        ];
        for (name, number) in unusual {
            if number > 0 {
                row(name, count(number));
            }
        }
        row("text", format!("{}, {} tokens", bytes(self.text_bytes), count(self.tokens)));
        if let Some(run) = &self.run {
            let speed = self.megabytes_per_second().map(|speed| format!(", {}", rate(speed)));
            row("time", format!("{}{}", duration(run.seconds), speed.unwrap_or_default()));
            if let Some(memory) = run.peak_memory_bytes {
                row("peak memory", bytes(memory));
            }
        }
        rows
    }

    /// Text by wall-clock time of the whole run.
    #[must_use]
    pub fn megabytes_per_second(&self) -> Option<f64> {
        let seconds = self.run.as_ref()?.seconds;
        (seconds > 0.0).then(|| self.text_bytes as f64 / 1e6 / seconds)
    }
}

impl Action {
    /// `removed`, `marked`, `duplicates`: what to call the documents that another one stands for.
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
    use crate::{Removed, Run};

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
                ("clusters", "120, the largest of 40"),
                ("unreadable records", "3"),
                ("text", "12.3 MB, 2,000,000 tokens"),
                ("time", "1.0 s, 12.3 MB/s"),
                ("peak memory", "45.6 MB"),
            ]
        );
    }
}
