//! Power cuts at every operation.

use crate::found::{Found, check, check_reading};
use crate::history::{DIR, History, Session, SharedHistory, UnderWay, rules};
use crate::model::{Rules, makers};
use lookalike_index::{Disk, IndexWriter};
use lookalike_testing::failing_disk::FailingDisk;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread;

/// Operations of the disk at which the power is cut.
const OPERATIONS: u64 = 10_000;

/// Power cuts at each operation, with other seeds: more with `CRASH_SEEDS=n`.
fn seeds() -> u64 {
    std::env::var("CRASH_SEEDS").ok().map_or(1, |seeds| seeds.parse().unwrap())
}

/// A disk after a power cut, and what it may hold.
struct Cut {
    disk: FailingDisk,
    history: History,
    operation: u64,
    seed: u64,
}

/// How often each event occurred.
type Counts = BTreeMap<&'static str, u64>;

/// Checks a power cut. Some are followed by another one while the index is opened.
fn check_cut(cut: &Cut, rules: &Rules, counts: &mut Counts) {
    let Cut { disk, history, operation, seed } = cut;
    let what = format!("operation {operation}, seed {seed}");
    let mut count = |event| *counts.entry(event).or_default() += 1;
    count("power cuts");
    if seed % 5 == 0 && history.acknowledged.is_some() {
        check_reading(disk, rules, history, &what);
        count("found by a reader first");
    }
    let found = if seed % 7 == 0 {
        disk.crash_after(seed / 7 % 40);
        let again: Arc<dyn Disk> = Arc::new(disk.clone());
        if IndexWriter::open(again, Path::new(DIR), rules.description(), makers()).is_err() {
            count("power cut again while opening");
        }
        check(&disk.crash(seed + 1), rules, history, &what)
    } else {
        check(disk, rules, history, &what)
    };
    count(match (&history.under_way, found) {
        (UnderWay::Nothing, _) => "between commits, or while staging",
        (UnderWay::Open, _) => "while opening",
        (UnderWay::Commit(_), None) => "creation lost",
        (UnderWay::Commit(_), Some(Found::UnderWay(content))) if content.commit == 0 => {
            "creation kept"
        }
        (UnderWay::Commit(_), Some(Found::UnderWay(_))) => "commit kept",
        (UnderWay::Commit(_), _) => "commit lost",
        (UnderWay::Merge, Some(Found::Merged(_))) => "merge kept",
        (UnderWay::Merge, _) => "merge lost",
        (UnderWay::Compact, Some(Found::Merged(_))) => "compaction kept",
        (UnderWay::Compact, _) => "compaction lost",
    });
}

/// Checks power cuts until there are no more. When all threads that do so have failed, there is no
/// receiver left.
fn check_cuts(cuts: Arc<Mutex<Receiver<Cut>>>, rules: &Rules) -> Counts {
    let mut counts = Counts::new();
    loop {
        let next = cuts.lock().unwrap().recv();
        let Ok(cut) = next else { return counts };
        check_cut(&cut, rules, &mut counts);
    }
}

/// Ends the watch of a disk when it is dropped, also by a panic: the checks wait for more cuts.
struct Watched(FailingDisk);

impl Drop for Watched {
    fn drop(&mut self) {
        self.0.watch(|_| {});
    }
}

/// After a power cut at any moment, the index holds the last acknowledged commit, or that and the
/// one under way, whole, and goes on.
#[test]
fn a_power_cut_at_any_operation_loses_nothing_acknowledged() {
    let rules = rules(0);
    let disk = FailingDisk::new();
    let history = SharedHistory::default();
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let (send, receive) = sync_channel(2 * threads);
    let watched = Arc::clone(&history);
    disk.watch(move |moment| {
        let operation = moment.operations();
        if operation > OPERATIONS {
            return;
        }
        for round in 0..seeds() {
            let seed = round << 32 | operation;
            let (disk, history) = (moment.crash(seed), watched.lock().unwrap().clone());
            send.send(Cut { disk, history, operation, seed }).expect("a check has failed");
        }
    });
    let receive = Arc::new(Mutex::new(receive));
    let counts = thread::scope(|scope| {
        let watched = Watched(disk.clone());
        let start = |receive| scope.spawn(|| check_cuts(receive, &rules));
        let checks: Vec<_> = (0..threads).map(|_| start(Arc::clone(&receive))).collect();
        drop(receive);
        let mut session = Session::create(&disk, rules.clone(), 1, &history).unwrap();
        while disk.operations() < OPERATIONS {
            session.run(1).unwrap();
        }
        drop(watched);
        let mut counts = Counts::new();
        for check in checks {
            for (event, count) in check.join().expect("a check has failed, see above") {
                *counts.entry(event).or_default() += count;
            }
        }
        counts
    });
    let commits = history.lock().unwrap().acknowledged.as_ref().unwrap().commit;
    println!("{OPERATIONS} operations, {commits} commits: {counts:?}");
    for event in [
        "found by a reader first",
        "power cut again while opening",
        "between commits, or while staging",
        "while opening",
        "creation lost",
        "commit kept",
        "commit lost",
        "merge kept",
        "merge lost",
        "compaction kept",
        "compaction lost",
    ] {
        assert!(counts.contains_key(event), "{event}: {counts:?}");
    }
    assert_eq!(counts["power cuts"], OPERATIONS * seeds());
}
