//! What differs between removed documents and their witnesses: in the ledger, the summary and `show`.

#![allow(clippy::unwrap_used)]

use lookalike::results::{DifferenceKind, TableFormat, UndoJob, What, show, undo};
use lookalike::{Job, Record, Resources, Settings, Silent, Source, dedup, run_dedup};
use std::path::Path;

/// Documents of 40 words of which a pair is near, and one word or more of which differs.
fn documents() -> Vec<(&'static str, String)> {
    let filler = |start: usize| {
        let words: Vec<String> =
            (start..start + 60).map(|n| format!("w{}", "x".repeat(n))).collect();
        words.join(" ")
    };
    vec![
        ("a1", format!("Plan\n{} costs 5", filler(0))),
        ("a2", format!("Plan\n{} costs 6", filler(0))),
        ("b1", format!("{}\nend", filler(100))),
        ("b2", format!("{}\nend", filler(100))),
        ("c1", format!("x\n12 + {}", filler(200))),
        ("c2", format!("x\n12 - {}", filler(200))),
    ]
}

/// An empty text of a table is written as `\\e`.
const EXPECTED: [(&str, &str, &str, &str, &str); 3] = [
    ("a2", "near", "1", "1", "numbers"),
    ("b2", "identical", "0", "0", "\\e"),
    ("c2", "lexically_equivalent", "0", "0", "symbols"),
];

#[test]
fn the_ledger_says_what_differs_and_the_digest_does_not() {
    let folder = tempfile::tempdir().unwrap();
    let docs = folder.path().join("docs.jsonl");
    let lines: String = documents()
        .iter()
        .map(|(id, text)| format!("{}\n", serde_json::json!({"id": id, "text": text})))
        .collect();
    std::fs::write(&docs, lines).unwrap();
    let mut job = Job::new(vec![docs.display().to_string()], folder.path().join("out"));
    job.tables = TableFormat::Tsv;
    let summary = run_dedup(&job, &Silent).unwrap().summary;

    let table = std::fs::read_to_string(job.output.join("ledger.tsv")).unwrap();
    let mut lines = table.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    let header = lines.next().unwrap();
    let at = |name: &str| header.iter().position(|column| *column == name).unwrap();
    let columns = ["removed_id", "rule", "lost", "added", "differs"].map(at);
    let rows: Vec<_> = lines.map(|row| columns.map(|column| row[column])).collect();
    assert_eq!(rows, EXPECTED.map(|(id, rule, lost, added, kinds)| [id, rule, lost, added, kinds]));

    let found = summary.differences.as_ref().unwrap();
    assert_eq!((found.compared, found.of), (2, 2));
    assert_eq!((found.losing_words, found.losing_ten_words), (1, 0));
    let kinds: Vec<_> =
        found.kinds.iter().map(|kind| (kind.kind.as_str(), kind.documents)).collect();
    assert_eq!(kinds, [("numbers", 1), ("symbols", 1)]);
    assert_eq!(found.kinds[0].example.removed, "a2");

    let numbers = DifferenceKind::named("numbers").unwrap();
    for what in [What::Differs(numbers), What::Lost(1)] {
        let shown = show(&job.output, &what, 9).unwrap();
        assert_eq!((shown.total, &shown.rows[0][0]), (1, &"a2".into()));
    }
    assert_eq!(show(&job.output, &What::Lost(0), 9).unwrap().total, 3);

    // What is restored no longer counts; the other rows stay as they are, also the second time.
    let rows = |folder: &Path| {
        let ledger = std::fs::read_to_string(folder.join("ledger.tsv")).unwrap();
        ledger.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    let all = rows(&job.output);
    let once = folder.path().join("once");
    let mut back = UndoJob::new(&job.output, &once);
    back.documents.push("a2".into());
    let after = undo(&back, &Silent).unwrap();
    assert_eq!(rows(&once), [&all[..1], &all[2..]].concat());
    let left = after.differences.unwrap();
    assert_eq!((left.compared, left.of, left.losing_words), (1, 1, 0));
    assert_eq!(left.kinds, found.kinds[1..]);
    let mut back = UndoJob::new(&once, folder.path().join("twice"));
    back.documents.push("c2".into());
    assert_eq!(undo(&back, &Silent).unwrap().differences, None);
    assert_eq!(rows(&back.output), [&all[..1], &all[2..3]].concat());

    // The same from memory, where a source can be read again; the digest is the same where not.
    let records: Vec<Record> =
        documents().into_iter().map(|(id, text)| Record::new(text).id(id)).collect();
    let answer = |source| {
        dedup(source, &Settings::default(), &Resources::default(), &Silent).unwrap().parts().summary
    };
    let (held, once) =
        (answer(Source::held_records(&records)), answer(Source::records(records.clone())));
    assert_eq!((held.differences, &held.digest), (summary.differences, &once.digest));
    assert_eq!(once.differences, None);
}
