//! Builds the method of a job, with its document frequencies.

use crate::no_statistics::NoStatistics;
use crate::reading::Documents;
use crate::scratch_dir::ScratchDir;
use crate::settings::MethodSettings;
use crate::term_counts::{CountedTerms, DocumentSum, count_terms, description};
use crate::{Job, LookalikeError, state};
use lookalike_engine::{Approach, EngineError, Progress, Verify};
use lookalike_lexicon::{Description, Lexicon};
use lookalike_methods::{Method, MethodSpec, Statistics, build, methods};
use lookalike_text::AnalysisSettings;
use std::path::Path;
use std::sync::Arc;

/// The document frequencies that a run used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LexiconUsed {
    /// Its checksum.
    pub(crate) checksum: u128,
    /// Documents that were counted for it.
    pub(crate) documents: u64,
}

/// Builds the approach of a job, and names the document frequencies that it uses. For a method that
/// needs them and is given no lexicon, those of all inputs, protected ones included, are counted
/// first; the last value is then the sum of the documents, unless an earlier run counted them.
pub(crate) fn approach(
    job: &Job,
    documents: Documents<'_>,
    threads: usize,
    scratch_dir: Option<&mut ScratchDir>,
    progress: &dyn Progress,
) -> Result<(Approach, Option<LexiconUsed>, Option<DocumentSum>), LookalikeError> {
    let Some(settings) = &job.settings.method else { return Ok((Approach::default(), None, None)) };
    let mut sum = None;
    let spec: MethodSpec = settings.spec.parse()?;
    if job.settings.fields.features.is_some() {
        let method = build(&spec, Some(Arc::new(NoStatistics)))?;
        job.settings.check_method_of_features(&spec, method.as_ref())?;
    }
    let analysis = &job.settings.analysis;
    let mut statistics = given(analysis, settings, &spec)?;
    if statistics.is_none() && needs_statistics(&spec) {
        let wanted = wanted(analysis, &spec)?;
        let lexicon = match scratch_dir {
            Some(scratch) => {
                scratch.keep();
                let path = scratch.path("lexicon");
                match counted_before(&wanted, &path) {
                    Some(lexicon) => lexicon,
                    None => {
                        let counted = count_terms(
                            documents,
                            &job.settings,
                            &wanted,
                            threads,
                            job.skip_unreadable,
                            &path,
                            progress,
                        )?;
                        // What could not be read may be readable when the run is resumed.
                        if counted.problems.unreadable().next().is_some() {
                            std::fs::remove_file(&path)
                                .map_err(|error| EngineError::scratch(&path, &error))?;
                        }
                        sum = Some(counted.sum);
                        counted.lexicon
                    }
                }
            }
            None => {
                let counted = counted(job, documents, &wanted, threads, progress)?;
                sum = Some(counted.sum);
                counted.lexicon
            }
        };
        statistics = Some(Arc::new(lexicon));
    }
    let used = statistics.as_ref().map(|statistics| LexiconUsed {
        checksum: statistics.checksum(),
        documents: statistics.documents(),
    });
    Ok((by_method(settings, &spec, statistics)?, used, sum))
}

/// The approach of a method with its document frequencies, if they have the required checksum.
pub fn by_method(
    settings: &MethodSettings,
    spec: &MethodSpec,
    statistics: Option<Arc<dyn Statistics>>,
) -> Result<Approach, LookalikeError> {
    if let (Some(wanted), Some(statistics)) = (&settings.lexicon_checksum, &statistics) {
        let found = checksum_name(statistics.checksum());
        if !wanted.eq_ignore_ascii_case(&found) {
            let lexicon = settings.lexicon.clone();
            let lexicon = lexicon.unwrap_or_else(|| "counted from the inputs".into());
            return Err(LookalikeError::LexiconChecksum { lexicon, found, wanted: wanted.clone() });
        }
    }
    let method: Arc<dyn Method> = build(spec, statistics)?.into();
    let (verify, key_limit) = (settings.verify, settings.key_limit);
    Ok(Approach { method: Some(method), verify, key_limit, common: None })
}

/// The name of a method and of the verifier of its candidates: `minhash-lsh:t=0.8@sketch`.
pub fn name_of(spec: &MethodSpec, verify: Verify) -> String {
    format!("{spec}@{}", verify.name())
}

/// A lexicon's checksum as it is displayed.
pub(crate) fn checksum_name(checksum: u128) -> String {
    format!("{checksum:032x}")
}

/// Opens the lexicon given for a method, and checks that it fits.
pub fn given(
    analysis: &AnalysisSettings,
    settings: &MethodSettings,
    spec: &MethodSpec,
) -> Result<Option<Arc<dyn Statistics>>, LookalikeError> {
    let Some(path) = &settings.lexicon else { return Ok(None) };
    let lexicon = Lexicon::open(Path::new(path))?;
    lexicon.expect(&wanted(analysis, spec)?)?;
    Ok(Some(Arc::new(lexicon)))
}

/// Whether the method needs document frequencies.
pub fn needs_statistics(spec: &MethodSpec) -> bool {
    methods().any(|about| about.name == spec.name && about.needs_statistics(spec))
}

/// The description that the document frequencies of a method must have.
pub fn wanted(
    analysis: &AnalysisSettings,
    spec: &MethodSpec,
) -> Result<Description, LookalikeError> {
    // The term filter of the method also applies to the statistics.
    let filter = build(spec, Some(Arc::new(NoStatistics)))?.term_filter().to_owned();
    Ok(description(analysis, &filter))
}

/// The document frequencies that an earlier run counted; none if they are damaged or of another
/// kind: then they are counted again.
fn counted_before(wanted: &Description, path: &Path) -> Option<Lexicon> {
    Lexicon::open(path).ok().filter(|lexicon| lexicon.expect(wanted).is_ok())
}

/// Counts the document frequencies of the inputs.
pub fn counted(
    job: &Job,
    documents: Documents<'_>,
    wanted: &Description,
    threads: usize,
    progress: &dyn Progress,
) -> Result<CountedTerms, LookalikeError> {
    let folder = tempfile::tempdir_in(state::folder(job)).map_err(|error| {
        let (folder, reason) = (state::folder(job).display().to_string(), error.to_string());
        EngineError::Scratch { folder, reason }
    })?;
    let path = folder.path().join("inputs.lexicon");
    let skip = job.skip_unreadable;
    count_terms(documents, &job.settings, wanted, threads, skip, &path, progress)
}
