//! Removal in the whole, from a pass over all documents and a coordinated sample.
//!
//! In a sample of share p that takes documents one by one, a pair of near-duplicates has the probability
//! p². Here, a document is sampled by the smallest hash of its runs of five words (its *key*): copies have
//! the same key, and near-duplicates have it with the probability of their resemblance r by these runs
//! (Broder 1997), so that a pair is sampled with p·(r + (1−r)·p). Such samples are called coordinated (Cohen &
//! Kaplan 2007).
//!
//! The pass reads every document, for its key and a digest of its content, and signs those of the
//! sample. So it counts
//!
//! * the documents, and the copies: those with the content of an earlier one, all of which are removed;
//! * the distinct contents of each key, which are strata: keys of one content, of two or three, of four to
//!   seven, and so on.
//!
//! What is estimated is the removal of distinct contents, by stratum: the ratio of removed to all in its
//! sampled keys, times all in it (Hájek 1971). A removal is missed where the documents that cause it are
//! not sampled:
//!
//! * low: removals within the sample, as they are;
//! * high: each divided by the probability with which its witness is sampled, if it is (Horvitz & Thompson
//!   1952), with r estimated from the 128 smallest runs of both;
//! * expected: each divided by the probability that any of the documents of its cluster in the sample is.
//!
//! The ends are widened by two standard errors, from the variation between keys. Of keys with more
//! contents than any that is sampled, none is removed at the low end and all are at the high one.
//!
//! Memory: 16 bytes for each document, and the sample. The sums are of sorted keys, so that they do not
//! depend on threads.

use super::partners::Removal;
use super::trial::{Bench, removals};
use lookalike_core::TextDigest;
use lookalike_core::fingerprint::finalise;
use lookalike_engine::{
    Approach, Collection, DocumentId, EngineError, MatchSettings, Signer, Units, ingest_some,
};
use lookalike_io::{Content, RecordView};
use lookalike_run::LookalikeError;
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// Words of a run.
const WORDS: usize = 5;

/// Runs in the sketch of a sampled document.
const SKETCH: usize = 128;

/// Most bytes of sampled texts, as a multiple of the bytes that are expected: compressed files expand, and
/// a key may be common.
const MOST_TIMES: u64 = 16;

/// Sampled keys of a stratum, at least: with fewer, it is united with the one below it.
const LEAST_KEYS: usize = 8;

/// Keys that may hold a removal and are not sampled, if none that is sampled does (rule of three).
const UNSEEN_KEYS: f64 = 3.0;

/// Standard errors on either side of an interval: 95 % if errors are normal.
const ERRORS: f64 = 2.0;

/// What the pass found.
pub(super) struct Coordinated {
    /// All documents, and the bytes of their texts.
    pub(super) documents: u64,
    pub(super) text_bytes: u64,
    /// Documents with the content of an earlier one.
    pub(super) copies: u64,
    /// Sampled documents.
    pub(super) sampled: u64,
    /// Removed documents of all.
    pub(super) removed: Removal,
}

/// A sampled document.
struct Sampled {
    key: u64,
    content: u64,
    sketch: Vec<u64>,
}

/// Reads all inputs, of which it samples about `bytes`. `None` if the sample would be much larger,
/// as texts have runs in common that are not near-duplicates.
pub(super) fn pass(
    bench: &Bench<'_>,
    settings: &MatchSettings,
    (bytes, seed): (u64, u64),
) -> Result<Option<Coordinated>, LookalikeError> {
    let all: u64 = bench.inputs.files.iter().map(|file| file.size).sum();
    let share = bytes as f64 / all.max(1) as f64;
    let bound = (share.min(1.0) * u64::MAX as f64) as u64;
    let most = bytes.saturating_mul(MOST_TIMES);
    let keys: Vec<Mutex<Vec<(u64, u64)>>> = (0..64).map(|_| Mutex::default()).collect();
    let sample: Mutex<HashMap<(u32, u32), Sampled>> = Mutex::default();
    let (text_bytes, taken) = (AtomicU64::new(0), AtomicU64::new(0));
    let takes = |record: &RecordView<'_>| {
        let text = bytes_of(&record.content);
        // Messages with different attachments do not match.
        let attachments = record.beside.attachments.map_or(0, finalise);
        let content = TextDigest::of(text).0 as u64 ^ attachments;
        let key = finalise(key(text, content) ^ finalise(seed));
        let length = text.len() as u64;
        lock(&keys[(key >> 58) as usize]).push((key, content));
        text_bytes.fetch_add(length, Ordering::Relaxed);
        let takes = key < bound && taken.fetch_add(length, Ordering::Relaxed) <= most;
        if takes {
            let sampled = Sampled { key, content, sketch: sketch(text) };
            lock(&sample).insert((record.file, record.record), sampled);
        }
        takes
    };
    let signer = Signer::new(settings).of_inputs(bench.inputs);
    let options = bench.ingest_options();
    bench.progress.phase("reading", Some(all));
    let mut collection = ingest_some(bench.inputs, &signer, &options, &takes, bench.progress)?;
    if taken.into_inner() > most {
        return Ok(None);
    }
    collection.load_names_for_ties(bench.keep)?;
    let units = bench
        .pool
        .install(|| Units::new(&collection, bench.keep, settings.measure, bench.progress))?;
    collection.spill_for_join()?;
    let (exact, options) = (Approach::default(), bench.options(bench.linkage, None));
    let matches = bench.find(&collection, &units, settings, &exact, &options)?;
    let removals = removals(&collection, &units, &matches, &exact, &options)?;
    let witnesses = removals.into_iter().map(|(document, removal)| (document, removal.kept));

    let sample = sample.into_inner().unwrap_or_else(PoisonError::into_inner);
    let contents = Contents::of(&collection, sample, witnesses.collect())?;
    let keys =
        keys.into_iter().map(|keys| keys.into_inner().unwrap_or_else(PoisonError::into_inner));
    let mut found: Vec<(u64, u64)> = keys.flatten().collect();
    let documents = found.len() as u64;
    found.sort_unstable();
    found.dedup();
    let copies = documents - found.len() as u64;
    let strata = Strata::of(&found, &contents.keys(share));
    let removed = strata.removal(share, found.len() as f64);
    let all = |removed: f64| copies as f64 + removed;
    Ok(Some(Coordinated {
        documents,
        text_bytes: text_bytes.into_inner(),
        copies,
        sampled: u64::from(collection.len()),
        removed: Removal {
            low: all(removed.low),
            expected: all(removed.expected),
            high: all(removed.high),
        },
    }))
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn bytes_of<'c>(content: &'c Content<'_>) -> &'c [u8] {
    match content {
        Content::Text(text) | Content::Html(text) => text.as_bytes(),
        Content::TextBytes(bytes) | Content::HtmlBytes(bytes) => bytes,
        // Plans refuse them.
        Content::Features(_) => &[],
    }
}

/// Bytes of words, letters in lower case; 0 for those between words.
const FOLDED: [u8; 256] = {
    let mut folded = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let own = byte as u8;
        if own.is_ascii_alphanumeric() || own >= 0x80 {
            folded[byte] = own.to_ascii_lowercase();
        }
        byte += 1;
    }
    folded
};

/// The first byte of characters of scripts without spaces (Chinese, Japanese, Korean), each of which is a word.
const IDEOGRAPHS: u8 = 0xE3;

/// Calls a function with the hash of each run of [`WORDS`] words, or of all words if there are fewer. These are
/// words by bytes, which costs a few percent of a run: they sample, and decide nothing.
fn runs(text: &[u8], mut each: impl FnMut(u64)) {
    let (mut hashes, mut words, mut word) = ([0u64; WORDS], 0usize, 0u64);
    let joined = |hashes: &[u64; WORDS]| {
        let turned = (0u32..).zip(hashes).map(|(at, hash)| hash.rotate_left(13 * at));
        turned.fold(0, |all, hash| all ^ hash)
    };
    let mut end = |word: &mut u64| {
        if *word != 0 {
            hashes.copy_within(1.., 0);
            hashes[WORDS - 1] = finalise(std::mem::take(word));
            words += 1;
            if words >= WORDS {
                each(joined(&hashes));
            }
        }
    };
    for &byte in text {
        let folded = FOLDED[usize::from(byte)];
        if folded == 0 || byte >= IDEOGRAPHS {
            end(&mut word);
        }
        if folded != 0 {
            word = word.rotate_left(7).wrapping_add(u64::from(folded));
        }
    }
    end(&mut word);
    if (1..WORDS).contains(&words) {
        each(joined(&hashes));
    }
}

/// The smallest run of a document; of one without words, its content.
fn key(text: &[u8], content: u64) -> u64 {
    let mut least = u64::MAX;
    runs(text, |run| least = least.min(run));
    if least == u64::MAX { content } else { least }
}

/// The smallest hashes of the runs of a text, by a hash that is independent of the key.
fn sketch(text: &[u8]) -> Vec<u64> {
    let mut all = Vec::new();
    runs(text, |run| all.push(finalise(run ^ 0x5eed)));
    all.sort_unstable();
    all.dedup();
    all.truncate(SKETCH);
    all
}

/// The resemblance of two documents, estimated from their sketches: the share of the smallest hashes of both
/// together that both have (Broder 1997).
fn resemblance(a: &[u64], b: &[u64]) -> f64 {
    let (mut a, mut b) = (a.iter().peekable(), b.iter().peekable());
    let (mut shared, mut all) = (0u32, 0u32);
    while all < SKETCH as u32 {
        let (Some(one), Some(other)) = (a.peek().copied(), b.peek().copied()) else { break };
        all += 1;
        shared += u32::from(one == other);
        if one <= other {
            a.next();
        }
        if other <= one {
            b.next();
        }
    }
    // What one of them has left is not shared.
    let left = (a.count() + b.count()) as u32;
    let all = (all + left).min(SKETCH as u32);
    if all == 0 { 1.0 } else { f64::from(shared) / f64::from(all) }
}

/// The distinct contents of the sample, with their removals.
struct Contents {
    /// By key and content: for a removed one, resemblance to the witness, and other contents of the cluster.
    removed: BTreeMap<(u64, u64), Option<(f64, u64)>>,
}

impl Contents {
    fn of(
        collection: &Collection,
        sample: HashMap<(u32, u32), Sampled>,
        witnesses: HashMap<DocumentId, DocumentId>,
    ) -> Result<Self, EngineError> {
        let mut documents: Vec<Option<&Sampled>> = Vec::new();
        collection.for_each(|_, row| documents.push(sample.get(&(row.file, row.record))))?;
        let of = |document: DocumentId| documents.get(document.index()).copied().flatten();
        let leader = |document: DocumentId| witnesses.get(&document).copied().unwrap_or(document);
        // A content is removed if all its documents are.
        let mut removed: BTreeMap<(u64, u64), Option<DocumentId>> = BTreeMap::new();
        for document in collection.documents() {
            let Some(own) = of(document) else { continue };
            let witness = witnesses.get(&document).map(|_| document);
            let all = removed.entry((own.key, own.content)).or_insert(witness);
            *all = all.filter(|_| witness.is_some());
        }
        let mut sizes: HashMap<DocumentId, u64> = HashMap::new();
        let mut of_content: BTreeMap<(u64, u64), DocumentId> = BTreeMap::new();
        for document in collection.documents() {
            let Some(own) = of(document) else { continue };
            if of_content.insert((own.key, own.content), document).is_none() {
                *sizes.entry(leader(document)).or_default() += 1;
            }
        }
        let judged = removed.into_iter().map(|(content, removed)| {
            let judged = removed.and_then(|document| {
                let witness = leader(document);
                let alike = resemblance(&of(document)?.sketch, &of(witness)?.sketch);
                let others = sizes.get(&witness).map_or(1, |size| size.saturating_sub(1).max(1));
                Some((alike, others))
            });
            (content, judged)
        });
        Ok(Self { removed: judged.collect() })
    }

    /// The sampled keys: contents, and removals at the low end, expected, and at the high end.
    fn keys(&self, share: f64) -> BTreeMap<u64, SampledKey> {
        let mut keys: BTreeMap<u64, SampledKey> = BTreeMap::new();
        for (&(key, _), removed) in &self.removed {
            let sums = keys.entry(key).or_default();
            sums.contents += 1.0;
            if let &Some((alike, others)) = removed {
                let one = alike + (1.0 - alike) * share;
                let any = 1.0 - (1.0 - one).powi(others.min(1000) as i32);
                let removals = [1.0, 1.0 / any, 1.0 / one];
                sums.removed = [0, 1, 2].map(|at| sums.removed[at] + removals[at]);
            }
        }
        keys
    }
}

/// A sampled key.
#[derive(Debug, Clone, Copy, Default)]
struct SampledKey {
    contents: f64,
    removed: [f64; 3],
}

/// Keys with similar numbers of contents.
#[derive(Debug, Default)]
struct Stratum {
    /// Contents of all its keys.
    contents: f64,
    sampled: Vec<SampledKey>,
}

#[derive(Debug)]
struct Strata {
    strata: Vec<Stratum>,
    /// Contents of keys with more of them than any that is sampled.
    unseen: f64,
}

impl Strata {
    /// `all` keys with their contents, sorted, and those that are sampled.
    fn of(all: &[(u64, u64)], sampled: &BTreeMap<u64, SampledKey>) -> Self {
        let level = |contents: usize| contents.max(1).ilog2() as usize;
        let most = sampled.values().map(|key| key.contents as usize).max().unwrap_or(0);
        let (mut strata, mut unseen) = (Vec::<Stratum>::new(), 0.0);
        for key in all.chunk_by(|a, b| a.0 == b.0) {
            if key.len() > most {
                unseen += key.len() as f64;
                continue;
            }
            let level = level(key.len());
            if strata.len() <= level {
                strata.resize_with(level + 1, Stratum::default);
            }
            strata[level].contents += key.len() as f64;
            strata[level].sampled.extend(sampled.get(&key[0].0));
        }
        for level in (1..strata.len()).rev() {
            if strata[level].sampled.len() < LEAST_KEYS {
                let Stratum { contents, sampled } = strata.remove(level);
                strata[level - 1].contents += contents;
                strata[level - 1].sampled.extend(sampled);
            }
        }
        Self { strata, unseen }
    }

    /// Removed contents of all.
    fn removal(&self, share: f64, contents: f64) -> Removal {
        let (mut sums, mut variances, mut last) = ([0.0; 3], [0.0; 3], 0.0);
        for Stratum { contents, sampled } in &self.strata {
            let own: f64 = sampled.iter().map(|key| key.contents).sum();
            if own == 0.0 {
                continue;
            }
            for at in 0..3 {
                let rate = sampled.iter().map(|key| key.removed[at]).sum::<f64>() / own;
                let error = |key: &SampledKey| (key.removed[at] - rate * key.contents).powi(2);
                let squares: f64 = sampled.iter().map(error).sum();
                let keys = sampled.len() as f64;
                let spread = squares * keys / (keys - 1.0).max(1.0) / (own * own);
                sums[at] += contents * rate;
                variances[at] += contents * contents * spread * (1.0 - share).max(0.0);
                if at == 1 {
                    last = rate;
                }
            }
        }
        let unsampled: f64 = self
            .strata
            .iter()
            .filter(|stratum| stratum.sampled.is_empty())
            .map(|stratum| stratum.contents)
            .sum();
        let unseen = self.unseen + unsampled;
        let low = (sums[0] - ERRORS * variances[0].sqrt()).max(0.0);
        let more = unseen + UNSEEN_KEYS * (1.0 - share).max(0.0) / share.max(f64::MIN_POSITIVE);
        let high = (sums[2] + ERRORS * variances[2].sqrt() + more).min(contents).max(low);
        Removal { low, expected: (sums[1] + unseen * last.min(1.0)).clamp(low, high), high }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn runs_are_of_words_in_any_case_with_anything_between() {
        let of = |text: &str| {
            let mut all = Vec::new();
            runs(text.as_bytes(), |run| all.push(run));
            all
        };
        assert_eq!(of("one two three four five six").len(), 2);
        assert_eq!(of("One, two -- THREE\nfour five! six"), of("one two three four five six"));
        assert_ne!(of("two one three four five"), of("one two three four five"));
        assert_eq!((of("one two").len(), of(" .,").len(), of("").len()), (1, 0, 0));
        assert_eq!(of("一二三四五六").len(), 2);
    }

    #[test]
    fn sketches_estimate_the_share_of_common_runs() {
        let text = |words: std::ops::Range<u32>| -> String {
            words.map(|word| format!("w{word} ")).collect()
        };
        for (a, b) in [(0..40, 0..40), (0..40, 20..60), (0..2000, 200..2200), (0..30, 50..90)] {
            let (a, b) = (text(a), text(b));
            let all = |text: &str| {
                let mut all = BTreeSet::new();
                runs(text.as_bytes(), |run| _ = all.insert(run));
                all
            };
            let (own, its) = (all(&a), all(&b));
            let shared = own.intersection(&its).count() as f64;
            let truth = shared / (own.len() + its.len()) as f64;
            let truth = truth / (1.0 - truth);
            let estimate = resemblance(&sketch(a.as_bytes()), &sketch(b.as_bytes()));
            // All runs of the small ones are in the sketches.
            let error = if own.len() + its.len() <= SKETCH { 1e-12 } else { 0.15 };
            assert!((estimate - truth).abs() <= error, "{estimate} {truth}");
        }
    }

    #[test]
    fn strata_worked_by_hand() {
        // Ten keys of one content and one of two, of which eight and none are sampled.
        let all: Vec<(u64, u64)> = (0..10).map(|key| (key, 0)).chain([(10, 0), (10, 1)]).collect();
        let one = |removed| SampledKey { contents: 1.0, removed: [removed; 3] };
        let sampled = (0..8).map(|key| (key, one(f64::from(u8::from(key < 2))))).collect();
        let strata = Strata::of(&all, &sampled);
        assert_eq!((strata.strata.len(), strata.unseen), (1, 2.0));
        // A quarter of ten; the rate has the variance of eight draws, less that of a sample of 0.8.
        let error = 10.0 * (0.25 * 0.75 / 7.0 * 0.2_f64).sqrt();
        let found = strata.removal(0.8, 12.0);
        assert!((found.low - (2.5 - 2.0 * error)).abs() < 1e-9, "{found:?} {error}");
        assert!((found.expected - 3.0).abs() < 1e-9, "{found:?}");
        assert!((found.high - (2.5 + 2.0 * error + 2.0 + 3.0 * 0.25)).abs() < 1e-9, "{found:?}");
    }
}
