//! Copies of an index while it is written, of damaged ones, and of what its settings name.

#![allow(clippy::unwrap_used)]

use lookalike::index::{ApplyOptions, IndexChange, IndexSettings, check_index, copy_index};
use lookalike::{Index, IndexWriter, Settings};
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

fn put(number: usize) -> IndexChange {
    let text: Vec<String> = (0..12).map(|at| format!("w{}", (number * 7 + at * at) % 90)).collect();
    IndexChange::put(format!("{{\"id\": \"d{number}\", \"text\": \"{}\"}}", text.join(" ")))
}

fn apply(writer: &mut IndexWriter, changes: &[IndexChange]) {
    writer.apply(changes, &Settings::default(), ApplyOptions::default()).unwrap();
}

/// The numbers of the documents of an index, which is sound.
fn numbers(dir: &Path) -> Vec<usize> {
    assert_eq!(check_index(dir, true, 1).unwrap(), Vec::<String>::new());
    let index = Index::open(dir).unwrap();
    let snapshot = index.snapshot().unwrap();
    let number = |at| snapshot.document(at).id()[1..].parse().unwrap();
    let mut numbers: Vec<usize> = snapshot.documents().map(number).collect();
    numbers.sort_unstable();
    numbers
}

#[test]
fn a_copy_of_an_index_that_is_written_is_one_of_its_commits() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("index");
    let mut writer = IndexWriter::create(&dir, IndexSettings::default(), 1).unwrap();
    let done = AtomicBool::new(false);
    let mut copies: Vec<_> = std::thread::scope(|scope| {
        // Each commit adds one document and deletes the tenth before it; segments are merged.
        scope.spawn(|| {
            for number in 0..150 {
                let mut changes = vec![put(number)];
                changes.extend(
                    number.checked_sub(10).map(|old| IndexChange::delete(format!("d{old}"))),
                );
                apply(&mut writer, &changes);
            }
            done.store(true, Ordering::Relaxed);
        });
        let mut copies = Vec::new();
        while !done.load(Ordering::Relaxed) {
            let to = folder.path().join(format!("copy-{}", copies.len()));
            let copied = copy_index(&dir, &to).unwrap();
            copies.push((to, copied.documents));
        }
        copies
    });
    let to = folder.path().join("last");
    let copied = copy_index(&dir, &to).unwrap();
    copies.push((to, copied.documents));
    let mut last = 0;
    for (to, documents) in &copies {
        let numbers = numbers(to);
        assert_eq!(numbers.len() as u64, *documents);
        if let (Some(&first), Some(&end)) = (numbers.first(), numbers.last()) {
            assert_eq!(numbers, (first..=end).collect::<Vec<_>>());
            assert_eq!(first, (end + 1).saturating_sub(10));
            assert!(end >= last, "copies go back in time");
            last = end;
        }
    }
    assert_eq!(last, 149, "the last copy has all");
    // A copy is an index: it is written as any other.
    let (to, _) = copies.last().unwrap();
    assert_eq!(Index::open(to).unwrap().settings(), Index::open(&dir).unwrap().settings());
    let mut writer = IndexWriter::open(to, 1).unwrap();
    apply(&mut writer, &[put(1000), IndexChange::delete("d149")]);
    drop(writer);
    assert_eq!(numbers(to), [(140..149).collect::<Vec<_>>(), vec![1000]].concat());
    let left = fs::read_dir(folder.path()).unwrap();
    let names: Vec<_> = left.map(|entry| entry.unwrap().file_name()).collect();
    assert!(
        names.iter().all(|name| !name.to_string_lossy().contains("lookalike-copy")),
        "{names:?}"
    );
}

#[test]
fn damaged_files_are_named_and_no_copy_is_left() {
    let folder = tempfile::tempdir().unwrap();
    let (dir, to) = (folder.path().join("index"), folder.path().join("copy"));
    let mut writer = IndexWriter::create(&dir, IndexSettings::default(), 1).unwrap();
    apply(&mut writer, &(0..50).map(put).collect::<Vec<_>>());
    drop(writer);
    let segment = fs::read_dir(dir.join("seg")).unwrap().next().unwrap().unwrap().path();
    let whole = fs::read(&segment).unwrap();
    let mut damaged = whole.clone();
    damaged[whole.len() / 2] ^= 1;
    fs::write(&segment, &damaged).unwrap();
    let error = copy_index(&dir, &to).unwrap_err().to_string();
    assert!(error.contains(&*segment.file_name().unwrap().to_string_lossy()), "{error}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "something is left");
    fs::write(&segment, &whole).unwrap();
    assert_eq!(copy_index(&dir, &to).unwrap().documents, 50);
    let again = copy_index(&dir, &to).unwrap_err().to_string();
    assert!(again.contains("something of this name"), "{again}");
    assert_eq!(numbers(&to).len(), 50);
    let inside = copy_index(&dir, &dir.join("seg/copy")).unwrap_err().to_string();
    assert!(inside.contains("a part of the index"), "{inside}");
    assert!(copy_index(&dir, &folder.path().join("..")).is_err());
    assert_eq!(copy_index(&dir, &folder.path().join("dot/.")).unwrap().documents, 50);
    assert_eq!(copy_index(&dir, &folder.path().join("n".repeat(255))).unwrap().documents, 50);
    let nowhere = copy_index(&dir, &folder.path().join("no/such/place")).unwrap_err().to_string();
    assert!(nowhere.contains("no/such"), "{nowhere}");
}
