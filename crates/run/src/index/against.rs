//! A new collection against an index: the documents of the index that it duplicates.
//!
//! A run with [`Job::against`](crate::Job::against) needs of the older collection only the
//! documents that match one of its own: no other is a witness. The index finds them, so that the
//! older collection is not read. A search for passages needs all of them, as a passage may stand in any.

use super::copy_dir::CopyDir;
use super::export::record;
use super::extra::beside;
use super::open::Index;
use crate::feature_settings;
use crate::ignored_texts::IgnoredTexts;
use crate::reading::Documents;
use crate::{Job, LookalikeError, Record, Settings, state};
use lookalike_core::Measure;
use lookalike_engine::files::piece_bytes;
use lookalike_engine::pipeline::{Items, PipelineLimits};
use lookalike_engine::poll::Poll;
use lookalike_engine::{EngineError, Linkage, Progress, SignerScratch, pipeline};
use lookalike_index::{
    Ask, AskOptions, DocAt, IndexError, QueryScratch, QuerySet, Question, Snapshot, TextReader,
};
use lookalike_io::source::{Piece, VisitScratch};
use lookalike_io::{Beside, Compression, FieldNames, Format, InputFile, Inputs, Item, Problem};
use lookalike_spill::regular_file;
use serde_json::{Map, Number, Value};
use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Whether a path is an index.
pub(crate) fn is_index(path: impl AsRef<Path>) -> bool {
    let dir = path.as_ref();
    dir.join("store.redb").is_file() && dir.join("settings.json").is_file()
}

/// The indexes among the names of another collection.
pub(crate) fn indexes(against: &[String]) -> impl Iterator<Item = &String> {
    against.iter().filter(|path| is_index(path))
}

/// The names of another collection that are no indexes.
pub(crate) fn files(against: &[String]) -> Vec<String> {
    against.iter().filter(|path| !is_index(path)).cloned().collect()
}

/// Adds to the inputs of a job the documents of its indexes that match one of them, or all if passages are
/// cut.
///
/// # Errors
/// An index with other features; a run with connected components, which depend on documents that
/// match no new one; a run that is to be resumed.
pub(crate) fn append_matched(
    job: &Job,
    inputs: &mut Inputs,
    own_files: usize,
    progress: &dyn Progress,
) -> Result<(), LookalikeError> {
    let is_all = job.passages.is_some();
    let folder = match &job.scratch {
        // All documents may be more than a temporary directory in memory can have.
        None if !is_all => std::env::temp_dir(),
        _ => state::folder(job),
    };
    for path in indexes(&job.against) {
        let index = Index::open(path)?;
        if is_all {
            check_texts(&job.settings, &index, path)?;
        }
        check(job, &index, path)?;
        let snapshot = index.snapshot()?;
        let documents = if is_all {
            snapshot.in_order()
        } else {
            let own = Documents::of_files(inputs);
            let (matched, failures) = matched(job, &index, &snapshot, own, own_files, progress)?;
            // What was not compared with the index is unreadable in the run as well.
            for Problem { file, message, .. } in failures {
                inputs.files[file as usize].damage.get_or_insert(message);
            }
            matched
        };
        let stored = Stored { path, index: &index, snapshot: &snapshot, documents: &documents };
        stored.append(inputs, &job.settings.fields, &folder, progress)?;
        inputs.options.fields.given.push(Beside::FIELD.to_owned());
    }
    Ok(())
}

/// Adds to the inputs of a search for passages all documents of the indexes among the names of another
/// collection, as they are at this moment: they are copied to files in a folder.
///
/// # Errors
/// An index that [`check_texts`] refuses or that cannot be read; a folder that cannot be written to; a
/// cancellation.
pub(crate) fn append_all(
    settings: &Settings,
    against: &[String],
    inputs: &mut Inputs,
    folder: &Path,
    progress: &dyn Progress,
) -> Result<(), LookalikeError> {
    for path in indexes(against) {
        let index = Index::open(path)?;
        check_texts(settings, &index, path)?;
        let snapshot = index.snapshot()?;
        let documents = snapshot.in_order();
        let stored = Stored { path, index: &index, snapshot: &snapshot, documents: &documents };
        stored.append(inputs, &settings.fields, folder, progress)?;
    }
    Ok(())
}

/// The texts of documents that tables name by their ids and by their numbers in the order in which ids were
/// first added; `None` of one that the index does not have any more. Of several documents with an id, one for
/// each sweep, it is the one with the number, else the last.
///
/// # Errors
/// An index that cannot be read.
pub(crate) fn texts_of<'n>(
    dir: &Path,
    names: impl Iterator<Item = (&'n str, u32)>,
) -> Result<Vec<Option<String>>, LookalikeError> {
    let index = Index::open(dir)?;
    let snapshot = index.snapshot()?;
    let (in_order, mut texts) = (OnceCell::new(), TextReader::default());
    names
        .map(|(id, number)| {
            let with_id = snapshot.with_id(id);
            let numbered = match with_id.len() {
                0 | 1 => None,
                _ => in_order
                    .get_or_init(|| snapshot.in_order())
                    .get((number as usize).wrapping_sub(1))
                    .filter(|at| with_id.contains(at)),
            };
            let at = numbered.or(with_id.last());
            at.map(|&at| Ok(snapshot.document(at).text(&mut texts)?.to_owned())).transpose()
        })
        .collect()
}

/// The documents of an index that match one of the documents of a caller: one collection.
///
/// # Errors
/// As [`append_matched`]; those of the caller's documents.
pub(crate) fn matched_records(
    job: &Job,
    index: &Index,
    own: Documents<'_>,
    progress: &dyn Progress,
) -> Result<Vec<Record>, LookalikeError> {
    check(job, index, &index.dir().display().to_string())?;
    let snapshot = index.snapshot()?;
    let (matched, _) = matched(job, index, &snapshot, own, 1, progress)?;
    let mut texts = TextReader::default();
    let record = |&at| Ok(record(index, snapshot.document(at), &mut texts)?);
    matched.iter().map(record).collect()
}

fn io(path: &Path) -> impl Fn(std::io::Error) -> LookalikeError + '_ {
    move |reason| IndexError::Io { path: path.to_owned(), reason }.into()
}

/// The error of a run against an index that is to be resumed: the index may change.
pub(crate) fn no_resume(path: &str) -> LookalikeError {
    LookalikeError::Settings(format!(
        "{path}: a run against an index cannot be resumed; leave out the setting resume"
    ))
}

/// Refuses a run whose answer would differ from that over the documents of the index.
fn check(job: &Job, index: &Index, path: &str) -> Result<(), LookalikeError> {
    let (own, stored) = (&job.settings, &index.settings().documents);
    let refused = |reason: String| Err(LookalikeError::Settings(format!("{path}: {reason}")));
    if job.resume {
        return Err(no_resume(path));
    }
    if own.linkage() == Linkage::Components {
        return refused(
            "connected components depend on documents that match no new one; use the setting \
             linkage=leaders, or give exported documents to the setting against"
                .into(),
        );
    }
    if !index.settings().texts {
        return refused("the index stores no texts".into());
    }
    if let Some(value) = &stored.across {
        return refused(format!(
            "the index was created with the setting across={value}, and a run against a collection \
             compares documents whatever their values are; give exported documents to the setting \
             against, or use an index without across"
        ));
    }
    feature_settings::refuse(&own.fields, "an index")?;
    let criterion = own.matching()?.criterion();
    let question = Question { ask: Ask::of(criterion.measure), threshold: criterion.threshold };
    if let Err(error) = index.snapshot()?.check_question(question) {
        return refused(error.to_string());
    }
    let differs = [
        ("shingle", own.shingle_size() == stored.shingle_size()),
        ("terms", own.terms == stored.terms),
        (
            "mail_attachments",
            own.formats.mail_attachments.unwrap_or_default()
                == stored.formats.mail_attachments.unwrap_or_default(),
        ),
        ("distinct_by", own.distinctions()? == stored.distinctions()?),
        ("short_documents", own.short_documents == stored.short_documents),
        ("min_features", own.least_features() == stored.least_features()),
        ("shingle_unit", own.analysis.unit == stored.analysis.unit),
        ("normalize", own.analysis.normalize == stored.analysis.normalize),
        ("tokens", own.analysis.tokens() == stored.analysis.tokens()),
        ("case", own.analysis.case == stored.analysis.case),
        ("keep", keeps_values(own, index)?),
        ("ignore_common", own.ignore_common.is_none()),
        ("boilerplate", own.boilerplate.is_none()),
        (
            "ignore_text",
            IgnoredTexts::of(own)?.map(|found| found.checksum())
                == index.analysis.ignored.as_ref().map(IgnoredTexts::checksum),
        ),
        ("method", own.method.is_none()),
    ];
    match differs.iter().find(|(_, equal)| !equal) {
        None => Ok(()),
        Some((name, _)) => refused(format!(
            "the index was created with another value of the setting {name} than this run has; \
             use the same one, or give exported documents to the setting against"
        )),
    }
}

/// Refuses an index whose documents are not the other collection of a search for passages as they were when
/// they were added.
///
/// # Errors
/// An index without texts, or with texts that were read otherwise; settings of which it keeps no values.
fn check_texts(own: &Settings, index: &Index, path: &str) -> Result<(), LookalikeError> {
    let stored = &index.settings().documents;
    let reason = if !index.settings().texts {
        "it stores no texts (the setting no_text)".to_owned()
    } else if let Some(field) = &own.fields.features {
        format!("it stores texts, and the setting unit=tokens:{field} compares lists")
    } else if let Some(field) = &own.separate_by {
        format!("it keeps no values of the field `{field}` of the setting separate_by")
    } else if own.fields.has_sections() != stored.fields.has_sections() {
        format!("it was created with text_field={}", stored.fields.text)
    } else if own.formats.mail_attachments.unwrap_or_default()
        != stored.formats.mail_attachments.unwrap_or_default()
    {
        "it was created with another value of the setting mail_attachments".to_owned()
    } else if !keeps_values(own, index)? {
        "it was created without the field of the setting keep, and has no values of it".to_owned()
    } else {
        return Ok(());
    };
    Err(LookalikeError::Settings(format!(
        "{path}: the index cannot be compared for passages: {reason}; give the files of its documents to the \
         setting against"
    )))
}

/// Whether an index has the values of all fields that keep rules read; other values follow from the documents.
fn keeps_values(own: &Settings, index: &Index) -> Result<bool, LookalikeError> {
    let rules = own.keep_rules()?;
    Ok(rules.iter().all(|rule| rule.field().is_none() || index.analysis.keep.contains(rule)))
}

/// The documents that match a document of the first files of the inputs, and where these could not be
/// read.
///
/// # Errors
/// An unreadable input, unless these are skipped: documents that it has would be kept, whatever they
/// duplicate.
fn matched(
    job: &Job,
    index: &Index,
    snapshot: &Snapshot,
    own: Documents<'_>,
    own_files: usize,
    progress: &dyn Progress,
) -> Result<(Vec<DocAt>, Vec<Problem>), LookalikeError> {
    let criterion = job.settings.matching()?.criterion();
    let ask = match criterion.measure {
        Measure::Resemblance => Ask::Resembles,
        Measure::Cosine => Ask::Cosine,
        Measure::Containment => Ask::Containing,
    };
    let question = Question { ask, threshold: criterion.threshold };
    let inputs = own.inputs;
    let total: u64 = inputs.files[..own_files].iter().map(|file| file.size).sum();
    progress.phase("reading", Some(total).filter(|&total| total > 0));
    let makers = index.analysis.makers();
    let state = || Asking {
        visit: VisitScratch::default(),
        signer: SignerScratch::default(),
        query: QueryScratch::new(makers()),
        set: Vec::new(),
    };
    let (mut all, mut failures): (BTreeSet<DocAt>, Vec<Problem>) = Default::default();
    let memory = crate::memory::Memory::of(job.memory);
    let limits = PipelineLimits { threads: job.thread_count(), in_flight: memory.in_flight() };
    own.with_chunks(|chunks| {
        let pieces = chunks.take_while(|piece| (piece.file() as usize) < own_files);
        pipeline::try_ordered_parts(
            limits,
            std::iter::once(Items(pieces)),
            |piece| piece_bytes(piece, inputs),
            state,
            |asking, piece| asking.ask(piece, own_files, inputs, (index, snapshot), question),
            |(consumed, found, unread)| {
                progress.advance(consumed, 0);
                all.extend(found);
                Poll::new(progress).now()?;
                if let Some(problem) = unread.first().filter(|_| !job.skip_unreadable) {
                    return Err(EngineError::Unreadable(problem.clone()).into());
                }
                failures.extend(unread);
                Ok(())
            },
        )
    })?;
    let mut all: Vec<DocAt> = all.into_iter().collect();
    all.sort_by_key(|&at| snapshot.document(at).first());
    Ok((all, failures))
}

/// State of a thread that asks an index about documents.
struct Asking {
    visit: VisitScratch,
    signer: SignerScratch,
    query: QueryScratch,
    set: Vec<u64>,
}

impl Asking {
    /// The documents of an index that match a document of a chunk in the first files, with the bytes
    /// of the chunk and what could not be read of it.
    fn ask(
        &mut self,
        piece: Piece,
        own_files: usize,
        inputs: &Inputs,
        (index, snapshot): (&Index, &Snapshot),
        question: Question,
    ) -> Result<(u64, Vec<DocAt>, Vec<Problem>), LookalikeError> {
        let (chunk, problem) = piece.into_parts();
        let mut unread: Vec<Problem> =
            problem.into_iter().filter(|problem| problem.unreadable).collect();
        let Some(chunk) = chunk else { return Ok((0, Vec::new(), unread)) };
        let Self { visit, signer, query, set } = self;
        let (consumed, mut found, mut failed) = (chunk.consumed, Vec::new(), Ok(()));
        chunk.visit_once(inputs, visit, &mut |item| {
            let record = match item {
                Item::Record(record) => record,
                // It is reported when the run reads it.
                Item::Bad(_) => return,
                Item::Failed(failure) => return unread.push(failure.into_problem()),
            };
            if failed.is_err() || record.file as usize >= own_files {
                return;
            }
            let maker = &index.analysis.signer;
            let (text, beside) = maker.text_and_beside(&record, signer);
            let of_text = maker.message_set(&text, beside, signer, set);
            let (few, sequence) = (of_text.few, of_text.summary.sequence);
            // An index whose documents match only across values is refused.
            let asked = QuerySet { set, few, sequence, value: 0 };
            match snapshot.ask(question, asked, AskOptions::default(), query) {
                Ok(answer) => found.extend(answer.matches.iter().map(|found| found.at)),
                Err(error) => failed = Err(error),
            }
        });
        failed?;
        Ok((consumed, found, unread))
    }
}

/// Documents of an index that become an input.
struct Stored<'a> {
    /// The index as it was named.
    path: &'a str,
    index: &'a Index,
    snapshot: &'a Snapshot,
    documents: &'a [DocAt],
}

impl Stored<'_> {
    /// Appends the documents to inputs, as a file in a folder that is deleted with the inputs.
    fn append(
        &self,
        inputs: &mut Inputs,
        fields: &FieldNames,
        folder: &Path,
        progress: &dyn Progress,
    ) -> Result<(), LookalikeError> {
        std::fs::create_dir_all(folder).map_err(io(folder))?;
        let copy = CopyDir::new(folder).map_err(io(folder))?;
        let path = copy.path();
        self.write(fields, &path, progress)?;
        let metadata = path.metadata().map_err(io(&path))?;
        let described = InputFile {
            path,
            name: self.path.to_owned(),
            relative: PathBuf::from("documents.jsonl"),
            format: Format::JSONL,
            compression: Compression::None,
            size: metadata.len(),
            modified: metadata.modified().ok(),
            object: None,
            damage: None,
            partitions: lookalike_io::Partitions::default(),
            argument: String::new(),
        };
        inputs.append_temporary(described, Arc::new(copy));
        Ok(())
    }

    /// Writes the documents as JSONL, with these fields.
    fn write(
        &self,
        fields: &FieldNames,
        path: &Path,
        progress: &dyn Progress,
    ) -> Result<(), LookalikeError> {
        let Self { index, snapshot, documents, .. } = *self;
        progress.phase("copying", None);
        let mut out = BufWriter::new(regular_file::create(path).map_err(io(path))?);
        let (mut texts, poll) = (TextReader::default(), Poll::new(progress));
        for &at in documents {
            poll.now()?;
            let document = snapshot.document(at);
            let mut row = Map::new();
            let mut put = |name: &str, value: &str| {
                if !value.is_empty() {
                    row.insert(name.to_owned(), Value::String(value.to_owned()));
                }
            };
            put(&fields.id, document.id());
            put(&fields.url, document.url());
            put(&fields.date, document.date());
            row.insert(fields.text.clone(), Value::String(document.text(&mut texts)?.to_owned()));
            for (rule, value) in index.analysis.keep.iter().zip(document.keep()) {
                let held = match rule.values() {
                    Some(_) if value.is_nan() => None,
                    Some(values) => values.get(value as usize).cloned().map(Value::String),
                    None => Number::from_f64(value).map(Value::Number),
                };
                if let (Some(field), Some(held)) = (rule.field(), held) {
                    row.insert(field.to_owned(), held);
                }
            }
            if let Some(written) = beside(document.extra()).written() {
                row.insert(Beside::FIELD.to_owned(), Value::String(written));
            }
            serde_json::to_writer(&mut out, &row)?;
            out.write_all(b"\n").map_err(io(path))?;
        }
        out.flush().map_err(io(path))
    }
}
