//! The stream filter, through the library: reports equal a simple model after any history, and
//! verdicts follow from them.

#![allow(clippy::unwrap_used)]

use lookalike::{
    ErrorKind, Index, IndexWriter, Record, Settings, Silent, Source,
    filter::{
        FilterOptions, FilterRule, MatchRule, MessageFilter, Report, ReportCounts, ReportOptions,
        Verdict, VerdictKind,
    },
    index::{DeleteWhat, IndexSettings, ReadOptions, Wanted},
    methods::MethodSettings,
    settings::Verify,
};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// A message of 100 words of campaign number `campaign`, of which the last `changed` are others.
fn message(campaign: usize, changed: usize) -> String {
    let word = |at: usize| match at < 100 - changed {
        true => format!("c{campaign}w{at}"),
        false => format!("c{campaign}x{changed}w{at}"),
    };
    (0..100).map(word).collect::<Vec<_>>().join(" ")
}

fn reporting(time: u64) -> ReportOptions {
    ReportOptions { time: Some(time), ..ReportOptions::default() }
}

fn create(dir: &Path) -> IndexWriter {
    IndexWriter::create(dir, IndexSettings::default(), 1).unwrap()
}

fn verdict(dir: &Path, text: &str) -> Verdict {
    MessageFilter::open(dir, FilterOptions::default()).unwrap().verdict(&text.into()).unwrap()
}

const REPORTERS: [&str; 4] = ["ann", "bob", "carl", "dora"];

#[derive(Debug, Clone, Copy)]
struct Step {
    campaign: usize,
    /// Words changed: at most 10, so that all messages of a campaign match each other.
    changed: usize,
    reporter: usize,
    report: Report,
    time: u64,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let report =
        prop_oneof![4 => Just(Report::Spam), 1 => Just(Report::Ham), 2 => Just(Report::Revoke)];
    let step = (0..3usize, 0..10usize, 0..4usize, report, 1..1000u64);
    let step = step.prop_map(|(campaign, changed, reporter, report, time)| Step {
        campaign,
        changed,
        reporter,
        report,
        time,
    });
    prop::collection::vec(step, 1..25)
}

/// What each reporter said last about a campaign, with the times of the first and the last report.
type Model = BTreeMap<usize, BTreeMap<usize, (Report, u64, u64)>>;

fn counts(rows: &BTreeMap<usize, (Report, u64, u64)>) -> ReportCounts {
    let said = |report| rows.values().filter(|row| row.0 == report).count() as u32;
    ReportCounts {
        spam: said(Report::Spam),
        ham: said(Report::Ham),
        first: rows.values().map(|row| row.1).min(),
        last: rows.values().map(|row| row.2).max(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// One reporter counts once, as it said last; a prototype without reports is gone; all messages
    /// of a campaign count for its one prototype; in groups it is the same.
    #[test]
    fn reports_equal_a_model(steps in steps(), grouped: bool) {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path().join("index");
        let mut writer = create(&dir);
        let mut model = Model::new();
        // Neighbours that say the same may be reported in one call.
        let same = |a: &Step, b: &Step| {
            grouped && (a.reporter, a.report, a.time) == (b.reporter, b.report, b.time)
        };
        let steps: Vec<Step> = match grouped {
            true => steps.chunks(4).flat_map(|part| part.iter().map(|step| Step {
                reporter: part[0].reporter, report: part[0].report, time: part[0].time, ..*step
            })).collect(),
            false => steps,
        };
        for (number, part) in steps.chunk_by(same).enumerate() {
            let mut expected = Vec::new();
            for step in part {
                let rows = model.entry(step.campaign).or_default();
                let before = rows.get(&step.reporter).copied();
                match step.report {
                    Report::Revoke => {
                        rows.remove(&step.reporter);
                    }
                    report => {
                        let (_, first, last) = before.unwrap_or((report, step.time, step.time));
                        let times = (first.min(step.time), last.max(step.time));
                        rows.insert(step.reporter, (report, times.0, times.1));
                    }
                }
                let after = rows.get(&step.reporter).map(|row| row.0);
                expected.push((before.map(|row| row.0) != after, counts(rows)));
                if rows.is_empty() {
                    model.remove(&step.campaign);
                }
            }
            let records = part.iter().enumerate().map(|(at, step)| {
                Record::new(message(step.campaign, step.changed)).id(format!("{number}-{at}"))
            });
            let mut reported = Vec::new();
            let (fields, options) = (Settings::default(), reporting(part[0].time));
            let (report, reporter) = (part[0].report, REPORTERS[part[0].reporter]);
            let source = Source::records(records.collect::<Vec<_>>());
            let done = lookalike::filter::report_all(&mut writer, report, reporter, source, &fields, &options, &Silent, |one| {
                reported.push((one.counted, one.reports));
            }).unwrap();
            prop_assert_eq!(&reported, &expected);
            prop_assert_eq!(done.messages, part.len() as u64);
            let index = Index::open(&dir).unwrap();
            let found: BTreeSet<ReportCounts> =
                lookalike::filter::prototypes(&index).unwrap().into_iter().map(|prototype| prototype.reports).collect();
            let all = lookalike::filter::prototypes(&index).unwrap().len();
            prop_assert_eq!(all, model.len());
            prop_assert_eq!(found, model.values().map(counts).collect::<BTreeSet<_>>());
        }
        for campaign in 0..3 {
            let verdict = verdict(&dir, &message(campaign, 11));
            let rows = model.get(&campaign).map(counts);
            let kind = match rows {
                None => VerdictKind::None,
                Some(rows) if rows.ham > 0 => VerdictKind::Ham,
                Some(rows) if rows.spam >= 3 => VerdictKind::Spam,
                Some(_) => VerdictKind::Unsure,
            };
            prop_assert_eq!((verdict.verdict, verdict.reports), (kind, rows));
        }
        drop(writer);
        IndexWriter::open(&dir, 1).unwrap();
        prop_assert_eq!(lookalike::index::check_index(&dir, true, 1).unwrap(), Vec::<String>::new());
    }

    /// What different reporters say about a prototype counts in any order.
    #[test]
    fn the_order_of_reporters_does_not_matter(
        said in prop::collection::vec(prop::sample::select(&[Report::Spam, Report::Ham][..]), 4),
        order in Just([0usize, 1, 2, 3]).prop_shuffle(),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let reports = |name: &str, order: &[usize]| {
            let dir = folder.path().join(name);
            let mut writer = create(&dir);
            for &at in order {
                let message = Record::new(message(0, 0)).id("m");
                lookalike::filter::report(&mut writer, said[at], REPORTERS[at], &message, &reporting(at as u64 + 5)).unwrap();
            }
            verdict(&dir, &message(0, 3))
        };
        prop_assert_eq!(reports("a", &order), reports("b", &[0, 1, 2, 3]));
    }
}

/// Messages that are each near the one before, but further and further from the first: those that
/// the first does not match become prototypes of their own, and do not add to it.
#[test]
fn prototypes_do_not_drift() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("index");
    let mut writer = create(&dir);
    // Message n has the words n·10 to n·10 + 100: its resemblance to message 0 is
    // (96 − 10 n) / (96 + 10 n), at least 0.4 up to n = 4.
    let shifted =
        |n: usize| (n * 10..n * 10 + 100).map(|at| format!("w{at}")).collect::<Vec<_>>().join(" ");
    let report = |writer: &mut IndexWriter, n: usize| {
        let message = Record::new(shifted(n)).id(format!("m{n}"));
        let reporter = format!("r{n}");
        lookalike::filter::report(writer, Report::Spam, &reporter, &message, &reporting(n as u64))
            .unwrap()
    };
    for n in 0..=4 {
        let reported = report(&mut writer, n);
        assert_eq!((reported.prototype.as_deref(), reported.new), (Some("m0"), n == 0), "{n}");
    }
    let reported = report(&mut writer, 5);
    assert_eq!((reported.prototype.as_deref(), reported.new), (Some("m5"), true));
    let index = Index::open(&dir).unwrap();
    let spam: Vec<u32> =
        lookalike::filter::prototypes(&index).unwrap().iter().map(|one| one.reports.spam).collect();
    assert_eq!(spam, [5, 1]);
}

#[test]
fn short_messages_match_only_the_same_words_and_title() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("index");
    let mut writer = create(&dir);
    let words: Vec<String> = (0..63).map(|at| format!("w{at}")).collect();
    let text = words.join(" ");
    let message = Record::new(&text).id("m").title("Prize!");
    for reporter in REPORTERS {
        lookalike::filter::report(
            &mut writer,
            Report::Spam,
            reporter,
            &message,
            &ReportOptions::default(),
        )
        .unwrap();
    }
    let filter = MessageFilter::open(&dir, FilterOptions::default()).unwrap();
    let kind =
        |text: &str, title: &str| filter.verdict(&Record::new(text).title(title)).unwrap().verdict;
    assert_eq!(kind(&text.to_uppercase(), "prize"), VerdictKind::Spam);
    assert_eq!(kind(&text, "Re: prize"), VerdictKind::None);
    assert_eq!(kind(&format!("{text} more"), "Prize!"), VerdictKind::None);
    assert_eq!(kind("", "Prize!"), VerdictKind::None);
    let matching = MatchRule { min_words: Some(10), ..MatchRule::default() };
    let filter =
        MessageFilter::open(&dir, FilterOptions { matching, ..FilterOptions::default() }).unwrap();
    let longer = filter.verdict(&Record::new(format!("{text} more"))).unwrap();
    assert_eq!(longer.verdict, VerdictKind::Spam);
    // A message without words is found again by its own text, a blank one by nothing.
    let mut prototype = |text: &str| {
        let reported = lookalike::filter::report(
            &mut writer,
            Report::Spam,
            "ann",
            &text.into(),
            &ReportOptions::default(),
        );
        reported.unwrap().prototype
    };
    assert!(prototype("😀 😀").is_some());
    assert_eq!(prototype(" \n"), None);
}

#[test]
fn prototypes_expire_after_their_last_report() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("index");
    let settings = IndexSettings { ttl: Some(1000), ..IndexSettings::default() };
    let mut writer = IndexWriter::create(&dir, settings, 1).unwrap();
    for (campaign, reporter, time) in [(0, "ann", 100), (1, "ann", 100), (0, "bob", 600)] {
        let message = Record::new(message(campaign, 0)).id(format!("m{campaign}"));
        lookalike::filter::report(&mut writer, Report::Spam, reporter, &message, &reporting(time))
            .unwrap();
    }
    let left = |dir: &Path| {
        let prototypes = lookalike::filter::prototypes(&Index::open(dir).unwrap()).unwrap();
        prototypes.into_iter().map(|one| (one.id, one.expires)).collect::<Vec<_>>()
    };
    assert_eq!(writer.expire(1099).unwrap(), 0);
    assert_eq!(left(&dir), [("m0".to_owned(), Some(1600)), ("m1".to_owned(), Some(1100))]);
    assert_eq!(writer.expire(1100).unwrap(), 1);
    assert_eq!(left(&dir), [("m0".to_owned(), Some(1600))]);
    assert_eq!(writer.expire(1600).unwrap(), 1);
    assert_eq!(left(&dir), []);
    // Nothing of them is left: the same message is a new prototype with one report.
    let message = Record::new(message(0, 0)).id("again");
    let reported =
        lookalike::filter::report(&mut writer, Report::Spam, "bob", &message, &reporting(2000))
            .unwrap();
    assert_eq!((reported.new, reported.reports.spam), (true, 1));
}

/// A document that is deleted takes its reports with it.
#[test]
fn deleted_prototypes_are_forgotten() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("index");
    let mut writer = create(&dir);
    let reported = Record::new(message(0, 0)).id("m");
    lookalike::filter::report(&mut writer, Report::Spam, "ann", &reported, &reporting(5)).unwrap();
    let found = writer.find(&DeleteWhat { ids: vec!["m".into()], ..DeleteWhat::default() });
    writer.delete(&found.unwrap().documents);
    writer.commit().unwrap();
    let commit = writer.snapshot().commit();
    drop(writer);
    // Opening removes the records in a commit, once.
    let commits: Vec<u64> =
        (0..2).map(|_| IndexWriter::open(&dir, 1).unwrap().snapshot().commit()).collect();
    assert_eq!(commits, [commit + 1, commit + 1]);
    assert_eq!(verdict(&dir, &message(0, 0)).verdict, VerdictKind::None);
}

/// Messages with the same id are different prototypes.
#[test]
fn prototypes_have_ids_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("index");
    let mut writer = create(&dir);
    let same = |campaign| Record::new(message(campaign, 0)).id("m");
    let (fields, options) = (Settings::default(), ReportOptions::default());
    let mut ids = Vec::new();
    let source = Source::records([same(0), same(1)]);
    let keep = |one: &lookalike::filter::Reported| ids.push(one.prototype.clone().unwrap());
    lookalike::filter::report_all(
        &mut writer,
        Report::Spam,
        "ann",
        source,
        &fields,
        &options,
        &Silent,
        keep,
    )
    .unwrap();
    let third =
        lookalike::filter::report(&mut writer, Report::Spam, "ann", &same(2), &options).unwrap();
    ids.extend(third.prototype);
    assert_eq!(ids, ["m", "m#2", "m#3"]);
    assert_eq!(lookalike::filter::prototypes(&Index::open(&dir).unwrap()).unwrap().len(), 3);
}

/// A method with a lexicon: near-duplicates by its signatures, with the terms that agreed.
#[test]
fn methods_match_and_name_their_terms() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("index");
    let method = MethodSettings {
        spec: "syntactic:filter=tg5".into(),
        verify: Verify::Sketch,
        lexicon: None,
        lexicon_checksum: None,
        key_limit: None,
    };
    let random = MethodSettings { spec: "minhash-lsh".into(), ..method.clone() };
    let settings = IndexSettings { methods: vec![random, method], ..IndexSettings::default() };
    let mut writer = IndexWriter::create(&dir, settings, 1).unwrap();
    for name in ["syntactic", "minhash-lsh"] {
        let matching = MatchRule { ask: Some(Wanted::Method(name.into())), ..MatchRule::default() };
        let options = ReportOptions { matching: matching.clone(), ..ReportOptions::default() };
        for reporter in &REPORTERS[..3] {
            let message = Record::new(message(0, 0)).id("m");
            lookalike::filter::report(&mut writer, Report::Spam, reporter, &message, &options)
                .unwrap();
        }
        let options = FilterOptions { matching, ..FilterOptions::default() };
        let filter = MessageFilter::open(&dir, options).unwrap();
        // A word of fewer than five letters is none to the syntactic filter.
        let near = Record::new(format!("{} end", message(0, 0)));
        let verdict = filter.verdict(&near).unwrap();
        assert_eq!((verdict.verdict, verdict.score > 0.5), (VerdictKind::Spam, true), "{name}");
        assert_eq!(verdict.prototype.unwrap().id, "m");
        let far = filter.verdict(&message(1, 0).into()).unwrap();
        assert_eq!(far.verdict, VerdictKind::None, "{name}");
    }
}

#[test]
fn what_cannot_be_asked_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("index");
    let mut writer = create(&dir);
    let open = |matching: MatchRule, reports| {
        let options =
            FilterOptions { matching, reports: Some(reports), ..FilterOptions::default() };
        MessageFilter::open(&dir, options).unwrap_err()
    };
    let rule = |ask: Wanted, threshold: Option<&str>| MatchRule {
        ask: Some(ask),
        threshold: threshold.map(str::to_owned),
        ..MatchRule::default()
    };
    for (error, part) in [
        (open(rule(Wanted::Cluster, None), 3), "the setting ask"),
        (open(rule(Wanted::Method("imatch".into()), None), 3), "it has no methods"),
        (open(rule(Wanted::Method("imatch".into()), Some("0.5")), 3), "the setting threshold"),
        (open(rule(Wanted::Resembles, Some("2")), 3), "2"),
        (open(MatchRule::default(), 0), "the setting reports"),
    ] {
        assert_eq!(error.kind(), ErrorKind::Usage, "{error}");
        assert!(error.to_string().contains(part), "{error}");
    }
    let error = lookalike::filter::report(
        &mut writer,
        Report::Spam,
        "",
        &"a".into(),
        &ReportOptions::default(),
    );
    assert!(error.unwrap_err().to_string().contains("the setting reporter"));
}

/// Verdicts of files, of records and of lines, on any number of threads, are the same, in the order
/// of the messages; a bad record has its place.
#[test]
fn verdicts_are_the_same_on_any_way() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("index");
    let mut writer = create(&dir);
    for (reporter, last) in REPORTERS.iter().zip(1..) {
        for campaign in 0..last {
            let message = Record::new(message(campaign, 0)).id(format!("p{campaign}"));
            lookalike::filter::report(&mut writer, Report::Spam, reporter, &message, &reporting(9))
                .unwrap();
        }
    }
    let texts: Vec<String> = (0..3000).map(|at| message(at % 7, at % 13)).collect();
    let mut lines = String::new();
    for (at, text) in texts.iter().enumerate() {
        lines += &format!("{{\"id\": \"{at}\", \"text\": \"{text}\"}}\n");
        if at == 1500 {
            lines += "no record\n\n";
        }
    }
    let file = folder.path().join("messages.jsonl");
    std::fs::write(&file, &lines).unwrap();
    let filter = MessageFilter::open(&dir, FilterOptions::default()).unwrap();
    let fields = Settings::default();
    let name = file.display().to_string();
    let run = |threads, stream: bool, strict| {
        let options = ReadOptions { threads, strict, ..ReadOptions::default() };
        let mut all: Vec<Verdict> = Vec::new();
        let each = |some: &[Verdict]| {
            all.extend_from_slice(some);
            Ok(())
        };
        let done = match stream {
            true => {
                let lines = std::io::Cursor::new(lines.clone().into_bytes());
                filter.verdicts_of_lines(lines, &fields, options, &Silent, each)
            }
            false => {
                let source = Source::files([name.clone()]);
                filter.verdicts(source, &fields, options, &Silent, each)
            }
        };
        for one in &mut all {
            // The file has another name.
            if let Some(problem) = &mut one.problem {
                assert!(problem.contains(":1502:"), "{problem}");
                (one.id, *problem) = (String::new(), String::new());
            }
        }
        (all, done)
    };
    let (one, done) = run(1, false, false);
    let done = done.unwrap();
    assert_eq!((one.len(), done.problems), (3001, 1));
    assert_eq!(done.verdicts.values().sum::<u64>(), 3001);
    assert_eq!(one[1501].verdict, VerdictKind::Error);
    for (at, text) in texts.iter().enumerate() {
        let verdict = &one[at + usize::from(at > 1500)];
        let expected = match at % 7 {
            0 | 1 => VerdictKind::Spam,
            2 | 3 => VerdictKind::Unsure,
            _ => VerdictKind::None,
        };
        assert_eq!((verdict.id.as_str(), verdict.verdict), (at.to_string().as_str(), expected));
        if at < 20 {
            let alone = filter.verdict(&Record::new(text).id(at.to_string())).unwrap();
            assert_eq!(&alone, verdict);
        }
    }
    for (threads, stream) in [(3, false), (1, true), (3, true)] {
        assert_eq!(run(threads, stream, false).0, one, "{threads} {stream}");
    }
    for stream in [false, true] {
        let (before, error) = run(2, stream, true);
        assert_eq!(before, one[..1501]);
        assert_eq!(error.unwrap_err().kind(), ErrorKind::Guard);
    }
}

/// An error of the receiver ends the run, and is returned.
#[test]
fn a_receiver_may_fail() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("index");
    drop(create(&dir));
    let filter = MessageFilter::open(&dir, FilterOptions::default()).unwrap();
    let source = Source::records((0..5000).map(|at| message(at, 0)));
    let mut calls = 0;
    let done =
        filter.verdicts(source, &Settings::default(), ReadOptions::default(), &Silent, |_| {
            calls += 1;
            Err(std::io::ErrorKind::BrokenPipe.into())
        });
    let error = anyhow_chain(&done.unwrap_err());
    assert_eq!((calls, error), (1, Some(std::io::ErrorKind::BrokenPipe)));
}

/// The kind of the first I/O error among the causes of an error.
fn anyhow_chain(error: &(dyn std::error::Error + 'static)) -> Option<std::io::ErrorKind> {
    match error.downcast_ref::<std::io::Error>() {
        Some(io) => Some(io.kind()),
        None => anyhow_chain(error.source()?),
    }
}

#[test]
fn the_rule_of_an_index_completes_that_of_a_call() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("index");
    let mut writer = create(&dir);
    let part = message(0, 0);
    let whole = format!("{part} {} {}", message(1, 0), message(2, 0));
    lookalike::filter::report(
        &mut writer,
        Report::Spam,
        "ann",
        &Record::new(part).id("m"),
        &ReportOptions::default(),
    )
    .unwrap();
    let verdict = |options: FilterOptions| {
        let filter = MessageFilter::open(&dir, options).unwrap();
        filter.verdict(&Record::new(whole.clone())).unwrap().verdict
    };
    assert_eq!(verdict(FilterOptions::default()), VerdictKind::None);
    let change =
        FilterRule { ask: Some("contained-in".into()), reports: Some(1), ..FilterRule::default() };
    assert_eq!(lookalike::filter::set_filter_rule(&mut writer, &change).unwrap(), change);
    assert_eq!(Index::open(&dir).unwrap().filter_rule().unwrap(), change);
    assert_eq!(verdict(FilterOptions::default()), VerdictKind::Spam);
    let given = FilterOptions { reports: Some(2), ..FilterOptions::default() };
    assert_eq!(verdict(given), VerdictKind::Unsure);
    let matching = MatchRule { ask: Some(Wanted::Resembles), ..MatchRule::default() };
    assert_eq!(verdict(FilterOptions { matching, ..FilterOptions::default() }), VerdictKind::None);
    // A report counts by the same rule.
    let reported = lookalike::filter::report(
        &mut writer,
        Report::Spam,
        "bob",
        &whole.as_str().into(),
        &ReportOptions::default(),
    );
    assert_eq!(reported.unwrap().prototype.as_deref(), Some("m"));
    for wrong in [
        FilterRule { ask: Some("cluster".into()), ..FilterRule::default() },
        FilterRule { threshold: Some("2".into()), ..FilterRule::default() },
        FilterRule { reports: Some(0), ..FilterRule::default() },
    ] {
        assert_eq!(
            lookalike::filter::set_filter_rule(&mut writer, &wrong).unwrap_err().kind(),
            ErrorKind::Usage
        );
    }
    assert_eq!(Index::open(&dir).unwrap().filter_rule().unwrap(), change);
}
