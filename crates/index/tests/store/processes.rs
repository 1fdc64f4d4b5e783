//! Several processes. The children are this test program again, with the name of one test.

use crate::model::{Model, SETTINGS, random_operations};
use lookalike_index::{Change, RealDisk, Record, Store, StoreReader};
use std::io::{BufRead, BufReader, Read, Write};
use std::ops::Bound;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::thread;
use std::time::Duration;

/// Set in the children to the directory of the index.
const DIRECTORY: &str = "LOOKALIKE_TEST_INDEX";

fn directory_of_child() -> Option<PathBuf> {
    std::env::var_os(DIRECTORY).map(PathBuf::from)
}

fn child(test: &str, directory: &Path) -> (Child, BufReader<ChildStdout>) {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args([&format!("processes::{test}"), "--exact", "--ignored", "--nocapture"])
        .env(DIRECTORY, directory)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let output = BufReader::new(child.stdout.take().unwrap());
    (child, output)
}

/// The rest of the numbers that a child has printed on lines of their own.
fn numbers(output: impl BufRead) -> Vec<u64> {
    output.lines().map_while(Result::ok).filter_map(|line| line.parse().ok()).collect()
}

/// The change of the commit after `model`.
fn next_change(model: &mut Model) -> Change {
    let change = model.change(&random_operations(model.commit));
    model.apply(&change);
    change
}

#[test]
#[ignore = "a child process of the tests"]
fn child_commits_until_it_is_killed() {
    let Some(directory) = directory_of_child() else { return };
    let mut store = Store::open(&RealDisk, &directory, Some(SETTINGS)).unwrap();
    let mut model = Model::of(store.state(), &store.records().unwrap());
    loop {
        let commit = store.commit(&next_change(&mut model)).unwrap();
        let mut out = std::io::stdout().lock();
        writeln!(out, "\n{commit}").unwrap();
        out.flush().unwrap();
    }
}

#[test]
fn a_killed_writer_loses_nothing_acknowledged() {
    let dir = tempfile::tempdir().unwrap();
    drop(Store::create(&RealDisk, dir.path(), SETTINGS).unwrap());
    let mut model = Model::default();
    // Open all the time, while writers are killed and others repair the file.
    let mut follower = StoreReader::open(&RealDisk, dir.path(), Some(SETTINGS)).unwrap();
    let (mut kept, mut kills) = (0, 0);
    for round in 0..40 {
        let (mut child, mut output) = child("child_commits_until_it_is_killed", dir.path());
        // A first commit, then a time that differs from round to round.
        let mut line = String::new();
        while line.trim().parse::<u64>().is_err() {
            line.clear();
            assert_ne!(output.read_line(&mut line).unwrap(), 0);
        }
        let first: u64 = line.trim().parse().unwrap();
        thread::sleep(Duration::from_micros(round * 1_700 % 40_000));
        child.kill().unwrap();
        child.wait().unwrap();
        // Without a writer and before a repair, what is durable is there.
        if round % 3 == 0 {
            follower.refresh().unwrap();
        }
        let acknowledged = numbers(output).into_iter().max().unwrap_or(first);
        kills += 1;
        if round % 2 == 0 {
            let reader = StoreReader::open(&RealDisk, dir.path(), Some(SETTINGS)).unwrap();
            assert!(reader.state().commit >= acknowledged);
        }
        let store = Store::open(&RealDisk, dir.path(), Some(SETTINGS)).unwrap();
        let found = Model::of(store.state(), &store.records().unwrap());
        assert!(found.commit == acknowledged || found.commit == acknowledged + 1);
        kept += u64::from(found.commit > acknowledged);
        while model.commit < found.commit {
            next_change(&mut model);
        }
        assert_eq!(found, model);
        follower.refresh().unwrap();
        assert_eq!(Model::of(follower.state(), &follower.records().unwrap()), model);
    }
    println!("{kills} kills, {} commits; the one under way was kept {kept} times", model.commit);
}

/// Rows that each commit rewrites.
const ROWS: u32 = 300;
const LAST: u64 = 400;

/// All rows say the number of the commit; one segment is replaced, and as many of its documents as
/// the number of the commit are dead.
fn numbered_change(commit: u64) -> Change {
    let segment = lookalike_index::SegmentEntry {
        id: commit,
        documents: 100_000,
        units: 1,
        postings: commit,
        bytes: commit,
        level: 0,
        checksum: commit,
    };
    let key = |row: u32| row.to_be_bytes().to_vec();
    Change {
        segments_removed: if commit > 1 { vec![commit - 1] } else { Vec::new() },
        segments_added: vec![segment],
        dead_added: [(commit, (0..commit as u32).map(|local| local * 200).collect())].into(),
        changed: (0..ROWS).map(|row| (row * 50, Some(commit as u32))).collect(),
        next_number: Some(ROWS * 50),
        next_segment: Some(commit + 1),
        records: (0..ROWS)
            .map(|row| {
                let value = Some(commit.to_le_bytes().to_vec());
                Record { table: 1, key: key(row), value }
            })
            .collect(),
    }
}

/// Follows the commits up to the last one and checks that each state is whole. Returns how many
/// there were. `open` makes another reader, for readers that can be opened beside a writer.
fn follow(mut reader: StoreReader, open: Option<&dyn Fn() -> StoreReader>) -> u64 {
    let (mut seen, mut checked) = (0, 0);
    loop {
        let state = reader.state();
        let commit = state.commit;
        if commit > checked {
            checked = commit;
            assert!(state.changed.iter().all(|(_, value)| u64::from(value) == commit));
            assert_eq!(state.changed.len(), ROWS as usize);
            assert_eq!(state.segments.len(), 1);
            assert_eq!(state.segments[0].checksum, commit);
            assert_eq!(state.dead[&commit].len(), commit);
            let records = reader.records().unwrap();
            let expected = records.commit().to_le_bytes();
            assert!(records.commit() >= commit);
            let rows = records.range(1, Bound::Unbounded, Bound::Unbounded).unwrap();
            let rows = rows.map(|row| assert_eq!(row.unwrap().1, expected));
            assert_eq!(rows.count(), ROWS as usize);
        }
        if commit == LAST {
            return seen;
        }
        match open {
            // A fresh reader every now and then, while the writer commits.
            Some(open) if seen % 16 == 15 => {
                let fresh = open();
                assert!(fresh.state().commit >= commit);
                reader = fresh;
            }
            _ => {
                reader.refresh().unwrap();
            }
        }
        seen += u64::from(reader.state().commit > commit);
    }
}

#[test]
#[ignore = "a child process of the tests"]
fn child_follows_commits() {
    let Some(directory) = directory_of_child() else { return };
    let open = || StoreReader::open(&RealDisk, &directory, Some(SETTINGS)).unwrap();
    println!("\n{}", follow(open(), Some(&open)));
}

#[test]
fn readers_in_other_threads_see_whole_commits() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = Store::create(&RealDisk, dir.path(), SETTINGS).unwrap();
    // More than cores: readers that refresh without a pause must not keep the writer waiting.
    let mut readers = vec![store.reader(), store.reader()];
    for _ in 0..4 {
        readers.push(StoreReader::open(&RealDisk, dir.path(), Some(SETTINGS)).unwrap());
    }
    thread::scope(|scope| {
        let readers: Vec<_> =
            readers.into_iter().map(|reader| scope.spawn(|| follow(reader, None))).collect();
        for commit in 1..=LAST {
            assert_eq!(store.commit(&numbered_change(commit)).unwrap(), commit);
        }
        for reader in readers {
            assert!(reader.join().unwrap() > 0);
        }
    });
}

#[test]
fn readers_in_other_processes_see_whole_commits() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = Store::create(&RealDisk, dir.path(), SETTINGS).unwrap();
    let children: Vec<_> = (0..2).map(|_| child("child_follows_commits", dir.path())).collect();
    for commit in 1..=LAST {
        assert_eq!(store.commit(&numbered_change(commit)).unwrap(), commit);
    }
    for (mut child, output) in children {
        let seen = numbers(output);
        assert!(child.wait().unwrap().success());
        println!("a reader saw {seen:?} different commits");
        assert_eq!(seen.len(), 1);
    }
}

#[test]
#[ignore = "a child process of the tests"]
fn child_writes_too() {
    let Some(directory) = directory_of_child() else { return };
    let error = Store::open(&RealDisk, &directory, Some(SETTINGS)).unwrap_err();
    println!("\n{error}");
}

#[test]
fn a_second_writer_is_refused_with_the_number_of_the_first() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = Store::create(&RealDisk, dir.path(), SETTINGS).unwrap();
    let (mut child, mut output) = child("child_writes_too", dir.path());
    let mut text = String::new();
    output.read_to_string(&mut text).unwrap();
    assert!(child.wait().unwrap().success());
    let pid = std::process::id();
    assert!(
        text.contains(&format!("lock: another process ({pid}) writes to this index")),
        "{text}"
    );
    store.commit(&Change::default()).unwrap();
}
