//! The documents of an index, as records.

use super::counts::Counts;
use super::options::ExportOptions;
use crate::index::extra::Extra;
use crate::index::open::Index;
use crate::{LookalikeError, Record, SourceError, duplicate_counts};
use lookalike_engine::Progress;
use lookalike_engine::poll::Poll;
use lookalike_index::{DocAt, IndexError, Snapshot, StoredDocument, TextReader};
use lookalike_io::Beside;
use lookalike_io::sink::{Staging, check_file};
use serde_json::{Map, Number, Value};
use std::io::{BufWriter, Write};
use std::path::Path;

/// Name of the file of documents, and of the documents in tables.
pub(super) const DOCUMENTS: &str = "documents.jsonl";

/// The documents of a snapshot, in the order in which their ids were first added.
pub(crate) struct Documents<'a> {
    index: &'a Index,
    snapshot: &'a Snapshot,
    order: Vec<DocAt>,
    /// Of kept documents, if these are all.
    counts: Option<Counts>,
}

impl<'a> Documents<'a> {
    /// # Errors
    /// An index without texts.
    pub(super) fn new(index: &'a Index, snapshot: &'a Snapshot) -> Result<Self, LookalikeError> {
        check_texts(index)?;
        Ok(Self::of_any(index, snapshot))
    }

    /// The documents, without their texts if these are not stored.
    pub(super) fn of_any(index: &'a Index, snapshot: &'a Snapshot) -> Self {
        Self { index, snapshot, order: snapshot.in_order(), counts: None }
    }

    /// The kept documents alone, with their counts.
    fn with_counts(mut self, progress: &dyn Progress) -> Result<Self, LookalikeError> {
        self.counts = Some(Counts::new(self.index, self.snapshot, &self.order, progress)?);
        self.order.retain(|&at| self.snapshot.is_kept(at));
        Ok(self)
    }

    /// Those that are exported.
    fn exported(
        index: &'a Index,
        snapshot: &'a Snapshot,
        options: &ExportOptions,
        progress: &dyn Progress,
    ) -> Result<Self, LookalikeError> {
        let documents = Self::new(index, snapshot)?;
        match options.add_counts {
            true => documents.with_counts(progress),
            false => Ok(documents),
        }
    }

    /// The documents, in their order.
    pub(super) fn order(&self) -> &[DocAt] {
        &self.order
    }

    /// The documents as records.
    pub(crate) fn records(
        &self,
    ) -> impl Iterator<Item = Result<Record, SourceError>> + Send + use<'_, 'a> {
        let mut texts = TextReader::default();
        self.order
            .iter()
            .map(move |&at| Ok(record(self.index, self.snapshot.document(at), &mut texts)?))
    }

    /// Writes the documents as JSONL; `name` names the writer in errors.
    fn write(
        &self,
        out: &mut dyn Write,
        name: &Path,
        progress: &dyn Progress,
    ) -> Result<(), LookalikeError> {
        progress.phase("writing", None);
        let fields = &self.index.settings().documents.fields;
        let failed = |reason: std::io::Error| IndexError::Io { path: name.to_owned(), reason };
        for (record, &at) in self.records().zip(&self.order) {
            let record = record.map_err(|error| LookalikeError::Source {
                name: DOCUMENTS.to_owned(),
                records: 0,
                error,
            })?;
            Poll::new(progress).now()?;
            let mut row = Map::new();
            let mut put = |name: &str, value: Option<String>| {
                value.map(|value| row.insert(name.to_owned(), Value::String(value)))
            };
            put(&fields.id, record.id);
            put(&fields.url, record.url);
            put(&fields.title, record.title);
            put(&fields.date, record.date);
            put(&fields.text, Some(record.text));
            for (name, value) in record.labels {
                // Documents with another value of these do not match, or with the same one of the last.
                if name == Beside::FIELD {
                    let Beside { attachments, distinct, across, .. } =
                        Beside::read(&value).unwrap_or_default();
                    let hashes =
                        [("attachments", attachments), ("distinct", distinct), ("across", across)];
                    for (name, hash) in hashes {
                        hash.map(|hash| row.insert(name.into(), format!("{hash:016x}").into()));
                    }
                    continue;
                }
                row.insert(name, Value::String(value));
            }
            for (name, value) in record.numbers {
                row.insert(name, Number::from_f64(value).map_or(Value::Null, Value::Number));
            }
            if let Some(counts) = &self.counts {
                let (all, by_source) = counts.of(at);
                let values = [Value::from(all), Value::from(by_source)];
                for (name, value) in duplicate_counts::NAMES.into_iter().zip(values) {
                    if row.insert(name.to_owned(), value).is_some() {
                        return Err(LookalikeError::Settings(format!(
                            "the documents have a field `{name}`, which the setting add_counts adds; leave \
                             the setting out"
                        )));
                    }
                }
            }
            let mut line = serde_json::to_vec(&row)?;
            line.push(b'\n');
            out.write_all(&line).map_err(failed)?;
        }
        Ok(())
    }
}

/// A stored document as a record.
pub(crate) fn record(
    index: &Index,
    document: StoredDocument<'_>,
    texts: &mut TextReader,
) -> Result<Record, IndexError> {
    let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    let extra: Extra<'_> = serde_json::from_slice(document.extra()).unwrap_or_default();
    let rules = index.analysis.keep.iter().zip(document.keep());
    let (mut numbers, mut labels) = (Vec::new(), Vec::new());
    for (rule, value) in rules.filter(|(_, value)| !value.is_nan()) {
        let Some(field) = rule.field() else { continue };
        match rule.values().map(|values| values.get(value as usize)) {
            Some(preferred) => labels.extend(preferred.map(|it| (field.to_owned(), it.clone()))),
            None => numbers.push((field.to_owned(), value)),
        }
    }
    let text = match index.settings().texts {
        true => document.text(texts)?.to_owned(),
        // Damage is found here: later reads of the set cannot return an error.
        false => document.stored_set(&mut Vec::new()).map(|()| String::new())?,
    };
    Ok(Record {
        text,
        id: some(document.id()),
        url: some(document.url()),
        title: extra.title.map(std::borrow::Cow::into_owned),
        date: some(document.date()),
        numbers,
        labels: labels
            .into_iter()
            .chain(extra.message.map(|written| (Beside::FIELD.to_owned(), written.into_owned())))
            .collect(),
    })
}

/// A record as its owner gave it: without what is compared beside the text of a message.
fn shown(mut record: Record) -> Record {
    record.labels.retain(|(name, _)| name != Beside::FIELD);
    record
}

impl Index {
    /// The documents of the last commit, in the order in which their ids were first added.
    ///
    /// ```
    /// use lookalike::index::{AddOptions, IndexSettings};
    /// use lookalike::{IndexWriter, Record, Settings, Silent, Source};
    /// use lookalike::Index;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let folder = tempfile::tempdir()?;
    /// # let dir = folder.path().join("index");
    /// let mut writer = IndexWriter::create(&dir, IndexSettings::default(), 1)?;
    /// let rose = Record::new("a rose is a rose is a rose").id("rose").title("Sacred Emily");
    /// let (fields, options) = (Settings::default(), AddOptions::default());
    /// writer.add(Source::records([rose.clone()]), &fields, &options, &Silent, |_| {})?;
    /// let index = Index::open(&dir)?;
    /// let mut all = Vec::new();
    /// index.for_each_document(|record| all.push(record))?;
    /// assert_eq!(all, [rose.clone()]);
    /// assert_eq!(index.document("rose")?, Some(rose));
    /// assert_eq!(index.document("lily")?, None);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// An index without texts, files that cannot be read.
    pub fn for_each_document(&self, mut each: impl FnMut(Record)) -> Result<(), LookalikeError> {
        let snapshot = self.snapshot()?;
        let documents = Documents::new(self, &snapshot)?;
        let mut texts = TextReader::default();
        for &at in documents.order() {
            each(shown(record(self, snapshot.document(at), &mut texts)?));
        }
        Ok(())
    }

    /// The document of the last commit with an id; of several sweeps the last.
    ///
    /// # Errors
    /// An index without texts, files that cannot be read.
    pub fn document(&self, id: &str) -> Result<Option<Record>, LookalikeError> {
        let snapshot = self.snapshot()?;
        check_texts(self)?;
        let found = snapshot.with_id(id).last().copied();
        let record = |at| record(self, snapshot.document(at), &mut TextReader::default());
        Ok(found.map(record).transpose()?.map(shown))
    }
}

/// # Errors
/// The index stores no texts.
fn check_texts(index: &Index) -> Result<(), LookalikeError> {
    match index.settings().texts {
        true => Ok(()),
        false => Err(LookalikeError::Settings(format!(
            "{}: the index stores no texts (the setting no_text), so its documents cannot be \
             exported",
            index.dir().display()
        ))),
    }
}

/// Writes the documents of an index as JSONL, in the order in which their ids were first added, or those
/// that are kept with [`ExportOptions::add_counts`]: to
/// `documents.jsonl` in [`ExportOptions::output`], or to that file if its name ends with `.jsonl`.
/// Returns their number.
///
/// # Errors
/// An index without texts, an output that exists.
pub fn export_documents(
    index: &Index,
    options: &ExportOptions,
    progress: &dyn Progress,
) -> Result<u64, LookalikeError> {
    let snapshot = index.snapshot()?;
    let documents = Documents::exported(index, &snapshot, options, progress)?;
    let count = documents.order.len() as u64;
    write_whole(index.dir(), options, count, |out| {
        documents.write(out, &options.output, progress)
    })?;
    Ok(count)
}

/// As [`export_documents`], to a writer instead of [`ExportOptions::output`].
///
/// # Errors
/// An index without texts; a writer that fails.
pub fn write_documents(
    index: &Index,
    options: &ExportOptions,
    out: &mut dyn Write,
    progress: &dyn Progress,
) -> Result<u64, LookalikeError> {
    let snapshot = index.snapshot()?;
    let documents = Documents::exported(index, &snapshot, options, progress)?;
    documents.write(out, Path::new("standard output"), progress)?;
    Ok(documents.order.len() as u64)
}

/// Writes the documents whole or not at all: to a file, or to one in a result directory.
fn write_whole(
    index: &Path,
    options: &ExportOptions,
    count: u64,
    fill: impl Fn(&mut dyn Write) -> Result<(), LookalikeError>,
) -> Result<(), LookalikeError> {
    let output = &options.output;
    let failed = |reason: std::io::Error| IndexError::Io { path: output.clone(), reason };
    if output.extension().is_some_and(|ending| ending == "jsonl") {
        if output.exists() && !options.force {
            return Err(LookalikeError::Settings(format!(
                "{}: there is a file of that name; choose another, or replace it with the setting \
                 force",
                output.display()
            )));
        }
        check_file(output, "output", [index])?;
        let folder = output.parent().filter(|folder| !folder.as_os_str().is_empty());
        let file = tempfile::NamedTempFile::new_in(folder.unwrap_or(Path::new(".")));
        let mut file = BufWriter::new(file.map_err(failed)?);
        fill(&mut file)?;
        let file = file.into_inner().map_err(|error| failed(error.into_error()))?;
        file.as_file().sync_all().map_err(failed)?;
        file.persist(output).map_err(|error| failed(error.error))?;
        return Ok(());
    }
    let staging = Staging::create(output, options.force)?;
    let mut file = BufWriter::new(std::fs::File::create(staging.path(DOCUMENTS)).map_err(failed)?);
    fill(&mut file)?;
    file.flush().map_err(failed)?;
    drop(file);
    // A result directory has a summary, by which it is known and may be replaced.
    staging.write("summary.json", format!("{{\"documents\": {count}}}\n").as_bytes())?;
    Ok(staging.commit()?)
}
