//! Builds lexicons: the document frequencies of a collection.

use crate::feature_settings;
use crate::input_fields;
use crate::panics::caught;
use crate::reading::{Documents, Reading};
use crate::settings::thread_count;
use crate::term_counts::{Count, description};
use crate::{LookalikeError, Resources, Settings, Source};
use lookalike_engine::{EngineError, Problems, Progress};
use lookalike_io::Inputs;
use lookalike_io::sink::check_file;
use lookalike_lexicon::{Lexicon, MemoryBudget};
use lookalike_text::TermFilter;
use std::path::{Path, PathBuf};

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

/// Counts the terms of a collection and writes them to a file.
///
/// The bytes depend on the documents and the settings only, not on threads, memory or order.
///
/// # Errors
/// Missing inputs, an unknown term filter, an output that is one of the inputs, files that cannot be
/// written.
pub fn build_lexicon(job: &LexiconJob, progress: &dyn Progress) -> Result<Built, LookalikeError> {
    feature_settings::refuse(&job.settings.fields, "a lexicon")?;
    let reading = job.settings.reading(earlier(&job.output), None);
    let inputs = Inputs::discover(&job.inputs, reading)?;
    check_file(&job.output, "output", inputs.paths())?;
    input_fields::check(&inputs, &|| progress.cancelled())?;
    build(Documents::of_files(&inputs), job, progress)
}

/// Counts the terms of a source and writes them to a file: the bytes that [`build_lexicon`] writes
/// for the same texts.
///
/// [`Resources::memory`] is the budget for terms (256 MiB if there is none); beyond it, terms are
/// spilled to temporary files beside `output`.
///
/// ```
/// use lookalike::{Resources, Settings, Silent, Source};
/// use lookalike::methods::Statistics;
/// use lookalike::lexicon::build_lexicon_from;
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
    feature_settings::refuse(&settings.fields, "a lexicon")?;
    let (inputs, caller) = source.open(settings.reading(earlier(output), None), |inputs| {
        input_fields::check(inputs, &|| false)
    })?;
    check_file(output, "output", inputs.paths())?;
    let reading = caller.as_ref().map_or(Reading::Files, |caller| Reading::Caller(caller));
    build(Documents { inputs: &inputs, reading }, &job, progress)
}

/// The lexicon that a new one replaces: in a directory to read, it is no document. Any other file at
/// its place may be one.
fn earlier(output: &Path) -> Vec<PathBuf> {
    Some(output).filter(|output| Lexicon::is_at(output)).map(Path::to_owned).into_iter().collect()
}

/// Writes the lexicon of all documents of several lexicons to a file: the bytes of one lexicon of all
/// documents. The documents are assumed to be distinct.
///
/// # Errors
/// Parts with different descriptions, no part, an output that is one of the parts, files that cannot
/// be written.
pub fn merge_lexicons(parts: &[Lexicon], output: &Path) -> Result<Lexicon, LookalikeError> {
    check_file(output, "output", parts.iter().map(Lexicon::path))?;
    Ok(lookalike_lexicon::merge(parts, output)?)
}

fn build(
    documents: Documents<'_>,
    job: &LexiconJob,
    progress: &dyn Progress,
) -> Result<Built, LookalikeError> {
    let filter: TermFilter =
        job.term_filter.parse().map_err(|_| EngineError::TermFilter(job.term_filter.clone()))?;
    let skip = job.skip_unreadable && !job.strict;
    let analysis = job.settings.analysis_of(documents.inputs, skip);
    let analysis = analysis.map_err(|failure| LookalikeError::unreadable(failure, job.strict))?;
    let settings = Settings { analysis, ..job.settings.clone() };
    let description = description(&settings.analysis, &filter.to_string());
    let count = Count {
        documents,
        settings: &settings,
        description: &description,
        threads: thread_count(job.threads),
        memory: job.memory,
        strict: job.strict,
        skip_unreadable: job.skip_unreadable,
    };
    let counted = caught(|| count.run(&job.output, progress))?;
    Ok(Built { lexicon: counted.lexicon, problems: counted.problems })
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
    fn an_input_is_not_overwritten() {
        let folder = inputs();
        let input = folder.path().join("in/05.jsonl");
        let before = std::fs::read(&input).unwrap();
        // Named, and in a directory to read.
        for named in [&input, &folder.path().join("in")] {
            let mut job = job(folder.path(), 1, false);
            job.inputs = vec![named.display().to_string()];
            job.output.clone_from(&input);
            let error = build_lexicon(&job, &Silent).unwrap_err();
            assert_eq!(error.kind(), crate::ErrorKind::Usage, "{error}");
            assert!(error.to_string().contains("would be overwritten"), "{error}");
            assert_eq!(std::fs::read(&input).unwrap(), before);
        }
        // A lexicon in a directory to read is replaced.
        let mut job = job(folder.path(), 1, false);
        job.output = folder.path().join("in/terms.jsonl");
        let built = [1, 2].map(|_| build_lexicon(&job, &Silent).unwrap().lexicon.documents());
        assert_eq!(built, [80, 80]);
        let part = Lexicon::open(&job.output).unwrap();
        let error = merge_lexicons(&[part], &job.output).unwrap_err();
        assert_eq!(error.kind(), crate::ErrorKind::Usage, "{error}");
        Lexicon::open(&job.output).unwrap();
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
