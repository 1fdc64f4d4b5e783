//! Builds lexicons: the document frequencies of a collection.

use crate::panics::caught;
use crate::reading::{Documents, Reading};
use crate::settings::thread_count;
use crate::{LookalikeError, Resources, Settings, Source};
use lookalike_core::TextDigest;
use lookalike_core::fingerprint::{finalise, token};
use lookalike_engine::signer::plain_text;
use lookalike_engine::{Collection, EngineError, Problems, Progress, original, pipeline};
use lookalike_io::source::{Chunk, VisitScratch};
use lookalike_io::{Inputs, Item};
use lookalike_lexicon::{Builder, Description, Lexicon, LexiconError, MemoryBudget};
use lookalike_text::{ANALYSIS_NAME, AnalysisSettings, Analyzer, FilterScratch, TermFilter};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The job of building a lexicon.
#[derive(Debug, Clone)]
pub struct LexiconJob {
    /// Files, directories or globs.
    pub inputs: Vec<String>,
    /// The file to write; an existing one is replaced once the new one is complete.
    pub output: PathBuf,
    /// Analysis of texts, and names of their fields.
    pub settings: Settings,
    /// Term filter: `stop+tg5+stem`, or empty for all.
    pub term_filter: String,
    /// Memory budget for terms in bytes; beyond it, terms are spilled to temporary files beside the
    /// output.
    pub memory: usize,
    /// Number of threads; 0 for as many as there are cores.
    pub threads: usize,
    /// Stop at the first bad record.
    pub strict: bool,
    /// Continue when an input cannot be read to its end, instead of failing.
    pub skip_unreadable: bool,
}

/// A lexicon that was built, and the problems of its inputs.
#[derive(Debug)]
pub struct Built {
    /// The lexicon.
    pub lexicon: Lexicon,
    /// Records and files that could not be used.
    pub problems: Problems,
}

/// The terms of all documents, counted.
pub(crate) struct CountedTerms {
    pub(crate) lexicon: Lexicon,
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
    let settings = serde_json::to_string(analysis).unwrap_or_default();
    Description {
        analysis: format!("{ANALYSIS_NAME} {settings}"),
        term_filter: if term_filter.is_empty() { "all".into() } else { term_filter.into() },
    }
}

/// Counts the terms of a collection and writes them to a file.
///
/// The bytes depend on the documents and the settings only, not on threads, memory or order.
///
/// # Errors
/// Missing inputs, an unknown term filter, files that cannot be written.
pub fn build_lexicon(job: &LexiconJob, progress: &dyn Progress) -> Result<Built, LookalikeError> {
    let exclude = vec![job.output.clone()];
    let inputs = Inputs::discover(&job.inputs, job.settings.reading(exclude, None))?;
    build(Documents::of_files(&inputs), job, progress)
}

/// Counts the terms of a source and writes them to a file: the bytes that [`build_lexicon`] writes
/// for the same texts.
///
/// [`Resources::memory`] is the budget for terms (256 MiB if there is none); beyond it, terms are
/// spilled to temporary files beside `output`.
///
/// ```
/// use lookalike::{Resources, Settings, Silent, Source, Statistics, build_lexicon_from};
///
/// # fn main() -> Result<(), lookalike::LookalikeError> {
/// # let folder = tempfile::tempdir().expect("a temporary directory");
/// let source = Source::records(["to be or not to be", "to do is to be"]);
/// let (settings, path) = (Settings::default(), folder.path().join("hamlet.lexicon"));
/// let built = build_lexicon_from(source, &settings, "all", &path, &Resources::default(), &Silent)?;
/// assert_eq!((built.lexicon.documents(), built.lexicon.len()), (2, 6));
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// As [`build_lexicon`]; a source that ends with an error.
pub fn build_lexicon_from(
    source: Source<'_>,
    settings: &Settings,
    term_filter: &str,
    output: &Path,
    resources: &Resources,
    progress: &dyn Progress,
) -> Result<Built, LookalikeError> {
    let usual = MemoryBudget::default().0;
    let memory = resources.memory.map(|memory| usize::try_from(memory).unwrap_or(usize::MAX));
    let job = LexiconJob {
        inputs: Vec::new(),
        output: output.to_owned(),
        settings: settings.clone(),
        term_filter: term_filter.to_owned(),
        memory: memory.unwrap_or(usual),
        threads: resources.threads,
        strict: resources.strict,
        skip_unreadable: false,
    };
    let (inputs, caller) = source.open(settings.reading(vec![job.output.clone()], None))?;
    let reading = caller.as_ref().map_or(Reading::Files, |caller| Reading::Caller(caller));
    build(Documents { inputs: &inputs, reading }, &job, progress)
}

fn build(
    documents: Documents<'_>,
    job: &LexiconJob,
    progress: &dyn Progress,
) -> Result<Built, LookalikeError> {
    let filter: TermFilter =
        job.term_filter.parse().map_err(|_| EngineError::TermFilter(job.term_filter.clone()))?;
    let description = description(&job.settings.analysis, &filter.to_string());
    let count = Count {
        documents,
        settings: &job.settings,
        description: &description,
        threads: thread_count(job.threads),
        memory: job.memory,
        strict: job.strict,
        skip_unreadable: job.skip_unreadable,
    };
    let counted = caught(|| count.run(&job.output, progress))?;
    Ok(Built { lexicon: counted.lexicon, problems: counted.problems })
}

/// Counts the terms of discovered inputs.
pub(crate) fn count_terms(
    documents: Documents<'_>,
    settings: &Settings,
    description: &Description,
    threads: usize,
    path: &Path,
    progress: &dyn Progress,
) -> Result<CountedTerms, LookalikeError> {
    // Problems are reported, or fail the run, when the documents are read.
    let (memory, strict, skip_unreadable) = (MemoryBudget::default().0, false, true);
    let count =
        Count { documents, settings, description, threads, memory, strict, skip_unreadable };
    count.run(path, progress)
}

/// Input of a count.
struct Count<'a> {
    documents: Documents<'a>,
    settings: &'a Settings,
    description: &'a Description,
    threads: usize,
    memory: usize,
    strict: bool,
    skip_unreadable: bool,
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
    fn run(&self, path: &Path, progress: &dyn Progress) -> Result<CountedTerms, LookalikeError> {
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
        let count = |(visit, scratch): &mut (VisitScratch, FilterScratch), chunk| match chunk {
            Err(problem) => {
                let mut counted = Counted::default();
                counted.problems.push(problem);
                counted
            }
            Ok(chunk) => {
                let free = lock().pop();
                let mut builder =
                    free.unwrap_or_else(|| Builder::new(self.description.clone(), memory, folder));
                let each = |text: &str, builder: &mut Builder| {
                    filter.terms(&analyzer, text, scratch, |term| {
                        builder.push(finalise(token(term)), term);
                    });
                };
                let counted = self.count(&chunk, visit, &mut builder, each);
                lock().push(builder);
                counted
            }
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
                let text = original::digest(&record.content);
                counted.sum.add(DocumentSum::of(record.file, record.record, text));
                if let Err(error) = builder.end_document() {
                    counted.failed.get_or_insert(error);
                }
            }
            Item::Bad(problem) => counted.problems.push(problem),
        });
        counted
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lookalike_engine::Silent;
    use lookalike_methods::Statistics;

    fn job(folder: &Path, threads: usize, strict: bool) -> LexiconJob {
        LexiconJob {
            inputs: vec![folder.join("in").display().to_string()],
            output: folder.join(format!("{threads}.lexicon")),
            settings: Settings::default(),
            term_filter: String::new(),
            memory: 1 << 20,
            threads,
            strict,
            skip_unreadable: false,
        }
    }

    /// Many files with a bad record in two of them.
    fn inputs() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("in")).unwrap();
        for number in 0..40 {
            let bad = if number % 30 == 7 { "no json\n" } else { "" };
            let lines =
                format!("{{\"text\":\"term{number} common\"}}\n{bad}{{\"text\":\"common\"}}\n");
            std::fs::write(folder.path().join(format!("in/{number:02}.jsonl")), lines).unwrap();
        }
        folder
    }

    #[test]
    fn threads_do_not_change_a_byte() {
        let folder = inputs();
        let bytes = [1, 2, 8].map(|threads| {
            let job = job(folder.path(), threads, false);
            let built = build_lexicon(&job, &Silent).unwrap();
            assert_eq!((built.lexicon.documents(), built.lexicon.len()), (80, 41));
            let places: Vec<_> = built.problems.listed().iter().map(|p| (p.file, p.line)).collect();
            assert_eq!(places, [(7, 2), (37, 2)]);
            std::fs::read(job.output).unwrap()
        });
        assert!(bytes[0] == bytes[1] && bytes[1] == bytes[2]);
    }

    #[test]
    fn strict_stops_at_the_first_bad_record_on_any_thread() {
        let folder = inputs();
        for threads in [1, 2, 8] {
            let job = job(folder.path(), threads, true);
            let error = build_lexicon(&job, &Silent).unwrap_err().to_string();
            assert!(error.contains("07.jsonl"), "{error}");
            assert!(!job.output.exists());
        }
    }
}
