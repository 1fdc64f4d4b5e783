//! Changing an index: add, update, delete, merge, compact.

use super::common;
use super::expiry::expired;
use super::ignored_file;
use super::open::{Analysis, Index};
use super::prepare::{PrepareScratch, Prepared, Preparer};
use super::settings::IndexSettings;
use super::sweeps::table;
use super::values::{self, NamedValues};
use crate::ignored_texts::IgnoredTexts;
use crate::opened::{Opened, admit};
use crate::panics::caught;
use crate::settings::thread_count;
use crate::{LookalikeError, Settings, Source, analysis};
use lookalike_core::{CommonElements, Threshold};
use lookalike_engine::pipeline::PipelineLimits;
use lookalike_engine::{Problems, Progress, Silent};
use lookalike_index::{
    Ask, Committed, Disk, DocAt, DocumentBatch, IndexError, IndexWriter as Writer, Question,
    RealDisk, Snapshot,
};
use lookalike_io::input::LeftOut;
use lookalike_io::{DiscoverOptions, Problem};
use lookalike_text::Tokens;
use serde::Serialize;
use std::fs::File;
use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// Changes an index: one at a time, in all processes. Readers go on reading.
#[derive(Debug)]
pub struct IndexWriter {
    /// The index on disk. For the crates of this workspace that ask more of it; no part of the API.
    #[doc(hidden)]
    pub writer: Writer,
    /// How documents become sets. No part of the API either.
    #[doc(hidden)]
    pub analysis: Arc<Analysis>,
    dir: PathBuf,
    threads: usize,
    pool: Option<Arc<rayon::ThreadPool>>,
}

/// How documents are added.
#[derive(Debug, Clone, Default)]
pub struct AddOptions {
    /// Adds a document only if it matches no kept document at this threshold, by the measure of
    /// the index.
    pub unless_duplicate: Option<String>,
    /// The sweep of the documents, and its date if it is new.
    pub sweep: Option<(String, Option<String>)>,
    /// Commits whenever so many documents were read; `None` for once at the end.
    pub commit_every: Option<u64>,
    /// Stages the documents and leaves the commit to the caller ([`IndexWriter::commit`]), so that
    /// several calls and deletes become one commit. Not with `commit_every` or `sweep`.
    pub stage_only: bool,
    /// Time in seconds after which the documents are deleted; `None` for the time of the index.
    pub ttl: Option<u64>,
    /// Stops at the first bad record.
    pub strict: bool,
    /// Continues where an input cannot be read to its end.
    pub skip_unreadable: bool,
    /// Bytes of documents before they are written to a segment; `None` for 1 GiB.
    pub memory: Option<u64>,
}

/// What was added.
#[derive(Debug, Default)]
pub struct Added {
    /// The last commit, with the sums of all.
    pub committed: Committed,
    /// Documents that were read.
    pub read: u64,
    /// Documents that were left out as duplicates of a kept one
    /// ([`AddOptions::unless_duplicate`]).
    pub duplicates: u64,
    /// Records that could not be used.
    pub problems: u64,
    /// The first of them.
    pub listed: Vec<Problem>,
    /// Files and directories in the inputs that are no data.
    pub left_out: Vec<LeftOut>,
    /// Whether all inputs are source code, of which this index compares words only.
    pub code_by_words: bool,
    /// Seconds of each part of the work: reading documents, comparing those of a group and writing
    /// segments, deciding which are kept and making them durable, merging segments.
    pub seconds: AddSeconds,
}

/// Seconds that adding documents took, by the part of the work.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct AddSeconds {
    /// Reading documents, comparing those of a group with each other, and writing segments that no
    /// commit names yet.
    pub reading: f64,
    /// Deciding which documents are kept, and making them durable.
    pub deciding: f64,
    /// Merging segments.
    pub merging: f64,
}

impl IndexWriter {
    /// Creates an empty index in a directory that does not exist. Lexicons of its methods are copied
    /// into it, and the shingles of texts that are ignored.
    ///
    /// A lean index has no table of common elements then ([`IndexWriter::create_with_sample`]).
    ///
    /// # Errors
    /// Settings that an index cannot have, a directory that exists, files that cannot be written.
    pub fn create(
        dir: impl AsRef<Path>,
        settings: IndexSettings,
        threads: usize,
    ) -> Result<Self, LookalikeError> {
        Self::create_new(dir.as_ref(), settings, threads, |_| Ok(CommonElements::new(Vec::new())))
    }

    /// Creates an empty lean index, with a table of the elements that are common in a sample of
    /// documents: those of more than one in 1,000 of its distinct feature sets, and of at least 10.
    ///
    /// Answers do not depend on the table, and what a question costs does: elements of a template
    /// that many documents have are posted last, so that questions do not count all of these
    /// documents. The sample is best some ten thousand documents like those that will be stored.
    /// Indexes can be merged if they were created with the same sample.
    ///
    /// `fields` says how records are read, as in [`IndexWriter::add`].
    ///
    /// ```
    /// use lookalike::index::IndexSettings;
    /// use lookalike::{IndexWriter, Record, Settings, Silent, Source};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let folder = tempfile::tempdir()?;
    /// # let dir = folder.path().join("index");
    /// let pages = (0..100).map(|n| Record::new(format!("page {n} all rights of the pages are reserved")));
    /// let sample = Source::records(pages);
    /// let settings = IndexSettings { lean: Some("0.8".into()), ..IndexSettings::default() };
    /// let index =
    ///     IndexWriter::create_with_sample(&dir, settings, sample, &Settings::default(), &Silent, 1)?;
    /// assert_eq!(index.settings().lean.as_deref(), Some("0.8"));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`IndexWriter::create`]; settings of an index that is not lean; a sample that cannot be
    /// read.
    pub fn create_with_sample(
        dir: impl AsRef<Path>,
        settings: IndexSettings,
        sample: Source<'_>,
        fields: &Settings,
        progress: &dyn Progress,
        threads: usize,
    ) -> Result<Self, LookalikeError> {
        if settings.lean.is_none() {
            return Err(LookalikeError::Settings(
                "the setting sample is for the setting lean: only a lean index has a table of \
                 common elements"
                    .into(),
            ));
        }
        let pool = analysis::pool(thread_count(threads))?;
        Self::create_new(dir.as_ref(), settings, threads, |analysis| {
            let threads = thread_count(threads);
            caught(|| pool.install(|| common::count(sample, fields, analysis, threads, progress)))
        })
    }

    fn create_new(
        dir: &Path,
        settings: IndexSettings,
        threads: usize,
        common: impl FnOnce(&Analysis) -> Result<CommonElements, LookalikeError>,
    ) -> Result<Self, LookalikeError> {
        let (mut own, lexicons) = settings.with_own_lexicons()?;
        let ignored = IgnoredTexts::of(&own.documents)?;
        let file = ignored.as_ref().map(ignored_file::encode);
        own.documents.ignore_text = file.iter().map(|(name, _)| name.clone()).collect();
        let analysis = Analysis::new(own, &settings, ignored)?;
        let disk: Arc<dyn Disk> = Arc::new(RealDisk);
        let description = analysis.description(common(&analysis)?)?;
        let mut files: Vec<(String, Box<dyn Read>)> = Vec::new();
        for (name, path) in lexicons {
            let file = File::open(&path).map_err(|reason| IndexError::Io { path, reason })?;
            files.push((name, Box::new(file)));
        }
        files.extend(file.map(|(name, bytes)| (name, Box::new(Cursor::new(bytes)) as Box<_>)));
        let writer = Writer::create_with(disk, dir, description, analysis.makers(), &mut files)?;
        let (dir, threads) = (dir.to_owned(), thread_count(threads));
        Ok(Self { writer, analysis: Arc::new(analysis), dir, threads, pool: None })
    }

    /// Opens an index for writing, and deletes the documents whose time has come.
    ///
    /// # Errors
    /// As [`Index::open`]; another writer.
    pub fn open(dir: impl AsRef<Path>, threads: usize) -> Result<Self, LookalikeError> {
        let dir = dir.as_ref();
        let disk: Arc<dyn Disk> = Arc::new(RealDisk);
        let (description, analysis) = Analysis::of(dir, &*disk)?;
        let writer = Writer::open(disk, dir, description, analysis.makers())?;
        let threads = thread_count(threads);
        let analysis = Arc::new(analysis);
        let mut index = Self { writer, analysis, dir: dir.to_owned(), threads, pool: None };
        index.expire(now())?;
        Ok(index)
    }

    /// The directory.
    #[must_use]
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// The settings that the index was created with.
    #[must_use]
    pub fn settings(&self) -> &IndexSettings {
        &self.analysis.settings
    }

    /// The documents of the last commit.
    #[must_use]
    pub fn snapshot(&self) -> Arc<Snapshot> {
        Arc::clone(self.writer.snapshot())
    }

    /// Adds the documents of a source; a document replaces one with the same id (of the same
    /// sweep). Calls `committed` after each durable commit.
    ///
    /// `fields` says how records are read: the field names and formats of these settings count.
    ///
    /// # Errors
    /// A source that cannot be read: then nothing after the last commit is added. Files that cannot
    /// be written.
    pub fn add(
        &mut self,
        source: Source<'_>,
        fields: &Settings,
        options: &AddOptions,
        progress: &dyn Progress,
        mut committed: impl FnMut(Committed) + Send,
    ) -> Result<Added, LookalikeError> {
        self.on_own_threads(|index| {
            index.add_all(source, fields, options, progress, &mut committed)
        })
    }

    fn add_all(
        &mut self,
        source: Source<'_>,
        fields: &Settings,
        options: &AddOptions,
        progress: &dyn Progress,
        committed: &mut (dyn FnMut(Committed) + Send),
    ) -> Result<Added, LookalikeError> {
        let opened = Opened::new(source, self.reading(fields)?, progress)?;
        let analysis = &self.settings().documents.analysis;
        let code_by_words = analysis.tokens() == Tokens::Words && {
            let are_code =
                opened.inputs.are_source_code(options.skip_unreadable && !options.strict);
            are_code.map_err(|failure| LookalikeError::unreadable(failure, options.strict))?
        };
        // Phases of groups that follow one another are not shown.
        let quiet = Quiet(progress);
        let of_commits: &dyn Progress =
            if options.commit_every.is_some() { &quiet } else { progress };
        let mut adding = self.begin(options, committed, of_commits)?;
        let analysis = Arc::clone(&adding.index.analysis);
        let (sweep, expires) = (adding.sweep, adding.expires);
        let preparer = Preparer { sweep, expires, ..Preparer::new(&opened.inputs, &analysis) };
        let limits = PipelineLimits { threads: adding.index.threads, in_flight: adding.memory / 4 };
        let mut outcome = Ok(());
        let read = opened.ordered(
            limits,
            PrepareScratch::default,
            |scratch, piece| preparer.read_piece(piece, scratch),
            |prepared: &Prepared| prepared.documents.bytes(),
            |prepared| {
                progress.advance(prepared.consumed, prepared.documents.len() as u64);
                outcome = adding.take(prepared);
                if progress.cancelled() {
                    outcome = Err(LookalikeError::AddingCancelled);
                }
                outcome.is_ok()
            },
        );
        let ended = read.and(outcome).and_then(|()| adding.end());
        let Adding { added, index, .. } = adding;
        if ended.is_err() {
            // A failure stops the writer, and must not hide the error before.
            let _ = index.writer.abandon();
        }
        ended.map(|()| Added { left_out: opened.inputs.left_out, code_by_words, ..added })
    }

    /// How records are read: with the fields of the keep rules.
    pub fn reading(&self, fields: &Settings) -> Result<DiscoverOptions, LookalikeError> {
        let mut reading = self.settings().reading(fields, vec![self.dir.clone()])?;
        let fields = self.analysis.keep.iter().filter_map(|rule| rule.field());
        reading.fields.extra = fields.map(str::to_owned).collect();
        Ok(reading)
    }

    /// Begins to add documents.
    pub(crate) fn begin<'a>(
        &'a mut self,
        options: &'a AddOptions,
        committed: &'a mut (dyn FnMut(Committed) + Send),
        progress: &'a dyn Progress,
    ) -> Result<Adding<'a>, LookalikeError> {
        if options.stage_only && (options.commit_every.is_some() || options.sweep.is_some()) {
            return Err(LookalikeError::Settings(
                "the setting stage_only leaves the commit to the caller, and the settings \
                 commit_every and sweep make commits; leave one of them out"
                    .into(),
            ));
        }
        let unless = options.unless_duplicate.as_deref();
        let unless = unless.map(|unless| self.threshold(unless)).transpose()?;
        let sweep = match &options.sweep {
            None => 0,
            Some((name, date)) => self.sweep_for_adding(name, date.as_deref())?,
        };
        let (values, expires) = (self.values()?, self.expires(options.ttl));
        Ok(Adding {
            index: self,
            options,
            unless,
            sweep,
            values,
            expires,
            memory: options.memory.unwrap_or(1 << 30),
            waiting: Vec::new(),
            waiting_bytes: 0,
            since_commit: 0,
            added: Added::default(),
            problems: Problems::default(),
            committed,
            progress,
            since: Instant::now(),
        })
    }

    /// A threshold of [`AddOptions::unless_duplicate`].
    pub(super) fn threshold(&self, written: &str) -> Result<Threshold, LookalikeError> {
        let threshold = written.parse()?;
        let ask = Ask::of(self.analysis.matching.measure);
        self.writer.snapshot().check_question(Question { ask, threshold })?;
        Ok(threshold)
    }

    /// The names of values that the index has, if documents have to differ by any.
    pub(super) fn values(&self) -> Result<NamedValues, LookalikeError> {
        match self.analysis.signer.matches_across() {
            true => NamedValues::of(&self.writer),
            false => Ok(NamedValues::default()),
        }
    }

    /// When documents that are added now are deleted.
    pub(super) fn expires(&self, ttl: Option<u64>) -> u64 {
        ttl.or(self.analysis.settings.ttl).map_or(0, |ttl| now().saturating_add(ttl))
    }

    /// Number of threads.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Marks documents as deleted; they are gone with the next commit. Returns how many there are.
    pub fn delete(&mut self, documents: &[DocAt]) -> u64 {
        documents.iter().map(|&at| u64::from(self.writer.delete(at))).sum()
    }

    /// Makes deletes and what was staged ([`AddOptions::stage_only`]) durable, and decides again
    /// which documents are kept.
    ///
    /// # Errors
    /// Files that cannot be written.
    pub fn commit(&mut self) -> Result<Committed, LookalikeError> {
        self.commit_with(&Silent)
    }

    /// [`IndexWriter::commit`] with progress. If it is cancelled, nothing is committed, and what was
    /// staged and deleted waits for the next commit.
    ///
    /// ```
    /// use lookalike::index::{AddOptions, IndexSettings};
    /// use lookalike::{IndexWriter, Record, Settings, Silent, Source};
    /// use lookalike::index::DeleteWhat;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let folder = tempfile::tempdir()?;
    /// # let dir = folder.path().join("index");
    /// let mut index = IndexWriter::create(&dir, IndexSettings::default(), 1)?;
    /// let (fields, once) = (Settings::default(), AddOptions::default());
    /// let page = |id: &str| Source::records([Record::new("a rose is a rose is a rose").id(id)]);
    /// index.add(page("old"), &fields, &once, &Silent, |_| {})?;
    /// // One commit: readers see the old document or the new one, never none or both.
    /// let staged = AddOptions { stage_only: true, ..AddOptions::default() };
    /// index.add(page("new"), &fields, &staged, &Silent, |_| {})?;
    /// let old = index.find(&DeleteWhat { ids: vec!["old".into()], ..DeleteWhat::default() })?;
    /// index.delete(&old.documents);
    /// let done = index.commit_with(&Silent)?;
    /// assert_eq!((done.added, done.deleted, done.documents), (1, 1, 1));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Files that cannot be written; an interruption.
    pub fn commit_with(&mut self, progress: &dyn Progress) -> Result<Committed, LookalikeError> {
        self.on_own_threads(|index| index.commit_here(progress))
    }

    /// Commits on the current rayon pool.
    pub(super) fn commit_here(
        &mut self,
        progress: &dyn Progress,
    ) -> Result<Committed, LookalikeError> {
        progress.phase("deciding", None);
        let committed = match self.writer.commit_with(progress) {
            Err(IndexError::Interrupted) => return Err(LookalikeError::AddingCancelled),
            committed => committed?,
        };
        progress.phase("merging", None);
        self.writer.merge_where_due()?;
        Ok(committed)
    }

    /// Gives up what was staged and deleted since the last commit.
    ///
    /// # Errors
    /// A file that cannot be removed: then nothing more can be written before the index is opened
    /// again.
    pub fn abandon(&mut self) -> Result<(), LookalikeError> {
        Ok(self.writer.abandon()?)
    }

    /// Runs a step on the threads of the writer, which are made by the first one.
    pub(super) fn on_own_threads<T: Send>(
        &mut self,
        run: impl FnOnce(&mut Self) -> Result<T, LookalikeError> + Send,
    ) -> Result<T, LookalikeError> {
        let pool = match &self.pool {
            Some(pool) => pool,
            None => self.pool.insert(Arc::new(analysis::pool(self.threads)?)),
        };
        let pool = Arc::clone(pool);
        caught(|| pool.install(|| run(self)))
    }

    /// Deletes the documents whose time has come, and the reports about documents that are gone.
    /// A document that was reported (`report`) stays for the time of the index after
    /// its last report. Returns how many documents were deleted.
    ///
    /// # Errors
    /// Files that cannot be written.
    pub fn expire(&mut self, now: u64) -> Result<u64, LookalikeError> {
        let (gone, orphaned) = expired(&mut self.writer, self.analysis.settings.ttl, now)?;
        let deleted = self.delete(&gone);
        if deleted > 0 || orphaned {
            self.commit()?;
        }
        Ok(deleted)
    }

    /// Merges all segments into as few as possible, without deleted documents.
    ///
    /// # Errors
    /// Files that cannot be written.
    pub fn compact(&mut self) -> Result<(), LookalikeError> {
        self.on_own_threads(|index| Ok(index.writer.compact()?))
    }

    /// Adds all documents of another index with the same settings; they replace those with the same
    /// id. Their segments are copied, and no text is read.
    ///
    /// # Errors
    /// Another index with other settings, by name of what differs.
    pub fn merge(&mut self, other: &Index) -> Result<Committed, LookalikeError> {
        let path = other.dir();
        other.reader.description().expect(path, self.writer.description())?;
        let snapshot = other.snapshot()?;
        let records = other.reader.records()?;
        let sweeps = table::numbers_of(&mut self.writer, &records)?;
        NamedValues::of(&self.writer)?.enter(&mut self.writer, values::all(&records)?);
        drop(records);
        let sweep = |number: u32| sweeps.get(&number).copied().unwrap_or(0);
        self.on_own_threads(|index| {
            if let Err(error) = index.writer.take(&snapshot, &sweep) {
                let _ = index.writer.abandon();
                return Err(error.into());
            }
            index.commit_here(&Silent)
        })
    }
}

/// Documents that are being added.
pub(crate) struct Adding<'a> {
    index: &'a mut IndexWriter,
    options: &'a AddOptions,
    unless: Option<Threshold>,
    sweep: u32,
    values: NamedValues,
    expires: u64,
    memory: u64,
    waiting: Vec<DocumentBatch>,
    waiting_bytes: u64,
    since_commit: u64,
    added: Added,
    problems: Problems,
    committed: &'a mut (dyn FnMut(Committed) + Send),
    progress: &'a dyn Progress,
    /// When the part of the work began that goes on now.
    since: Instant,
}

impl Adding<'_> {
    /// The sweep of the documents.
    pub(crate) fn sweep(&self) -> u32 {
        self.sweep
    }

    /// When the documents are deleted.
    pub(crate) fn expires(&self) -> u64 {
        self.expires
    }

    /// What was added.
    pub(crate) fn into_added(self) -> Added {
        self.added
    }

    pub(crate) fn take(&mut self, prepared: Prepared) -> Result<(), LookalikeError> {
        let Prepared { documents, values, problems, .. } = prepared;
        admit(&problems, self.options.strict, self.options.skip_unreadable)?;
        self.values.enter(&mut self.index.writer, values);
        self.problems.append(problems);
        self.added.read += documents.len() as u64;
        let Some(every) = self.options.commit_every else { return self.wait(documents) };
        // A chunk has the documents of many commits, and a commit those of many chunks.
        let (mut start, all) = (0, documents.len());
        while start < all {
            let room = every.saturating_sub(self.since_commit).max(1);
            let end = all.min(start.saturating_add(usize::try_from(room).unwrap_or(usize::MAX)));
            self.wait(documents.range(start..end))?;
            if self.since_commit >= every {
                self.commit()?;
            }
            start = end;
        }
        Ok(())
    }

    /// Keeps documents for the next commit.
    fn wait(&mut self, documents: DocumentBatch) -> Result<(), LookalikeError> {
        self.since_commit += documents.len() as u64;
        self.waiting_bytes += documents.bytes();
        self.waiting.push(documents);
        // The set and the postings that are made of a document take about as much again.
        if self.waiting_bytes > self.memory / 2 {
            self.stage()?;
        }
        Ok(())
    }

    fn stage(&mut self) -> Result<(), LookalikeError> {
        let mut batches = std::mem::take(&mut self.waiting);
        self.waiting_bytes = 0;
        if let Some(threshold) = self.unless {
            let (kept, left_out) = self.index.writer.unless_duplicate(batches, threshold)?;
            batches = kept;
            self.added.duplicates += left_out.len() as u64;
        }
        self.index.writer.stage(&batches)?;
        Ok(())
    }

    pub(crate) fn commit(&mut self) -> Result<(), LookalikeError> {
        self.stage()?;
        self.added.seconds.reading += self.part_ended();
        self.progress.phase("merging", None);
        self.index.writer.merge_staged()?;
        self.added.seconds.merging += self.part_ended();
        self.progress.phase("deciding", Some(self.since_commit));
        let committed = match self.index.writer.commit_with(self.progress) {
            Err(IndexError::Interrupted) => return Err(LookalikeError::AddingCancelled),
            committed => committed?,
        };
        self.added.seconds.deciding += self.part_ended();
        self.since_commit = 0;
        let sum = &mut self.added.committed;
        *sum = Committed {
            added: sum.added + committed.added,
            updated: sum.updated + committed.updated,
            deleted: sum.deleted + committed.deleted,
            evaluations: sum.evaluations + committed.evaluations,
            ..committed
        };
        (self.committed)(committed);
        self.progress.phase("merging", None);
        // The commit is one whether or not this succeeds.
        self.index.writer.merge_where_due()?;
        self.added.seconds.merging += self.part_ended();
        Ok(())
    }

    /// Seconds since the last part of the work ended.
    fn part_ended(&mut self) -> f64 {
        let now = Instant::now();
        (now - std::mem::replace(&mut self.since, now)).as_secs_f64()
    }

    /// Commits the documents since the last commit, if there are any.
    pub(crate) fn commit_what_waits(&mut self) -> Result<(), LookalikeError> {
        if self.since_commit > 0 { self.commit() } else { Ok(()) }
    }

    pub(crate) fn end(&mut self) -> Result<(), LookalikeError> {
        if self.options.stage_only {
            self.stage()?;
        } else if self.since_commit > 0 || self.added.committed == Committed::default() {
            self.commit()?;
        }
        let problems = std::mem::take(&mut self.problems);
        self.added.problems = problems.count();
        self.added.listed = problems.into_listed();
        Ok(())
    }
}

/// Passes on that the caller wants to stop, and nothing else.
pub(crate) struct Quiet<'a>(pub &'a dyn Progress);

impl Progress for Quiet<'_> {
    fn cancelled(&self) -> bool {
        self.0.cancelled()
    }
}

/// Seconds since 1970.
pub fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs())
}
