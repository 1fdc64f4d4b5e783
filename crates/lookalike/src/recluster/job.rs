//! What is asked of a finished run.

use lookalike_core::Measure;
use lookalike_engine::{Linkage, WitnessRule};
use lookalike_io::table::TableFormat;
use std::path::PathBuf;

/// What is asked of a finished run, and where the answer goes.
#[derive(Debug, Clone)]
pub struct ReclusterJob {
    /// The directory of a finished [`cluster`](crate::run_cluster) or [`recluster`](crate::recluster) run.
    pub run: PathBuf,
    /// What documents have to reach now: a decimal, as written.
    pub threshold: String,
    /// What is measured; `None` for what the run measured.
    pub measure: Option<Measure>,
    /// How pairs become clusters; `None` for how the run did it.
    pub linkage: Option<Linkage>,
    /// Which kept match is the witness of a removed document; `None` for the run's own rule, which is the
    /// default where the run made components.
    pub witness: Option<WitnessRule>,
    /// Who leads; `None` for the run's own rules.
    pub keep: Option<Vec<String>>,
    /// The directory that the results are written to.
    pub output: PathBuf,
    /// Replace an earlier result.
    pub force: bool,
    /// Form of the tables.
    pub tables: TableFormat,
    /// Write `report.html`.
    pub report: bool,
    /// The command line, for the record.
    pub command: String,
}

impl ReclusterJob {
    /// A job that changes nothing but the threshold.
    pub fn new(
        run: impl Into<PathBuf>,
        threshold: impl Into<String>,
        output: impl Into<PathBuf>,
    ) -> Self {
        Self {
            run: run.into(),
            threshold: threshold.into(),
            measure: None,
            linkage: None,
            witness: None,
            keep: None,
            output: output.into(),
            force: false,
            tables: TableFormat::default(),
            report: true,
            command: String::new(),
        }
    }
}
