//! Measures the transactional store: commits, opening after a kill, refreshing a reader.
//!
//! `cargo run --profile lab -p lookalike-index --example store_speed -- DIRECTORY`

use lookalike_index::{Change, RealDisk, SegmentEntry, Store, StoreReader};
use redb::{ConcurrencyMode, Database, TableDefinition};
use std::error::Error;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

type Outcome = Result<(), Box<dyn Error>>;

/// Documents with a changed row in the large store.
const MANY: u32 = 1_000_000;

fn main() -> Outcome {
    let arguments: Vec<String> = std::env::args().collect();
    let directory = Path::new(arguments.get(1).ok_or("give a directory that does not exist yet")?);
    if arguments.get(2).is_some_and(|word| word == "child") {
        return commit_until_killed(directory);
    }
    fs::create_dir(directory)?;
    modes(&directory.join("modes"))?;
    small(&directory.join("small"))?;
    beside_readers(&directory.join("small"))?;
    large(&directory.join("large"))
}

/// Some documents, spread over all.
fn rows(seed: u32, count: u32, documents: u32) -> Vec<(u32, Option<u32>)> {
    let number = |at: u32| seed.wrapping_add(at).wrapping_mul(2_654_435_761) % documents;
    (0..count).map(|at| (number(at), Some(at))).collect()
}

fn percentile(times: &mut [Duration], of_100: usize) -> f64 {
    times.sort_unstable();
    times[(times.len() - 1) * of_100 / 100].as_secs_f64() * 1e3
}

fn report(what: &str, mut times: Vec<Duration>) {
    let total: Duration = times.iter().sum();
    let each = times.len() as f64 / total.as_secs_f64();
    let (half, most) = (percentile(&mut times, 50), percentile(&mut times, 99));
    println!("{what}: {each:.0}/s, p50 {half:.3} ms, p99 {most:.3} ms");
}

fn timed(
    count: u32,
    mut call: impl FnMut(u32) -> Outcome,
) -> Result<Vec<Duration>, Box<dyn Error>> {
    let mut times = Vec::new();
    for at in 0..count {
        let start = Instant::now();
        call(at)?;
        times.push(start.elapsed());
    }
    Ok(times)
}

/// redb alone: one row in a commit, in both modes, and the same sync without redb.
fn modes(directory: &Path) -> Outcome {
    const TABLE: TableDefinition<u32, u32> = TableDefinition::new("changed");
    fs::create_dir(directory)?;
    let mut file = fs::File::create(directory.join("log"))?;
    report(
        "append of 4 KiB and fdatasync",
        timed(1000, |_| {
            file.write_all(&[1; 4096])?;
            Ok(file.sync_data()?)
        })?,
    );
    for (name, mode, two_phase) in [
        ("ExclusiveWriter", ConcurrencyMode::ExclusiveWriter, false),
        ("ExclusiveWriter, 2 phases", ConcurrencyMode::ExclusiveWriter, true),
        ("SingleWriter", ConcurrencyMode::SingleWriter, true),
    ] {
        let path = directory.join(name);
        let database: Database = Database::builder().set_concurrency_mode(mode).create(path)?;
        let times = timed(1000, |at| {
            let mut transaction = database.begin_write()?;
            transaction.set_two_phase_commit(two_phase);
            transaction.open_table(TABLE)?.insert(at, at)?;
            Ok(transaction.commit()?)
        })?;
        report(&format!("redb, {name}, 1 row"), times);
    }
    Ok(())
}

fn small(directory: &Path) -> Outcome {
    fs::create_dir(directory)?;
    let mut store = Store::create(&RealDisk, directory, 1)?;
    store.commit(&Change { next_number: Some(MANY), ..Change::default() })?;
    commits("new store", &mut store, directory)
}

fn commits(name: &str, store: &mut Store, directory: &Path) -> Outcome {
    let mut reader = StoreReader::open(&RealDisk, directory, None)?;
    for (count, times) in [(1, 1000), (1000, 200)] {
        let mut refreshes = Vec::new();
        let commits = timed(times, |at| {
            let changed = rows(at * count, count, MANY);
            store.commit(&Change { changed, ..Change::default() })?;
            Ok(())
        })?;
        report(&format!("{name}, commits of {count} changed rows"), commits);
        for at in 0..times {
            let changed = rows(at * count, count, MANY);
            store.commit(&Change { changed, ..Change::default() })?;
            let start = Instant::now();
            reader.refresh()?;
            refreshes.push(start.elapsed());
        }
        refreshes.remove(0);
        report(&format!("{name}, refresh after a commit of {count} rows"), refreshes);
    }
    let idle = timed(1000, |_| {
        reader.refresh()?;
        Ok(())
    })?;
    report(&format!("{name}, refresh without a commit"), idle);
    Ok(())
}

/// Commits while readers refresh without a pause, each with its own opening of the file.
fn beside_readers(directory: &Path) -> Outcome {
    let mut store = Store::open(&RealDisk, directory, None)?;
    for count in [1, 2, 8] {
        let done = AtomicBool::new(false);
        let refreshes = AtomicU64::new(0);
        let mut readers = Vec::new();
        for _ in 0..count {
            readers.push(StoreReader::open(&RealDisk, directory, None)?);
        }
        let commits = thread::scope(|scope| {
            for mut reader in readers {
                let (done, refreshes) = (&done, &refreshes);
                scope.spawn(move || {
                    while !done.load(Ordering::Relaxed) && reader.refresh().is_ok() {
                        refreshes.fetch_add(1, Ordering::Relaxed);
                    }
                });
            }
            let commits = timed(500, |at| {
                store.commit(&Change { changed: rows(at, 1, MANY), ..Change::default() })?;
                Ok(())
            });
            done.store(true, Ordering::Relaxed);
            commits
        })?;
        report(&format!("commits of 1 row beside {count} busy readers"), commits);
        println!("  refreshes meanwhile: {}", refreshes.into_inner());
    }
    Ok(())
}

fn commit_until_killed(directory: &Path) -> Outcome {
    let mut store = Store::open(&RealDisk, directory, None)?;
    for commit in 0.. {
        store.commit(&Change { changed: rows(commit, 1, MANY), ..Change::default() })?;
        println!("{commit}");
    }
    Ok(())
}

/// A million changed rows and 500,000 dead documents.
fn large(directory: &Path) -> Outcome {
    fs::create_dir(directory)?;
    let mut store = Store::create(&RealDisk, directory, 1)?;
    let segments_added = (0..10).map(|id| SegmentEntry {
        id,
        documents: MANY / 10,
        units: 1,
        postings: 1,
        bytes: 1,
        level: 1,
        checksum: 1,
    });
    let start = Instant::now();
    store.commit(&Change {
        segments_added: segments_added.collect(),
        dead_added: (0..10).map(|id| (id, (0..MANY / 20).map(|at| at * 2).collect())).collect(),
        changed: (0..MANY).map(|number| (number, Some(number / 2))).collect(),
        next_number: Some(MANY),
        next_segment: Some(10),
        ..Change::default()
    })?;
    println!("a commit of {MANY} changed rows: {:.2} s", start.elapsed().as_secs_f64());
    drop(store);
    let mut child = Command::new(std::env::current_exe()?)
        .arg(directory)
        .arg("child")
        .stdout(Stdio::piped())
        .spawn()?;
    let output = child.stdout.take().ok_or("no output")?;
    for line in BufReader::new(output).lines().take(200) {
        line?;
    }
    child.kill()?;
    child.wait()?;
    let bytes = fs::metadata(directory.join("store.redb"))?.len();
    println!("file: {:.1} MB", bytes as f64 / 1e6);
    let start = Instant::now();
    let store = Store::open(&RealDisk, directory, None)?;
    println!("open after kill -9: {:.0} ms", start.elapsed().as_secs_f64() * 1e3);
    let start = Instant::now();
    drop(store);
    println!("close: {:.0} ms", start.elapsed().as_secs_f64() * 1e3);
    let start = Instant::now();
    let mut store = Store::open(&RealDisk, directory, None)?;
    println!("open after a close: {:.0} ms", start.elapsed().as_secs_f64() * 1e3);
    let start = Instant::now();
    let reader = StoreReader::open(&RealDisk, directory, None)?;
    println!("open of a reader: {:.0} ms", start.elapsed().as_secs_f64() * 1e3);
    let start = Instant::now();
    let copy = reader.state().clone();
    println!("clone of the state: {:.3} ms", start.elapsed().as_secs_f64() * 1e3);
    drop(copy);
    commits("large store", &mut store, directory)
}
