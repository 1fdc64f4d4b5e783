//! Damaged indexes: what check says, what repair makes of them, and files that are none.

#![allow(clippy::unwrap_used)]

use lookalike::{
    Index, IndexWriter, Record, Settings, Silent, Source,
    index::{AddOptions, DeleteWhat, IndexSettings, check_index, export_documents, repair_index},
};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

type Sets = BTreeMap<(String, Option<String>), String>;

fn text(number: usize) -> String {
    let word = |at: usize| format!("w{}", (number * 31 + at * 7) % 97);
    (0..40).map(word).collect::<Vec<_>>().join(" ")
}

/// An index of two sweeps in several segments, with documents replaced and deleted.
fn index(dir: &Path, texts: bool) {
    let settings = IndexSettings { texts, ..IndexSettings::default() };
    let mut writer = IndexWriter::create(dir, settings, 1).unwrap();
    for (sweep, range) in [("may", 0..60), ("june", 30..90), ("june", 80..95)] {
        let records = range.map(|number| {
            let id = format!("d{number}");
            let more = if sweep == "june" { " in june" } else { "" };
            let url = format!("http://a.example/{number}");
            Record::new(format!("{}{more}", text(number))).id(id).url(url).title("a title")
        });
        let sweep = Some((sweep.to_owned(), None));
        let options = AddOptions { sweep, ..AddOptions::default() };
        writer
            .add(Source::records(records), &Settings::default(), &options, &Silent, |_| {})
            .unwrap();
    }
    let what = DeleteWhat { ids: (0..8).map(|n| format!("d{n}")).collect(), ..Default::default() };
    let found = writer.find(&what).unwrap();
    writer.delete(&found.documents);
    writer.commit().unwrap();
}

/// The documents with their texts; without texts their sizes.
fn documents(dir: &Path) -> Sets {
    let index = Index::open(dir).unwrap();
    let snapshot = index.snapshot().unwrap();
    let sweeps: Vec<String> = index.sweeps().unwrap().into_iter().map(|s| s.name).collect();
    assert!(!sweeps.is_empty() || snapshot.is_empty());
    let mut texts = lookalike_index::TextReader::default();
    snapshot
        .documents()
        .map(|at| {
            let document = snapshot.document(at);
            let key = (
                document.id().to_owned(),
                Some(format!("{} {}", document.sweep(), document.url())),
            );
            let text = match index.settings().texts {
                true => document.text(&mut texts).unwrap().to_owned(),
                false => format!("{:?} {}", document.unit(), document.tokens()),
            };
            (key, text)
        })
        .collect()
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true => copy(&entry.path(), &target),
            false => drop(fs::copy(entry.path(), target).unwrap()),
        }
    }
}

/// Ways to damage a file of so many bytes at a place.
fn damage(bytes: &mut Vec<u8>, kind: usize, at: usize) {
    match kind % 4 {
        0 => bytes[at] ^= 1 << (at % 8),
        1 => bytes.truncate(at),
        2 => {
            let end = bytes.len().min(at + 4096);
            bytes[at..end].fill(0);
        }
        _ => bytes.fill(0),
    }
}

/// Damages files of an index in many places: check names the file, repair makes an index that opens
/// and that check finds nothing wrong with, and its documents are some of those that there were.
fn repairs(texts: bool, rounds: usize) {
    let folder = tempfile::tempdir().unwrap();
    let whole = folder.path().join("whole");
    index(&whole, texts);
    let all = documents(&whole);
    // With those that were deleted or replaced, if the store is lost.
    let ever: Vec<String> = (0..95).map(text).collect();
    let mut files: Vec<PathBuf> =
        fs::read_dir(whole.join("seg")).unwrap().map(|e| e.unwrap().path()).collect();
    files.sort();
    files.push(whole.join("store.redb"));
    let mut state = 7u64;
    let mut losses = [0usize; 2];
    for round in 0..rounds {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let file = &files[round % files.len()];
        let mut bytes = fs::read(file).unwrap();
        let at = (state >> 20) as usize % bytes.len();
        damage(&mut bytes, round / files.len(), at);
        let dir = folder.path().join(format!("damaged-{round}"));
        copy(&whole, &dir);
        let path = dir.join(file.strip_prefix(&whole).unwrap());
        fs::write(&path, &bytes).unwrap();
        let name = format!("round {round}: {} at {at}", path.display());
        let wrong = check_index(&dir, true, 1).unwrap();
        let intact = bytes == fs::read(file).unwrap();
        let is_store = path.ends_with("store.redb");
        let named =
            wrong.iter().any(|what| what.contains(&*path.file_name().unwrap().to_string_lossy()));
        // Free pages of the store may have any bytes.
        let harmless = is_store
            && wrong.is_empty()
            && IndexWriter::open(
                &{
                    let copied = folder.path().join(format!("opened-{round}"));
                    copy(&dir, &copied);
                    copied
                },
                1,
            )
            .is_ok();
        assert!(named || intact || harmless, "{name}: {wrong:?}");
        let output = folder.path().join(format!("repaired-{round}"));
        let done = repair_index(&dir, Some(&output), 1).unwrap();
        assert_eq!(fs::read(&path).unwrap(), bytes, "{name}: the damaged index is not changed");
        assert_eq!(check_index(&output, true, 1).unwrap(), Vec::<String>::new(), "{name}");
        let found = documents(&output);
        assert_eq!(found.len() as u64, done.salvaged.documents, "{name}");
        for ((id, place), content) in &found {
            let known = all.get(&(id.clone(), place.clone()));
            let is_right = match (known, done.salvaged.deletes_known) {
                (Some(known), _) => known == content,
                (None, true) => false,
                (None, false) if texts => {
                    ever.iter().any(|text| content.starts_with(text.as_str()))
                }
                (None, false) => true,
            };
            assert!(is_right, "{name}: {id} {place:?} {content}");
        }
        if is_store {
            assert!(all.keys().all(|key| found.contains_key(key)), "{name}: segments are whole");
        } else {
            losses[usize::from(found.len() == all.len())] += 1;
        }
        for used in [dir, output] {
            fs::remove_dir_all(used).unwrap();
        }
    }
    assert!(losses.iter().all(|&count| count > 0), "{losses:?}");
}

#[test]
fn a_damaged_index_is_repaired_with_what_is_right() {
    repairs(true, 48);
}

#[test]
fn a_damaged_index_without_texts_is_repaired() {
    repairs(false, 40);
}

#[test]
fn a_repair_in_place_keeps_the_damaged_index() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("index");
    index(&dir, true);
    let all = documents(&dir);
    let store = dir.join("store.redb");
    fs::write(&store, b"nothing").unwrap();
    assert!(Index::open(&dir).is_err());
    let done = repair_index(&dir, None, 1).unwrap();
    assert_eq!(done.damaged, folder.path().canonicalize().unwrap().join("index.damaged"));
    assert_eq!(fs::read(done.damaged.join("store.redb")).unwrap(), b"nothing");
    assert!(!done.salvaged.deletes_known);
    assert_eq!(done.unnamed_sweeps, 2);
    assert!(all.keys().all(|key| documents(&dir).contains_key(key)));
    // Of documents that were replaced, the last text is there, as it was.
    assert!(all.iter().all(|(key, text)| documents(&dir).get(key) == Some(text)));
    IndexWriter::open(&dir, 1).unwrap();
    // A second repair does not replace the first damaged one.
    let again = repair_index(&dir, None, 1).unwrap();
    assert!(again.damaged.ends_with("index.damaged-1"), "{again:?}");
    assert_eq!(again.salvaged.wrong, Vec::<String>::new());
    assert!(again.salvaged.deletes_known);
}

/// A changed byte in a compressed text that is decompressed into another text.
#[test]
fn a_text_without_its_digest_is_not_exported() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("index");
    let mut writer = IndexWriter::create(&dir, IndexSettings::default(), 1).unwrap();
    let records = [Record::new("the quick brown fox jumps over a lazy dog").id("fox")];
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
    let segment = fs::read_dir(dir.join("seg")).unwrap().next().unwrap().unwrap().path();
    let mut bytes = fs::read(&segment).unwrap();
    let at = bytes.windows(5).position(|part| part == b"quick").unwrap();
    bytes[at] = b'Q';
    fs::write(&segment, &bytes).unwrap();
    let index = Index::open(&dir).unwrap();
    let options = lookalike::index::ExportOptions::new(folder.path().join("out.jsonl"));
    let error = export_documents(&index, &options, &Silent).unwrap_err().to_string();
    assert!(error.contains("the text of `fox`"), "{error}");
    assert!(!options.output.exists());
    assert!(index.document("fox").is_err());
}

#[cfg(unix)]
mod links {
    use super::*;
    use std::os::unix::fs::symlink;

    /// A link in place of a file of the index is not followed, and its target is not changed.
    #[test]
    fn links_and_pipes_in_place_of_files_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let whole = folder.path().join("whole");
        index(&whole, true);
        let segment = fs::read_dir(whole.join("seg")).unwrap().next().unwrap().unwrap().file_name();
        let segment = Path::new("seg").join(segment);
        for (at, name) in
            [Path::new("lock"), Path::new("store.redb"), &segment, Path::new("settings.json")]
                .into_iter()
                .enumerate()
        {
            for pipe in [false, true] {
                let dir = folder.path().join(format!("{at}-{pipe}"));
                copy(&whole, &dir);
                let path = dir.join(name);
                let target = folder.path().join(format!("target-{at}"));
                fs::rename(&path, &target).unwrap();
                let before = fs::read(&target).unwrap();
                if pipe {
                    assert!(
                        std::process::Command::new("mkfifo").arg(&path).status().unwrap().success()
                    );
                } else {
                    symlink(&target, &path).unwrap();
                }
                let error = IndexWriter::open(&dir, 1).unwrap_err().to_string();
                let file = name.file_name().unwrap().to_string_lossy().into_owned();
                assert!(
                    error.contains(&file) && error.contains("put the file itself there"),
                    "{error}"
                );
                if !name.ends_with("settings.json") {
                    let wrong = check_index(&dir, false, 1).unwrap();
                    assert!(wrong.iter().any(|what| what.contains(&file)), "{wrong:?}");
                }
                assert_eq!(fs::read(&target).unwrap(), before);
            }
        }
    }
}
