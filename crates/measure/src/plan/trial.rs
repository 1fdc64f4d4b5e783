//! Runs one method on the sample: its pairs, the time of each step and its memory.

use super::thinning::Thinning;
use lookalike_engine::{
    Approach, CandidateSearch, Collection, DocumentId, EngineError, IngestOptions, Linkage,
    MatchOptions, MatchResult, MatchSettings, Matches, MemoryModel, Progress, Removal, Signer,
    Units, Verdicts, WitnessRule, find, ingest_chunks, pipeline,
};
use lookalike_io::sink::{DocumentsWriter, RouteOptions, Routed, Staging};
use lookalike_io::source::{Entry, Sample};
use lookalike_io::{Fate, Fates, Inputs, MarkValue};
use lookalike_run::LookalikeError;
use lookalike_run::memory::Memory;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Instant;

/// Data shared by all trials.
pub(super) struct Bench<'a> {
    pub(super) inputs: &'a Inputs,
    pub(super) sample: &'a Sample,
    pub(super) keep: &'a [lookalike_cluster::KeepRule],
    pub(super) pool: &'a rayon::ThreadPool,
    pub(super) threads: usize,
    pub(super) memory: Memory,
    pub(super) scratch: PathBuf,
    pub(super) strict: bool,
    pub(super) skip_unreadable: bool,
    pub(super) linkage: Linkage,
    pub(super) witness: WitnessRule,
    /// Maximum number of pairs if all pairs are listed.
    pub(super) list_pairs: Option<u64>,
    pub(super) progress: &'a dyn Progress,
}

/// A run of a method on the sample, with the same steps as on the whole.
pub(super) struct Trial {
    pub(super) collection: Collection,
    /// The duplicates.
    pub(super) removals: Vec<(DocumentId, Removal)>,
    /// A field of which no document had a value.
    pub(super) missing: Option<String>,
    /// Seconds by phase, `reading` and `collapsing` included.
    pub(super) phases: Vec<(&'static str, f64)>,
    pub(super) memory_model: MemoryModel,
    /// Number of chunks, unreadable ones included.
    pub(super) chunks: u32,
    /// Bytes that were read of files that are read from their beginning.
    pub(super) beginning_bytes: u64,
}

/// The duplicates, in the order of the collection.
pub(super) fn removals(
    collection: &Collection,
    units: &Units,
    matches: &Matches,
    approach: &Approach,
    options: &MatchOptions,
) -> Result<Vec<(DocumentId, Removal)>, EngineError> {
    let answer = MatchResult { collection, units, matches, approach };
    let verdicts = Verdicts::new(&answer, options)?;
    let of = |document| Some((document, verdicts.removal(&answer, document)?));
    Ok(verdicts.with_witness().filter_map(of).collect())
}

impl Trial {
    /// Number of duplicates.
    pub(super) fn removed(&self) -> u64 {
        self.removals.len() as u64
    }
}

impl Bench<'_> {
    /// Options of reading documents.
    pub(super) fn ingest_options(&self) -> IngestOptions<'static> {
        IngestOptions {
            trim_heap: false,
            threads: self.threads,
            strict: self.strict,
            skip_unreadable: self.skip_unreadable,
            keep: self.keep.to_vec(),
            first_protected_file: self.inputs.files.len() as u32,
            memory: self.memory.sets(),
            scratch: self.scratch.clone(),
            kept: None,
            in_flight: self.memory.in_flight(),
            sequences: self.memory.sequences(),
            sites: None,
            observer: None,
        }
    }

    /// Reads and matches.
    pub(super) fn run(
        &self,
        settings: &MatchSettings,
        approach: &Approach,
    ) -> Result<Trial, LookalikeError> {
        let signer = Signer::for_approach(settings, approach)?.of_inputs(self.inputs);
        let options = self.ingest_options();
        let started = Instant::now();
        self.progress.phase("reading", Some(self.sample.bytes()));
        let (read, beginning) = (AtomicU32::new(0), AtomicU64::new(0));
        let chunks = self.sample.chunks(self.inputs).inspect(|piece| {
            read.fetch_add(1, Ordering::Relaxed);
            if let Some(chunk) = piece.records()
                && Entry::of(&self.inputs.files[chunk.file as usize]) == Entry::Beginning
            {
                beginning.fetch_add(chunk.consumed, Ordering::Relaxed);
            }
        });
        let mut collection = ingest_chunks(self.inputs, chunks, &signer, &options, self.progress)?;
        let mut phases = vec![("reading", started.elapsed().as_secs_f64())];
        let started = Instant::now();
        collection.load_names_for_ties(self.keep)?;
        let units = self
            .pool
            .install(|| Units::new(&collection, self.keep, settings.measure, self.progress))?;
        phases.push(("collapsing", started.elapsed().as_secs_f64()));
        let options = self.options(self.linkage, self.list_pairs);
        collection.spill_for_join()?;
        let matches = self.find(&collection, &units, settings, approach, &options)?;
        phases.extend(matches.phases.iter().copied());
        let removals = removals(&collection, &units, &matches, approach, &options)?;
        let memory_model = MemoryModel::of(&collection, &units, &matches);
        let (chunks, beginning_bytes) = (read.into_inner(), beginning.into_inner());
        let missing = signer.missing_field().map(str::to_owned);
        Ok(Trial { collection, removals, missing, phases, memory_model, chunks, beginning_bytes })
    }

    /// Units of the documents in the subsample.
    pub(super) fn units(
        &self,
        collection: &Collection,
        thinning: Thinning,
        settings: &MatchSettings,
    ) -> Result<Units, EngineError> {
        let takes = |document| thinning.takes(document);
        self.pool
            .install(|| Units::of(collection, self.keep, settings.measure, self.progress, takes))
    }

    /// Options of a match.
    pub(super) fn options(&self, linkage: Linkage, list_pairs: Option<u64>) -> MatchOptions {
        let (memory, sets) = (self.memory.counting(), self.memory.sets());
        let witness = self.witness;
        // By prefixes, whose keys grow in proportion to the documents: bitmaps may do for a sample
        // and not for all.
        let search = CandidateSearch::Prefixes;
        MatchOptions {
            witness,
            list_pairs,
            search,
            memory,
            sets,
            ..MatchOptions::in_memory(linkage)
        }
    }

    /// Matches on the pool.
    pub(super) fn find(
        &self,
        collection: &Collection,
        units: &Units,
        settings: &MatchSettings,
        approach: &Approach,
        options: &MatchOptions,
    ) -> Result<Matches, EngineError> {
        let progress = self.progress;
        self.pool.install(|| find(collection, units, settings, approach, options, progress))
    }

    /// Seconds to read the sample again and to write all of it to a temporary directory.
    pub(super) fn writing(&self) -> Result<f64, LookalikeError> {
        let failed = |error: std::io::Error| EngineError::Scratch {
            folder: self.scratch.display().to_string(),
            reason: error.to_string(),
        };
        let folder = tempfile::tempdir_in(&self.scratch).map_err(failed)?;
        let staging = Staging::create(&folder.path().join("written"), false)?;
        let options = RouteOptions::default();
        self.progress.phase("writing", Some(self.sample.bytes()));
        let started = Instant::now();
        // Of files that are not in the sample nothing need be readable.
        let all = 0..self.inputs.files.len() as u32;
        let mut writer = DocumentsWriter::new(self.inputs, &staging, &options).with_unreadable(all);
        let mut outcome: Result<(), LookalikeError> = Ok(());
        pipeline::ordered(
            self.threads,
            self.sample.chunks(self.inputs),
            || (),
            |(), piece| -> Result<Option<(Routed, u64)>, LookalikeError> {
                let (chunk, problem) = piece.into_parts();
                if let Some(problem) = problem.filter(|one| one.unreadable && !self.skip_unreadable)
                {
                    return Err(EngineError::Unreadable(problem).into());
                }
                // Bad records were counted in the first reading.
                let Some(chunk) = chunk else { return Ok(None) };
                let mut routed = Routed::default();
                chunk.route(self.inputs, &AllKept, &options, &mut routed)?;
                Ok(Some((routed, chunk.consumed)))
            },
            |routed| {
                outcome = routed.and_then(|routed| {
                    if let Some((routed, consumed)) = routed {
                        writer.write(&routed)?;
                        self.progress.advance(consumed, 0);
                    }
                    if self.progress.cancelled() {
                        return Err(EngineError::Cancelled.into());
                    }
                    Ok(())
                });
                outcome.is_ok()
            },
        );
        outcome?;
        writer.finish()?;
        Ok(started.elapsed().as_secs_f64())
    }
}

/// Keeps every record.
struct AllKept;

impl Fates for AllKept {
    fn fate(&self, _file: u32, _record: u32) -> Fate {
        Fate::Kept
    }

    fn mark(&self, _file: u32, _record: u32) -> Vec<MarkValue<'_>> {
        Vec::new()
    }
}
