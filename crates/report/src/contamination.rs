//! The summary of a search for benchmark items in training documents.

use crate::human::{bytes, count, counted, share};
use crate::summary::{indented, is_zero};
use crate::{InputSummary, LeftOutNames, Output, Run, Tool};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The content of `summary.json` of `decontaminate`. All values but [`ContaminationSummary::run`] are
/// the same bytes for the same documents, items and settings.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ContaminationSummary {
    /// The program that wrote the file.
    pub tool: Tool,
    /// The subcommand.
    pub command: String,
    /// What happened to contaminated documents: `list`, `remove`, …
    pub action: String,
    /// The settings, by name.
    pub settings: Map<String, Value>,
    /// The training files.
    pub inputs: Vec<InputSummary>,
    /// Training documents.
    pub documents: u64,
    /// Training documents that contain a part of an item.
    pub contaminated: u64,
    /// Documents that are written as kept; all where none is written.
    pub kept: u64,
    /// Documents that are removed.
    pub removed: u64,
    /// Documents that are kept without the items.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cut: u64,
    /// Removed documents that have other words than items, and whose text could not be cut.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub uncut: u64,
    /// The benchmarks, ascending by name.
    pub benchmarks: Vec<BenchmarkSummary>,
    /// Pairs of a document and a part that it contains.
    pub matches: u64,
    /// Places of parts in documents.
    pub spans: u64,
    /// Distinct shingles of the items.
    pub shingles: u64,
    /// Shingles that do not count, as they are in too many documents or items.
    pub common_shingles: u64,
    /// Records of the training files that could not be read as documents.
    pub problems: u64,
    /// Records of the benchmarks that could not be read as items.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub item_problems: u64,
    /// Training files that could not be read to their end.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unreadable_inputs: u64,
    /// Skipped files of directories and patterns.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub skipped_files: u64,
    /// Files and directories in the inputs that are no data, by reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOutNames>,
    /// Words of the training documents.
    pub words: u64,
    /// Bytes of their texts.
    pub text_bytes: u64,
    /// Warnings about the result.
    pub warnings: Vec<String>,
    /// Digest of the tables `contamination` and `spans`.
    pub digest: String,
    /// The written files.
    pub outputs: Vec<Output>,
    /// Time, memory and the like.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<Run>,
}

/// The items of a benchmark.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BenchmarkSummary {
    /// The file of the items, or the directory of text files.
    pub name: String,
    /// Number of items.
    pub items: u64,
    /// Items of which a part was found.
    pub found: u64,
    /// Other items that have a part of common shingles only.
    pub common: u64,
    /// Items of which every part is too short.
    pub short: u64,
    /// Words of the parts that are long enough.
    pub words: u64,
    /// Words of these parts that stand in shingles of documents that contain the part.
    pub covered: u64,
    /// Words of the longest span.
    pub longest: u64,
    /// Training documents that contain a part of an item.
    pub documents: u64,
}

impl ContaminationSummary {
    /// Rows of name and value. Unusual counts that are 0 are omitted.
    #[must_use]
    pub fn table(&self) -> Vec<(String, String)> {
        let mut rows: Vec<(String, String)> = Vec::new();
        let mut row = |name: &str, value: String| rows.push((name.to_owned(), value));
        let with_share = |part| format!("{} ({})", count(part), share(part, self.documents));
        row("documents", count(self.documents));
        row("contaminated", with_share(self.contaminated));
        for (name, number) in [("  removed", self.removed), ("  cut", self.cut)] {
            if number > 0 {
                row(name, count(number));
            }
        }
        row("matches", format!("{} in {}", count(self.matches), counted(self.spans, "place")));
        let common = match self.common_shingles {
            0 => String::new(),
            common => format!(" ({} common)", count(common)),
        };
        row("shingles of items", format!("{}{common}", count(self.shingles)));
        for (name, number) in [
            ("unreadable records", self.problems),
            ("unreadable items", self.item_problems),
            ("unreadable inputs", self.unreadable_inputs),
            ("skipped files", self.skipped_files),
        ] {
            if number > 0 {
                row(name, count(number));
            }
        }
        row("text", format!("{}, {} words", bytes(self.text_bytes), count(self.words)));
        if let Some(run) = &self.run {
            let speed = run.megabytes_per_second(self.text_bytes);
            run.rows(speed).into_iter().for_each(|(name, value)| row(name, value));
        }
        rows
    }

    /// A row for each benchmark, the first row the header.
    #[must_use]
    pub fn benchmark_table(&self) -> Vec<Vec<String>> {
        let header = ["benchmark", "items", "found", "share", "covered", "longest", "documents"];
        let mut rows = vec![header.map(str::to_owned).to_vec()];
        for of in &self.benchmarks {
            rows.push(vec![
                of.name.clone(),
                count(of.items),
                count(of.found),
                share(of.found, of.items),
                share(of.covered, of.words),
                count(of.longest),
                count(of.documents),
            ]);
        }
        rows
    }

    /// Warnings about what was not looked for.
    #[must_use]
    pub fn find_warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        let of_all =
            |number: fn(&BenchmarkSummary) -> u64| self.benchmarks.iter().map(number).sum();
        let (common, short): (u64, u64) = (of_all(|of| of.common), of_all(|of| of.short));
        if common > 0 {
            warnings.push(format!(
                "{} not looked for in full, as all shingles of a part are in more documents than the setting \
                 common, or in more items than the setting common_items; the table items lists them as `common`",
                were(common, "item")
            ));
        }
        if short > 0 {
            warnings.push(format!(
                "{} not looked for, as every part has too few words; the table items lists them as `short`",
                were(short, "item")
            ));
        }
        let empty = self.benchmarks.iter().filter(|of| of.items == 0);
        let empty: Vec<&str> = empty.map(|of| of.name.as_str()).collect();
        if let [first, ..] = empty.as_slice() {
            warnings.push(format!(
                "{} no item that can be read: {first}{}; look at the table problems",
                match empty.len() as u64 {
                    1 => "1 benchmark has".to_owned(),
                    more => format!("{} have", counted(more, "benchmark")),
                },
                if empty.len() == 1 { "" } else { ", …" }
            ));
        }
        if self.uncut > 0 {
            warnings.push(format!(
                "{} removed whole, with words that are of no item, as the text could not be cut",
                were(self.uncut, "document")
            ));
        }
        warnings
    }

    /// The file's content: indented JSON that ends with a line break.
    ///
    /// # Errors
    /// Serialisation failed, which does not occur for a well-formed summary.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        indented(self)
    }
}

fn were(number: u64, unit: &str) -> String {
    format!("{} {}", counted(number, unit), if number == 1 { "was" } else { "were" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_by_hand() {
        let benchmark = BenchmarkSummary {
            name: "gsm8k.jsonl".into(),
            items: 1319,
            found: 12,
            words: 2000,
            covered: 500,
            longest: 61,
            documents: 7,
            ..BenchmarkSummary::default()
        };
        let short = BenchmarkSummary { name: "b".into(), items: 2, short: 1, ..Default::default() };
        let none = BenchmarkSummary { name: "c".into(), ..Default::default() };
        let summary = ContaminationSummary {
            documents: 12_000,
            contaminated: 7,
            removed: 7,
            uncut: 2,
            benchmarks: vec![benchmark, short, none],
            matches: 13,
            spans: 14,
            shingles: 5000,
            common_shingles: 3,
            text_bytes: 1_500_000,
            words: 250_000,
            ..ContaminationSummary::default()
        };
        let rows: Vec<String> =
            summary.table().into_iter().map(|(name, value)| format!("{name}: {value}")).collect();
        assert_eq!(
            rows,
            [
                "documents: 12,000",
                "contaminated: 7 (< 0.1 %)",
                "  removed: 7",
                "matches: 13 in 14 places",
                "shingles of items: 5,000 (3 common)",
                "text: 1.50 MB, 250,000 words",
            ]
        );
        assert_eq!(
            summary.benchmark_table()[1],
            ["gsm8k.jsonl", "1,319", "12", "0.9 %", "25.0 %", "61", "7"]
        );
        let warnings = summary.find_warnings();
        let starts = [
            "1 item was not",
            "1 benchmark has no item that can be read: c;",
            "2 documents were removed whole",
        ];
        assert!(
            warnings.len() == 3
                && warnings.iter().zip(starts).all(|(one, start)| one.starts_with(start)),
            "{warnings:?}"
        );
    }
}
