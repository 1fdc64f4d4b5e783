//! The part that every job has in common: inputs in, verdicts out.

use crate::approach::approach;
use crate::memory::Memory;
use crate::{Job, LookalikeError};
use lookalike_engine::{
    Approach, Collection, EngineError, IngestOptions, MatchOptions, MatchSettings, Matches,
    Progress, Signer, Units, Verdicts, Verify, find, ingest,
};
use lookalike_io::Inputs;
use lookalike_methods::Evidence;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// A collection, analysed.
pub(crate) struct Analysis {
    pub(crate) inputs: Inputs,
    pub(crate) settings: MatchSettings,
    pub(crate) approach: Approach,
    /// Checksum of the document frequencies that the method used.
    pub(crate) lexicon_checksum: Option<u128>,
    pub(crate) collection: Collection,
    pub(crate) units: Units,
    pub(crate) matches: Matches,
    pub(crate) verdicts: Verdicts,
    /// Seconds by phase.
    pub(crate) phases: Vec<(&'static str, f64)>,
    pub(crate) threads: usize,
}

impl Analysis {
    /// How similar two documents are as far as the evidence tells, 0 to 1: by the run's measure, by
    /// what a sketch estimates, or by the share of equal bits. `None` where only a key is shared.
    pub(crate) fn similarity(&self, evidence: Evidence) -> Option<f64> {
        match (evidence.counts(), evidence.distance()) {
            (Some(counts), _) => Some(self.settings.measure.value(counts)),
            (None, Some(bits)) => Some(1.0 - f64::from(bits) / 64.0),
            (None, None) => evidence.resemblance(),
        }
    }

    /// Whether pairs are judged by the distance of two simhashes.
    pub(crate) fn compares_words(&self) -> bool {
        self.approach.verify == Verify::Sketch
            && self.approach.method.as_ref().is_some_and(|method| {
                matches!(method.candidates(), lookalike_methods::Candidates::Hamming { .. })
            })
    }
}

/// Reads and matches. With `list_pairs` all pairs are wanted, not only those that decide.
pub(crate) fn analyse(
    job: &Job,
    list_pairs: bool,
    progress: &dyn Progress,
) -> Result<Analysis, LookalikeError> {
    let settings = job.settings.matching()?;
    let keep = job.settings.keep_rules()?;
    if job.against_only && job.against.is_empty() {
        return Err(LookalikeError::Settings("--against-only needs --against".into()));
    }
    if job.against_only && job.settings.linkage == lookalike_engine::Linkage::Components {
        return Err(LookalikeError::Settings(
            "--against-only removes what a document of --against stands for; that needs --linkage leaders"
                .into(),
        ));
    }
    let threads = job.thread_count();
    let (inputs, first_protected_file) = discover(job, &keep)?;
    let mut phases = Vec::new();

    let started = Instant::now();
    let (approach, lexicon_checksum) = approach(job, &inputs, threads, progress)?;
    let signer = Signer::for_approach(&settings, &approach)?;
    let memory = Memory::of(job.memory);
    let options = IngestOptions {
        threads,
        strict: job.strict,
        keep: keep.clone(),
        first_protected_file,
        memory: memory.sets(),
        scratch: scratch(job),
    };
    let mut collection = ingest(&inputs, &signer, &options, progress)?;
    phases.push(("reading", started.elapsed().as_secs_f64()));

    let pool = pool(threads)?;
    pool.install(|| {
        let started = Instant::now();
        progress.phase("collapsing", None);
        let units = Units::new(&collection, &keep, settings.measure);
        phases.push(("collapsing", started.elapsed().as_secs_f64()));
        let options = MatchOptions {
            linkage: job.settings.linkage,
            list_pairs: list_pairs.then_some(job.max_pairs),
            only_protected: job.against_only,
            threads,
            memory: memory.counting(),
        };
        let matches = find(&mut collection, &units, &settings, &approach, &options, progress)?;
        phases.extend(matches.phases.iter().copied());
        let verdicts = Verdicts::new(&collection, &units, &matches, &approach, &options);
        Ok(Analysis {
            inputs,
            settings,
            approach,
            lexicon_checksum,
            collection,
            units,
            matches,
            verdicts,
            phases,
            threads,
        })
    })
}

/// So many threads.
pub(crate) fn pool(threads: usize) -> Result<rayon::ThreadPool, LookalikeError> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    Ok(pool.map_err(|e| EngineError::Threads { threads, reason: e.to_string() })?)
}

/// Where feature sets go that memory has no room for: beside the output, unless somebody says where. The
/// system's own directory for temporary files is in memory more often than not.
fn scratch(job: &Job) -> PathBuf {
    let beside = || {
        let mut folders = job.output.ancestors().skip(1).filter(|folder| folder.is_dir());
        folders.next().map_or_else(|| PathBuf::from("."), Path::to_owned)
    };
    job.scratch.clone().unwrap_or_else(beside)
}

/// The inputs, those of `--against` behind the others; and where those begin.
pub(crate) fn discover(
    job: &Job,
    keep: &[lookalike_cluster::KeepRule],
) -> Result<(Inputs, u32), LookalikeError> {
    let mut options = job.settings.reading(vec![job.output.clone()], job.scratch.clone());
    options.fields.extra = keep.iter().filter_map(|rule| rule.field()).map(str::to_owned).collect();
    let mut inputs = Inputs::discover(&job.inputs, options.clone())?;
    let first_protected = inputs.files.len() as u32;
    if !job.against.is_empty() {
        inputs.append(Inputs::discover(&job.against, options)?)?;
    }
    Ok((inputs, first_protected))
}
