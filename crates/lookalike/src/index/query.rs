//! Questions to an index, and their answers.

use super::filter::Filter;
use super::open::{Buffers, Index};
use super::sweeps::table;
use crate::compare::compare_texts;
use crate::{LookalikeError, Settings};
use lookalike_core::{Overlap, Threshold};
use lookalike_engine::SignerScratch;
use lookalike_index::{
    Answer, Ask, AskOptions, Cost, DocAt, LiveSegment, Match, QueryScratch, QuerySet, Question,
    Snapshot, TextReader, Total,
};
use lookalike_report::SharedPassage;
use serde::Serialize;
use std::collections::BTreeMap;
use std::str::FromStr;

/// What a question is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum QuerySubject {
    /// A text.
    Text(String),
    /// A stored document, by its id; of several sweeps the last.
    Id(String),
    /// The document found last at an address.
    Url(String),
    /// The cluster of a stored document, by its id.
    Cluster(String),
}

/// Which stored documents are asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wanted {
    /// Those that resemble the document.
    Resembles,
    /// Those that contain it.
    Containing,
    /// Those that are contained in it.
    ContainedIn,
    /// Those that are near it by binary cosine.
    Cosine,
    /// Those of its cluster: the document that leader clustering keeps, and those whose witness
    /// that is.
    Cluster,
    /// Those that a method of the index takes for near-duplicates, by its name or its whole
    /// description.
    Method(String),
}

impl FromStr for Wanted {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(match text {
            "resembles" => Self::Resembles,
            "containing" => Self::Containing,
            "contained-in" => Self::ContainedIn,
            "cosine" => Self::Cosine,
            "cluster" => Self::Cluster,
            method => Self::Method(method.to_owned()),
        })
    }
}

/// A question to an index.
#[derive(Debug, Clone, PartialEq)]
pub struct Query {
    /// What it is about.
    pub about: QuerySubject,
    /// Which documents are asked for.
    pub ask: Wanted,
    /// What the measure has to reach, as written; `None` for the threshold of the index.
    pub threshold: Option<String>,
    /// Only the best so many.
    pub limit: Option<usize>,
    /// Which documents an answer may have.
    pub filter: Filter,
    /// Whether the passages in common are returned.
    pub passages: bool,
}

impl Query {
    /// The documents that resemble this one, at the threshold of the index.
    #[must_use]
    pub fn new(about: QuerySubject) -> Self {
        let (threshold, limit) = (None, None);
        let ask = Wanted::Resembles;
        Self { about, ask, threshold, limit, filter: Filter::default(), passages: false }
    }
}

/// The documents that answer a question.
#[derive(Debug, Clone, Serialize)]
pub struct QueryAnswer {
    /// The best first; of equal ones the one that was first added.
    pub matches: Vec<QueryMatch>,
    /// How many there are; with a limit, at least so many.
    pub total: u64,
    /// Whether `total` is exact.
    pub total_exact: bool,
    /// Number of elements of the set that was asked about.
    pub size: u32,
    /// What the answer cost.
    pub cost: Cost,
    /// The commit that was asked.
    pub commit: u64,
}

/// A document that answers a question.
#[derive(Debug, Clone, Serialize)]
pub struct QueryMatch {
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
    /// |Q∩D| / |Q∪D|.
    pub resemblance: f64,
    /// |Q∩D| / |Q|.
    pub query_in_document: f64,
    /// |Q∩D| / |D|.
    pub document_in_query: f64,
    /// |Q∩D| / sqrt(|Q|·|D|).
    pub cosine: f64,
    /// |Q∩D|.
    pub shared: u32,
    /// |D|.
    pub size: u32,
    /// Whether leader clustering keeps it.
    pub kept: bool,
    /// The id of its cluster: that of the kept document that leads it.
    pub cluster: String,
    /// What the method says, for [`Wanted::Method`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// Passages in common, where they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub passages: Option<Vec<SharedPassage>>,
}

/// What is asked about: a text with its set.
struct Subject {
    text: Option<String>,
    set: Vec<u64>,
    few: bool,
    sequence: lookalike_core::TokenDigest,
    /// The stored document, which is not part of its own answer.
    at: Option<DocAt>,
}

impl Index {
    /// Answers a question about the last commit.
    ///
    /// # Errors
    /// A document that is not in the index, a threshold that makes no sense, a method that the
    /// index does not have, files that cannot be read.
    pub fn ask(&self, query: &Query) -> Result<QueryAnswer, LookalikeError> {
        let snapshot = self.snapshot()?;
        let mut buffers = self.buffers();
        let mut asking = Asking::new(self, &snapshot, &mut buffers);
        let subject = asking.subject(&query.about)?;
        let wanted_cluster =
            query.ask == Wanted::Cluster || matches!(query.about, QuerySubject::Cluster(_));
        let (found, methods) = match &query.ask {
            _ if wanted_cluster => (asking.cluster_of(&subject, query)?, Vec::new()),
            Wanted::Method(name) => asking.by_method(name, &subject, query)?,
            ask => (asking.by_measure(ask, &subject, query)?, Vec::new()),
        };
        asking.name_sweeps(&found)?;
        let mut matches = Vec::with_capacity(found.matches.len());
        for (at, &one) in found.matches.iter().enumerate() {
            let method = methods.get(at).cloned();
            matches.push(asking.describe(&subject, one, method, query.passages)?);
        }
        drop(asking);
        self.give_back(buffers);
        Ok(QueryAnswer {
            matches,
            total: found.total.at_least,
            total_exact: found.total.is_exact(),
            size: subject.set.len() as u32,
            cost: found.cost,
            commit: snapshot.commit(),
        })
    }
}

/// One question to one snapshot.
struct Asking<'a> {
    index: &'a Index,
    snapshot: &'a Snapshot,
    scratch: &'a mut QueryScratch,
    texts: &'a mut TextReader,
    signer: &'a mut SignerScratch,
    /// Names by number, of an answer with documents of sweeps.
    sweeps: BTreeMap<u32, String>,
}

impl<'a> Asking<'a> {
    fn new(index: &'a Index, snapshot: &'a Snapshot, buffers: &'a mut Buffers) -> Self {
        let Buffers { scratch, texts, signer } = buffers;
        Self { index, snapshot, scratch, texts, signer, sweeps: BTreeMap::new() }
    }

    /// Reads the names of the sweeps, if the answer has documents of any.
    fn name_sweeps(&mut self, found: &Answer) -> Result<(), LookalikeError> {
        let sweep = |found: &Match| self.snapshot.document(found.at).sweep();
        if found.matches.iter().any(|found| sweep(found) != 0) {
            let sweeps = table::all(&self.index.reader.records()?)?;
            self.sweeps = sweeps.into_iter().map(|sweep| (sweep.number, sweep.name)).collect();
        }
        Ok(())
    }

    fn subject(&mut self, about: &QuerySubject) -> Result<Subject, LookalikeError> {
        let stored = |found: Vec<DocAt>, what: &str, name: &str| {
            found.last().copied().ok_or_else(|| LookalikeError::NotInIndex {
                index: self.index.dir().to_owned(),
                what: what.to_owned(),
                name: name.to_owned(),
            })
        };
        let at = match about {
            QuerySubject::Text(text) => return Ok(self.of_text(text.clone(), None)),
            QuerySubject::Id(id) | QuerySubject::Cluster(id) => {
                stored(self.snapshot.with_id(id), "id", id)?
            }
            QuerySubject::Url(url) => stored(self.snapshot.with_url(url), "URL", url)?,
        };
        self.stored(at)
    }

    fn of_text(&mut self, text: String, at: Option<DocAt>) -> Subject {
        let mut set = Vec::new();
        let found = self.index.analysis.signer.text_set(&text, self.signer, &mut set);
        let (few, sequence) = (found.few, found.summary.sequence);
        Subject { text: Some(text), set, few, sequence, at }
    }

    fn stored(&mut self, at: DocAt) -> Result<Subject, LookalikeError> {
        let document = self.snapshot.document(at);
        if self.index.settings().texts {
            let text = document.text(self.texts)?.to_owned();
            return Ok(self.of_text(text, Some(at)));
        }
        let set = self.snapshot.set(at, self.scratch)?;
        let (few, sequence) = (document.few(), document.sequence());
        Ok(Subject { text: None, set, few, sequence, at: Some(at) })
    }

    /// Asks, leaving out the document itself and what the filter leaves out.
    fn ask(
        &mut self,
        question: Question,
        subject: &Subject,
        limit: Option<usize>,
        wanted: &(dyn Fn(DocAt) -> bool + Sync),
    ) -> Result<Answer, LookalikeError> {
        let query = QuerySet { set: &subject.set, few: subject.few, sequence: subject.sequence };
        let wanted = |live: &LiveSegment, local: u32| {
            let at = self.snapshot.at(live, local);
            at != subject.at && at.is_some_and(wanted)
        };
        let options = AskOptions { limit, wanted: &wanted, ..AskOptions::default() };
        Ok(self.snapshot.ask(question, query, options, self.scratch)?)
    }

    fn by_measure(
        &mut self,
        ask: &Wanted,
        subject: &Subject,
        query: &Query,
    ) -> Result<Answer, LookalikeError> {
        let ask = match ask {
            Wanted::Containing => Ask::Containing,
            Wanted::ContainedIn => Ask::ContainedIn,
            Wanted::Cosine => Ask::Cosine,
            Wanted::Resembles | Wanted::Cluster | Wanted::Method(_) => Ask::Resembles,
        };
        let threshold = self.threshold(query)?;
        let filter = query.filter.on(self.index, self.snapshot)?;
        self.ask(Question { ask, threshold }, subject, query.limit, &|at| filter.takes(at))
    }

    fn threshold(&self, query: &Query) -> Result<Threshold, LookalikeError> {
        match &query.threshold {
            Some(threshold) => Ok(threshold.parse()?),
            None => Ok(self.index.analysis.matching.threshold),
        }
    }

    /// The cluster of the subject: the kept document, and those whose witness it is.
    fn cluster_of(&mut self, subject: &Subject, query: &Query) -> Result<Answer, LookalikeError> {
        let filter = query.filter.on(self.index, self.snapshot)?;
        let leader = match subject.at {
            Some(at) if self.snapshot.is_kept(at) => Some(at),
            Some(at) => self.snapshot.witness(at, self.scratch)?,
            // A text that is not in the index belongs to the cluster of the kept document that
            // would be its witness.
            None => self.snapshot.witness_of(
                QuerySet { set: &subject.set, few: subject.few, sequence: subject.sequence },
                self.scratch,
            )?,
        };
        let Some(leader) = leader else { return Ok(Answer::default()) };
        let members = self.snapshot.cluster(leader, self.scratch)?;
        let mut answer = Answer::default();
        for at in members.into_iter().filter(|&at| Some(at) != subject.at && filter.takes(at)) {
            let counts = self.counts(subject, at)?;
            answer.matches.push(Match { at, counts });
        }
        let total = answer.matches.len() as u64;
        answer.total = Total { at_least: total, at_most: total };
        answer.matches.truncate(query.limit.unwrap_or(usize::MAX));
        Ok(answer)
    }

    /// The documents that a method takes for near-duplicates, and what it says about each.
    fn by_method(
        &mut self,
        name: &str,
        subject: &Subject,
        query: &Query,
    ) -> Result<(Answer, Vec<String>), LookalikeError> {
        let number = self.index.analysis.method_named(name)?;
        let method = &self.index.analysis.methods[number];
        let signed = match (subject.at, &subject.text) {
            (Some(at), _) => self.snapshot.document(at).signature(number),
            (None, Some(text)) => method.sign_text(text, self.signer),
            (None, None) => return Ok(<(Answer, Vec<String>)>::default()),
        };
        let filter = query.filter.on(self.index, self.snapshot)?;
        let mut cost = Cost::default();
        let candidates = self.snapshot.with_keys(number, &signed.keys, self.scratch, &mut cost)?;
        let mut found: Vec<(lookalike_methods::Evidence, DocAt)> = candidates
            .into_iter()
            .filter(|&at| Some(at) != subject.at && filter.takes(at))
            .filter_map(|at| {
                cost.candidates += 1;
                let stored = self.snapshot.document(at).signature(number);
                Some((method.accept(signed.view(), stored.view())?, at))
            })
            .collect();
        found.sort_by(|a, b| {
            let first = |at: DocAt| self.snapshot.document(at).first();
            b.0.compare(a.0).then_with(|| first(a.1).cmp(&first(b.1)))
        });
        let total = found.len() as u64;
        let total = Total { at_least: total, at_most: total };
        found.truncate(query.limit.unwrap_or(usize::MAX));
        let mut matches = Vec::new();
        for &(_, at) in &found {
            cost.verified += 1;
            matches.push(Match { at, counts: self.counts(subject, at)? });
        }
        let says = found.iter().map(|(evidence, _)| says(*evidence)).collect();
        Ok((Answer { matches, total, cost }, says))
    }

    /// Counts of the subject (a) and a stored document (b).
    fn counts(&mut self, subject: &Subject, at: DocAt) -> Result<Overlap, LookalikeError> {
        let set = self.snapshot.set(at, self.scratch)?;
        let shared = lookalike_core::overlap(&subject.set, &set);
        Ok(Overlap { shared, a: subject.set.len() as u32, b: set.len() as u32 })
    }

    fn describe(
        &mut self,
        subject: &Subject,
        Match { at, counts }: Match,
        method: Option<String>,
        passages: bool,
    ) -> Result<QueryMatch, LookalikeError> {
        let document = self.snapshot.document(at);
        let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        let kept = self.snapshot.is_kept(at);
        let leader = if kept { Some(at) } else { self.snapshot.witness(at, self.scratch)? };
        let passages = match (&subject.text, passages) {
            (Some(query), true) if self.index.settings().texts => {
                let stored = document.text(self.texts)?;
                let settings: &Settings = &self.index.settings().documents;
                Some(compare_texts(query, stored, settings)?.comparison().passages)
            }
            _ => None,
        };
        Ok(QueryMatch {
            id: document.id().to_owned(),
            url: text(document.url()),
            date: text(document.date()),
            sweep: self.sweeps.get(&document.sweep()).cloned(),
            resemblance: counts.resemblance(),
            query_in_document: counts.containment_a_in_b(),
            document_in_query: counts.containment_b_in_a(),
            cosine: counts.cosine(),
            shared: counts.shared,
            size: counts.b,
            kept,
            cluster: self.snapshot.document(leader.unwrap_or(at)).id().to_owned(),
            method,
            passages,
        })
    }
}

/// What a method says about two documents.
fn says(evidence: lookalike_methods::Evidence) -> String {
    use lookalike_methods::Evidence;
    match evidence {
        Evidence::Exact(counts) | Evidence::Sampled(counts) => {
            format!("{} of {} and {}", counts.shared, counts.a, counts.b)
        }
        Evidence::Agreement { equal, of } => format!("{equal} of {of} agree"),
        Evidence::Distance(bits) => format!("{bits} bits differ"),
        Evidence::SameKey => "a common key".to_owned(),
    }
}
