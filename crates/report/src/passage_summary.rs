//! The summary of a search for repeated passages.

use crate::human::{bytes, count, counted, share};
use crate::summary::{indented, is_zero};
use crate::{CutPassages, InputSummary, KeepValues, LeftOutNames, Output, Run, Tool};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The content of `summary.json` of `passages`. All values but [`PassageSummary::run`] are the same bytes
/// for the same documents and settings.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PassageSummary {
    /// The program that wrote the file.
    pub tool: Tool,
    /// The subcommand.
    pub command: String,
    /// The settings, by name.
    pub settings: Map<String, Value>,
    /// The files of the documents.
    pub inputs: Vec<InputSummary>,
    /// Documents.
    pub documents: u64,
    /// Documents with a passage that stands at another place too.
    pub with_passages: u64,
    /// Rows of `passages`: passages that stand at an earlier place.
    pub passages: u64,
    /// Units in them, each once: words, if the setting `unit` says nothing else.
    pub later_units: u64,
    /// Units of passages wherever they stand, each once.
    pub repeated_units: u64,
    /// Units of the longest passage.
    pub longest: u64,
    /// Places of the passage with the most.
    pub most_copies: u64,
    /// Documents that are written as kept; all where none is written.
    pub kept: u64,
    /// Documents that are removed, as nothing is left.
    pub removed: u64,
    /// Kept documents with another text.
    pub cut: u64,
    /// Documents that could not be cut, and are kept as they are.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub uncut: u64,
    /// Units that are cut, those of removed documents included.
    pub cut_units: u64,
    /// Units that go besides, without a cut of their own: what is left between two cuts
    /// (setting `rest`) and of documents that are too short (setting `shortest`).
    #[serde(default, skip_serializing_if = "is_zero")]
    pub rest_units: u64,
    /// Rows of `cuts`.
    pub cuts: u64,
    /// Spans, where they are written in place of documents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spans: Option<SpanCounts>,
    /// Near passages, if some are listed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub near: Option<NearCounts>,
    /// Records that could not be read as documents.
    pub problems: u64,
    /// Files that could not be read to their end.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unreadable_inputs: u64,
    /// Skipped files of directories and patterns.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub skipped_files: u64,
    /// Files and directories in the inputs that are no data, by reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOutNames>,
    /// Units of the documents.
    pub units: u64,
    /// Bytes of their texts.
    pub text_bytes: u64,
    /// Rules of precedence for which documents have no value.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keep_values: Vec<KeepValues>,
    /// Warnings about the result.
    pub warnings: Vec<String>,
    /// Digest of the tables.
    pub digest: String,
    /// The written files.
    pub outputs: Vec<Output>,
    /// Time, memory and the like.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<Run>,
}

/// What spans say of the documents.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpanCounts {
    /// Documents with spans.
    pub documents: u64,
    /// Spans.
    pub spans: u64,
    /// Units in them.
    pub units: u64,
}

/// What a search says of near passages.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NearCounts {
    /// Rows of `near`.
    pub passages: u64,
    /// Documents with some that stand in an earlier document.
    pub documents: u64,
    /// Digest of the table.
    pub digest: String,
}

impl SpanCounts {
    /// Adds those of other documents.
    pub fn add(&mut self, other: Self) {
        self.documents += other.documents;
        self.spans += other.spans;
        self.units += other.units;
    }
}

impl PassageSummary {
    /// The numbers that the summary of `dedup` has.
    #[must_use]
    pub fn counts(&self) -> CutPassages {
        CutPassages {
            passages: self.passages,
            cut: self.cut,
            removed: self.removed,
            cut_units: self.cut_units + self.rest_units,
            units: self.units,
            unit: self.unit().to_owned(),
        }
    }

    /// Rows of name and value. Unusual counts that are 0 are omitted.
    #[must_use]
    pub fn table(&self) -> Vec<(String, String)> {
        let mut rows: Vec<(String, String)> = Vec::new();
        let mut row = |name: &str, value: String| rows.push((name.to_owned(), value));
        let of_documents = |part| format!("{} ({})", count(part), share(part, self.documents));
        let of_units = |part| format!("{} ({})", count(part), share(part, self.units));
        let unit = self.unit();
        row("documents", count(self.documents));
        row("  with passages", of_documents(self.with_passages));
        let longest = match self.passages {
            0 => String::new(),
            _ => format!(", the longest of {}", counted(self.longest, unit)),
        };
        row("passages", format!("{}{longest}", count(self.passages)));
        if let Some(near) = &self.near {
            let documents = counted(near.documents, "document");
            row("near passages", format!("{}, of {documents}", count(near.passages)));
        }
        row(&format!("{unit}s"), count(self.units));
        row("  in passages", of_units(self.repeated_units));
        row("  later copies", of_units(self.later_units));
        if self.cut_units > 0 {
            row("  cut", of_units(self.cut_units));
        }
        if self.rest_units > 0 {
            row("  rests", of_units(self.rest_units));
        }
        if let Some(spans) = self.spans {
            row("  in spans", of_units(spans.units));
            let documents = counted(spans.documents, "document");
            row("spans", format!("{} in {documents}", count(spans.spans)));
        }
        for (name, number) in [
            ("cut documents", self.cut),
            ("removed documents", self.removed),
            (if self.spans.is_some() { "without spans" } else { "uncut documents" }, self.uncut),
            ("unreadable records", self.problems),
            ("unreadable inputs", self.unreadable_inputs),
            ("skipped files", self.skipped_files),
        ] {
            if number > 0 {
                row(name, count(number));
            }
        }
        row("text", bytes(self.text_bytes));
        if let Some(run) = &self.run {
            let speed = run.megabytes_per_second(self.text_bytes);
            run.rows(speed).into_iter().for_each(|(name, value)| row(name, value));
        }
        rows
    }

    /// What passages are made of.
    #[must_use]
    pub fn unit(&self) -> &str {
        match self.settings.get("unit").and_then(Value::as_str) {
            None => "word",
            Some("char") => "character",
            Some(unit) if unit.starts_with("tokens:") => "token",
            Some(unit) => unit,
        }
    }

    /// Warnings about what was not cut, and about what another command finds better.
    #[must_use]
    pub fn find_warnings(&self) -> Vec<String> {
        let of_rules = self.keep_values.iter().map(|values| values.warning(self.documents));
        let mut warnings: Vec<String> = of_rules.collect();
        if self.uncut > 0 && self.spans.is_some() {
            warnings.push(format!(
                "{} with passages {} no spans, as the text was extracted from HTML",
                counted(self.uncut, "document"),
                if self.uncut == 1 { "has" } else { "have" },
            ));
        } else if self.uncut > 0 {
            warnings.push(format!(
                "{} could not be cut, as the text is not the value of one field, or the column is a dictionary \
                 or has lists of a fixed size, and {} kept as {}",
                counted(self.uncut, "document"),
                if self.uncut == 1 { "is" } else { "are" },
                if self.uncut == 1 { "it is" } else { "they are" },
            ));
        }
        if self.removed * 20 > self.documents {
            warnings.push(format!(
                "{} of {} documents have nothing but passages of others: run dedup first, which removes copies \
                 of documents as a whole, each with its proof",
                count(self.removed),
                count(self.documents)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_and_warnings_by_hand() {
        let summary = PassageSummary {
            documents: 40,
            with_passages: 10,
            passages: 1234,
            longest: 77,
            units: 10_000,
            repeated_units: 4000,
            later_units: 2500,
            cut_units: 2400,
            cut: 7,
            removed: 3,
            uncut: 1,
            text_bytes: 60_000,
            ..PassageSummary::default()
        };
        let rows = summary.table();
        let rows: Vec<String> =
            rows.iter().map(|(name, value)| format!("{name}: {value}")).collect();
        assert_eq!(
            rows,
            [
                "documents: 40",
                "  with passages: 10 (25.0 %)",
                "passages: 1,234, the longest of 77 words",
                "words: 10,000",
                "  in passages: 4,000 (40.0 %)",
                "  later copies: 2,500 (25.0 %)",
                "  cut: 2,400 (24.0 %)",
                "cut documents: 7",
                "removed documents: 3",
                "uncut documents: 1",
                "text: 60.0 kB",
            ]
        );
        let warnings = summary.find_warnings();
        assert!(warnings[0].starts_with("1 document could not be cut"), "{warnings:?}");
        assert!(warnings[1].starts_with("3 of 40 documents have nothing but"), "{warnings:?}");
        assert_eq!(PassageSummary::default().find_warnings(), Vec::<String>::new());
    }
}
