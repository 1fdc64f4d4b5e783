//! Whole evaluations of collections whose truth is known because they were made so.

use lookalike::{
    Job, Record, Resources, Silent, Source,
    evaluation::{
        ClassSettings, EvaluateJob, EvaluateOptions, Evaluation, LabelColumns, LabelSource,
        TruthSource, evaluate, evaluate_in,
    },
    settings::{Measure, Terms},
};
use proptest::prelude::*;
use std::fs;
use std::path::Path;

/// A number that looks random.
fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}

/// `words` words that no text of another seed has.
fn text(seed: u64, words: u64) -> Vec<String> {
    (0..words).map(|at| format!("w{:x}", mix(seed * 1000 + at + 1))).collect()
}

/// The text with the word at `place` replaced.
fn edited(text: &[String], place: usize) -> Vec<String> {
    let mut edited = text.to_vec();
    edited[place] = format!("other{place}");
    edited
}

fn write(path: &Path, documents: &[(String, String)]) {
    let lines: Vec<String> = documents
        .iter()
        .map(|(id, text)| format!("{}\n", serde_json::json!({"id": id, "text": text})))
        .collect();
    fs::write(path, lines.concat()).expect("the folder is ours");
}

/// Families of five: an original, one that differs in case and punctuation, one with a word changed
/// in the middle (of 96 5-shingles 91 stay: 91/101 = 0.9009…), one with four changed words far
/// apart (76/116 = 0.655…), and one that resembles no other.
fn families(number: u64) -> Vec<(String, String)> {
    let mut documents = Vec::new();
    for family in 0..number {
        let original = text(family * 2 + 1, 100);
        let near = edited(&original, 50);
        let far = [10, 30, 70, 90].iter().fold(original.clone(), |text, &at| edited(&text, at));
        let mut push = |kind: &str, text: String| documents.push((format!("{kind}{family}"), text));
        push("original", original.join(" "));
        push("shouted", original.join(", ").to_uppercase());
        push("near", near.join(" "));
        push("far", far.join(" "));
        push("alone", text(family * 2 + 2, 100).join(" "));
    }
    documents
}

struct Case {
    folder: tempfile::TempDir,
    job: EvaluateJob,
}

impl Case {
    fn new(documents: &[(String, String)], methods: &[&str]) -> Self {
        let folder = tempfile::tempdir().expect("there is a temporary folder");
        let docs = folder.path().join("docs.jsonl");
        write(&docs, documents);
        let mut job = Job::new(vec![docs.display().to_string()], folder.path().join("out"));
        (job.threads, job.force, job.tables) = (2, true, lookalike::results::TableFormat::Tsv);
        let mut job = EvaluateJob::new(job);
        job.options.methods = methods.iter().map(|&method| method.to_owned()).collect();
        Self { folder, job }
    }

    fn file(&self, name: &str, content: &str) -> std::path::PathBuf {
        let path = self.folder.path().join(name);
        fs::write(&path, content).expect("the folder is ours");
        path
    }

    fn run(&self) -> Evaluation {
        evaluate(&self.job, &Silent).expect("the job makes sense").evaluation
    }

    fn refused(&self) -> String {
        evaluate(&self.job, &Silent).expect_err("the job makes no sense").to_string()
    }

    fn output(&self, name: &str) -> String {
        fs::read_to_string(self.job.job.output.join(name)).expect("it was written")
    }
}

#[test]
fn the_exact_join_is_right_and_each_equivalence_finds_its_own() {
    let case = Case::new(&families(20), &["exact", "lexical", "lexical@none", "minhash-lsh@exact"]);
    let found = case.run();
    assert_eq!((found.documents, found.truth.pairs, found.truth.clusters), (100, 60, Some(20)));
    let of = |at: usize| {
        let result = &found.methods[at];
        (result.recall.unwrap(), result.precision.unwrap(), result.pairs)
    };
    assert_eq!(of(0), (1.0, 1.0, 60));
    // Of the three true pairs of a family one is lexically equivalent.
    assert_eq!((of(1), of(2)), ((1.0 / 3.0, 1.0, 20), (1.0 / 3.0, 1.0, 20)));
    assert_eq!(of(3).1, 1.0);
    // Each copy finds one of its two duplicates, `near` none of its own.
    assert_eq!(found.methods[1].mean_recall, Some((0.5 + 0.5 + 0.0) / 3.0));
    let clusters = found.methods[0].clusters;
    assert_eq!((clusters.clusters, clusters.pure, clusters.documents), (20, Some(20), 60));
    // Equal sets at 1; 91/101 for two pairs of a family; 76/116 for original and shouted with far.
    let steps: Vec<(u64, u64)> =
        found.methods[0].deciles.iter().map(|decile| (decile.pairs, decile.found)).collect();
    assert_eq!((steps[10], steps[9], steps[6]), ((20, 20), (40, 40), (40, 0)));
    assert_eq!((steps[8], steps[7]), ((0, 0), (0, 0)));
    // near and far differ in five places: 71/121 = 0.586….
    assert_eq!(steps[5], (20, 0));
    let theory = found.methods[3].deciles[9].expected.unwrap();
    assert!(theory > 0.99 && found.methods[3].theory.len() == 51, "{theory}");
    assert_eq!(
        found.methods[3].deciles[6].expected,
        Some(0.0),
        "exact verification turns them away"
    );
}

#[test]
fn the_same_bytes_for_any_number_of_threads() {
    let methods =
        ["exact", "simhash:d=0..=3", "imatch-random:copies=2|5", "dsc", "minhash-lsh@none"];
    let mut case = Case::new(&families(30), &methods);
    let mut outputs = Vec::new();
    for (threads, sample) in [(1, None), (2, None), (4, None), (1, Some(17)), (3, Some(17))] {
        case.job.job.threads = threads;
        case.job.options.sample = sample;
        case.run();
        let mut json: serde_json::Value =
            serde_json::from_str(&case.output("evaluation.json")).unwrap();
        assert!(json.as_object_mut().unwrap().remove("run").is_some());
        outputs.push((json, case.output("methods.tsv"), case.output("deciles.tsv")));
        assert!(case.output("report.html").contains("</html>"));
    }
    assert_eq!(outputs[0], outputs[1]);
    assert_eq!(outputs[0], outputs[2]);
    assert_eq!(outputs[3], outputs[4]);
    assert_ne!(outputs[0], outputs[3]);
}

#[test]
fn a_sample_of_all_documents_is_the_truth_of_all() {
    let mut case = Case::new(&families(10), &["exact", "lexical"]);
    let all = case.run();
    case.job.options.sample = Some(50);
    let sampled = case.run();
    assert_eq!(sampled.truth.pairs, all.truth.pairs);
    for (x, y) in all.methods.iter().zip(&sampled.methods) {
        assert_eq!((x.recall, x.precision, x.pairs), (y.recall, y.precision, y.pairs));
    }
    assert_eq!((sampled.truth.clusters, sampled.methods[0].clusters.pure), (None, None));
    let decile = sampled.methods[0].deciles[9];
    assert!(decile.low.unwrap() < 1.0 && decile.high == Some(1.0));
    case.job.options.sample = Some(9);
    let few = case.run();
    assert!(few.truth.pairs < all.truth.pairs);
    assert_eq!(few.methods[0].precision.unwrap_or(1.0), 1.0);
    assert_eq!(few.methods[0].true_pairs, few.truth.pairs);
}

#[test]
fn what_a_method_cannot_sign_it_does_not_find() {
    // Two copies too short for 10-shingles, and two without a word.
    let short = "only four words here".to_owned();
    let documents: Vec<(String, String)> =
        [("a", short.clone()), ("b", short), ("c", ".".into()), ("d", "!".into())]
            .map(|(id, text)| (id.to_owned(), text))
            .to_vec();
    let case = Case::new(
        &documents,
        &["exact", "dsc:w=10@none", "dsc:w=10@exact", "dsc:w=10,short=whole,m=1"],
    );
    let found = case.run();
    let recalls: Vec<Option<f64>> = found.methods.iter().map(|result| result.recall).collect();
    assert_eq!(recalls, [Some(1.0), Some(0.0), Some(0.0), Some(1.0)]);
    let ignored = found.methods[1].ignored;
    assert_eq!((ignored.no_words, ignored.too_short, found.methods[1].signed), (2, 2, 0));
    assert_eq!(found.methods[1].bytes_per_document(), None);
}

#[test]
fn labels_are_the_truth_where_they_are_given() {
    let mut case = Case::new(&families(2), &["exact", "lexical"]);
    let clusters =
        case.file("clusters.tsv", "cluster\tid\nx\toriginal0\nx\tshouted0\nx\tfar0\ny\tnobody\n");
    case.job.options.truth = TruthSource::Labels(clusters.into());
    let found = case.run();
    assert_eq!((found.truth.pairs, found.truth.labels_without_document), (3, 1));
    // Found: three pairs in each of two families, one of them labelled.
    assert_eq!(found.methods[0].recall, Some(1.0 / 3.0));
    assert_eq!(found.methods[0].precision, Some(1.0 / 6.0));
    assert_eq!(found.methods[0].deciles[6].pairs, 2, "labelled pairs are compared, too");
    let pairs =
        case.file("pairs.tsv", "b\ta\tnote\nshouted0\toriginal0\tx\noriginal0\tshouted0\ty\n");
    case.job.options.truth = TruthSource::Labels(pairs.into());
    let found = case.run();
    assert_eq!((found.truth.pairs, found.methods[1].recall), (1, Some(1.0)));
    for (content, why) in [
        ("x\ty\na\tb\n", "the header"),
        ("a\tb\noriginal0\n", "a column is missing"),
        ("", "the header"),
    ] {
        case.job.options.truth = TruthSource::Labels(case.file("bad.tsv", content).into());
        let error = case.refused();
        assert!(error.contains(why) && error.contains("bad.tsv"), "{error}");
    }
}

#[test]
fn classes_give_false_matches_and_utility() {
    let mut case = Case::new(&families(2), &["exact", "lexical"]);
    // In family 0 `original` and `shouted` are spam and `near` is legitimate; in family 1 all are
    // spam.
    let file = case.file(
        "classes.tsv",
        "id\tclass\noriginal0\tspam\nshouted0\tspam\nnear0\tham\noriginal1\tspam\nshouted1\tspam\nnear1\tspam\nfar0\t?\n",
    );
    let settings =
        ClassSettings { labels: file.into(), spam: "spam".into(), legit: "ham".into(), cost: 100 };
    case.job.options.classes = Some(settings.clone());
    let found = case.run();
    let exact = found.methods[0].classes.unwrap();
    assert_eq!((exact.false_matches, exact.legit_caught, exact.spam_caught), (2, 1, 5));
    assert_eq!(exact.utility, 5 - 100);
    // Family 0: twice 1 − 100. Family 1: three times 2.
    assert_eq!(exact.mean_utility, Some((-198.0 + 6.0) / 5.0));
    let lexical = found.methods[1].classes.unwrap();
    assert_eq!((lexical.false_matches, lexical.utility), (0, 4));
    case.job.options.classes = Some(ClassSettings { legit: "legit".into(), ..settings });
    assert!(case.refused().contains("the classes are ?, ham, spam"));
}

#[test]
fn what_makes_no_sense_is_refused_and_nothing_is_written() {
    let documents = families(3);
    for (methods, why) in [
        (vec!["nomethod"], "no method \"nomethod\""),
        (vec!["dsc:q=1"], "no parameter \"q\""),
        (vec!["exact", "exact"], "twice"),
        (vec!["dsc@maybe"], "use exact, sketch or none"),
    ] {
        let case = Case::new(&documents, &methods);
        let error = case.refused();
        assert!(error.contains(why), "{error}");
        assert!(!case.job.job.output.exists());
    }
    let mut case = Case::new(&documents, &["exact"]);
    case.job.options.list_from = Some("0.9".into());
    assert!(case.refused().contains("above the threshold"));
    case.job.options.list_from = None;
    case.job.job.max_pairs = 3;
    let error = case.refused();
    assert!(
        error.contains("more than 3 pairs") && error.contains("the setting max_pairs"),
        "{error}"
    );
    case.job.options.sample = Some(15);
    assert!(case.refused().contains("more than 3 pairs"));
}

#[test]
fn two_documents_of_one_id_are_labelled_by_file_and_record_only() {
    let mut documents = families(1);
    documents[1].0 = documents[0].0.clone();
    let mut case = Case::new(&documents, &["exact"]);
    case.run();
    let labels = case.file("pairs.tsv", "a\tb\noriginal0\tnear0\n");
    case.job.options.truth = TruthSource::Labels(labels.into());
    assert!(case.refused().contains("several documents have the id `original0`"));
    // By file and record they can.
    let docs = case.folder.path().join("docs.jsonl").display().to_string();
    let labels = |record: &str| {
        let head = "a_id\ta_file\ta_record\tb_id\tb_file\tb_record\n";
        format!("{head}original0\t{docs}\t1\toriginal0\t{docs}\t{record}\n")
    };
    case.job.options.truth = TruthSource::Labels(case.file("places.tsv", &labels("2")).into());
    assert_eq!(case.run().truth.pairs, 1);
    case.job.options.truth = TruthSource::Labels(case.file("places.tsv", &labels("two")).into());
    assert!(case.refused().contains("`two` is not a record number"));
}

#[test]
fn judged_pairs_are_all_that_counts() {
    let mut case = Case::new(&families(2), &["exact"]);
    let labels = |rows: &str| format!("a_id\tb_id\tnote\tlabel\n{rows}");
    let rows = "near0\toriginal0\tx\tsame\noriginal1\tnear1\ty\tdifferent\noriginal0\toriginal1\t\tdifferent\n\
                original0\tfar0\t\tsame\noriginal0\tnear0\tagain\tsame\n";
    case.job.options.truth = TruthSource::Labels(case.file("labels.tsv", &labels(rows)).into());
    let found = case.run();
    assert_eq!((found.truth.pairs, found.truth.different), (2, Some(2)));
    // Found of the four: near0 and near1 with their originals, one of them judged the same.
    let exact = &found.methods[0];
    assert_eq!((exact.pairs, exact.true_pairs), (2, 1));
    assert_eq!((exact.recall, exact.precision), (Some(0.5), Some(0.5)));
    let refused = |case: &mut Case, rows: &str| {
        case.job.options.truth = TruthSource::Labels(case.file("labels.tsv", &labels(rows)).into());
        case.refused()
    };
    let both = "a\tb\t\tsame\noriginal0\tnear0\t\tsame\nnear0\toriginal0\t\tdifferent\n";
    assert!(refused(&mut case, both).contains("labelled both"));
    let other = refused(&mut case, "original0\tnear0\t\tmaybe\n");
    assert!(other.contains("`maybe` is neither `same` nor `different`"), "{other}");
}

/// In memory as in files: all figures and tables, with labels, a sample, counted frequencies and
/// common shingles.
#[test]
fn documents_in_memory_have_the_figures_of_files() {
    let documents = families(6);
    let records = || documents.iter().map(|(id, text)| Record::new(text.clone()).id(id.clone()));
    let labels = [
        ("a_id", vec!["original0", "near1", "nobody"]),
        ("b_id", vec!["shouted0", "far1", "near0"]),
        ("more", vec!["", "", ""]),
    ];
    let owned = |values: &[&str]| values.iter().map(|&value| value.to_owned()).collect::<Vec<_>>();
    let columns = labels.iter().map(|(name, values)| ((*name).to_owned(), owned(values)));
    let columns = LabelColumns::new("labels", columns).unwrap();
    let lines = (0..3).map(|row| format!("{}\t{}\n", labels[0].1[row], labels[1].1[row]));
    let mut case = Case::new(&documents, &["exact", "lexical", "imatch", "minhash-lsh:t=0.8@none"]);
    let file = case.file("labels.tsv", &format!("a_id\tb_id\n{}", lines.collect::<String>()));
    for round in 0..3 {
        let mut options = case.job.options.clone();
        case.job.job.settings.ignore_common = (round == 2).then_some(5);
        case.job.options.sample = (round == 1).then_some(7);
        options.sample = case.job.options.sample;
        if round == 2 {
            case.job.options.truth = TruthSource::Labels(file.clone().into());
            options.truth = TruthSource::Labels(LabelSource::Columns(columns.clone()));
        }
        let mut stored = case.run();
        for threads in [1, 3] {
            let resources = Resources { threads, ..Resources::default() };
            let source = Source::repeatable_records(records).named("memory");
            let settings = &case.job.job.settings;
            let found = evaluate_in(source, settings, &options, &resources, &Silent).unwrap();
            let rows = |table: &lookalike::results::ResultTable| table.len() as u64;
            assert_eq!(rows(&found.methods().unwrap()), 4);
            assert!(rows(&found.deciles().unwrap()) > 4 && found.problems.is_empty());
            let mut held = found.evaluation;
            assert_eq!(
                (held.inputs.as_slice(), held.run.is_some()),
                (&["memory".into()][..], true)
            );
            assert_eq!(held.truth.labels.is_some(), round == 2);
            held.truth.labels = stored.truth.labels.clone();
            (held.inputs, held.run) = (stored.inputs.clone(), None);
            (stored.run, stored.settings) = (None, held.settings.clone());
            assert_eq!(held, stored, "round {round}");
        }
    }
    let once = Source::records(records());
    let options = EvaluateOptions::default();
    let settings = lookalike::Settings::default();
    let refused = evaluate_in(once, &settings, &options, &Resources::default(), &Silent);
    assert!(refused.unwrap_err().to_string().contains("can be read once"));
}

#[test]
fn an_evaluation_is_replaced_only_when_asked_to() {
    let mut case = Case::new(&families(1), &["exact"]);
    case.run();
    case.job.job.force = false;
    assert!(case.refused().contains("already exists"));
    case.job.job.force = true;
    case.run();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Whatever the documents: what is verified exactly is true, and the exact join misses nothing.
    #[test]
    fn exact_verification_makes_no_mistake(
        texts in prop::collection::vec(prop::collection::vec(0u8..4, 0..14), 2..14),
        measure in prop::sample::select(vec![Measure::Resemblance, Measure::Containment, Measure::Cosine]),
        shingle in 1u32..4,
    ) {
        let documents: Vec<(String, String)> = texts
            .iter()
            .enumerate()
            .map(|(at, words)| {
                let words: Vec<String> = words.iter().map(|word| format!("word{word}")).collect();
                (format!("d{at}"), words.join(" "))
            })
            .collect();
        let methods = [
            "exact", "dsc:m=2,w=2@exact", "minhash-lsh:t=0.5,w=1@exact", "simhash:d=8,weights=tf@exact",
            "megashingles:w=1@exact",
        ];
        let mut case = Case::new(&documents, &methods);
        case.job.job.settings.measure = measure;
        case.job.job.settings.threshold = "0.6".into();
        case.job.job.settings.shingle = (measure != Measure::Cosine).then_some(shingle).into();
        case.job.job.settings.terms = Terms::All;
        let found = case.run();
        prop_assert_eq!(found.methods[0].true_pairs, found.truth.pairs);
        for result in &found.methods {
            prop_assert_eq!(result.pairs, result.true_pairs, "{}", &result.method);
        }
    }
}
