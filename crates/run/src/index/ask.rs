//! Asking: one question, or the same question about each document of a source.

use super::asking::{Asking, Subject, Wish};
use super::open::{Buffers, Index};
use super::query::{Query, QueryAnswer, Wanted};
use crate::opened::{Opened, admit};
use crate::panics::caught;
use crate::settings::thread_count;
use crate::{LookalikeError, Place, Settings, Source};
use lookalike_engine::pipeline::PipelineLimits;
use lookalike_engine::{Problems, Progress, Silent};
use lookalike_index::Snapshot;
use lookalike_io::source::{Piece, VisitScratch};
use lookalike_io::{Inputs, Item, Problem};

/// How messages or questions are read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ReadOptions {
    /// Threads to use; 0 for all cores.
    pub threads: usize,
    /// Stops at the first bad record.
    pub strict: bool,
    /// Continues where an input cannot be read to its end.
    pub skip_unreadable: bool,
}

/// Bytes of documents in memory, beside the largest chunk.
const IN_FLIGHT: u64 = 256 << 20;

/// A document that was asked about.
#[derive(Debug, Clone)]
pub struct Asked<A = QueryAnswer> {
    /// Its file and record.
    pub place: Place,
    /// Its id, if it has one.
    pub id: Option<String>,
    /// The answer.
    pub answer: A,
}

/// What was asked by one call.
#[derive(Debug, Default)]
pub struct AskedAll {
    /// Documents that were asked about.
    pub documents: u64,
    /// Records and inputs that could not be read.
    pub problems: u64,
    /// The first of them.
    pub listed: Vec<Problem>,
}

impl Index {
    /// Answers a question about the last commit.
    ///
    /// # Errors
    /// A document that is not in the index, a threshold that makes no sense, a method that the
    /// index does not have, files that cannot be read.
    pub fn ask(&self, query: &Query) -> Result<QueryAnswer, LookalikeError> {
        self.ask_until(query, &Silent)
    }

    /// [`Index::ask`], until [`Progress::cancelled`] says that the answer is no longer wanted: a
    /// deadline passed, or a client is gone. That is asked often, between blocks of posting lists,
    /// between documents that are compared and between matches that are described; a comparison of
    /// two texts is not interrupted.
    ///
    /// ```
    /// use lookalike::index::{AddOptions, IndexSettings, Query, QuerySubject};
    /// use lookalike::{ErrorKind, Index, IndexWriter, Progress, Record, Settings, Silent, Source};
    /// use std::time::{Duration, Instant};
    ///
    /// /// Stops at a time.
    /// struct Deadline(Instant);
    ///
    /// impl Progress for Deadline {
    ///     fn cancelled(&self) -> bool {
    ///         Instant::now() >= self.0
    ///     }
    /// }
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let folder = tempfile::tempdir()?;
    /// # let dir = folder.path().join("index");
    /// let mut writer = IndexWriter::create(&dir, IndexSettings::default(), 1)?;
    /// let records = [Record::new("a rose is a rose is a rose").id("rose")];
    /// let (fields, options) = (Settings::default(), AddOptions::default());
    /// writer.add(Source::records(records), &fields, &options, &Silent, |_| {})?;
    ///
    /// let index = Index::open(&dir)?;
    /// let query = Query::new(QuerySubject::Text("A rose is a rose is a rose!".into()));
    /// let in_time = Deadline(Instant::now() + Duration::from_secs(60));
    /// assert_eq!(index.ask_until(&query, &in_time)?.matches[0].id, "rose");
    /// let too_late = index.ask_until(&query, &Deadline(Instant::now())).unwrap_err();
    /// assert_eq!(too_late.kind(), ErrorKind::Cancelled);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`Index::ask`]; [`LookalikeError::QuestionCancelled`], and never a part of an answer.
    pub fn ask_until(
        &self,
        query: &Query,
        progress: &dyn Progress,
    ) -> Result<QueryAnswer, LookalikeError> {
        let snapshot = self.snapshot()?;
        self.one_question(&snapshot, progress, |asking| self.ask_on(&snapshot, asking, query))
    }

    /// Answers a question about a snapshot, of which `asking` is.
    ///
    /// # Errors
    /// As [`Index::ask`].
    pub(super) fn ask_on(
        &self,
        snapshot: &Snapshot,
        asking: &mut Asking<'_>,
        query: &Query,
    ) -> Result<QueryAnswer, LookalikeError> {
        let wish = Wish::new(self, snapshot, query)?;
        let subject = asking.subject(&query.about)?;
        let mut answer = asking.answer(&subject, &wish)?;
        if answer.matches.is_empty() && query.ask == Wanted::Resembles {
            answer.hint = asking.hint(&subject, &wish)?;
        }
        Ok(answer)
    }

    /// Asks one question, until the caller wants to stop, and keeps the buffers for the next one.
    ///
    /// # Errors
    /// The errors of the question; [`LookalikeError::QuestionCancelled`].
    pub(super) fn one_question<T>(
        &self,
        snapshot: &Snapshot,
        progress: &dyn Progress,
        ask: impl FnOnce(&mut Asking<'_>) -> Result<T, LookalikeError>,
    ) -> Result<T, LookalikeError> {
        let stop = || progress.cancelled();
        let mut buffers = self.buffers();
        let mut asking = Asking::new(self, snapshot, &mut buffers).until(&stop);
        let answer = asking.check().and_then(|()| ask(&mut asking));
        drop(asking);
        self.give_back(buffers);
        answer.map_err(LookalikeError::of_question)
    }

    /// Asks the same question about each document of a source: `query.about` is not read
    /// ([`Query::of_each`]). Documents are asked about on all threads, all of them the last commit
    /// before the first; `each` receives the answers in the order of the documents. Memory is
    /// bounded.
    ///
    /// `fields` says how records are read: the field names and formats of these settings count.
    ///
    /// ```
    /// use lookalike::index::{AddOptions, IndexSettings, Query, ReadOptions};
    /// use lookalike::{IndexWriter, Record, Silent};
    /// use lookalike::{Index, Settings, Source};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let folder = tempfile::tempdir()?;
    /// # let dir = folder.path().join("index");
    /// let mut writer = IndexWriter::create(&dir, IndexSettings::default(), 1)?;
    /// let stored = [Record::new("a rose is a rose is a rose").id("rose")];
    /// let (fields, options) = (Settings::default(), AddOptions::default());
    /// writer.add(Source::records(stored), &fields, &options, &Silent, |_| {})?;
    ///
    /// let texts = ["to be or not to be", "A rose is a rose is a rose!"];
    /// let (index, mut found) = (Index::open(&dir)?, Vec::new());
    /// let (query, options) = (Query::of_each(), ReadOptions::default());
    /// index.ask_all(Source::records(texts), &fields, &query, options, &Silent, |asked| {
    ///     let ids = asked.answer.matches.iter().map(|found| found.id.clone());
    ///     found.push((asked.place.record, ids.collect::<Vec<_>>()));
    /// })?;
    /// assert_eq!(found, [(1, vec![]), (2, vec!["rose".to_owned()])]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`Index::ask`]; a source that cannot be read; an interruption.
    pub fn ask_all(
        &self,
        source: Source<'_>,
        fields: &Settings,
        query: &Query,
        options: ReadOptions,
        progress: &dyn Progress,
        each: impl FnMut(Asked) + Send,
    ) -> Result<AskedAll, LookalikeError> {
        caught(|| {
            let snapshot = self.snapshot()?;
            let wish = Wish::new(self, &snapshot, query)?;
            let questions = EachDocument {
                index: self,
                snapshot: &snapshot,
                answer: &|asking, subject| asking.answer(subject, &wish),
                bytes: |answer: &QueryAnswer| 300 * answer.matches.len() as u64,
            };
            questions.ask(source, fields, options, progress, each)
        })
    }
}

/// The same question about each document of a source, on one snapshot.
pub(super) struct EachDocument<'a, A> {
    pub(super) index: &'a Index,
    pub(super) snapshot: &'a Snapshot,
    pub(super) answer: &'a AnswerOne<'a, A>,
    /// Bytes of memory of an answer, approximately.
    pub(super) bytes: fn(&A) -> u64,
}

/// Answers about one document.
type AnswerOne<'a, A> = dyn Fn(&mut Asking<'_>, &Subject) -> Result<A, LookalikeError> + Sync + 'a;

impl<A: Send> EachDocument<'_, A> {
    /// Asks on all threads; `each` receives the answers in the order of the documents.
    ///
    /// # Errors
    /// A source that cannot be read; an interruption; those of the answers.
    pub(super) fn ask(
        &self,
        source: Source<'_>,
        fields: &Settings,
        options: ReadOptions,
        progress: &dyn Progress,
        mut each: impl FnMut(Asked<A>) + Send,
    ) -> Result<AskedAll, LookalikeError> {
        let limits =
            PipelineLimits { threads: thread_count(options.threads), in_flight: IN_FLIGHT };
        let index = self.index;
        let reading = index.settings().reading(fields, vec![index.dir().to_owned()])?;
        let opened = Opened::new(source, reading, progress)?;
        let (mut all, mut problems, mut outcome) =
            (AskedAll::default(), Problems::default(), Ok(()));
        let read = opened.ordered(
            limits,
            || (VisitScratch::default(), Buffers::new(&index.analysis)),
            |(visit, buffers), piece| self.ask_piece(piece, &opened.inputs, visit, buffers),
            |chunk| chunk.as_ref().map_or(0, |chunk| chunk.bytes(self.bytes)),
            |chunk| {
                outcome = chunk.and_then(|chunk| {
                    if progress.cancelled() {
                        return Err(LookalikeError::cancelled());
                    }
                    admit(&chunk.problems, options.strict, options.skip_unreadable)?;
                    progress.advance(chunk.consumed, chunk.asked.len() as u64);
                    all.documents += chunk.asked.len() as u64;
                    problems.append(chunk.problems);
                    chunk.asked.into_iter().for_each(&mut each);
                    Ok(())
                });
                outcome.is_ok()
            },
        );
        read.and(outcome)?;
        all.problems = problems.count();
        all.listed = problems.into_listed();
        Ok(all)
    }

    /// Asks about the documents of a piece, in order.
    fn ask_piece(
        &self,
        piece: Piece,
        inputs: &Inputs,
        visit: &mut VisitScratch,
        buffers: &mut Buffers,
    ) -> Result<AskedChunk<A>, LookalikeError> {
        let (chunk, problem) = piece.into_parts();
        let (mut asked, mut problems) = (Vec::new(), Problems::default());
        problem.into_iter().for_each(|problem| problems.push(problem));
        let Some(chunk) = chunk else { return Ok(AskedChunk { asked, problems, consumed: 0 }) };
        let consumed = chunk.consumed;
        let mut asking = Asking::new(self.index, self.snapshot, buffers);
        let mut failed = Ok(());
        chunk.visit_once(inputs, visit, &mut |item| {
            if failed.is_err() {
                return;
            }
            let record = match item {
                Item::Record(record) => record,
                Item::Bad(problem) => return problems.push(problem),
                Item::Failed(failure) => return problems.push(failure.into_problem()),
            };
            let subject = asking.of_record(&record, inputs);
            match (self.answer)(&mut asking, &subject) {
                Err(error) => failed = Err(error),
                Ok(answer) => asked.push(Asked {
                    place: Place { file: record.file, record: record.record },
                    id: record.id.map(std::borrow::Cow::into_owned),
                    answer,
                }),
            }
        });
        failed?;
        Ok(AskedChunk { asked, problems, consumed })
    }
}

/// The answers about the documents of a chunk.
struct AskedChunk<A> {
    asked: Vec<Asked<A>>,
    problems: Problems,
    /// Bytes of the input.
    consumed: u64,
}

impl<A> AskedChunk<A> {
    /// Bytes of memory, approximately.
    fn bytes(&self, of_answer: fn(&A) -> u64) -> u64 {
        self.asked.iter().map(|asked| 200 + of_answer(&asked.answer)).sum()
    }
}
