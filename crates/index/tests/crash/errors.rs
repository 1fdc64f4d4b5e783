//! Failing syncs and full disks: the writer stops, and a new one goes on.

use crate::found::{check, open};
use crate::history::{DIR, History, Session, SharedHistory, rules};
use crate::model::Rules;
use lookalike_index::Disk;
use lookalike_index::IndexError;
use lookalike_testing::failing_disk::FailingDisk;
use std::path::Path;

/// Steps of a history.
const STEPS: usize = 40;

/// Creates an index and runs a history until a step fails. Returns its session, unless the creation
/// failed.
fn run(
    disk: &FailingDisk,
    rules: &Rules,
    history: &SharedHistory,
) -> (Option<Session>, Result<(), IndexError>) {
    match Session::create(disk, rules.clone(), 7, history) {
        Ok(mut session) => {
            let result = session.run(STEPS);
            (Some(session), result)
        }
        Err(error) => (None, Err(error)),
    }
}

fn now(history: &SharedHistory) -> History {
    history.lock().unwrap().clone()
}

/// After an error: power cuts, and a new writer on the same disk, which goes on. Returns whether the
/// index existed.
fn check_after_error(
    disk: &FailingDisk,
    rules: &Rules,
    (session, history): (Option<Session>, &SharedHistory),
    what: &str,
) -> bool {
    assert_eq!(disk.retries_after_failed_sync(), 0, "{what}");
    if session.is_some() {
        // A writer that stopped leaves no segment that it had begun.
        let left = disk.list(&Path::new(DIR).join("seg")).unwrap();
        assert!(left.iter().all(|name| name.ends_with(".seg")), "{what}: {left:?}");
    }
    for seed in 0..3 {
        check(&disk.crash(seed), rules, &now(history), &format!("{what}, power cut {seed}"));
    }
    disk.limit_space(None);
    let Some(mut session) = session else {
        check(disk, rules, &now(history), what);
        return false;
    };
    session.close();
    let (writer, _, content) = open(disk, rules, &now(history), what).expect("it was created");
    drop(writer);
    session.go_on(&content, 4).unwrap_or_else(|error| panic!("{what}: {error}"));
    for seed in 3..7 {
        check(&disk.crash(seed), rules, &now(history), &format!("{what}, power cut {seed} later"));
    }
    true
}

/// Each sync fails once.
#[test]
fn a_failed_sync_stops_the_writer_and_a_new_one_goes_on() {
    let (mut failures, mut of_creation) = (0, 0);
    for (number, step) in [(0, 1), (1, 3), (2, 3)] {
        let rules = rules(number);
        for sync in (0..).step_by(step) {
            let disk = FailingDisk::new();
            disk.fail_sync(sync);
            let history = SharedHistory::default();
            let (session, result) = run(&disk, &rules, &history);
            if result.is_ok() {
                break;
            }
            let what = format!("rules {number}, sync {sync}");
            let existed = check_after_error(&disk, &rules, (session, &history), &what);
            failures += 1;
            of_creation += u64::from(!existed);
        }
    }
    println!("{failures} failed syncs, {of_creation} of them in the creation");
    assert!(failures > 100 && of_creation > 3, "{failures} {of_creation}");
}

/// The disk is full after each number of blocks, and has space again later.
#[test]
fn a_full_disk_stops_the_writer_and_a_new_one_goes_on() {
    let rules = rules(1);
    let (mut failures, mut of_creation) = (0, 0);
    for blocks in 0.. {
        let disk = FailingDisk::new();
        disk.limit_space(Some(blocks * 4096));
        let history = SharedHistory::default();
        let (session, result) = run(&disk, &rules, &history);
        if result.is_ok() {
            break;
        }
        let what = format!("{blocks} blocks");
        let existed = check_after_error(&disk, &rules, (session, &history), &what);
        failures += 1;
        of_creation += u64::from(!existed);
    }
    println!("{failures} sizes of a disk that was full, {of_creation} of them in the creation");
    assert!(failures > 20 && failures > of_creation && of_creation > 3, "{failures} {of_creation}");
}
