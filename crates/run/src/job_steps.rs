//! Numbers the phases of a job, so that progress can be shown as step 3 of 6.

use crate::{Job, LookalikeError, PassageSettings};
use lookalike_engine::Progress;
use lookalike_methods::{MethodSpec, build};
use lookalike_report::Action;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The phase that draws the report.
pub(crate) const REPORT: &str = "report";

/// Passes progress on, and announces the step that each phase is: the next one of its name, which may be
/// in the list several times. Phases of which no step is ahead belong to the step before them.
pub(crate) struct JobSteps<'p> {
    progress: &'p dyn Progress,
    names: Vec<&'static str>,
    /// The present step.
    at: AtomicUsize,
}

impl<'p> JobSteps<'p> {
    /// The phases ahead, in their order.
    pub(crate) fn new(names: Vec<&'static str>, progress: &'p dyn Progress) -> Self {
        Self { progress, names, at: AtomicUsize::new(0) }
    }

    /// Those of a run of `dedup` or `cluster`.
    ///
    /// # Errors
    /// A method that cannot be parsed.
    pub(crate) fn of(
        job: &Job,
        action: Action,
        progress: &'p dyn Progress,
    ) -> Result<Self, LookalikeError> {
        let counts_terms = match &job.settings.method {
            Some(method) if method.lexicon.is_none() => {
                build(&method.spec.parse::<MethodSpec>()?, None).is_err()
            }
            _ => false,
        };
        let steps = [
            ("counting terms", counts_terms),
            ("counting common", job.settings.ignore_common.is_some()),
            ("counting boilerplate", job.settings.boilerplate.is_some()),
            ("reading", true),
            ("collapsing", true),
            ("indexing", true),
            ("comparing", true),
            ("writing", action != Action::List && job.passages.is_none()),
            ("picking samples", action == Action::List),
        ];
        let mut names: Vec<_> =
            steps.into_iter().filter(|step| step.1).map(|step| step.0).collect();
        // The first reading of passages is that of the documents.
        let of_passages = || PassageSettings::default().steps().into_iter().skip(1);
        names.extend(job.passages.iter().flat_map(|_| of_passages()));
        names.extend(job.report.then_some(REPORT));
        Ok(Self::new(names, progress))
    }
}

impl Progress for JobSteps<'_> {
    fn step(&self, number: u32, of: u32) {
        self.progress.step(number, of);
    }

    fn phase(&self, name: &'static str, total: Option<u64>) {
        let present = self.at.load(Ordering::Relaxed);
        if let Some(ahead) = self.names[present..].iter().position(|&step| step == name) {
            let at = present + ahead;
            self.at.store(at, Ordering::Relaxed);
            self.progress.step(at as u32 + 1, self.names.len() as u32);
        }
        self.progress.phase(name, total);
    }

    fn advance(&self, amount: u64, documents: u64) {
        self.progress.advance(amount, documents);
    }

    fn cancelled(&self) -> bool {
        self.progress.cancelled()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    #[derive(Default)]
    struct Told(Mutex<Vec<(u32, u32, &'static str)>>);

    impl Progress for Told {
        fn step(&self, number: u32, of: u32) {
            self.0.lock().unwrap().push((number, of, ""));
        }

        fn phase(&self, name: &'static str, _: Option<u64>) {
            self.0.lock().unwrap().push((0, 0, name));
        }
    }

    #[test]
    fn phases_of_one_name_are_steps_one_after_the_other() {
        let told = Told::default();
        let steps = JobSteps::new(vec!["reading", "comparing", "reading", "writing"], &told);
        for phase in ["reading", "comparing", "comparing", "other", "reading", "writing", "reading"]
        {
            steps.phase(phase, None);
        }
        let told = told.0.into_inner().unwrap();
        let numbers: Vec<u32> = told.iter().map(|step| step.0).filter(|&step| step > 0).collect();
        assert_eq!(numbers, [1, 2, 2, 3, 4]);
    }

    #[test]
    fn a_run_announces_each_step_once_and_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let docs = folder.path().join("docs.jsonl");
        let line = "{\"text\":\"one two three four five six\"}\n";
        std::fs::write(&docs, line.repeat(3)).unwrap();
        for (report, cluster) in [(true, false), (false, false), (true, true)] {
            let out = folder.path().join(format!("{report}{cluster}"));
            let mut job = Job::new(vec![docs.display().to_string()], out);
            job.report = report;
            let told = Told::default();
            let run = if cluster { crate::run_cluster } else { crate::run_dedup };
            run(&job, &told).unwrap();
            let steps: Vec<(u32, u32)> = told
                .0
                .into_inner()
                .unwrap()
                .into_iter()
                .filter(|step| step.0 > 0)
                .map(|(number, of, _)| (number, of))
                .collect();
            let of = if report { 6 } else { 5 };
            assert_eq!(steps, (1..=of).map(|number| (number, of)).collect::<Vec<_>>());
        }
    }
}
