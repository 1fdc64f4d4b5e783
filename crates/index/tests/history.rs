//! Random histories of adds, updates, deletes, merges and reopenings, against the documents that
//! are there: everything that an index says equals what follows from them by definition.

#![allow(clippy::unwrap_used)]

use lookalike_cluster::{KeepRule, precedence};
use lookalike_core::{Measure, Overlap, TextDigest, TokenDigest, features, fingerprint, overlap};
use lookalike_index::testing::FailingDisk;
use lookalike_index::{
    Ask, AskOptions, Description, Disk, DocAt, DocNumber, DocumentBatch, DocumentView, IndexReader,
    IndexWriter, LiveSegment, MakeSets, QueryScratch, QuerySet, Question, SetMaker, Snapshot,
};
use proptest::prelude::*;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
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
    fn make(&mut self, text: &str, set: &mut Vec<u64>) {
        *set = set_of(text);
    }
}

fn makers() -> MakeSets {
    Arc::new(|| Box::new(Words))
}

/// A document of the model.
#[derive(Debug, Clone)]
struct Document {
    id: String,
    sweep: u32,
    words: String,
    score: f64,
    /// Place in the order of first addition.
    first: u32,
    number: u32,
}

impl Document {
    fn set(&self) -> Vec<u64> {
        set_of(&self.words)
    }

    fn few(&self) -> bool {
        self.set().len() < FEWEST
    }

    fn keep(&self, rules: &[KeepRule]) -> Vec<f64> {
        let value = |rule: &KeepRule| match rule {
            KeepRule::First => 0.0,
            KeepRule::Longest | KeepRule::Shortest => self.words.len() as f64,
            _ => self.score,
        };
        rules.iter().map(value).collect()
    }

    fn push_to(&self, rules: &[KeepRule], batch: &mut DocumentBatch) {
        let set = self.set();
        let few = self.few();
        let unit = match (set.is_empty(), few) {
            (true, _) => None,
            (false, true) => Some(lookalike_core::SetDigest(sequence_of(&self.words).0)),
            (false, false) => features::digest(&set),
        };
        batch.push(&DocumentView {
            number: DocNumber(0),
            first: DocNumber(0),
            sweep: self.sweep,
            expires: 0,
            id: &self.id,
            url: &format!("http://{}/", self.id),
            date: "",
            extra: b"",
            tokens: 1,
            text_bytes: self.words.len() as u64,
            text: TextDigest::of(self.words.as_bytes()),
            sequence: sequence_of(&self.words),
            keep: &self.keep(rules),
            unit,
            reason: u8::from(set.is_empty()),
            few,
            set: &set,
            content: &self.words,
            signatures: &[],
        });
    }
}

/// The documents that are there.
#[derive(Default)]
struct Model {
    documents: BTreeMap<(String, u32), Document>,
    next: u32,
}

impl Model {
    fn add(&mut self, mut document: Document) -> Document {
        document.number = self.next;
        self.next += 1;
        let key = (document.id.clone(), document.sweep);
        let earlier = self.documents.get(&key);
        document.first = earlier.map_or(document.number, |earlier| earlier.first);
        self.documents.insert(key, document.clone());
        document
    }

    fn in_order(&self) -> Vec<&Document> {
        let mut all: Vec<&Document> = self.documents.values().collect();
        all.sort_by_key(|document| document.first);
        all
    }
}

/// The rules of an index.
#[derive(Debug, Clone)]
struct Rules {
    measure: Measure,
    threshold: String,
    keep: Vec<String>,
    texts: bool,
}

impl Rules {
    fn rules(&self) -> Vec<KeepRule> {
        self.keep.iter().map(|rule| rule.parse().unwrap()).collect()
    }

    fn description(&self) -> Description {
        let new =
            Description::new(self.measure, &self.threshold, &self.keep, serde_json::json!({}));
        Description { texts: self.texts, ..new }
    }

    /// Whether `a` takes precedence over `b`.
    fn order(&self, a: &Document, b: &Document) -> Ordering {
        let by_size = match self.measure {
            Measure::Containment => b.set().len().cmp(&a.set().len()),
            _ => Ordering::Equal,
        };
        let rules = self.rules();
        let (of_a, of_b) = (a.keep(&rules), b.keep(&rules));
        let by_rule = |(at, rule): (usize, &KeepRule)| match rule {
            KeepRule::First => a.first.cmp(&b.first),
            _ => precedence(rule, of_a[at], of_b[at]),
        };
        let by_rules = rules.iter().enumerate().map(by_rule).find(|order| order.is_ne());
        by_size
            .then(by_rules.unwrap_or(Ordering::Equal))
            .then_with(|| a.id.cmp(&b.id))
            .then(a.first.cmp(&b.first))
    }

    fn matches(&self, later: &Document, earlier: &Document) -> bool {
        if later.few() || earlier.few() {
            return !later.set().is_empty()
                && sequence_of(&later.words) == sequence_of(&earlier.words);
        }
        let (a, b) = (later.set(), earlier.set());
        let counts = Overlap { shared: overlap(&a, &b), a: a.len() as u32, b: b.len() as u32 };
        self.measure.reaches(self.threshold.parse().unwrap(), counts)
    }

    /// Leader clustering of all documents: for each, by first addition, its first kept match.
    fn leaders(&self, model: &Model) -> BTreeMap<u32, Option<u32>> {
        let mut order: Vec<&Document> = model.documents.values().collect();
        order.sort_by(|a, b| self.order(a, b));
        let mut kept: Vec<&Document> = Vec::new();
        let mut leaders = BTreeMap::new();
        for document in order {
            let witness = kept.iter().find(|kept| self.matches(document, kept));
            leaders.insert(document.first, witness.map(|witness| witness.first));
            if witness.is_none() {
                kept.push(document);
            }
        }
        leaders
    }
}

#[derive(Debug, Clone)]
enum Step {
    Add(Vec<(String, u32, String, u32)>),
    Delete(Vec<prop::sample::Index>),
    Compact,
    Reopen,
    Abandon(String),
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        // Families of near texts.
        5 => (prop::sample::select(&["a b c d e f g h", "k l m n o p q r s t", "a b c d m n"][..]),
              prop::collection::vec("[a-z]", 0..3))
            .prop_map(|(base, more)| format!("{base} {}", more.join(" "))),
        2 => "([a-f] ){0,6}",
        1 => "([a-z]{2} ){0,9}",
    ]
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let document = ("[a-h]{1,2}", 0u32..2, text(), 0u32..4);
    let step = prop_oneof![
        5 => prop::collection::vec(document, 1..9).prop_map(Step::Add),
        3 => prop::collection::vec(any::<prop::sample::Index>(), 1..6).prop_map(Step::Delete),
        1 => Just(Step::Compact),
        1 => Just(Step::Reopen),
        1 => text().prop_map(Step::Abandon),
    ];
    prop::collection::vec(step, 1..24)
}

fn rules() -> impl Strategy<Value = Rules> {
    let measure =
        prop::sample::select(&[Measure::Resemblance, Measure::Containment, Measure::Cosine][..]);
    let threshold = prop::sample::select(&["0.3", "0.5", "0.7", "0.8", "1"][..]);
    const RULES: [&str; 7] = ["first", "longest", "shortest", "newest", "oldest", "max:x", "min:x"];
    let keep = prop::collection::vec(prop::sample::select(&RULES[..]), 0..3);
    (measure, threshold, keep, any::<bool>()).prop_map(|(measure, threshold, keep, texts)| Rules {
        measure,
        threshold: threshold.to_owned(),
        keep: keep.into_iter().map(str::to_owned).collect(),
        texts,
    })
}

fn open(disk: &FailingDisk, rules: &Rules) -> IndexWriter {
    let disk: Arc<dyn Disk> = Arc::new(disk.clone());
    let dir = Path::new("/index");
    let description = Description::read(&*disk, dir).unwrap();
    description.expect(dir, &rules.description()).unwrap();
    IndexWriter::open(disk, dir, description, makers()).unwrap()
}

/// Everything that a snapshot says, against the model.
fn check(snapshot: &Snapshot, model: &Model, rules: &Rules) -> Result<(), TestCaseError> {
    let mut scratch = QueryScratch::new(makers()());
    let expected = model.in_order();
    let order = snapshot.in_order();
    let found: Vec<(&str, u32, u32, u32)> = order
        .iter()
        .map(|&at| {
            let document = snapshot.document(at);
            (document.id(), document.sweep(), document.first().0, document.number().0)
        })
        .collect();
    let wanted: Vec<(&str, u32, u32, u32)> =
        expected.iter().map(|d| (&*d.id, d.sweep, d.first, d.number)).collect();
    prop_assert_eq!(found, wanted);
    prop_assert_eq!(snapshot.len() as usize, expected.len());
    let leaders = rules.leaders(model);
    let kept = leaders.values().filter(|witness| witness.is_none()).count();
    prop_assert_eq!(snapshot.kept() as usize, kept);
    for (&at, document) in order.iter().zip(&expected) {
        let witness = leaders[&document.first];
        prop_assert_eq!(snapshot.is_kept(at), witness.is_none(), "{:?}", document);
        let found = snapshot.witness(at, &mut scratch).unwrap();
        prop_assert_eq!(found.map(|at| snapshot.document(at).first().0), witness);
        prop_assert_eq!(snapshot.set(at, &mut scratch).unwrap(), document.set());
        prop_assert_eq!(snapshot.with_id_in(&document.id, document.sweep), Some(at));
        prop_assert_eq!(snapshot.numbered(DocNumber(document.number)), Some(at));
        let url = format!("http://{}/", document.id);
        prop_assert!(snapshot.with_url(&url).contains(&at));
        if let Some(relied) = snapshot.relies_on(at) {
            let relied = snapshot.numbered(relied).expect("it is there");
            prop_assert!(snapshot.is_kept(relied));
        }
        if witness.is_none() {
            let members: BTreeSet<u32> = snapshot
                .cluster(at, &mut scratch)
                .unwrap()
                .into_iter()
                .map(|at| snapshot.document(at).first().0)
                .collect();
            let own = |(first, witness): (&u32, &Option<u32>)| {
                (*first == document.first || *witness == Some(document.first)).then_some(*first)
            };
            prop_assert_eq!(members, leaders.iter().filter_map(own).collect::<BTreeSet<u32>>());
        }
    }
    Ok(())
}

/// Answers to questions about a text, against the definitions.
fn check_answers(snapshot: &Snapshot, model: &Model, text: &str) -> Result<(), TestCaseError> {
    let mut scratch = QueryScratch::new(makers()());
    let set = set_of(text);
    let few = set.len() < FEWEST;
    let query = QuerySet { set: &set, few, sequence: sequence_of(text) };
    for ask in [Ask::Resembles, Ask::Cosine, Ask::Containing, Ask::ContainedIn] {
        for threshold in ["0.2", "0.5", "0.75", "1"] {
            let question = Question { ask, threshold: threshold.parse().unwrap() };
            let mut wanted: Vec<u32> = Vec::new();
            for document in model.documents.values() {
                let stored = document.set();
                let counts = Overlap {
                    shared: overlap(&set, &stored),
                    a: set.len() as u32,
                    b: stored.len() as u32,
                };
                let comparable = match few {
                    true => sequence_of(text) == sequence_of(&document.words),
                    false => !document.few(),
                };
                let p: f64 = threshold.parse().unwrap();
                let value = match ask {
                    Ask::Resembles => counts.resemblance(),
                    Ask::Cosine => counts.cosine(),
                    Ask::Containing => counts.containment_a_in_b(),
                    Ask::ContainedIn => counts.containment_b_in_a(),
                };
                if comparable && counts.shared > 0 && value >= p - 1e-12 {
                    wanted.push(document.first);
                }
            }
            wanted.sort_unstable();
            let answer =
                snapshot.ask(question, query, AskOptions::default(), &mut scratch).unwrap();
            let first = |at: DocAt| snapshot.document(at).first().0;
            let mut found: Vec<u32> = answer.matches.iter().map(|found| first(found.at)).collect();
            prop_assert_eq!(answer.total.at_least, found.len() as u64);
            let best: Vec<u32> = found.clone();
            found.sort_unstable();
            prop_assert_eq!(&found, &wanted, "{:?} {}", ask, threshold);
            // With a limit the same documents come first.
            for limit in [1, 3] {
                let options = AskOptions { limit: Some(limit), ..AskOptions::default() };
                let answer = snapshot.ask(question, query, options, &mut scratch).unwrap();
                let limited: Vec<u32> = answer.matches.iter().map(|m| first(m.at)).collect();
                prop_assert_eq!(&limited[..], &best[..limit.min(best.len())]);
            }
            let kept = |live: &LiveSegment, local: u32| live.is_kept(local);
            let options = AskOptions { wanted: &kept, ..AskOptions::default() };
            let answer = snapshot.ask(question, query, options, &mut scratch).unwrap();
            let only: BTreeSet<u32> = answer.matches.iter().map(|found| first(found.at)).collect();
            let all = snapshot.documents().filter(|&at| snapshot.is_kept(at)).map(first);
            let all: BTreeSet<u32> = all.filter(|first| wanted.contains(first)).collect();
            prop_assert_eq!(only, all);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]
    #[test]
    fn an_index_is_what_its_documents_are(rules in rules(), steps in steps(), query in text()) {
        let disk = FailingDisk::new();
        let dir = Path::new("/index");
        let shared: Arc<dyn Disk> = Arc::new(disk.clone());
        let mut writer =
            IndexWriter::create(Arc::clone(&shared), dir, rules.description(), makers()).unwrap();
        let reader =
            IndexReader::open(Arc::clone(&shared), dir, rules.description(), makers()).unwrap();
        let mut model = Model::default();
        let keep = rules.rules();
        for step in steps {
            match step {
                Step::Add(documents) => {
                    // Several segments in a commit, and updates of documents of the same commit.
                    for documents in documents.chunks(3) {
                        let mut batch = DocumentBatch::default();
                        for (id, sweep, words, score) in documents.iter().cloned() {
                            let score = if score == 0 { f64::NAN } else { f64::from(score) };
                            let document =
                                Document { id, sweep, words, score, first: 0, number: 0 };
                            model.add(document).push_to(&keep, &mut batch);
                        }
                        writer.stage(&[batch]).unwrap();
                    }
                    let segments = writer.snapshot().segments().len();
                    let done = writer.commit().unwrap();
                    prop_assert!(writer.snapshot().segments().len() <= segments + 1);
                    writer.merge_where_due().unwrap();
                    prop_assert_eq!(done.documents as usize, model.documents.len());
                }
                Step::Delete(which) => {
                    let order: Vec<(String, u32)> = model.documents.keys().cloned().collect();
                    if order.is_empty() { continue; }
                    let snapshot = Arc::clone(writer.snapshot());
                    for index in which {
                        let (id, sweep) = index.get(&order);
                        let gone = model.documents.remove(&(id.clone(), *sweep)).is_some();
                        let at = snapshot.with_id_in(id, *sweep).expect("it was there");
                        prop_assert_eq!(writer.delete(at), gone);
                    }
                    writer.commit().unwrap();
                    writer.merge_where_due().unwrap();
                }
                Step::Compact => {
                    writer.compact().unwrap();
                    prop_assert!(writer.snapshot().segments().len() <= 1);
                }
                Step::Reopen => {
                    drop(writer);
                    writer = open(&disk, &rules);
                }
                Step::Abandon(words) => {
                    let document =
                        Document { id: "z".into(), sweep: 0, words, score: 1.0, first: 0, number: 0 };
                    let mut batch = DocumentBatch::default();
                    document.push_to(&keep, &mut batch);
                    writer.stage(&[batch]).unwrap();
                    writer.abandon().unwrap();
                }
            }
            check(writer.snapshot(), &model, &rules)?;
            let snapshot = reader.refresh().unwrap();
            prop_assert_eq!(snapshot.commit(), writer.snapshot().commit());
            check(&snapshot, &model, &rules)?;
        }
        check_answers(writer.snapshot(), &model, &query)?;
        for live in writer.snapshot().segments() {
            prop_assert_eq!(live.segment().check(Some(&mut Words)), Vec::<String>::new());
        }
    }
}
