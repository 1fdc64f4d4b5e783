//! The library in memory: the same answer as over a file, for any threads, memory and batches; a
//! source that ends with an error gives no answer.

#![allow(clippy::unwrap_used)]

use lookalike::{
    Answer, Job, LookalikeError, Progress, Record, Resources, Settings, Silent, Source, cluster,
    compare_texts, dedup,
    results::{TableFormat, compare},
    run_cluster, run_dedup,
};
use proptest::prelude::*;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Variants of a few texts; every third document has no id.
fn records(picks: &[(u8, u8)]) -> Vec<Record> {
    let record = |(number, &(text, variant)): (usize, &(u8, u8))| {
        let mut words: Vec<String> = (0..24).map(|w| format!("w{}x{w}", text % 6)).collect();
        words[usize::from(variant) % 24] = format!("v{}", variant % 5);
        let mut record = Record::new(words.join(if variant % 7 == 0 { ",  " } else { " " }));
        record.numbers.push(("score".into(), f64::from(variant % 4)));
        match number % 3 {
            0 => record,
            _ => record.id(format!("d{number}")).date(format!("2020-01-{:02}", variant % 28 + 1)),
        }
    };
    picks.iter().enumerate().map(record).collect()
}

fn write_jsonl(path: &Path, records: &[Record]) {
    let line = |record: &Record| {
        let mut json = format!("{{\"text\":\"{}\",\"score\":{}", record.text, record.numbers[0].1);
        if let (Some(id), Some(date)) = (&record.id, &record.date) {
            json += &format!(",\"id\":\"{id}\",\"date\":\"{date}\"");
        }
        json + "}\n"
    };
    std::fs::write(path, records.iter().map(line).collect::<String>()).unwrap();
}

fn documents<'a>(answer: &'a Answer) -> [Vec<(&'a str, u32, &'a str, u32)>; 3] {
    let removed = |r: lookalike::answer::Removed<'a>| {
        (r.removed.id, r.removed.record, r.kept.id, r.kept.record)
    };
    let pair = |p: lookalike::answer::Pair<'a>| (p.a.id, p.a.record, p.b.id, p.b.record);
    let member = |m: lookalike::answer::Member<'a>| {
        (m.document.id, m.document.record, m.leader.id, m.leader.record)
    };
    [
        answer.removals().map(removed).collect(),
        answer.listed_pairs().map(pair).collect(),
        answer.members().map(member).collect(),
    ]
}

fn cells(table: &str, columns: [usize; 4]) -> Vec<(&str, u32, &str, u32)> {
    table
        .lines()
        .skip(1)
        .map(|line| {
            let cells: Vec<&str> = line.split('\t').collect();
            let [a, b, c, d] = columns.map(|column| cells[column]);
            (a, b.parse().unwrap(), c, d.parse().unwrap())
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn the_answer_is_that_over_a_file(
        picks in prop::collection::vec((0..8u8, any::<u8>()), 1..80),
        threads in 1..5usize,
        small_memory in any::<bool>(),
        batch in 1..50usize,
        rule in prop::sample::select(vec!["first", "last", "longest", "newest", "max:score"]),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("docs.jsonl");
        let records = records(&picks);
        write_jsonl(&file, &records);
        let settings = Settings { keep: vec![rule.into()], threshold: "0.5".into(), ..Settings::default() };
        let memory = small_memory.then_some(1 << 16);
        let resources = Resources { threads, memory, scratch: Some(folder.path().into()), ..Resources::default() };
        for lists in [false, true] {
            let out = folder.path().join(format!("out{lists}"));
            let path = file.display().to_string();
            let mut job = Job::new(vec![path.clone()], &out);
            (job.settings, job.tables, job.report) = (settings.clone(), TableFormat::Tsv, false);
            let (run, call) = match lists {
                true => (run_cluster as fn(&Job, &dyn Progress) -> _, cluster as Call),
                false => (run_dedup as fn(&Job, &dyn Progress) -> _, dedup as Call),
            };
            let outcome: Result<lookalike::Outcome, LookalikeError> = run(&job, &Silent);
            if rule == "newest" && outcome.is_err() {
                // No document has a date.
                let name = || Source::records(records.clone()).named(&path);
                prop_assert!(call(name(), &settings, &resources, &Silent).is_err());
                return Ok(());
            }
            let expected = outcome.unwrap().summary;
            let batches = lookalike::record_batches(records.clone(), &settings, batch).unwrap();
            let sources = [
                Source::records(records.clone()).named(&path),
                Source::batches(batches).named(&path),
                Source::files([path.clone()]),
            ];
            for source in sources {
                let answer = call(source, &settings, &resources, &Silent).unwrap();
                let summary = &answer.summary;
                prop_assert_eq!(&summary.digest, &expected.digest);
                prop_assert_eq!((summary.documents, summary.kept), (expected.documents, expected.kept));
                prop_assert_eq!(answer.kept().len() as u64, expected.kept);
                let [removed, pairs, members] = documents(&answer);
                let table = |name: &str| std::fs::read_to_string(out.join(name)).unwrap_or_default();
                let [ledger_table, pairs_table, clusters_table] = ["ledger.tsv", "pairs.tsv", "clusters.tsv"].map(table);
                prop_assert_eq!(removed, cells(&ledger_table, [0, 2, 3, 5]));
                prop_assert_eq!(pairs, cells(&pairs_table, [0, 2, 3, 5]));
                prop_assert_eq!(members, cells(&clusters_table, [0, 2, 4, 6]));
                let header = table("pairs.tsv");
                let header: Vec<&str> = header.lines().next().unwrap().split('\t').collect();
                let schema = answer.pairs().batches()[0].schema();
                prop_assert_eq!(schema.fields().iter().map(|f| f.name().as_str()).collect::<Vec<_>>(), header);
            }
            let entries = std::fs::read_dir(folder.path()).unwrap().count();
            prop_assert_eq!(entries, if lists { 3 } else { 2 }, "something was left");
        }
    }
}

type Call = fn(Source<'_>, &Settings, &Resources, &dyn Progress) -> Result<Answer, LookalikeError>;

#[test]
fn a_source_that_ends_with_an_error_gives_no_answer() {
    for whole in [0usize, 1, 1023, 1024, 1025, 5000] {
        for threads in [1, 4] {
            let failing = (0..whole)
                .map(|n| Ok(Record::new(format!("one two three four five {n}"))))
                .chain([Err("the database went away")])
                .chain((0..10).map(|_| Ok(Record::new("more"))));
            let resources = Resources { threads, ..Resources::default() };
            let error =
                dedup(Source::try_records(failing), &Settings::default(), &resources, &Silent)
                    .unwrap_err();
            let said = error.to_string();
            assert!(said.contains("the database went away"), "{said}");
            assert!(said.contains(&format!("after {whole} records")), "{said}");
        }
    }
}

#[test]
fn batches_without_text_are_refused() {
    let settings = Settings::default();
    let batches = lookalike::record_batches([Record::new("a")], &settings, 1).unwrap();
    let mut other = settings.clone();
    (other.fields.text, other.fields.html) = ("body".into(), "page".into());
    let error =
        dedup(Source::batches(batches), &other, &Resources::default(), &Silent).unwrap_err();
    assert!(error.to_string().contains("body"), "{error}");
}

#[test]
fn what_is_read_twice_needs_a_repeatable_source() {
    let settings = Settings { ignore_common: Some(5), ..Settings::default() };
    let error =
        dedup(Source::records(["a"]), &settings, &Resources::default(), &Silent).unwrap_err();
    let said = error.to_string();
    assert!(said.contains("ignore_common") && said.contains("held in memory"), "{said}");
    assert_eq!(error.kind(), lookalike::ErrorKind::Usage);
}

/// Cancels after some questions.
struct Cancels(AtomicUsize);

impl Progress for Cancels {
    fn cancelled(&self) -> bool {
        self.0.fetch_add(1, Ordering::Relaxed) > 3
    }
}

#[test]
fn an_endless_source_can_be_cancelled() {
    let endless = (0u64..).map(|n| Record::new(format!("one two three four five six {n}")));
    let error = cluster(
        Source::records(endless),
        &Settings::default(),
        &Resources::default(),
        &Cancels(AtomicUsize::new(0)),
    )
    .unwrap_err();
    assert_eq!(error.kind(), lookalike::ErrorKind::Cancelled);
}

#[test]
fn texts_compare_as_files_do() {
    let folder = tempfile::tempdir().unwrap();
    let (a, b) = (folder.path().join("a.txt"), folder.path().join("b.txt"));
    for (one, other) in [
        ("a rose is a rose is a rose", "a rose is a rose"),
        ("", "x"),
        ("\u{feff}one two three four five six", "one two three four five six"),
    ] {
        std::fs::write(&a, one).unwrap();
        std::fs::write(&b, other).unwrap();
        let settings =
            Settings { shingle: lookalike::settings::Shingle::Of(4), ..Settings::default() };
        let files = compare(&a.display().to_string(), &b.display().to_string(), &settings).unwrap();
        let texts = compare_texts(one, other, &settings).unwrap();
        let (files, texts) = (files.comparison(), texts.comparison());
        assert_eq!(files.measures, texts.measures, "{one:?}");
    }
}

#[test]
fn an_answer_can_go_to_another_thread() {
    fn is_send_and_sync<T: Send + Sync>() {}
    is_send_and_sync::<Answer>();
    is_send_and_sync::<LookalikeError>();
    is_send_and_sync::<Settings>();
    fn is_send<T: Send>() {}
    is_send::<Source<'static>>();
}

/// A job that [`Answer::write`] accepts.
fn tables_only(output: impl Into<std::path::PathBuf>) -> Job {
    Job { report: false, ..Job::new(Vec::new(), output) }
}

/// What only texts give is refused, not left out; nothing is written then.
#[test]
fn an_answer_refuses_to_write_what_needs_texts() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let (settings, resources) = (Settings::default(), Resources::default());
    let answer = dedup(Source::records(["a", "b"]), &settings, &resources, &Silent).unwrap();
    let jobs = [
        ("report", Job::new(Vec::new(), &out)),
        ("mark", Job { mark: Some("dup_".into()), ..tables_only(&out) }),
        ("plan", Job { plan: Some("plan.json".into()), ..tables_only(&out) }),
    ];
    for (name, job) in jobs {
        let error = answer.write(&job).unwrap_err();
        let said = error.to_string();
        assert!(
            said.contains(&format!("the setting {name}")) && said.contains("run_dedup"),
            "{said}"
        );
        assert_eq!(error.kind(), lookalike::ErrorKind::Usage);
        assert!(!out.exists());
    }
}

/// Every kind of source of the same documents, under the name of a file.
fn sources<'a>(records: &'a [Record], name: &str, settings: &Settings) -> Vec<Source<'a>> {
    let batches = lookalike::record_batches(records.to_vec(), settings, 17).unwrap();
    let again = batches.clone();
    let all = vec![
        Source::held_records(records),
        Source::held_batches(batches),
        Source::repeatable_records(move || records.to_vec()),
        Source::try_repeatable_batches(move || again.clone().into_iter().map(Ok::<_, String>)),
        Source::records(records.to_vec()),
    ];
    all.into_iter().map(|source| source.named(name)).collect()
}

/// In all formats the tables of documents in memory are those of a run over a file of them, byte
/// for byte.
#[test]
fn records_are_written_as_a_run_over_their_file_writes_them() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("docs.jsonl");
    let picks: Vec<(u8, u8)> = (0..200u8).map(|n| (n % 7, n.wrapping_mul(53))).collect();
    let records = records(&picks);
    write_jsonl(&file, &records);
    let path = file.display().to_string();
    for format in [TableFormat::Tsv, TableFormat::Jsonl, TableFormat::Parquet] {
        for (threads, removes) in [(1, true), (8, true), (1, false), (8, false)] {
            let mut job = Job::new(vec![path.clone()], folder.path().join("run"));
            job.settings.threshold = "0.5".into();
            (job.threads, job.tables, job.force, job.report) = (threads, format, true, false);
            let run = if removes { run_dedup } else { run_cluster };
            let summary = run(&job, &Silent).unwrap().summary;
            let expected = tables(&job.output);
            assert_eq!(expected.len(), 3);
            let resources = Resources { threads, ..Resources::default() };
            let call = if removes { dedup as Call } else { cluster as Call };
            for source in sources(&records, &path, &job.settings) {
                let is_read_once = source.is_read_once();
                let answer = call(source, &job.settings, &resources, &Silent).unwrap();
                let to = Job { output: folder.path().join("written"), ..job.clone() };
                // What was stored in parts is written as well.
                Answer::of_parts(answer.parts()).unwrap().write(&to).unwrap();
                // The ledger says what differs only of texts that can be read again; its digest
                // does not depend on it.
                let told =
                    |(name, _): &(String, Vec<u8>)| !(is_read_once && name.starts_with("ledger"));
                let found = tables(&to.output);
                let [found, wanted] = [&found, &expected]
                    .map(|tables| tables.iter().filter(|table| told(table)).collect::<Vec<_>>());
                assert_eq!(found, wanted, "{format:?} on {threads} threads");
                assert_eq!(answer.summary.digest, summary.digest);
                let kept = answer.select_kept(&records).count() as u64;
                assert_eq!(kept, answer.summary.kept);
            }
        }
    }
}

/// Settings that read the documents several times, each with the reason.
fn settings_of_several_readings() -> Vec<Settings> {
    let own_statistics = lookalike::methods::methods().filter_map(|about| {
        let needs = about.needs_statistics(&about.name.parse().unwrap());
        needs.then(|| about.name.to_owned())
    });
    let method = |spec: String| Settings {
        method: Some(lookalike::methods::MethodSettings {
            spec,
            verify: lookalike::settings::Verify::Exact,
            lexicon: None,
            lexicon_checksum: None,
            key_limit: None,
        }),
        ..Settings::default()
    };
    let mut all: Vec<Settings> = own_statistics.map(method).collect();
    assert!(all.len() > 1, "several methods have document frequencies");
    all.extend([3, 30].map(|most| Settings { ignore_common: Some(most), ..Settings::default() }));
    all
}

/// With several readings, documents in memory give what the command gives over their file.
#[test]
fn repeatable_sources_are_read_as_often_as_needed() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("docs.jsonl");
    let picks: Vec<(u8, u8)> = (0..240u8).map(|n| (n % 8, n.wrapping_mul(29))).collect();
    let records = records(&picks);
    write_jsonl(&file, &records);
    let path = file.display().to_string();
    for mut settings in settings_of_several_readings() {
        settings.threshold = "0.6".into();
        let mut job = Job::new(vec![path.clone()], folder.path().join("run"));
        job.settings = settings.clone();
        (job.tables, job.force, job.report) = (TableFormat::Tsv, true, false);
        let what = format!("{:?} {:?}", settings.method, settings.ignore_common);
        for (removes, threads) in [(true, 1), (false, 8)] {
            job.threads = threads;
            let run = if removes { run_dedup } else { run_cluster };
            let outcome = run(&job, &Silent).unwrap();
            let resources = Resources { threads, ..Resources::default() };
            let call = if removes { dedup as Call } else { cluster as Call };
            let mut all = sources(&records, &path, &settings);
            // The last one can be read once.
            let once = all.pop().unwrap();
            let refused = call(once, &settings, &resources, &Silent).unwrap_err().to_string();
            assert!(refused.contains("held in memory"), "{refused}");
            for source in all {
                let answer = call(source, &settings, &resources, &Silent).unwrap();
                let to = Job { output: folder.path().join("written"), ..job.clone() };
                answer.write(&to).unwrap();
                assert_eq!(answer.summary.digest, outcome.summary.digest, "{what}");
                assert_eq!(tables(&to.output), tables(&job.output), "{what}");
            }
        }
    }
}

/// A source that gives other documents the second time: another text, one more, one fewer, two
/// exchanged.
#[test]
fn a_source_that_changes_between_readings_is_an_error() {
    let picks: Vec<(u8, u8)> = (0..90u8).map(|n| (n % 5, n.wrapping_mul(31))).collect();
    let first = records(&picks);
    let changes: [fn(&mut Vec<Record>); 4] = [
        |records| records[50].text.push('!'),
        |records| records.push(Record::new("one more")),
        |records| _ = records.pop(),
        |records| records.swap(3, 40),
    ];
    for settings in settings_of_several_readings() {
        for change in changes {
            for threads in [1, 4] {
                let mut readings = 0;
                let first = first.clone();
                let source = Source::repeatable_records(move || {
                    readings += 1;
                    let mut records = first.clone();
                    if readings > 1 {
                        change(&mut records);
                    }
                    records
                });
                let resources = Resources { threads, ..Resources::default() };
                let error = dedup(source.named("the table"), &settings, &resources, &Silent);
                let error = error.unwrap_err();
                assert!(matches!(error, LookalikeError::SourceChanged { .. }), "{error}");
                assert!(error.to_string().contains("the table"), "{error}");
                assert_eq!(error.kind(), lookalike::ErrorKind::Guard);
            }
        }
    }
}

/// A reading that fails ends the call with its error, whichever it is.
#[test]
fn a_repeatable_source_that_fails_gives_no_answer() {
    for settings in settings_of_several_readings() {
        for failing in [1, 2] {
            let mut readings = 0;
            let source = Source::try_repeatable_records(move || {
                readings += 1;
                let end = (readings == failing).then_some(Err("the database went away"));
                let text = |n| Ok(Record::new(format!("one two three four five six {n}")));
                (0..1500).map(text).chain(end)
            });
            let error = dedup(source, &settings, &Resources::default(), &Silent).unwrap_err();
            let said = error.to_string();
            assert!(said.contains("went away") && said.contains("after 1500 records"), "{said}");
        }
    }
}

/// The tables of a result directory, by name.
fn tables(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut tables: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| {
            let stem = path.file_stem().unwrap().to_string_lossy().into_owned();
            ["ledger", "documents", "clusters", "pairs", "problems"].contains(&&*stem)
        })
        .map(|path| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            (name, std::fs::read(path).unwrap())
        })
        .collect();
    tables.sort();
    tables
}

/// Over files an answer is written as a run writes it, table by table; the summary differs in what
/// it says of the machine and of documents that only a run writes.
#[test]
fn an_answer_is_written_as_a_run_writes_it() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("docs.jsonl");
    let picks: Vec<(u8, u8)> = (0..120u8).map(|n| (n % 8, n.wrapping_mul(37))).collect();
    write_jsonl(&file, &records(&picks));
    let mut lines = std::fs::read_to_string(&file).unwrap();
    lines.push_str("{\"text\": no record}\n");
    std::fs::write(&file, lines).unwrap();
    let path = file.display().to_string();
    for (threads, format) in [
        (1, TableFormat::Tsv),
        (8, TableFormat::Tsv),
        (1, TableFormat::Parquet),
        (8, TableFormat::Jsonl),
    ] {
        for removes in [true, false] {
            let mut job = Job::new(vec![path.clone()], folder.path().join("run"));
            job.settings.threshold = "0.5".into();
            (job.threads, job.tables, job.force, job.report) = (threads, format, true, false);
            let resources = Resources { threads, ..Resources::default() };
            let (outcome, answer) = match removes {
                true => (
                    run_dedup(&job, &Silent),
                    dedup(Source::files([&path]), &job.settings, &resources, &Silent),
                ),
                false => (
                    run_cluster(&job, &Silent),
                    cluster(Source::files([&path]), &job.settings, &resources, &Silent),
                ),
            };
            let (outcome, answer) = (outcome.unwrap(), answer.unwrap());
            let to = Job { output: folder.path().join("written"), ..job.clone() };
            let mut written = answer.write(&to).unwrap();
            let (expected, found) = (tables(&job.output), tables(&to.output));
            assert_eq!(expected.len(), 4, "problems, clusters, pairs, and the ledger or documents");
            assert_eq!(found, expected);
            let read = std::fs::read(to.output.join("summary.json")).unwrap();
            assert_eq!(
                serde_json::from_slice::<lookalike::results::Summary>(&read).unwrap(),
                written
            );
            let mut expected = outcome.summary;
            let is_table = |name: &str| found.iter().any(|(table, _)| table == name);
            expected.outputs.retain(|output| is_table(&output.name));
            assert_eq!(written.outputs, expected.outputs);
            expected.run = None;
            expected.settings.other.remove("job");
            written.settings.other.remove("job");
            if removes {
                // What is not there is said.
                let warning = written.warnings.pop().unwrap();
                assert!(warning.contains("no documents"), "{warning}");
            }
            assert_eq!(written, expected);
        }
    }
    // Without `force` nothing is replaced, and nothing is left of the attempt.
    let mut again = tables_only(folder.path().join("written"));
    let before = tables(&again.output);
    let answer =
        dedup(Source::records(["a", "b"]), &Settings::default(), &Resources::default(), &Silent);
    let answer = answer.unwrap();
    assert!(answer.write(&again).unwrap_err().to_string().contains("already exists"));
    assert_eq!(tables(&again.output), before);
    again.output = folder.path().join("fresh");
    assert_eq!(answer.write(&again).unwrap().kept, 2);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 4);
}

/// `recluster` goes on from a written answer, of records too.
#[test]
fn a_written_answer_can_be_clustered_anew() {
    let folder = tempfile::tempdir().unwrap();
    let picks: Vec<(u8, u8)> = (0..90u8).map(|n| (n % 4, n.wrapping_mul(91))).collect();
    let at = |threshold: &str| {
        let settings = Settings { threshold: threshold.into(), ..Settings::default() };
        let source = Source::records(records(&picks));
        cluster(source, &settings, &Resources::default(), &Silent).unwrap()
    };
    let low = tables_only(folder.path().join("low"));
    at("0.5").write(&low).unwrap();
    let mut high =
        lookalike::results::ReclusterJob::new(&low.output, "0.8", folder.path().join("high"));
    high.report = false;
    lookalike::results::recluster(&high, &Silent).unwrap();
    let direct = tables_only(folder.path().join("direct"));
    at("0.8").write(&direct).unwrap();
    assert_eq!(tables(&high.output), tables(&direct.output));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_protected_collection_in_memory_is_that_of_files(
        picks in prop::collection::vec((0..8u8, any::<u8>()), 1..40),
        protected in prop::collection::vec((0..8u8, any::<u8>()), 0..40),
        only in any::<bool>(),
        threads in 1..4usize,
    ) {
        let folder = tempfile::tempdir().unwrap();
        let (documents, protected) = (records(&picks), records(&protected));
        let names = ["docs.jsonl", "test.jsonl"].map(|name| folder.path().join(name));
        write_jsonl(&names[0], &documents);
        write_jsonl(&names[1], &protected);
        let settings = Settings { threshold: "0.5".into(), ..Settings::default() };
        let resources = Resources { threads, ..Resources::default() };

        let files = |name: &Path| Source::files([name.to_str().unwrap()]);
        let with = |a: Source<'static>, b| if only { a.only_against(b) } else { a.against(b) };
        let expected = with(files(&names[0]), files(&names[1]));
        let expected = dedup(expected, &settings, &resources, &Silent).unwrap();
        let memory = |records: &[Record], name: &Path| {
            let records = records.to_vec();
            Source::repeatable_records(move || records.clone()).named(name.to_str().unwrap())
        };
        let found = with(memory(&documents, &names[0]), memory(&protected, &names[1]));
        let found = dedup(found, &settings, &resources, &Silent).unwrap();
        prop_assert_eq!(found.kept(), expected.kept());
        prop_assert!(found.kept().iter().all(|place| place.file == 0));
        prop_assert_eq!(found.ledger().batches(), expected.ledger().batches());
        prop_assert_eq!(&found.summary.digest, &expected.summary.digest);
        prop_assert_eq!(found.records(), Some(documents.len() as u64));
    }
}

#[test]
fn a_protected_collection_can_fail_the_call() {
    let source = || Source::records(["a rose is a rose"]);
    let call = |source| dedup(source, &Settings::default(), &Resources::default(), &Silent);
    let broken = || Source::try_records([Ok(Record::new("one")), Err("the cable")]).named("test");
    let error = call(source().against(broken())).unwrap_err().to_string();
    assert!(error.contains("test: ended after 1 records: the cable"), "{error}");
    // The failure of the documents is the one that is reported, and nothing more is read.
    let unread = std::iter::from_fn(|| -> Option<Record> { panic!("it is read") });
    let error = call(broken().against(Source::records(unread))).unwrap_err().to_string();
    assert!(error.contains("the cable"), "{error}");
    let error = call(source().against(Source::files(["/nowhere"]))).unwrap_err();
    assert!(error.to_string().contains("both be in memory"), "{error}");
    assert_eq!(error.kind(), lookalike::ErrorKind::Usage);
}

#[test]
fn guards_and_limits_of_a_call() {
    let batch = |texts: Vec<Option<&str>>| {
        let texts: arrow_array::ArrayRef =
            std::sync::Arc::new(arrow_array::StringArray::from(texts));
        arrow_array::RecordBatch::try_from_iter_with_nullable([("text", texts, true)]).unwrap()
    };
    let text = "a rose is a rose is a rose";
    let resources = Resources { strict: true, max_pairs: Some(2), ..Resources::default() };
    let strict = Source::batches([batch(vec![Some(text), None])]);
    let error = dedup(strict, &Settings::default(), &resources, &Silent).unwrap_err();
    assert_eq!(error.kind(), lookalike::ErrorKind::Guard, "{error}");
    let pairs = |copies| {
        let source = Source::batches([batch(vec![Some(text); copies])]);
        cluster(source, &Settings::default(), &resources, &Silent)
    };
    for (copies, complete) in [(2, true), (3, false)] {
        let answer = pairs(copies).unwrap();
        assert_eq!(answer.summary.pairs.complete, complete);
        assert!(answer.pairs().len() <= 2 && answer.kept().len() == 1);
    }
}
