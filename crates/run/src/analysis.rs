//! The analysis of a job, from inputs to verdicts; all jobs share it.

use crate::approach::{LexiconUsed, approach, checksum_name};
use crate::boilerplate::Boilerplate;
use crate::common::{CommonCounts, check_content, content};
use crate::given_fields;
use crate::ignored_texts::IgnoredTexts;
use crate::index::{append_matched, files, indexes};
use crate::kept_apart::KeptApart;
use crate::memory::Memory;
use crate::near_misses::{NearMisses, lower_threshold};
use crate::passages::observer::AnchorObserver;
use crate::passages::search::DocumentAnchors;
use crate::reading::{Documents, Reading};
use crate::readings::first::Admitted;
use crate::scratch_dir::ScratchDir;
use crate::settings::DEFAULT_KEEP_N;
use crate::term_counts::DocumentSum;
use crate::{Job, LookalikeError, input_fields, keep_fields, skipped_files, state, tokens};
use lookalike_cluster::KeepRule;
use lookalike_core::Measure;
use lookalike_engine::signer::StoredDocuments;
use lookalike_engine::units::rules_order;
use lookalike_engine::{
    Approach, CandidateSearch, Checkpoints, Collection, Decided, DocumentId, EngineError,
    IngestOptions, Ingested, JoinPlan, Linkage, MatchOptions, MatchResult, MatchSettings, Matches,
    Progress, Removal, Signer, Templates, TokenObserver, Units, Verdicts, Verify, WordLoss,
    find_from,
};
use lookalike_io::Inputs;
use lookalike_io::input::InputError;
use lookalike_io::sink::Staging;
use lookalike_methods::Evidence;
use lookalike_report::{BoilerplateSummary, IgnoredSummary, KeepValues};
use std::cmp::Ordering;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

/// An analysed collection.
pub struct Analysis {
    pub(crate) inputs: Inputs,
    /// How documents are compared.
    pub settings: MatchSettings,
    pub(crate) linkage: Linkage,
    pub(crate) approach: Approach,
    /// Checksum of the document frequencies that the method used.
    pub(crate) lexicon: Option<LexiconUsed>,
    pub(crate) collection: Collection,
    /// Keep rules for which some documents have no value.
    pub(crate) keep_values: Vec<KeepValues>,
    pub(crate) units: Units,
    pub(crate) matches: Matches,
    pub(crate) verdicts: Verdicts,
    /// What was removed from sets as boilerplate, if the job asks for that.
    pub(crate) boilerplate: Option<BoilerplateSummary>,
    /// What was removed as texts that are ignored, if the job names any.
    pub(crate) ignored: Option<IgnoredSummary>,
    /// The boilerplate of all documents, or their shingles of ignored texts, if it was removed from their sets.
    pub(crate) templates: Option<Arc<Templates>>,
    /// Pairs just below the threshold, if the job asks for them.
    pub(crate) near_misses: Option<NearMisses>,
    /// Beside them, the pairs that the settings distinct_by and separate_by keep apart, if there are such
    /// settings.
    pub(crate) kept_apart: Option<KeptApart>,
    /// Seconds by phase.
    pub(crate) phases: Vec<(&'static str, f64)>,
    pub(crate) threads: usize,
    /// Memory budget of the run.
    pub(crate) memory: Memory,
    /// Scratch directory with the checkpoints of the run.
    pub(crate) scratch_dir: Option<ScratchDir>,
    /// Steps completed by an earlier run, and those of them that were damaged and repeated.
    pub(crate) resumed: Resumed,
    /// The anchors of all documents but those that an earlier run read, of a job that cuts passages of words.
    pub(crate) anchors: Option<DocumentAnchors>,
}

/// Steps that a run took from an earlier one.
#[derive(Debug, Default)]
pub(crate) struct Resumed {
    pub(crate) taken: Vec<&'static str>,
    pub(crate) damaged: Vec<&'static str>,
}

impl Resumed {
    fn of(checkpoints: &Checkpoints, collection: &Collection) -> Self {
        let mut resumed = Self { taken: checkpoints.reused(), damaged: checkpoints.damaged() };
        if collection.restored > 0 {
            resumed.taken.insert(0, "reading");
        }
        if collection.dropped > 0 {
            resumed.damaged.insert(0, "reading");
        }
        resumed
    }
}

impl Analysis {
    fn answer(&self) -> MatchResult<'_> {
        let Self { collection, units, matches, approach, .. } = self;
        MatchResult { collection, units, matches, approach }
    }

    /// The witness of a document and how the two compare; `None` if it has none. With leaders, a
    /// protected document has none: it would be another one of its collection.
    pub(crate) fn removal(&self, document: DocumentId) -> Option<Removal> {
        let removal = self.verdicts.removal(&self.answer(), document)?;
        (!self.is_of_others(document, removal.kept)).then_some(removal)
    }

    /// The resemblance of two complete documents, if boilerplate was removed from their sets.
    ///
    /// # Errors
    /// A spilled set that cannot be read.
    pub(crate) fn whole_resemblance(
        &self,
        a: DocumentId,
        b: DocumentId,
        remaining: Evidence,
    ) -> Result<Option<f64>, EngineError> {
        let (Some(templates), Some(counts)) = (&self.templates, remaining.counts()) else {
            return Ok(None);
        };
        Ok(Some(templates.complete(counts, a, b)?.resemblance()))
    }

    /// All documents with a witness, in the order of the collection. Some are kept: those that the
    /// setting keep_n keeps and, in components, protected ones.
    pub(crate) fn removals(&self) -> impl Iterator<Item = (DocumentId, Removal)> + '_ {
        let removal = |document| self.removal(document).map(|removal| (document, removal));
        self.verdicts.with_witness().filter_map(removal)
    }

    /// Whether a match of two documents says nothing about this run: both are protected, so that it
    /// removes nothing and, with leaders, has no part in what is removed.
    pub(crate) fn is_of_others(&self, a: DocumentId, b: DocumentId) -> bool {
        self.linkage == Linkage::Leaders
            && self.collection.is_protected(a)
            && self.collection.is_protected(b)
    }

    /// Calls a function with each document that is removed, in no particular order.
    pub(crate) fn for_each_removed(&self, mut each: impl FnMut(DocumentId, Removal)) {
        for (document, removal) in self.removals() {
            if self.verdicts.is_removed(document) && !self.collection.is_protected(document) {
                each(document, removal);
            }
        }
        let answer = self.answer();
        self.verdicts.dropped(&answer).for_each(|(document, removal)| each(document, removal));
    }

    /// Similarity of two documents from the evidence, 0 to 1: by the run's measure, by a sketch's
    /// estimate, or by the share of equal bits. `None` if only a key is shared.
    pub(crate) fn similarity(&self, evidence: Evidence) -> Option<f64> {
        match (evidence.counts(), evidence.distance()) {
            (Some(counts), _) => Some(self.settings.measure.value(counts)),
            (None, Some(bits)) => Some(1.0 - f64::from(bits) / 64.0),
            (None, None) => evidence.resemblance(),
        }
    }

    /// Whether pairs are decided by the distance of two simhashes.
    pub(crate) fn compares_words(&self) -> bool {
        self.approach.verify == Verify::Sketch
            && self.approach.method.as_ref().is_some_and(|method| {
                matches!(method.candidates(), lookalike_methods::CandidateSource::Hamming { .. })
            })
    }
}

/// Why inputs are refused before anything is read.
pub(crate) type AcceptInputs<'a> = &'a (dyn Fn(&Inputs, u32) -> Result<(), LookalikeError> + Sync);

/// The inputs of a job, and the job with its tokens decided by them.
pub(crate) fn find_inputs(job: &Job) -> Result<(Job, Inputs, u32), LookalikeError> {
    job.settings.matching()?;
    let keep = job.settings.keep_rules()?;
    if job.against_only && job.against.is_empty() {
        return Err(LookalikeError::Settings(
            "the setting against_only needs the setting against".into(),
        ));
    }
    if job.against_only && job.settings.linkage() == Linkage::Components {
        return Err(LookalikeError::Settings(
            "the setting against_only removes documents with a witness in the inputs of the setting \
             against; that needs the setting linkage=leaders"
                .into(),
        ));
    }
    job.settings.refuse_across_against(!job.against.is_empty())?;
    let (inputs, first_protected_file) = discover(job, &keep)?;
    Ok((tokens::decide(job, &inputs)?, inputs, first_protected_file))
}

/// Reads and matches on the threads of the current pool, and begins the result. With `list_pairs`
/// all pairs are listed, not only those that cause a removal. `accept` may refuse the inputs, of
/// which it gets the number of those that are not protected.
pub(crate) fn analyse(
    job: &Job,
    (mut inputs, first_protected_file): (Inputs, u32),
    list_pairs: bool,
    accept: AcceptInputs<'_>,
    progress: &dyn Progress,
) -> Result<(Analysis, Staging), LookalikeError> {
    accept(&inputs, first_protected_file)?;
    skipped_files::refuse(&inputs, job.strict)?;
    input_fields::check(&inputs, &|| progress.cancelled())?;
    append_matched(job, &mut inputs, first_protected_file as usize, progress)?;
    let memory = Memory::of(job.memory);
    let Job { strict, skip_unreadable, .. } = *job;
    Admitted { strict, skip_unreadable }.refuse_damaged(&inputs)?;
    let ignored = IgnoredTexts::of(&job.settings)?;
    let ignored_checksum = ignored.as_ref().map(IgnoredTexts::checksum);
    let state = (first_protected_file, list_pairs, ignored_checksum);
    let scratch_dir = state::open(job, &inputs, state, memory)?;
    let staging = state::begin(job.into(), scratch_dir.as_ref())?;
    staging.conflicts(&inputs)?;
    staging.conflicts_with(other_inputs(job))?;
    let matches = None;
    let request =
        Request { job, inputs, first_protected_file, ignored, scratch_dir, list_pairs, matches };
    Ok((analyse_inputs(request, Reading::Files, progress)?, staging))
}

/// Input of an analysis.
pub(crate) struct Request<'a> {
    pub(crate) job: &'a Job,
    pub(crate) inputs: Inputs,
    /// The first protected file.
    pub(crate) first_protected_file: u32,
    /// The texts that are ignored.
    pub(crate) ignored: Option<IgnoredTexts>,
    /// Directory of checkpoints, if they are written.
    pub(crate) scratch_dir: Option<ScratchDir>,
    /// Whether all pairs are listed, not only those that cause a removal.
    pub(crate) list_pairs: bool,
    /// Where the matches come from, if not from a join.
    pub(crate) matches: Option<&'a dyn FindMatches>,
}

/// Finds the matches of distinct sets in another way than by a join.
pub(crate) trait FindMatches {
    /// The matches of the sets of a collection.
    ///
    /// # Errors
    /// What was to be asked cannot be read.
    fn find(&self, collection: &Collection, units: &Units) -> Result<Matches, LookalikeError>;

    /// The documents, if their texts are not stored.
    fn stored(&self) -> Option<Arc<dyn StoredDocuments>>;
}

/// Reads and matches on the threads of the current rayon pool.
///
/// # Errors
/// Settings that exclude each other, records that cannot be read, an interruption.
pub(crate) fn analyse_inputs(
    request: Request<'_>,
    reading: Reading<'_>,
    progress: &dyn Progress,
) -> Result<Analysis, LookalikeError> {
    let Request { job, inputs, first_protected_file, list_pairs, matches, .. } = request;
    let mut scratch_dir = request.scratch_dir;
    let near_misses_from = lower_threshold(job)?;
    let keep = job.settings.keep_rules()?;
    let memory = Memory::of(job.memory);
    let started = Instant::now();
    let documents = Documents { inputs: &inputs, reading };
    let stored = matches.and_then(FindMatches::stored);
    let (ignored, has_texts) = (request.ignored, stored.is_none());
    let compared = Compared::new(job, documents, ignored, stored, &mut scratch_dir, progress)?;
    let anchors = AnchorObserver::of_job(job, &inputs, first_protected_file)?;
    let observer = anchors.as_ref().map(|anchors| anchors as &dyn TokenObserver);
    let sets = memory.sets_of(job.memory, state::text(&inputs), &state::folder(job));
    let options = ingest_options(job, &keep, first_protected_file, sets, &mut scratch_dir);
    let collection = compared.read(job, &IngestOptions { observer, ..options }, progress)?;
    let anchors = anchors.map(AnchorObserver::into_found);
    // The join may drop sets, so documents of nothing but boilerplate are counted before it.
    let (only_boilerplate, templates) = match has_texts {
        true => compared.templates(job, &collection, progress)?,
        // Sets are stored without what was removed.
        false => (0, None),
    };
    let loss = compared.loss(job, &collection, progress)?;
    let alike = match near_misses_from {
        None => None,
        Some(_) => compared.without_distinctions(job, &collection, progress)?,
    };
    // Documents of an index come and go, and with them the values that its rules prefer.
    let (collection, keep_values) =
        with_keep_values(collection, &inputs, &keep, matches.is_none(), &mut scratch_dir)?;
    let budget = memory.sets_beside(sets, collection.len());
    let checkpoints = match &scratch_dir {
        Some(dir) => Checkpoints::in_folder(&dir.path(""), collection.restored_whole)?,
        None => Checkpoints::none(),
    };
    let ingested = Ingested::new(collection, budget)?;
    let mut phases = vec![("reading", started.elapsed().as_secs_f64())];

    let options = match_options(job, list_pairs, templates.clone(), loss, budget)?;
    let Compared { settings, approach, lexicon, boilerplate, ignored, .. } = compared;
    let plan = JoinPlan {
        keep: &keep,
        settings: &settings,
        approach: &approach,
        options: &options,
        checkpoints: &checkpoints,
    };
    let (mut near_misses, mut kept_apart) = (None, None);
    let joined = ingested.join_by(plan, progress, |collection, units| {
        let found = match matches {
            None => {
                let (settings, approach) = (plan.settings, plan.approach);
                find_from(&checkpoints, collection, units, settings, approach, &options, progress)?
            }
            Some(matches) => matches.find(collection, units)?,
        };
        if let Some(from) = near_misses_from {
            let (settings, most) = (plan.settings, job.max_pairs);
            let found =
                NearMisses::find(from, collection, units, settings, &options, most, progress)?;
            if let Some(alike) = alike.filter(|_| found.complete) {
                let (of_run, settings) = ((units, &*found.edges), settings.clone());
                kept_apart =
                    Some(KeptApart::find(alike, of_run, settings, &options, most, progress)?);
            }
            near_misses = Some(found);
        }
        Ok::<_, LookalikeError>(found)
    })?;
    phases.extend(joined.phases.iter().copied());
    let mut decided = joined.decide(plan, progress)?;
    keep_more(job, plan, &mut decided, progress)?;
    let resumed = Resumed::of(&checkpoints, &decided.collection);
    let Decided { collection, units, matches, verdicts } = decided;
    let boilerplate =
        boilerplate.map(|found| BoilerplateSummary { only_boilerplate, ..found.summary });
    let ignored = ignored.filter(|_| has_texts).map(|IgnoredTexts { elements, texts }| {
        let has_any = |document: &DocumentId| {
            let own = templates.as_ref().map_or(0, |templates| templates.size(*document));
            own > 0 && !collection.is_protected(*document)
        };
        IgnoredSummary {
            texts,
            shingles: elements.elements().len() as u64,
            documents: collection.documents().filter(has_any).count() as u64,
            only_ignored: only_boilerplate,
            checksum: checksum_name(elements.checksum()),
        }
    });
    Ok(Analysis {
        inputs,
        settings,
        linkage: job.settings.linkage(),
        approach,
        lexicon,
        collection,
        keep_values,
        units,
        matches,
        verdicts,
        boilerplate,
        ignored,
        templates,
        near_misses,
        kept_apart,
        phases,
        threads: job.thread_count(),
        memory,
        scratch_dir,
        resumed,
        anchors,
    })
}

/// How documents are compared, as far as the documents themselves decide it.
struct Compared<'a> {
    documents: Documents<'a>,
    settings: MatchSettings,
    approach: Approach,
    lexicon: Option<LexiconUsed>,
    /// The documents in which a lexicon was counted.
    counted: Option<DocumentSum>,
    common: CommonCounts<'a>,
    boilerplate: Option<Boilerplate>,
    ignored: Option<IgnoredTexts>,
    signer: Signer,
}

impl<'a> Compared<'a> {
    /// Counts document frequencies, common elements and boilerplate, if the job needs them.
    fn new(
        job: &Job,
        documents: Documents<'a>,
        ignored: Option<IgnoredTexts>,
        stored: Option<Arc<dyn StoredDocuments>>,
        scratch_dir: &mut Option<ScratchDir>,
        progress: &'a dyn Progress,
    ) -> Result<Self, LookalikeError> {
        let mut settings = job.settings.matching()?;
        let (mut approach, lexicon, counted) =
            approach(job, documents, job.thread_count(), scratch_dir.as_mut(), progress)?;
        if job.settings.ignore_common.is_some() || job.settings.boilerplate.is_some() {
            scratch_dir.iter_mut().for_each(ScratchDir::keep);
        }
        let kept = scratch_dir.as_ref().map(|dir| dir.path(""));
        let mut common = CommonCounts::new(job, documents, &settings, kept.clone(), progress);
        common.apply(&mut settings, &mut approach)?;
        let boilerplate = Boilerplate::of(job, documents, &settings, kept, progress)?;
        let removed = boilerplate.as_ref().map(|found| &found.elements);
        let removed = removed.or(ignored.as_ref().map(|found| &found.elements));
        settings.boilerplate = removed.cloned();
        let signer = Signer::for_approach(&settings, &approach)?;
        let signer = signer.of_inputs(documents.inputs).with_stored(stored);
        Ok(Self {
            documents,
            settings,
            approach,
            lexicon,
            counted,
            common,
            boilerplate,
            ignored,
            signer,
        })
    }

    /// Reads the documents, which must be those that were counted.
    fn read(
        &self,
        job: &Job,
        options: &IngestOptions,
        progress: &dyn Progress,
    ) -> Result<Collection, LookalikeError> {
        let read = self.documents.ingest(&self.signer, options, progress);
        let collection = read.map_err(|error| changed_object(self.documents.inputs, error))?;
        // Of chunks that an earlier run read, it is not known which fields their records have.
        if collection.restored == 0 && !collection.is_empty() {
            given_fields::check_read(&self.signer, &job.settings)?;
        }
        if let Some(counted) = &self.counted {
            counted.check(&collection, self.documents)?;
        }
        self.common.check(&collection)?;
        Ok(collection)
    }

    /// The number of documents of nothing but boilerplate or ignored texts, and what each document has of
    /// it.
    fn templates(
        &self,
        job: &Job,
        collection: &Collection,
        progress: &dyn Progress,
    ) -> Result<(u64, Option<Arc<Templates>>), LookalikeError> {
        if let Some(ignored) = &self.ignored {
            let signer = Signer::of_boilerplate(&self.settings, ignored.elements.clone());
            let removed = self.read_again(job, &signer, collection, progress)?;
            let templates = Templates::new(removed, second_reading(job).memory)?;
            return Ok((collection.only_boilerplate()?, Some(Arc::new(templates))));
        }
        let Some(boilerplate) = &self.boilerplate else { return Ok((0, None)) };
        boilerplate.check(collection, self.documents)?;
        let only_boilerplate = collection.only_boilerplate()?;
        let templates = boilerplate.templates(job, self.documents, &self.settings, progress)?;
        Ok((only_boilerplate, Some(templates)))
    }
}

impl Compared<'_> {
    /// The words of each document, if removals may lose only a few of them.
    fn loss(
        &self,
        job: &Job,
        collection: &Collection,
        progress: &dyn Progress,
    ) -> Result<Option<Arc<WordLoss>>, LookalikeError> {
        let Some(most) = job.settings.max_lost else { return Ok(None) };
        let words =
            self.read_again(job, &Signer::of_words(&self.settings), collection, progress)?;
        Ok(Some(Arc::new(WordLoss::new(words, most, second_reading(job).memory)?)))
    }

    /// The documents without what they need to have in common to match, if they need anything.
    fn without_distinctions(
        &self,
        job: &Job,
        collection: &Collection,
        progress: &dyn Progress,
    ) -> Result<Option<Collection>, LookalikeError> {
        if self.settings.distinct.is_none() {
            return Ok(None);
        }
        let settings =
            MatchSettings { distinct: None, words_count: false, ..self.settings.clone() };
        let signer = Signer::new(&settings).of_inputs(self.documents.inputs);
        self.read_again(job, &signer, collection, progress).map(Some)
    }

    /// The documents of a collection once more, by another signer.
    fn read_again(
        &self,
        job: &Job,
        signer: &Signer,
        collection: &Collection,
        progress: &dyn Progress,
    ) -> Result<Collection, LookalikeError> {
        let found = self.documents.ingest(signer, &second_reading(job), progress)?;
        check_content(self.documents, &found, content(collection)?)?;
        Ok(found)
    }
}

/// How documents are read once more for what is compared beside their sets: it takes up to an eighth of
/// the memory budget; more is spilled.
pub(crate) fn second_reading(job: &Job) -> IngestOptions<'static> {
    let memory = Memory::of(job.memory);
    IngestOptions {
        memory: memory.counting() / 2,
        sequences: memory.sequences(),
        scratch: state::folder(job),
        strict: job.strict,
        skip_unreadable: job.skip_unreadable,
        in_flight: memory.in_flight(),
        ..IngestOptions::in_memory(job.thread_count())
    }
}

/// A collection whose documents have what the keep rules need.
fn with_keep_values(
    collection: Collection,
    inputs: &Inputs,
    keep: &[KeepRule],
    all_values: bool,
    scratch_dir: &mut Option<ScratchDir>,
) -> Result<(Collection, Vec<KeepValues>), LookalikeError> {
    let error = match keep_fields::check(inputs, keep, &collection, all_values) {
        Ok(values) => return Ok((collection, values)),
        Err(error) => error,
    };
    // Other keep rules make another job, which cannot be resumed from here.
    if let Some(scratch_dir) = scratch_dir.take() {
        drop(collection);
        scratch_dir.abandon()?;
    }
    Err(error)
}

fn ingest_options(
    job: &Job,
    keep: &[KeepRule],
    first_protected_file: u32,
    sets: u64,
    scratch_dir: &mut Option<ScratchDir>,
) -> IngestOptions<'static> {
    let memory = Memory::of(job.memory);
    scratch_dir.iter_mut().for_each(ScratchDir::keep);
    IngestOptions {
        threads: job.thread_count(),
        strict: job.strict,
        skip_unreadable: job.skip_unreadable,
        keep: keep.to_vec(),
        first_protected_file,
        memory: sets,
        scratch: state::folder(job),
        kept: scratch_dir.as_ref().map(|dir| dir.path("chunks")),
        in_flight: memory.in_flight(),
        trim_heap: job.trim_heap,
        sequences: memory.sequences(),
        sites: None,
        observer: None,
    }
}

fn match_options(
    job: &Job,
    list_pairs: bool,
    templates: Option<Arc<Templates>>,
    loss: Option<Arc<WordLoss>>,
    sets: u64,
) -> Result<MatchOptions, LookalikeError> {
    Ok(MatchOptions {
        linkage: job.settings.linkage(),
        witness: job.settings.witness,
        list_pairs: list_pairs.then_some(job.max_pairs),
        only_protected: job.against_only,
        contained: job.settings.contained()?,
        loss,
        templates,
        search: CandidateSearch::default(),
        memory: Memory::of(job.memory).counting(),
        sets,
    })
}

/// Keeps as many documents of each cluster as the setting keep_n says.
fn keep_more(
    job: &Job,
    JoinPlan { keep, settings, approach, .. }: JoinPlan<'_>,
    decided: &mut Decided,
    progress: &dyn Progress,
) -> Result<(), LookalikeError> {
    if job.settings.keep_n == DEFAULT_KEEP_N {
        return Ok(());
    }
    let Decided { collection, units, matches, verdicts } = decided;
    let answer = MatchResult { collection, units, matches, approach };
    let compare = |a, b| match rules_order(collection, keep, a, b) {
        Ordering::Equal => collection.compare_names(a, b),
        order => Ok(order),
    };
    let by_size = settings.measure == Measure::Containment;
    Ok(verdicts.keep_first(&answer, job.settings.keep_n, by_size, compare, progress)?)
}

/// The error of a reading: an object that changes while it is read cannot be read to its end.
fn changed_object(inputs: &Inputs, error: LookalikeError) -> LookalikeError {
    let has_objects = inputs.files.iter().any(|file| file.object.is_some());
    let unreadable = matches!(error, LookalikeError::Engine(EngineError::Unreadable(_)));
    match (has_objects && unreadable).then(|| inputs.verify_unchanged()) {
        Some(Err(changed @ InputError::Changed { .. })) => changed.into(),
        _ => error,
    }
}

/// A pool of `threads` threads.
pub fn pool(threads: usize) -> Result<rayon::ThreadPool, LookalikeError> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    Ok(pool.map_err(|e| EngineError::Threads { threads, reason: e.to_string() })?)
}

/// What a job reads besides the files of [`discover`]: indexes, a lexicon, a plan.
pub(crate) fn other_inputs(job: &Job) -> impl Iterator<Item = &Path> {
    let indexes = indexes(&job.against).map(Path::new);
    let lexicon = job.settings.method.iter().filter_map(|method| method.lexicon.as_deref());
    let ignored = job.settings.ignore_text.iter().map(Path::new);
    indexes.chain(lexicon.map(Path::new)).chain(ignored).chain(job.plan.as_deref())
}

/// The input files, protected ones last, and the index of the first protected file. Creates
/// [`Job::scratch`], if it is given: standard input is copied there.
pub fn discover(job: &Job, keep: &[KeepRule]) -> Result<(Inputs, u32), LookalikeError> {
    if let Some(scratch) = &job.scratch {
        std::fs::create_dir_all(scratch).map_err(|reason| EngineError::Scratch {
            folder: scratch.display().to_string(),
            reason: reason.to_string(),
        })?;
    }
    let mut options = job.settings.reading(vec![job.output.clone()], job.scratch.clone());
    options.fields.extra = keep.iter().filter_map(|rule| rule.field()).map(str::to_owned).collect();
    if indexes(&job.against).next().is_some() {
        job.settings.refuse_fields_of_method("comparisons with an index")?;
    }
    let mut inputs = Inputs::discover(&job.inputs, options.clone())?;
    let first_protected = inputs.files.len() as u32;
    let against = files(&job.against);
    if !against.is_empty() {
        inputs.append(Inputs::discover(&against, options)?)?;
    }
    Ok((inputs, first_protected))
}
