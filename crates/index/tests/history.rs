//! Random histories of adds, updates, deletes, merges and reopenings, against the documents that
//! are there: everything that an index says equals what follows from them by definition.

#![allow(clippy::unwrap_used)]

mod model;

use lookalike_core::Measure;
use lookalike_index::{
    Ask, Description, Disk, DocumentBatch, IndexError, IndexReader, IndexWriter, Question,
};
use lookalike_testing::failing_disk::FailingDisk;
use model::{Document, Expected, Model, Rules, makers};
use proptest::prelude::*;
use std::path::Path;
use std::sync::Arc;

#[derive(Debug, Clone)]
enum Step {
    /// Documents, and how many are staged together.
    Add(Vec<(String, u32, String, u32)>, usize),
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
        5 => (prop::collection::vec(document, 1..9), prop::sample::select(&[3usize, 9][..]))
            .prop_map(|(documents, group)| Step::Add(documents, group)),
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
    let lean = prop::option::of((0usize..3, text()));
    (measure, threshold, keep, any::<bool>(), lean).prop_map(
        |(measure, threshold, keep, texts, lean)| Rules {
            measure,
            threshold: threshold.to_owned(),
            keep: keep.into_iter().map(str::to_owned).collect(),
            texts,
            lean: lean.and_then(|(part, common)| Some((lowest(measure, threshold, part)?, common))),
        },
    )
}

/// The lowest threshold of a lean index that can decide by these rules which documents it keeps.
fn lowest(measure: Measure, threshold: &str, part: usize) -> Option<String> {
    let below = [1.0, 0.9, 0.4][part];
    let thousandths = 1000.0 * below * threshold.parse::<f64>().unwrap();
    let lowest = match measure {
        Measure::Resemblance => thousandths.floor(),
        Measure::Cosine => (thousandths * threshold.parse::<f64>().unwrap()).floor(),
        Measure::Containment => return None,
    };
    Some(format!("{}", lowest / 1000.0))
}

/// Whether an index answers a question: a lean one, if each match shares the lowest threshold of
/// its own elements with the query.
fn answers(rules: &Rules, ask: Ask, threshold: f64) -> bool {
    let Some((lowest, _)) = &rules.lean else { return true };
    let lowest: f64 = lowest.parse().unwrap();
    match ask {
        Ask::Resembles | Ask::ContainedIn => threshold >= lowest,
        Ask::Cosine => threshold * threshold >= lowest - 1e-12,
        Ask::Containing => false,
    }
}

fn open(disk: &FailingDisk, rules: &Rules) -> IndexWriter {
    let disk: Arc<dyn Disk> = Arc::new(disk.clone());
    let dir = Path::new("/index");
    let description = Description::read(&*disk, dir).unwrap();
    description.expect(dir, &rules.description()).unwrap();
    IndexWriter::open(disk, dir, description, makers()).unwrap()
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
                Step::Add(documents, group) => {
                    // Several segments in a commit, and updates of documents of the same commit.
                    for documents in documents.chunks(group) {
                        let mut batch = DocumentBatch::default();
                        for (id, sweep, words, score) in documents {
                            let score = if *score == 0 { f64::NAN } else { f64::from(*score) };
                            let document = Document::new(id, *sweep, words, score);
                            document.push_to(&keep, &mut batch);
                            model.add(document);
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
                    let mut batch = DocumentBatch::default();
                    Document::new("z", 0, &words, 1.0).push_to(&keep, &mut batch);
                    writer.stage(&[batch]).unwrap();
                    writer.abandon().unwrap();
                }
            }
            let expected = Expected::of(&model, &rules);
            expected.check(writer.snapshot())?;
            let snapshot = reader.refresh().unwrap();
            prop_assert_eq!(snapshot.commit(), writer.snapshot().commit());
            expected.check(&snapshot)?;
        }
        let expected = Expected::of(&model, &rules);
        for ask in [Ask::Resembles, Ask::Cosine, Ask::Containing, Ask::ContainedIn] {
            for threshold in ["0.2", "0.5", "0.75", "1"] {
                let question = Question { ask, threshold: threshold.parse().unwrap() };
                if !answers(&rules, ask, threshold.parse().unwrap()) {
                    let refused = writer.snapshot().check_question(question);
                    let is_refused = matches!(refused, Err(IndexError::Lean { .. }));
                    prop_assert!(is_refused);
                    continue;
                }
                expected.check_answer(writer.snapshot(), question, &query)?;
            }
        }
        prop_assert_eq!(writer.snapshot().check(Some(&makers())), Vec::<String>::new());
    }
}
