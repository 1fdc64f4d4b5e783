//! Power cuts, failing syncs and full disks.

use crate::model::{Model, SETTINGS, random_operations};
use lookalike_index::{IndexError, Store, StoreReader};
use lookalike_testing::failing_disk::FailingDisk;
use std::path::Path;
use std::sync::{Arc, Mutex};

const ROOT: &str = "/";

/// What was committed, and what is being committed.
#[derive(Debug, Clone, Default)]
struct History {
    /// The state after the last commit that was acknowledged; `None` until the store exists.
    acknowledged: Option<Model>,
    /// The state after the one under way.
    under_way: Option<Model>,
}

impl History {
    fn allows(&self, found: &Model) -> bool {
        self.acknowledged.as_ref() == Some(found) || self.under_way.as_ref() == Some(found)
    }
}

/// Makes a store and commits random changes until one fails.
fn write(disk: &FailingDisk, commits: u64, history: &Mutex<History>) -> Result<(), IndexError> {
    history.lock().unwrap().under_way = Some(Model::default());
    let mut store = Store::create(disk, Path::new(ROOT), SETTINGS)?;
    acknowledge(history);
    let result = go_on(&mut store, commits, history);
    if result.is_err() {
        let again = store.commit(&lookalike_index::Change::default()).unwrap_err();
        assert!(matches!(again, IndexError::Stopped { .. }), "{again}");
    }
    result
}

fn go_on(store: &mut Store, commits: u64, history: &Mutex<History>) -> Result<(), IndexError> {
    for _ in 0..commits {
        let mut model = history.lock().unwrap().acknowledged.clone().unwrap();
        let change = model.change(&random_operations(model.commit));
        model.apply(&change);
        history.lock().unwrap().under_way = Some(model);
        store.commit(&change)?;
        acknowledge(history);
    }
    Ok(())
}

fn acknowledge(history: &Mutex<History>) {
    let mut history = history.lock().unwrap();
    history.acknowledged = Some(history.under_way.take().unwrap());
}

/// Opens a store after a crash and compares it with what it may hold; then commits once more.
///
/// Returns the commit that was found.
fn check(disk: &FailingDisk, history: &History, what: &str) -> u64 {
    let root = Path::new(ROOT);
    let mut store = match Store::open(disk, root, Some(SETTINGS)) {
        Ok(store) => store,
        Err(error) => {
            assert!(history.acknowledged.is_none(), "{what}: {error}");
            assert!(error.to_string().contains("not found"), "{what}: {error}");
            Store::create(disk, root, SETTINGS).unwrap()
        }
    };
    let mut found = Model::of(store.state(), &store.records().unwrap());
    assert!(history.allows(&found), "{what}: commit {} or its content", found.commit);
    let commit = found.commit;
    let change = found.change(&random_operations(commit + 1000));
    found.apply(&change);
    store.commit(&change).unwrap();
    drop(store);
    let reader = StoreReader::open(disk, root, Some(SETTINGS)).unwrap();
    assert_eq!(Model::of(reader.state(), &reader.records().unwrap()), found, "{what}");
    commit
}

/// Seeds per operation: more with `CRASH_SEEDS=n`.
fn seeds() -> u64 {
    std::env::var("CRASH_SEEDS").ok().map_or(3, |seeds| seeds.parse().unwrap())
}

/// After a power cut at any moment, the store holds the last acknowledged commit, or that and the
/// one under way, whole.
#[test]
fn a_power_cut_at_any_operation_loses_nothing_acknowledged() {
    let disk = FailingDisk::new();
    let history = Arc::new(Mutex::new(History::default()));
    let seen = Arc::new(Mutex::new([0u64; 4]));
    let (watched, counts) = (Arc::clone(&history), Arc::clone(&seen));
    disk.watch(move |moment| {
        let history = watched.lock().unwrap();
        for seed in 0..seeds() {
            let seed = seed << 32 | moment.operations();
            let crashed = moment.crash(seed);
            let what = format!("operation {}, seed {seed}", moment.operations());
            let mut counts = counts.lock().unwrap();
            counts[0] += 1;
            if seed % 5 == 0 && history.acknowledged.is_some() {
                // A reader has to repair it.
                let reader = StoreReader::open(&crashed, Path::new(ROOT), None).unwrap();
                let found = Model::of(reader.state(), &reader.records().unwrap());
                assert!(history.allows(&found), "{what}: reader");
            }
            let commit = if seed % 7 == 0 {
                // The power is cut again, during the repair or soon after it.
                crashed.crash_after(seed / 7 % 40);
                if Store::open(&crashed, Path::new(ROOT), None).is_err() {
                    counts[1] += 1;
                }
                check(&crashed.crash(seed + 1), &history, &what)
            } else {
                check(&crashed, &history, &what)
            };
            if let Some(under_way) = &history.under_way
                && under_way.commit > 0
            {
                counts[2 + usize::from(commit == under_way.commit)] += 1;
            }
        }
    });
    write(&disk, 150, &history).unwrap();
    let [crashes, in_repair, lost, kept] = *seen.lock().unwrap();
    println!(
        "{} operations, {crashes} power cuts, {in_repair} of them twice; the commit under way was \
         lost {lost} times and kept {kept} times",
        disk.operations()
    );
    assert!(disk.operations() > 1000 && in_repair > 0 && lost > 0 && kept > 0);
}

/// The writer sees the power cut as an error, and says so from then on.
#[test]
fn a_store_stops_when_its_disk_fails() {
    let whole = FailingDisk::new();
    write(&whole, 12, &Mutex::default()).unwrap();
    for operations in 0..whole.operations() {
        let disk = FailingDisk::new();
        let history = Mutex::default();
        disk.crash_after(operations);
        let result = write(&disk, 12, &history);
        let history = history.into_inner().unwrap();
        // The last operations are those of closing it.
        let all = history.acknowledged.as_ref().is_some_and(|model| model.commit == 12);
        assert_eq!(result.is_ok(), all);
        for seed in 0..3 {
            check(&disk.crash(seed), &history, &format!("operation {operations}, seed {seed}"));
        }
    }
}

/// After a failed sync nothing is written; opened again, with or without a power cut before or
/// after, the store holds what was acknowledged.
#[test]
fn a_failed_sync_stops_the_store() {
    let mut failures = 0;
    for sync in 0.. {
        let disk = FailingDisk::new();
        disk.fail_sync(sync);
        let history = Mutex::default();
        if write(&disk, 15, &history).is_ok() {
            break;
        }
        failures += 1;
        assert_eq!(disk.retries_after_failed_sync(), 0, "sync {sync}");
        for seed in 0..5 {
            check(&disk.crash(seed), &history.lock().unwrap(), &format!("sync {sync}, cut"));
        }
        let what = format!("sync {sync}");
        if history.lock().unwrap().acknowledged.is_none() {
            check(&disk, &history.lock().unwrap(), &what);
            continue;
        }
        let mut store = Store::open(&disk, Path::new(ROOT), None).unwrap();
        let found = Model::of(store.state(), &store.records().unwrap());
        assert!(history.lock().unwrap().allows(&found), "{what}");
        history.lock().unwrap().acknowledged = Some(found);
        go_on(&mut store, 4, &history).unwrap();
        drop(store);
        for seed in 0..20 {
            check(&disk.crash(seed), &history.lock().unwrap(), &format!("{what}, seed {seed}"));
        }
    }
    assert!(failures > 30, "{failures}");
}

/// A full disk stops the store; with space again it holds what was acknowledged.
#[test]
fn a_full_disk_stops_the_store() {
    let mut failures = 0;
    for blocks in (1..120).step_by(2) {
        let disk = FailingDisk::new();
        disk.limit_space(Some(blocks * 4096));
        let history = Mutex::default();
        if write(&disk, 60, &history).is_ok() {
            break;
        }
        failures += 1;
        let what = format!("{blocks} blocks");
        check(&disk.crash(blocks as u64), &history.lock().unwrap(), &what);
        disk.limit_space(None);
        check(&disk, &history.lock().unwrap(), &what);
    }
    assert!(failures > 10, "{failures}");
}
