//! `plan`: predicts from a sample what a job will find and cost.
//!
//! A sample of the inputs is read, matched exactly and by other methods, and written, as in a run.
//! Submodules extrapolate to the whole: `partners` (removed documents), `listing` (pairs by
//! similarity, recall), `cost` (time and memory). Most near-duplicates of a sampled document are
//! not in the sample, so the removal within it is a lower bound, and is stated as such.

mod coordinated;
mod cost;
mod job;
mod listing;
mod partners;
mod recommend;
mod thinning;
mod trial;
mod ways;

pub use job::{DEFAULT_SAMPLE, PlanJob};

use crate::evaluate::job::usual_list_from;
use crate::evaluate::labels::{self, Labelled, Names};
use coordinated::Coordinated;
use cost::{Forecast, Growth};
use listing::{Listing, growth, list};
use lookalike_engine::{
    Approach, ChunkId, Collection, EngineError, Linkage, MatchSettings, Progress, Units,
    common_elements,
};
use lookalike_io::source::{Entry, Piece, Sample, SampleShare};
use lookalike_io::{Inputs, Problem};
use lookalike_report::{
    DifferenceSummary, Plan, PlanCost, PlanRecall, PlanRemoval, PlanRun, PlanSample, Tool,
};
use lookalike_run::analysis::{discover, pool};
use lookalike_run::common::same_elements;
use lookalike_run::differences::{Judge, of_sample};
use lookalike_run::given_fields::missing_field;
use lookalike_run::ignored_texts::IgnoredTexts;
use lookalike_run::memory::{self, Memory};
use lookalike_run::panics::caught;
use lookalike_run::summarise::settings_summary;
use lookalike_run::{
    LookalikeError, Settings, feature_settings, input_fields, keep_fields, state, tokens,
};
use recommend::Required;
use std::sync::Arc;
use std::time::Instant;
use trial::{Bench, Trial};
use ways::{Way, ways};

/// A plan, and the problems of its sample.
#[derive(Debug)]
pub struct Planned {
    /// The plan.
    pub plan: Plan,
    /// The records and files of the sample that could not be used; of very many the first.
    pub problems: Vec<Problem>,
}

/// Reads a sample and predicts results and cost of the job. Writes temporary files only.
///
/// Memory is that of a run over the sample, and 16 bytes for each document; time is that of reading and
/// hashing all documents. With [`PlanJob::quick`], it is about twice that of a run over the sample.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let folder = tempfile::tempdir()?;
/// let docs = folder.path().join("docs.jsonl");
/// let line = "one fish two fish red fish blue fish black fish old fish new fish";
/// std::fs::write(&docs, format!("{{\"id\":\"a\",\"text\":\"{line}\"}}\n{{\"id\":\"b\",\"text\":\"{line}!\"}}\n"))?;
///
/// let job = lookalike::Job::new(vec![docs.display().to_string()], folder.path().join("clean"));
/// let plan = lookalike::planning::plan(&lookalike::planning::PlanJob::new(job), &lookalike::Silent)?.plan;
/// assert!(plan.sample.whole);
/// assert_eq!((plan.documents, plan.removed.expected), (2, 1));
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// Invalid settings, inputs that cannot be read, a bad record with
/// [`Job::strict`](lookalike_run::Job::strict), a method without the document frequencies that it needs.
pub fn plan(job: &PlanJob, progress: &dyn Progress) -> Result<Planned, LookalikeError> {
    caught(|| plan_inputs(job, None, progress))
}

/// Refuses settings with which nothing can be predicted: fewer documents of a site are sampled than are
/// counted for `boilerplate`. `cluster` for a run that lists.
pub(crate) fn check(settings: &Settings, cluster: bool) -> Result<(), LookalikeError> {
    settings.refuse(&Settings::SURVIVORS, "plan")?;
    if cluster {
        settings.refuse_removals()?;
    }
    feature_settings::refuse(&settings.fields, "plan")?;
    settings.refuse(&["boilerplate"], "plan")
}

/// Plans a job whose inputs may be known already: standard input can be read once only.
pub(crate) fn plan_inputs(
    job: &PlanJob,
    inputs: Option<Inputs>,
    progress: &dyn Progress,
) -> Result<Planned, LookalikeError> {
    let started = Instant::now();
    let base = memory::resident().unwrap_or(0);
    check(&job.job.settings, job.cluster)?;
    let mut settings = job.job.settings.matching()?;
    let keep = job.job.settings.keep_rules()?;
    let threads = job.job.thread_count();
    // The settings are refused before anything is searched.
    ways(job, &settings)?;
    let inputs = match inputs {
        Some(inputs) => inputs,
        None => discover(&job.job, &keep)?.0,
    };
    let job = &PlanJob { job: tokens::decide(&job.job, &inputs)?, ..job.clone() };
    settings.analysis.clone_from(&job.job.settings.analysis);
    settings.boilerplate = IgnoredTexts::of(&job.job.settings)?.map(|found| found.elements);
    let ways = ways(job, &settings)?;
    input_fields::check(&inputs, &|| progress.cancelled())?;
    let memory = Memory::of(job.job.memory);
    let linkage = job.job.settings.resolved(job.cluster).linkage();
    let lists = job.cluster || linkage == Linkage::Components;
    let bytes = job.sample_of(inputs.files.iter().map(|file| file.size).sum());
    let sample = inputs.sample(bytes, job.seed);
    // Of a sample, no other method can be shown to have a recall of 1: then none is tried but the job's own.
    let hopeless = job.recall >= 1.0 && !sample.is_whole();
    let ways: Vec<Way> = ways.into_iter().filter(|way| way.own || !hopeless).collect();
    // The exact join, the pairs below the threshold, and each other method.
    let steps = ways.len() as u32 + 2;
    progress.step(1, steps);
    let bench = Bench {
        inputs: &inputs,
        sample: &sample,
        keep: &keep,
        pool: &pool(threads)?,
        threads,
        memory,
        scratch: job.job.scratch.clone().unwrap_or_else(std::env::temp_dir),
        strict: job.job.strict,
        skip_unreadable: job.job.skip_unreadable,
        linkage,
        witness: job.job.settings.witness,
        list_pairs: lists.then_some(job.job.max_pairs),
        progress,
    };
    let Predicted { mut plan, costs, pairs, problems } =
        predict(job, &bench, (settings, ways), base, steps)?;
    let whole = plan.sample.whole;
    let required = Required { recall: job.recall, memory: memory.0, pairs, whole };
    let recommendation = required.recommend(&plan.methods, &costs);
    plan.run = Some(PlanRun {
        command_line: job.job.command.clone(),
        threads: threads as u64,
        memory_bytes: memory.0,
        held_before_bytes: base,
        wanted_recall: job.recall,
        seconds: started.elapsed().as_secs_f64(),
        costs,
        recommended: recommendation.method,
        options: recommendation.options,
        reason: recommendation.reason,
    });
    Ok(Planned { plan, problems })
}

/// A plan without its recommendation.
struct Predicted {
    plan: Plan,
    costs: Vec<PlanCost>,
    /// Matching pairs of documents in the sample.
    pairs: u64,
    problems: Vec<Problem>,
}

/// Runs the exact join and each other method on the sample, and predicts results and costs of all.
fn predict(
    job: &PlanJob,
    bench: &Bench<'_>,
    (mut settings, mut ways): (MatchSettings, Vec<Way>),
    base: u64,
    steps: u32,
) -> Result<Predicted, LookalikeError> {
    let Bench { inputs, sample, .. } = *bench;
    let exact = Approach::default();
    let mut trial = bench.run(&settings, &exact)?;
    if sample.is_whole() {
        if let Some(name) = &trial.missing {
            return Err(missing_field(name, &job.job.settings)?);
        }
        // If only a part is read, other documents may have the field.
        // A sample need not have every value that is preferred.
        keep_fields::check(inputs, bench.keep, &trial.collection, false)?;
    }
    let mut size = Size::of(inputs, sample, &trial)?;
    if let Some(most) = job.job.settings.ignore_common {
        ignore_common(bench, &trial.collection, (&mut settings, &mut ways), most, size.share)?;
        trial = bench.run(&settings, &exact)?;
    }
    // Copies are removed whatever else they are compared by only if nothing keeps them apart.
    let apart = job.job.settings.across.is_some()
        || job.job.settings.separate_by.is_some()
        || !job.job.settings.distinct_by.is_empty();
    let passed = match sample.is_whole() || job.quick || apart {
        true => None,
        false => coordinated::pass(bench, &settings, (sample.bytes(), job.seed))?,
    };
    if let Some(passed) = &passed {
        size.take(passed, trial.collection.len());
    }
    let growth = growth(bench, &trial.collection, &settings, trial.removed())?;
    let from = usual_list_from(&settings)?;
    bench.progress.step(2, steps);
    let listing = list(bench, &trial.collection, &settings, from, trial.chunks, size.share)?;
    let removed = match &passed {
        Some(passed) => passed.removal(trial.removed()),
        None => removal(&listing, &size, sample, bench.linkage, trial.removed()),
    };
    let (in_sample, pairs) = listing.matching_pairs();
    let times = size.documents as f64 / f64::from(trial.collection.len().max(1));
    let met = match (bench.list_pairs, in_sample, trial.removed()) {
        (Some(_), 1.., _) => pairs / in_sample as f64,
        (None, _, 1..) => removed.expected as f64 / trial.removed() as f64,
        _ => times,
    };
    let forecast = Forecast {
        settings: &settings,
        growth: Growth { bytes: size.times, documents: times, met: met.max(times) },
        texts: size.text_bytes,
        keeps: state::keeps(&job.job, inputs, bench.memory),
        memory: bench.memory,
        threads: bench.threads,
        base,
        writing: if job.cluster { None } else { Some(bench.writing()?) },
    };
    let of_exact = (recall_of_exact(in_sample > 0), forecast.cost("exact", &trial));
    let differences = differences(job, bench, &trial)?;
    let (read, problems) = read_documents(trial.collection)?;
    let others = try_ways(bench, ways, &listing, &forecast, job.job.max_pairs, steps)?;
    let (methods, costs) = std::iter::once(of_exact).chain(others).unzip();
    let features = (trial.memory_model.unit_elements * times) as u64;
    let mut plan = Plan {
        tool: Tool::lookalike(),
        command: if job.cluster { "cluster".into() } else { "dedup".into() },
        settings: settings_summary(&job.job.settings),
        inputs: inputs.files.iter().map(|file| file.name.clone()).collect(),
        input_bytes: inputs.files.iter().map(|file| file.size).sum(),
        sample: PlanSample {
            seed: job.seed,
            whole: sample.is_whole(),
            input_bytes: size.sampled_bytes,
            share: size.share,
            files_from_beginning: sample.from_beginning(),
            ..read
        },
        documents: size.documents,
        documents_range: size.documents_range(),
        tokens: size.tokens,
        features,
        spark: cost::spark(size.documents, features),
        text_bytes: size.text_bytes,
        similarity: listing.steps(&settings, from),
        removed: PlanRemoval { pairs, ..removed },
        growth,
        methods,
        differences,
        notes: Vec::new(),
        run: None,
    };
    let across = job.job.settings.across.is_some();
    plan.notes = notes(&plan, listing.documents, bench.linkage, across);
    Ok(Predicted { plan, costs, pairs: in_sample, problems })
}

/// What differs between the duplicates of the sample and the kept documents; `None` for a run that removes
/// nothing.
fn differences(
    job: &PlanJob,
    bench: &Bench<'_>,
    trial: &Trial,
) -> Result<Option<DifferenceSummary>, LookalikeError> {
    let settings = &job.job.settings;
    if job.cluster || settings.fields.features.is_some() {
        return Ok(None);
    }
    let collection = &trial.collection;
    let labels = job.labels.as_ref().map(|labels| {
        let mut names = Names::new(collection)?;
        labels::pairs(labels, &mut names, None, job.job.max_pairs)
    });
    let labels = labels.transpose()?;
    if labels.as_ref().is_some_and(Labelled::is_empty) {
        return Err(LookalikeError::Settings(
            "the setting labels: no document of the sample has an id of this file; give one with ids of these inputs".into(),
        ));
    }
    let same = labels.as_ref().map(|labels| |a, b| labels.judgement(a, b));
    let all = labels.as_ref().is_some_and(|labels| !labels.judged);
    let judge = same.as_ref().map(|same| Judge { same, all });
    // What could not be read was told in the first reading.
    let chunks = bench.sample.chunks(bench.inputs);
    let chunks = chunks.filter_map(|piece| piece.into_parts().0.map(Piece::Chunk));
    let pieces = (bench.inputs, chunks);
    let removals = trial.removals.iter().copied();
    of_sample(collection, removals, pieces, settings, judge)
}

/// Ignores what is common in the sample, as a run ignores what more than `most` distinct documents of
/// the whole have: the number that corresponds to the share of the sample.
fn ignore_common(
    bench: &Bench<'_>,
    collection: &Collection,
    (settings, ways): (&mut MatchSettings, &mut [Way]),
    most: u32,
    share: f64,
) -> Result<(), LookalikeError> {
    let most = ((f64::from(most) * share) as u32).max(1);
    let common = bench.pool.install(|| {
        let units = Units::new(collection, &[], settings.measure, bench.progress)?;
        common_elements(collection, &units, most, bench.memory.counting(), bench.progress)
    })?;
    settings.common = Some(Arc::new(common));
    for way in ways {
        let shingles = way.approach.method.as_ref().and_then(|method| method.shingles());
        if shingles.is_some_and(|kind| same_elements(kind, settings.features)) {
            way.approach.common.clone_from(&settings.common);
        }
    }
    Ok(())
}

/// The recall of the exact join; that in the sample is known where it has pairs.
fn recall_of_exact(has_pairs: bool) -> PlanRecall {
    let in_sample = has_pairs.then_some(1.0);
    PlanRecall {
        method: "exact".into(),
        recall: Some(1.0),
        recall_in_sample: in_sample,
        precision_in_sample: in_sample,
    }
}

/// Counts documents, bytes and problems of the sample, and lists the problems.
fn read_documents(collection: Collection) -> Result<(PlanSample, Vec<Problem>), LookalikeError> {
    let mut text_bytes = 0;
    collection.for_each(|_, document| text_bytes += document.text_bytes)?;
    let (documents, problems) = (u64::from(collection.len()), collection.problems.count());
    let read = PlanSample { documents, problems, text_bytes, ..PlanSample::default() };
    Ok((read, collection.problems.into_listed()))
}

/// Runs each method but the exact join on the sample: its recall and cost.
fn try_ways(
    bench: &Bench<'_>,
    ways: Vec<Way>,
    listing: &Listing,
    forecast: &Forecast<'_>,
    max_pairs: u64,
    steps: u32,
) -> Result<Vec<(PlanRecall, PlanCost)>, LookalikeError> {
    let settings = forecast.settings;
    let mut tried = Vec::new();
    for (step, Way { name, approach, theory, .. }) in (3..).zip(ways) {
        bench.progress.step(step, steps);
        let trial = bench.run(settings, &approach)?;
        let cost = forecast.cost(&name, &trial);
        let units = bench.units(&trial.collection, listing.thinning, settings)?;
        let options = bench.options(Linkage::Components, Some(max_pairs));
        let found = bench.find(&trial.collection, &units, settings, &approach, &options)?;
        let (recall_in_sample, precision_in_sample) = match found.pairs.complete {
            true => listing.found(&units, &found.pairs.edges),
            false => (None, None),
        };
        let recall = theory.and_then(|theory| {
            listing.recall(settings, |similarity| theory.probability(similarity))
        });
        let recall = PlanRecall { method: name, recall, recall_in_sample, precision_in_sample };
        tried.push((recall, cost));
    }
    Ok(tried)
}

/// Estimated size of the collection.
#[derive(Debug, Clone, Copy)]
struct Size {
    documents: u64,
    tokens: u64,
    text_bytes: u64,
    /// Bytes of files in the sample.
    sampled_bytes: u64,
    /// Bytes of all files divided by `sampled_bytes`.
    times: f64,
    /// Documents in the sample divided by all.
    share: f64,
    /// Two standard errors of the number of documents, as a share of it.
    error: f64,
}

impl Size {
    /// Sums the estimates for each kind of files: those read from the beginning, and those that can
    /// be read at any position.
    fn of(inputs: &Inputs, sample: &Sample, trial: &Trial) -> Result<Self, EngineError> {
        let Trial { collection, beginning_bytes, .. } = trial;
        let entries = [Entry::Lines, Entry::Document, Entry::Beginning];
        let mut sums = [[0u64; 3]; 3];
        collection.for_each(|_, document| {
            let sums = &mut sums[Entry::of(&inputs.files[document.file as usize]) as usize];
            sums[0] += 1;
            sums[1] += u64::from(document.tokens);
            sums[2] += document.text_bytes;
        })?;
        let shares = entries.map(|entry| {
            let share = sample.share(entry);
            match entry == Entry::Beginning && !sample.is_whole() {
                true => SampleShare { sampled_bytes: (*beginning_bytes).min(share.bytes), ..share },
                false => share,
            }
        });
        let sampled_bytes: u64 = shares.iter().map(|share| share.sampled_bytes).sum();
        let all_bytes: u64 = shares.iter().map(|share| share.bytes).sum();
        let ratio = |all: u64, sampled: u64| all as f64 / sampled as f64;
        let times = if sampled_bytes > 0 { ratio(all_bytes, sampled_bytes) } else { 1.0 };
        let mut all = [0.0; 3];
        for (entry, (share, sums)) in entries.into_iter().zip(shares.iter().zip(sums)) {
            if share.sampled_bytes == 0 {
                continue;
            }
            let by_bytes = ratio(share.bytes, share.sampled_bytes);
            let by_files = ratio(share.files, share.sampled_files);
            let documents = if entry == Entry::Document { by_files } else { by_bytes };
            for (sum, (counted, factor)) in
                all.iter_mut().zip(sums.into_iter().zip([documents, by_bytes, by_bytes]))
            {
                *sum += counted as f64 * factor;
            }
        }
        // Files of a kind that is not in the sample are assumed to be like the others.
        let missed: u64 =
            shares.iter().filter(|s| s.sampled_bytes == 0).map(|share| share.bytes).sum();
        let more = all_bytes as f64 / (all_bytes - missed).max(1) as f64;
        let more = if all_bytes > missed { more } else { 1.0 };
        let [documents, tokens, text_bytes] = all.map(|sum| (sum * more).round() as u64);
        let share = match documents {
            0 => 1.0,
            documents => (f64::from(collection.len()) / documents as f64).min(1.0),
        };
        let error = if sample.is_whole() { 0.0 } else { error(collection, trial.chunks) };
        Ok(Self { documents, tokens, text_bytes, sampled_bytes, times, share, error })
    }

    /// Takes what is known of all documents.
    fn take(&mut self, passed: &Coordinated, sampled: u32) {
        let times = passed.documents as f64 / self.documents.max(1) as f64;
        self.tokens = (self.tokens as f64 * times).round() as u64;
        (self.documents, self.text_bytes) = (passed.documents, passed.text_bytes);
        self.share = f64::from(sampled) / passed.documents.max(1) as f64;
        self.error = 0.0;
    }

    fn documents_range(&self) -> (u64, u64) {
        let documents = self.documents as f64;
        let sampled = documents * self.share;
        let low = (documents * (1.0 - self.error)).max(sampled).round();
        (low as u64, (documents * (1.0 + self.error)).round() as u64)
    }
}

/// Two standard errors of the number of documents, as a share of it, from tenths of the chunks.
fn error(collection: &Collection, chunks: u32) -> f64 {
    let parts = chunks.clamp(1, 10);
    let mut counts = vec![0.0f64; parts as usize];
    for chunk in 0..chunks {
        counts[(chunk % parts) as usize] += collection.chunk_documents(ChunkId(chunk)).len() as f64;
    }
    let all: f64 = counts.iter().sum();
    if parts < 2 || all == 0.0 {
        return 0.0;
    }
    let mean = all / f64::from(parts);
    let squares: f64 = counts.iter().map(|count| (count - mean).powi(2)).sum();
    (2.0 * (squares * f64::from(parts) / f64::from(parts - 1)).sqrt() / all).min(1.0)
}

/// Expected removal.
fn removal(
    listing: &Listing,
    size: &Size,
    sample: &Sample,
    linkage: Linkage,
    in_sample: u64,
) -> PlanRemoval {
    if sample.is_whole() {
        let (expected, low, high) = (in_sample, in_sample, in_sample);
        return PlanRemoval { expected, low, high, in_sample, ..PlanRemoval::default() };
    }
    let sampled = (size.documents as f64 * size.share).max(1.0);
    let share = size.share * listing.documents as f64 / sampled;
    let said = listing.partners.removal(share, linkage, listing.glued());
    // A document removed within the sample is removed in the whole; less twice the error of a
    // count.
    let certain = (in_sample as f64 - 2.0 * (in_sample as f64).sqrt()).max(0.0) / sampled;
    let count = |rate: f64| (rate * size.documents as f64).round() as u64;
    // The number of documents has an error as well.
    let low = count(said.low.max(certain) * (1.0 - size.error)).max(in_sample);
    let high = count(said.high * (1.0 + size.error)).max(low);
    PlanRemoval {
        expected: count(said.expected).clamp(low, high),
        low,
        high,
        in_sample,
        ..PlanRemoval::default()
    }
}

impl Coordinated {
    /// Expected removal; `in_sample` of it is known from the sample that was read by place.
    fn removal(&self, in_sample: u64) -> PlanRemoval {
        let low = (self.removed.low.floor() as u64).max(in_sample);
        let high = (self.removed.high.ceil() as u64).max(low);
        let expected = (self.removed.expected.round() as u64).clamp(low, high);
        let (copies, by_key) = (Some(self.copies), Some(self.sampled));
        PlanRemoval { expected, low, high, in_sample, copies, by_key, pairs: 0.0 }
    }
}

/// Notes on how each number was computed, and on its limits.
fn notes(plan: &Plan, listed: u64, linkage: Linkage, across: bool) -> Vec<String> {
    let found = plan.differences.iter().flat_map(DifferenceSummary::found);
    let mut notes: Vec<String> = found
        .map(|(rule, found)| format!("Of the duplicates in the sample, {rule}: {found}."))
        .collect();
    let sample = &plan.sample;
    if sample.whole {
        notes.push(
            "The sample is the whole collection: only times and memory are estimated.".to_owned(),
        );
    } else {
        notes.push(format!(
            "Removal within the sample ({} of {} documents) is a lower bound: most partners of a sampled document \
             are not sampled.",
            plan.removed.in_sample, sample.documents
        ));
        notes.push(match plan.removed.by_key {
            Some(sampled) => format!(
                "Removal in all: copies were counted in all documents; other duplicates are estimated from {sampled} \
                 documents that were sampled by a key which near-duplicates have in common. The low end is the removal \
                 among these, the high end assumes that no other document could be its witness, each widened by two \
                 standard errors."
            ),
            None => {
                let high = match linkage {
                    Linkage::Leaders if !across => "if all documents had the same number of partners",
                    _ => "if every pair removed a document",
                };
                format!(
                    "Removal in all is computed from the estimated number of partners of a document: the low end is the \
                     minimum for their mean and variance, the high end is the removal {high}, each widened by two \
                     standard errors (jackknife)."
                )
            }
        });
        if across {
            notes.push(
                "Near-duplicates of the same value are not counted, and they are kept together: where there are \
                 many, the removal that is expected is too high. The range holds with them."
                    .to_owned(),
            );
        }
        notes.push(
            "Pairs in all: the pairs in the sample divided by the square of its share, or by its share if both \
             documents were read in one part."
                .to_owned(),
        );
    }
    if listed < sample.documents {
        notes.push(format!(
            "The sample has too many pairs to list: similarity, recall and removal in all are computed from \
             {listed} of its documents."
        ));
    }
    if sample.files_from_beginning > 0 {
        notes.push(format!(
            "{} files cannot be sampled in the middle (compressed, CSV, Parquet): they were read from their \
             beginning, and their later parts may differ.",
            sample.files_from_beginning
        ));
    }
    notes.push(
        "Recall of methods with an S-curve is computed from the curve and the pairs found; that of others is \
         measured in the sample only."
            .to_owned(),
    );
    notes.push(
        "Times are those of the sample, scaled by bytes, documents or partners. Memory and scratch space come \
         from the memory model of a run, assuming the share of copies of the sample: allow some margin."
            .to_owned(),
    );
    notes
}
