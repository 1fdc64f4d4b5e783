//! Comparison of an index that is found after a crash with what it may hold.

use crate::history::{Content, DIR, FILE, History, RecordMap, UnderWay};
use crate::model::{Document, Rules, makers};
use lookalike_index::{
    Ask, Description, Disk, DocumentBatch, IndexError, IndexReader, IndexWriter, Question, Records,
    Snapshot,
};
use lookalike_testing::failing_disk::FailingDisk;
use std::ops::Bound;
use std::path::Path;
use std::sync::Arc;

/// What an index holds after a crash.
#[derive(Debug, Clone)]
pub(crate) enum Found {
    /// The last acknowledged commit.
    Acknowledged(Arc<Content>),
    /// The commit that was under way.
    UnderWay(Arc<Content>),
    /// A merge that was under way, with the documents of the last acknowledged commit.
    Merged(Arc<Content>),
}

/// The content that a commit with this number has by the history.
fn allowed(history: &History, commit: u64) -> Option<Found> {
    let next = match &history.under_way {
        UnderWay::Commit(next) if next.commit == commit => {
            return Some(Found::UnderWay(Arc::clone(next)));
        }
        UnderWay::Merge | UnderWay::Compact => true,
        _ => false,
    };
    let acknowledged = history.acknowledged.as_ref()?;
    match commit.checked_sub(acknowledged.commit)? {
        0 => Some(Found::Acknowledged(Arc::clone(acknowledged))),
        _ if next => Some(Found::Merged(Arc::clone(acknowledged))),
        _ => None,
    }
}

fn records_of(records: &Records) -> RecordMap {
    let mut all = RecordMap::new();
    for table in 0..=2 {
        for row in records.range(table, Bound::Unbounded, Bound::Unbounded).unwrap() {
            let (key, value) = row.unwrap();
            all.insert((table, key), value);
        }
    }
    all
}

/// Compares a snapshot with its content, and looks for anything wrong as `index check --deep` does.
fn compare(snapshot: &Snapshot, records: &Records, content: &Content, what: &str) {
    let expected = &content.expected;
    expected.check(snapshot).unwrap_or_else(|error| panic!("{what}: {error}"));
    for (ask, threshold, text) in [
        (Ask::Resembles, "0.4", "a b c d e f g h x"),
        (Ask::ContainedIn, "0.9", "a b c d e f g h k l m n o p q r s t u v w x y z"),
    ] {
        let question = Question { ask, threshold: threshold.parse().unwrap() };
        let checked = expected.check_answer(snapshot, question, text);
        checked.unwrap_or_else(|error| panic!("{what}: {error}"));
    }
    let wrong = snapshot.check(Some(&makers()));
    assert!(wrong.is_empty(), "{what}: {wrong:?}");
    assert_eq!(records_of(records), content.records, "{what}");
}

/// Opens an index after a crash or an error, and compares it with what it may hold. `None` if there
/// is none, and none was acknowledged.
pub(crate) fn open(
    disk: &FailingDisk,
    rules: &Rules,
    history: &History,
    what: &str,
) -> Option<(IndexWriter, Found, Arc<Content>)> {
    let (disk, dir): (Arc<dyn Disk>, _) = (Arc::new(disk.clone()), Path::new(DIR));
    let opened = Description::read(&*disk, dir)
        .and_then(|found| found.expect(dir, &rules.description()))
        .and_then(|()| IndexWriter::open(Arc::clone(&disk), dir, rules.description(), makers()));
    let writer = match opened {
        Ok(writer) => writer,
        Err(error) => {
            assert!(history.acknowledged.is_none(), "{what}: {error}");
            assert!(matches!(error, IndexError::NoIndex { .. }), "{what}: {error}");
            // An interrupted creation can be repeated.
            let created = IndexWriter::create(disk, dir, rules.description(), makers());
            created.unwrap_or_else(|error| panic!("{what}: {error}"));
            return None;
        }
    };
    let commit = writer.snapshot().commit();
    let found = allowed(history, commit);
    let found = found.unwrap_or_else(|| panic!("{what}: commit {commit}: {history:?}"));
    let content = Arc::clone(match &found {
        Found::Acknowledged(content) | Found::UnderWay(content) | Found::Merged(content) => content,
    });
    compare(writer.snapshot(), &writer.records().unwrap(), &content, what);
    // No file is left that the commit does not name.
    let named = writer.snapshot().segments().len();
    let files = disk.list(&dir.join("seg")).unwrap();
    assert_eq!(files.len(), named, "{what}: {files:?}");
    let table = rules.lean.as_ref().map(|_| "common.bin");
    let names = table.into_iter().chain(["files", "lock", "seg", "settings.json", "store.redb"]);
    assert!(disk.list(dir).unwrap().into_iter().eq(names), "{what}");
    assert_eq!(disk.list(&dir.join("files")).unwrap(), [FILE.0], "{what}");
    assert_eq!(disk.read(&dir.join("files").join(FILE.0)).unwrap(), FILE.1, "{what}");
    Some((writer, found, content))
}

/// Compares an index after a crash with what it may hold, and commits once more.
pub(crate) fn check(
    disk: &FailingDisk,
    rules: &Rules,
    history: &History,
    what: &str,
) -> Option<Found> {
    let (mut writer, found, content) = open(disk, rules, history, what)?;
    commit_once_more(&mut writer, rules, &content, what);
    Some(found)
}

/// Adds a document, deletes another one and writes a record; a reader finds them.
fn commit_once_more(writer: &mut IndexWriter, rules: &Rules, content: &Content, what: &str) {
    let (mut model, mut records) = (content.model.clone(), content.records.clone());
    if let Some((id, sweep)) = model.documents.keys().next().cloned() {
        let at = writer.snapshot().with_id_in(&id, sweep).unwrap();
        assert!(writer.delete(at), "{what}");
        model.documents.remove(&(id, sweep));
    }
    let document = Document::new("once more", 0, "a b c d e f g h", 2.0);
    let mut batch = DocumentBatch::default();
    document.push_to(&rules.rules(), &mut batch);
    model.add(document);
    writer.stage(&[batch]).unwrap();
    writer.put(2, b"once", Some(b"more"));
    records.insert((2, b"once".to_vec()), b"more".to_vec());
    let commit = writer.commit().unwrap().commit;
    writer.merge_where_due().unwrap();
    let content = Content::new(commit, model, records, rules);
    content.expected.check(writer.snapshot()).unwrap_or_else(|error| panic!("{what}: {error}"));
    assert_eq!(records_of(&writer.records().unwrap()), content.records, "{what}");
}

/// Opens an index after a crash for reading, which may have to repair it, and compares it.
pub(crate) fn check_reading(disk: &FailingDisk, rules: &Rules, history: &History, what: &str) {
    let disk: Arc<dyn Disk> = Arc::new(disk.clone());
    let reader = IndexReader::open(disk, Path::new(DIR), rules.description(), makers());
    let reader = reader.unwrap_or_else(|error| panic!("{what}: reader: {error}"));
    let snapshot = reader.refresh().unwrap();
    match allowed(history, snapshot.commit()) {
        Some(Found::Acknowledged(content) | Found::UnderWay(content) | Found::Merged(content)) => {
            compare(&snapshot, &reader.records().unwrap(), &content, what);
        }
        None => panic!("{what}: reader: commit {}", snapshot.commit()),
    }
}
