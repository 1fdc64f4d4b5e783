//! Inputs in, a lexicon out: in how many documents each term is.

use crate::{LookalikeError, Settings};
use lookalike_core::fingerprint::{finalise, token};
use lookalike_engine::signer::plain_text;
use lookalike_engine::{EngineError, Progress};
use lookalike_io::source::VisitScratch;
use lookalike_io::{DiscoverOptions, Inputs, Item, Problem};
use lookalike_lexicon::{Builder, Description, Lexicon, Memory};
use lookalike_text::{ANALYSIS_NAME, AnalysisSettings, Analyzer, FilterScratch, TermFilter};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// What a lexicon is counted from, and where it goes.
#[derive(Debug, Clone)]
pub struct LexiconJob {
    /// Files, directories or globs.
    pub inputs: Vec<String>,
    /// The file to write; one that is there is replaced when the new one is whole.
    pub output: PathBuf,
    /// How texts become tokens, and which fields hold them.
    pub settings: Settings,
    /// Which tokens count as terms: `stop+tg5+stem`, or empty for all.
    pub term_filter: String,
    /// Bytes of terms held in memory before they go to temporary files beside the output.
    pub memory: usize,
    /// Number of threads; 0 for as many as there are cores.
    pub threads: usize,
    /// Stop at the first bad record.
    pub strict: bool,
}

/// A lexicon that was built, and what could not be read for it.
#[derive(Debug)]
pub struct Built {
    /// The lexicon.
    pub lexicon: Lexicon,
    /// Records and files that could not be used: the first of them.
    pub problems: Vec<Problem>,
    /// How many there are.
    pub problem_count: u64,
}

/// What a lexicon of this analysis and term filter says of itself.
pub(crate) fn description(analysis: &AnalysisSettings, term_filter: &str) -> Description {
    let settings = serde_json::to_string(analysis).unwrap_or_default();
    Description {
        analysis: format!("{ANALYSIS_NAME} {settings}"),
        term_filter: if term_filter.is_empty() { "all".into() } else { term_filter.into() },
    }
}

/// Counts the terms of a collection and writes them to a file.
///
/// The bytes depend on the documents and the settings alone, not on threads, memory or order.
///
/// # Errors
/// Inputs that are not there, a term filter that does not exist, files that cannot be written.
pub fn build_lexicon(job: &LexiconJob, progress: &dyn Progress) -> Result<Built, LookalikeError> {
    let options = DiscoverOptions {
        fields: job.settings.fields.clone(),
        format: job.settings.format,
        max_record: job.settings.max_record,
        exclude: vec![job.output.clone()],
        ..DiscoverOptions::default()
    };
    let inputs = Inputs::discover(&job.inputs, options)?;
    let filter: TermFilter =
        job.term_filter.parse().map_err(|_| EngineError::TermFilter(job.term_filter.clone()))?;
    let description = description(&job.settings.analysis, &filter.to_string());
    let threads = match job.threads {
        0 => std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
        threads => threads,
    };
    let count =
        Count { inputs: &inputs, settings: &job.settings, description: &description, threads };
    count.run(job.memory, job.strict, &job.output, progress)
}

/// Counts the terms of inputs that are known already.
pub(crate) fn count_terms(
    inputs: &Inputs,
    settings: &Settings,
    description: &Description,
    threads: usize,
    path: &Path,
    progress: &dyn Progress,
) -> Result<Lexicon, LookalikeError> {
    // A bad record is told of when the documents are read.
    let count = Count { inputs, settings, description, threads };
    Ok(count.run(Memory::default().0, false, path, progress)?.lexicon)
}

/// Problems that are listed; all are counted.
const LISTED: usize = 1000;

/// What is counted.
struct Count<'a> {
    inputs: &'a Inputs,
    settings: &'a Settings,
    description: &'a Description,
    threads: usize,
}

impl Count<'_> {
    fn run(
        &self,
        memory: usize,
        strict: bool,
        path: &Path,
        progress: &dyn Progress,
    ) -> Result<Built, LookalikeError> {
        let Self { inputs, settings, description, threads } = *self;
        progress.phase("counting terms", Some(inputs.files.iter().map(|file| file.size).sum()));
        let filter: TermFilter = description
            .term_filter
            .parse()
            .map_err(|_| EngineError::TermFilter(description.term_filter.clone()))?;
        let analyzer = Analyzer::new(&settings.analysis);
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new("."));
        let chunks = Mutex::new(inputs.chunks());
        let problems = Mutex::new((Vec::new(), 0u64));
        let report = |problem| {
            let mut problems = problems.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            problems.1 += 1;
            if problems.0.len() < LISTED {
                problems.0.push(problem);
            }
        };
        let worker = || -> Result<Builder, LookalikeError> {
            let mut builder = Builder::new(description.clone(), Memory(memory / threads), folder);
            let (mut visit, mut scratch) = (VisitScratch::default(), FilterScratch::default());
            loop {
                let next = chunks.lock().unwrap_or_else(std::sync::PoisonError::into_inner).next();
                let chunk = match next {
                    None => return Ok(builder),
                    Some(Err(problem)) => {
                        report(problem);
                        continue;
                    }
                    Some(Ok(chunk)) => chunk,
                };
                let (mut documents, mut failed) = (0, None);
                chunk.visit(inputs, &mut visit, &mut |item| match item {
                    Item::Record(record) => {
                        let text = plain_text(&record.content);
                        filter.terms(&analyzer, &text, &mut scratch, |term| {
                            builder.push(finalise(token(term)), term);
                        });
                        documents += 1;
                        if let Err(error) = builder.end_document() {
                            failed.get_or_insert(error);
                        }
                    }
                    Item::Bad(problem) => report(problem),
                });
                if let Some(error) = failed {
                    return Err(error.into());
                }
                let first = {
                    let problems =
                        problems.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                    problems.0.first().cloned()
                };
                if let Some(problem) = first.filter(|_| strict) {
                    return Err(EngineError::Strict(problem).into());
                }
                if progress.cancelled() {
                    return Err(EngineError::Cancelled.into());
                }
                progress.advance(chunk.consumed, documents);
            }
        };
        let builders = std::thread::scope(|scope| {
            let workers: Vec<_> = (0..threads).map(|_| scope.spawn(worker)).collect();
            let joined = workers.into_iter().map(|worker| match worker.join() {
                Ok(builder) => builder,
                Err(panic) => std::panic::resume_unwind(panic),
            });
            joined.collect::<Result<Vec<Builder>, LookalikeError>>()
        })?;
        let mut whole = Builder::new(description.clone(), Memory(memory), folder);
        for builder in builders {
            whole.absorb(builder)?;
        }
        let lexicon = whole.finish(path)?;
        let (problems, problem_count) =
            problems.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        Ok(Built { lexicon, problems, problem_count })
    }
}
