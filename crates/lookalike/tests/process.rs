//! A call of the library leaves its process as it was: panic hook, signal handlers, environment,
//! current directory, limits, threads and open files. One test, in a process of its own.

#![allow(clippy::unwrap_used)]

use lookalike::{
    Answer, Job, LookalikeError, Progress, Record, Resources, Settings, Silent, Source, cluster,
    dedup, quiet_decoder_panics, record_batches,
};
use std::collections::BTreeMap;
use std::panic::{catch_unwind, set_hook};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Panics of this test that its own hook saw.
static OWN: AtomicU64 = AtomicU64::new(0);

/// Others that it saw: of decoders, on damaged files.
static OTHERS: AtomicU64 = AtomicU64::new(0);

const OWN_PANIC: &str = "a panic of the test";

/// Whether the hook of this test is the one of the process.
fn own_hook_is_called() -> bool {
    let before = OWN.load(Ordering::SeqCst);
    catch_unwind(|| panic!("{OWN_PANIC}")).unwrap_err();
    OWN.load(Ordering::SeqCst) == before + 1
}

/// What a call could change, as far as the process can look at itself.
#[derive(Debug, PartialEq)]
struct Process {
    environment: BTreeMap<String, String>,
    directory: PathBuf,
    /// On Linux: signal masks and handlers, umask, limits; numbers of threads and of open files.
    system: Vec<String>,
}

impl Process {
    fn now() -> Self {
        let mut system = Vec::new();
        // Of this thread: `self` is the main thread, which blocks all signals for a moment after it
        // has started the thread of this test.
        if let Ok(status) = std::fs::read_to_string("/proc/thread-self/status") {
            let named = ["Umask", "Threads", "SigBlk", "SigIgn", "SigCgt", "NoNewPrivs"];
            let taken = |line: &&str| named.iter().any(|name| line.starts_with(name));
            system.extend(status.lines().filter(taken).map(str::to_owned));
            assert_eq!(system.len(), named.len());
            system.push(std::fs::read_to_string("/proc/self/limits").unwrap());
            system.push(std::fs::read_dir("/proc/self/fd").unwrap().count().to_string());
        }
        let environment = std::env::vars().collect();
        Self { environment, directory: std::env::current_dir().unwrap(), system }
    }

    /// The same, once threads that have returned are gone from the system's list.
    fn is_unchanged(&self) -> bool {
        (0..500).any(|_| {
            let same = *self == Self::now();
            if !same {
                std::thread::sleep(std::time::Duration::from_millis(10));
            }
            same
        })
    }
}

type Call = fn(Source<'_>, &Settings, &Resources, &dyn Progress) -> Result<Answer, LookalikeError>;

fn check(
    before: &Process,
    what: &str,
    call: impl FnOnce() -> Result<Answer, LookalikeError>,
) -> Result<Answer, LookalikeError> {
    let result = call();
    assert!(before.is_unchanged(), "{what}: {before:?}\n{:?}", Process::now());
    assert!(own_hook_is_called(), "{what}: the panic hook was replaced");
    result
}

/// Parquet files with some bytes replaced: any decoder that trusts a length may panic on one of
/// them.
fn damaged(whole: &[u8], number: u64) -> Vec<u8> {
    let mut bytes = whole.to_vec();
    let mut random = number;
    for _ in 0..=number % 4 {
        random =
            random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let at = (random >> 33) as usize % bytes.len();
        bytes[at] = (random >> 20) as u8;
    }
    bytes
}

fn write_parquet(folder: &Path, answer: &Answer) -> Vec<u8> {
    let mut job = Job::new(Vec::new(), folder.join("written"));
    (job.force, job.report) = (true, false);
    answer.write(&job).unwrap();
    std::fs::read(folder.join("written/clusters.parquet")).unwrap()
}

#[test]
fn a_call_leaves_its_process_as_it_was() {
    set_hook(Box::new(|info| {
        let own = info.payload().downcast_ref::<String>().is_some_and(|text| text == OWN_PANIC);
        let own =
            own || info.payload().downcast_ref::<&str>().is_some_and(|text| *text == OWN_PANIC);
        match own {
            true => _ = OWN.fetch_add(1, Ordering::SeqCst),
            false => _ = OTHERS.fetch_add(1, Ordering::SeqCst),
        }
        // A failed assertion is printed as usual.
        if !own && info.location().is_some_and(|place| place.file().ends_with("process.rs")) {
            eprintln!("{info}");
        }
    }));
    assert!(own_hook_is_called());
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let words = |n: usize| (0..30).map(|w| format!("w{} ", (n / 3 + w) % 97)).collect::<String>();
    let records: Vec<Record> =
        (0..600).map(|n| Record::new(words(n)).id(format!("d{n}"))).collect();
    let settings = Settings::default();
    let lines = |record: &Record| format!("{{\"text\":\"{}\"}}\n", record.text);
    std::fs::write(path("docs.jsonl"), records.iter().map(lines).collect::<String>()).unwrap();

    let before = Process::now();
    for call in [dedup as Call, cluster as Call] {
        for threads in [1, 4] {
            // With little memory, data goes to temporary files.
            for memory in [None, Some(1 << 16)] {
                let scratch = Some(folder.path().to_owned());
                let resources = Resources { threads, memory, scratch, ..Resources::default() };
                let run = |source| call(source, &settings, &resources, &Silent);
                let answer = check(&before, "records", || run(Source::records(records.clone())));
                assert!(answer.unwrap().summary.clusters > 0);
                let batches = record_batches(records.clone(), &settings, 70).unwrap();
                check(&before, "batches", || run(Source::batches(batches))).unwrap();
                check(&before, "a file", || run(Source::files([path("docs.jsonl")]))).unwrap();
            }
        }
    }

    // A table of clusters is a Parquet file of documents whose text is the id.
    let resources = Resources { threads: 2, ..Resources::default() };
    let answer = cluster(Source::records(records.clone()), &settings, &resources, &Silent).unwrap();
    let whole = write_parquet(folder.path(), &answer);
    let mut of_ids = settings.clone();
    of_ids.fields.text = "id".into();
    let read = |number: u64| {
        std::fs::write(path("damaged.parquet"), damaged(&whole, number)).unwrap();
        dedup(Source::files([path("damaged.parquet")]), &of_ids, &resources, &Silent)
    };
    let mut failed = 0;
    for number in 0..300 {
        failed += u32::from(check(&before, "a damaged file", || read(number)).is_err());
    }
    assert!(failed > 20, "{failed} of 300 damaged files failed");
    let seen = OTHERS.load(Ordering::SeqCst);

    // A program may ask not to be told of panics of decoders; its hook still sees all others.
    quiet_decoder_panics();
    assert!(own_hook_is_called());
    (0..300).for_each(|number| _ = read(number));
    assert_eq!(OTHERS.load(Ordering::SeqCst), seen);
    assert!(own_hook_is_called());
    println!("panics of decoders: {seen}; damaged files that failed: {failed} of 300");
}
