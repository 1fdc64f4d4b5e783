//! What a library call may take of the machine.

use crate::{Job, Settings};
use std::path::PathBuf;

/// What a call may take of the machine, and its limits. It changes no decision.
#[derive(Debug, Clone, Default)]
pub struct Resources {
    /// Number of threads; 0 for as many as there are cores.
    pub threads: usize,
    /// Memory budget in bytes (approximate). `None` for three quarters of the machine's.
    pub memory: Option<u64>,
    /// Directory for temporary files, which are made only where the memory budget is too small.
    /// `None` for the system's.
    pub scratch: Option<PathBuf>,
    /// End with an error at the first record that cannot be used, instead of counting it.
    pub strict: bool,
    /// Most pairs that are listed; where there are more, the summary says so. `None` for
    /// [`Job::max_pairs`] of a new job.
    pub max_pairs: Option<u64>,
}

impl Resources {
    /// Directory of temporary files.
    pub(crate) fn folder(&self) -> PathBuf {
        self.scratch.clone().unwrap_or_else(std::env::temp_dir)
    }

    /// A job without inputs and output.
    pub fn job(&self, settings: &Settings) -> Job {
        let job = Job::new(Vec::new(), PathBuf::new());
        Job {
            settings: settings.clone(),
            threads: self.threads,
            memory: self.memory,
            scratch: Some(self.folder()),
            strict: self.strict,
            report: false,
            max_pairs: self.max_pairs.unwrap_or(job.max_pairs),
            ..job
        }
    }
}
