//! Inputs that cannot be read, or not to their end: a run fails, unless it is told to skip them.

#![allow(clippy::unwrap_used)]

use lookalike::{Job, LookalikeError, Outcome, Progress, Silent, lexicon::LexiconJob};
use lookalike::{Settings, evaluation::EvaluateJob, planning::PlanJob, results::TableFormat};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

const GZIP: &str = "b.jsonl.gz";

fn lines(file: char, number: usize) -> String {
    let words = |n: usize| (0..40).map(move |w| format!("w{} ", (n * 7919 + w * w * 31) % 9973));
    let line = |n: usize| {
        format!("{{\"id\":\"{file}{n}\",\"text\":\"{}\"}}\n", words(n / 2).collect::<String>())
    };
    (0..number).map(line).collect()
}

/// A gzip member of stored blocks (RFC 1952; RFC 1951, section 3.2.4), without its checksum: cut
/// off.
fn cut_gzip(data: &[u8]) -> Vec<u8> {
    let mut packed = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
    for block in data.chunks(60_000) {
        let length = u16::try_from(block.len()).unwrap();
        packed.push(0);
        packed.extend(length.to_le_bytes());
        packed.extend((!length).to_le_bytes());
        packed.extend(block);
    }
    packed
}

/// Three files; the second is cut off in the middle of a record.
fn inputs() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let put = |name: &str, bytes: &[u8]| fs::write(folder.path().join(name), bytes).unwrap();
    fs::create_dir(folder.path().join("in")).unwrap();
    put("in/a.jsonl", lines('a', 300).as_bytes());
    let whole = lines('b', 12_000);
    put(&format!("in/{GZIP}"), &cut_gzip(&whole.as_bytes()[..whole.len() - 50]));
    put("in/c.jsonl", lines('c', 300).as_bytes());
    folder
}

fn job(folder: &Path, threads: usize) -> Job {
    let mut job = Job::new(vec![folder.join("in").display().to_string()], folder.join("out"));
    job.tables = TableFormat::Tsv;
    job.threads = threads;
    job
}

type Run = fn(&Job, &dyn Progress) -> Result<Outcome, LookalikeError>;
const RUNS: [Run; 2] = [lookalike::run_dedup, lookalike::run_cluster];

fn refused(result: Result<Outcome, LookalikeError>, file: &str) -> String {
    let message = result.err().map(|error| error.to_string()).unwrap_or_default();
    assert!(
        message.contains(file) && message.contains("the setting skip_unreadable"),
        "{message:?}"
    );
    message
}

/// All files of a result but the summary and the report, which show times.
fn bytes_of(output: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![output.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if !path.ends_with("summary.json") && !path.ends_with("report.html") {
                let name = path.strip_prefix(output).unwrap().to_path_buf();
                found.insert(name, fs::read(path).unwrap());
            }
        }
    }
    found
}

#[test]
fn an_input_that_is_cut_off_fails_the_run() {
    for (run, threads) in RUNS.into_iter().zip([1, 8]).chain(RUNS.into_iter().zip([2, 2])) {
        let folder = inputs();
        let message = refused(run(&job(folder.path(), threads), &Silent), GZIP);
        assert!(message.contains("byte ") && message.contains("cut off"), "{message}");
        assert!(!folder.path().join("out").exists());
    }
}

#[test]
fn skipped_it_is_counted_and_named_everywhere() {
    for (run, threads) in RUNS.into_iter().zip([2, 8]) {
        let folder = inputs();
        let job = Job { skip_unreadable: true, ..job(folder.path(), threads) };
        let outcome = run(&job, &Silent).unwrap();
        let summary = &outcome.summary;
        // All but the last of 12 000 lines, and what the other two files hold.
        assert_eq!((summary.documents, summary.problems), (12_599, 1));
        assert_eq!(summary.unreadable_inputs, 1);
        let unreadable: Vec<bool> = summary.inputs.iter().map(|input| input.unreadable).collect();
        assert_eq!(unreadable, [false, true, false]);
        assert!(outcome.problems[0].unreadable && outcome.problems[0].offset.is_some());
        assert!(summary.warnings[0].contains(GZIP), "{:?}", summary.warnings);
        let read = |name: &str| fs::read_to_string(job.output.join(name)).unwrap();
        assert!(read("problems.tsv").contains(GZIP));
        assert!(read("summary.json").contains("\"unreadable_inputs\": 1"));
        assert!(read("report.html").contains("could not be read to the end"));
    }
}

/// What is kept for `--resume` is the same with and without the option; a later run decides.
#[test]
fn a_run_that_failed_for_it_goes_on_when_told_to_skip() {
    let folder = inputs();
    let job = Job { resume: true, ..job(folder.path(), 2) };
    refused(lookalike::run_dedup(&job, &Silent), GZIP);
    let skipping = Job { skip_unreadable: true, ..job };
    let outcome = lookalike::run_dedup(&skipping, &Silent).unwrap();
    assert_eq!(outcome.summary.unreadable_inputs, 1);
    let resumed = bytes_of(&skipping.output);
    fs::remove_dir_all(&skipping.output).unwrap();
    lookalike::run_dedup(&Job { resume: false, ..skipping.clone() }, &Silent).unwrap();
    assert!(resumed == bytes_of(&skipping.output));
}

/// Stops when a phase begins.
struct StopAt(&'static str, std::sync::atomic::AtomicBool);

impl Progress for StopAt {
    fn phase(&self, name: &'static str, _: Option<u64>) {
        self.1.fetch_or(name == self.0, std::sync::atomic::Ordering::Relaxed);
    }

    fn cancelled(&self) -> bool {
        self.1.load(std::sync::atomic::Ordering::Relaxed)
    }
}

#[test]
fn a_resumed_run_refuses_what_an_earlier_one_skipped() {
    let folder = inputs();
    let job = Job { resume: true, skip_unreadable: true, ..job(folder.path(), 2) };
    let stopped = lookalike::run_dedup(&job, &StopAt("writing", Default::default()));
    assert!(stopped.is_err_and(|error| error.kind() == lookalike::ErrorKind::Cancelled));
    refused(lookalike::run_dedup(&Job { skip_unreadable: false, ..job.clone() }, &Silent), GZIP);
    assert_eq!(lookalike::run_dedup(&job, &Silent).unwrap().summary.unreadable_inputs, 1);
}

/// Removes a file when a phase begins.
struct Remover(&'static str, PathBuf);

impl Progress for Remover {
    fn phase(&self, name: &'static str, _: Option<u64>) {
        if name == self.0 {
            fs::remove_file(&self.1).unwrap();
        }
    }
}

#[test]
fn a_file_that_cannot_be_opened_fails_the_run() {
    for name in ["b.txt", "b.csv", "b.jsonl", "b.html"] {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("in")).unwrap();
        fs::write(folder.path().join("in/a.jsonl"), lines('a', 3)).unwrap();
        let path = folder.path().join("in").join(name);
        fs::write(&path, "text\nsome words that are there\n").unwrap();
        let message =
            refused(lookalike::run_dedup(&job(folder.path(), 2), &Remover("reading", path)), name);
        assert!(message.contains("cannot be opened"), "{message}");
    }
}

/// A regular file whose first read fails with an I/O error.
#[cfg(target_os = "linux")]
#[test]
fn an_io_error_fails_the_run() {
    for name in ["b.txt", "b.csv", "b.jsonl", "b.jsonl.zst", "b.html"] {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("in")).unwrap();
        fs::write(folder.path().join("in/a.jsonl"), lines('a', 30)).unwrap();
        std::os::unix::fs::symlink("/proc/self/mem", folder.path().join("in").join(name)).unwrap();
        let message = refused(lookalike::run_dedup(&job(folder.path(), 2), &Silent), name);
        assert!(message.contains("check its disk"), "{message}");
        let skipping = Job { skip_unreadable: true, ..job(folder.path(), 2) };
        let summary = lookalike::run_dedup(&skipping, &Silent).unwrap().summary;
        assert_eq!((summary.documents, summary.unreadable_inputs), (30, 1));
    }
}

#[test]
fn bad_records_do_not_fail_a_run() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("in")).unwrap();
    fs::write(folder.path().join("in/a.jsonl"), "{\"text\":\"a b\"}\nno json\n{\"text\":5}\n")
        .unwrap();
    let mut packed = cut_gzip(b"{\"text\":\"one\"}\n");
    // The end of the last block, checksum and length; then what is not gzip.
    packed.extend([1, 0, 0, 0xff, 0xff]);
    packed.extend(0x2073_9a02_u32.to_le_bytes());
    packed.extend(15u32.to_le_bytes());
    let whole = packed.len();
    packed.extend(b"garbage behind");
    fs::write(folder.path().join("in/b.jsonl.gz"), &packed).unwrap();
    let result = lookalike::run_dedup(&job(folder.path(), 2), &Silent);
    match result {
        Ok(outcome) => {
            assert_eq!((outcome.summary.documents, outcome.summary.problems), (2, 3));
            assert_eq!(outcome.summary.unreadable_inputs, 0);
        }
        Err(error) => panic!("{error} ({whole} bytes)"),
    }
}

#[test]
fn other_commands_that_read_inputs_fail_too() {
    let folder = inputs();
    let input = vec![folder.path().join("in").display().to_string()];
    for skip_unreadable in [false, true] {
        let job = Job { skip_unreadable, ..job(folder.path(), 2) };
        let lexicon = LexiconJob {
            inputs: input.clone(),
            output: folder.path().join("lexicon"),
            settings: Settings::default(),
            term_filter: String::new(),
            memory: 1 << 24,
            threads: 2,
            strict: false,
            skip_unreadable,
        };
        let said = |result: Result<(), LookalikeError>| match result {
            Ok(()) => assert!(skip_unreadable),
            Err(error) => {
                let message = error.to_string();
                assert!(!skip_unreadable, "{message}");
                assert!(message.contains(GZIP) && message.contains("the setting skip_unreadable"));
            }
        };
        said(lookalike::lexicon::build_lexicon(&lexicon, &Silent).map(drop));
        said(
            lookalike::planning::plan(
                &PlanJob::new(Job { output: "".into(), ..job.clone() }),
                &Silent,
            )
            .map(drop),
        );
        let methods = vec!["minhash-lsh".to_owned()];
        let mut evaluated = EvaluateJob::new(job);
        evaluated.options.methods = methods;
        said(lookalike::evaluation::evaluate(&evaluated, &Silent).map(drop));
    }
}
