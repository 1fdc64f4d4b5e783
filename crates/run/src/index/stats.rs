//! Figures of an index.

use super::filter_rule::FilterRule;
use super::open::Index;
use super::settings::IndexSettings;
use crate::LookalikeError;
use lookalike_report::human::counted;
use serde::Serialize;
use std::collections::BTreeMap;

/// Figures of an index.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct IndexStats {
    /// Documents.
    pub documents: u64,
    /// Documents that leader clustering keeps.
    pub kept: u64,
    /// Deleted documents whose rows and postings are still there.
    pub deleted: u64,
    /// The last commit.
    pub commit: u64,
    /// Postings, those of deleted documents included.
    pub postings: u64,
    /// Bytes of all files.
    pub bytes: u64,
    /// Bytes of the segments, by what they hold.
    pub bytes_by_section: BTreeMap<&'static str, u64>,
    /// The segments.
    pub segments: Vec<SegmentStats>,
    /// The sweeps, with their dates and numbers of documents.
    pub sweeps: Vec<super::sweeps::SweepStats>,
    /// The texts whose shingles are removed from all sets, if there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ignored_texts: Option<IgnoredStats>,
    /// The settings that it was created with.
    pub settings: IndexSettings,
    /// The rule of a filter, if one was set.
    #[serde(skip_serializing_if = "FilterRule::is_empty")]
    pub filter_rule: FilterRule,
}

/// Figures of texts whose shingles are ignored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct IgnoredStats {
    /// Number of texts.
    pub texts: u64,
    /// Number of their shingles.
    pub shingles: u64,
    /// Checksum of these, as in a summary.
    pub checksum: String,
}

/// Figures of a segment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SegmentStats {
    /// Its number.
    pub id: u64,
    /// Documents.
    pub documents: u64,
    /// Deleted documents that are still there.
    pub deleted: u64,
    /// Distinct sets.
    pub units: u32,
    /// Postings.
    pub postings: u64,
    /// Bytes of the file.
    pub bytes: u64,
}

impl Index {
    /// Figures of the last commit.
    ///
    /// # Errors
    /// Files that cannot be read.
    pub fn stats(&self) -> Result<IndexStats, LookalikeError> {
        let snapshot = self.snapshot()?;
        let mut by_section = BTreeMap::new();
        let mut segments = Vec::new();
        for live in snapshot.segments() {
            let segment = live.segment();
            for (name, bytes) in segment.section_bytes() {
                *by_section.entry(name).or_default() += bytes;
            }
            segments.push(SegmentStats {
                id: live.id(),
                documents: live.len(),
                deleted: live.deleted(),
                units: segment.units(),
                postings: segment.posting_count(),
                bytes: segment.bytes(),
            });
        }
        let own: u64 = segments.iter().map(|segment| segment.bytes).sum();
        let others = ["store.redb", "settings.json"]
            .map(|name| self.dir().join(name).metadata().map_or(0, |metadata| metadata.len()));
        Ok(IndexStats {
            documents: snapshot.len(),
            kept: snapshot.kept(),
            deleted: segments.iter().map(|segment| segment.deleted).sum(),
            commit: snapshot.commit(),
            postings: segments.iter().map(|segment| segment.postings).sum(),
            bytes: own + others.iter().sum::<u64>(),
            bytes_by_section: by_section,
            segments,
            sweeps: self.sweeps()?,
            ignored_texts: self.analysis.ignored.as_ref().map(|found| IgnoredStats {
                texts: found.texts,
                shingles: found.elements.elements().len() as u64,
                checksum: found.checksum(),
            }),
            settings: self.settings().clone(),
            filter_rule: self.filter_rule()?,
        })
    }
}

impl IndexStats {
    /// Names and values, for a table.
    #[must_use]
    pub fn table(&self) -> Vec<(String, String)> {
        let documents = &self.settings.documents;
        let texts = self.bytes_by_section.get("texts").copied().unwrap_or(0);
        let mut rows = vec![
            ("documents", self.documents.to_string()),
            ("kept", self.kept.to_string()),
            ("deleted, not yet dropped", self.deleted.to_string()),
            ("commit", self.commit.to_string()),
            ("segments", self.segments.len().to_string()),
            ("postings", self.postings.to_string()),
            ("bytes", self.bytes.to_string()),
            ("bytes a document", (self.bytes / self.documents.max(1)).to_string()),
            ("without texts", ((self.bytes - texts) / self.documents.max(1)).to_string()),
            ("measure", format!("{} {}", documents.measure.name(), documents.threshold)),
            ("keep", documents.keep.join(", ")),
            ("texts", if self.settings.texts { "stored" } else { "not stored" }.to_owned()),
        ];
        if let Some(across) = &documents.across {
            rows.push(("across", across.clone()));
        }
        if let Some(IgnoredStats { texts, shingles, .. }) = &self.ignored_texts {
            let (shingles, texts) = (counted(*shingles, "shingle"), counted(*texts, "text"));
            rows.push(("ignored", format!("{shingles} of {texts}")));
        }
        if let Some(lean) = &self.settings.lean {
            rows.push(("lean", format!("answers from {lean} on")));
        }
        let methods: Vec<&str> =
            self.settings.methods.iter().map(|method| method.spec.as_str()).collect();
        if !methods.is_empty() {
            rows.push(("methods", methods.join(", ")));
        }
        if let Some(length) = self.settings.passages {
            rows.push(("passages", format!("of {length} words and more")));
        }
        let FilterRule { ask, threshold, min_words, reports } = &self.filter_rule;
        let number = |number: &Option<u32>| number.map(|number| number.to_string());
        for (name, value) in [
            ("filter ask", ask.clone()),
            ("filter threshold", threshold.clone()),
            ("filter min-words", number(min_words)),
            ("filter reports", number(reports)),
        ] {
            rows.extend(value.map(|value| (name, value)));
        }
        let mut rows: Vec<(String, String)> =
            rows.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        for (name, bytes) in &self.bytes_by_section {
            rows.push((format!("bytes of {name}"), bytes.to_string()));
        }
        for sweep in &self.sweeps {
            let date = sweep.date.as_deref().unwrap_or("no date");
            rows.push((
                format!("sweep {}", sweep.name),
                format!("{} documents, {date}", sweep.documents),
            ));
        }
        rows
    }
}
