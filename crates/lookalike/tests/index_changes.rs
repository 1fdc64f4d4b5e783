//! Changes of one commit: outcomes equal a model of ids and texts with brute-force comparisons, and
//! the index that they leave equals one to which the documents are added one at a time.

#![allow(clippy::unwrap_used)]

use lookalike::sweeps::{PageVersion, SweepStats};
use lookalike::{
    Index, IndexWriter, Record, Settings, Silent, Source,
    index::{
        AddOptions, ApplyOptions, ChangeOutcome, DuplicateOf, IndexChange, IndexSettings, Put,
        Query, QuerySubject, Wanted, check_index, copy_index,
    },
};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// A put of an id and a text, or a delete of an id.
#[derive(Debug, Clone)]
enum Step {
    Put { id: String, text: String, only_new: bool, unless: Option<u32> },
    Delete(String),
    Bad,
}

impl Step {
    fn change(&self) -> IndexChange {
        match self {
            Self::Delete(id) => IndexChange::delete(id),
            Self::Bad => IndexChange::put("{\"text\": \"a document without an id\"}"),
            Self::Put { id, text, only_new, unless } => IndexChange::Put(Put {
                line: format!("{{\"id\": \"{id}\", \"text\": \"{text}\"}}"),
                only_new: *only_new,
                unless_duplicate: unless.map(|percent| format!("{}", f64::from(percent) / 100.0)),
                sweep: None,
            }),
        }
    }
}

fn steps() -> impl Strategy<Value = Vec<Vec<Step>>> {
    let words = prop::collection::vec(prop::sample::select(&["a", "b", "c"][..]), 2..9);
    let text = words.prop_map(|words| words.join(" "));
    let unless = prop::option::of(prop::sample::select(&[50u32, 67, 80, 100][..]));
    let put = ("[a-f]", text, any::<bool>(), unless)
        .prop_map(|(id, text, only_new, unless)| Step::Put { id, text, only_new, unless });
    let step = prop_oneof![6 => put, 2 => "[a-f]".prop_map(Step::Delete), 1 => Just(Step::Bad)];
    prop::collection::vec(prop::collection::vec(step, 0..8), 1..6)
}

/// Shingles of two words.
fn shingles(text: &str) -> BTreeSet<(&str, &str)> {
    let words: Vec<&str> = text.split(' ').collect();
    words.windows(2).map(|pair| (pair[0], pair[1])).collect()
}

/// Shared shingles, and those of each.
fn counts(a: &str, b: &str) -> (usize, usize, usize) {
    let (a, b) = (shingles(a), shingles(b));
    (a.intersection(&b).count(), a.len(), b.len())
}

/// What the documents would be after single changes, and what these can be compared with.
#[derive(Default)]
struct Model {
    /// Ids with their texts, in the order in which the ids were added.
    documents: Vec<(String, String)>,
    /// Ids of documents that a document may be a duplicate of.
    compared: BTreeSet<String>,
}

impl Model {
    fn step(&mut self, step: &Step, outcome: &ChangeOutcome) -> Result<(), TestCaseError> {
        let (id, text, only_new, unless) = match step {
            Step::Bad => {
                let reason = ChangeOutcome::Problem("a document needs an id".into());
                prop_assert_eq!(outcome, &reason);
                return Ok(());
            }
            Step::Delete(id) => {
                let before = self.documents.len();
                self.documents.retain(|(own, _)| own != id);
                self.compared.remove(id);
                let deleted = self.documents.len() < before;
                let expected =
                    if deleted { ChangeOutcome::Deleted } else { ChangeOutcome::Unknown };
                prop_assert_eq!(outcome, &expected);
                return Ok(());
            }
            Step::Put { id, text, only_new, unless } => (id, text, *only_new, unless),
        };
        let known = self.documents.iter().position(|(own, _)| own == id);
        if only_new && known.is_some() {
            prop_assert_eq!(outcome, &ChangeOutcome::Exists);
            return Ok(());
        }
        let matched: BTreeMap<&str, (usize, usize, usize)> = match unless {
            None => BTreeMap::new(),
            Some(percent) => {
                let others = self.documents.iter();
                let others = others.filter(|(own, _)| own != id && self.compared.contains(own));
                let compared = others.map(|(own, other)| (own.as_str(), counts(text, other)));
                let reaches = |(shared, a, b): (usize, usize, usize)| {
                    100 * shared >= *percent as usize * (a + b - shared)
                };
                compared.filter(|(_, counts)| reaches(*counts)).collect()
            }
        };
        if !matched.is_empty() {
            let ChangeOutcome::Duplicate(DuplicateOf { id: of, shared, size, other_size, .. }) =
                outcome
            else {
                return Err(TestCaseError::fail(format!("{outcome:?} and not {matched:?}")));
            };
            let found = (*shared as usize, *size as usize, *other_size as usize);
            prop_assert_eq!(matched.get(of.as_str()), Some(&found), "{}", of);
            return Ok(());
        }
        match known {
            Some(at) => self.documents[at].1.clone_from(text),
            None => self.documents.push((id.clone(), text.clone())),
        }
        self.compared.insert(id.clone());
        let expected = if known.is_some() { ChangeOutcome::Replaced } else { ChangeOutcome::Added };
        prop_assert_eq!(outcome, &expected);
        Ok(())
    }
}

fn settings() -> IndexSettings {
    let mut settings = IndexSettings::default();
    settings.documents.shingle = lookalike::settings::Shingle::Of(2);
    settings.documents.threshold = "0.6".into();
    settings
}

/// Clusters of its members, whether it is kept, and its matches with what they share.
type Answers = (String, bool, Vec<(String, u32)>);

/// What is said of each document.
fn answers(dir: &Path) -> BTreeMap<String, Answers> {
    let index = Index::open(dir).unwrap();
    let snapshot = index.snapshot().unwrap();
    let of = |at| {
        let id = snapshot.document(at).id().to_owned();
        let mut query = Query::new(QuerySubject::Id(id.clone()));
        query.threshold = Some("0.3".into());
        let matches = index.ask(&query).unwrap().matches.into_iter();
        let matches = matches.map(|found| (found.id, found.shared)).collect();
        let mut cluster = Query::new(QuerySubject::Cluster(id.clone()));
        cluster.ask = Wanted::Cluster;
        let cluster = index.ask(&cluster).unwrap().matches.into_iter();
        let of = cluster.map(|found| found.cluster).collect::<Vec<_>>().join(" ");
        (id, (of, snapshot.is_kept(at), matches))
    };
    snapshot.documents().map(of).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn histories_of_changes_equal_single_changes(groups in steps()) {
        let folder = tempfile::tempdir().unwrap();
        let dir = |name: &str| folder.path().join(name);
        let mut index = IndexWriter::create(dir("changed"), settings(), 1).unwrap();
        let mut model = Model::default();
        for group in &groups {
            let snapshot = index.snapshot();
            let kept = snapshot.documents().filter(|&at| snapshot.is_kept(at));
            model.compared = kept.map(|at| snapshot.document(at).id().to_owned()).collect();
            let changes: Vec<IndexChange> = group.iter().map(Step::change).collect();
            let (fields, options) = (Settings::default(), ApplyOptions::default());
            let applied = index.apply(&changes, &fields, options).unwrap();
            prop_assert_eq!(applied.outcomes.len(), group.len());
            for (step, outcome) in group.iter().zip(&applied.outcomes) {
                model.step(step, outcome)?;
            }
            let changed = |outcome: &ChangeOutcome| {
                use ChangeOutcome::{Added, Deleted, Replaced};
                matches!(outcome, Added | Replaced | Deleted)
            };
            let commits = u64::from(applied.outcomes.iter().any(changed));
            prop_assert_eq!(applied.committed.commit, snapshot.commit() + commits);
            prop_assert_eq!(applied.committed.documents, model.documents.len() as u64);
        }
        drop(index);
        let mut single = IndexWriter::create(dir("single"), settings(), 1).unwrap();
        for (id, text) in &model.documents {
            let record = [Record::new(text.clone()).id(id.clone())];
            let (fields, options) = (Settings::default(), AddOptions::default());
            single.add(Source::records(record), &fields, &options, &Silent, |_| {}).unwrap();
        }
        drop(single);
        prop_assert_eq!(answers(&dir("changed")), answers(&dir("single")));
        prop_assert!(check_index(&dir("changed"), true, 1).unwrap().is_empty());
    }
}

#[test]
fn bad_changes_do_not_keep_the_others_from_being_made() {
    let folder = tempfile::tempdir().unwrap();
    let mut index = IndexWriter::create(folder.path().join("index"), settings(), 2).unwrap();
    let threshold = Put {
        line: "{\"id\": \"t\", \"text\": \"a text\"}".into(),
        unless_duplicate: Some("7".into()),
        ..Put::default()
    };
    let changes = [
        IndexChange::put("{\"id\": \"a\", \"text\": \"one fish two fish\"}"),
        IndexChange::put("no JSON"),
        IndexChange::put(""),
        IndexChange::put("{\"text\": \"no id\"}"),
        IndexChange::put("{\"id\": \"\", \"text\": \"an empty id\"}"),
        IndexChange::put("{\"id\": \"no text\"}"),
        IndexChange::put("{\"id\": \"x\", \"text\": \"a\"} {\"id\": \"y\", \"text\": \"b\"}"),
        IndexChange::put("{\"id\": \"x\", \"text\": \"a\"}\n{\"id\": \"y\", \"text\": \"b\"}"),
        IndexChange::Put(threshold),
        IndexChange::put("{\"id\": \"b\", \"text\": \"red fish blue fish\"}\n"),
    ];
    let (fields, options) = (Settings::default(), ApplyOptions::default());
    let applied = index.apply(&changes, &fields, options).unwrap();
    for (at, outcome) in applied.outcomes.iter().enumerate() {
        match at {
            0 | 9 => assert_eq!(*outcome, ChangeOutcome::Added, "{at}"),
            _ => assert!(matches!(outcome, ChangeOutcome::Problem(_)), "{at}: {outcome:?}"),
        }
    }
    assert_eq!((applied.committed.commit, applied.committed.documents), (1, 2));
    let none = index.apply(&changes[1..9], &fields, options).unwrap();
    assert_eq!((none.committed.commit, none.committed.added), (1, 0));
}

/// A document that a deleted one of the same changes was a duplicate of, in one commit.
#[test]
fn a_kept_document_of_the_same_changes_is_deleted() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("index");
    let mut index = IndexWriter::create(&dir, settings(), 2).unwrap();
    let line = |id: &str, more: &str| {
        IndexChange::put(format!("{{\"id\": \"{id}\", \"text\": \"a b c d e f {more}\"}}"))
    };
    let changes = [line("a", "x"), line("b", "x y"), line("c", "x y z"), IndexChange::delete("a")];
    let (fields, options) = (Settings::default(), ApplyOptions::default());
    index.apply(&changes, &fields, options).unwrap();
    let kept = |index: &IndexWriter| -> Vec<String> {
        let snapshot = index.snapshot();
        let kept = snapshot.documents().filter(|&at| snapshot.is_kept(at));
        kept.map(|at| snapshot.document(at).id().to_owned()).collect()
    };
    assert_eq!(kept(&index), ["b"]);
    assert!(check_index(&dir, true, 1).unwrap().is_empty());
}

/// Documents that match by their words only match across values, whose names the index has.
#[test]
fn values_are_named_as_by_add() {
    let folder = tempfile::tempdir().unwrap();
    let mut settings = settings();
    settings.documents.across = Some("source".into());
    let dir = folder.path().join("index");
    let mut index = IndexWriter::create(&dir, settings, 1).unwrap();
    let put = |id: &str, source: &str| {
        let line =
            format!("{{\"id\": \"{id}\", \"text\": \"a b c d e\", \"source\": \"{source}\"}}");
        IndexChange::Put(Put { line, unless_duplicate: Some("0.8".into()), ..Put::default() })
    };
    let changes = [put("a", "one"), put("b", "one"), put("c", "two")];
    let (fields, options) = (Settings::default(), ApplyOptions::default());
    let outcomes = index.apply(&changes, &fields, options).unwrap().outcomes;
    assert_eq!(outcomes[..2], [ChangeOutcome::Added, ChangeOutcome::Added]);
    assert!(matches!(outcomes[2], ChangeOutcome::Duplicate(_)));
    // The value of a document that is left out is not named: nothing is committed.
    let applied = index.apply(&[put("d", "three")], &fields, options).unwrap();
    assert_eq!(applied.committed.commit, 1);
}

/// A document of a sweep, or a delete of an id.
type Swept = (String, Option<&'static str>, Option<String>);

fn swept() -> impl Strategy<Value = Vec<Vec<Swept>>> {
    let words = prop::collection::vec(prop::sample::select(&["a", "b", "c"][..]), 2..6);
    let text = prop::option::weighted(0.8, words.prop_map(|words| words.join(" ")));
    let sweep = prop::sample::select(&[None, Some("may"), Some("june"), Some("july")][..]);
    prop::collection::vec(prop::collection::vec(("[a-d]", sweep, text), 1..6), 1..5)
}

/// The sweeps, and the versions of each page.
fn over_time(dir: &Path) -> (Vec<SweepStats>, Vec<Option<Vec<PageVersion>>>) {
    let index = Index::open(dir).unwrap();
    let history = |id| lookalike::sweeps::history(&index, id, 0.9, &Silent).ok();
    (index.sweeps().unwrap(), ["a", "b", "c", "d"].map(history).into())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    /// Sweeps that are entered by the same commit included.
    #[test]
    fn documents_of_sweeps_equal_those_added_sweep_by_sweep(groups in swept()) {
        let folder = tempfile::tempdir().unwrap();
        let (together, single) = (folder.path().join("together"), folder.path().join("single"));
        let mut writers =
            [&together, &single].map(|dir| IndexWriter::create(dir, settings(), 1).unwrap());
        let mut known: BTreeSet<(String, Option<&str>)> = BTreeSet::new();
        for group in groups {
            let change = |(id, sweep, text): &Swept| match text {
                None => IndexChange::delete(id),
                Some(text) => IndexChange::Put(Put {
                    line: format!("{{\"id\": \"{id}\", \"text\": \"{text}\"}}"),
                    sweep: sweep.map(|name| (name.to_owned(), None)),
                    ..Put::default()
                }),
            };
            let changes: Vec<IndexChange> = group.iter().map(change).collect();
            let applied =
                writers[0].apply(&changes, &Settings::default(), ApplyOptions::default()).unwrap();
            for ((id, sweep, text), outcome) in group.into_iter().zip(applied.outcomes) {
                let Some(text) = text else {
                    let before = known.len();
                    known.retain(|(own, _)| *own != id);
                    let deleted = known.len() < before;
                    prop_assert_eq!(outcome == ChangeOutcome::Deleted, deleted);
                    let snapshot = writers[1].snapshot();
                    writers[1].delete(&snapshot.with_id(&id));
                    writers[1].commit().unwrap();
                    continue;
                };
                let expected = match known.insert((id.clone(), sweep)) {
                    true => ChangeOutcome::Added,
                    false => ChangeOutcome::Replaced,
                };
                prop_assert_eq!(&outcome, &expected);
                let sweep = sweep.map(|name| (name.to_owned(), None));
                let options = AddOptions { sweep, ..AddOptions::default() };
                let source = Source::records([Record::new(text).id(id)]);
                writers[1].add(source, &Settings::default(), &options, &Silent, |_| {}).unwrap();
            }
            prop_assert_eq!(over_time(&together), over_time(&single));
        }
        // A copy has the sweeps and what is decided.
        let copy = folder.path().join("copy");
        copy_index(&together, &copy).unwrap();
        prop_assert_eq!(over_time(&copy), over_time(&together));
        prop_assert_eq!(answers(&copy), answers(&together));
    }
}
