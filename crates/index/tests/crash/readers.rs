//! A reader that keeps its snapshots while a writer in another process replaces all documents,
//! merges and compacts.

use crate::history::rules;
use crate::model::{Document, Expected, Model, Rules, makers};
use lookalike_index::{
    Disk, DocumentBatch, IndexError, IndexReader, IndexWriter, RealDisk, Snapshot,
};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

/// Set in the child to the directory of the index.
const DIRECTORY: &str = "LOOKALIKE_TEST_INDEX";

/// Each commit replaces all documents by those of the next version.
const DOCUMENTS: u32 = 12;
const LAST: u32 = 60;

fn disk() -> Arc<dyn Disk> {
    Arc::new(RealDisk)
}

/// The documents of a version in two segments, which are added to the model too.
fn version(number: u32, rules: &Rules, model: &mut Model) -> [DocumentBatch; 2] {
    let mut batches = [DocumentBatch::default(), DocumentBatch::default()];
    for (parity, batch) in (0..2).zip(&mut batches) {
        for at in (parity..DOCUMENTS).step_by(2) {
            let words = format!("a b c d e f{} g{} v{number}", at % 3, at % 5);
            let document = Document::new(&format!("d{at}"), 0, &words, f64::from(at % 4));
            document.push_to(&rules.rules(), batch);
            model.add(document);
        }
    }
    batches
}

fn commit(writer: &mut IndexWriter, batches: &[DocumentBatch]) -> Result<(), IndexError> {
    for batch in batches {
        writer.stage(std::slice::from_ref(batch))?;
    }
    writer.commit()?;
    writer.merge_where_due()
}

#[test]
#[ignore = "a child process of the tests"]
fn child_replaces_all_documents() {
    let Some(dir) = std::env::var_os(DIRECTORY).map(PathBuf::from) else { return };
    let rules = rules(0);
    let mut writer = IndexWriter::open(disk(), &dir, rules.description(), makers()).unwrap();
    for number in 2..=LAST {
        let batches = version(number, &rules, &mut Model::default());
        commit(&mut writer, &batches).unwrap();
        if number % 7 == 0 {
            writer.compact().unwrap();
        }
    }
}

/// The version of which a snapshot holds a document.
fn version_of(snapshot: &Snapshot) -> u32 {
    let at = snapshot.documents().next().unwrap();
    snapshot.document(at).number().0 / DOCUMENTS + 1
}

#[test]
fn snapshots_stay_what_they_are_while_another_process_writes() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("index");
    let rules = rules(0);
    let mut model = Model::default();
    let mut expected: Vec<Expected> = Vec::new();
    let mut writer = IndexWriter::create(disk(), &dir, rules.description(), makers()).unwrap();
    for number in 1..=LAST {
        let batches = version(number, &rules, &mut model);
        expected.push(Expected::of(&model, &rules));
        if number == 1 {
            commit(&mut writer, &batches).unwrap();
        }
    }
    drop(writer);
    let reader = IndexReader::open(disk(), &dir, rules.description(), makers()).unwrap();
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["readers::child_replaces_all_documents", "--exact", "--ignored", "--nocapture"])
        .env(DIRECTORY, &dir)
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let mut held: Vec<Arc<Snapshot>> = vec![reader.refresh().unwrap()];
    let mut ended = false;
    for round in 0.. {
        let snapshot = reader.refresh().unwrap();
        let version = version_of(&snapshot);
        for checked in [&snapshot, &held[round % held.len()], &held[0]] {
            expected[version_of(checked) as usize - 1].check(checked).unwrap();
        }
        assert_eq!(snapshot.check(Some(&makers())), Vec::<String>::new());
        if version > version_of(held.last().unwrap()) {
            held.push(snapshot);
        }
        if ended {
            break;
        }
        ended = child.try_wait().unwrap().is_some();
    }
    assert!(child.wait().unwrap().success());
    let versions: Vec<u32> = held.iter().map(|snapshot| version_of(snapshot)).collect();
    println!("a reader held versions {versions:?}");
    assert!(versions.len() > 1 && versions.last() == Some(&LAST), "{versions:?}");
    // The files of the first version are gone; its snapshot is read as before.
    assert!(!is_there(&dir, &held[0]));
    expected[0].check(&held[0]).unwrap();
}

/// Whether any file of a snapshot still has its name.
fn is_there(dir: &Path, snapshot: &Snapshot) -> bool {
    let name = |id: u64| dir.join("seg").join(format!("{id:08x}.seg"));
    snapshot.segments().iter().any(|live| name(live.id()).exists())
}
