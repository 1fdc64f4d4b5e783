//! A question that is stopped at any poll has no answer, and the questions after it have theirs.

#![allow(clippy::unwrap_used)]

use lookalike::{
    ErrorKind, Index, IndexWriter, LookalikeError, Progress, Record, Settings, Silent, Source,
    index::{AddOptions, IndexSettings, PassageQuery, Query, QuerySubject, Wanted},
    methods::MethodSettings,
    settings::Verify,
};
use std::sync::atomic::{AtomicU64, Ordering};

/// Asks for the stop from one poll on.
struct From {
    poll: u64,
    polls: AtomicU64,
}

impl Progress for From {
    fn cancelled(&self) -> bool {
        self.polls.fetch_add(1, Ordering::Relaxed) >= self.poll
    }
}

/// Clusters of near-duplicates, in several segments.
fn filled(settings: IndexSettings) -> (tempfile::TempDir, Index) {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("index");
    let mut writer = IndexWriter::create(&dir, settings, 1).unwrap();
    for part in 0..3 {
        let record = |n: u32| {
            let kind = n % 4;
            let words = (0..30).map(|word| format!("w{kind}x{word}")).collect::<Vec<_>>();
            Record::new(format!("{} end {part} {n}", words.join(" "))).id(format!("{part}-{n}"))
        };
        let records: Vec<Record> = (0..12).map(record).collect();
        let (fields, options) = (Settings::default(), AddOptions::default());
        writer.add(Source::records(records), &fields, &options, &Silent, |_| {}).unwrap();
    }
    let index = Index::open(&dir).unwrap();
    (folder, index)
}

fn settings() -> IndexSettings {
    let method = MethodSettings {
        spec: "minhash-lsh".into(),
        verify: Verify::Sketch,
        lexicon: None,
        lexicon_checksum: None,
        key_limit: None,
    };
    let mut settings =
        IndexSettings { methods: vec![method], passages: Some(5), ..IndexSettings::default() };
    settings.documents.threshold = "0.7".into();
    settings
}

/// Stops a question at each of its polls. Returns how many there are.
fn at_any_poll(
    index: &Index,
    fresh: impl Fn() -> Index,
    ask: impl Fn(&Index, &dyn Progress) -> Result<String, LookalikeError>,
) -> u64 {
    let complete = ask(&fresh(), &Silent).unwrap();
    for poll in 0.. {
        let stop = From { poll, polls: AtomicU64::new(0) };
        match ask(index, &stop) {
            Ok(answer) => {
                assert_eq!(answer, complete, "not stopped by {poll} polls");
                assert!(stop.polls.into_inner() <= poll, "poll {poll} was not looked at");
                return poll;
            }
            Err(error) => {
                assert!(matches!(error, LookalikeError::QuestionCancelled), "{error}");
                assert_eq!((error.kind(), error.code()), (ErrorKind::Cancelled, "cancelled"));
            }
        }
        assert_eq!(ask(index, &Silent).unwrap(), complete, "after a stop at poll {poll}");
    }
    unreachable!("a question has an end")
}

#[test]
fn questions_of_all_kinds() {
    let text = (0..30).map(|word| format!("w1x{word}")).collect::<Vec<_>>().join(" ");
    let subjects = [
        QuerySubject::Id("1-5".into()),
        QuerySubject::Text(format!("{text} end")),
        QuerySubject::Text(format!("{text} and more that {text} no other document has at all")),
    ];
    let asks = [
        Wanted::Resembles,
        Wanted::Containing,
        Wanted::ContainedIn,
        Wanted::Cosine,
        Wanted::Cluster,
        Wanted::Method("minhash-lsh".into()),
    ];
    let lean = IndexSettings { lean: Some("0.5".into()), methods: Vec::new(), ..settings() };
    for settings in [settings(), lean] {
        let (_folder, index) = filled(settings);
        let fresh = || Index::open(index.dir()).unwrap();
        for about in &subjects {
            for ask in &asks {
                for (limit, passages) in [(None, true), (Some(2), false)] {
                    let mut query = Query::new(about.clone());
                    (query.ask, query.limit, query.passages) = (ask.clone(), limit, passages);
                    if index.ask(&query).is_err() {
                        // Not for a lean index.
                        assert!(index.settings().lean.is_some());
                        continue;
                    }
                    let found = index.ask(&query).unwrap().matches.len() as u64;
                    let polls = at_any_poll(&index, fresh, |index, stop| {
                        Ok(serde_json::to_string(&index.ask_until(&query, stop)?)?)
                    });
                    assert!(polls > found, "{ask:?} has {found} matches and {polls} polls");
                }
            }
            let query = PassageQuery::new(about.clone());
            let found = index.find_passages(&query).unwrap().documents.len() as u64;
            let polls = at_any_poll(&index, fresh, |index, stop| {
                Ok(serde_json::to_string(&index.find_passages_until(&query, stop)?)?)
            });
            assert!(found > 0 && polls > 2 * found, "{found} documents and {polls} polls");
        }
    }
}

/// The hint is made of two more questions.
#[test]
fn a_question_with_a_hint() {
    let (_folder, index) = filled(settings());
    let fresh = || Index::open(index.dir()).unwrap();
    let text = (0..8).map(|word| format!("w1x{word}")).collect::<Vec<_>>().join(" ");
    let query = Query::new(QuerySubject::Text(text));
    assert!(index.ask(&query).unwrap().hint.is_some());
    at_any_poll(&index, fresh, |index, stop| {
        Ok(serde_json::to_string(&index.ask_until(&query, stop)?)?)
    });
}
