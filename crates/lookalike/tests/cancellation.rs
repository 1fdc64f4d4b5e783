//! A job that is cancelled at any poll ends as cancelled and leaves no result.

use lookalike::{ErrorKind, Job, LookalikeError, Outcome, Progress, run_cluster, run_dedup};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

/// Asks for the stop from one poll on.
struct From {
    poll: u64,
    polls: AtomicU64,
}

impl Progress for From {
    fn cancelled(&self) -> bool {
        self.polls.fetch_add(1, Ordering::Relaxed) >= self.poll
    }
}

type Run = fn(&Job, &dyn Progress) -> Result<Outcome, LookalikeError>;

fn polls_of(run: Run, job: &Job, poll: u64) -> (Result<(), LookalikeError>, u64) {
    let progress = From { poll, polls: AtomicU64::new(0) };
    let result = run(job, &progress).map(|_| ());
    (result, progress.polls.into_inner())
}

fn left(folder: &Path) -> Vec<String> {
    let names = std::fs::read_dir(folder).expect("the directory is there");
    let mut names: Vec<String> = names
        .map(|entry| entry.expect("it can be listed").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn at_any_poll() {
    for (run, tables) in [(run_dedup as Run, 3), (run_cluster as Run, 3)] {
        for resume in [false, true] {
            let folder = tempfile::tempdir().unwrap();
            let docs = folder.path().join("docs.jsonl");
            let line = |n: u32| {
                format!("{{\"id\":\"{n}\",\"text\":\"a text of some words, that is {}\"}}\n", n / 3)
            };
            std::fs::write(&docs, (0..300).map(line).collect::<String>()).unwrap();
            let out = folder.path().join("out");
            let mut job = Job::new(vec![docs.display().to_string()], &out);
            (job.threads, job.resume) = (1, resume);
            let (done, polls) = polls_of(run, &job, u64::MAX);
            done.unwrap();
            std::fs::remove_dir_all(&out).unwrap();
            assert!(polls > tables, "{polls} polls");
            for poll in 0..polls {
                let (result, _) = polls_of(run, &job, poll);
                // What an earlier one kept is not done again: fewer polls.
                let Err(error) = result else {
                    assert!(resume, "poll {poll} of {polls} is not looked at");
                    std::fs::remove_dir_all(&out).unwrap();
                    continue;
                };
                assert_eq!(error.kind(), ErrorKind::Cancelled, "poll {poll}: {error}");
                let kept: &[&str] =
                    if resume { &["docs.jsonl", "out.scratch"] } else { &["docs.jsonl"] };
                assert_eq!(left(folder.path()), kept, "poll {poll}");
                assert_eq!(error.to_string().contains("the setting resume"), resume, "{error}");
            }
        }
    }
}
