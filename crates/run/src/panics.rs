//! Returns panics of a job as errors, so that the calling process continues.

use crate::LookalikeError;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs a job. A panic on any of its threads, all of which have ended by then, is returned as
/// [`LookalikeError::Internal`].
///
/// The data of the job are not used afterwards, so their state does not matter; files on disk are
/// verified when they are read.
pub fn caught<T>(job: impl FnOnce() -> Result<T, LookalikeError>) -> Result<T, LookalikeError> {
    catch_unwind(AssertUnwindSafe(job))
        .unwrap_or_else(|panic| Err(LookalikeError::Internal { message: message(panic.as_ref()) }))
}

/// The message of a panic.
fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("a panic without a message").to_owned()
}

#[cfg(test)]
mod tests {
    use crate::{ErrorKind, Job, LookalikeError, run_cluster, run_dedup};
    use lookalike_engine::{Progress, Silent};
    use std::sync::mpsc::channel;
    use std::time::Duration;

    /// Panics when a phase begins, or in the middle of it.
    #[derive(Clone, Copy)]
    struct Panics {
        phase: &'static str,
        when_done: bool,
    }

    impl Progress for Panics {
        fn phase(&self, name: &'static str, _: Option<u64>) {
            assert!(self.when_done || name != self.phase, "a defect in {name}");
        }

        fn advance(&self, _: u64, _: u64) {
            assert!(!self.when_done, "a defect while collecting");
        }
    }

    #[test]
    fn a_panic_is_an_error_that_names_the_checkpoints_and_the_run_can_be_resumed() {
        for threads in [1, 2, 8] {
            for (phase, when_done) in
                [("reading", true), ("collapsing", false), ("comparing", false), ("writing", false)]
            {
                let folder = tempfile::tempdir().unwrap();
                let docs = folder.path().join("docs.jsonl");
                let line = |n: u32| format!("{{\"text\":\"one two three four five {}\"}}\n", n % 7);
                std::fs::write(&docs, (0..100).map(line).collect::<String>()).unwrap();
                let out = folder.path().join("out");
                let mut job = Job::new(vec![docs.display().to_string()], &out);
                (job.threads, job.resume) = (threads, true);
                let (done, ended) = channel();
                let run = job.clone();
                std::thread::spawn(move || {
                    let _ = done.send(run_dedup(&run, &Panics { phase, when_done }).map(|_| ()));
                });
                let error = ended.recv_timeout(Duration::from_secs(60)).expect("it hangs");
                let error = error.unwrap_err();
                assert_eq!(error.kind(), ErrorKind::Internal, "{error}");
                let kept = folder.path().join("out.scratch");
                let text = error.to_string();
                assert!(text.contains("internal error: a defect"), "{text}");
                assert!(
                    text.contains("the setting resume") && text.contains(&*kept.to_string_lossy())
                );
                assert!(!out.exists() && kept.is_dir());
                assert_eq!(run_dedup(&job, &Silent).unwrap().summary.documents, 100);
                assert!(!kept.exists());
            }
        }
    }

    #[test]
    fn without_a_scratch_directory_nothing_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let docs = folder.path().join("docs.jsonl");
        std::fs::write(&docs, "{\"text\":\"one two three four five six\"}\n").unwrap();
        let job = Job::new(vec![docs.display().to_string()], folder.path().join("out"));
        let error = run_cluster(&job, &Panics { phase: "indexing", when_done: false }).unwrap_err();
        assert!(matches!(error, LookalikeError::Internal { .. }), "{error}");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
