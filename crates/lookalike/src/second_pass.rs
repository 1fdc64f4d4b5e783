//! Second reading of the inputs: routes every record to its output and collects the documents that
//! the report shows.
//!
//! The chunks are those of the first pass, so the writers pass records on byte for byte, and the
//! documents that the report shows are picked up on the way; where nothing is written, their chunks alone
//! are read. Whether they are the same chunks is counted, not assumed: decisions about one text must not be
//! carried out on another.

use crate::LookalikeError;
use crate::analysis::Analysis;
use crate::decisions::Decisions;
use lookalike_core::TextDigest;
use lookalike_engine::files::{FilePart, ReadChunk, chunk_bytes};
use lookalike_engine::original;
use lookalike_engine::pipeline::{Items, Part, PipelineLimits};
use lookalike_engine::signer::plain_text;
use lookalike_engine::{Collection, EngineError, Progress, pipeline};
use lookalike_io::sink::{DocumentsWriter, Role, RouteOptions, Routed, Staging, WrittenFiles};
use lookalike_io::source::{Chunk, ChunkPosition, VisitScratch};
use lookalike_io::{Format, Inputs, Item, Problem};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// A document that the report shows.
#[derive(Debug, Clone, Default)]
pub(crate) struct Shown {
    pub(crate) title: Option<String>,
    pub(crate) url: Option<String>,
    pub(crate) text: String,
    /// Bytes of the whole text, where `text` is its beginning.
    pub(crate) cut_from: Option<u64>,
}

/// Bytes of a text that are kept to be compared: of some two dozen documents.
const COMPARED: usize = 512 << 10;

/// Bytes of a text that are kept to be quoted: of some hundreds.
const QUOTED: usize = 4 << 10;

/// The documents that the report shows.
#[derive(Debug, Default)]
pub(crate) struct Wanted {
    /// All of them, in order.
    pub(crate) documents: Vec<u32>,
    /// Those whose texts are compared, in order. Of the others only the beginning is quoted.
    pub(crate) compared: Vec<u32>,
}

impl Wanted {
    /// The beginning of a text that is kept, and the length of the whole if that is more.
    fn beginning(&self, document: u32, text: &str) -> (String, Option<u64>) {
        let is_compared = self.compared.binary_search(&document).is_ok();
        let most = if is_compared { COMPARED } else { QUOTED };
        let cut_from = (text.len() > most).then_some(text.len() as u64);
        (text[..text.floor_char_boundary(most)].to_owned(), cut_from)
    }
}

/// What the pass brings back.
#[derive(Debug, Default)]
pub(crate) struct SecondPass {
    /// The documents asked for.
    pub(crate) shown: BTreeMap<u32, Shown>,
    /// What was written, if anything was to be.
    pub(crate) written: Option<WrittenFiles>,
}

/// Reads the inputs again: collects the wanted documents, and routes all records as the decisions say
/// where `routing` has an output for them.
pub(crate) fn second_pass(
    analysis: &Analysis,
    wanted: &Wanted,
    routing: Option<(&Staging, &RouteOptions, &Decisions<'_>)>,
    progress: &dyn Progress,
) -> Result<SecondPass, LookalikeError> {
    let inputs = &analysis.inputs;
    inputs.verify_unchanged()?;
    let collection = &analysis.collection;
    let own_files = collection.first_protected_file.min(inputs.files.len() as u32);
    let own = &inputs.files[..own_files as usize];
    // The chunks of which something is wanted, where not all are read.
    let mut some: Option<Vec<u32>> = None;
    let parts: Box<dyn Iterator<Item = ChunksPart<'_>> + Send> = match routing {
        Some(_) => {
            progress.phase("writing", Some(own.iter().map(|file| file.size).sum()));
            // Only the samples may lie in files that are not written again.
            let last_file =
                wanted.documents.last().map_or(0, |&document| collection.file(document) + 1);
            let until = own_files.max(last_file);
            let files = inputs.chunks().into_files();
            let files = files.take_while(move |file| file.first_file() < until);
            Box::new(files.map(|file| Box::new(FilePart(file)) as ChunksPart<'_>))
        }
        None => {
            let documents = &wanted.documents;
            let mut chunks: Vec<u32> = documents.iter().map(|&d| collection.chunk_of(d)).collect();
            chunks.dedup();
            let places: Vec<ChunkPosition> =
                chunks.iter().map(|&c| collection.chunk_place(c)).collect();
            progress.phase("picking samples", Some(bytes_of(inputs, &places)));
            some = Some(chunks);
            let places = Items(inputs.chunks_at(places));
            Box::new(std::iter::once(Box::new(places) as ChunksPart<'_>))
        }
    };

    let mut recount = Recount::new(analysis, own_files);
    let mut writer = routing.map(|(staging, options, _)| {
        DocumentsWriter::new(inputs, staging, options).with_threads(analysis.threads)
    });
    let mut pass = SecondPass::default();
    let mut outcome: Result<(), LookalikeError> = Ok(());
    // A file that gave other records than before, and the error for it, unless what follows says why.
    let mut other: Option<(u32, LookalikeError)> = None;
    // What was written is filled anew: its pages are there.
    let written: Mutex<Vec<Box<Routed>>> = Mutex::default();
    let written = || written.lock().unwrap_or_else(PoisonError::into_inner);
    let numbers = ChunkNumbers::new(collection);
    let mut position = 0;
    pipeline::ordered_parts(
        PipelineLimits { threads: analysis.threads, in_flight: analysis.memory.in_flight() },
        parts,
        |chunk| chunk_bytes(chunk, inputs),
        VisitScratch::default,
        |scratch, chunk| -> Result<_, LookalikeError> {
            let chunk = match chunk {
                Ok(chunk) => chunk,
                Err(problem) => return Ok((None, Read::Problem(problem), Vec::new())),
            };
            let Some(index) = numbers.of(chunk.place()) else {
                return Err(changed(inputs, chunk.file));
            };
            let shown = pick(&chunk, index, analysis, wanted, scratch)?;
            let read = match routing {
                Some((_, options, decisions)) if chunk.file < own_files => {
                    let mut routed = written().pop().unwrap_or_default();
                    let fates = decisions.of_chunk(index)?;
                    chunk.route(inputs, &fates, options, &mut routed)?;
                    // A run of one-document files may end in the collection that is not written again.
                    let known = fates.before_file(own_files);
                    Read::Routed(chunk.file, chunk.consumed, known, routed)
                }
                _ => Read::Seen(chunk.file, chunk.consumed),
            };
            Ok((Some(index), read, shown))
        },
        |_| 0,
        |result| {
            // Chunks are those of the first pass, in its order.
            let expected = match &some {
                None => position as u32,
                Some(chunks) => chunks.get(position).copied().unwrap_or(u32::MAX),
            };
            position += 1;
            outcome = result.and_then(|(index, read, shown)| {
                if let (Some(index), Read::Routed(file, ..) | Read::Seen(file, _)) = (index, &read)
                    && index != expected
                {
                    return Err(changed(inputs, *file));
                }
                pass.shown.extend(shown);
                let consumed = match (read, &mut writer) {
                    (Read::Problem(problem), _)
                        if other
                            .as_ref()
                            .is_some_and(|(file, _)| recount.is_new(&problem, *file)) =>
                    {
                        return Err(unreadable_again(inputs, problem));
                    }
                    _ if let Some((_, error)) = other.take() => return Err(error),
                    (Read::Problem(problem), _) => {
                        recount.problem(expected, problem)?;
                        0
                    }
                    (Read::Routed(file, consumed, known, mut routed), Some(writer)) => {
                        match recount.routed(file, known, &routed) {
                            // The rest of the file may be unreadable, which comes next.
                            Err(error) => other = Some((file, error)),
                            Ok(()) => writer.write(&routed)?,
                        }
                        routed.free_large();
                        written().push(routed);
                        consumed
                    }
                    (Read::Seen(_, consumed) | Read::Routed(_, consumed, _, _), _) => consumed,
                };
                progress.advance(consumed, 0);
                if progress.cancelled() { Err(EngineError::Cancelled.into()) } else { Ok(()) }
            });
            outcome.is_ok()
        },
    );
    outcome?;
    if let Some((_, error)) = other {
        return Err(error);
    }
    inputs.verify_unchanged()?;
    if routing.is_some() {
        recount.finish()?;
    }
    if let Some(&missing) =
        wanted.documents.iter().find(|document| !pass.shown.contains_key(document))
    {
        return Err(changed(inputs, collection.file(missing)));
    }
    pass.written = writer.map(DocumentsWriter::finish).transpose()?;
    Ok(pass)
}

/// Bytes of the files in which these places lie, which are in order.
fn bytes_of(inputs: &Inputs, places: &[ChunkPosition]) -> u64 {
    let files = places.chunk_by(|a, b| a.file == b.file).map(|places| places[0].file as usize);
    files.map(|file| inputs.files[file].size).sum()
}

/// Chunks that are read one after the other.
type ChunksPart<'a> = Box<dyn Part<Item = ReadChunk> + 'a>;

/// The numbers of chunks by their places.
struct ChunkNumbers(Vec<((u32, u32), u32)>);

impl ChunkNumbers {
    fn new(collection: &Collection) -> Self {
        let places = (0..collection.chunks()).map(|chunk| (collection.chunk_place(chunk), chunk));
        // Problems in place of a chunk have no place; those of chunks ascend.
        let chunks = places.filter(|(place, _)| place.record > 0);
        Self(chunks.map(|(place, chunk)| ((place.file, place.record), chunk)).collect())
    }

    /// The number of the chunk that begins there; `None` if none did in the first pass.
    fn of(&self, place: ChunkPosition) -> Option<u32> {
        let at = self.0.binary_search_by_key(&(place.file, place.record), |&(place, _)| place);
        at.ok().map(|at| self.0[at].1)
    }
}

/// What became of a chunk.
enum Read {
    /// It could not be read.
    Problem(Problem),
    /// It is of this file, took this many bytes of it, had so many documents the first time, and its records
    /// know where they go.
    Routed(u32, u64, u64, Box<Routed>),
    /// It is of this file, took this many bytes of it, and was only looked at.
    Seen(u32, u64),
}

/// Counts again what the first pass counted: documents by chunk, documents and problems by file.
struct Recount<'a> {
    analysis: &'a Analysis,
    /// For each file that is written again. What one-document files bring is counted with the first of
    /// their run, and not compared: a file is one record, whatever is in it.
    files: Vec<Counts>,
}

#[derive(Default)]
struct Counts {
    documents: u64,
    problems: u64,
    /// What could not be read, the last of it.
    found: Option<Problem>,
}

impl<'a> Recount<'a> {
    fn new(analysis: &'a Analysis, own_files: u32) -> Self {
        Self { analysis, files: (0..own_files).map(|_| Counts::default()).collect() }
    }

    /// Whether a problem right behind a chunk with other records than before, which begins in `file`, is why.
    /// One-document files lie in one chunk, and any of them can be the one that cannot be read now.
    fn is_new(&self, problem: &Problem, file: u32) -> bool {
        problem.file == file
            || self.analysis.collection.problems.counts().all(|(known, _)| known != problem.file)
    }

    /// A place that cannot be read now. If documents came from there, that is new.
    fn problem(&mut self, chunk: u32, problem: Problem) -> Result<(), LookalikeError> {
        let is_known = chunk < self.analysis.collection.chunks();
        if is_known && !self.analysis.collection.chunk_documents(chunk).is_empty() {
            return Err(unreadable_again(&self.analysis.inputs, problem));
        }
        if let Some(counts) = self.files.get_mut(problem.file as usize) {
            counts.problems += 1;
            counts.found = Some(problem);
        }
        Ok(())
    }

    /// Records on their way out.
    fn routed(&mut self, file: u32, known: u64, routed: &Routed) -> Result<(), LookalikeError> {
        let inputs = &self.analysis.inputs;
        let usable = [Role::Kept, Role::Removed, Role::Marked];
        let now: u64 = usable.into_iter().map(|role| routed.records(role)).sum();
        if now != known {
            return Err(changed(inputs, file));
        }
        if let Some(counts) = self.files.get_mut(file as usize) {
            counts.documents += now;
            counts.problems += routed.records(Role::Rejected);
        }
        Ok(())
    }

    /// Refuses a file whose sums are not those of the first pass.
    fn finish(self) -> Result<(), LookalikeError> {
        let Analysis { inputs, collection, .. } = self.analysis;
        let problems: BTreeMap<u32, u64> = collection.problems.counts().collect();
        for ((file, counts), bounds) in
            (0u32..).zip(self.files).zip(collection.file_starts.windows(2))
        {
            let one = matches!(
                inputs.files[file as usize].format,
                Format::Text | Format::Markdown | Format::Html
            );
            let known =
                (u64::from(bounds[1] - bounds[0]), problems.get(&file).copied().unwrap_or(0));
            if !one && (counts.documents, counts.problems) != known {
                return Err(match counts.found {
                    Some(problem) => unreadable_again(inputs, problem),
                    None => changed(inputs, file),
                });
            }
        }
        Ok(())
    }
}

/// The error for a file that is not what it was; by its size or time, if they tell.
fn changed(inputs: &Inputs, file: u32) -> LookalikeError {
    match inputs.verify_unchanged() {
        Err(error) => error.into(),
        Ok(()) => LookalikeError::Changed { input: inputs.files[file as usize].name.clone() },
    }
}

/// The error for an input that could be read by the first pass and cannot be by this one.
fn unreadable_again(inputs: &Inputs, problem: Problem) -> LookalikeError {
    match inputs.verify_unchanged() {
        Err(error) => error.into(),
        Ok(()) => LookalikeError::UnreadableAgain(Box::new(problem)),
    }
}

/// The wanted ones among the documents of a chunk.
fn pick(
    chunk: &Chunk,
    index: u32,
    analysis: &Analysis,
    all: &Wanted,
    scratch: &mut VisitScratch,
) -> Result<Vec<(u32, Shown)>, LookalikeError> {
    let documents = analysis.collection.chunk_documents(index);
    let from = all.documents.partition_point(|&document| document < documents.start);
    let until = all.documents.partition_point(|&document| document < documents.end);
    let wanted = &all.documents[from..until];
    let mut shown = Vec::new();
    if wanted.is_empty() {
        return Ok(shown);
    }
    let rows = analysis.collection.rows(index)?;
    let place = |&document: &u32| {
        let row = &rows.documents[(document - documents.start) as usize];
        (row.file, row.record)
    };
    let places: Vec<(u32, u32)> = wanted.iter().map(place).collect();
    let text = |&document: &u32| rows.documents[(document - documents.start) as usize].text;
    let texts: Vec<TextDigest> = wanted.iter().map(text).collect();
    let is_wanted = |file, record| places.binary_search(&(file, record)).is_ok();
    let mut unreadable = None;
    chunk.visit_some(&analysis.inputs, scratch, &is_wanted, &mut |item| {
        let record = match item {
            Item::Record(record) => record,
            Item::Bad(problem) => {
                if problem.unreadable {
                    unreadable.get_or_insert(problem);
                }
                return;
            }
        };
        let Ok(at) = places.binary_search(&(record.file, record.record)) else { return };
        // The text shown must be the one that was compared.
        if original::digest(&record.content) != texts[at] {
            return;
        }
        let (text, cut_from) = all.beginning(wanted[at], &plain_text(&record.content));
        let owned = |field: &Option<std::borrow::Cow<'_, str>>| field.as_deref().map(str::to_owned);
        let (title, url) = (owned(&record.title), owned(&record.url));
        shown.push((wanted[at], Shown { title, url, text, cut_from }));
    });
    unreadable.map_or(Ok(shown), |problem| Err(unreadable_again(&analysis.inputs, problem)))
}

#[cfg(test)]
mod tests {
    use crate::{Job, LookalikeError, Outcome, Progress, run_cluster, run_dedup};
    use std::fs::{self, File};
    use std::path::{Path, PathBuf};

    /// Writes other content into a file when a phase begins, and gives it its old time back.
    struct Meddler {
        phase: &'static str,
        path: PathBuf,
        content: Vec<u8>,
        keep_time: bool,
    }

    impl Progress for Meddler {
        fn phase(&self, name: &'static str, _: Option<u64>) {
            if name == self.phase {
                let time = fs::metadata(&self.path).unwrap().modified().unwrap();
                fs::write(&self.path, &self.content).unwrap();
                let time =
                    if self.keep_time { time } else { time + std::time::Duration::from_secs(2) };
                File::options().append(true).open(&self.path).unwrap().set_modified(time).unwrap();
            }
        }
    }

    type Run = fn(&Job, &dyn Progress) -> Result<Outcome, LookalikeError>;

    /// Runs a job over a file (beside another, that stays) that changes when the phase begins.
    fn changed(
        run: Run,
        phase: &'static str,
        (name, before): (&str, &[u8]),
        after: &[u8],
        keep_time: bool,
    ) -> (Result<Outcome, LookalikeError>, bool) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        fs::write(&path, before).unwrap();
        fs::write(folder.path().join("a.jsonl"), lines(3)).unwrap();
        fs::write(folder.path().join("b.txt"), "some text that stays as it is").unwrap();
        let out = folder.path().join("out");
        let job = Job::new(vec![folder.path().display().to_string()], &out);
        let meddler = Meddler { phase, path, content: after.to_vec(), keep_time };
        let result = run(&job, &meddler);
        (result, leftovers(folder.path()) > 0)
    }

    /// What a failed run left behind.
    fn leftovers(folder: &Path) -> usize {
        let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
        names.filter(|name| name.to_string_lossy().starts_with("out")).count()
    }

    fn lines(number: usize) -> String {
        (0..number)
            .map(|n| format!("{{\"text\":\"one two three four five {}\"}}\n", n % 2))
            .collect()
    }

    /// A gzip member with one stored block (RFC 1952; RFC 1951, section 3.2.4).
    fn stored_gzip(data: &[u8]) -> Vec<u8> {
        let length = u16::try_from(data.len()).unwrap();
        let mut packed = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255, 1];
        packed.extend(length.to_le_bytes());
        packed.extend((!length).to_le_bytes());
        packed.extend(data);
        let bit = |crc: u32| if crc & 1 == 1 { (crc >> 1) ^ 0xedb8_8320 } else { crc >> 1 };
        let crc =
            data.iter().fold(!0u32, |crc, &byte| (0..8).fold(crc ^ u32::from(byte), |c, _| bit(c)));
        packed.extend((!crc).to_le_bytes());
        packed.extend(u32::from(length).to_le_bytes());
        packed
    }

    #[test]
    fn an_input_that_changes_between_the_passes_stops_the_run() {
        let whole = lines(6);
        // As many bytes each time: one line instead of two, a blank line, a line more.
        let joined = whole.replacen("}\n", "} ", 1);
        let blanked = format!("{}{}", " ".repeat(whole.len() - lines(5).len()), lines(5));
        let parted = whole.replacen(" five", "\n{}  ", 1);
        for after in [joined, blanked, parted] {
            assert_eq!(after.len(), whole.len(), "the size must not give it away");
            let (result, left) = changed(
                run_dedup,
                "writing",
                ("c.jsonl", whole.as_bytes()),
                after.as_bytes(),
                true,
            );
            let error = result.unwrap_err();
            assert!(matches!(error, LookalikeError::Changed { .. }), "{error}");
            assert!(error.to_string().contains("c.jsonl: changed during the run"), "{error}");
            assert!(!left, "nothing is written");
        }
        // Shorter, or written anew: that shows in what the file system says of it.
        for (after, keep_time) in [(lines(2), true), (whole.clone(), false), (String::new(), false)]
        {
            let (result, left) = changed(
                run_dedup,
                "writing",
                ("c.jsonl", whole.as_bytes()),
                after.as_bytes(),
                keep_time,
            );
            let error = result.unwrap_err();
            assert!(error.to_string().contains("c.jsonl: changed while it was read"), "{error}");
            assert!(!left, "nothing is written");
        }
    }

    #[test]
    fn a_problem_that_only_the_second_pass_meets_stops_the_run() {
        let mut packed = stored_gzip(lines(40).as_bytes());
        let whole = packed.clone();
        // The check sum at its end: all records are read before the damage shows.
        let at = packed.len() - 8;
        packed[at] ^= 1;
        for (run, phase) in [(run_dedup as Run, "writing"), (run_cluster as Run, "picking samples")]
        {
            let (result, left) = changed(run, phase, ("c.jsonl.gz", &whole), &packed, true);
            match phase {
                "writing" => {
                    let error = result.unwrap_err().to_string();
                    assert!(error.contains("c.jsonl.gz: byte "), "{error}");
                    assert!(error.contains("the gzip data is damaged"), "{error}");
                    assert!(error.contains("although it could be read before"), "{error}");
                    assert!(!left);
                }
                // Nothing is carried out there, and what is shown was found.
                _ => assert!(result.is_ok() && left),
            }
        }
        // The other way round, a file that was damaged and is not so any more.
        let skipping: Run =
            |job, progress| run_dedup(&Job { skip_unreadable: true, ..job.clone() }, progress);
        let (result, _) = changed(skipping, "writing", ("c.jsonl.gz", &packed), &whole, true);
        assert!(matches!(result.unwrap_err(), LookalikeError::Changed { .. }));
        // Damage that stays is counted and nothing else.
        let (result, left) = changed(skipping, "writing", ("c.jsonl.gz", &packed), &packed, true);
        assert_eq!((result.unwrap().summary.problems, left), (1, true));
    }
}
