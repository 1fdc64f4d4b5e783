//! A search in portions, for engines that divide the documents among tasks.
//!
//! Only two things depend on all documents: which n-grams are common, and what is said of each item. So
//! the portions are counted first ([`PortionSearch::counts`]), then each is searched with the counts of
//! all ([`PortionSearch::find`]), and what they found of the items is added up
//! ([`PortionSearch::items`]). The tables are those of one search.

use super::fates::{ContaminatedDocument, LocatedDocument};
use super::items::Items;
use super::matching::{Counted, Decisions};
use super::scan::Scan;
use super::search::{check_items, item_reading};
use super::searched::Searched;
use super::second_reading::read_again;
use super::settings::{ContaminationAction, ContaminationSettings};
use super::tables::{FoundParts, MatchTables, write_benchmarks, write_items};
use crate::panics::caught;
use crate::reading::{Documents, Reading};
use crate::readings::first::Admitted;
use crate::source::{Source, reads_twice};
use crate::table_store::TablesInMemory;
use crate::words::WordReader;
use crate::{LookalikeError, ResultTable, Settings, feature_settings};
use lookalike_core::Threshold;
use lookalike_engine::Silent;
use lookalike_engine::pipeline::PipelineLimits;

/// A portion is read by one thread: engines divide the machine.
const LIMITS: PipelineLimits = PipelineLimits { threads: 1, in_flight: 64 << 20 };

/// Records that cannot be used are counted.
const ADMITTED: Admitted = Admitted { strict: false, skip_unreadable: false };

/// The items of benchmarks, to be looked for in portions of documents.
pub struct PortionSearch {
    settings: Settings,
    contamination: ContaminationSettings,
    threshold: Threshold,
    items: Items,
    reader: WordReader,
}

/// Which n-grams of the items count.
pub struct CountedNgrams(Counted);

/// What was found in a portion. Records are numbered from 1 in the portion.
#[derive(Debug)]
pub struct Portion {
    /// Each document with each part that it contains.
    pub contamination: ResultTable,
    /// The places of these parts.
    pub spans: ResultTable,
    /// What is written about each document that contains a part, in order.
    pub contaminated: Vec<ContaminatedDocument>,
    /// What was found of the items, for [`PortionSearch::items`].
    pub found: Vec<u8>,
    /// Documents that could be read.
    pub documents: u64,
    /// Records that could not be used.
    pub problems: u64,
}

/// What is said of items, after all portions.
#[derive(Debug)]
pub struct PortionItems {
    /// Every part of every item, found or not.
    pub items: ResultTable,
    /// Every benchmark.
    pub benchmarks: ResultTable,
}

impl PortionSearch {
    /// Reads the items.
    ///
    /// # Errors
    /// Settings that make no sense; items that cannot be read.
    pub fn new(
        against: Source<'_>,
        settings: &Settings,
        contamination: &ContaminationSettings,
    ) -> Result<Self, LookalikeError> {
        let threshold = contamination.check()?;
        feature_settings::refuse(&settings.fields, "decontaminate")?;
        let reading = item_reading(settings, contamination, Vec::new(), None);
        let (inputs, caller) =
            against.open(reading, |inputs| check_items(inputs, contamination, &Silent))?;
        let items = Documents {
            inputs: &inputs,
            reading: caller.as_ref().map_or(Reading::Files, |caller| Reading::Caller(caller)),
        };
        let reader = WordReader::new(&settings.analysis.decided(), settings.fields.has_sections());
        let text_field = &settings.fields.text;
        let items = Items::read(items, &reader, text_field, contamination, ADMITTED, &Silent)?;
        let (settings, contamination) = (settings.clone(), contamination.clone());
        Ok(Self { settings, contamination, threshold, items, reader })
    }

    /// In how many documents of a portion each n-gram of the items is: its number and theirs, of those
    /// that are in any.
    ///
    /// # Errors
    /// Documents that cannot be read.
    pub fn counts(&self, source: Source<'_>) -> Result<Vec<(u32, u32)>, LookalikeError> {
        self.with_documents(source, |documents| {
            let counted = self.scan(documents)?.frequencies;
            Ok((0..).zip(counted).filter(|&(_, documents)| documents > 0).collect())
        })
    }

    /// Which n-grams count, by the sums of [`PortionSearch::counts`] of all portions. N-grams that are in
    /// no more documents than [`ContaminationSettings::common`] may be left out.
    #[must_use]
    pub fn counted(&self, documents: &[(u32, u64)]) -> CountedNgrams {
        let mut frequencies = vec![0; self.items.index.len()];
        for &(ngram, documents) in documents {
            if let Some(frequency) = frequencies.get_mut(ngram as usize) {
                *frequency = u32::try_from(documents).unwrap_or(u32::MAX);
            }
        }
        CountedNgrams(Counted::new(&frequencies, &self.items, &self.contamination))
    }

    /// Finds the documents of a portion that contain items.
    ///
    /// # Errors
    /// Documents that cannot be read, or only once.
    pub fn find(
        &self,
        source: Source<'_>,
        counted: &CountedNgrams,
    ) -> Result<Portion, LookalikeError> {
        let (items, reader) = (&self.items, &self.reader);
        self.with_documents(source, |documents| {
            let scan = self.scan(documents)?;
            let counted = counted.0.clone();
            let decisions = Decisions::new(&scan, items, counted, self.threshold, &Silent)?;
            let (scan, decisions) = (&scan, &decisions);
            let searched = Searched { items, scan, decisions, reader };
            let mut contaminated = Vec::new();
            let read = |each: &mut dyn FnMut(LocatedDocument) -> _| {
                let mut each = |mut document: LocatedDocument| {
                    contaminated.extend(document.written.take());
                    each(document)
                };
                let cut = ContaminationAction::Cut;
                read_again(searched, documents, LIMITS, cut, None, &mut each, &Silent)
            };
            let (tables, found, _) =
                MatchTables::write(&TablesInMemory, items, decisions, read, &Silent)?;
            let MatchTables { contamination, spans, .. } = tables;
            let (documents, problems) =
                (scan.reading.counts().documents, scan.reading.problems.count());
            if self.settings.fields.has_sections() {
                // No field has the text.
                contaminated.iter_mut().for_each(|document| document.left = None);
            }
            let found = to_bytes(&found)?;
            Ok(Portion { contamination, spans, contaminated, found, documents, problems })
        })
    }

    /// What is said of the items, from what was found in all portions.
    ///
    /// # Errors
    /// Bytes that no portion gave.
    pub fn items(
        &self,
        found: &[u8],
        counted: &CountedNgrams,
    ) -> Result<PortionItems, LookalikeError> {
        let found = from_bytes(found)?;
        let (items, benchmarks) =
            write_items(&TablesInMemory, &self.items, &counted.0, &found, &Silent)?;
        let benchmarks = write_benchmarks(&TablesInMemory, &benchmarks, &Silent)?;
        Ok(PortionItems { items, benchmarks })
    }

    fn with_documents<T>(
        &self,
        source: Source<'_>,
        work: impl FnOnce(Documents<'_>) -> Result<T, LookalikeError>,
    ) -> Result<T, LookalikeError> {
        if source.is_read_once() {
            return Err(reads_twice("decontaminate", source.name()));
        }
        let reading = self.settings.reading(Vec::new(), None);
        let (inputs, caller) = source.open(reading, |_| Ok(()))?;
        let reading = caller.as_ref().map_or(Reading::Files, |caller| Reading::Caller(caller));
        caught(|| work(Documents { inputs: &inputs, reading }))
    }

    fn scan(&self, documents: Documents<'_>) -> Result<Scan, LookalikeError> {
        // What is common is decided by all portions.
        let settings = ContaminationSettings { common: u32::MAX, ..self.contamination.clone() };
        let Self { items, reader, .. } = self;
        Scan::read(documents, items, reader, &settings, ADMITTED, LIMITS, &Silent)
    }
}

/// What was found of the items in several portions, from what was found in each.
///
/// # Errors
/// Bytes that no portion gave.
pub fn add_found<'p>(
    portions: impl IntoIterator<Item = &'p [u8]>,
) -> Result<Vec<u8>, LookalikeError> {
    let mut all = FoundParts::default();
    for portion in portions {
        all.append(from_bytes(portion)?);
    }
    to_bytes(&all)
}

fn to_bytes(found: &FoundParts) -> Result<Vec<u8>, LookalikeError> {
    serde_json::to_vec(found).map_err(|error| LookalikeError::Settings(error.to_string()))
}

fn from_bytes(bytes: &[u8]) -> Result<FoundParts, LookalikeError> {
    let damaged = |error| {
        LookalikeError::Settings(format!("what a portion found of the items is damaged: {error}"))
    };
    serde_json::from_slice(bytes).map_err(damaged)
}
