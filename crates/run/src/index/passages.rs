//! Which documents of an index have passages in common with a text, and where.

use super::Filter;
use super::ask::{Asked, AskedAll, EachDocument, ReadOptions};
use super::asking::{Asking, Subject, check};
use super::open::Index;
use super::passage_keys::{PassageKeyScratch, PassageKeys, SoughtText};
use super::query::QuerySubject;
use crate::panics::caught;
use crate::words::LocatedWords;
use crate::{LookalikeError, Settings, Source};
use lookalike_engine::{Progress, Silent};
use lookalike_index::{Cost, DocAt, DocNumber, Snapshot, Stop, TextReader};
use lookalike_passages::{CommonScratch, CommonStretch};
use rayon::prelude::*;
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::Range;

/// A question to an index: which documents have a passage of a text.
#[derive(Debug, Clone, PartialEq)]
pub struct PassageQuery {
    /// The text.
    pub about: QuerySubject,
    /// The most documents that are listed, the best ones; all are counted.
    pub limit: Option<usize>,
    /// Which documents an answer may have.
    pub filter: Filter,
}

impl PassageQuery {
    /// All documents that have a passage of this.
    #[must_use]
    pub fn new(about: QuerySubject) -> Self {
        Self { about, limit: None, filter: Filter::default() }
    }

    /// All documents that have a passage of each document of a source, for
    /// [`Index::find_passages_of_all`](crate::Index::find_passages_of_all).
    #[must_use]
    pub fn of_each() -> Self {
        Self::new(QuerySubject::Text(String::new()))
    }
}

/// The documents that have passages of a text.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PassageAnswer {
    /// Those with most words of the text first; of equal ones the one that was first added.
    pub documents: Vec<PassageMatch>,
    /// How many there are, those that are not listed included.
    pub total: u64,
    /// The fewest words of a passage.
    pub length: u32,
    /// Words of the text.
    pub words: u32,
    /// Words of the text that are in a passage of any of the documents.
    pub words_in_common: u32,
    /// Their share of the words.
    pub share: f64,
    /// What the answer cost.
    pub cost: Cost,
    /// The commit that was asked.
    pub commit: u64,
}

/// A document that has passages of a text.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PassageMatch {
    /// Its id.
    pub id: String,
    /// Its address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Its date, as written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// The sweep in which it was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sweep: Option<String>,
    /// Whether leader clustering keeps it.
    pub kept: bool,
    /// Words of the text that are in a passage in common.
    pub words_in_common: u32,
    /// Their share of the words of the text.
    pub share: f64,
    /// The passages, each as long as it can be, in the order in which they stand in the text, then in the
    /// document.
    pub passages: Vec<PassageInCommon>,
}

/// A passage of a text and a document: from words that are numbered from 0, and bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PassageInCommon {
    /// Number of words.
    pub words: u32,
    /// Its first word in the text.
    pub query_word: u32,
    /// Its bytes in the text, and the byte behind them.
    pub query_bytes: [usize; 2],
    /// Its first word in the document.
    pub document_word: u32,
    /// Its bytes in the document, and the byte behind them.
    pub document_bytes: [usize; 2],
}

/// When the id of a document was first added, and its number.
type Order = (DocNumber, DocNumber);

/// A document of an answer.
struct Found {
    at: DocAt,
    order: Order,
    words: u32,
    stretches: Vec<CommonStretch>,
}

impl Found {
    /// The better one is first.
    fn rank(&self) -> (Reverse<u32>, Order) {
        (Reverse(self.words), self.order)
    }
}

impl Index {
    /// The documents that have a passage of a text: each run of words that the text and a document have in
    /// common, if it has as many words as the setting `passages` of the index, or more, with its places in
    /// both. Exact: answers are verified on the words of the texts.
    ///
    /// Documents that share a run of two fifths of that number of words are read. All documents with a
    /// passage are counted; [`PassageQuery::limit`] bounds memory.
    ///
    /// ```
    /// use lookalike::index::{AddOptions, IndexSettings, PassageQuery, QuerySubject};
    /// use lookalike::{Index, IndexWriter, Record, Settings, Silent, Source};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let folder = tempfile::tempdir()?;
    /// # let dir = folder.path().join("index");
    /// let settings = IndexSettings { passages: Some(5), ..IndexSettings::default() };
    /// let mut writer = IndexWriter::create(&dir, settings, 1)?;
    /// let records = [Record::new("He said: a rose is a rose is a rose.").id("rose")];
    /// let (fields, options) = (Settings::default(), AddOptions::default());
    /// writer.add(Source::records(records), &fields, &options, &Silent, |_| {})?;
    ///
    /// let text = "To be a rose is a rose.";
    /// let answer = Index::open(&dir)?.find_passages(&PassageQuery::new(QuerySubject::Text(text.into())))?;
    /// let found = &answer.documents[0];
    /// assert_eq!((&*found.id, found.words_in_common), ("rose", 5));
    /// let [start, end] = found.passages[0].query_bytes;
    /// assert_eq!(&text[start..end], "a rose is a rose");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// An index that was created without passages; a document that is not in it; a malformed date; a sweep
    /// that does not exist; damage.
    pub fn find_passages(&self, query: &PassageQuery) -> Result<PassageAnswer, LookalikeError> {
        self.find_passages_until(query, &Silent)
    }

    /// [`Index::find_passages`], until [`Progress::cancelled`] says that the answer is no longer
    /// wanted, which is asked between documents, on all threads. Otherwise as [`Index::ask_until`].
    ///
    /// # Errors
    /// As [`Index::find_passages`]; [`LookalikeError::QuestionCancelled`], and never a part of an
    /// answer.
    pub fn find_passages_until(
        &self,
        query: &PassageQuery,
        progress: &dyn Progress,
    ) -> Result<PassageAnswer, LookalikeError> {
        let snapshot = self.snapshot()?;
        let find = |asking: &mut Asking<'_>| self.find_passages_on(&snapshot, asking, query);
        self.one_question(&snapshot, progress, find)
    }

    /// The documents of a snapshot, of which `asking` is, that have a passage of a text.
    ///
    /// # Errors
    /// As [`Index::find_passages`].
    pub(super) fn find_passages_on(
        &self,
        snapshot: &Snapshot,
        asking: &mut Asking<'_>,
        query: &PassageQuery,
    ) -> Result<PassageAnswer, LookalikeError> {
        let keys = self.passage_keys()?;
        let filter = query.filter.on(self, snapshot)?;
        let subject = asking.subject(&query.about)?;
        let search = Search::new(self, keys, snapshot, &subject, query.limit);
        search.answer(&subject, &|at| filter.takes(at), asking)
    }

    /// Asks which documents have a passage of each document of a source: `query.about` is not read
    /// ([`PassageQuery::of_each`]). Otherwise as [`Index::ask_all`].
    ///
    /// # Errors
    /// As [`Index::find_passages`]; a source that cannot be read; an interruption.
    pub fn find_passages_of_all(
        &self,
        source: Source<'_>,
        fields: &Settings,
        query: &PassageQuery,
        options: ReadOptions,
        progress: &dyn Progress,
        each: impl FnMut(Asked<PassageAnswer>) + Send,
    ) -> Result<AskedAll, LookalikeError> {
        caught(|| {
            let keys = self.passage_keys()?;
            let snapshot = self.snapshot()?;
            let filter = query.filter.on(self, &snapshot)?;
            let answer = |asking: &mut Asking<'_>, subject: &Subject| {
                let search = Search::new(self, keys, &snapshot, subject, query.limit);
                search.answer(subject, &|at| filter.takes(at), asking)
            };
            let bytes = |answer: &PassageAnswer| {
                let of = |found: &PassageMatch| 200 + 48 * found.passages.len() as u64;
                answer.documents.iter().map(of).sum()
            };
            let questions =
                EachDocument { index: self, snapshot: &snapshot, answer: &answer, bytes };
            questions.ask(source, fields, options, progress, each)
        })
    }

    fn passage_keys(&self) -> Result<&PassageKeys, LookalikeError> {
        self.analysis.passages.as_ref().ok_or_else(|| {
            LookalikeError::Settings(format!(
                "the index {} does not answer for passages; create an index with the setting passages, \
                 the fewest words of a passage",
                self.dir().display()
            ))
        })
    }
}

/// A search for the passages of one text.
struct Search<'a> {
    index: &'a Index,
    keys: &'a PassageKeys,
    snapshot: &'a Snapshot,
    asked: SoughtText,
    here: LocatedWords,
    limit: usize,
}

impl<'a> Search<'a> {
    fn new(
        index: &'a Index,
        keys: &'a PassageKeys,
        snapshot: &'a Snapshot,
        subject: &Subject,
        limit: Option<usize>,
    ) -> Self {
        let text = subject.text.as_deref().unwrap_or_default();
        let asked = keys.question(text, &mut PassageKeyScratch::default());
        let (here, limit) = (keys.located(text), limit.unwrap_or(usize::MAX));
        Self { index, keys, snapshot, asked, here, limit }
    }

    fn answer(
        &self,
        subject: &Subject,
        wanted: &dyn Fn(DocAt) -> bool,
        asking: &mut Asking<'_>,
    ) -> Result<PassageAnswer, LookalikeError> {
        let value = self.index.analysis.signer.value_beside(subject.beside);
        let may_match = |at: DocAt| {
            Some(at) != subject.at
                && wanted(at)
                && (value == 0 || self.snapshot.document(at).value() != value)
        };
        let mut cost = Cost::default();
        let method = self.index.analysis.passage_method();
        let (keys, stop) = (&self.asked.keys, asking.stop);
        let shares_key = self.snapshot.with_keys(method, keys, stop, asking.scratch, &mut cost)?;
        let candidates: Vec<DocAt> = shares_key.into_iter().filter(|&at| may_match(at)).collect();
        cost.verified = candidates.len() as u64;
        let mut part = self.verify(&candidates, stop)?;
        part.keep_best(self.limit);
        let Part { best, total, covered } = part;
        let sweeps = self.sweeps(&best)?;
        let describe = |found| {
            check(stop)?;
            self.describe(found, &sweeps, asking.texts)
        };
        let documents = best.into_iter().map(describe).collect::<Result<_, _>>()?;
        let in_common = covered.iter().filter(|&&is_covered| is_covered).count() as u32;
        Ok(PassageAnswer {
            documents,
            total,
            length: self.keys.length(),
            words: self.words() as u32,
            words_in_common: in_common,
            share: self.share(in_common),
            cost,
            commit: self.snapshot.commit(),
        })
    }

    /// Words of the text.
    fn words(&self) -> usize {
        self.here.hashes.len()
    }

    fn share(&self, words: u32) -> f64 {
        if self.words() == 0 { 0.0 } else { f64::from(words) / self.words() as f64 }
    }

    /// Compares the words of documents with those of the text, on all threads. The order does not matter.
    fn verify(&self, candidates: &[DocAt], stop: Stop<'_>) -> Result<Part, LookalikeError> {
        let begin = || (Verifier::default(), Part::new(self.words()));
        let verified = candidates.par_iter().with_min_len(AT_LEAST).try_fold(begin, |task, &at| {
            check(stop)?;
            let (mut verifier, mut part) = task;
            let stretches = verifier.stretches(self, at)?;
            if !stretches.is_empty() {
                let document = self.snapshot.document(at);
                part.push(at, (document.first(), document.number()), stretches);
                // Documents beyond the limit are dropped, some at a time.
                if part.best.len() / 2 > self.limit {
                    part.keep_best(self.limit);
                }
            }
            Ok::<_, LookalikeError>((verifier, part))
        });
        let none = || Part::new(self.words());
        verified
            .map(|task| task.map(|(_, part)| part))
            .try_reduce(none, |a, b| Ok(a.with(b, self.limit)))
    }

    /// The names of the sweeps, if documents are of any.
    fn sweeps(&self, found: &[Found]) -> Result<BTreeMap<u32, String>, LookalikeError> {
        if found.iter().all(|found| self.snapshot.document(found.at).sweep() == 0) {
            return Ok(BTreeMap::new());
        }
        self.index.sweep_names()
    }

    fn describe(
        &self,
        found: Found,
        sweeps: &BTreeMap<u32, String>,
        texts: &mut TextReader,
    ) -> Result<PassageMatch, LookalikeError> {
        let Found { at, words, stretches, .. } = found;
        let document = self.snapshot.document(at);
        let there = self.keys.located(document.text(texts)?);
        let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        let passage = |stretch: &CommonStretch| {
            let &CommonStretch { here: query_word, there: document_word, units: words } = stretch;
            PassageInCommon {
                words,
                query_word,
                query_bytes: self.here.bytes(range(query_word, words)),
                document_word,
                document_bytes: there.bytes(range(document_word, words)),
            }
        };
        Ok(PassageMatch {
            id: document.id().to_owned(),
            url: text(document.url()),
            date: text(document.date()),
            sweep: sweeps.get(&document.sweep()).cloned(),
            kept: self.snapshot.is_kept(at),
            words_in_common: words,
            share: self.share(words),
            passages: stretches.iter().map(passage).collect(),
        })
    }
}

/// The fewest documents that one task compares.
const AT_LEAST: usize = 32;

/// Compares documents with the text, on one thread.
#[derive(Default)]
struct Verifier {
    texts: TextReader,
    words: PassageKeyScratch,
    common: CommonScratch,
}

impl Verifier {
    /// What a document has in common with the text.
    fn stretches(
        &mut self,
        search: &Search<'_>,
        at: DocAt,
    ) -> Result<Vec<CommonStretch>, LookalikeError> {
        let text = search.snapshot.document(at).text(&mut self.texts)?;
        let units = search.keys.read(text, &mut self.words);
        let mut found = Vec::new();
        search.asked.text.stretches(units, &mut self.common, &mut found);
        Ok(found)
    }
}

/// What some of the documents have in common with the text.
struct Part {
    /// The best, and others that were not dropped yet.
    best: Vec<Found>,
    total: u64,
    /// The words of the text that any of the documents has.
    covered: Vec<bool>,
}

impl Part {
    fn new(words: usize) -> Self {
        Self { best: Vec::new(), total: 0, covered: vec![false; words] }
    }

    fn push(&mut self, at: DocAt, order: Order, stretches: Vec<CommonStretch>) {
        let words = mark(&stretches, &mut self.covered);
        self.best.push(Found { at, order, words, stretches });
        self.total += 1;
    }

    fn keep_best(&mut self, limit: usize) {
        self.best.sort_unstable_by_key(Found::rank);
        self.best.truncate(limit);
    }

    /// These documents and others.
    fn with(mut self, other: Self, limit: usize) -> Self {
        self.best.extend(other.best);
        self.keep_best(limit);
        self.total += other.total;
        for (covered, also) in self.covered.iter_mut().zip(other.covered) {
            *covered |= also;
        }
        self
    }
}

/// Marks the words of the text that are in some stretches, which are in order. Returns their number.
fn mark(stretches: &[CommonStretch], covered: &mut [bool]) -> u32 {
    let (mut end, mut count) = (0, 0);
    for stretch in stretches {
        let Range { start, end: stretch_end } = range(stretch.here, stretch.units);
        if stretch_end > end {
            count += stretch_end - start.max(end);
            covered[start.max(end)..stretch_end].fill(true);
            end = stretch_end;
        }
    }
    count as u32
}

fn range(start: u32, words: u32) -> Range<usize> {
    start as usize..start as usize + words as usize
}
