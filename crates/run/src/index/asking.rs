//! Answering questions about one snapshot of an index.

use super::document::given;
use super::extra;
use super::filter::SnapshotFilter;
use super::open::{Buffers, Index};
use super::prepare::of_input;
use super::query::{Query, QueryAnswer, QueryMatch, QuerySubject, Wanted};
use crate::LookalikeError;
use crate::compare::compare_texts;
use lookalike_core::{Overlap, Threshold};
use lookalike_engine::SignerScratch;
use lookalike_index::{
    Answer, Ask, AskOptions, Cost, DocAt, IndexError, LiveSegment, Match, NEVER, QueryScratch,
    QuerySet, Question, Snapshot, Stop, TextReader, Total,
};
use lookalike_io::{Beside, Inputs, RecordView};
use std::collections::BTreeMap;

/// What is asked for, on one snapshot.
pub(crate) struct Wish<'a> {
    ask: &'a Wanted,
    threshold: Threshold,
    limit: Option<usize>,
    filter: SnapshotFilter<'a>,
    passages: bool,
}

impl<'a> Wish<'a> {
    /// # Errors
    /// A threshold that makes no sense, a date that is none, a sweep that does not exist.
    pub(crate) fn new(
        index: &Index,
        snapshot: &'a Snapshot,
        query: &'a Query,
    ) -> Result<Self, LookalikeError> {
        let threshold = match &query.threshold {
            Some(threshold) => threshold.parse()?,
            None => index.analysis.matching.threshold,
        };
        let filter = query.filter.on(index, snapshot)?;
        let ask = match query.about {
            QuerySubject::Cluster(_) => &Wanted::Cluster,
            _ => &query.ask,
        };
        Ok(Self { ask, threshold, limit: query.limit, filter, passages: query.passages })
    }
}

/// What is asked about: a text with its set.
pub(crate) struct Subject {
    pub(super) text: Option<String>,
    set: Vec<u64>,
    few: bool,
    sequence: lookalike_core::TokenDigest,
    /// What is compared beside its words.
    pub(super) beside: Beside,
    /// The stored document, which is not part of its own answer.
    pub(super) at: Option<DocAt>,
}

/// Questions to one snapshot, on one thread.
pub(crate) struct Asking<'a> {
    index: &'a Index,
    snapshot: &'a Snapshot,
    pub(super) scratch: &'a mut QueryScratch,
    pub(super) texts: &'a mut TextReader,
    signer: &'a mut SignerScratch,
    pub(super) stop: Stop<'a>,
    /// Names by number, once an answer had documents of sweeps.
    sweeps: BTreeMap<u32, String>,
}

impl<'a> Asking<'a> {
    pub(crate) fn new(index: &'a Index, snapshot: &'a Snapshot, buffers: &'a mut Buffers) -> Self {
        let Buffers { scratch, texts, signer } = buffers;
        Self { index, snapshot, scratch, texts, signer, stop: NEVER, sweeps: BTreeMap::new() }
    }

    /// Asks until the caller wants to stop.
    pub(super) fn until(self, stop: Stop<'a>) -> Self {
        Self { stop, ..self }
    }

    /// # Errors
    /// [`IndexError::Interrupted`], if the caller wants to stop.
    pub(super) fn check(&self) -> Result<(), LookalikeError> {
        check(self.stop)
    }

    /// Reads the names of the sweeps, if the answer has documents of any.
    fn name_sweeps(&mut self, found: &Answer) -> Result<(), LookalikeError> {
        let sweep = |found: &Match| self.snapshot.document(found.at).sweep();
        if self.sweeps.is_empty() && found.matches.iter().any(|found| sweep(found) != 0) {
            self.sweeps = self.index.sweep_names()?;
        }
        Ok(())
    }

    /// What a question is about.
    ///
    /// # Errors
    /// A document that is not in the index.
    pub(crate) fn subject(&mut self, about: &QuerySubject) -> Result<Subject, LookalikeError> {
        let at = match about {
            QuerySubject::Text(text) => {
                return Ok(self.of_text(text.clone(), Beside::default(), None));
            }
            QuerySubject::Message { text, beside } => {
                return Ok(self.of_text(text.clone(), *beside, None));
            }
            QuerySubject::Id(id) | QuerySubject::Cluster(id) => {
                self.index.stored(&self.snapshot.with_id(id), "id", id)?
            }
            QuerySubject::Url(url) => {
                self.index.stored(&self.snapshot.with_url(url), "URL", url)?
            }
        };
        self.stored(at)
    }

    /// A text that is asked about.
    pub(crate) fn of_text(&mut self, text: String, beside: Beside, at: Option<DocAt>) -> Subject {
        let mut set = Vec::new();
        let found = self.index.analysis.signer.message_set(&text, beside, self.signer, &mut set);
        let (few, sequence) = (found.few, found.summary.sequence);
        Subject { text: Some(text), set, few, sequence, beside, at }
    }

    /// A record that is asked about.
    pub(crate) fn of_record(&mut self, record: &RecordView<'_>, inputs: &Inputs) -> Subject {
        let signer = &self.index.analysis.signer;
        let (text, beside) = signer.text_and_beside(record, self.signer);
        let beside = of_input(signer, beside, record, inputs);
        self.of_text(text.into_owned(), beside, None)
    }

    fn stored(&mut self, at: DocAt) -> Result<Subject, LookalikeError> {
        let document = self.snapshot.document(at);
        if self.index.settings().texts {
            let text = document.text(self.texts)?.to_owned();
            let beside = extra::beside(document.extra());
            return Ok(self.of_text(text, beside, Some(at)));
        }
        let set = self.snapshot.set(at, self.scratch)?;
        let (few, sequence) = (document.few(), document.sequence());
        let beside = extra::beside(document.extra());
        Ok(Subject { text: None, set, few, sequence, beside, at: Some(at) })
    }

    /// Answers a question.
    ///
    /// # Errors
    /// A method that the index does not have, a question that it cannot answer, a damaged segment.
    pub(crate) fn answer(
        &mut self,
        subject: &Subject,
        wish: &Wish<'_>,
    ) -> Result<QueryAnswer, LookalikeError> {
        let (found, methods) = match wish.ask {
            Wanted::Cluster => (self.cluster_of(subject, wish)?, Vec::new()),
            Wanted::Method(name) => self.by_method(name, subject, wish)?,
            Wanted::Resembles => (self.by_measure(Ask::Resembles, subject, wish)?, Vec::new()),
            Wanted::Containing => (self.by_measure(Ask::Containing, subject, wish)?, Vec::new()),
            Wanted::ContainedIn => (self.by_measure(Ask::ContainedIn, subject, wish)?, Vec::new()),
            Wanted::Cosine => (self.by_measure(Ask::Cosine, subject, wish)?, Vec::new()),
        };
        self.name_sweeps(&found)?;
        let mut matches = Vec::with_capacity(found.matches.len());
        for (at, &one) in found.matches.iter().enumerate() {
            self.check()?;
            let method = methods.get(at).cloned();
            matches.push(self.describe(subject, one, method, wish.passages)?);
        }
        Ok(QueryAnswer {
            matches,
            total: found.total.at_least,
            total_exact: found.total.is_exact(),
            size: subject.set.len() as u32,
            cost: found.cost,
            commit: self.snapshot.commit(),
            hint: None,
        })
    }

    /// What to ask instead of which documents resemble a subject, if none does: which contain it,
    /// or are contained in it.
    pub(crate) fn hint(
        &mut self,
        subject: &Subject,
        wish: &Wish<'_>,
    ) -> Result<Option<String>, LookalikeError> {
        let threshold = wish.threshold;
        for (ask, name) in [(Ask::Containing, "containing"), (Ask::ContainedIn, "contained-in")] {
            let question = Question { ask, threshold };
            // A lean index may have no answer.
            if self.snapshot.check_question(question).is_err() {
                continue;
            }
            let found = self.ask(question, subject, Some(1), &|at| wish.filter.takes(at))?;
            let Some(Match { at, counts }) = found.matches.first() else { continue };
            let id = self.snapshot.document(*at).id();
            let says = match ask {
                Ask::Containing => {
                    format!("`{id}` contains {:.3} of it", counts.containment_a_in_b())
                }
                _ => format!("{:.3} of `{id}` is in it", counts.containment_b_in_a()),
            };
            return Ok(Some(format!(
                "no document resembles it at {threshold} or more, but {says}; ask for such \
                 documents with the setting ask={name}"
            )));
        }
        Ok(None)
    }

    /// A question about a subject.
    fn query<'s>(&self, subject: &'s Subject) -> QuerySet<'s> {
        let &Subject { ref set, few, sequence, beside, .. } = subject;
        QuerySet { set, few, sequence, value: self.index.analysis.signer.value_beside(beside) }
    }

    /// Asks, leaving out the document itself and what the filter leaves out.
    fn ask(
        &mut self,
        question: Question,
        subject: &Subject,
        limit: Option<usize>,
        wanted: &(dyn Fn(DocAt) -> bool + Sync),
    ) -> Result<Answer, LookalikeError> {
        let query = self.query(subject);
        let wanted = |live: &LiveSegment, local: u32| {
            let at = self.snapshot.at(live, local);
            at != subject.at && at.is_some_and(wanted)
        };
        let options = AskOptions { limit, wanted: &wanted, stop: self.stop };
        Ok(self.snapshot.ask(question, query, options, self.scratch)?)
    }

    fn by_measure(
        &mut self,
        ask: Ask,
        subject: &Subject,
        wish: &Wish<'_>,
    ) -> Result<Answer, LookalikeError> {
        let question = Question { ask, threshold: wish.threshold };
        self.ask(question, subject, wish.limit, &|at| wish.filter.takes(at))
    }

    /// The cluster of the subject: the kept document, and those whose witness it is.
    fn cluster_of(&mut self, subject: &Subject, wish: &Wish<'_>) -> Result<Answer, LookalikeError> {
        let leader = match subject.at {
            Some(at) => self.snapshot.leader(at, self.stop, self.scratch)?,
            // A text that is not in the index belongs to the cluster of the kept document that
            // would be its witness.
            None => self.snapshot.witness_of(self.query(subject), self.stop, self.scratch)?,
        };
        let Some(leader) = leader else { return Ok(Answer::default()) };
        let members = self.snapshot.cluster(leader, self.stop, self.scratch)?;
        let mut answer = Answer::default();
        for at in members.into_iter().filter(|&at| Some(at) != subject.at && wish.filter.takes(at))
        {
            let counts = self.counts(subject, at)?;
            answer.matches.push(Match { at, counts });
        }
        let total = answer.matches.len() as u64;
        answer.total = Total { at_least: total, at_most: total };
        answer.matches.truncate(wish.limit.unwrap_or(usize::MAX));
        Ok(answer)
    }

    /// The documents that a method takes for near-duplicates, and what it says about each.
    fn by_method(
        &mut self,
        name: &str,
        subject: &Subject,
        wish: &Wish<'_>,
    ) -> Result<(Answer, Vec<String>), LookalikeError> {
        let number = self.index.analysis.method_named(name)?;
        let method = &self.index.analysis.methods[number];
        let signed = match (subject.at, &subject.text) {
            (Some(at), _) => self.snapshot.document(at).signature(number),
            (None, Some(text)) => method.sign_text(text, subject.beside, self.signer),
            (None, None) => return Ok(<(Answer, Vec<String>)>::default()),
        };
        let value = self.index.analysis.signer.value_beside(subject.beside);
        let mut cost = Cost::default();
        let (keys, stop) = (&signed.keys, self.stop);
        let candidates = self.snapshot.with_keys(number, keys, stop, self.scratch, &mut cost)?;
        let mut found: Vec<(lookalike_methods::Evidence, DocAt)> = candidates
            .into_iter()
            .filter(|&at| Some(at) != subject.at && wish.filter.takes(at))
            .filter(|&at| value == 0 || self.snapshot.document(at).value() != value)
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
        found.truncate(wish.limit.unwrap_or(usize::MAX));
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
        self.check()?;
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
        let leader = self.snapshot.leader(at, self.stop, self.scratch)?;
        let passages = match (&subject.text, passages) {
            (Some(query), true) if self.index.settings().texts => {
                let stored = document.text(self.texts)?;
                let settings = self.index.settings().of_whole_texts();
                Some(compare_texts(query, stored, &settings)?.comparison().passages)
            }
            _ => None,
        };
        Ok(QueryMatch {
            id: document.id().to_owned(),
            url: given(document.url()),
            date: given(document.date()),
            sweep: self.sweeps.get(&document.sweep()).cloned(),
            resemblance: counts.resemblance(),
            query_in_document: counts.containment_a_in_b(),
            document_in_query: counts.containment_b_in_a(),
            cosine: counts.cosine(),
            shared: counts.shared,
            size: counts.b,
            kept: leader == Some(at),
            cluster: self.snapshot.document(leader.unwrap_or(at)).id().to_owned(),
            method,
            passages,
        })
    }
}

/// # Errors
/// [`IndexError::Interrupted`], if the caller wants to stop.
pub(super) fn check(stop: Stop<'_>) -> Result<(), LookalikeError> {
    if stop() { Err(IndexError::Interrupted.into()) } else { Ok(()) }
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
