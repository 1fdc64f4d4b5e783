//! Counts the terms of documents.

use crate::reading::Documents;
use crate::{LookalikeError, Settings};
use lookalike_core::TextDigest;
use lookalike_core::fingerprint::{finalise, token};
use lookalike_engine::signer::plain_text;
use lookalike_engine::{Collection, EngineError, Problems, Progress, original, pipeline};
use lookalike_io::Item;
use lookalike_io::source::{Chunk, Piece, VisitScratch};
use lookalike_lexicon::{Builder, Description, Lexicon, LexiconError, MemoryBudget};
use lookalike_text::{ANALYSIS_NAME, AnalysisSettings, Analyzer, FilterScratch, TermFilter};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// The terms of all documents, counted.
pub struct CountedTerms {
    pub lexicon: Lexicon,
    pub(crate) problems: Problems,
    /// The documents that they were counted in.
    pub(crate) sum: DocumentSum,
}

/// A sum over documents in any order: equal where two readings gave the same texts at the same
/// places.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct DocumentSum(u128);

impl DocumentSum {
    fn of(file: u32, record: u32, TextDigest(text): TextDigest) -> Self {
        let place = u64::from(file) << 32 | u64::from(record);
        let mix = |half: u64| u128::from(finalise(finalise(place) ^ half));
        Self(mix((text >> 64) as u64) << 64 | mix(text as u64))
    }

    fn add(&mut self, other: Self) {
        self.0 = self.0.wrapping_add(other.0);
    }

    /// Fails where the documents that were read are not those that were counted.
    ///
    /// # Errors
    /// Other documents; rows on disk that cannot be read.
    pub(crate) fn check(
        self,
        collection: &Collection,
        documents: Documents<'_>,
    ) -> Result<(), LookalikeError> {
        let mut found = Self::default();
        collection.for_each(|_, document| {
            found.add(Self::of(document.file, document.record, document.text));
        })?;
        if found == self { Ok(()) } else { Err(documents.changed()) }
    }
}

/// The description of a lexicon of this analysis and term filter.
pub(crate) fn description(analysis: &AnalysisSettings, term_filter: &str) -> Description {
    let settings = serde_json::to_string(&analysis.decided()).unwrap_or_default();
    Description {
        analysis: format!("{ANALYSIS_NAME} {settings}"),
        term_filter: if term_filter.is_empty() { "all".into() } else { term_filter.into() },
    }
}

/// Counts the terms of discovered inputs. Bad records are reported when the documents are read.
///
/// # Errors
/// An unreadable input unless these are skipped: its terms would be missing.
pub(crate) fn count_terms(
    documents: Documents<'_>,
    settings: &Settings,
    description: &Description,
    threads: usize,
    skip_unreadable: bool,
    path: &Path,
    progress: &dyn Progress,
) -> Result<CountedTerms, LookalikeError> {
    let (memory, strict) = (MemoryBudget::default().0, false);
    let count =
        Count { documents, settings, description, threads, memory, strict, skip_unreadable };
    count.run(path, progress)
}

/// Input of a count.
pub(crate) struct Count<'a> {
    pub(crate) documents: Documents<'a>,
    pub(crate) settings: &'a Settings,
    pub(crate) description: &'a Description,
    pub(crate) threads: usize,
    pub(crate) memory: usize,
    pub(crate) strict: bool,
    pub(crate) skip_unreadable: bool,
}

/// Result of a chunk, besides counts.
#[derive(Default)]
struct Counted {
    documents: u64,
    sum: DocumentSum,
    consumed: u64,
    problems: Problems,
    failed: Option<LexiconError>,
}

impl Count<'_> {
    /// Counts, and writes the counts to a file.
    pub(crate) fn run(
        &self,
        path: &Path,
        progress: &dyn Progress,
    ) -> Result<CountedTerms, LookalikeError> {
        let bytes: u64 = self.documents.inputs.files.iter().map(|file| file.size).sum();
        // Documents in memory have no size that is known before.
        progress.phase("counting terms", Some(bytes).filter(|&bytes| bytes > 0));
        let name = &self.description.term_filter;
        let filter: TermFilter = name.parse().map_err(|_| EngineError::TermFilter(name.clone()))?;
        let analyzer = Analyzer::new(&self.settings.analysis);
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new("."));
        // As many builders as threads count at the same time. Any of them may count a chunk: the
        // sums are the same.
        let idle: Mutex<Vec<Builder>> = Mutex::default();
        let lock = || idle.lock().unwrap_or_else(PoisonError::into_inner);
        let memory = MemoryBudget(self.memory / self.threads);
        let count = |(visit, scratch): &mut (VisitScratch, FilterScratch), piece: Piece| {
            let (chunk, problem) = piece.into_parts();
            let mut counted = Counted::default();
            if let Some(chunk) = chunk {
                let free = lock().pop();
                let mut builder =
                    free.unwrap_or_else(|| Builder::new(self.description.clone(), memory, folder));
                let each = |text: &str, builder: &mut Builder| {
                    filter.terms(&analyzer, text, scratch, |term| {
                        builder.push(finalise(token(term)), term);
                    });
                };
                counted = self.count(&chunk, visit, &mut builder, each);
                lock().push(builder);
            }
            problem.into_iter().for_each(|problem| counted.problems.push(problem));
            counted
        };
        let mut problems = Problems::default();
        let mut outcome: Result<(), LookalikeError> = Ok(());
        let mut sum = DocumentSum::default();
        let collect = |counted: Counted| {
            outcome = match (counted.failed, self.first(&counted.problems)) {
                (Some(error), _) => Err(error.into()),
                (None, Some(problem)) if self.strict => {
                    Err(EngineError::Strict(problem.clone()).into())
                }
                (None, Some(problem)) if problem.unreadable && !self.skip_unreadable => {
                    Err(EngineError::Unreadable(problem.clone()).into())
                }
                _ if progress.cancelled() => Err(EngineError::Cancelled.into()),
                _ => Ok(()),
            };
            sum.add(counted.sum);
            problems.append(counted.problems);
            progress.advance(counted.consumed, counted.documents);
            outcome.is_ok()
        };
        self.documents.with_chunks(|chunks| {
            pipeline::ordered(self.threads, chunks, Default::default, count, collect);
            Ok(())
        })?;
        outcome?;
        let mut whole = Builder::new(self.description.clone(), MemoryBudget(self.memory), folder);
        for builder in idle.into_inner().unwrap_or_else(PoisonError::into_inner) {
            whole.absorb(builder)?;
        }
        Ok(CountedTerms { lexicon: whole.finish(path)?, problems, sum })
    }

    /// The problem that may stop the run: the first, or the first that makes an input unreadable.
    fn first<'p>(&self, problems: &'p Problems) -> Option<&'p lookalike_io::Problem> {
        match self.strict {
            true => problems.listed().first(),
            false => problems.first_unreadable(),
        }
    }

    /// Counts the documents of a chunk; `terms` pushes those of a text.
    fn count(
        &self,
        chunk: &Chunk,
        visit: &mut VisitScratch,
        builder: &mut Builder,
        mut terms: impl FnMut(&str, &mut Builder),
    ) -> Counted {
        let mut counted = Counted { consumed: chunk.consumed, ..Counted::default() };
        chunk.visit(self.documents.inputs, visit, &mut |item| match item {
            Item::Record(record) => {
                terms(&plain_text(&record.content), builder);
                counted.documents += 1;
                let text = original::digest(&record.content, record.beside);
                counted.sum.add(DocumentSum::of(record.file, record.record, text));
                if let Err(error) = builder.end_document() {
                    counted.failed.get_or_insert(error);
                }
            }
            Item::Bad(problem) => counted.problems.push(problem),
            Item::Failed(failure) => counted.problems.push(failure.into_problem()),
        });
        counted
    }
}
