//! What an index should hold, by definition: its documents, which of them are kept, and the answers
//! to questions, all from the texts and without an index.

use lookalike_cluster::{KeepRule, Needs};
use lookalike_core::{
    CommonElements, Measure, Overlap, SetDigest, TextDigest, TokenDigest, features, fingerprint,
    overlap,
};
use lookalike_index::{
    Ask, AskOptions, Description, DocAt, DocNumber, DocumentBatch, DocumentView, LeanDescription,
    LiveSegment, MakeSets, NEVER, QueryScratch, QuerySet, Question, SetMaker, Snapshot,
};
use proptest::prelude::*;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Documents with fewer features match only documents with the same words.
const FEWEST: usize = 2;

/// One feature for each distinct word.
fn set_of(text: &str) -> Vec<u64> {
    let set: BTreeSet<u64> = text
        .split_whitespace()
        .map(|word| fingerprint::finalise(fingerprint::token(word.as_bytes())))
        .collect();
    set.into_iter().collect()
}

fn sequence_of(text: &str) -> TokenDigest {
    let tokens: Vec<u64> =
        text.split_whitespace().map(|word| fingerprint::token(word.as_bytes())).collect();
    TokenDigest::of(&tokens)
}

struct Words;

impl SetMaker for Words {
    fn make(&mut self, text: &str, _: &[u8], set: &mut Vec<u64>) -> Option<SetDigest> {
        *set = set_of(text);
        features::digest(set)
    }
}

pub(crate) fn makers() -> MakeSets {
    Arc::new(|| Box::new(Words))
}

/// A document of the model.
#[derive(Debug, Clone)]
pub(crate) struct Document {
    pub(crate) id: String,
    pub(crate) sweep: u32,
    words: String,
    /// Value of the keep rules that compare one.
    score: f64,
    set: Vec<u64>,
    sequence: TokenDigest,
    /// Place in the order of first addition.
    pub(crate) first: u32,
    pub(crate) number: u32,
}

impl Document {
    pub(crate) fn new(id: &str, sweep: u32, words: &str, score: f64) -> Self {
        Self {
            id: id.to_owned(),
            sweep,
            words: words.to_owned(),
            score,
            set: set_of(words),
            sequence: sequence_of(words),
            first: 0,
            number: 0,
        }
    }

    fn few(&self) -> bool {
        self.set.len() < FEWEST
    }

    fn url(&self) -> String {
        format!("http://{}/", self.id)
    }

    fn keep(&self, rules: &[KeepRule]) -> Vec<f64> {
        let value = |rule: &KeepRule| match rule.needs() {
            Needs::Order => 0.0,
            Needs::Text => self.words.len() as f64,
            _ => self.score,
        };
        rules.iter().map(value).collect()
    }

    pub(crate) fn push_to(&self, rules: &[KeepRule], batch: &mut DocumentBatch) {
        let few = self.few();
        let unit = match (self.set.is_empty(), few) {
            (true, _) => None,
            (false, true) => Some(SetDigest(self.sequence.0)),
            (false, false) => features::digest(&self.set),
        };
        batch.push(&DocumentView {
            number: DocNumber(0),
            first: DocNumber(0),
            sweep: self.sweep,
            expires: 0,
            id: &self.id,
            url: &self.url(),
            date: "",
            extra: b"",
            tokens: 1,
            text_bytes: self.words.len() as u64,
            text: TextDigest::of(self.words.as_bytes()),
            sequence: self.sequence,
            keep: &self.keep(rules),
            unit,
            reason: u8::from(self.set.is_empty()),
            few,
            set: &self.set,
            content: &self.words,
            signatures: &[],
        });
    }
}

/// The documents that are there.
#[derive(Debug, Clone, Default)]
pub(crate) struct Model {
    pub(crate) documents: BTreeMap<(String, u32), Document>,
    next: u32,
}

impl Model {
    pub(crate) fn add(&mut self, mut document: Document) {
        document.number = self.next;
        self.next += 1;
        let key = (document.id.clone(), document.sweep);
        let earlier = self.documents.get(&key);
        document.first = earlier.map_or(document.number, |earlier| earlier.first);
        self.documents.insert(key, document);
    }
}

/// The rules of an index.
#[derive(Debug, Clone)]
pub(crate) struct Rules {
    pub(crate) measure: Measure,
    pub(crate) threshold: String,
    pub(crate) keep: Vec<String>,
    pub(crate) texts: bool,
    /// The lowest threshold of a lean index, and the words of its common elements.
    pub(crate) lean: Option<(String, String)>,
}

impl Rules {
    pub(crate) fn rules(&self) -> Vec<KeepRule> {
        self.keep.iter().map(|rule| rule.parse().unwrap()).collect()
    }

    pub(crate) fn description(&self) -> Description {
        let new =
            Description::new(self.measure, &self.threshold, &self.keep, serde_json::json!({}));
        let lean = self.lean.as_ref().map(|(threshold, common)| {
            LeanDescription::new(threshold, CommonElements::new(set_of(common)))
        });
        Description { texts: self.texts, lean, ..new }
    }

    /// Whether `a` takes precedence over `b`.
    fn order(&self, rules: &[KeepRule], a: &Document, b: &Document) -> Ordering {
        let by_size = match self.measure {
            Measure::Containment => b.set.len().cmp(&a.set.len()),
            _ => Ordering::Equal,
        };
        let (of_a, of_b) = (a.keep(rules), b.keep(rules));
        let by_rule = |(at, rule): (usize, &KeepRule)| match rule.to_string().as_str() {
            "first" => a.first.cmp(&b.first),
            _ => rule.compare(of_a[at], of_b[at]),
        };
        let by_rules = rules.iter().enumerate().map(by_rule).find(|order| order.is_ne());
        by_size
            .then(by_rules.unwrap_or(Ordering::Equal))
            .then_with(|| a.id.cmp(&b.id))
            .then(a.first.cmp(&b.first))
    }

    fn matches(&self, later: &Document, earlier: &Document) -> bool {
        if later.few() || earlier.few() {
            return !later.set.is_empty() && later.sequence == earlier.sequence;
        }
        let (a, b) = (&later.set, &earlier.set);
        let counts = Overlap { shared: overlap(a, b), a: a.len() as u32, b: b.len() as u32 };
        self.measure.reaches(self.threshold.parse().unwrap(), counts)
    }
}

/// What an index says of its documents.
#[derive(Debug)]
pub(crate) struct Expected {
    /// In the order of first addition.
    rows: Vec<Row>,
}

#[derive(Debug)]
struct Row {
    document: Document,
    /// The kept documents that precede it and match it, in order of precedence, by first addition.
    witnesses: Vec<u32>,
    /// The documents of its cluster, if it is kept.
    members: BTreeSet<u32>,
}

impl Expected {
    /// Leader clustering of all documents.
    pub(crate) fn of(model: &Model, rules: &Rules) -> Self {
        let keep = rules.rules();
        let mut order: Vec<&Document> = model.documents.values().collect();
        order.sort_by(|a, b| rules.order(&keep, a, b));
        let mut kept: Vec<&Document> = Vec::new();
        let mut rows: BTreeMap<u32, Row> = BTreeMap::new();
        for document in order {
            let matching = kept.iter().filter(|kept| rules.matches(document, kept));
            let witnesses: Vec<u32> = matching.map(|kept| kept.first).collect();
            let leader = witnesses.first().copied().unwrap_or(document.first);
            if witnesses.is_empty() {
                kept.push(document);
            }
            let document = document.clone();
            let first = document.first;
            rows.insert(first, Row { document, witnesses, members: BTreeSet::new() });
            rows.get_mut(&leader).unwrap().members.insert(first);
        }
        Self { rows: rows.into_values().collect() }
    }

    /// Number of documents.
    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Compares everything that a snapshot says.
    pub(crate) fn check(&self, snapshot: &Snapshot) -> Result<(), TestCaseError> {
        let mut scratch = QueryScratch::new(makers()());
        let order = snapshot.in_order();
        let found: Vec<(&str, u32, u32, u32)> = order
            .iter()
            .map(|&at| {
                let document = snapshot.document(at);
                (document.id(), document.sweep(), document.first().0, document.number().0)
            })
            .collect();
        let documents = self.rows.iter().map(|row| &row.document);
        let wanted: Vec<(&str, u32, u32, u32)> =
            documents.map(|d| (&*d.id, d.sweep, d.first, d.number)).collect();
        prop_assert_eq!(found, wanted);
        prop_assert_eq!(snapshot.len() as usize, self.len());
        let kept = self.rows.iter().filter(|row| row.witnesses.is_empty()).count();
        prop_assert_eq!(snapshot.kept() as usize, kept);
        for (&at, Row { document, witnesses, members }) in order.iter().zip(&self.rows) {
            let first = |at: DocAt| snapshot.document(at).first().0;
            prop_assert_eq!(snapshot.is_kept(at), witnesses.is_empty(), "{:?}", document);
            let found = snapshot.witness(at, NEVER, &mut scratch).unwrap();
            prop_assert_eq!(found.map(first), witnesses.first().copied());
            prop_assert_eq!(&snapshot.set(at, &mut scratch).unwrap(), &document.set);
            prop_assert_eq!(snapshot.with_id_in(&document.id, document.sweep), Some(at));
            prop_assert_eq!(snapshot.numbered(DocNumber(document.number)), Some(at));
            prop_assert!(snapshot.with_url(&document.url()).contains(&at));
            prop_assert_eq!(snapshot.relies_on(at).is_some(), !witnesses.is_empty());
            if let Some(relied) = snapshot.relies_on(at) {
                let relied = snapshot.numbered(relied).map(first);
                prop_assert!(relied.is_some_and(|relied| witnesses.contains(&relied)));
            }
            if witnesses.is_empty() {
                let cluster = snapshot.cluster(at, NEVER, &mut scratch).unwrap();
                prop_assert_eq!(&cluster.into_iter().map(first).collect::<BTreeSet<_>>(), members);
            }
        }
        Ok(())
    }

    /// The documents that answer a question about a text, by first addition.
    pub(crate) fn answer(&self, question: Question, text: &str) -> Vec<u32> {
        let (set, sequence) = (set_of(text), sequence_of(text));
        let mut found = Vec::new();
        for Row { document, .. } in &self.rows {
            let stored = &document.set;
            let (a, b) = (set.len() as u32, stored.len() as u32);
            let counts = Overlap { shared: overlap(&set, stored), a, b };
            let comparable = match set.len() < FEWEST {
                true => sequence == document.sequence,
                false => !document.few(),
            };
            let value = match question.ask {
                Ask::Resembles => counts.resemblance(),
                Ask::Cosine => counts.cosine(),
                Ask::Containing => counts.containment_a_in_b(),
                Ask::ContainedIn => counts.containment_b_in_a(),
            };
            let least: f64 = question.threshold.to_string().parse().unwrap();
            if comparable && counts.shared > 0 && value >= least - 1e-12 {
                found.push(document.first);
            }
        }
        found
    }

    /// Compares the answers to a question about a text: all, the best ones, and the kept ones.
    pub(crate) fn check_answer(
        &self,
        snapshot: &Snapshot,
        question: Question,
        text: &str,
    ) -> Result<(), TestCaseError> {
        let mut scratch = QueryScratch::new(makers()());
        let wanted = self.answer(question, text);
        let mut ask = |options: AskOptions<'_>| {
            let set = set_of(text);
            let few = set.len() < FEWEST;
            let query = QuerySet { set: &set, few, sequence: sequence_of(text), value: 0 };
            snapshot.ask(question, query, options, &mut scratch).unwrap()
        };
        let first = |at: DocAt| snapshot.document(at).first().0;
        let answer = ask(AskOptions::default());
        let best: Vec<u32> = answer.matches.iter().map(|found| first(found.at)).collect();
        prop_assert_eq!(answer.total.at_least, best.len() as u64);
        let mut found = best.clone();
        found.sort_unstable();
        prop_assert_eq!(&found, &wanted, "{:?}", question);
        // With a limit the same documents come first.
        for limit in [1, 3] {
            let answer = ask(AskOptions { limit: Some(limit), ..AskOptions::default() });
            let limited: Vec<u32> = answer.matches.iter().map(|m| first(m.at)).collect();
            prop_assert_eq!(&limited[..], &best[..limit.min(best.len())]);
        }
        let kept = |live: &LiveSegment, local: u32| live.is_kept(local);
        let answer = ask(AskOptions { wanted: &kept, ..AskOptions::default() });
        let only: BTreeSet<u32> = answer.matches.iter().map(|found| first(found.at)).collect();
        let kept = self.rows.iter().filter(|row| row.witnesses.is_empty());
        let kept = kept.map(|row| row.document.first);
        let kept: BTreeSet<u32> = kept.filter(|first| wanted.contains(first)).collect();
        prop_assert_eq!(only, kept);
        Ok(())
    }
}
