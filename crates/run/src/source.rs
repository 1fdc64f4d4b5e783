//! Where the documents of a library call come from: records, Arrow record batches, or files.

use crate::index::Index;
use crate::reading::{CallerDocuments, DocumentChunks};
use crate::{LookalikeError, Settings, SourceError};
use arrow_array::builder::{Float64Builder, StringBuilder};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema};
use lookalike_io::source::{Body, Chunk, Piece, check_batch, cut_batch};
use lookalike_io::{DiscoverOptions, FieldNames, InputFile, Inputs};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// A document of the caller.
///
/// ```
/// use lookalike::Record;
/// let record = Record::new("a rose is a rose").id("7").date("1913-01-01").number("score", 0.5);
/// assert_eq!(record.text, "a rose is a rose");
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Record {
    /// The text that is compared.
    pub text: String,
    /// Its id. Documents without one, or with an empty one, are called `SOURCE:RECORD`.
    pub id: Option<String>,
    /// The address it was found at.
    pub url: Option<String>,
    /// The title.
    pub title: Option<String>,
    /// The date, for the keep rules `newest` and `oldest`: ISO 8601, a mail date, or an epoch number
    /// (docs/how-to/survivors.md has all forms).
    pub date: Option<String>,
    /// Numbers by name, for the keep rules `max:NAME` and `min:NAME`.
    pub numbers: Vec<(String, f64)>,
    /// Texts by name, for the keep rule `prefer(NAME=VALUE)`.
    pub labels: Vec<(String, String)>,
}

impl Record {
    /// A document with this text.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// Gives it an id.
    #[must_use]
    pub fn id(self, id: impl Into<String>) -> Self {
        Self { id: Some(id.into()), ..self }
    }

    /// Gives it an address.
    #[must_use]
    pub fn url(self, url: impl Into<String>) -> Self {
        Self { url: Some(url.into()), ..self }
    }

    /// Gives it a title.
    #[must_use]
    pub fn title(self, title: impl Into<String>) -> Self {
        Self { title: Some(title.into()), ..self }
    }

    /// Gives it a date.
    #[must_use]
    pub fn date(self, date: impl Into<String>) -> Self {
        Self { date: Some(date.into()), ..self }
    }

    /// Gives it a number for a keep rule.
    #[must_use]
    pub fn number(mut self, name: impl Into<String>, value: f64) -> Self {
        self.numbers.push((name.into(), value));
        self
    }

    /// Gives it a text for a keep rule.
    ///
    /// ```
    /// use lookalike::{Record, Resources, Settings, Silent, Source, dedup};
    ///
    /// # fn main() -> Result<(), lookalike::LookalikeError> {
    /// let records = [("a", "web"), ("b", "wiki")]
    ///     .map(|(id, source)| Record::new("a rose is a rose is a rose").id(id).label("source", source));
    /// let keep = vec!["prefer(source=wiki)".into()];
    /// let settings = Settings { keep, ..Settings::default() };
    /// let answer = dedup(Source::records(records), &settings, &Resources::default(), &Silent)?;
    /// assert_eq!(answer.removals().next().expect("one was removed").removed.id, "a");
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn label(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.labels.push((name.into(), value.into()));
        self
    }
}

impl From<String> for Record {
    fn from(text: String) -> Self {
        Self::new(text)
    }
}

impl From<&str> for Record {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

type Records<'a> = Box<dyn Iterator<Item = Result<Record, SourceError>> + Send + 'a>;
type Batches<'a> = Box<dyn Iterator<Item = Result<RecordBatch, SourceError>> + Send + 'a>;

/// The documents of a call of [`dedup`](crate::dedup) or [`cluster`](crate::cluster).
///
/// Read once, from any iterator: [`records`](Source::records), [`batches`](Source::batches), and
/// the `try_` forms for iterators that may fail. Read as often as needed:
///
/// * [`repeatable_records`](Source::repeatable_records) and
///   [`repeatable_batches`](Source::repeatable_batches), from a function that makes the iterator;
/// * [`held_records`](Source::held_records) and [`held_batches`](Source::held_batches), from
///   memory;
/// * [`files`](Source::files).
///
/// [`Settings::ignore_common`] and methods that count their document frequencies in the documents
/// ([`MethodSettings::lexicon`](crate::MethodSettings::lexicon) is `None`) read the source several
/// times, and refuse one that can be read once. If the documents differ between two readings, the
/// call ends with [`LookalikeError::SourceChanged`].
///
/// A source is [`Send`]. One that owns what it reads is `Source<'static>`.
pub struct Source<'a> {
    name: String,
    pub(crate) kind: SourceKind<'a>,
    pub(crate) protected: Option<Protected<'a>>,
}

/// A collection that documents are compared with, and of which nothing is removed.
pub(crate) struct Protected<'a> {
    pub(crate) by: Against<'a>,
    /// Whether only what it has is removed.
    pub(crate) only: bool,
}

/// Where a protected collection is.
pub(crate) enum Against<'a> {
    Source(Box<Source<'a>>),
    /// Only the documents that match one of the others are read.
    Index(&'a Index),
}

pub(crate) enum SourceKind<'a> {
    Caller(CallerKind<'a>),
    Files(Vec<String>),
}

/// Makes the iterator of a reading.
type Make<'a, T> = Box<dyn FnMut() -> T + Send + 'a>;

pub(crate) enum CallerKind<'a> {
    /// `None` once it was read.
    Once(Option<Items<'a>>),
    Repeatable(Make<'a, Items<'a>>),
}

/// The items of one reading.
pub(crate) enum Items<'a> {
    Records(Records<'a>),
    Batches(Batches<'a>),
}

impl<'a> Items<'a> {
    fn records<I, E>(records: I) -> Self
    where
        I: IntoIterator<Item = Result<Record, E>, IntoIter: Send + 'a>,
        E: Into<SourceError>,
    {
        let records = records.into_iter().map(|record| record.map_err(Into::into));
        Self::Records(Box::new(records))
    }

    fn batches<I, E>(batches: I) -> Self
    where
        I: IntoIterator<Item = Result<RecordBatch, E>, IntoIter: Send + 'a>,
        E: Into<SourceError>,
    {
        let batches = batches.into_iter().map(|batch| batch.map_err(Into::into));
        Self::Batches(Box::new(batches))
    }
}

/// An iterator that does not fail.
fn whole<T>(item: impl Into<T>) -> Result<T, SourceError> {
    Ok(item.into())
}

impl<'a> Source<'a> {
    fn caller(name: &str, kind: CallerKind<'a>) -> Self {
        Self { name: name.into(), kind: SourceKind::Caller(kind), protected: None }
    }

    /// Records, read once and in their order.
    pub fn records<I>(records: I) -> Self
    where
        I: IntoIterator<Item: Into<Record>, IntoIter: Send + 'a>,
    {
        Self::try_records(records.into_iter().map(|record| whole::<Record>(record)))
    }

    /// Records, read once, that may end with an error: then that error is returned, and no answer.
    pub fn try_records<I, E>(records: I) -> Self
    where
        I: IntoIterator<Item = Result<Record, E>, IntoIter: Send + 'a>,
        E: Into<SourceError>,
    {
        Self::caller("records", CallerKind::Once(Some(Items::records(records))))
    }

    /// Records that can be read several times: the function is called for each reading, and gives
    /// the same records in the same order every time.
    ///
    /// ```
    /// use lookalike::{Resources, Settings, Silent, Source, dedup};
    ///
    /// # fn main() -> Result<(), lookalike::LookalikeError> {
    /// let texts = ["a rose is a rose is a rose", "A rose is a rose is a rose!"];
    /// let settings = Settings { ignore_common: Some(10), ..Settings::default() };
    /// let source = Source::repeatable_records(|| texts);
    /// assert_eq!(dedup(source, &settings, &Resources::default(), &Silent)?.kept().len(), 1);
    /// # Ok(())
    /// # }
    /// ```
    pub fn repeatable_records<I>(mut make: impl FnMut() -> I + Send + 'a) -> Self
    where
        I: IntoIterator<Item: Into<Record>, IntoIter: Send + 'a>,
    {
        Self::try_repeatable_records(move || {
            make().into_iter().map(|record| whole::<Record>(record))
        })
    }

    /// As [`Source::repeatable_records`]; a reading may end with an error.
    pub fn try_repeatable_records<I, E>(mut make: impl FnMut() -> I + Send + 'a) -> Self
    where
        I: IntoIterator<Item = Result<Record, E>, IntoIter: Send + 'a>,
        E: Into<SourceError>,
    {
        let make = move || Items::records(make());
        Self::caller("records", CallerKind::Repeatable(Box::new(make)))
    }

    /// Records in memory, which can be read several times. Some at a time are copied.
    pub fn held_records(records: &'a [Record]) -> Self {
        Self::repeatable_records(move || records.iter().cloned())
    }

    /// Arrow record batches, whose columns are named as
    /// [`Settings::fields`](crate::Settings::fields) says, read once. Texts are read where they
    /// are, without a copy of each.
    pub fn batches<I>(batches: I) -> Self
    where
        I: IntoIterator<Item = RecordBatch, IntoIter: Send + 'a>,
    {
        Self::try_batches(batches.into_iter().map(whole::<RecordBatch>))
    }

    /// Arrow record batches, read once, that may end with an error: then that error is returned,
    /// and no answer.
    pub fn try_batches<I, E>(batches: I) -> Self
    where
        I: IntoIterator<Item = Result<RecordBatch, E>, IntoIter: Send + 'a>,
        E: Into<SourceError>,
    {
        Self::caller("batches", CallerKind::Once(Some(Items::batches(batches))))
    }

    /// Arrow record batches that can be read several times: the function is called for each
    /// reading, and gives the same rows in the same order every time.
    pub fn repeatable_batches<I>(mut make: impl FnMut() -> I + Send + 'a) -> Self
    where
        I: IntoIterator<Item = RecordBatch, IntoIter: Send + 'a>,
    {
        Self::try_repeatable_batches(move || make().into_iter().map(whole::<RecordBatch>))
    }

    /// As [`Source::repeatable_batches`]; a reading may end with an error.
    pub fn try_repeatable_batches<I, E>(mut make: impl FnMut() -> I + Send + 'a) -> Self
    where
        I: IntoIterator<Item = Result<RecordBatch, E>, IntoIter: Send + 'a>,
        E: Into<SourceError>,
    {
        let make = move || Items::batches(make());
        Self::caller("batches", CallerKind::Repeatable(Box::new(make)))
    }

    /// Arrow record batches in memory, which can be read several times. Nothing is copied.
    pub fn held_batches(batches: impl Into<Arc<[RecordBatch]>>) -> Self {
        let batches: Arc<[RecordBatch]> = batches.into();
        Self::repeatable_batches(move || {
            let batches = Arc::clone(&batches);
            (0..batches.len()).map(move |at| batches[at].clone())
        })
    }

    /// Files, directories or patterns, as in [`Job::inputs`](crate::Job::inputs).
    pub fn files<P: Into<String>>(paths: impl IntoIterator<Item = P>) -> Self {
        let paths = paths.into_iter().map(Into::into).collect();
        Self { name: String::new(), kind: SourceKind::Files(paths), protected: None }
    }

    /// Compares the documents with those of another collection too, of which nothing is removed:
    /// they take precedence over all others. Both are files, or both are records or batches.
    ///
    /// ```
    /// use lookalike::{Resources, Settings, Silent, Source, dedup};
    ///
    /// # fn main() -> Result<(), lookalike::LookalikeError> {
    /// let texts = ["to be or not to be", "a rose is a rose is a rose"];
    /// let test_set = Source::records(["A rose is a rose is a rose!"]).named("test set");
    /// let source = Source::records(texts).against(test_set);
    /// let answer = dedup(source, &Settings::default(), &Resources::default(), &Silent)?;
    /// assert_eq!(answer.select_kept(texts).collect::<Vec<_>>(), texts[..1]);
    /// assert_eq!(answer.removals().next().expect("one").kept.file, "test set");
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn against(self, protected: Source<'a>) -> Self {
        self.protected_by(Against::Source(Box::new(protected)), false)
    }

    /// As [`Source::against`], and removes only what that collection has.
    #[must_use]
    pub fn only_against(self, protected: Source<'a>) -> Self {
        self.protected_by(Against::Source(Box::new(protected)), true)
    }

    /// As [`Source::against`] all documents of an index, of which only those are read that match one
    /// of the source. Records and batches are read several times for that.
    ///
    /// ```
    /// use lookalike::index::{AddOptions, IndexSettings};
    /// use lookalike::{Index, IndexWriter, Resources, Settings, Silent};
    /// use lookalike::{Record, Source, dedup};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let folder = tempfile::tempdir()?;
    /// # let dir = folder.path().join("index");
    /// let mut writer = IndexWriter::create(&dir, IndexSettings::default(), 1)?;
    /// let older = Source::records([Record::new("A rose is a rose is a rose!").id("rose")]);
    /// writer.add(older, &Settings::default(), &AddOptions::default(), &Silent, |_| {})?;
    ///
    /// let texts = ["to be or not to be", "a rose is a rose is a rose"];
    /// let index = Index::open(&dir)?;
    /// let source = Source::repeatable_records(|| texts).against_index(&index);
    /// let answer = dedup(source, &Settings::default(), &Resources::default(), &Silent)?;
    /// assert_eq!(answer.removals().next().expect("one").kept.id, "rose");
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn against_index(self, index: &'a Index) -> Self {
        self.protected_by(Against::Index(index), false)
    }

    /// As [`Source::against_index`], and removes only what the index has.
    #[must_use]
    pub fn only_against_index(self, index: &'a Index) -> Self {
        self.protected_by(Against::Index(index), true)
    }

    fn protected_by(self, by: Against<'a>, only: bool) -> Self {
        Self { protected: Some(Protected { by, only }), ..self }
    }

    /// Names the source: the tables have this name in their `file` columns. Files keep their own.
    #[must_use]
    pub fn named(self, name: impl Into<String>) -> Self {
        Self { name: name.into(), ..self }
    }

    /// Whether it can be read once only.
    pub fn is_read_once(&self) -> bool {
        matches!(self.kind, SourceKind::Caller(CallerKind::Once(_)))
    }

    /// What the tables call it.
    pub fn name(&self) -> &str {
        &self.name
    }
}

/// Inputs that have one file for each of the caller's collections, which is never opened.
pub fn inputs_of<'n>(names: impl IntoIterator<Item = &'n str>, options: DiscoverOptions) -> Inputs {
    Inputs::from_files(names.into_iter().map(InputFile::in_memory).collect(), options)
}

impl<'a> Source<'a> {
    /// The inputs of a source without a protected collection, and the documents of a caller. `check`
    /// sees the files.
    ///
    /// # Errors
    /// Files that cannot be found; a protected collection, which only `dedup` and `cluster` take.
    pub fn open(
        self,
        options: DiscoverOptions,
        check: impl FnOnce(&Inputs) -> Result<(), LookalikeError>,
    ) -> Result<(Inputs, Option<CallerSource<'a>>), LookalikeError> {
        if self.protected.is_some() {
            return Err(LookalikeError::Settings(
                "the setting against is taken by dedup and cluster only; leave it out".into(),
            ));
        }
        match self.kind {
            SourceKind::Files(paths) => {
                let inputs = Inputs::discover(&paths, options)?;
                check(&inputs)?;
                Ok((inputs, None))
            }
            SourceKind::Caller(_) => {
                let (inputs, caller) = self.caller_inputs(options)?;
                Ok((inputs, Some(caller)))
            }
        }
    }

    /// The inputs of a source of records or batches, its protected collection last, and its
    /// documents. Those of a protected index are added with `CallerSource::protect`.
    ///
    /// # Errors
    /// One of the two is files.
    pub fn caller_inputs(
        self,
        options: DiscoverOptions,
    ) -> Result<(Inputs, CallerSource<'a>), LookalikeError> {
        let protected = match self.protected.map(|protected| protected.by) {
            Some(Against::Source(protected)) => Some((protected.name, protected.kind)),
            Some(Against::Index(_)) | None => None,
        };
        let mut collections = Vec::new();
        for (name, kind) in std::iter::once((self.name, self.kind)).chain(protected) {
            let SourceKind::Caller(kind) = kind else { return Err(mixed()) };
            collections.push(CallerCollection::new(name, kind));
        }
        let fields = options.fields.clone();
        let names = collections.iter().map(|collection| collection.name.as_str());
        let inputs = inputs_of(names, options);
        let (failed, columns) = (Mutex::default(), Mutex::default());
        Ok((inputs, CallerSource { collections, fields, failed, columns }))
    }
}

/// The error of a source of which one part is in files and the other in memory.
pub(crate) fn mixed() -> LookalikeError {
    LookalikeError::Settings(
        "the documents and those of the setting against must both be files, or both be in memory; read one of \
         them first"
            .into(),
    )
}

/// One collection of a caller: the documents, or those that they are compared with.
struct CallerCollection<'a> {
    name: String,
    kind: Mutex<CallerKind<'a>>,
    /// Rows of the last reading, so far.
    rows: AtomicU64,
}

impl<'a> CallerCollection<'a> {
    fn new(name: String, kind: CallerKind<'a>) -> Self {
        Self { name, kind: Mutex::new(kind), rows: AtomicU64::new(0) }
    }
}

/// The documents of a caller, with the outcome of each reading.
pub struct CallerSource<'a> {
    collections: Vec<CallerCollection<'a>>,
    fields: FieldNames,
    failed: Mutex<Option<LookalikeError>>,
    columns: Mutex<Vec<String>>,
}

impl<'a> CallerSource<'a> {
    fn fail(&self, error: LookalikeError) {
        self.failed.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
    }

    fn has_failed(&self) -> bool {
        self.failed.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// The columns of the first batch.
    pub(crate) fn columns(&self) -> Vec<String> {
        self.columns.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Number of records of the documents themselves, without a protected collection, read last.
    pub(crate) fn rows(&self) -> u64 {
        self.collections[0].rows.load(Ordering::Relaxed)
    }

    /// Adds a protected collection, and returns the inputs that have it.
    pub(crate) fn protect(
        &mut self,
        name: String,
        records: Vec<Record>,
        options: DiscoverOptions,
    ) -> Inputs {
        let records: Arc<[Record]> = records.into();
        let make = move || {
            let records = Arc::clone(&records);
            Items::records((0..records.len()).map(move |at| whole::<Record>(records[at].clone())))
        };
        self.collections.push(CallerCollection::new(name, CallerKind::Repeatable(Box::new(make))));
        inputs_of(self.collections.iter().map(|collection| collection.name.as_str()), options)
    }

    /// Begins a reading of a collection.
    fn slices<'s>(
        &'s self,
        file: u32,
        collection: &'s CallerCollection<'a>,
    ) -> Result<Slices<'s, 'a>, LookalikeError> {
        let items = match &mut *collection.kind.lock().unwrap_or_else(PoisonError::into_inner) {
            CallerKind::Repeatable(make) => make(),
            CallerKind::Once(items) => {
                items.take().ok_or_else(|| reads_twice("this call", &collection.name))?
            }
        };
        let batches: Batches<'s> = match items {
            Items::Batches(batches) => batches,
            Items::Records(records) => {
                Box::new(Batched { records, fields: &self.fields, failed: None })
            }
        };
        collection.rows.store(0, Ordering::Relaxed);
        let (slices, read) = (Vec::new(), 0);
        Ok(Slices { batches, source: self, file, collection, slices, read })
    }
}

impl CallerDocuments for CallerSource<'_> {
    fn chunks(&self) -> Result<DocumentChunks<'_>, LookalikeError> {
        let numbered = (0..).zip(&self.collections);
        let slices: Result<Vec<Slices<'_, '_>>, LookalikeError> =
            numbered.map(|(file, collection)| self.slices(file, collection)).collect();
        Ok(Box::new(slices?.into_iter().flatten()))
    }

    fn check_end(&self) -> Result<(), LookalikeError> {
        let failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner).take();
        failed.map_or(Ok(()), Err)
    }
}

/// The error of a source that can be read once, where it is read several times.
pub fn reads_twice(what: &str, name: &str) -> LookalikeError {
    LookalikeError::Settings(format!(
        "{what} reads the documents several times, and the source {name} can be read once; give documents \
         that are held in memory, or in files"
    ))
}

/// Bytes of text in a chunk, unless one record has more.
const CHUNK_BYTES: usize = 2 << 20;

/// Rows of a chunk at most.
const CHUNK_ROWS: usize = 1024;

/// Records, some at a time, as record batches.
struct Batched<'s> {
    records: Records<'s>,
    fields: &'s FieldNames,
    /// The error behind the records of the last batch.
    failed: Option<SourceError>,
}

impl Iterator for Batched<'_> {
    type Item = Result<RecordBatch, SourceError>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(error) = self.failed.take() {
            return Some(Err(error));
        }
        let (mut records, mut bytes) = (Vec::new(), 0);
        while records.len() < CHUNK_ROWS && bytes < CHUNK_BYTES {
            match self.records.next() {
                None => break,
                Some(Ok(record)) => {
                    bytes += record.text.len();
                    records.push(record);
                }
                Some(Err(error)) => {
                    self.failed = Some(error);
                    break;
                }
            }
        }
        match (records.is_empty(), self.failed.take()) {
            (true, None) => None,
            (true, Some(error)) => Some(Err(error)),
            (false, failed) => {
                self.failed = failed;
                Some(batch_of(&records, self.fields))
            }
        }
    }
}

/// Arrow record batches of records, `rows` in each (at least one), with the columns that a
/// [`Source::batches`] with these settings reads.
///
/// # Errors
/// Two fields of one name.
pub fn record_batches(
    records: impl IntoIterator<Item = Record>,
    settings: &Settings,
    rows: usize,
) -> Result<Vec<RecordBatch>, LookalikeError> {
    let mut fields = settings.fields.clone();
    fields.extra = settings.keep_fields()?;
    fields.given = settings.given_fields()?;
    let records: Vec<Record> = records.into_iter().collect();
    let batch = |records: &[Record]| {
        let name = || "records".to_owned();
        let failed = |error| LookalikeError::Source { name: name(), records: 0, error };
        batch_of(records, &fields).map_err(failed)
    };
    records.chunks(rows.max(1)).map(batch).collect()
}

/// A batch of records, its columns named as they are looked for.
fn batch_of(records: &[Record], names: &FieldNames) -> Result<RecordBatch, SourceError> {
    let mut columns: Vec<(&str, ArrayRef)> = Vec::new();
    let text = |value: &dyn Fn(&Record) -> Option<&str>| {
        let mut builder = StringBuilder::new();
        records.iter().for_each(|record| builder.append_option(value(record)));
        Arc::new(builder.finish()) as ArrayRef
    };
    columns.push((&names.text, text(&|record| Some(&record.text))));
    columns.push((&names.id, text(&|record| record.id.as_deref())));
    columns.push((&names.url, text(&|record| record.url.as_deref())));
    columns.push((&names.title, text(&|record| record.title.as_deref())));
    columns.push((&names.date, text(&|record| record.date.as_deref())));
    let known = [&names.text, &names.id, &names.url, &names.title, &names.date];
    let given = names.given.iter().filter(|name| !known.contains(name));
    // Several rules may read one field.
    let read: BTreeSet<&String> = names.extra.iter().chain(given).collect();
    for name in read {
        let label = |record: &Record| record.labels.iter().rposition(|(known, _)| known == name);
        if records.iter().any(|record| label(record).is_some()) {
            let mut builder = StringBuilder::new();
            for record in records {
                let number = record.numbers.iter().rfind(|(known, _)| known == name);
                match (label(record), number) {
                    (Some(at), _) => builder.append_value(&record.labels[at].1),
                    (None, Some((_, number))) => builder.append_value(number.to_string()),
                    (None, None) => builder.append_null(),
                }
            }
            columns.push((name, Arc::new(builder.finish())));
            continue;
        }
        let mut builder = Float64Builder::new();
        for record in records {
            let number = record.numbers.iter().rfind(|(known, _)| known == name);
            builder.append_option(number.map(|(_, number)| *number));
        }
        columns.push((name, Arc::new(builder.finish())));
    }
    let field = |(name, column): &(&str, ArrayRef)| {
        let kind: &DataType = column.data_type();
        Field::new(*name, kind.clone(), true)
    };
    let schema = Schema::new(columns.iter().map(field).collect::<Vec<_>>());
    let columns = columns.into_iter().map(|(_, column)| column).collect();
    Ok(RecordBatch::try_new(Arc::new(schema), columns)?)
}

/// Batches of a collection, cut into chunks. A failure ends them, and is kept for the caller.
struct Slices<'s, 'a> {
    batches: Batches<'s>,
    source: &'s CallerSource<'a>,
    /// Number of the collection, and it.
    file: u32,
    collection: &'s CallerCollection<'a>,
    /// What is left of the last batch, the next one last.
    slices: Vec<RecordBatch>,
    /// Records read so far.
    read: u32,
}

impl Slices<'_, '_> {
    fn fail(&mut self, error: SourceError) {
        let (name, records) = (self.collection.name.clone(), u64::from(self.read));
        self.source.fail(LookalikeError::Source { name, records, error });
    }

    /// The next batch is cut; `false` at the end.
    fn next_batch(&mut self) -> Result<bool, SourceError> {
        let Some(batch) = self.batches.next().transpose()? else { return Ok(false) };
        let fields = &self.source.fields;
        check_batch(&batch, fields)?;
        let mut columns = self.source.columns.lock().unwrap_or_else(PoisonError::into_inner);
        if columns.is_empty() {
            columns.extend(batch.schema().fields().iter().map(|field| field.name().clone()));
        }
        self.slices = cut_batch(&batch, fields, CHUNK_BYTES, CHUNK_ROWS);
        self.slices.reverse();
        Ok(true)
    }
}

impl Iterator for Slices<'_, '_> {
    type Item = Piece;

    fn next(&mut self) -> Option<Piece> {
        loop {
            // After a failure, nothing more is read of the other collection either.
            if self.source.has_failed() {
                return None;
            }
            if let Some(batch) = self.slices.pop() {
                let first_record = self.read + 1;
                let Some(read) = self.read.checked_add(batch.num_rows() as u32) else {
                    self.fail("more records than one source can number; split them".into());
                    return None;
                };
                self.read = read;
                let consumed = batch.num_rows() as u64;
                self.collection.rows.store(read.into(), Ordering::Relaxed);
                let body = Body::Batch(batch);
                let (file, first_line, offset) = (self.file, 0, 0);
                let chunk = Chunk { file, first_record, first_line, offset, consumed, body };
                return Some(Piece::Chunk(chunk));
            }
            match self.next_batch() {
                Ok(true) => {}
                Ok(false) => return None,
                Err(error) => self.fail(error),
            }
        }
    }
}
