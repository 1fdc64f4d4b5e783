//! One default for each action, and one answer about the same documents, at every door of the
//! library.

#![allow(clippy::unwrap_used)]

use lookalike::{
    Index, IndexWriter, Job, Record, Resources, Settings, Silent, Source, cluster, dedup,
    index::{AddOptions, ExportOptions, IndexSettings, export_tables},
    methods::MethodSettings,
    results::TableFormat,
    run_cluster, run_dedup,
    settings::{Linkage, Measure, Shingle, Verify},
    sweeps::{Change, DiffOptions},
};
use lookalike_core::ShortDocuments;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// a and b match, b and c match, a and c do not.
fn chain() -> Vec<String> {
    let words = |from: usize| (from..from + 30).map(|n| format!("w{n}")).collect::<Vec<_>>();
    [0, 4, 8].map(|from| words(from).join(" ")).to_vec()
}

fn rows(dir: &Path, table: &str) -> Vec<Value> {
    let text = fs::read_to_string(dir.join(format!("{table}.jsonl"))).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn summary(dir: &Path) -> Value {
    serde_json::from_slice(&fs::read(dir.join("summary.json")).unwrap()).unwrap()
}

fn write(path: &Path, documents: &[Value]) {
    let lines: String = documents.iter().map(|document| format!("{document}\n")).collect();
    fs::write(path, lines).unwrap();
}

#[test]
fn the_linkage_is_that_of_the_action_at_every_door() {
    let folder = tempfile::tempdir().unwrap();
    let texts = chain();
    let file = folder.path().join("docs.jsonl");
    write(&file, &texts.iter().map(|text| json!({"text": text})).collect::<Vec<_>>());
    let settings = Settings { threshold: "0.6".into(), ..Settings::default() };
    let memory = Resources::default();
    let source = || Source::records(texts.clone());
    // Components connect a and c, leaders do not.
    assert_eq!(cluster(source(), &settings, &memory, &Silent).unwrap().kept().len(), 1);
    assert_eq!(dedup(source(), &settings, &memory, &Silent).unwrap().kept().len(), 2);
    let contained = Settings { contained_only: Some("0.1".into()), ..settings.clone() };
    assert_eq!(cluster(source(), &contained, &memory, &Silent).unwrap().kept().len(), 2);
    for (name, expected) in [("cluster", 1), ("dedup", 2)] {
        let out = folder.path().join(name);
        let input = vec![file.display().to_string()];
        let job = Job { settings: settings.clone(), report: false, ..Job::new(input, &out) };
        match name {
            "cluster" => run_cluster(&job, &Silent).unwrap(),
            _ => run_dedup(&job, &Silent).unwrap(),
        };
        let said = summary(&out);
        assert_eq!(said["kept"], expected, "{said}");
        let linkage = if name == "cluster" { "components" } else { "leaders" };
        assert_eq!(said["settings"]["linkage"], linkage);
    }
}

#[test]
fn cosine_compares_terms_unless_shingles_are_asked_for() {
    let of = |measure, shingle| Settings { measure, shingle, ..Settings::default() }.shingle_size();
    assert_eq!(of(Measure::Cosine, Shingle::Usual), None);
    assert_eq!(of(Measure::Cosine, Shingle::Of(3)), Some(3));
    assert_eq!(of(Measure::Resemblance, Shingle::Usual), Some(5));
    assert_eq!(of(Measure::Resemblance, Shingle::Terms), None);
    // As written: null for terms, a number for shingles, nothing for the usual.
    for (text, shingle) in [("null", Shingle::Terms), ("7", Shingle::Of(7))] {
        assert_eq!(serde_json::from_str::<Shingle>(text).unwrap(), shingle);
        assert_eq!(serde_json::to_string(&shingle).unwrap(), text);
    }
    let written = serde_json::to_string(&Settings::default()).unwrap();
    assert!(!written.contains("\"shingle\"") && !written.contains("linkage"), "{written}");
    assert_eq!(serde_json::from_str::<Settings>(&written).unwrap(), Settings::default());
    let resolved = Settings { measure: Measure::Cosine, ..Settings::default() }.resolved(true);
    assert_eq!((resolved.shingle, resolved.linkage), (Shingle::Terms, Some(Linkage::Components)));
}

#[test]
fn several_keep_rules_in_one_text() {
    let keep = vec!["prefer(kind=\"a,b\"|c),longest".to_owned(), "max:score".to_owned()];
    let rules = Settings { keep, ..Settings::default() }.with_single_rules().unwrap().keep;
    assert_eq!(rules.len(), 3, "{rules:?}");
    assert_eq!(&rules[1..], ["longest", "max:score"]);
}

fn without_places(rows: Vec<Value>) -> Vec<Value> {
    let place = |name: &String| name.ends_with("file") || name.ends_with("record");
    rows.into_iter()
        .map(|mut row| {
            row.as_object_mut().unwrap().retain(|name, _| !place(name));
            row
        })
        .collect()
}

/// The other collection has copies that no new document matches, and copies that one matches.
#[test]
fn against_files_and_against_an_index_are_one_answer() {
    let folder = tempfile::tempdir().unwrap();
    let text =
        |n: usize| (0..30).map(|at| format!("w{}", n * 100 + at)).collect::<Vec<_>>().join(" ");
    let document = |id: &str, text: String| json!({"id": id, "text": text});
    let old = [
        document("o1", text(1)),
        document("o2", text(1)),
        document("o3", text(2)),
        document("o4", text(2).to_uppercase()),
        document("o5", format!("{} more", text(2))),
        document("o6", text(3)),
    ];
    let new = [
        document("n1", text(2)),
        document("n2", text(4)),
        document("n3", text(4)),
        document("n4", format!("{} and more", text(3))),
    ];
    let (old_file, new_file) = (folder.path().join("old.jsonl"), folder.path().join("new.jsonl"));
    write(&old_file, &old);
    write(&new_file, &new);
    let index = folder.path().join("old.index");
    let mut writer = IndexWriter::create(&index, IndexSettings::default(), 1).unwrap();
    let source = Source::files([old_file.display().to_string()]);
    writer.add(source, &Settings::default(), &AddOptions::default(), &Silent, |_| {}).unwrap();
    drop(writer);
    for rules in [vec!["first"], vec!["longest"]] {
        let run = |name: &str, against: &Path| {
            let out = folder.path().join(format!("{name}-{}", rules[0]));
            let input = vec![new_file.display().to_string()];
            let keep = rules.iter().map(ToString::to_string).collect();
            let job = Job {
                settings: Settings { keep, ..Settings::default() },
                against: vec![against.display().to_string()],
                tables: TableFormat::Jsonl,
                report: false,
                ..Job::new(input, &out)
            };
            run_dedup(&job, &Silent).unwrap();
            out
        };
        let (files, indexed) = (run("files", &old_file), run("index", &index));
        for table in ["ledger", "pairs", "clusters"] {
            let found = without_places(rows(&files, table));
            assert_eq!(found, without_places(rows(&indexed, table)), "{table}");
            assert!(!found.is_empty());
            let others = |row: &Value| {
                let ids = ["a_id", "b_id", "id"].map(|name| row[name].as_str().unwrap_or("o"));
                ids.iter().all(|id| id.starts_with('o')) && row["leader_id"] != row["id"]
            };
            assert!(table == "ledger" || !found.iter().any(others), "{table}: {found:?}");
        }
        assert_eq!(summary(&files)["digest"], summary(&indexed)["digest"]);
    }
}

#[test]
fn an_index_without_texts_exports_the_same_tables() {
    let folder = tempfile::tempdir().unwrap();
    let mut texts = chain();
    texts.extend(["".to_owned(), "one two".to_owned(), "One, two".to_owned(), texts[1].clone()]);
    let digests = [true, false].map(|stored| {
        let dir = folder.path().join(format!("index-{stored}"));
        let mut documents = Settings { threshold: "0.6".into(), ..Settings::default() };
        documents.min_features = Some(3);
        documents.keep = vec!["longest".into()];
        let settings = IndexSettings { texts: stored, documents, ..IndexSettings::default() };
        let mut writer = IndexWriter::create(&dir, settings, 1).unwrap();
        let records = texts.iter().zip(0..).map(|(text, n)| Record::new(text).id(format!("d{n}")));
        writer
            .add(
                Source::records(records),
                &Settings::default(),
                &AddOptions::default(),
                &Silent,
                |_| {},
            )
            .unwrap();
        drop(writer);
        let index = Index::open(&dir).unwrap();
        [false, true].map(|list| {
            let options = ExportOptions {
                list,
                tables: TableFormat::Jsonl,
                ..ExportOptions::new(folder.path().join(format!("out-{stored}-{list}")))
            };
            let summary = export_tables(&index, &options, &Silent).unwrap();
            let tables = ["pairs", "clusters"].map(|table| rows(&options.output, table));
            (summary.digest, summary.documents_digest, summary.kept, summary.tokens, tables)
        })
    });
    assert_eq!(digests[0], digests[1]);
    assert!(digests[0][1].2 < texts.len() as u64);
}

#[test]
fn documents_without_a_signature_have_no_estimates() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("docs.jsonl");
    write(
        &file,
        &[json!({"id": "a", "text": "two words"}), json!({"id": "b", "text": "two words"})],
    );
    let out = folder.path().join("out");
    let method = MethodSettings {
        spec: "minhash-lsh:short=ignore".into(),
        verify: Verify::Sketch,
        lexicon: None,
        lexicon_checksum: None,
        key_limit: None,
    };
    let settings = Settings {
        method: Some(method),
        short_documents: ShortDocuments::Ignore,
        ..Settings::default()
    };
    let job = Job {
        settings,
        tables: TableFormat::Jsonl,
        report: false,
        ..Job::new(vec![file.display().to_string()], &out)
    };
    run_dedup(&job, &Silent).unwrap();
    for row in rows(&out, "ledger").iter().chain(&rows(&out, "pairs")) {
        for column in ["resemblance", "resemblance_low", "resemblance_high"] {
            assert!(row.get(column).is_none_or(Value::is_null), "{row}");
        }
    }
}

fn sweep(writer: &mut IndexWriter, name: &str, date: Option<&str>, pages: &[(&str, &str)]) {
    let records = pages.iter().map(|(url, text)| Record::new(*text).id(*url).url(*url));
    let sweep = Some((name.to_owned(), date.map(str::to_owned)));
    let options = AddOptions { sweep, ..AddOptions::default() };
    writer.add(Source::records(records), &Settings::default(), &options, &Silent, |_| {}).unwrap();
}

#[test]
fn a_page_that_moved_into_a_larger_one_is_no_heavy_change() {
    let folder = tempfile::tempdir().unwrap();
    let text = |n: usize, of: usize| {
        (0..of).map(|at| format!("w{}", n * 1000 + at)).collect::<Vec<_>>().join(" ")
    };
    let (page, grown) = (text(1, 60), text(2, 40));
    // The stub keeps a sentence, and so resembles the page more than the larger page does.
    let stub = page.split(' ').take(20).collect::<Vec<_>>().join(" ");
    let large = format!("{} {page} {}", text(3, 200), text(4, 200));
    let longer = format!("{grown} {}", text(5, 200));
    // A revision keeps two thirds of a page, of which a larger page has a few words more.
    let old = text(6, 60);
    let start = |n: usize| old.split(' ').take(n).collect::<Vec<_>>().join(" ");
    let (revised, book) = (start(40), format!("{} {}", start(44), text(7, 400)));
    let dir = folder.path().join("index");
    let mut writer = IndexWriter::create(&dir, IndexSettings::default(), 1).unwrap();
    sweep(&mut writer, "may", None, &[("/a", &page), ("/b", &grown), ("/c", &old)]);
    let june =
        [("/a", &*stub), ("/all", &large), ("/b", &longer), ("/c", &revised), ("/book", &book)];
    sweep(&mut writer, "june", None, &june);
    drop(writer);
    let diff = lookalike::sweeps::diff(
        &Index::open(&dir).unwrap(),
        "may",
        "june",
        &DiffOptions::default(),
        &Silent,
    )
    .unwrap();
    let page = |url: &str| diff.pages.iter().find(|page| page.url.as_deref() == Some(url)).unwrap();
    assert_eq!(
        (page("/a").change, page("/a").new_url.as_deref()),
        (Change::MovedAddressKept, Some("/all"))
    );
    // What has all or most of its text at its own address did not move.
    assert_eq!(page("/b").change, Change::Heavy);
    assert_eq!(page("/c").change, Change::Heavy);
}

#[test]
fn rates_are_by_the_time_between_sweeps() {
    let folder = tempfile::tempdir().unwrap();
    let text =
        |n: usize| (0..30).map(|at| format!("w{}", n * 100 + at)).collect::<Vec<_>>().join(" ");
    let dir = folder.path().join("index");
    let mut writer = IndexWriter::create(&dir, IndexSettings::default(), 1).unwrap();
    sweep(&mut writer, "1", Some("2024-01-01"), &[("/years", &text(1)), ("/gap", &text(2))]);
    sweep(&mut writer, "2", Some("2025-12-21"), &[("/days", &text(3))]);
    let last = [("/years", &*text(4)), ("/days", &text(5)), ("/gap", &text(6))];
    sweep(&mut writer, "3", Some("2025-12-31"), &last);
    drop(writer);
    let pages = lookalike::sweeps::revisit(&Index::open(&dir).unwrap(), None, 1, &Silent).unwrap();
    let rate = |url: &str| {
        let page = pages.iter().find(|page| page.url == url).unwrap();
        assert_eq!((page.per, page.intervals, page.changed), ("day", 1, 1));
        page.rate.unwrap()
    };
    assert!((rate("/days") / rate("/years") - 73.0).abs() < 1e-9);
    assert_eq!(rate("/gap"), rate("/years"));
    assert_eq!(pages[0].url, "/days");
}

#[test]
fn commits_come_after_every_so_many_documents() {
    let folder = tempfile::tempdir().unwrap();
    let lines: String = (0..25)
        .map(|n| format!("{}\n", json!({"id": n.to_string(), "text": format!("text {n}")})))
        .collect();
    let file = folder.path().join("docs.jsonl");
    fs::write(&file, &lines).unwrap();
    for stream in [false, true] {
        let dir = folder.path().join(format!("index-{stream}"));
        let mut writer = IndexWriter::create(&dir, IndexSettings::default(), 2).unwrap();
        let options = AddOptions { commit_every: Some(10), ..AddOptions::default() };
        let mut sizes = Vec::new();
        let committed = |done: lookalike::index::Committed| sizes.push(done.documents);
        let fields = Settings::default();
        let added = match stream {
            true => {
                let lines = std::io::Cursor::new(lines.clone().into_bytes());
                writer.add_lines(lines, &fields, &options, &Silent, committed)
            }
            false => {
                let source = Source::files([file.display().to_string()]);
                writer.add(source, &fields, &options, &Silent, committed)
            }
        };
        assert_eq!(added.unwrap().read, 25);
        assert_eq!(sizes, [10, 20, 25]);
    }
}

#[test]
fn settings_of_nothing_are_refused() {
    for changed in [
        Settings { min_features: Some(0), ..Settings::default() },
        Settings { ignore_common: Some(0), ..Settings::default() },
        Settings { max_record: Some(0), ..Settings::default() },
    ] {
        let refused = changed.check().unwrap_err().to_string();
        assert!(refused.contains("=0 has no meaning; use 1 or more"), "{refused}");
    }
}
