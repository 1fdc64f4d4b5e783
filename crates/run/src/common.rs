//! Finds the common shingles of the inputs before documents are compared (Broder 1997, "Common
//! shingles").
//!
//! All inputs, protected ones included, are read one more time, before the run: distinct feature
//! sets are computed as in a run, within the memory budget, and the elements in more than
//! [`Settings::ignore_common`](crate::Settings::ignore_common) of them are counted exactly. The run
//! then reads with this list as a filter, so that all later steps see sets and sketches without
//! common elements.

use crate::memory::Memory;
use crate::reading::Documents;
use crate::{Job, LookalikeError, state};
use lookalike_core::{CommonElements, FeatureKind, Measure};
use lookalike_engine::{
    Approach, Collection, EngineError, IngestOptions, MatchSettings, Progress, Signer, Units,
    common_elements,
};
use lookalike_spill::{read_checked_file, write_checked_file};
use lookalike_text::Terms;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use xxhash_rust::xxh3::Xxh3;

/// Common elements, and a digest of the collection in which they were counted.
#[derive(Debug, Clone)]
struct Counted {
    elements: Arc<CommonElements>,
    /// See [`content`].
    content: u128,
    /// Whether all inputs could be read.
    whole: bool,
}

/// Counts common elements, once for each kind of features.
pub struct CommonCounts<'a> {
    documents: Documents<'a>,
    most: Option<u32>,
    settings: MatchSettings,
    threads: usize,
    skip_unreadable: bool,
    memory: Memory,
    /// Directory of temporary files.
    scratch: PathBuf,
    /// Directory of finished counts, for a resumed run.
    kept: Option<PathBuf>,
    progress: &'a dyn Progress,
    counted: Vec<(FeatureKind, Counted)>,
}

impl<'a> CommonCounts<'a> {
    /// Counts for a job; nothing is counted if `Settings::ignore_common` is `None`.
    pub fn new(
        job: &Job,
        documents: Documents<'a>,
        settings: &MatchSettings,
        kept: Option<PathBuf>,
        progress: &'a dyn Progress,
    ) -> Self {
        Self {
            documents,
            most: job.settings.ignore_common,
            settings: settings.clone(),
            threads: job.thread_count(),
            skip_unreadable: job.skip_unreadable,
            memory: Memory::of(job.memory),
            scratch: state::folder(job),
            kept,
            progress,
            counted: Vec::new(),
        }
    }

    /// Sets the elements that are removed from feature sets and from the method's sets.
    ///
    /// Runs on the current rayon pool.
    ///
    /// # Errors
    /// A method without shingles if complete sets are not compared either; inputs that cannot be
    /// read.
    pub(crate) fn apply(
        &mut self,
        settings: &mut MatchSettings,
        approach: &mut Approach,
    ) -> Result<(), LookalikeError> {
        if self.most.is_none() {
            return Ok(());
        }
        if approach.keeps_sets() {
            settings.common = self.of(settings.features)?;
        }
        let Some(method) = &approach.method else { return Ok(()) };
        match method.shingles() {
            Some(kind) => approach.common = self.of(kind)?,
            None if approach.keeps_sets() => {}
            None => {
                return Err(LookalikeError::Settings(
                    "the setting ignore_common removes shingles, and this method makes none; leave it out, \
                     or use the setting verify=exact, which compares feature sets"
                        .into(),
                ));
            }
        }
        Ok(())
    }

    /// The common elements of the feature sets of this kind.
    pub fn of(&mut self, kind: FeatureKind) -> Result<Option<Arc<CommonElements>>, LookalikeError> {
        let Some(most) = self.most else { return Ok(None) };
        let known = self.counted.iter().find(|(known, _)| same_elements(*known, kind));
        if let Some((_, counted)) = known {
            return Ok(Some(counted.elements.clone()));
        }
        if matches!(kind, FeatureKind::Shingles { .. }) && self.settings.terms != Terms::All {
            return Err(LookalikeError::Settings(
                "the setting ignore_common does not count shingles of filtered terms; leave out \
                 the setting terms or the setting method"
                    .into(),
            ));
        }
        let file = self.kept.as_ref().map(|folder| folder.join(name_of(kind)));
        let counted = match file.as_deref().and_then(read) {
            Some(counted) => counted,
            None => {
                let counted = self.count(kind, most)?;
                // What could not be read may be readable when the run is resumed.
                if let Some(file) = file.filter(|_| counted.whole) {
                    write(&file, &counted)?;
                }
                counted
            }
        };
        self.counted.push((kind, counted));
        Ok(self.counted.last().map(|(_, counted)| counted.elements.clone()))
    }

    fn count(&self, kind: FeatureKind, most: u32) -> Result<Counted, LookalikeError> {
        // Equal sets count once, also those of documents that are not compared.
        let settings = MatchSettings {
            features: kind,
            common: None,
            min_features: None,
            ..self.settings.clone()
        };
        let options = IngestOptions {
            memory: self.memory.sets(),
            sequences: self.memory.sequences(),
            scratch: self.scratch.clone(),
            skip_unreadable: self.skip_unreadable,
            ..IngestOptions::in_memory(self.threads)
        };
        let signer = Signer::new(&settings).of_texts_alone();
        let collection = self.documents.ingest(&signer, &options, self.progress)?;
        let units = Units::new(&collection, &[], Measure::Resemblance, self.progress)?;
        let elements =
            common_elements(&collection, &units, most, self.memory.counting(), self.progress)?;
        let content = content(&collection)?;
        let whole = collection.problems.unreadable().next().is_none();
        Ok(Counted { elements: Arc::new(elements), content, whole })
    }

    /// Checks that the documents are those that were counted.
    pub(crate) fn check(&self, collection: &Collection) -> Result<(), LookalikeError> {
        if self.counted.is_empty() {
            return Ok(());
        }
        let found = content(collection)?;
        match self.counted.iter().all(|(_, counted)| counted.content == found) {
            true => Ok(()),
            false => Err(self.documents.changed()),
        }
    }
}

/// Whether two kinds have the same common elements: the treatment of short documents does not
/// matter, as the whole text of one is in no other set.
pub fn same_elements(a: FeatureKind, b: FeatureKind) -> bool {
    match (a, b) {
        (FeatureKind::Terms, FeatureKind::Terms) => true,
        (FeatureKind::Shingles { size: a, .. }, FeatureKind::Shingles { size: b, .. }) => a == b,
        _ => false,
    }
}

fn name_of(kind: FeatureKind) -> String {
    match kind {
        FeatureKind::Terms => "common-terms".into(),
        FeatureKind::Shingles { size, .. } => format!("common-shingles-{size}"),
    }
}

/// Reads the counts of an earlier run; `None` if they are damaged, and must be counted again.
fn read(path: &Path) -> Option<Counted> {
    let read = read_checked_file(path, |from, most| {
        Ok((from.array::<u128>(most)?, from.array::<u64>(most)?))
    });
    let (content, elements) = read.ok()??;
    let elements = Arc::new(CommonElements::new(elements));
    Some(Counted { elements, content: *content.first()?, whole: true })
}

fn write(path: &Path, counted: &Counted) -> Result<(), LookalikeError> {
    let written = write_checked_file(path, |out| {
        out.array(&[counted.content])?;
        out.array(counted.elements.elements())
    });
    written.map_err(|error| {
        let folder = path.parent().unwrap_or(path).display().to_string();
        EngineError::Scratch { folder, reason: error.to_string() }.into()
    })
}

/// Digest of the documents of a collection and their texts, to compare two readings.
///
/// # Errors
/// A chunk on disk that cannot be read.
pub fn content(collection: &Collection) -> Result<u128, EngineError> {
    let mut digest = Xxh3::new();
    collection.for_each(|_, document| {
        digest.update(&document.file.to_le_bytes());
        digest.update(&document.record.to_le_bytes());
        digest.update(&document.text.0.to_le_bytes());
    })?;
    Ok(digest.digest128())
}

/// Checks that a collection has the documents and texts of another reading, by their [`content`].
///
/// # Errors
/// Other documents; a chunk on disk that cannot be read.
pub fn check_content(
    documents: Documents<'_>,
    collection: &Collection,
    known: u128,
) -> Result<(), LookalikeError> {
    match content(collection)? == known {
        true => Ok(()),
        false => Err(documents.changed()),
    }
}
